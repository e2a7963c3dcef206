/** GET /api/audit filters in the stores; GET /api/history reads the changes of one record, and a decision says what was done. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';

const SARAH = '0e000000-0000-4000-8000-000000000008';
interface Record_ {
  readonly at: string;
  readonly username: string;
  readonly server: string;
  readonly tool: string;
  readonly decision: string;
  readonly requestId: string;
  readonly records?: readonly string[];
}
interface Page {
  readonly status: string;
  readonly code?: string;
  readonly message?: string;
  readonly data: readonly Record_[];
  readonly metadata: { readonly nextCursor?: string; readonly hasMore: boolean };
}

let testServer: TestServer;
const send = async (who: string, method: 'GET' | 'POST', path: string, body?: object) =>
  (
    await testServer.send<Page & { confirmationId: string }>(method, path, {
      token: await testServer.token(who),
      ...(body && { body }),
    })
  ).body;
const audit = (who: string, filters: Record<string, string> = {}) => send(who, 'GET', `/api/audit?${new URLSearchParams(filters)}`);
const tool = (who: string, name: string, body: object) => send(who, 'POST', `/api/tools/${name}`, body);

beforeAll(async () => {
  testServer = await openTestServer();
  for (let i = 0; i < 3; i++) await tool('frank.davis', 'hr/find_employees', { limit: 1 });
  await tool('nina.patel', 'hr/list_employees', { limit: 1 });
  await tool('frank.davis', 'hr/list_employees', { salary: 'x' });
  const card = await tool('alice.chen', 'hr/update_salary', { employee_id: SARAH, new_salary: 123_456 });
  expect((await testServer.decide('alice.chen', card.confirmationId, true)).body).toMatchObject({ status: 'success' });
}, 120_000);
afterAll(() => testServer.close());

test('finds records by person, server, tool, decision, record, request and time', async () => {
  const { data: all } = await audit('eve.thompson');
  const one = all.find(({ username }) => username === 'nina.patel') as Record_;
  for (const [filters, fits] of [
    [{ person: 'frank.davis' }, (each: Record_) => each.username === 'frank.davis'],
    [{ server: 'hr' }, (each: Record_) => each.server === 'hr'],
    [{ tool: 'find_employees' }, (each: Record_) => each.tool === 'find_employees'],
    [{ decision: 'approved' }, (each: Record_) => each.decision === 'approved'],
    [{ decision: 'allowed', tool: 'list_employees' }, (each: Record_) => each.decision === 'allowed' && each.tool === 'list_employees'],
    [{ record: `employee/${SARAH}` }, (each: Record_) => each.records?.includes(`employee/${SARAH}`) === true],
    [{ request: one.requestId }, (each: Record_) => each.requestId === one.requestId],
    [{ from: one.at }, (each: Record_) => each.at >= one.at],
    [{ to: one.at }, (each: Record_) => each.at < one.at],
  ] as const) {
    const { data } = await audit('eve.thompson', filters as Record<string, string>);
    const calls = (records: readonly Record_[]) => records.filter(fits).map(({ requestId }) => requestId);
    expect(data.length, JSON.stringify(filters)).toBeGreaterThan(0);
    expect(data.every(fits), JSON.stringify(filters)).toBe(true);
    expect(calls(data).toSorted(), JSON.stringify(filters)).toEqual(calls(all).toSorted());
  }
});

test('reads filtered records page by page, and a cursor belongs to its filters', async () => {
  const filters = { person: 'frank.davis', limit: '2' };
  const first = await audit('eve.thompson', filters);
  expect(first).toMatchObject({ metadata: { hasMore: true } });
  const cursor = first.metadata.nextCursor ?? '';
  const second = await audit('eve.thompson', { ...filters, cursor });
  expect(second.data.map(({ username }) => username)).toEqual(['frank.davis', 'frank.davis']);
  expect(second.data.map(({ requestId }) => requestId)).not.toContain(first.data[0]?.requestId);
  expect(await audit('eve.thompson', { person: 'nina.patel', limit: '2', cursor })).toMatchObject({ code: 'INVALID_CURSOR' });
});

test('tells others nothing of records that are not theirs', async () => {
  const { data } = await audit('eve.thompson', { decision: 'approved' });
  const others = [
    { request: data[0]?.requestId ?? '' },
    { record: `employee/${SARAH}` },
    { person: 'alice.chen' },
    { tool: 'update_salary' },
  ];
  const random = await audit('frank.davis', { request: 'no-such-request' });
  expect(random.data).toEqual([]);
  for (const filters of others) expect(await audit('frank.davis', filters)).toEqual(random);
  expect((await audit('frank.davis', { person: 'frank.davis' })).data.length).toBeGreaterThan(0);
});

test.each([{ decision: 'maybe' }, { record: 'employee' }, { from: 'yesterday' }, { person: '' }, { unknown: 'x' }])(
  'refuses %j',
  async (filters) => {
    expect(await audit('eve.thompson', filters as Record<string, string>)).toMatchObject({ code: 'VALIDATION_ERROR' });
  },
);

test('the history of a record answers at its own address, under the rights of the reader', async () => {
  const at = `/api/history/hr/employee/${SARAH}`;
  expect(await send('eve.thompson', 'GET', at)).toMatchObject({
    status: 'success',
    data: [{ tool: 'update_salary', requested_by: 'alice.chen', approved_by: 'alice.chen' }],
    metadata: { hasMore: false },
  });
  expect(JSON.stringify(await send('nina.patel', 'GET', at))).not.toContain('123');
  expect(await send('frank.davis', 'GET', at)).toMatchObject({ code: 'RECORD_NOT_FOUND' });
  expect(await send('eve.thompson', 'GET', '/api/history/hr/nothing/1')).toMatchObject({ code: 'VALIDATION_ERROR' });
  expect(await send('eve.thompson', 'GET', '/api/history/nothing/x/1')).toMatchObject({ code: 'TOOL_NOT_FOUND' });
});

test('a decision answers with one sentence about what was done', async () => {
  const card = await tool('alice.chen', 'hr/update_salary', { employee_id: SARAH, new_salary: 123_457 });
  expect((await testServer.decide('alice.chen', card.confirmationId, true)).body).toMatchObject({
    status: 'success',
    message: 'Changed the salary of Sarah Kim.',
  });
  expect(await tool('frank.davis', 'tasks/add_task', { title: 'Call the bank' })).toMatchObject({
    message: expect.stringMatching(/^Added task \d+: Call the bank\.$/),
  });
});
