/** Every surface for a company in Berlin with euros and a fiscal year from April. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { AssistantEvent } from '../../src/assistant/events.ts';
import type { SuccessAnswer } from '../../src/declare/answer.ts';
import { dayIn } from '../../src/declare/company.ts';
import { fiscalYearOf, quarterAt } from '../../src/declare/fiscal.ts';
import { inputSchema } from '../../src/derive/answers.ts';
import { contracts } from '../../src/derive/contracts.ts';
import { openTestServerOf, type TestServer } from '../../src/testing/test-server.ts';
import { builtIn } from '../registry.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 240_000 });
const company = { name: 'Northwind GmbH', timeZone: 'Europe/Berlin', currency: 'EUR', fiscalYearStart: 4 };
/** Signs of another currency. */
const FOREIGN = /\bUSD\b|\$\d|US\$/;
let server: TestServer;
beforeAll(async () => {
  server = await openTestServerOf(builtIn, {
    settings: {
      TAMSHAI_COMPANY_NAME: company.name,
      TAMSHAI_TIME_ZONE: company.timeZone,
      TAMSHAI_CURRENCY: company.currency,
      TAMSHAI_FISCAL_YEAR_START: String(company.fiscalYearStart),
      TAMSHAI_SAMPLE_EMPLOYEES: '120',
      TAMSHAI_RATE_PER_MINUTE: '100000',
    },
  });
});
afterAll(() => server?.close());

const today = () => dayIn(company.timeZone, server.clock.now());
const call = async (user: string, domain: string, tool: string, input = {}) =>
  ((await server.rest(user, domain, tool, input)).body as SuccessAnswer).data as Record<string, never>;

/** The examples of two tools contain `$`. */
const withoutQuestions = (text: string) =>
  builtIn.tools.flatMap(({ examples }) => examples).reduce((left, { question }) => left.replaceAll(question, ''), text);

test('no description, schema or error of any tool names another currency', () => {
  const files = contracts(builtIn.forCompany(company), '0.0.0');
  const foreign = [...files].filter(([, text]) => FOREIGN.test(withoutQuestions(text))).map(([path]) => path);
  expect(foreign).toEqual([]);
  expect(
    [...files].filter(([, text]) => /\{(?:currency|fiscalYear|year)/.test(text.replaceAll('{year}', ''))).map(([path]) => path),
  ).toEqual([]);
  expect(files.get('tools/hr/update_salary.json')).toContain('Annual, in EUR');
  expect(files.get('tools/finance/list_budgets.json')).toContain('Fiscal year, which is the twelve months from April of the year before');
});

test('the person learns the company, and schemas say when a fiscal year begins', async () => {
  const token = await server.token('eve.thompson');
  const { body } = await server.send<SuccessAnswer>('GET', '/api/user/info', { token });
  expect(body.data).toMatchObject({ company });
  const budget = server.config.registry.find('finance', 'get_budget');
  expect(budget && inputSchema(budget)).toMatchObject({ properties: { year: { fiscalYearStart: 4 } } });
  const payroll = server.config.registry.find('payroll', 'get_payroll_summary');
  expect(JSON.stringify(payroll && inputSchema(payroll))).not.toContain('fiscalYearStart');
});

test('no answer of any example names another currency', async () => {
  const { registry } = server.config;
  const foreign: string[] = [];
  let answered = 0;
  // The rows of journey are the documents of this project.
  for (const tool of registry.tools.filter(({ domain }) => domain.name !== 'journey')) {
    if (tool.kind !== 'read' && tool.kind !== 'list') continue;
    for (const { as, input, expects, question } of tool.examples) {
      if (expects !== undefined) continue;
      const token = await server.token(as, { mcp: true });
      const { result } = await server.rpc(token, 'tools/call', { name: `${tool.domain.name}_${tool.name}`, arguments: input(today()) });
      if (result?.structuredContent.status === 'success') answered++;
      if (FOREIGN.test(JSON.stringify(result))) foreign.push(`${tool.domain.name} ${tool.name}: ${question}`);
    }
  }
  expect(foreign).toEqual([]);
  expect(answered).toBeGreaterThan(100);
});

describe('periods', () => {
  test('a quarter of sales is a fiscal quarter, with quotas', async () => {
    const { label, from, to } = quarterAt(today(), company);
    const forecast = await call('eve.thompson', 'sales', 'get_forecast');
    expect(forecast).toMatchObject({ period: label, start_date: from, end_date: to });
    expect(forecast['quota']).toBeGreaterThan(0);
  });

  test('a budget is of the fiscal year, and so is what was spent', async () => {
    const year = fiscalYearOf(today(), company);
    const budget = await call('eve.thompson', 'finance', 'get_budget', { department: 'Sales' });
    expect(budget['fiscal_year']).toBe(year);
    expect(budget['spent_amount']).toBeGreaterThan(0);
  });

  test('leave is counted by fiscal year', async () => {
    expect((await call('marcus.johnson', 'hr', 'get_time_off_balances'))['fiscal_year']).toBe(fiscalYearOf(today(), company));
  });

  test('taxes keep the calendar year', async () => {
    expect((await call('eve.thompson', 'tax', 'get_tax_summary'))['period']).toBe(today().slice(0, 4));
  });
});

test('a card says its amounts in euros', async () => {
  const { message, confirmationData } = await server.ask('alice.chen', 'hr', 'update_salary', {
    employee_id: '0e000000-0000-4000-8000-000000000008',
    new_salary: 141_000,
    effective_date: today(),
    reason: 'Market adjustment',
  });
  expect(confirmationData.changes.find(({ field }) => field === 'salary')).toMatchObject({ format: 'money', currency: 'EUR' });
  expect(message).not.toMatch(FOREIGN);
  const invoices = (await call('bob.martinez', 'finance', 'list_invoices', { status: 'PENDING' })) as unknown as Record<string, string>[];
  expect(invoices[0]).toMatchObject({ currency: 'EUR' });
  const pending = await server.ask('bob.martinez', 'finance', 'approve_invoice', { invoice_id: invoices[0]?.['invoice_id'] });
  expect(pending.message).toMatch(/ for [\d,.]+ EUR\?/);
});

async function asked(user: string, query: string): Promise<AssistantEvent[]> {
  const { text } = await server.send('POST', '/api/query', { token: await server.token(user), body: { query } });
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)) as AssistantEvent);
}
const textOf = (events: readonly AssistantEvent[]) => events.map((event) => (event.type === 'text' ? event.text : '')).join('');

describe('the assistant', () => {
  test('asks for the fiscal quarter and answers in euros', async () => {
    const events = await asked('eve.thompson', 'What is the sales forecast for last quarter?');
    const made = events.find((event) => event.type === 'tool_call');
    expect(made).toMatchObject({ tool: 'get_forecast', input: { period: quarterAt(today(), company, -1).label } });
    expect(textOf(events)).toContain('€');
    expect(textOf(events)).not.toMatch(FOREIGN);
  });

  test('asks for the calendar quarter where the law follows the calendar', async () => {
    const events = await asked('eve.thompson', 'What did payroll cost us last quarter?');
    const made = events.find((event) => event.type === 'tool_call');
    expect(made).toMatchObject({ tool: 'get_payroll_summary', input: { period: quarterAt(today(), { fiscalYearStart: 1 }, -1).label } });
  });
});

/** This test is the last one, because it does not reset the clock. */
test('half an hour before midnight in UTC, it is tomorrow in Berlin', async () => {
  const now = server.clock.now();
  const late = new Date(`${now.toISOString().slice(0, 10)}T23:30:00Z`);
  server.clock.pass((late.getTime() - now.getTime()) / 1000 + (late > now ? 0 : 86_400));
  const utc = server.clock.now().toISOString().slice(0, 10);
  const metrics = await call('dan.williams', 'support', 'get_agent_metrics', { period: '7d' });
  expect(metrics['to']).toBe(today());
  expect(today() > utc).toBe(true);
});
