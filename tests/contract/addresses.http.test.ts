/** Host and Origin checks on every port, and the OAuth metadata that each server publishes. */
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer, SERVERS } from '../test-server.ts';
import { asCluster } from '../stores.ts';

let testServer: TestServer;
beforeAll(async () => {
  testServer = await openTestServer();
}, 120_000);
afterAll(() => testServer?.close());

/** Sends these header lines exactly as given, without a body. */
function raw(port: number, lines: string[]): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () =>
      socket.write(`${[...lines, 'Connection: close', 'Content-Length: 0'].join('\r\n')}\r\n\r\n`),
    );
    let got = '';
    socket.on('data', (data) => {
      got += String(data);
    });
    socket
      .on('error', reject)
      .on('close', () => resolve({ status: Number(got.slice(9, 12)), body: got.slice(got.indexOf('\r\n\r\n') + 4) }));
  });
}

describe.each(SERVERS)('Host and Origin on %s', (server) => {
  const port = () => Number(testServer.tamshai.ports[server]);
  const paths = [
    'GET /health',
    'GET /ready',
    'POST /mcp',
    'GET /',
    'POST /api/tools/tasks/list_tasks',
    'POST /tools/list_tasks',
    'POST /execute',
    'GET /.well-known/oauth-protected-resource',
  ];
  const fill = (text: string) => text.replace('PORT', String(port()));

  it.each([
    'evil.example',
    'evil.example:PORT',
    'localhost',
    'localhost:1',
    'localhost.evil.example:PORT',
    '127.0.0.1.evil.example:PORT',
    'localhost.:PORT',
    '0.0.0.0:PORT',
    'user@localhost:PORT',
    '',
  ])('Host "%s" is 403 on every path', async (host) => {
    for (const path of paths) {
      const { status, body } = await raw(port(), [`${path} HTTP/1.1`, `Host: ${fill(host)}`]);
      expect([path, status, (JSON.parse(body) as { code: string }).code]).toEqual([path, 403, 'FORBIDDEN_ORIGIN']);
    }
  });
  it.each([
    'http://evil.example',
    'null',
    'http://localhost:9999',
    'https://localhost:PORT',
    'http://localhost',
    'http://localhost:PORT.evil.example',
    'file://',
  ])('Origin "%s" is 403 on every path except the public metadata', async (origin) => {
    for (const path of paths.filter((each) => !each.includes('well-known'))) {
      const { status } = await raw(port(), [`${path} HTTP/1.1`, fill('Host: localhost:PORT'), `Origin: ${fill(origin)}`]);
      expect([path, status]).toEqual([path, 403]);
    }
  });
  it.each(['localhost:PORT', '127.0.0.1:PORT', '[::1]:PORT', 'LOCALHOST:PORT'])('the Host %s is accepted', async (host) => {
    // A server behind the load balancer listens on another port and accepts only the one host name that it is configured with.
    const known = asCluster && ['gateway', 'hr'].includes(server) && !/^localhost/i.test(host) ? 403 : 200;
    for (const more of [[], [`Origin: http://${fill(host).toLowerCase()}`]])
      expect((await raw(port(), ['GET /health HTTP/1.1', `Host: ${fill(host)}`, ...more])).status).toBe(known);
  });
  it.each(['http://evil.example/health', 'http://localhost:PORT/health'])('the target "%s" is 403', async (target) => {
    const { status, body } = await raw(port(), [`GET ${fill(target)} HTTP/1.1`, fill('Host: localhost:PORT')]);
    expect([status, (JSON.parse(body) as { code: string }).code]).toEqual([403, 'FORBIDDEN_ORIGIN']);
  });
  it('a request with two Host headers, or none, is refused', async () => {
    for (const lines of [[fill('Host: localhost:PORT'), 'Host: evil.example'], []]) {
      expect([400, 403]).toContain((await raw(port(), ['GET /health HTTP/1.1', ...lines])).status);
    }
  });
});

describe.each(SERVERS)('the metadata of %s', (server) => {
  it('names its own address and the token issuer, at both metadata paths', async () => {
    for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']) {
      const { status, body, headers } = await testServer.send<Record<string, unknown>>('GET', path, {
        server,
        headers: { origin: 'https://elsewhere.example' },
      });
      expect(status).toBe(200);
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(body).toMatchObject({ resource: `${testServer.address(server)}/mcp`, bearer_methods_supported: ['header'] });
      expect(body['authorization_servers']).toEqual([`${testServer.tamshai.base}/oidc/staff`, `${testServer.tamshai.base}/oidc/customers`]);
    }
  });
  it('names the resources that the issuer grants tokens for', async () => {
    const redirect = 'http://localhost:33418/callback';
    const { body: client } = await testServer.send<{ client_id: string }>('POST', '/oidc/staff/reg', {
      body: { client_name: 'Some editor', redirect_uris: [redirect], token_endpoint_auth_method: 'none' },
    });
    const asked = async (resource: string) => {
      const query = new URLSearchParams({
        client_id: client.client_id,
        redirect_uri: redirect,
        response_type: 'code',
        scope: 'openid',
        resource,
        state: 's',
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        code_challenge_method: 'S256',
      });
      const { headers } = await testServer.send('GET', `/oidc/staff/auth?${query}`);
      return new URL(String(headers.location), testServer.tamshai.base);
    };
    expect((await asked(`${testServer.address(server)}/mcp`)).searchParams.get('error')).toBeNull();
    expect((await asked('http://localhost:1/mcp')).searchParams.get('error')).toBe('invalid_target');
  });
  it('names no approval scope, and neither does the issuer', async () => {
    const documents = await Promise.all([
      testServer.send('GET', '/.well-known/oauth-protected-resource', { server }),
      ...['staff', 'customers'].map((realm) => testServer.send('GET', `/oidc/${realm}/.well-known/openid-configuration`)),
    ]);
    for (const { status, text } of documents) {
      expect(status).toBe(200);
      expect(text).not.toMatch(/approv/i);
    }
  });
});
