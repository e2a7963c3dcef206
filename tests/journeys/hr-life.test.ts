/** The life of an employee through an MCP client: hired, moved, raised from January, gone; and a vacation that is cancelled. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { employeeIdOf as id } from '../test-runtime.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';

const [alice, carol, nina, frank] = ['alice.chen', 'carol.johnson', 'nina.patel', 'frank.davis'] as const;
type Answer = Record<string, unknown> & { status?: string; code?: string; data?: Record<string, unknown>; confirmationId?: string };

let testServer: TestServer;
beforeAll(async () => {
  testServer = await openTestServer();
}, 180_000);
afterAll(() => testServer?.close());

/** Calls a tool of hr through the gateway as an MCP client does. */
async function call(user: string, tool: string, input: Record<string, unknown> = {}): Promise<Answer> {
  const client = await testServer.mcp(user);
  try {
    return (await client.callTool({ name: `hr_${tool}`, arguments: input })).structuredContent as Answer;
  } finally {
    await client.close();
  }
}
/** Asks for a change, and approves it as the person who asked. */
async function done(user: string, tool: string, input: Record<string, unknown>): Promise<Record<string, unknown>> {
  const pending = await call(user, tool, input);
  expect(pending).toMatchObject({ status: 'pending_confirmation' });
  const { body } = await testServer.decide(user, String(pending.confirmationId), true);
  expect(body).toMatchObject({ status: 'success' });
  return (body as { data: Record<string, unknown> }).data;
}
const found = async (user: string, employee_id: unknown) => (await call(user, 'get_employee', { employee_id })).data;
const recorded = async (tool: string) =>
  (await testServer.owner('select body from hr.audit'))
    .map(({ body }) => JSON.parse(String(body)) as Record<string, unknown>)
    .filter((each) => each['tool'] === tool);

test('hire, move the team, raise from January, leave with the reports moved', { timeout: 300_000 }, async () => {
  const job = { job_title: 'Engineering Manager', department: 'Engineering', location: 'Austin', grade: 'G4' };
  const lead = await done(alice, 'create_employee', {
    ...job,
    first_name: 'Nora',
    last_name: 'Ellis',
    email: 'nora.ellis@tamshai.example',
    manager_id: id(nina),
    salary: 150_000,
  });
  expect(lead).toMatchObject({ name: 'Nora Ellis', salary: 150_000 });
  const { employee_id } = lead;
  expect((await call(frank, 'find_employees', { name: 'Nora Ellis' })).data).toMatchObject([{ employee_id, manager_name: 'Nina Patel' }]);

  await done(alice, 'update_employee', { employee_id: id(frank), manager_id: employee_id });
  expect(await found(nina, id(frank))).toMatchObject({ manager_name: 'Nora Ellis' });
  await done(alice, 'update_employee', { employee_id, manager_id: id(carol) });
  expect([await found(nina, id(frank)), await found(carol, id(frank))]).toMatchObject([undefined, { first_name: 'Frank' }]);

  const january = `${testServer.clock.now().getUTCFullYear() + 1}-01-01`;
  await done(alice, 'update_salary', { employee_id, new_salary: 160_000, effective_date: january });
  expect(await found(alice, employee_id)).toMatchObject({ salary: 150_000 });
  expect((await call(alice, 'get_salary_history', { employee_id })).data).toMatchObject({ salary: 150_000, planned_salary: 160_000 });
  testServer.clock.pass((Date.parse(`${january}T00:00:01Z`) - testServer.clock.now().getTime()) / 1000);
  expect(await found(alice, employee_id)).toMatchObject({ salary: 160_000 });

  expect(await call(alice, 'delete_employee', { employee_id })).toMatchObject({
    code: 'HAS_REPORTS',
    suggestedAction: expect.stringContaining('move_reports_to'),
  });
  await done(alice, 'delete_employee', { employee_id, move_reports_to: id(nina), reason: 'Moved away' });
  expect(await found(alice, employee_id)).toBeUndefined();
  expect(await found(nina, id(frank))).toMatchObject({ manager_name: 'Nina Patel' });

  for (const [tool, times] of [
    ['create_employee', 1],
    ['update_employee', 2],
    ['update_salary', 1],
    ['delete_employee', 1],
  ] as const)
    expect([tool, (await recorded(tool)).length]).toEqual([tool, times]);
  const [raise] = await recorded('update_salary');
  expect(JSON.stringify(raise)).not.toMatch(/1[56]0[_,]?000/);
});

test('request, approve and cancel time off, and open the next year', { timeout: 300_000 }, async () => {
  const days = async () => (await call(frank, 'get_time_off_balances')).data?.['pto_balance'];
  const before = await days();
  const year = testServer.clock.now().getUTCFullYear();
  const monday = `${year}-06-${String(1 + ((8 - new Date(`${year}-06-01`).getUTCDay()) % 7)).padStart(2, '0')}`;
  const { request_id } = await done(frank, 'create_time_off_request', { type_code: 'VACATION', start_date: monday, end_date: monday });
  await done(nina, 'approve_time_off_request', { request_id, approved: true });
  expect(await days()).toBe(Number(before) - 1);
  expect(await done(frank, 'cancel_time_off_request', { request_id })).toMatchObject({ status: 'cancelled' });
  expect(await days()).toBe(before);
  const opened = await done(alice, 'open_time_off_year', {});
  expect((await call(frank, 'get_time_off_balances', { fiscal_year: opened['fiscal_year'] })).data).toMatchObject({
    fiscal_year: opened['fiscal_year'],
  });
  expect((await recorded('cancel_time_off_request')).length).toBe(1);
  expect((await recorded('open_time_off_year')).length).toBe(1);
});
