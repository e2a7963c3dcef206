/** The configuration of the embedded OpenID provider for one realm: clients, tokens, lifetimes and consent. */
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import type { Realm } from '../../declare/people.ts';
import type { Accounts, PresentAccount } from '../accounts.ts';
import type { SigningKey } from '../keys.ts';
import type { PageFrame } from '../web/layout.ts';
import { contentSecurityPolicy } from '../web/headers.ts';
import { isOurs, needsConsent, ownClients, settleRegistration, WEB_CLIENT } from './clients.ts';
import { errors, interactionPolicy } from './library.ts';
import { errorPage } from './pages.ts';
import type { audiences } from './resources.ts';

export const SCOPES = ['openid', 'profile', 'email', 'offline_access'] as const;
export const NOT_YOURS = 'the token was not issued to this client';
export const ACCESS_TOKEN_SECONDS = 300;
const HOUR = 3600;
/** A sign-in lasts a working day in the browser, and two weeks in a program that the person allowed. */
const SIGN_IN_SECONDS = { web: 8 * HOUR, program: 14 * 24 * HOUR };
const signInSeconds = (clientId: string | undefined) => (clientId === WEB_CLIENT ? SIGN_IN_SECONDS.web : SIGN_IN_SECONDS.program);

export interface RealmOptions {
  readonly realm: Realm;
  /** The path of this realm: `/oidc/staff`. */
  readonly mount: string;
  readonly base: string;
  readonly key: SigningKey;
  readonly cookieKeys: readonly string[];
  readonly accounts: Pick<Accounts, 'present'>;
  readonly adapter: NonNullable<Configuration['adapter']>;
  readonly resources: ReturnType<typeof audiences>;
  readonly frame: PageFrame;
}

export function configuration({ realm, mount, base, key, cookieKeys, accounts, adapter, resources, frame }: RealmOptions): Configuration {
  const cookie = { httpOnly: true, sameSite: 'lax', signed: true } as const;
  const name = (what: string) => `tamshai-${realm}-${what}`;

  return {
    adapter,
    clients: ownClients(base),
    jwks: { keys: [{ ...key.jwk }] },
    cookies: {
      keys: [...cookieKeys],
      names: { session: name('session'), interaction: name('interaction'), resume: name('resume') },
      // Two realms share one host; the path separates their cookies.
      long: { ...cookie, path: mount },
      short: cookie,
    },
    scopes: [...SCOPES],
    claims: { openid: ['sub'], profile: ['name', 'preferred_username'], email: ['email'] },
    responseTypes: ['code'],
    pkce: { required: () => true },
    clientAuthMethods: ['none'],
    clientDefaults: {
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      id_token_signed_response_alg: 'ES256',
    },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    // The provider calls this validator at every registration, before its own checks.
    extraClientMetadata: {
      properties: ['tamshai_registered'],
      validator: (ctx, _property, _value, metadata) => {
        if (ctx?.oidc.route === 'registration') settleRegistration(metadata);
      },
    },
    features: {
      devInteractions: { enabled: false },
      clientIdMetadataDocument: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      revocation: {
        enabled: true,
        // RFC 7009, section 2.1: a client cannot revoke the token of another client.
        allowedPolicy: async (_ctx, client, token) => {
          if (token.clientId !== client.clientId) throw new errors.UnauthorizedClient(NOT_YOURS);
          return true;
        },
      },
      registration: { enabled: true, initialAccessToken: false, issueRegistrationAccessToken: false, idFactory: clientIdOf },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_ctx, client, oneOf) => oneOf ?? resources.fallback(client.clientId),
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, resource, client) => {
          const audience = resources.of(resource, client.clientId);
          if (audience === undefined) throw new errors.InvalidTarget('this client cannot have a token for that resource');
          return {
            audience,
            scope: SCOPES.join(' '),
            accessTokenFormat: 'jwt',
            accessTokenTTL: ACCESS_TOKEN_SECONDS,
            jwt: { sign: { alg: 'ES256', kid: key.kid } },
          };
        },
      },
    },
    ttl: {
      AccessToken: ACCESS_TOKEN_SECONDS,
      IdToken: ACCESS_TOKEN_SECONDS,
      AuthorizationCode: 60,
      Interaction: 600,
      Session: 600,
      Grant: (_ctx, grant) => signInSeconds(grant.clientId),
      RefreshToken: (_ctx, token) => signInSeconds(token.clientId),
    },
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    expiresWithSession: async () => false,
    revokeGrantPolicy: () => true,
    // Pages of other origins may not call these endpoints. Metadata and keys are public.
    clientBasedCORS: () => false,
    fetch: () => Promise.reject(new Error('The built-in provider fetches nothing.')),
    interactions: { policy: policy(), url: (_ctx, interaction) => `${mount}/interaction/${interaction.uid}` },
    loadExistingGrant,
    async findAccount(_ctx, sub, token) {
      const account = await accounts.present(realm, sub);
      // "Sign out everywhere" also ends earlier refresh tokens.
      if (!account || (token !== undefined && !(firstIssued(token) > account.notBefore))) return undefined;
      return { accountId: sub, claims: async () => ({ sub, ...describe(account) }) };
    },
    async extraTokenClaims(_ctx, token) {
      const accountId = 'accountId' in token ? token.accountId : undefined;
      const account = accountId === undefined ? undefined : await accounts.present(realm, accountId);
      if (!account) throw new errors.InvalidGrant('there is no such account');
      const { employeeId, organizationId } = account.persona;
      const clientName = token.client?.clientName;
      return {
        ...describe(account),
        roles: [...account.roles],
        ...(employeeId !== undefined && { employee_id: employeeId }),
        ...(organizationId !== undefined && { organization_id: organizationId }),
        // The grant is the sign-in, so its id revokes all its tokens.
        ...('grantId' in token && typeof token.grantId === 'string' && { sid: token.grantId }),
        ...(clientName !== undefined && !isOurs(token.clientId ?? '') && { client_name: clientName }),
      };
    },
    renderError(ctx, out) {
      ctx.type = 'html';
      ctx.set('content-security-policy', contentSecurityPolicy());
      ctx.body = errorPage(out.error, out.error_description, frame);
    },
  };
}

const describe = ({ persona: { username, name, email } }: PresentAccount) => ({ preferred_username: username, name, email });

/** The time of the sign-in. Rotated refresh tokens keep it in `iiat`. */
const firstIssued = (token: object): number => {
  const { iiat, iat } = token as { readonly iiat?: number; readonly iat?: number };
  return iiat ?? iat ?? 0;
};

/** The id that provider.ts created, because it counts new clients before oidc-provider runs. */
function clientIdOf(ctx: KoaContextWithOIDC): string {
  const { clientId } = ctx.state as { readonly clientId?: string };
  if (clientId === undefined) throw new errors.RegistrationNotSupported();
  return clientId;
}

/** Every sign-in asks for the person and, except for our web client, for consent. A stored session never signs in alone. */
function policy() {
  const { Check, base } = interactionPolicy;
  const prompts = base();
  prompts
    .get('login')
    ?.checks.add(
      new Check('asked_each_time', 'a person has to be chosen', 'login_required', ({ oidc }) => oidc.result?.login === undefined),
    );
  const consent = prompts.get('consent');
  consent?.checks.remove('native_client_prompt');
  consent?.checks.add(
    new Check(
      'asked_each_time',
      'a person has to allow this program',
      'consent_required',
      ({ oidc }) => needsConsent(oidc.client?.clientId ?? '') && oidc.result?.consent === undefined,
    ),
  );
  return prompts;
}

/** Returns the grant of this consent, or creates one for our web client. Never reuses the grant of an earlier sign-in. */
async function loadExistingGrant({ oidc }: KoaContextWithOIDC) {
  const { client, account, result } = oidc;
  const { Grant } = oidc.provider;
  const grantId = result?.consent?.grantId;
  if (grantId !== undefined) return Grant.find(grantId);
  if (!client || !account || !result?.login || needsConsent(client.clientId)) return undefined;
  const grant = new Grant({ clientId: client.clientId, accountId: account.accountId });
  grantAll(grant, [...oidc.requestParamScopes], Object.keys(oidc.resourceServers ?? {}));
  await grant.save();
  return grant;
}

/** Grants all known scopes of the request. No scope allows anything by itself, so people need not choose. */
export function grantAll(
  grant: { addOIDCScope(scope: string): void; addResourceScope(resource: string, scope: string): void },
  scopes: readonly string[],
  resources: readonly string[],
): void {
  const known = SCOPES.filter((scope) => scopes.includes(scope)).join(' ');
  if (known === '') return;
  grant.addOIDCScope(known);
  for (const resource of resources) grant.addResourceScope(resource, known);
}
