/** Regression tests for attacks on approvals. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRemoteBackend } from '../../src/gateway/backends.ts';
import { ANSWERS_HEADER, answersTo, createUpstreamClient } from '../../src/gateway/upstream-client.ts';
import type { Person } from '../../src/declare/people.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';

const SARAH = '0e000000-0000-4000-8000-000000000008';
let testServer: TestServer;
beforeAll(async () => {
  testServer = await openTestServer();
});
afterAll(() => testServer.close());

let salary = 130_000;
const raise = () => ({ employee_id: SARAH, new_salary: salary++ });

describe('an MCP client with the name of one of our own clients', () => {
  const call = async (clientInfo: object) => {
    const params = { name: 'hr_update_salary', arguments: raise() };
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { version: '1', ...clientInfo },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const raw = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta } });
    const { result } = await testServer.rpc(await testServer.token('alice.chen', { mcp: true }), 'tools/call', params, { raw });
    const answer = result?.structuredContent;
    return answer?.status === 'pending_confirmation' ? answer.confirmationData.origin : JSON.stringify(answer);
  };

  it.each(['web', 'command', 'WEB', 'ｗｅｂ', ' command ', 'Tamshai Web'])('is shown as "unnamed client": %j', async (name) => {
    expect(await call({ name })).toBe('unnamed client');
    expect(await call({ name: 'x', title: name })).toBe('unnamed client');
  });

  it('is the only one whose name is replaced: a client with another name is shown by its name', async () => {
    expect(await call({ name: 'Some Editor' })).toBe('Some Editor');
  });
});

describe('an execution grant that only asks for the result', () => {
  it('executes nothing when it is replayed, even with a changed body', async () => {
    const { confirmationId } = await testServer.ask('alice.chen', 'hr', 'update_salary', raise());
    const verified = await testServer.tamshai.modules.identity.verifier.verify(await testServer.token('alice.chen'), [
      `${testServer.tamshai.base}/api`,
    ]);
    const person: Person = verified.person;
    const ticket = await testServer.tamshai.modules.tools.runtime.tickets.find(confirmationId, person);

    // This server stands for an eavesdropper between the gateway and the server, such as a logging proxy.
    const heard: { authorization: string; body: string }[] = [];
    const listener = createServer(async (req, res) => {
      const chunks: Buffer[] = [];
      for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
      heard.push({ authorization: req.headers.authorization ?? '', body: Buffer.concat(chunks).toString() });
      res.writeHead(200, { 'content-type': 'application/json', [ANSWERS_HEADER]: answersTo(req.headers.authorization ?? '') });
      res.end('{"status":"error","code":"CONFIRMATION_NOT_FOUND","message":"","suggestedAction":"","retryable":false}');
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const { log, registry, clock, approvalUrl } = testServer.tamshai.modules.tools.runtime;
    const between = createRemoteBackend({
      server: 'hr',
      title: 'People',
      upstream: createUpstreamClient({
        server: 'hr',
        url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
        log,
        deadlineMs: 5_000,
      }),
      registry,
      key: testServer.keys.gateway.current,
      clock,
      log,
      approvalUrl,
    });
    expect(await between.findResult(ticket, person)).toBeUndefined();
    await between.close();
    await new Promise((resolve) => listener.close(resolve));

    const [{ authorization, body } = { authorization: '', body: '{}' }] = heard;
    const execute = (raw: string) => testServer.send('POST', '/execute', { server: 'hr', raw, headers: { authorization } });
    expect((await execute(body)).body).toMatchObject({ code: 'CONFIRMATION_NOT_FOUND' });
    for (const settle of [false, undefined]) expect((await execute(JSON.stringify({ ...JSON.parse(body), settle }))).status).toBe(401);
    const [paid] = await testServer.owner('select salary from hr.pay where employee_id = $1', [SARAH]);
    expect(Number(paid?.['salary'])).toBeLessThan(130_000);
  });
});

describe('a decision at a percent-encoded spelling of the address', () => {
  it.each(['/api/%63onfirm/', '/api/confirm%2f', '/%61pi/confirm/'])('is refused by the same rules: %s', async (path) => {
    const { confirmationId } = await testServer.ask('alice.chen', 'hr', 'update_salary', raise());
    const token = await testServer.token('alice.chen', { approve: true });
    const { status } = await testServer.send('POST', path + confirmationId, { token, raw: '{"approved":false,"approved":true}' });
    expect([400, 404]).toContain(status);
    const { body } = await testServer.send<{ data: { state: string } }>('GET', `/api/confirmations/${confirmationId}`, { token });
    expect(body.data.state).toBe('waiting');
  });
});
