/** The offline assistant plans figures, computes relative amounts, names what it leaves out, and explains the rules. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AssistantHarness, openAssistantHarness } from '../assistant-harness.ts';
import { createInProcessModel } from '../in-process-model.ts';
import { builtIn } from '../registry.ts';

let harness: AssistantHarness;
beforeAll(async () => {
  harness = await openAssistantHarness(builtIn, { create: (registry, { phrases }) => createInProcessModel(registry, phrases) });
}, 300_000);
afterAll(() => harness.close());

describe('figures', () => {
  test.each([
    ['alice.chen', 'What is the average salary by department?', { group_by: ['department'], measures: [{ avg: 'salary' }] }],
    ['alice.chen', 'average salary in Engineering', { measures: [{ avg: 'salary' }], where: { department: 'Engineering' } }],
    ['alice.chen', 'how many people joined per year', { group_by: [{ field: 'hire_date', by: 'year' }], measures: ['count'] }],
    ['bob.martinez', 'how many invoices per status', { of: 'list_invoices', group_by: ['status'], measures: ['count'] }],
    ['carol.johnson', 'total deal value by owner', { of: 'list_opportunities', group_by: ['owner_name'], measures: [{ sum: 'value' }] }],
    ['bob.martinez', 'which department has the largest budget', { group_by: ['department'], measures: [{ max: 'allocated_amount' }] }],
  ])('%s: %s', async (who, question, input) => {
    const { calls } = await harness.ask(who, question);
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({ tool: 'analyze', input, answer: { status: 'success' } });
  });

  test('the figure comes first, then the table, and the counts are exact', async () => {
    const { text, calls } = await harness.ask('dan.williams', 'number of tickets by priority');
    const data =
      calls[0]?.answer.status === 'success' ? (calls[0].answer.data as { rows: { priority: string; count: number }[] }) : undefined;
    const [first] = data?.rows ?? [];
    expect(text.split('\n')[0]).toContain(`**${first?.priority}** comes first with **${first?.count}**`);
    expect(text).toContain('|---|---:|');
  });

  test('a follow-up keeps the analysis and adds its filter', async () => {
    const first = await harness.ask('alice.chen', 'How many employees are there in each location?');
    const second = await harness.ask('alice.chen', 'and only in Engineering?', first.said);
    expect(second.calls.at(-1)).toMatchObject({ tool: 'analyze', input: { group_by: ['location'], where: { department: 'Engineering' } } });
  });
});

describe('relative amounts', () => {
  const salaryOf = async (id: string): Promise<number> =>
    Number((await harness.testRuntime.data('alice.chen', 'hr', 'get_employee', { employee_id: id }))['salary']);
  const SARAH = '0e000000-0000-4000-8000-000000000008';
  test.each([
    ["Increase Sarah Kim's salary by 5000", (now: number) => now + 5000],
    ['Give Sarah Kim a 10k raise', (now: number) => now + 10_000],
    ['give sarah kim a 5% raise', (now: number) => Math.round(now * 105) / 100],
    ["cut Sarah Kim's pay by 10 percent", (now: number) => Math.round(now * 90) / 100],
    ["raise Sarah Kim's salary to 130k", () => 130_000],
  ])('%s', async (question, expected) => {
    const { calls } = await harness.ask('alice.chen', question);
    expect(calls.at(-1)).toMatchObject({ tool: 'update_salary', answer: { status: 'pending_confirmation' } });
    expect(calls.at(-1)?.input['new_salary']).toBe(expected(await salaryOf(SARAH)));
  });
  test('nobody is chosen for everyone', async () => {
    const { calls } = await harness.ask('alice.chen', 'give everyone in Legal a 5% raise');
    expect(calls.filter(({ tool }) => tool === 'update_salary')).toEqual([]);
  });
});

test.each([
  ['bob.martinez', 'What did Engineering spend in October?', 'get_budget', { period: '2026-10', department: 'Engineering' }],
  ['eve.thompson', "What's our Q4 budget vs actual spend?", 'list_budgets', { period: '2026-Q4' }],
  ['bob.martinez', 'travel spend last month', 'list_spending', { period: '2026-10', category: 'TRAVEL' }],
])('%s: %s is answered for this period', async (who, question, tool, input) => {
  const { calls } = await harness.ask(who, question);
  expect(calls).toMatchObject([{ tool, input, answer: { status: 'success' } }]);
});

describe('rules', () => {
  test.each([
    ['marcus.johnson', 'Who can change salaries?', [/hr-write or executive/, /never for one's own/]],
    ['nina.patel', 'who is allowed to see salaries', [/hr-write/, /executive/, /hidden from everyone else/]],
    ['bob.martinez', 'How do I approve an invoice?', [/approval card/, /finance-write/]],
    ['alice.chen', 'What happens if I delete an employee?', [/approval card/]],
    ['bob.martinez', 'If I approved the Marketing budget, how much would be left?', [/approv/]],
  ])('%s: %s', async (who, question, says) => {
    const { text, calls } = await harness.ask(who, question);
    expect(calls).toEqual([]);
    for (const pattern of says) expect(text).toMatch(pattern);
    expect(text).not.toMatch(/\d{3}-\d{2}-\d{4}/);
  });
});

test.each([
  ['carol.johnson', 'top 3 customers by revenue', 'list_customers', { sort: 'highest_revenue', limit: 3 }, /annual revenue/i],
  ['bob.martinez', 'the 5 largest invoices', 'list_invoices', { sort: 'largest', limit: 5 }, /largest/],
  [
    'alice.chen',
    'highest paid employees in Engineering',
    'list_employees',
    { sort: 'highest_salary', department: 'Engineering' },
    /salary/i,
  ],
])('%s: %s uses a declared order', async (who, question, tool, input, says) => {
  const { text, calls } = await harness.ask(who, question);
  expect(calls.at(-1)).toMatchObject({ tool, input, answer: { status: 'success' } });
  expect(text).toMatch(says);
});

test('"get more employees" shows the next page of the list', async () => {
  const first = await harness.ask('alice.chen', 'List all employees');
  const second = await harness.ask('alice.chen', 'get more employees', first.said);
  expect(second.calls).toHaveLength(1);
  expect(second.calls[0]?.input['cursor']).toEqual(expect.any(String));
  expect(second.calls[0]?.answer.status).toBe('success');
});

test('a task is titled by what is to do', async () => {
  const { calls } = await harness.ask('marcus.johnson', 'Add a task to call the bank');
  expect(calls.at(-1)).toMatchObject({ tool: 'add_task', input: { title: 'Call the bank' } });
});
