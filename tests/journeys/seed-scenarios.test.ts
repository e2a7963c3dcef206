/** The scenarios of the specification with an MCP client, with the exact texts that the specification quotes. */
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, ListMetadata } from '../../src/declare/answer.ts';
import { personas } from '../../domains/sample-company/people.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';

const idOf = (username: string) => personas.find((each) => each.username === username)?.employeeId ?? '';
type Rows = Record<string, unknown>[];

let testServer: TestServer;
beforeAll(async () => {
  testServer = await openTestServer();
}, 120_000);
afterAll(() => testServer.close());

/** Calls a tool. Checks that the text, the resource and the structured content of the result agree, and returns the answer. */
async function ask(client: Client, name: string, input: object = {}): Promise<Answer & { text: string }> {
  const result = await client.callTool({ name, arguments: { ...input } });
  const [line, embedded] = result.content as [
    { type: 'text'; text: string },
    { type: 'resource'; resource: { mimeType: string; text: string } },
  ];
  expect(embedded.resource.mimeType).toBe('application/json');
  expect(JSON.parse(embedded.resource.text)).toEqual(result.structuredContent);
  expect(line.text).not.toContain('\n');
  const answer = result.structuredContent as unknown as Answer;
  expect(Boolean(result.isError)).toBe(answer.status === 'error');
  return { ...answer, text: line.text };
}
const data = (answer: Answer): never => {
  if (answer.status !== 'success') throw new Error(JSON.stringify(answer));
  return answer.data as never;
};
const metadata = (answer: Answer): ListMetadata => (answer as { metadata: ListMetadata }).metadata;
const code = (answer: Answer) => (answer.status === 'error' ? answer.code : answer.status);

describe.each(['modern', 'legacy'] as const)('people, with a %s client', (era) => {
  test('Marcus gets his own PTO balance', async () => {
    const marcus = await testServer.mcp('marcus.johnson', { era });
    const balances = data(await ask(marcus, 'hr_get_time_off_balances')) as { pto_balance: number; employee_id: string };
    expect(balances.pto_balance).toBeGreaterThanOrEqual(5);
    expect(balances.employee_id).toBe(idOf('marcus.johnson'));
  });

  test('a manager gets the due performance reviews of her team, and of nobody else', async () => {
    const nina = await testServer.mcp('nina.patel', { era });
    const due = data(await ask(nina, 'hr_get_performance_reviews', { status: 'due' })) as Rows;
    expect(due.length).toBeGreaterThan(0);
    const team = new Set((data(await ask(nina, 'hr_list_employees')) as Rows).map((row) => row['employee_id']));
    for (const review of due) {
      expect(review['status']).toBe('due');
      expect(team).toContain(review['employee_id']);
    }
    expect(team).not.toContain(idOf('nina.patel'));
    expect(team).not.toContain(idOf('eve.thompson'));
  });

  test('a foreign and an unknown employee give the same "not found" answer, with a hint', async () => {
    const nina = await testServer.mcp('nina.patel', { era });
    const nobody = '11111111-1111-4111-8111-111111111111';
    const answers = await Promise.all([idOf('eve.thompson'), nobody].map((employee_id) => ask(nina, 'hr_get_employee', { employee_id })));
    for (const answer of answers) {
      expect(code(answer)).toBe('EMPLOYEE_NOT_FOUND');
      expect(answer).toMatchObject({ retryable: false, suggestedAction: expect.stringContaining('find_employees') });
    }
    const [eve, other] = answers.map((answer) => JSON.stringify(answer));
    expect(eve?.replaceAll(idOf('eve.thompson'), nobody)).toBe(other);
  });

  test('the intern is refused the list of employees, and sees his own salary but not his SSN', async () => {
    const frank = await testServer.mcp('frank.davis', { era });
    expect(code(await ask(frank, 'hr_list_employees'))).toBe('INSUFFICIENT_PERMISSIONS');
    expect((await frank.listTools()).tools.map(({ name }) => name)).not.toContain('hr_list_employees');
    const own = data(await ask(frank, 'hr_get_employee', { employee_id: idOf('frank.davis') })) as Record<string, unknown>;
    expect(own).toMatchObject({ salary: expect.any(Number), manager_name: 'Nina Patel', ssn: '*** (Hidden)' });
  });

  test('500 employees are returned fifty at a time, and the answer says that it is incomplete', async () => {
    const alice = await testServer.mcp('alice.chen', { era });
    const seen = new Set<unknown>();
    let cursor: string | undefined;
    for (let pages = 0; pages < 20; pages++) {
      const answer = await ask(alice, 'hr_list_employees', cursor === undefined ? {} : { cursor });
      for (const row of data(answer) as Rows) seen.add(row['employee_id']);
      cursor = metadata(answer).nextCursor;
      if (pages === 0) {
        expect(metadata(answer)).toMatchObject({
          hasMore: true,
          truncated: true,
          returnedCount: 50,
          totalCount: '50+',
          totalEstimate: '50+',
        });
        expect(metadata(answer).warning).toMatch(/^TRUNCATION WARNING: Only 50 of 50\+ records returned\./);
        expect(answer.text).toContain('TRUNCATION WARNING');
      }
      if (cursor === undefined) break;
    }
    expect(cursor).toBeUndefined();
    expect(seen.size).toBe(500);
  });
});

describe('changes', () => {
  test("Alice's change of Sarah's salary waits for her approval and is then made", async () => {
    const alice = await testServer.mcp('alice.chen');
    const before = data(await ask(alice, 'hr_get_employee', { employee_id: idOf('sarah.kim') })) as { salary: number };
    const pending = await ask(alice, 'hr_update_salary', { employeeId: idOf('sarah.kim'), newSalary: 120_000, reason: 'Promotion' });
    if (pending.status !== 'pending_confirmation') throw new Error(JSON.stringify(pending));
    expect(pending.text).toContain(pending.confirmationData.approvalUrl);
    expect(pending.confirmationData).toMatchObject({
      action: 'update_salary',
      mcpServer: 'hr',
      userId: idOf('alice.chen'),
      reason: 'Promotion',
      destructive: false,
      origin: 'contract',
      subject: { id: idOf('sarah.kim'), label: expect.stringContaining('Sarah Kim') },
      changes: expect.arrayContaining([expect.objectContaining({ field: 'salary', from: before.salary, to: 120_000, format: 'money' })]),
    });
    expect(data(await ask(alice, 'hr_get_employee', { employee_id: idOf('sarah.kim') }))).toMatchObject({ salary: before.salary });

    const { status, body } = await testServer.decide('alice.chen', pending.confirmationId, true);
    expect([status, body]).toMatchObject([
      200,
      { status: 'success', data: { salary: 120_000 }, message: 'Changed the salary of Sarah Kim.' },
    ]);
    expect(data(await ask(alice, 'hr_get_employee', { employee_id: idOf('sarah.kim') }))).toMatchObject({ salary: 120_000 });
  });

  test('after Alice deletes Frank Davis he is not found any more, and his own calls are refused', async () => {
    const alice = await testServer.mcp('alice.chen');
    const pending = await ask(alice, 'hr_delete_employee', { employee_id: idOf('frank.davis'), reason: 'Internship over' });
    if (pending.status !== 'pending_confirmation') throw new Error(JSON.stringify(pending));
    expect(pending.message).toContain('Frank Davis (frank.davis@tamshai.example)');
    expect(pending.confirmationData.destructive).toBe(true);
    expect((await testServer.decide('alice.chen', pending.confirmationId, true)).body).toMatchObject({ status: 'success' });
    expect(code(await ask(alice, 'hr_get_employee', { employee_id: idOf('frank.davis') }))).toBe('EMPLOYEE_NOT_FOUND');
    expect(data(await ask(alice, 'hr_find_employees', { name: 'Frank Davis' }))).toEqual([]);
    expect((await testServer.rest('frank.davis', 'tasks', 'list_tasks')).status).toBe(403);
  });

  test('Marcus requests time off, Nina approves it, and each step changes the balance', async () => {
    const [marcus, nina] = [await testServer.mcp('marcus.johnson'), await testServer.mcp('nina.patel')];
    const year = new Date().getUTCFullYear() + (new Date().getUTCMonth() === 11 ? 1 : 0);
    const balance = async () =>
      (
        data(await ask(marcus, 'hr_get_time_off_balances', { fiscal_year: year })) as {
          balances: { type_code: string; pending: number; used: number }[];
        }
      ).balances.find((each) => each.type_code === 'PERSONAL');
    const before = await balance();
    // Monday and Tuesday of the second week of December.
    const monday = new Date(Date.UTC(year, 11, 8));
    monday.setUTCDate(monday.getUTCDate() + ((8 - monday.getUTCDay()) % 7));
    const [start_date, end_date] = [0, 1].map((days) => new Date(monday.getTime() + days * 86_400_000).toISOString().slice(0, 10));
    const asked = await ask(marcus, 'hr_create_time_off_request', { type_code: 'PERSONAL', start_date, end_date });
    if (asked.status !== 'pending_confirmation') throw new Error(JSON.stringify(asked));
    const created = (await testServer.decide('marcus.johnson', asked.confirmationId, true)).body as { data: { request_id: string } };
    expect(await balance()).toMatchObject({ pending: (before?.pending ?? 0) + 2, used: before?.used });

    expect(code(await ask(marcus, 'hr_approve_time_off_request', { request_id: created.data.request_id, approved: true }))).toBe(
      'INSUFFICIENT_PERMISSIONS',
    );
    const decided = await ask(nina, 'hr_approve_time_off_request', { request_id: created.data.request_id, approved: true });
    if (decided.status !== 'pending_confirmation') throw new Error(JSON.stringify(decided));
    expect((await testServer.decide('nina.patel', decided.confirmationId, true)).body).toMatchObject({
      status: 'success',
      data: { status: 'approved' },
    });
    expect(await balance()).toMatchObject({ pending: before?.pending, used: (before?.used ?? 0) + 2 });
  });
});

describe('tasks', () => {
  test('each tool returns exactly the specified fields', async () => {
    const sarah = await testServer.mcp('sarah.kim');
    const [first, second] = [
      await ask(sarah, 'tasks_add_task', { title: 'Call the landlord' }),
      await ask(sarah, 'tasks_add_task', { title: 'Water the plants', description: 'All of them' }),
    ];
    const { task_id } = data(first) as { task_id: number };
    expect(data(first)).toEqual({ task_id, status: 'created', title: 'Call the landlord' });
    expect(data(second)).toEqual({ task_id: task_id + 1, status: 'created', title: 'Water the plants' });
    expect(data(await ask(sarah, 'tasks_complete_task', { task_id }))).toEqual({
      task_id,
      status: 'completed',
      title: 'Call the landlord',
    });
    expect(data(await ask(sarah, 'tasks_update_task', { task_id: task_id + 1, title: 'Water all plants' }))).toEqual({
      task_id: task_id + 1,
      status: 'updated',
      title: 'Water all plants',
    });
    const mine = (rows: Rows) => rows.filter((row) => Number(row['id']) >= task_id);
    expect(mine(data(await ask(sarah, 'tasks_list_tasks')))).toEqual([
      { id: task_id, title: 'Call the landlord', description: null, completed: true },
      { id: task_id + 1, title: 'Water all plants', description: 'All of them', completed: false },
    ]);
    expect(mine(data(await ask(sarah, 'tasks_list_tasks', { status: 'pending' }))).map((row) => row['id'])).toEqual([task_id + 1]);
    expect(mine(data(await ask(sarah, 'tasks_list_tasks', { status: 'completed' }))).map((row) => row['id'])).toEqual([task_id]);
    expect(data(await ask(sarah, 'tasks_delete_task', { task_id }))).toEqual({ task_id, status: 'deleted', title: 'Call the landlord' });
    expect(code(await ask(sarah, 'tasks_complete_task', { task_id }))).toBe('TASK_NOT_FOUND');
  });

  test("one person cannot change another's tasks, nor distinguish them from unknown ones", async () => {
    const [nina, bob] = [await testServer.mcp('nina.patel'), await testServer.mcp('bob.developer@acme.example')];
    for (let n = 0; n < 40; n++) await ask(nina, 'tasks_add_task', { title: `Nina's task ${n}` });
    const guess = { task_id: 40 };
    for (const tool of ['tasks_complete_task', 'tasks_delete_task']) {
      expect(await ask(bob, tool, guess)).toMatchObject({
        status: 'error',
        code: 'TASK_NOT_FOUND',
        message: 'Task not found',
        details: guess,
      });
    }
    expect(await ask(bob, 'tasks_update_task', { ...guess, title: 'Mine now' })).toMatchObject({
      message: 'Task not found',
      details: guess,
    });
    expect(code(await ask(bob, 'tasks_list_tasks', { user_id: idOf('nina.patel') }))).toBe('USER_MISMATCH');
    expect(data(await ask(bob, 'tasks_list_tasks'))).toEqual([]);
  });

  test.each([
    ['tasks_add_task', {}, 'Title is required'],
    ['tasks_add_task', { title: '' }, 'Title is required'],
    ['tasks_add_task', { title: 'x'.repeat(201) }, 'Title must be 200 characters or less'],
    ['tasks_add_task', { title: 'x', description: 'y'.repeat(1001) }, 'Description must be 1000 characters or less'],
    ['tasks_update_task', { task_id: 1 }, 'At least title or description required'],
    ['tasks_update_task', { task_id: 1, title: 'x'.repeat(201) }, 'Title must be 200 characters or less'],
    ['tasks_complete_task', { task_id: 0 }, 'Invalid task ID'],
    ['tasks_complete_task', { task_id: 1.5 }, 'Invalid task ID'],
    ['tasks_complete_task', { task_id: 9_007_199_254_740_993 }, 'Invalid task ID'],
  ])('%s %j says: %s', async (tool, input, message) => {
    const sarah = await testServer.mcp('sarah.kim');
    expect(await ask(sarah, tool, input)).toMatchObject({ status: 'error', code: 'VALIDATION_ERROR', message, retryable: false });
  });
});
