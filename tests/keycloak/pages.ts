/** A scripted browser that fills in Keycloak's pages: user name, password and consent. */
import { createHash, randomBytes } from 'node:crypto';

const plain = (text: string) => text.replaceAll('&amp;', '&').replaceAll('&#39;', "'").replaceAll('&quot;', '"');
const isOurs = (url: string, base: string) => url.startsWith(base);

export interface At {
  readonly url: string;
  readonly status: number;
  readonly body: string;
}

export class Person {
  readonly #cookies = new Map<string, Map<string, string>>();
  readonly #username: string;
  readonly #password: string;
  constructor(username: string, password: string) {
    this.#username = username;
    this.#password = password;
  }

  async go(url: string, init: RequestInit = {}): Promise<Response> {
    const { host } = new URL(url);
    const jar = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, {
      redirect: 'manual',
      ...init,
      headers: { ...(init.headers as Record<string, string>), ...(cookie && { cookie }) },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return answer;
  }

  /** Follows redirects and submits forms until an address begins with `until`. */
  async walk(from: string, until: string): Promise<At> {
    let url = from;
    let answer = await this.go(url);
    for (let step = 0; step < 15; step++) {
      const to = answer.headers.get('location');
      if (to !== null) {
        url = new URL(to, url).href;
        if (isOurs(url, until) && new URL(url).pathname !== '/signin' && !url.includes('/signin/callback') && !until.endsWith('/'))
          return { url, status: answer.status, body: '' };
        answer = await this.go(url);
        continue;
      }
      const body = await answer.text();
      const [, action, inside = ''] = /<form[^>]*action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/.exec(body) ?? [];
      if (isOurs(url, until.replace(/\/$/, '')) || action === undefined) return { url, status: answer.status, body };
      const form = new URLSearchParams();
      for (const [input] of inside.matchAll(/<input[^>]*>/g)) {
        const name = /name="([^"]+)"/.exec(input)?.[1];
        if (name && name !== 'cancel' && name !== 'rememberMe') form.set(name, plain(/value="([^"]*)"/.exec(input)?.[1] ?? ''));
      }
      if (/name="password"/.test(inside)) {
        form.set('username', this.#username);
        form.set('password', this.#password);
        form.delete('credentialId');
      } else form.set('accept', 'Yes');
      url = new URL(plain(action), url).href;
      answer = await this.go(url, { method: 'POST', body: form });
    }
    throw new Error('too many pages');
  }
}

export interface Flow {
  readonly metadata: { authorization_endpoint: string; token_endpoint: string };
  readonly clientId: string;
  readonly redirectUri: string;
  readonly resource: string;
}

/** The authorization code flow with PKCE, as an MCP client performs it. */
export async function codeFlow(person: Person, { metadata, clientId, redirectUri, resource }: Flow): Promise<Record<string, unknown>> {
  const verifier = randomBytes(32).toString('base64url');
  const asked = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'openid',
    state: 's',
    resource,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const { url } = await person.walk(`${metadata.authorization_endpoint}?${asked}`, redirectUri);
  const code = new URL(url).searchParams.get('code');
  if (code === null) throw new Error(`no code in ${url}`);
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    client_id: clientId,
    code_verifier: verifier,
    resource,
  });
  return (await (await fetch(metadata.token_endpoint, { method: 'POST', body })).json()) as Record<string, unknown>;
}
