/** The OpenID Connect client of the web app: sign-in by code flow with PKCE, token renewal and revocation. */
import * as oidc from 'openid-client';
import { failure } from '../../declare/errors.ts';

export interface WebIssuer {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** True for the embedded provider. Sign-in then opens its list of people directly. */
  readonly embedded: boolean;
}

export interface Tokens {
  readonly access: string;
  readonly refresh: string | undefined;
  /** Seconds since 1970. */
  readonly expiresAt: number;
  readonly issuedAt: number;
}

/** The issuer refused the sign-in or its renewal, so the person must sign in again. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused';
}

export interface Secrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface IssuerClient {
  begin(): Promise<{ url: URL; secrets: Secrets }>;
  finish(callback: URL, secrets: Secrets): Promise<Tokens>;
  renew(refresh: string): Promise<Tokens>;
  /** Does nothing if the issuer has no revocation endpoint. */
  revoke(token: string): Promise<void>;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
const DEADLINE_SECONDS = 5;

export function createIssuerClient({ issuer, clientId, clientSecret }: WebIssuer, callback: string, resource: string): IssuerClient {
  const url = new URL(issuer);
  const plain = url.protocol === 'http:' && LOOPBACK.has(url.hostname);
  const authentication = clientSecret === undefined ? oidc.None() : oidc.ClientSecretBasic(clientSecret);
  let known: Promise<oidc.Configuration> | undefined;

  const configuration = (): Promise<oidc.Configuration> => {
    known ??= oidc
      .discovery(url, clientId, undefined, authentication, {
        timeout: DEADLINE_SECONDS,
        ...(plain && { execute: [oidc.allowInsecureRequests] }),
      })
      .catch((cause: unknown) => {
        known = undefined;
        throw unreachable(cause);
      });
    return known;
  };

  const tokens = (answer: Awaited<ReturnType<typeof oidc.refreshTokenGrant>>): Tokens => {
    const now = Math.floor(Date.now() / 1000);
    return { access: answer.access_token, refresh: answer.refresh_token, issuedAt: now, expiresAt: now + (answer.expires_in ?? 60) };
  };

  return {
    async begin() {
      const config = await configuration();
      const secrets = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() };
      const to = oidc.buildAuthorizationUrl(config, {
        redirect_uri: callback,
        scope: 'openid profile email',
        resource,
        state: secrets.state,
        nonce: secrets.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(secrets.verifier),
        code_challenge_method: 'S256',
      });
      return { url: to, secrets };
    },
    finish: async (current, { state, nonce, verifier }) => {
      const config = await configuration();
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      return tokens(await classifyErrors(oidc.authorizationCodeGrant(config, current, checks, { resource })));
    },
    renew: async (refresh) => {
      const renewed = tokens(await classifyErrors(oidc.refreshTokenGrant(await configuration(), refresh, { resource })));
      // Issuers without rotation return no new refresh token.
      return { ...renewed, refresh: renewed.refresh ?? refresh };
    },
    async revoke(token) {
      const config = await configuration();
      if (config.serverMetadata().revocation_endpoint === undefined) return;
      await oidc.tokenRevocation(config, token, { token_type_hint: 'refresh_token' });
    },
  };
}

const unreachable = (cause: unknown) =>
  Object.assign(failure('SERVICE_UNAVAILABLE', 'The identity provider does not answer. Please try again in a moment.'), { cause });

/** Error codes for a wrong response of the issuer. Other codes mean that the response is missing or late. */
const WRONG = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
]);

/** Throws SignInRefused for a refusal, which ends the session. Throws SERVICE_UNAVAILABLE if the issuer does not answer. */
async function classifyErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const refused =
      error instanceof oidc.AuthorizationResponseError ||
      (error instanceof oidc.ResponseBodyError && error.status < 500 && error.status !== 429) ||
      (error instanceof oidc.ClientError && error.code !== undefined && WRONG.has(error.code));
    throw refused ? new SignInRefused('refused', { cause: error }) : unreachable(error);
  }
}
