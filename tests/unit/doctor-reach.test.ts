/** Network checks of `tamshai doctor`: issuer, remote servers, trace collector, Redis and the operations port. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { portsCheck, redisCheck } from '../../src/cli/commands/doctor-checks.ts';
import { issuerChecks, serverChecks, tracingCheck } from '../../src/cli/commands/doctor-reach.ts';
import { readConfig } from '../registry.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const each of closing.splice(0)) each();
});

async function serve(answer: (req: IncomingMessage, res: ServerResponse, base: string) => void): Promise<string> {
  const server = createServer((req, res) => answer(req, res, base)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const base = `http://localhost:${(server.address() as AddressInfo).port}`;
  return base;
}
const json = (res: ServerResponse, body: unknown, headers: Record<string, string> = {}, status = 200) =>
  void res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

/** Serves an issuer, optionally with a wrong clock, wrong keys or another client secret. */
const issuer = ({ aheadMs = 0, keys = [{ use: 'sig', kty: 'EC' }] as object[], secret = 'right' } = {}) =>
  serve((req, res, base) => {
    const date = { date: new Date(Date.now() + aheadMs).toUTCString() };
    if (req.url === '/.well-known/openid-configuration')
      return json(res, { issuer: base, jwks_uri: `${base}/keys`, introspection_endpoint: `${base}/ask` }, date);
    if (req.url === '/keys') return json(res, { keys }, date);
    const right = req.headers.authorization === `Basic ${Buffer.from(`tamshai:${secret}`).toString('base64')}`;
    return json(res, right ? { active: false } : { error: 'invalid_client' }, date, right ? 200 : 401);
  });
const about = (base: string, secret?: string) =>
  issuerChecks(readConfig({ OIDC_ISSUER: base, OIDC_CLIENT_ID: 'tamshai', ...(secret !== undefined && { OIDC_CLIENT_SECRET: secret }) }));
const states = (checks: readonly { state: string; message: string }[]) =>
  checks.map(({ state, message }) => `${state}: ${message.replace(/localhost:\d+/g, 'there')}`);

test('the checks of a correct issuer pass', async () => {
  expect(states(await about(await issuer(), 'right'))).toEqual([
    'ok: OIDC_ISSUER at there has a valid discovery document',
    'ok: OIDC_ISSUER at there accepts the client tamshai and its secret',
  ]);
});

test.each([
  [{ aheadMs: 60_000 }, 'right', /^fail: The clock of OIDC_ISSUER at there is .+ ahead of this machine's; its tokens would be refused$/],
  [{ aheadMs: -60_000 }, 'right', /^fail: The clock of OIDC_ISSUER at there is .+ behind this machine's/],
  [{ keys: [{ use: 'enc' }] }, 'right', /^fail: OIDC_ISSUER at there has no signing key$/],
  [{}, 'wrong', /^fail: OIDC_ISSUER at there does not let the client tamshai introspect tokens$/],
  [{}, undefined, /^warn: OIDC_ISSUER at there is not asked whether a token was revoked$/],
])('an issuer with %j, asked with the %s secret, is reported with a fix', async (how, secret, message) => {
  const checks = await about(await issuer(how), secret);
  const bad = checks.filter(({ state }) => state !== 'ok');
  expect(states(bad)).toEqual([expect.stringMatching(message)]);
  expect(bad[0]?.fix).toMatch(/\w/);
  expect(JSON.stringify(checks)).not.toContain(secret ?? 'no secret');
});

test('the check of an unreachable issuer fails', async () => {
  const base = await issuer();
  for (const each of closing.splice(0)) each();
  expect(states(await about(base, 'right'))).toEqual(['fail: OIDC_ISSUER at there does not return its discovery document']);
});

test('remote servers are reported as ready, not ready or unreachable', async () => {
  const ready = await serve((_req, res) => json(res, {}));
  const busy = await serve((_req, res) => json(res, {}, {}, 503));
  const checks = await serverChecks(readConfig({ HR_URL: ready, TAX_URL: busy, TASKS_URL: 'http://localhost:1' }));
  expect(states(checks)).toEqual([
    'ok: hr at there is ready',
    'warn: tax at there is not ready (503)',
    'warn: tasks at there does not answer; its tools would be missing',
  ]);
  expect(checks[2]?.fix).toBe('start it, or correct TASKS_URL');
});

test('the trace collector is reported as accepting, refusing or unreachable, and is not checked if none is configured', async () => {
  const seen: string[] = [];
  const sink = await serve((req, res) => {
    seen.push(`${req.method} ${req.url} ${req.headers['x-key']}`);
    json(res, {}, {}, req.headers['x-key'] === 'right' ? 200 : 401);
  });
  const look = (endpoint: string, key: string) =>
    tracingCheck(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: `x-key=${key}` }));
  expect(states(await look(sink, 'right'))).toEqual(['ok: Traces to there/v1/traces are accepted']);
  expect(await look(sink, 'canary-key')).toEqual([
    { state: 'warn', message: expect.stringContaining('are refused (401)') as string, fix: 'correct OTEL_EXPORTER_OTLP_HEADERS' },
  ]);
  expect(states(await look('http://localhost:1', 'right'))).toEqual([
    'warn: Traces to there/v1/traces are lost: the collector does not answer',
  ]);
  expect(await tracingCheck(readConfig({}))).toEqual([]);
  expect(seen).toEqual(['POST /v1/traces right', 'POST /v1/traces canary-key']);
});

test('a taken operations port is reported', async () => {
  const taken = Number(new URL(await serve((_req, res) => json(res, {}))).port);
  const names = ['GATEWAY', 'HR', 'FINANCE', 'SALES', 'SUPPORT', 'JOURNEY', 'PAYROLL', 'TAX', 'TASKS', 'KNOWLEDGE'];
  const none = Object.fromEntries(names.map((name) => [`${name}_PORT`, '0']));
  expect(await portsCheck(readConfig({ ...none, OPS_PORT: String(taken) }), false)).toEqual([
    { state: 'fail', message: `Port ${taken} (ops) is taken by another program`, fix: 'stop it, or set OPS_PORT' },
  ]);
});

test('the check of an unreachable Redis fails, without the password in the message', async () => {
  const checks = await redisCheck(readConfig({ REDIS_URL: 'redis://:canary-secret@localhost:1' }));
  expect(checks).toMatchObject([{ state: 'fail', fix: expect.stringContaining('REDIS_URL') as string }]);
  expect(JSON.stringify(checks)).not.toContain('canary-secret');
});
