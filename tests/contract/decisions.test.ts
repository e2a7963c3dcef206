/** The endpoint where a person decides: who may call it, with which credentials, and how it refuses everything else. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Ticket } from '../../src/engine/approvals/tickets.ts';
import { executionBody } from '../../src/gateway/backends.ts';
import { signGrant, signIdentity } from '../../src/identity/internal.ts';
import type { AnyDomain } from '../../src/declare/tool.ts';
import type { Clock } from '../../src/engine/ports.ts';
import { persona } from '../../domains/sample-company/people.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { DOMAINS, openTestServer } from '../test-server.ts';
import { codeOf } from '../../src/testing/tool-caller.ts';
import { ready, tools } from './calls.ts';
import { snapshot } from './restore.ts';
import { type Asked, askFor, effectsOf, fingerprint, varied, writes } from './writes.ts';

/** One write is enough here: approvals.test.ts checks every write. */
const tool = writes.find(([name]) => name === 'hr_update_salary')?.[1] ?? expect.fail('there is no write');
const server = tool.domain.name;

let testServer: TestServer;
let restore: (domain: AnyDomain) => Promise<void>;
let before: string;
beforeAll(async () => {
  testServer = await openTestServer();
  restore = await snapshot(testServer);
  before = await fingerprint(testServer, tool);
}, 120_000);
afterAll(() => testServer?.close());
beforeEach(() => testServer.clock.pass(301));

const NOTHING = { effects: 0, records: 0 };
async function untouched({ as, ticket }: Asked): Promise<void> {
  const { body } = await testServer.send<{ data: { state: string } }>('GET', `/api/confirmations/${ticket.confirmationId}`, {
    token: await testServer.token(as),
  });
  expect(body.data.state).toBe('waiting');
  expect([await fingerprint(testServer, tool), await effectsOf(testServer, tool, ticket.confirmationId)]).toEqual([before, NOTHING]);
}
/** Checks that the ticket can still be approved, with one effect, and restores the rows. */
async function stillWorks({ as, ticket }: Asked): Promise<void> {
  expect((await testServer.decide(as, ticket.confirmationId, true)).body.status).toBe('success');
  expect(await effectsOf(testServer, tool, ticket.confirmationId)).toEqual({ effects: 1, records: 1 });
  await restore(tool.domain);
}

it('accepts {"approved": true} or {"approved": false} as JSON, and nothing else', async () => {
  const asked = await askFor(testServer, tool);
  const token = await testServer.token(asked.as, { approve: true });
  const path = `/api/confirm/${asked.ticket.confirmationId}`;
  const BODIES: [string, number][] = [
    ['{"approved":"false"}', 400],
    ['{"approved":"true"}', 400],
    ['{"approved":1}', 400],
    ['{"approved":0}', 400],
    ['{"approved":null}', 400],
    ['{"approved":[true]}', 400],
    ['{}', 400],
    ['', 400],
    ['null', 400],
    ['true', 400],
    ['[{"approved":true}]', 400],
    ['{"approved":true,"input":{}}', 400],
    ['{"approved":true,"new_salary":1}', 400],
    ['{"approved":true,"confirmationId":"x"}', 400],
    ['{"Approved":true}', 400],
    ['{"approved":false,"approved":true}', 400],
    ['{"approved":true,"approved":true}', 400],
    ['{"approved":true,"\\u0061pproved":false}', 400],
    ['{"input":{"approved":true}}', 400],
    ['{"approved":tru', 400],
    ['{"__proto__":{"approved":true}}', 400],
  ];
  for (const [raw, wanted] of BODIES) {
    const { status, body } = await testServer.send('POST', path, { token, raw });
    expect([raw, status, codeOf(body)]).toEqual([raw, wanted, 'VALIDATION_ERROR']);
  }
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain; charset=application/json',
    'application/json; charset=latin1',
    '',
  ]) {
    for (const raw of ['{"approved":true}', 'approved=true']) {
      const { status, body } = await testServer.send('POST', path, { token, raw, headers: { 'content-type': type } });
      expect([type, status, codeOf(body)]).toEqual([type, 415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
  }
  expect((await testServer.send('POST', path, { token, raw: '{"approved":true}', headers: { 'content-encoding': 'gzip' } })).status).toBe(
    415,
  );
  await untouched(asked);
  await stillWorks(asked);
});

it('answers 404 for malformed and unknown ids', async () => {
  const asked = await askFor(testServer, tool);
  const { confirmationId: id } = asked.ticket;
  const token = await testServer.token(asked.as, { approve: true });
  const upper = id.toUpperCase();
  const ids = [
    randomUUID(),
    upper,
    `{${id}}`,
    ` ${id}`,
    `${id} `,
    id.slice(0, -1),
    `${id}0`,
    'pending:*',
    `pending:${id}`,
    '*',
    '..',
    `../confirm/${id}`,
    'x'.repeat(10_000),
    '0',
    'null',
    'undefined',
    "' or true --",
    id.replace(/-4/, '-1'),
    `${id}%00`,
    '%F0%9F%92%A5',
  ];
  for (const given of ids) {
    if (given === id) continue;
    for (const [method, path] of [
      ['POST', `/api/confirm/${given.includes('%') ? given : encodeURIComponent(given)}`],
      ['GET', `/api/confirmations/${given.includes('%') ? given : encodeURIComponent(given)}`],
    ] as const) {
      const { status, body } = await testServer.send(method, path, { token, ...(method === 'POST' && { body: { approved: true } }) });
      expect([given.slice(0, 60), status]).toEqual([given.slice(0, 60), 404]);
      if (given !== '..')
        expect(body).toMatchObject({
          code: 'CONFIRMATION_NOT_FOUND',
          message: expect.stringMatching(/^Confirmation not found or expired\b.*retry the operation\.$/),
          retryable: false,
        });
    }
  }
  await untouched(asked);
});

describe('who may decide', () => {
  it('an MCP client with any of its tokens gets 401', async () => {
    const asked = await askFor(testServer, tool);
    const tokens = await Promise.all([
      testServer.token(asked.as, { mcp: true }),
      ...DOMAINS.flatMap((each) => [
        testServer.token(asked.as, { mcp: true, server: each }),
        testServer.token(asked.as, { server: each, approve: true }),
      ]),
    ]);
    for (const token of tokens) {
      const { status, body } = await testServer.send('POST', `/api/confirm/${asked.ticket.confirmationId}`, {
        token,
        body: { approved: true },
      });
      expect([status, codeOf(body)]).toEqual([401, 'UNAUTHENTICATED']);
    }
    await untouched(asked);
  });
  it('a program with a token of the person gets 403 PERSON_REQUIRED, and the challenge names no scope to request', async () => {
    const asked = await askFor(testServer, tool);
    const { confirmationId: id } = asked.ticket;
    for (const [approve, wanted] of [
      [undefined, 403],
      [randomUUID(), 403],
    ] as const) {
      const token = await testServer.token(asked.as, approve === undefined ? {} : { approve });
      for (const approved of [true, false]) {
        const { status, body, headers, text } = await testServer.send('POST', `/api/confirm/${id}`, { token, body: { approved } });
        expect([status, codeOf(body)]).toEqual([wanted, 'PERSON_REQUIRED']);
        // A challenge that names a scope would make a client request that scope.
        expect([headers['www-authenticate'], /scope/i.test(text)]).toEqual([undefined, false]);
      }
    }
    await untouched(asked);
  });
  it('a token that may approve one ticket decides that ticket, once', async () => {
    const [one, other] = [await askFor(testServer, tool), await askFor(testServer, tool)];
    const token = await testServer.token(one.as, { approve: one.ticket.confirmationId });
    const decide = ({ ticket }: Asked, approved: boolean) =>
      testServer.send('POST', `/api/confirm/${ticket.confirmationId}`, { token, body: { approved } });
    expect(codeOf((await decide(other, true)).body)).toBe('PERSON_REQUIRED');
    await untouched(other);
    expect((await decide(one, true)).body.status).toBe('success');
    expect((await decide(one, true)).body.status).toBe('success');
    expect(await effectsOf(testServer, tool, one.ticket.confirmationId)).toEqual({ effects: 1, records: 1 });
    expect(codeOf((await decide(other, false)).body)).toBe('PERSON_REQUIRED');
    await restore(tool.domain);
  });
  it('no method except POST decides', async () => {
    const asked = await askFor(testServer, tool);
    const token = await testServer.token(asked.as, { approve: true });
    const { confirmationId: id } = asked.ticket;
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE']) {
      for (const path of [`/api/confirm/${id}`, `/api/confirm/${id}?approved=true`, `/approve/${id}`, `/approve/${id}?approved=true`]) {
        const body = ['PUT', 'PATCH', 'DELETE'].includes(method) ? { body: { approved: true } } : {};
        expect((await testServer.send(method, path, { token, ...body })).status).not.toBe(200);
      }
    }
    expect((await testServer.send('GET', `/api/confirmations/${id}?approved=true`, { token })).status).toBe(200);
    await untouched(asked);
    await stillWorks(asked);
  });
  it('no tool accepts a ticket id', async () => {
    for (const each of tools) expect(Object.keys(each.input.shape)).not.toContain('confirmation_id');
  });
});

describe('pending tickets', () => {
  it('are limited to twenty per person: the next request gets 429, a decision makes room for one, others are not affected', async () => {
    const { as, input } = await ready(testServer, tool);
    const asked: string[] = [];
    for (let n = 0; n < 20; n++) asked.push((await testServer.ask(as, server, tool.name, varied(tool, input))).confirmationId);
    expect(new Set(asked).size).toBe(20);
    const more = await testServer.rest(as, server, tool.name, varied(tool, input));
    expect([more.status, codeOf(more.body)]).toEqual([429, 'RATE_LIMITED']);
    const { body } = await testServer.send<{ data: { confirmationId: string }[] }>('GET', '/api/confirmations', {
      token: await testServer.token(as),
    });
    expect(body.data.map(({ confirmationId }) => confirmationId)).toEqual(asked);
    await testServer.decide(as, asked[7] ?? '', false);
    expect((await testServer.rest(as, server, tool.name, varied(tool, input))).body.status).toBe('pending_confirmation');
    const other = writes
      .map(([, each]) => each)
      .find((each) => each.examples.some((example) => example.as !== as && example.expects === undefined));
    const example = other?.examples.find((each) => each.as !== as && each.expects === undefined);
    expect(
      (
        await testServer.rest(
          example?.as ?? '',
          other?.domain.name ?? '',
          other?.name ?? '',
          example?.input(testServer.clock.now().toISOString().slice(0, 10)),
        )
      ).body.status,
    ).toBe('pending_confirmation');
  });
});

describe('the endpoint that executes approved changes on a domain server', () => {
  const someone = (username: string) => {
    const { sub, realm, name, email, employeeId, roles } = persona(username);
    const person = {
      principal: `${realm}:${sub}`,
      sub,
      realm,
      username,
      name,
      email,
      employeeId,
      organizationId: undefined,
      roles: new Set(roles),
    };
    return { person, token: { id: 'x', client: 'tamshai-web', issuedAt: 0, expiresAt: 0 }, approves: 'anything' as const, origin: 'web' };
  };
  const execute = (body: unknown, token: string, at = server) => testServer.send('POST', '/execute', { server: at, body, token });
  const ticketOf = (asked: Asked): Promise<Ticket> =>
    testServer.tamshai.modules.tools.runtime.tickets.find(asked.ticket.confirmationId, someone(asked.as).person);

  it('accepts no token of any person', async () => {
    const asked = await askFor(testServer, tool);
    const body = executionBody(await ticketOf(asked));
    for (const user of [asked.as, 'eve.thompson']) {
      const tokens = await Promise.all([
        testServer.token(user, { server, approve: true }),
        testServer.token(user, { approve: true }),
        testServer.token(user, { server, mcp: true }),
      ]);
      const identity = signIdentity(
        testServer.keys.gateway.current,
        { server, caller: someone(user), requestId: 'r', method: 'POST', path: '/execute', body: JSON.stringify(body) },
        testServer.clock,
      );
      for (const token of [...tokens, identity]) {
        const { status, body: answer } = await execute(body, token);
        expect([status, codeOf(answer)]).toEqual([401, 'UNAUTHENTICATED']);
        expect(
          (await execute({ action: tool.name, data: asked.input, userContext: { userId: persona(user).sub, roles: ['executive'] } }, token))
            .status,
        ).toBe(401);
      }
    }
    await untouched(asked);
  });
  it('accepts a grant only for the stored change, at this server and within its lifetime', async () => {
    const asked = await askFor(testServer, tool);
    const stored = executionBody(await ticketOf(asked));
    const grant = (over: object = {}, clock: Clock = testServer.clock) =>
      signGrant(testServer.keys.gateway.current, { ...stored, server, caller: someone(asked.as), requestId: 'r', ...over }, clock);
    const other = tools.find((each) => each.domain === tool.domain && each.kind === 'write' && each !== tool)?.name ?? '';
    const card = JSON.parse(stored.card) as object;
    const [elsewhere] = DOMAINS.filter((each) => each !== server);
    for (const [what, reply] of Object.entries({
      'another input': await execute({ ...stored, input: JSON.stringify({ ...asked.input, new_salary: 9_999_999 }) }, grant()),
      'another card': await execute({ ...stored, card: JSON.stringify({ ...card, versions: [] }) }, grant()),
      'another tool': await execute({ ...stored, tool: other }, grant()),
      'another ticket': await execute({ ...stored, confirmationId: randomUUID() }, grant()),
      'another server': await execute(stored, grant(), elsewhere),
      'another server, signed for it': await execute(stored, grant({ server: elsewhere })),
      'a minute later': await execute(stored, grant({}, { now: () => new Date(testServer.clock.now().getTime() - 60_000) })),
      'an extra key': await execute({ ...stored, roles: ['executive'] }, grant()),
    })) {
      expect([what, reply.status]).toEqual([what, 401]);
    }
    await untouched(asked);
    // The holder of a genuine grant can replay it during its lifetime; the store prevents a second effect.
    const replies = await Promise.all(Array.from({ length: 5 }, () => execute(stored, grant())));
    for (const { status, text } of replies) expect([status, text]).toEqual([200, replies[0]?.text]);
    expect(await effectsOf(testServer, tool, asked.ticket.confirmationId)).toEqual({ effects: 1, records: 1 });
    // The ticket store still says waiting, but the domain's store has the result: a denial is refused, an approval returns the result.
    const denied = await testServer.decide(asked.as, asked.ticket.confirmationId, false);
    expect([denied.status, codeOf(denied.body)]).toEqual([409, 'ALREADY_DECIDED']);
    expect((await testServer.decide(asked.as, asked.ticket.confirmationId, true)).text).toBe(replies[0]?.text);
    expect(await effectsOf(testServer, tool, asked.ticket.confirmationId)).toEqual({ effects: 1, records: 1 });
    await restore(tool.domain);
  });
});
