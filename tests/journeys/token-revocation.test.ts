/** Token revocation (RFC 7009): no gateway or server accepts a revoked token, and its open streams end. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';
import { ask, register, renew, signIn } from '../unit/embedded-support.ts';

let testServer: TestServer;
beforeAll(async () => {
  testServer = await openTestServer();
});
afterAll(() => testServer.close());

/** A little longer than the verifier caches a verified token. */
const CACHED_SECONDS = 11;
const base = () => testServer.tamshai.base;
const revoke = (token: string, more: Record<string, string> = {}, realm = 'staff') =>
  ask(`${base()}/oidc/${realm}/token/revocation`, { form: { token, client_id: 'tamshai-cli', ...more } });
const listTools = async (token: string, server?: string) => (await testServer.rpc(token, 'tools/list', {}, { server })).status;
/** Sends twelve requests, so that a load balancer forwards some to every gateway. */
const everywhere = async (token: string, server?: string) =>
  new Set(await Promise.all(Array.from({ length: 12 }, () => listTools(token, server))));

describe('an access token', () => {
  test.each([
    ['the gateway', undefined],
    ['a domain server', 'tasks'],
  ])('that was revoked is refused at %s after its cache entry has expired, and other tokens of the person are valid', async (_, server) => {
    const token = await testServer.token('nina.patel', { mcp: true, ...(server && { server }) });
    const other = await testServer.token('nina.patel', { mcp: true, ...(server && { server }) });
    expect(await everywhere(token, server)).toEqual(new Set([200]));
    expect(await revoke(token)).toMatchObject({ status: 200, body: '' });
    testServer.clock.pass(CACHED_SECONDS);
    expect(await everywhere(token, server)).toEqual(new Set([401]));
    expect(await everywhere(other, server), 'another token of the same person').toEqual(new Set([200]));
    expect((await revoke(token)).status, 'once more').toBe(200);
  });

  test('that was revoked is refused by the REST API too', async () => {
    const token = await testServer.token('nina.patel');
    const call = () => testServer.send('POST', '/api/tools/tasks/list_tasks', { token, body: {} });
    expect((await call()).status).toBe(200);
    expect((await revoke(token)).status).toBe(200);
    testServer.clock.pass(CACHED_SECONDS);
    expect((await call()).status).toBe(401);
  });

  test('can be revoked with any hint, but only at the realm that issued it', async () => {
    for (const hint of ['access_token', 'refresh_token', 'something_else']) {
      const token = await testServer.token('tom.becker', { mcp: true });
      expect((await revoke(token, { token_type_hint: hint })).status).toBe(200);
      expect(await listTools(token)).toBe(401);
    }
    const customer = await testServer.token('jane.smith@acme.example', { mcp: true });
    expect((await revoke(customer)).status, 'not the realm that issued it').toBe(200);
    expect(await listTools(customer)).toBe(200);
    testServer.clock.pass(CACHED_SECONDS);
    expect((await revoke(customer, {}, 'customers')).status).toBe(200);
    expect(await listTools(customer)).toBe(401);
  });

  test('cannot be revoked by another client, which gets unauthorized_client', async () => {
    const token = await testServer.token('nina.patel', { mcp: true });
    const { json: other } = await register(base(), { client_name: 'Other', redirect_uris: ['http://127.0.0.1:50123/callback'] });
    const answer = await revoke(token, { client_id: String(other['client_id']) });
    expect(answer).toMatchObject({ status: 400, json: { error: 'unauthorized_client' } });
    expect(await listTools(token)).toBe(200);
  });

  test('cannot be revoked by an unknown client or without a client id', async () => {
    const token = await testServer.token('nina.patel', { mcp: true });
    expect(await revoke(token, { client_id: 'nobody' })).toMatchObject({ status: 401, json: { error: 'invalid_client' } });
    const unnamed = await ask(`${base()}/oidc/staff/token/revocation`, { form: { token } });
    expect([400, 401]).toContain(unnamed.status);
    expect(await listTools(token)).toBe(200);
  });

  test.each([
    ['unknown', () => 'never-issued'],
    ['forged', (token: string) => `${token.slice(0, -6)}AAAAAA`],
    ['without a signature', (token: string) => `${token.split('.').slice(0, 2).join('.')}.`],
    ['not a token of ours', () => 'eyJhbGciOiJub25lIn0.e30.'],
  ])('that is %s is answered with 200, and no other token is revoked', async (_, change) => {
    const token = await testServer.token('nina.patel', { mcp: true });
    expect((await revoke(change(token))).status).toBe(200);
    testServer.clock.pass(CACHED_SECONDS);
    expect(await listTools(token)).toBe(200);
  });

  test('must be in the request: a missing one is invalid_request', async () => {
    expect(await ask(`${base()}/oidc/staff/token/revocation`, { form: { client_id: 'tamshai-cli' } })).toMatchObject({
      status: 400,
      json: { error: 'invalid_request' },
    });
  });
});

test('revoking a refresh token revokes its access tokens too', async () => {
  const { access, refresh } = await signIn(base(), { params: { resource: `${base()}/mcp` } });
  expect(await listTools(access)).toBe(200);
  expect((await revoke(refresh, { token_type_hint: 'access_token' })).status).toBe(200);
  testServer.clock.pass(CACHED_SECONDS);
  expect(await everywhere(access)).toEqual(new Set([401]));
  expect((await renew(base(), refresh)).json['error']).toBe('invalid_grant');
});

test('after an access token was revoked, the refresh token still gets a new one', async () => {
  const { access, refresh } = await signIn(base(), { params: { resource: `${base()}/mcp` } });
  expect((await revoke(access)).status).toBe(200);
  expect(await everywhere(access)).toEqual(new Set([401]));
  const { status, json } = await renew(base(), refresh);
  expect(status).toBe(200);
  expect(await listTools(String(json['access_token']))).toBe(200);
});

test('an open stream ends when its token is revoked', async () => {
  const token = await testServer.token('nina.patel', { mcp: true });
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'stream', version: '1' } },
  };
  const headers = { accept: 'application/json, text/event-stream' };
  const opened = await testServer.send('POST', '/mcp', { token, body: initialize, headers });
  const session = String(opened.headers['mcp-session-id']);
  const stream = await fetch(`${testServer.address()}/mcp`, {
    headers: {
      accept: 'text/event-stream',
      authorization: `Bearer ${token}`,
      'mcp-session-id': session,
      'mcp-protocol-version': '2025-11-25',
    },
  });
  expect(stream.status).toBe(200);
  const ended = (async () => {
    for await (const _ of stream.body as unknown as AsyncIterable<Uint8Array>);
    return true;
  })().catch(() => true);
  expect((await revoke(token)).status).toBe(200);
  expect(await ended).toBe(true);
}, 60_000);

test('the metadata names the revocation endpoint', async () => {
  for (const realm of ['staff', 'customers']) {
    const { json } = await ask(`${base()}/.well-known/oauth-authorization-server/oidc/${realm}`);
    expect(json).toMatchObject({
      revocation_endpoint: `${base()}/oidc/${realm}/token/revocation`,
      revocation_endpoint_auth_methods_supported: ['none'],
    });
  }
});
