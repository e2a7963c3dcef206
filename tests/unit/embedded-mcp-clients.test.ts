/** OAuth sign-in of both MCP SDK generations with the built-in identity provider: discovery, registration and token exchange. */
import * as modern from '@modelcontextprotocol/client';
import * as legacy from '@modelcontextprotocol/sdk/client/auth.js';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { authUrl, Browser, field, type TestRuntime, testRuntime } from './embedded-support.ts';
import { persona } from '../../domains/sample-company/people.ts';

let w: TestRuntime;
beforeAll(async () => {
  w = await testRuntime();
});
afterAll(() => w.close());

const redirectUrl = 'http://localhost:43210/oauth/callback';
const clientMetadata = {
  client_name: 'An assistant',
  redirect_uris: [redirectUrl],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
};

/** Walks through the sign-in and the consent page, and returns the code. */
async function allow(start: URL): Promise<{ authorizationCode: string; iss: string }> {
  const browser = new Browser();
  let at = await browser.follow(await browser.go(start.href), w.base);
  at = await browser.follow(
    await browser.go(at.url, { form: { csrf: field(at.body, 'csrf'), person: persona('nina.patel').sub } }),
    w.base,
  );
  at = await browser.follow(await browser.go(at.url, { form: { csrf: field(at.body, 'csrf'), answer: 'yes' } }), w.base);
  const { searchParams } = new URL(at.url);
  return { authorizationCode: searchParams.get('code') ?? '', iss: searchParams.get('iss') ?? '' };
}

describe.each([
  ['the current MCP SDK', modern],
  ['the previous MCP SDK', legacy],
] as const)('%s', (_name, sdk) => {
  test.each([true, false])(
    'signs in and refreshes its token, knowing only the address of the issuer (with a resource parameter: %s)',
    async (namesIt) => {
      const issuer = `${w.base}/oidc/staff`;
      const metadata = await sdk.discoverAuthorizationServerMetadata(issuer);
      if (!metadata) throw new Error('no metadata');
      expect(metadata.issuer).toBe(issuer);
      const clientInformation = await sdk.registerClient(issuer, { metadata, clientMetadata });
      const resource = namesIt ? { resource: new URL(`${w.base}/mcp`) } : {};
      const { authorizationUrl, codeVerifier } = await sdk.startAuthorization(issuer, {
        metadata,
        clientInformation,
        redirectUrl,
        ...resource,
      });
      expect(authorizationUrl.href.startsWith(authUrl(w.base, '').split('?')[0] ?? '')).toBe(true);
      const answer = await allow(authorizationUrl);
      const tokens = await sdk.exchangeAuthorization(issuer, {
        metadata,
        clientInformation,
        ...answer,
        codeVerifier,
        redirectUri: redirectUrl,
        ...resource,
      });
      expect(decodeJwt(tokens.access_token)).toMatchObject({
        aud: `${w.base}/mcp`,
        preferred_username: 'nina.patel',
        client_name: 'An assistant',
      });
      const renewed = await sdk.refreshAuthorization(issuer, {
        metadata,
        clientInformation,
        refreshToken: tokens.refresh_token ?? '',
        ...resource,
      });
      expect(decodeJwt(renewed.access_token)['aud']).toBe(`${w.base}/mcp`);
      expect(renewed.refresh_token).not.toBe(tokens.refresh_token);
    },
  );
});
