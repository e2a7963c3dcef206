/** Every call leaves an audit record, whatever its outcome; records hold no secrets; and each person reads their own records. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditRecord } from '../../src/engine/ports.ts';
import { persona, personas } from '../../domains/sample-company/people.ts';
import type { AnyDomain } from '../../src/declare/tool.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';
import { codeOf, type Endpoint, ToolCaller, leakIn, type Outcome, SURFACES } from '../../src/testing/tool-caller.ts';
import { byName, isAllowed, ready, tools } from './calls.ts';
import { openRawStore } from '../../src/testing/raw-store.ts';
import { copies } from './arrange.ts';
import { snapshot } from './restore.ts';
import { makeUnrecordable } from './unrecordable.ts';
import { askFor, varied, writes } from './writes.ts';

let testServer: TestServer;
let toolCaller: ToolCaller;
let restore: (domain: AnyDomain) => Promise<void>;
beforeAll(async () => {
  testServer = await openTestServer();
  toolCaller = new ToolCaller(testServer);
  restore = await snapshot(testServer);
}, 120_000);
afterAll(() => testServer?.close());

/** Records of all chains as stored, the newest first in each chain. */
async function records(limit = 400): Promise<AuditRecord[]> {
  const found = await Promise.all(testServer.tamshai.modules.audit.sources.map((source) => source.newest({ limit })));
  return found.flat().map(({ body }) => JSON.parse(body) as AuditRecord);
}
/** The records of one recent request, without intents: a store without transactions records an intent before each outcome. */
const of = async (requestId: string) => (await records(20)).filter((record) => record.requestId === requestId && record.code !== 'INTENT');

/** The number of rows in an answer: those of a list or of an analysis, otherwise one. */
function rowsIn(data: unknown): number {
  if (Array.isArray(data)) return data.length;
  const { rows, columns } = data as { rows?: unknown; columns?: unknown };
  return Array.isArray(rows) && Array.isArray(columns) ? rows.length : 1;
}

const SURFACE: Record<Endpoint, string> = { rest: 'rest', mcp: 'mcp', direct: 'direct', 'direct-mcp': 'direct' };

describe.each(byName)('%s', (_name, tool) => {
  const outsider = personas.find(({ username }) => !isAllowed(tool, username))?.username;

  async function recorded(
    endpoint: Endpoint,
    as: string,
    { requestId, answer }: Outcome,
    wanted: Partial<AuditRecord>,
  ): Promise<AuditRecord> {
    const [record, ...more] = await of(requestId);
    expect([endpoint, codeOf(answer), more]).toEqual([endpoint, codeOf(answer), []]);
    expect(record).toMatchObject({
      principal: `${persona(as).realm}:${persona(as).sub}`,
      username: as,
      surface: SURFACE[endpoint],
      server: tool.domain.name,
      tool: tool.name,
      requestId,
      code: null,
      rows: 0,
      ...wanted,
    });
    if (!record) throw new Error('there is no record');
    expect(Math.abs(Date.parse(record.at) - testServer.clock.now().getTime())).toBeLessThan(60_000);
    expect([record.ms >= 0, record.ms < 30_000, record.origin.length > 0, typeof JSON.parse(record.input)]).toEqual([
      true,
      true,
      true,
      'object',
    ]);
    return record;
  }

  it.each(SURFACES)('at %s: successful, refused and invalid calls are recorded', async (endpoint) => {
    const { as, input } = await ready(testServer, tool);
    const good = await toolCaller.call(endpoint, as, tool, input);
    const rows = good.answer.status === 'success' ? rowsIn(good.answer.data) : 0;
    const kept = await recorded(endpoint, as, good, { decision: tool.kind === 'write' ? 'pending' : 'allowed', rows });
    if (good.answer.status === 'pending_confirmation') expect(kept.confirmationId).toBe(good.answer.confirmationId);

    const wrong = await toolCaller.call(endpoint, as, tool, { ...input, no_such_input: 'x' });
    await recorded(endpoint, as, wrong, { decision: 'refused', code: 'VALIDATION_ERROR' });
    if (outsider === undefined) return;
    const refused = await toolCaller.call(endpoint, outsider, tool, input);
    await recorded(endpoint, outsider, refused, { decision: 'refused', code: 'INSUFFICIENT_PERMISSIONS' });
  });

  it('a call by an alias is recorded under the published name', async () => {
    const { as } = await ready(testServer, tool);
    for (const name of tool.aliases)
      await recorded('rest', as, await toolCaller.call('rest', as, tool, { no_such_input: 1 }, { name }), {
        decision: 'refused',
        code: 'VALIDATION_ERROR',
      });
  });
});

describe('decisions', () => {
  it.each(writes)('%s: denials, refused decisions and approvals are recorded with the person', async (_name, tool) => {
    testServer.clock.pass(301);
    toolCaller.forget();
    const asked = await askFor(testServer, tool);
    const { confirmationId: id } = asked.ticket;
    const about = async () =>
      (await records())
        .filter((record) => record.confirmationId === id)
        .map(({ decision, username, tool: name, code }) => [decision, username, name, code].join(' '));
    const other = asked.as === 'eve.thompson' ? 'bob.martinez' : 'eve.thompson';
    await testServer.decide(other, id, true);
    await testServer.decide(asked.as, id, false);
    expect((await about()).toSorted()).toEqual(
      [`denied ${asked.as} confirm `, `pending ${asked.as} ${tool.name} `, `refused ${other} confirm USER_MISMATCH`].toSorted(),
    );

    const again = await askFor(testServer, tool);
    await testServer.decide(again.as, again.ticket.confirmationId, true);
    const [record, ...more] = (await records()).filter(
      (each) => each.confirmationId === again.ticket.confirmationId && each.decision === 'approved',
    );
    expect(more).toEqual([]);
    expect(record).toMatchObject({ username: again.as, server: tool.domain.name, tool: tool.name, rows: 1 });
    expect(((record?.changes ?? []) as { field: string }[]).map(({ field }) => field)).toEqual(
      again.ticket.confirmationData.changes.map(({ field }) => field),
    );
    await restore(tool.domain);
  });
});

it('unknown tool names and failed sign-ins are recorded too', async () => {
  const token = await testServer.token('frank.davis');
  const requestId = randomUUID();
  await testServer.send('POST', '/api/tools/hr/no_such_tool', { token, body: {}, headers: { 'x-request-id': requestId } });
  expect(await of(requestId)).toMatchObject([
    { decision: 'refused', code: 'TOOL_NOT_FOUND', username: 'frank.davis', tool: 'no_such_tool' },
  ]);

  const counted = async () =>
    (await records())
      .filter(({ code }) => code === 'UNAUTHENTICATED')
      .reduce((sum, { input }) => sum + (JSON.parse(input) as { calls: number }).calls, 0);
  const before = await counted();
  const places = [
    ['/api/tools/tasks/list_tasks', 'gateway'],
    ['/mcp', 'gateway'],
    ['/tools/list_tasks', 'tasks'],
    ['/mcp', 'hr'],
    ['/execute', 'hr'],
  ] as const;
  for (let n = 0; n < 25; n++) {
    const [path, server] = places[n % places.length] ?? places[0];
    expect((await testServer.send('POST', path, { server, body: {} })).status).toBe(401);
  }
  const deadline = Date.now() + 10_000;
  while ((await counted()) < before + 25 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await counted()).toBe(before + 25);
  // Failed sign-ins share a few records: a flood of requests must not become a flood of records.
  const bulk = (await records()).filter(({ code }) => code === 'UNAUTHENTICATED');
  expect(bulk.length).toBeLessThan(10);
  for (const { principal, username } of bulk) expect([principal, username]).toEqual(['', '']);
});

describe('secrets', () => {
  const SECRETS = [
    '123-45-6789',
    '123 45 6789',
    'sk-abcdefghijklmnop1234',
    'Bearer abc.def.ghijkl',
    '4111 1111 1111 1111',
    'DE89370400440532013000',
  ];
  it.each(writes)('%s: no value that looks like a secret is stored', async (_name, tool) => {
    testServer.clock.pass(301);
    toolCaller.forget();
    const { as, input } = await ready(testServer, tool);
    const token = await testServer.token(as);
    const texts: string[] = [];
    for (const secret of SECRETS) {
      const requestId = randomUUID();
      await testServer.send('POST', `/api/tools/${tool.domain.name}/${tool.name}`, {
        token,
        body: { ...varied(tool, input, `it is ${secret}, really`), password: secret, ssn: secret },
        headers: { 'x-request-id': requestId },
      });
      texts.push(JSON.stringify(await of(requestId)));
    }
    const kept = texts.join();
    expect([SECRETS.filter((secret) => kept.includes(secret)), kept.includes(token), kept.includes('(Hidden)')]).toEqual([[], false, true]);
  });
  it('no record contains a token', async () => {
    const all = JSON.stringify(await records(5_000));
    expect(all).not.toMatch(/eyJ[\w-]{10,}\./);
    expect(leakIn(all.replace(/"input":"(?:[^"\\]|\\.)*"/g, ''))).toBeUndefined();
  });
});

interface AuditLog {
  readonly status: string;
  readonly data: (AuditRecord & { chain: string; n: number })[];
  readonly metadata: { readonly hasMore: boolean; readonly nextCursor?: string };
}
const page = async (user: string, query = '') =>
  testServer.send<AuditLog>('GET', `/api/audit${query}`, { token: await toolCaller.token(user) });

describe('readers', () => {
  it.each(personas.map(({ username }) => username))(
    '%s reads their own records, and only executives read those of others',
    async (user) => {
      const seen: string[] = [];
      const rows: AuditLog['data'] = [];
      let query = '?limit=50';
      for (let n = 0; n < 5 && query !== ''; n++) {
        const { body } = await page(user, query);
        rows.push(...body.data);
        seen.push(...body.data.map(({ chain, n: at }) => `${chain} ${at}`));
        query = body.metadata.nextCursor === undefined ? '' : `?limit=50&cursor=${body.metadata.nextCursor}`;
        expect(body.metadata.hasMore).toBe(query !== '');
      }
      expect(new Set(seen).size).toBe(seen.length);
      const times = rows.map(({ at }) => at);
      expect(times).toEqual(times.toSorted().reverse());
      for (const row of rows) expect(row).not.toHaveProperty('principal');
      const others = new Set(rows.map(({ username }) => username).filter((username) => username !== user));
      if (persona(user).roles.includes('executive')) expect(others.size).toBeGreaterThan(3);
      else expect([...others]).toEqual([]);
    },
  );
  it('only its caller and executives can read a record by its chain and number', async () => {
    const { body } = await page('eve.thompson', '?limit=50');
    const theirs = body.data.find(({ username }) => username === 'frank.davis') ?? (await page('frank.davis')).body.data[0];
    if (!theirs) throw new Error('frank.davis has no record');
    const at = (user: string) =>
      toolCaller.token(user).then((token) => testServer.send<{ data: object }>('GET', `/api/audit/${theirs.chain}/${theirs.n}`, { token }));
    for (const user of ['eve.thompson', 'frank.davis'])
      expect((await at(user)).body.data).toMatchObject({ ...theirs, mac: expect.stringMatching(/^[\w-]{43}$/) });
    const missing = await testServer.send('GET', '/api/audit/no-such-chain/1', { token: await toolCaller.token('nina.patel') });
    for (const user of ['nina.patel', 'alice.chen', 'jane.smith@acme.example']) {
      const { status, text } = await at(user);
      expect([status, text]).toEqual([404, missing.text]);
    }
  });
  it('only executives read the result of the verification', async () => {
    for (const { username, roles } of personas) {
      const { status } = await testServer.send('GET', '/api/audit/verify', { token: await toolCaller.token(username) });
      expect([username, status]).toEqual([username, roles.includes('executive') ? 200 : 403]);
    }
  });
});

describe('a call that cannot be recorded', () => {
  const reading = tools.filter(({ kind }) => kind === 'read' || kind === 'list');
  it('gets SERVICE_UNAVAILABLE at every endpoint, and calls succeed again afterwards', async () => {
    const files = testServer.folders.map((folder) => new Database(join(folder, 'audit.db'), { timeout: 5_000 }));
    try {
      for (const file of files) file.exec('ALTER TABLE records RENAME TO records_away');
      for (const tool of [...reading, ...writes.map(([, each]) => each)]) {
        const { as, input } = await ready(testServer, tool);
        for (const endpoint of SURFACES) {
          const { answer, status, text } = await toolCaller.call(endpoint, as, tool, input);
          expect([tool.name, endpoint, status, codeOf(answer), answer.status === 'error' && answer.retryable]).toEqual([
            tool.name,
            endpoint,
            endpoint.endsWith('mcp') ? 200 : 503,
            'SERVICE_UNAVAILABLE',
            true,
          ]);
          expect([leakIn(text), text.includes('"data"')]).toEqual([undefined, false]);
        }
      }
    } finally {
      for (const file of files) {
        file.exec('ALTER TABLE records_away RENAME TO records');
        file.close();
      }
    }
    for (const tool of reading) {
      const { as, input } = await ready(testServer, tool);
      expect(codeOf((await toolCaller.call('rest', as, tool, input)).answer)).toBe('success');
    }
  });
  it('writes nothing if its tool acts at once', async () => {
    for (const tool of tools.filter(({ kind }) => kind === 'act')) {
      const { as, input } = await ready(testServer, tool);
      const room = await openRawStore(testServer, tool.domain, copies);
      const before = await room.fingerprint();
      const repair = await makeUnrecordable(testServer, tool.domain);
      try {
        expect((await toolCaller.call('rest', as, tool, input)).answer.status).toBe('error');
      } finally {
        await repair();
      }
      expect(await room.fingerprint()).toBe(before);
      expect(codeOf((await toolCaller.call('rest', as, tool, input)).answer)).toBe('success');
    }
  });
});

it('a record that was changed in the database is not listed, and the verification reports it', async () => {
  testServer.clock.pass(301);
  toolCaller.forget();
  const [, tool] = writes.find(([, { domain }]) => domain.name === 'hr') ?? expect.fail('hr changes nothing');
  const asked = await askFor(testServer, tool);
  await testServer.decide(asked.as, asked.ticket.confirmationId, true);
  const token = await toolCaller.token('eve.thompson');
  const [one] = await testServer.owner(
    'select chain, n, body, at::text as at, principal from hr.audit order by at desc, chain desc, n desc limit 1',
  );
  const { chain, n, body: said, at, principal } = one ?? expect.fail('nobody changed anything in hr');
  const everything = async () => {
    const { status, body } = await page('eve.thompson', '?limit=50');
    return { status, rows: body.data.map((each) => `${each.chain} ${each.n}`).filter((each) => !each.startsWith('calls-')) };
  };
  const before = await everything();
  expect(before.rows).toContain(`${String(chain)} ${String(n)}`);
  for (const [column, value] of [
    ['principal', 'staff:someone'],
    ['at', 'infinity'],
    ['at', '1970-01-01'],
    ['body', 'no JSON'],
    ['body', 'null'],
  ] as const) {
    await testServer.owner(`update hr.audit set ${column} = $1 where chain = $2 and n = $3`, [value, chain, n]);
    try {
      const after = await everything();
      expect([column, value, after.status]).toEqual([column, value, 200]);
      expect(after.rows).toEqual(expect.arrayContaining(before.rows.filter((row) => row !== `${String(chain)} ${String(n)}`)));
      expect(after.rows).not.toContain(`${String(chain)} ${String(n)}`);
      const alone = await testServer.send('GET', `/api/audit/${String(chain)}/${String(n)}`, { token });
      expect([column, value, alone.status]).toEqual([column, value, column === 'body' ? 404 : 200]);
      const verdict = await testServer.send<{ data: object }>('GET', '/api/audit/verify', { token });
      expect(verdict.body.data).toMatchObject({ ok: false, chain, n: Number(n) });
    } finally {
      await testServer.owner('update hr.audit set body = $1, at = $2, principal = $3 where chain = $4 and n = $5', [
        said,
        at,
        principal,
        chain,
        n,
      ]);
    }
  }
  await restore(tool.domain);
});

it('the audit log verifies after all of these calls', async () => {
  const { body } = await testServer.send<{ data: { ok: boolean; chains: { chain: string; count: number }[] } }>(
    'GET',
    '/api/audit/verify',
    {
      token: await toolCaller.token('eve.thompson'),
    },
  );
  expect(body.data).toMatchObject({ ok: true });
  expect(body.data).not.toHaveProperty('missing');
  // One chain of calls for each process, one chain of changes for each domain and process that serves it.
  const of = body.data.chains.map(({ chain }) => chain.split('-')[0] ?? '');
  expect(of.filter((name) => name === 'calls')).toHaveLength(testServer.folders.length);
  expect(of).toEqual(expect.arrayContaining(writes.map(([, { domain }]) => domain.name)));
});
