/** The embedded OpenID provider: one issuer per realm, with its HTTP handler, client registration and revocation. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { failure } from '../../declare/errors.ts';
import { isFormType, isJsonType } from '../../engine/media-type.ts';
import type { Realm } from '../../declare/people.ts';
import type { EngineStore } from '../../engine/engine-store.ts';
import type { Clock, KeyValue, Logger } from '../../engine/ports.ts';
import type { Accounts } from '../accounts.ts';
import { embeddedIssuerUrl } from '../issuers.ts';
import { derive, derivePrevious, type Keys } from '../keys.ts';
import type { Revocations } from '../revocation.ts';
import { contentSecurityPolicy, pageHeaders, securityHeaders } from '../web/headers.ts';
import type { WebBuild } from '../web/build.ts';
import type { PageFrame } from '../web/layout.ts';
import { fromOurPage, hostAllowed } from '../web/origin.ts';
import { createProviderAdapter } from './adapter.ts';
import { isOurs } from './clients.ts';
import { configuration, NOT_YOURS, SCOPES } from './configuration.ts';
import { createInteractions } from './interaction.ts';
import { Provider } from './library.ts';
import { errorPage } from './pages.ts';
import { REGISTRATION_LIMITS, type RegistrationLimits, createRegistrations } from './registrations.ts';
import { audiences } from './resources.ts';
import { createAccessTokenRevoker } from './revoke.ts';

export interface EmbeddedProviderOptions {
  /** The base URL, without a slash at the end. */
  readonly base: string;
  readonly keys: Keys;
  readonly accounts: Accounts;
  /** Codes, sessions and interactions. */
  readonly kv: KeyValue;
  /** Registered clients, grants and refresh tokens. */
  readonly store: EngineStore;
  readonly revocations: Pick<Revocations, 'revokeSession' | 'revokeToken'>;
  /** Base URLs of the domain servers (`http://localhost:3101`), for tokens that clients use with them directly. */
  readonly servers: readonly string[];
  readonly clock?: Clock | undefined;
  readonly log?: Pick<Logger, 'error'> | undefined;
  readonly scriptedApprovals?: boolean | undefined;
  readonly registrationLimits?: RegistrationLimits | undefined;
  /** Scripts and styles of the pages. */
  readonly build?: WebBuild | undefined;
}

export interface EmbeddedProvider {
  readonly issuers: Readonly<Record<Realm, string>>;
  /** Whether this path, with or without a query, belongs to the provider. */
  handles(url: string): boolean;
  handler(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** Ends one sign-in. Its refresh tokens end at once, its access tokens within ten seconds because of the cache. */
  revokeSignIn(realm: Realm, sid: string): Promise<void>;
}

const REALMS = ['staff', 'customer'] as const;
const REVOCATION_PATH = '/token/revocation';
const WELL_KNOWN = /^\/\.well-known\/(?:oauth-authorization-server|openid-configuration)$/;

export function createEmbeddedProvider(options: EmbeddedProviderOptions): EmbeddedProvider {
  const { base } = options;
  const realms = REALMS.map((realm) => realmProvider(realm, options));
  const isOurHost = hostAllowed(base);
  const { host } = new URL(base);

  /** Finds the realm and the path in it. Clients try three paths for the metadata, and all three work. */
  const locate = (url: string) => {
    const [path, query] = splitQuery(url);
    for (const each of realms) {
      if (path === each.mount || path.startsWith(`${each.mount}/`)) return { each, path: path.slice(each.mount.length) || '/', query };
      if (path.endsWith(each.mount) && WELL_KNOWN.test(path.slice(0, -each.mount.length)))
        return { each, path: path.slice(0, -each.mount.length), query };
    }
    // Clients of the oldest MCP revision look for metadata at the origin only.
    const [staff] = realms;
    return path === '/.well-known/oauth-authorization-server' && staff ? { each: staff, path, query } : undefined;
  };

  return {
    issuers: { staff: embeddedIssuerUrl(base, 'staff'), customer: embeddedIssuerUrl(base, 'customer') },
    handles: (url) => locate(url) !== undefined,
    async handler(req, res) {
      const found = locate(req.url ?? '/');
      if (!found || !isOurHost(req)) return refuse(res, 403, 'Use the address that Tamshai printed at start.');
      const { each, path, query } = found;
      const open = WELL_KNOWN.test(path) || path === '/jwks';
      if (!open && req.headers.origin !== undefined && !fromOurPage(req, base))
        return refuse(res, 403, 'Pages of other origins may not use this address.');
      for (const [name, value] of Object.entries(securityHeaders)) res.setHeader(name, value);
      const search = query === undefined ? '' : `?${query}`;
      // Cookies belong to one host name, so a browser on another loopback name is redirected first.
      if (req.method === 'GET' && !open && req.headers.host?.toLowerCase() !== host) {
        res.writeHead(307, { location: `${base}${each.mount}${path}${search}` }).end();
        return;
      }
      req.headers.host = host;
      await each.serve(req, res, path, search);
    },
    async revokeSignIn(realm, sid) {
      await realms.find((each) => each.realm === realm)?.revoke(sid);
    },
  };
}

function realmProvider(realm: Realm, options: EmbeddedProviderOptions) {
  const {
    base,
    keys,
    accounts,
    kv,
    store,
    revocations,
    servers,
    log,
    scriptedApprovals,
    build,
    clock = { now: () => new Date() },
  } = options;
  const limits = options.registrationLimits ?? REGISTRATION_LIMITS;
  const issuer = embeddedIssuerUrl(base, realm);
  const mount = issuer.slice(base.length);
  const prefix = `oidc:${realm}:`;
  const frame: PageFrame = { build, banners: { development: true, scriptedApprovals } };
  const resources = audiences(base, servers);
  const cookieKeys = [derive(keys, 'cookie'), derivePrevious(keys, 'cookie')].flatMap((key) => (key ? [key.toString('base64url')] : []));
  const onReplay = (grantId: string) => revocations.revokeSession(realm, grantId);
  const adapter = createProviderAdapter({ kv, store, realm, prefix, onReplay, clock });
  const registered = createRegistrations({ realm, clients: store.clients, kv, prefix, limits, clock });

  const provider = new Provider(
    issuer,
    configuration({ realm, mount, base, key: keys.realms[realm], cookieKeys, accounts, adapter, resources, frame }),
  );

  // Access tokens are not stored. Listing their sign-in as revoked ends them.
  const endings = new Set<Promise<void>>();
  provider.on('grant.revoked', (_ctx, grantId) => {
    const ending = onReplay(grantId).finally(() => endings.delete(ending));
    endings.add(ending);
    ending.catch((error: unknown) => log?.error({ error: String(error) }, 'A sign-in could not be listed as revoked.'));
  });
  provider.on('server_error', (_ctx, error) => log?.error({ error: error.message }, 'The built-in identity provider failed.'));

  const revokeAccessToken = createAccessTokenRevoker({ realm, issuer, key: keys.realms[realm], revocations });
  provider.use(async (ctx, next) => {
    const registering = ctx.path === '/reg' && ctx.method === 'POST';
    const clientId = randomUUID();
    if (registering) {
      const tooFast = await registered.tooFast(ctx.req.socket.remoteAddress ?? '');
      if (tooFast || !(await registered.reserve(clientId))) {
        ctx.status = 429;
        ctx.set('retry-after', tooFast ? '60' : '3600');
        ctx.body = { error: 'temporarily_unavailable', error_description: 'too many clients were registered recently' };
        return;
      }
      ctx.state['clientId'] = clientId;
    }
    await next();
    // The provider authenticates the client but cannot revoke JWTs, so this code does it.
    if (ctx.path === REVOCATION_PATH && (ctx.body as { error?: string } | undefined)?.error === 'unsupported_token_type') {
      const { client, params } = ctx.oidc as Pick<KoaContextWithOIDC['oidc'], 'client' | 'params'>;
      const foreign = (await revokeAccessToken(String(params?.['token']), client?.clientId ?? '')) === 'of another client';
      ctx.status = foreign ? 400 : 200;
      ctx.body = foreign ? { error: 'unauthorized_client', error_description: NOT_YOURS } : '';
      // The empty body must have no content type.
      if (!foreign) ctx.remove('content-type');
    }
    if (registering && ctx.status !== 201) await registered.release(clientId);
    // The client's answer must wait until the revocations are stored.
    await Promise.allSettled(endings);
    if (WELL_KNOWN.test(ctx.path)) {
      Object.assign(ctx.body as object, { response_modes_supported: ['query'], revocation_endpoint_auth_methods_supported: ['none'] });
    } else if (ctx.path !== '/jwks') {
      for (const name of ['access-control-allow-origin', 'access-control-expose-headers']) ctx.remove(name);
    }
  });
  const callback = provider.callback();

  const onAllowed = async (clientId: string) => {
    if (!isOurs(clientId)) await registered.markUsed(clientId);
  };
  const csrfKey = derive(keys, 'csrf');
  const interact = createInteractions({ provider, realm, base, mount, csrfKey, accounts, audienceOf: resources.of, onAllowed, frame });

  return {
    realm,
    mount,
    async revoke(grantId: string): Promise<void> {
      await provider.RefreshToken.revokeByGrantId(grantId);
      await onReplay(grantId);
    },
    async serve(req: IncomingMessage, res: ServerResponse, path: string, search: string): Promise<void> {
      const uid = /^\/interaction\/([\w-]{1,64})$/.exec(path)?.[1];
      if (uid !== undefined) return interact(req, res, uid);
      const query = new URLSearchParams(search);
      if (path === '/auth') {
        if ((query.get('response_mode') ?? 'query') !== 'query') {
          res.writeHead(400, pageHeaders).end(errorPage('unsupported_response_mode', 'response_mode must be query', frame));
          return;
        }
        // MCP clients often request no scope, and get the usual ones.
        if (!query.get('scope')) query.set('scope', SCOPES.slice(0, 3).join(' '));
      }
      const takesType = path === '/reg' ? isJsonType : isFormType;
      if (req.method === 'POST' && !takesType(req.headers['content-type'])) {
        const error = { error: 'invalid_request', error_description: 'the body must be of the documented media type' };
        res
          .writeHead(415, { 'content-type': 'application/json', 'cache-control': 'no-store', connection: 'close' })
          .end(JSON.stringify(error));
        return;
      }
      res.setHeader('content-security-policy', contentSecurityPolicy());
      const rest = path === '/auth' ? `?${query}` : search;
      Object.assign(req, { originalUrl: `${mount}${path}${rest}`, url: `${path}${rest}` });
      await callback(req, res);
    },
  };
}

function splitQuery(url: string): [path: string, query: string | undefined] {
  const at = url.indexOf('?');
  return at === -1 ? [url, undefined] : [url.slice(0, at), url.slice(at + 1)];
}

function refuse(res: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify(failure('FORBIDDEN_ORIGIN', message).answer());
  res.writeHead(status, { ...securityHeaders, 'content-type': 'application/json; charset=utf-8' }).end(body);
}
