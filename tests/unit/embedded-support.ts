/** Fixtures of the built-in identity provider's tests: a provider on a real port, a small browser and the authorization code flow. */
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt } from 'jose';
import { type Accounts, createAccounts } from '../../src/identity/accounts.ts';
import { type EmbeddedProvider, createEmbeddedProvider } from '../../src/identity/embedded/provider.ts';
import type { RegistrationLimits } from '../../src/identity/embedded/registrations.ts';
import { createEmbeddedIssuer } from '../../src/identity/issuers.ts';
import { type Keys, openKeys } from '../../src/identity/keys.ts';
import { type Revocations, createRevocations } from '../../src/identity/revocation.ts';
import { createVerifier, type Verifier } from '../../src/identity/verify.ts';
import type { KeyValue } from '../../src/engine/ports.ts';
import { persona, personas } from '../../domains/sample-company/people.ts';
import { openSqliteKeyValue } from '../../src/storage/kv/sqlite.ts';
import { openWebBuild } from '../../src/identity/web/build.ts';
import { WEB_BUILD } from '../services/built.ts';
import { folder, testPeople } from './identity-support.ts';
import { emptyEngineStore } from '../engine-database.ts';
import { builtIn } from '../registry.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly json: Record<string, unknown>;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

/** Sends one request with the given headers; it follows no redirect and sends no cookies. */
export function ask(url: string, { method, headers = {}, form, json }: Ask = {}): Promise<Answer> {
  const body = form ? new URLSearchParams(form).toString() : json === undefined ? undefined : JSON.stringify(json);
  const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
  const { hostname, port, pathname, search } = new URL(url);
  return new Promise((resolve, reject) => {
    const all = { ...(body !== undefined && { 'content-type': type, 'content-length': String(Buffer.byteLength(body)) }), ...headers };
    const sent = request(
      {
        hostname: hostname.replace(/[[\]]/g, ''),
        port,
        path: pathname + search,
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: all,
      },
      (res) => {
        const chunks: Buffer[] = [];
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const parsed: unknown = res.headers['content-type']?.includes('json') ? JSON.parse(text) : {};
          resolve({ status: res.statusCode ?? 0, headers: res.headers, body: text, json: parsed as Record<string, unknown> });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly attributes: string;
}

/** A minimal browser: it keeps cookies by path, follows redirects on request, and sends the headers that a browser sends with forms. */
export class Browser {
  cookies: Cookie[] = [];

  async go(url: string, { form, headers = {} }: Pick<Ask, 'form' | 'headers'> = {}): Promise<Answer & { readonly url: string }> {
    const { pathname } = new URL(url);
    const cookie = this.cookies
      .filter(({ path }) => pathname.startsWith(path))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const own = form ? { origin: 'null', 'sec-fetch-site': 'same-origin' } : { 'sec-fetch-site': 'none' };
    const answer = await ask(url, {
      headers: { accept: 'text/html', ...(cookie && { cookie }), ...own, ...headers },
      ...(form && { form }),
    });
    for (const line of answer.headers['set-cookie'] ?? []) this.keep(line);
    return { ...answer, url };
  }

  /** Follows redirects until a page, or until an address outside of `within`, which it does not request. */
  async follow(start: Answer & { readonly url: string }, within: string): Promise<Answer & { readonly url: string }> {
    let at = start;
    for (let hops = 0; at.headers.location !== undefined && hops < 10; hops++) {
      const next = new URL(at.headers.location, at.url).href;
      if (!next.startsWith(within)) return { ...at, url: next };
      at = await this.go(next);
    }
    return at;
  }

  private keep(line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const name = pair.slice(0, pair.indexOf('='));
    const value = pair.slice(pair.indexOf('=') + 1);
    const path = attributes.find((each) => each.toLowerCase().startsWith('path='))?.slice(5) ?? '/';
    const gone = value === '' || attributes.some((each) => /^(?:expires=Thu, 01 Jan 1970|max-age=0)/i.test(each));
    this.cookies = this.cookies.filter((each) => each.name !== name || each.path !== path);
    if (!gone) this.cookies.push({ name, value, path, attributes: attributes.join('; ') });
  }
}

export interface TestRuntime {
  readonly base: string;
  readonly server: Server;
  readonly provider: EmbeddedProvider;
  readonly kv: KeyValue;
  readonly keys: Keys;
  readonly accounts: Accounts;
  readonly denied: Revocations;
  readonly verifier: Verifier;
  close(): Promise<void>;
}

/** Runs the provider on an HTTP server. The server listens first, because the provider needs to know the port. */
export async function testRuntime(registrationLimits?: RegistrationLimits): Promise<TestRuntime> {
  let serve: EmbeddedProvider['handler'] | undefined;
  const server = createServer((req, res) => void serve?.(req, res));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const base = `http://localhost:${(server.address() as AddressInfo).port}`;
  const kv = openSqliteKeyValue(':memory:');
  const keys = openKeys(folder());
  const all = createAccounts(kv, personas, { roles: builtIn.roles });
  const denied = createRevocations(kv);
  const provider = createEmbeddedProvider({
    base,
    keys,
    accounts: all,
    kv,
    store: await emptyEngineStore(),
    revocations: denied,
    servers: ['http://localhost:3101'],
    registrationLimits,
    build: openWebBuild(WEB_BUILD),
  });
  serve = provider.handler;
  const issuers = (['staff', 'customer'] as const).map((realm) =>
    createEmbeddedIssuer({ roles: builtIn.roles, realm, base, keys, accounts: all }),
  );
  const verifier = createVerifier({ issuers, people: testPeople(), denied, clock: { now: () => new Date() } });
  return {
    base,
    server,
    provider,
    kv,
    keys,
    accounts: all,
    denied,
    verifier,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      await kv.close();
    },
  };
}

export const CLI_REDIRECT = 'http://127.0.0.1:50123/callback';

export interface Flow {
  readonly client?: string;
  readonly redirect?: string;
  readonly user?: string;
  readonly realm?: 'staff' | 'customers';
  readonly params?: Readonly<Record<string, string | undefined>>;
}

export const pkce = () => {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
};

export function authUrl(
  base: string,
  challenge: string,
  { client = 'tamshai-cli', redirect = CLI_REDIRECT, realm = 'staff', params = {} }: Flow = {},
): string {
  const all = {
    client_id: client,
    redirect_uri: redirect,
    response_type: 'code',
    scope: 'openid profile email',
    state: 'st',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...params,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(all)) if (value !== undefined) query.set(name, value);
  return `${base}/oidc/${realm}/auth?${query}`;
}

export const field = (body: string, name: string): string => new RegExp(`name="${name}" value="([^"]*)"`).exec(body)?.[1] ?? '';

/** Performs the sign-in and the consent; returns the final redirect. */
export async function walk(
  base: string,
  flow: Flow = {},
  browser = new Browser(),
): Promise<{ end: URL; verifier: string; pages: string[] }> {
  const { verifier, challenge } = pkce();
  const pages: string[] = [];
  let at = await browser.follow(await browser.go(authUrl(base, challenge, flow)), base);
  for (let step = 0; at.status === 200 && step < 3; step++) {
    pages.push(at.body);
    const csrf = field(at.body, 'csrf');
    const form = at.body.includes('name="person"') ? { csrf, person: persona(flow.user ?? 'alice.chen').sub } : { csrf, answer: 'yes' };
    at = await browser.follow(await browser.go(at.url, { form }), base);
  }
  return { end: new URL(at.url), verifier, pages };
}

export const exchange = (
  base: string,
  code: string,
  verifier: string,
  { client = 'tamshai-cli', redirect = CLI_REDIRECT, realm = 'staff' }: Flow = {},
  more: Record<string, string> = {},
): Promise<Answer> =>
  ask(`${base}/oidc/${realm}/token`, {
    form: { grant_type: 'authorization_code', client_id: client, redirect_uri: redirect, code, code_verifier: verifier, ...more },
  });

export const renew = (base: string, token: string, { client = 'tamshai-cli', realm = 'staff' }: Flow = {}): Promise<Answer> =>
  ask(`${base}/oidc/${realm}/token`, { form: { grant_type: 'refresh_token', client_id: client, refresh_token: token } });

export async function signIn(
  base: string,
  flow: Flow = {},
): Promise<{ access: string; refresh: string; claims: Record<string, unknown>; code: string; verifier: string; end: URL }> {
  const { end, verifier } = await walk(base, flow);
  const code = end.searchParams.get('code') ?? '';
  const { json } = await exchange(base, code, verifier, flow);
  const access = String(json['access_token']);
  return { access, refresh: String(json['refresh_token']), claims: decodeJwt(access), code, verifier, end };
}

export const register = (base: string, body: unknown, realm = 'staff'): Promise<Answer> => ask(`${base}/oidc/${realm}/reg`, { json: body });
