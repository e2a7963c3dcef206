/** A known path with an unsupported method answers 405 and lists the supported ones. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { request } from 'undici';
import { createRestApp } from '../../src/transports/rest.ts';

const { app, handle } = createRestApp({ info() {}, warn() {}, error() {} }, []);
const server = createServer(handle);
beforeAll(async () => {
  app.post('/things/:kind/:name', () => ({ status: 'success' }));
  app.get('/things/a.b', () => ({ status: 'success' }));
  app.get('/files/*', () => ({ status: 'success' }));
  await app.ready();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => server.close());

const look = async (method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'OPTIONS' | 'QUERY', path: string) => {
  const { statusCode, headers, body } = await request(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, {
    method: method as 'GET',
  });
  return [statusCode, headers['allow'], ((await body.json()) as { code?: string }).code];
};

test.each([
  ['GET', '/things/red/one', 405, 'POST', 'METHOD_NOT_ALLOWED'],
  ['OPTIONS', '/things/red/one?x=1', 405, 'POST', 'METHOD_NOT_ALLOWED'],
  ['DELETE', '/things/%41/one', 405, 'POST', 'METHOD_NOT_ALLOWED'],
  ['PUT', '/things/a.b', 405, 'GET, HEAD', 'METHOD_NOT_ALLOWED'],
  ['QUERY', '/things/a.b', 405, 'GET, HEAD', 'METHOD_NOT_ALLOWED'],
  ['QUERY', '/things/aXb', 404, undefined, 'NOT_FOUND'],
  ['PUT', '/things/aXb', 404, undefined, 'NOT_FOUND'],
  ['GET', '/things/red', 404, undefined, 'NOT_FOUND'],
  ['GET', '/things/red/one/more', 404, undefined, 'NOT_FOUND'],
  ['PUT', '/files/one', 404, undefined, 'NOT_FOUND'],
  ['POST', '/things/red/one', 200, undefined, undefined],
] as const)('%s %s is answered with %i', async (method, path, status, allow, code) => {
  const [gotStatus, gotAllow, gotCode] = await look(method, path);
  expect([gotStatus, gotCode, typeof gotAllow === 'string' ? new Set(gotAllow.split(', ')) : undefined]).toEqual([
    status,
    code,
    allow === undefined ? undefined : new Set(allow.split(', ')),
  ]);
});
