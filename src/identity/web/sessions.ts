/** Browser sign-in: authorization code flow, session cookie, CSRF tokens and sign-out. */
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import type { Caller } from '../../engine/caller.ts';
import { Failure, failure } from '../../declare/errors.ts';
import type { Realm } from '../../declare/people.ts';
import type { Clock, KeyValue, Logger } from '../../engine/ports.ts';
import type { WebBuild } from './build.ts';
import { createCookieJar } from './cookies.ts';
import { pageHeaders } from './headers.ts';
import { type IssuerClient, createIssuerClient, SignInRefused, type Tokens, type WebIssuer } from './issuer-client.ts';
import { fromOurPage, hasOurOrigin } from './origin.ts';
import { createSealer } from './seal.ts';
import { type SessionStore, createSessionStore } from './session-store.ts';
import { signInPage, signInStoppedPage } from './sign-in-page.ts';

export interface WebSessionOptions {
  /** The base URL, without a slash at the end. */
  readonly base: string;
  readonly kv: KeyValue;
  readonly issuers: { readonly staff: WebIssuer; readonly customer?: WebIssuer | undefined };
  /** 32 bytes, the same on every replica. */
  readonly sealKey: Uint8Array;
  readonly verify: (token: string, audiences: readonly string[]) => Promise<Caller>;
  readonly clock?: Clock | undefined;
  readonly log?: Pick<Logger, 'warn'> | undefined;
  /** Scripts and styles of the pages. */
  readonly build?: WebBuild | undefined;
}

/** A reply that any HTTP server can send. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string;
}

export interface WebSessions {
  /** The signed-in person. A cookie alone does not authorise a change; `checkCsrf` does. */
  authenticate(req: IncomingMessage, options?: { readonly freshSeconds?: number }): Promise<Caller | undefined>;
  /** The CSRF token for our forms and scripts. With `about`, it is valid for one purpose, such as one card. */
  csrf(req: IncomingMessage, about?: string): string | undefined;
  /** Throws unless the request comes from our own page with the CSRF token of this session. Forms send it as a field. */
  checkCsrf(req: IncomingMessage, options?: { readonly about?: string; readonly header?: string; readonly form?: URLSearchParams }): void;
  /** GET /signin */
  signIn(req: IncomingMessage): Promise<Reply>;
  /** GET /signin/callback */
  callback(req: IncomingMessage): Promise<Reply>;
  /** POST /signout */
  signOut(req: IncomingMessage, form: URLSearchParams): Promise<Reply>;
}

export const CSRF_HEADER = 'x-tamshai-csrf';
const SESSION = 'tamshai';
const FLOW = 'tamshai-signin';
const FLOW_SECONDS = 600;
const flowSchema = z.object({
  realm: z.enum(['staff', 'customer']),
  to: z.string(),
  until: z.number(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
});

export function createWebSessions({
  base,
  kv,
  issuers,
  sealKey,
  verify,
  log,
  build,
  clock = { now: () => new Date() },
}: WebSessionOptions): WebSessions {
  const frame = { build };
  const jar = createCookieJar(base);
  const seals = createSealer(sealKey);
  const audiences: readonly string[] = [`${base}/api`];
  const { origin, host } = new URL(base);
  const client = (issuer: WebIssuer) => createIssuerClient(issuer, `${base}/signin/callback`, `${base}/api`);
  const clients: Readonly<Record<Realm, IssuerClient | undefined>> = {
    staff: client(issuers.staff),
    customer: issuers.customer && client(issuers.customer),
  };
  const store: SessionStore = createSessionStore({ kv, seals, clock, renew: (realm, refresh) => need(clients[realm]).renew(refresh) });
  const seconds = () => Math.floor(clock.now().getTime() / 1000);

  const page = (status: number, body: string, cookies: string[] = []): Reply => ({
    status,
    headers: { ...pageHeaders, ...(cookies.length > 0 && { 'set-cookie': cookies }) },
    body,
  });
  const redirect = (status: 302 | 303 | 307, location: string, cookies: string[] = []): Reply => ({
    status,
    headers: { ...pageHeaders, location, ...(cookies.length > 0 && { 'set-cookie': cookies }) },
    body: '',
  });

  /** Accepts only our own paths. A sign-in path would cause a loop. */
  const returnPath = (asked: string | null): string => {
    const url = asked !== null && /^\/(?![/\\])[\x21-\x7e]*$/.test(asked) ? URL.parse(asked, base) : null;
    const path = url?.origin === origin ? url.pathname + url.search : '/';
    // Checks the normalised path, because `/.//elsewhere` becomes `//elsewhere`, which is another host.
    return path.startsWith('//') || /^\/sign(?:in|out)\b/.test(path) ? '/' : path;
  };

  const again = (realm: Realm, to: string) => `/signin?${new URLSearchParams({ realm, to })}`;
  const idOf = (req: IncomingMessage) => jar.read(req, SESSION)?.value;
  /** A digest of the id, because a token in a page must not reveal the cookie. */
  const csrfAbout = (id: string, about: string) => `csrf\n${createHash('sha256').update(id).digest('base64url')}\n${about}`;

  const end = async (id: string): Promise<void> => {
    const session = await store.remove(id);
    if (session?.refresh === undefined) return;
    // The session has ended already, so a silent issuer does not matter.
    await need(clients[session.realm])
      .revoke(session.refresh)
      .catch((error: unknown) => log?.warn({ error: String(error) }, 'Tokens could not be revoked at sign-out.'));
  };

  const admit = async (access: string): Promise<Caller> => ({ ...(await verify(access, audiences)), approves: 'anything', origin: 'web' });

  return {
    async authenticate(req, { freshSeconds } = {}) {
      const id = idOf(req);
      const session = id === undefined ? undefined : await store.current(id, freshSeconds);
      if (id === undefined || !session) return undefined;
      try {
        return await admit(session.access);
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== 'UNAUTHENTICATED') throw error;
        await store.remove(id);
        return undefined;
      }
    },

    csrf(req, about = '') {
      const id = idOf(req);
      return id === undefined ? undefined : seals.code(csrfAbout(id, about));
    },

    checkCsrf(req, { about = '', header = CSRF_HEADER, form } = {}) {
      const id = idOf(req);
      const given = form ? form.get('csrf') : req.headers[header];
      const ours = form ? fromOurPage(req, base) : hasOurOrigin(req, base);
      if (id === undefined || !ours || typeof given !== 'string' || !seals.isCode(csrfAbout(id, about), given))
        throw failure('FORBIDDEN_ORIGIN', 'This did not come from our own page, so nothing was done. Reload the page and try again.');
    },

    async signIn(req) {
      const { searchParams } = new URL(req.url ?? '/', base);
      // Cookies belong to one host name, which is also that of the callback.
      if (req.headers.host?.toLowerCase() !== host) return redirect(307, `${base}/signin?${searchParams}`);
      const to = returnPath(searchParams.get('to'));
      const asked = searchParams.get('realm');
      if (asked === null && !issuers.staff.embedded) {
        const customerHref = clients.customer && again('customer', to);
        return page(200, signInPage({ staffHost: new URL(issuers.staff.issuer).host, staffHref: again('staff', to), customerHref, frame }));
      }
      const realm: Realm = asked === 'customer' && clients.customer ? 'customer' : 'staff';
      try {
        const { url, secrets } = await need(clients[realm]).begin();
        const flow = seals.seal(FLOW, { realm, to, until: seconds() + FLOW_SECONDS, ...secrets });
        return redirect(302, url.href, jar.try(FLOW, flow, FLOW_SECONDS));
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        return page(503, signInStoppedPage('unavailable', again(realm, to), frame));
      }
    },

    async callback(req) {
      const cookie = jar.read(req, FLOW);
      const parsed = flowSchema.safeParse(cookie && seals.open(FLOW, cookie.value));
      if (!cookie || !parsed.success || parsed.data.until <= seconds())
        return page(400, signInStoppedPage('refused', '/signin', frame), jar.clear(FLOW));
      const { realm, to, ...secrets } = parsed.data;
      let tokens: Tokens;
      try {
        tokens = await need(clients[realm]).finish(new URL(req.url ?? '/', base), secrets);
      } catch (error) {
        if (error instanceof SignInRefused) return page(400, signInStoppedPage('refused', again(realm, to), frame), jar.clear(FLOW));
        if (error instanceof Failure) return page(503, signInStoppedPage('unavailable', again(realm, to), frame), jar.clear(FLOW));
        throw error;
      }
      try {
        await admit(tokens.access);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        const why = error.code === 'SERVICE_UNAVAILABLE' ? 'unavailable' : 'unusable';
        return page(error.status === 503 ? 503 : 403, signInStoppedPage(why, again(realm, to), frame), jar.clear(FLOW));
      }
      // A new sign-in creates a new session and ends the old one, which may belong to another person.
      const before = idOf(req);
      if (before !== undefined) await end(before);
      const id = randomBytes(32).toString('base64url');
      await store.create(id, realm, tokens);
      return redirect(303, to, [...jar.clear(FLOW), ...jar.set(SESSION, id, cookie.kind)]);
    },

    async signOut(req, form) {
      this.checkCsrf(req, { form });
      const id = idOf(req);
      if (id !== undefined) await end(id);
      return redirect(303, '/', jar.clear(SESSION));
    },
  };
}

function need<T>(value: T | undefined): T {
  if (value === undefined) throw failure('NOT_FOUND', 'There is no such sign-in here.');
  return value;
}
