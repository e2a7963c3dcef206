/** People who sign in at Keycloak: their programs use its tokens, and they decide in a browser. */
import { Person } from '../keycloak/pages.ts';
import { PASSWORD } from '../keycloak/realms.ts';
import type { Keycloak } from '../services/keycloak.ts';
import type { TestClient } from '../../src/testing/test-client.ts';

/** One token for each person, until it is about to expire. */
export function tokensOf({ url }: Keycloak): (user: string) => Promise<string> {
  const known = new Map<string, { readonly token: string; readonly until: number }>();
  return async (user) => {
    const kept = known.get(user);
    if (kept !== undefined && kept.until > Date.now()) return kept.token;
    const grant = new URLSearchParams({ grant_type: 'password', client_id: 'tests', username: user, password: PASSWORD, scope: 'openid' });
    const answer = await fetch(`${url}/realms/tamshai-staff/protocol/openid-connect/token`, { method: 'POST', body: grant });
    const { access_token: token, expires_in: seconds } = (await answer.json()) as { access_token?: string; expires_in: number };
    if (token === undefined) throw new Error(`${user} cannot sign in: ${answer.status}`);
    known.set(user, { token, until: Date.now() + (seconds - 240) * 1_000 });
    return token;
  };
}

/**
 * Decides on the approval page with HTTP requests, as a browser does. If the session has ended, it throws, and the caller's retry signs
 * in again.
 */
export function throughBrowser(base: string): TestClient['decide'] {
  const browsers = new Map<string, Promise<Person>>();
  const signedIn = (user: string): Promise<Person> => {
    const begun = (async () => {
      const person = new Person(user, PASSWORD);
      const { status, url } = await person.walk(`${base}/signin?realm=staff&to=/approvals`, `${base}/`);
      if (status !== 200 || new URL(url).pathname !== '/approvals') throw new Error(`${user} was not signed in: ${status} ${url}`);
      return person;
    })();
    begun.catch(() => browsers.delete(user));
    browsers.set(user, begun);
    return begun;
  };
  type Decided = Awaited<ReturnType<TestClient['decide']>>;
  const replyOf = async (answer: Response): Promise<Decided> => {
    const text = await answer.text();
    return { status: answer.status, headers: {}, text, body: (text.startsWith('{') ? JSON.parse(text) : undefined) as Decided['body'] };
  };
  return async (user, id, approved) => {
    const person = await (browsers.get(user) ?? signedIn(user));
    const page = await person.go(`${base}/approve/${id}`);
    if (page.status === 302) {
      browsers.delete(user);
      throw new Error('signed out');
    }
    const text = await page.text();
    if (page.status !== 200) throw new Error(`no page: ${page.status}`);
    const find = (name: string) => new RegExp(`data-${name}="([^"]+)"`).exec(text)?.[1];
    const card = find('card');
    if (card === undefined) {
      // An earlier press of the button decided the ticket, and its answer was lost: the page shows the result.
      const { body, ...reply } = await replyOf(await person.go(`${base}/api/confirmations/${id}`));
      const { state } = (body as { data?: { state: string } } | undefined)?.data ?? {};
      if (state === 'waiting' || state === 'executing' || state === undefined) throw new Error(`not settled: ${state}`);
      return { ...reply, body, status: state === 'done' ? 200 : 409 };
    }
    const headers = { origin: base, 'content-type': 'application/json', 'x-tamshai-csrf': find('csrf') ?? '', 'x-tamshai-card': card };
    const reply = await replyOf(
      await person.go(`${base}/api/confirm/${id}`, { method: 'POST', headers, body: JSON.stringify({ approved }) }),
    );
    if (reply.status === 401) browsers.delete(user);
    if (reply.status === 401) throw new Error('signed out');
    return reply;
  };
}
