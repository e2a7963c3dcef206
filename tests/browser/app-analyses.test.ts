/** Browser tests of analyses: the form of `analyze`, charts with tables, the rows behind a figure, and exact counts in tables. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { results, scripted } from '../assistant-events.ts';
import { type AppTestServer, ask, openApp, seriousProblems, shot, sidewaysScroll } from './app.ts';

type Input = Readonly<Record<string, unknown>>;
const BY_DEPARTMENT = { of: 'list_employees', group_by: ['department'], measures: [{ avg: 'salary' }, 'count'] };
const DEALS = {
  of: 'list_opportunities',
  group_by: [{ field: 'expected_close_date', by: 'quarter' }, 'stage'],
  measures: [{ sum: 'value' }, 'count'],
  limit: 200,
};

const model = scripted((turn) =>
  results(turn).length === 0 ? [{ call: 'hr_analyze', input: BY_DEPARTMENT }] : ['The average salary is highest in Legal.'],
);
let app: AppTestServer;
beforeAll(async () => {
  app = await openApp({}, { model });
}, 300_000);
afterAll(async () => app?.close());

const linkTo = (server: string, input: Input, tool = 'analyze') =>
  `/tools/${server}/${tool}?${new URLSearchParams({ input: JSON.stringify(input) })}`;
const called = async (page: Page, server: string, tool: string, input: Input) => {
  const csrf = await page.locator('#app').getAttribute('data-csrf');
  const headers = { 'x-tamshai-csrf': csrf ?? '', 'sec-fetch-site': 'same-origin', origin: app.base };
  const answer = await page.request.post(`${app.base}/api/tools/${server}/${tool}`, { data: { input }, headers });
  return (await answer.json()) as {
    data: { rows: Record<string, unknown>[]; opens: ({ input: Input } | null)[] };
    metadata?: { count?: number };
  };
};
const figures = (page: Page, selector: string) => page.locator(selector).allInnerTexts();

describe('the form of analyze', () => {
  test('builds an analysis from the fields of a list, and its link shows the same figures', async () => {
    const { page, troubles } = await app.as('Eve Thompson', '/tools/sales/analyze');
    await page.getByLabel('List').selectOption({ label: 'Deals' });
    await page.getByLabel('Figure 1').selectOption({ label: 'Total value' });
    await page.getByRole('button', { name: 'Add a group' }).click();
    await page.getByLabel('Group 1', { exact: true }).selectOption({ label: 'Expected close date' });
    await page.getByLabel('Period of group 1', { exact: true }).selectOption('quarter');
    await page.getByLabel('Add a filter').selectOption('expected_close_date');
    const range = page.getByRole('group', { name: /^Expected close date/ });
    await range.getByLabel('from').fill('2026-01-01');
    await range.getByLabel('to').fill('2026-12-31');
    await page.getByLabel('Compare with').selectOption('previous_year');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('.plot').waitFor();
    const input = JSON.parse(new URL(page.url()).searchParams.get('input') ?? '') as Input;
    expect(input).toEqual({
      of: 'list_opportunities',
      measures: [{ sum: 'value' }],
      group_by: [{ field: 'expected_close_date', by: 'quarter' }],
      where: { expected_close_date: { from: '2026-01-01', to: '2026-12-31' } },
      compare: 'previous_year',
    });
    const shown = await figures(page, '.figures tbody tr');
    expect(shown).toHaveLength(4);
    expect(shown[0]).toMatch(/^Q1 2026\s+\$[\d,.]+\s+\$[\d,.]+\s+[+−][\d,.]+%$/);
    await page.goto(page.url());
    await page.locator('.plot').waitFor();
    expect(await figures(page, '.figures tbody tr')).toEqual(shown);
    expect(await page.getByLabel('Compare with').inputValue()).toBe('previous_year');
    expect(await page.getByLabel('Period of group 1', { exact: true }).inputValue()).toBe('quarter');
    // Without its group, an order by it would be refused.
    await page.getByLabel('Order').selectOption('expected_close_date desc');
    await page.getByRole('button', { name: 'Remove period of group 1' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('.figures-big').waitFor();
    expect(await page.locator('.figures-change').innerText()).toMatch(/^[+−][\d.]+% from \$/);
    expect(troubles).toEqual([]);
  });

  test('does not offer a hidden field, and says who sees it', async () => {
    const { page } = await app.as('Nina Patel', linkTo('hr', { of: 'list_employees', group_by: ['department'] }));
    await page.locator('.fig').waitFor();
    await page.getByText(/^Salary is hidden from you on some rows, so it cannot be used here\. Visible to hr-write, /).waitFor();
    const offered = await page.locator('.analyze option').evaluateAll((all) => all.map((option) => option.getAttribute('value') ?? ''));
    expect(offered.length).toBeGreaterThan(10);
    expect(offered.filter((value) => value.includes('salary'))).toEqual([]);
    const { page: eve } = await app.as('Eve Thompson', linkTo('hr', { of: 'list_employees' }));
    expect(await eve.locator('.analyze option[value="avg salary"]').count()).toBe(1);
  });

  test('works for every list of every server', async () => {
    const { page, troubles } = await app.as('Eve Thompson', '/tools');
    const { data } = (await (await page.request.get(`${app.base}/api/user/mcp-tools`)).json()) as {
      data: {
        servers: { name: string; tools: { name: string; kind: string; fields: { name: string; groups: boolean; hidden: boolean }[] }[] }[];
      };
    };
    const lists = data.servers.flatMap(({ name, tools }) =>
      tools.filter(({ kind, fields }) => kind === 'list' && fields.some(({ groups }) => groups)).map((list) => ({ server: name, ...list })),
    );
    expect(lists.length).toBeGreaterThan(15);
    for (const { server, name, fields } of lists) {
      const group = fields.find(({ groups, hidden }) => groups && !hidden)?.name ?? '';
      await page.goto(app.base + linkTo(server, { of: name, group_by: [group] }));
      await page.locator('.panel .fig, .panel .empty, .panel .notice').first().waitFor();
      expect([name, await page.getByLabel('List').inputValue(), await page.locator('.panel .notice').allInnerTexts()]).toEqual([
        name,
        name,
        [],
      ]);
    }
    expect(troubles).toEqual([]);
  });
});

describe('a figure', () => {
  test('opens exactly the rows that it was made from, by mouse and by keyboard', async () => {
    const { page } = await app.as('Eve Thompson', linkTo('hr', BY_DEPARTMENT));
    await page.locator('.bars').waitFor();
    const { data } = await called(page, 'hr', 'analyze', BY_DEPARTMENT);
    const cells = await page.locator('.bars tbody tr td.num:nth-of-type(2)').allInnerTexts();
    expect(cells).toEqual(data.rows.map(({ count }) => String(count as number)));
    await page.getByRole('button', { name: 'Engineering', exact: true }).click();
    const rows = page.getByRole('region', { name: 'Employees: Engineering' });
    await rows.locator('.dt tbody tr').first().waitFor();
    await expect.poll(() => rows.locator('.dt-foot').innerText()).toContain('50 of 180 employees');
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Engineering');
    await page.getByRole('button', { name: 'Legal', exact: true }).focus();
    await page.keyboard.press('Enter');
    const legal = page.getByRole('region', { name: 'Employees: Legal' });
    await expect.poll(() => legal.locator('.dt-foot').innerText()).toBe('15 employees');
    await legal.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => legal.count()).toBe(0);
    await page.getByRole('button', { name: 'Legal', exact: true }).click();
    await legal.getByRole('link', { name: 'Open list' }).click();
    await page.waitForURL(/\/tools\/hr\/list_employees\?input=/);
    await expect.poll(() => page.locator('.dt-foot').innerText()).toBe('15 employees');
    expect(await page.locator('.exact').innerText()).toBe('Legal');
  });

  test('over time is reached by arrow keys, and has all its figures in the table', async () => {
    const { page } = await app.as('Eve Thompson', linkTo('sales', DEALS));
    await page.locator('.plot').waitFor();
    const { data } = await called(page, 'sales', 'analyze', DEALS);
    const periods = [...new Set(data.rows.map((row) => row['expected_close_date']))];
    expect(await page.locator('.figures tbody tr').count()).toBeGreaterThanOrEqual(periods.length);
    expect(await page.locator('.plot svg').getAttribute('aria-label')).toMatch(/^Total value.*Highest: .*\$.*The table has all figures\.$/);
    await page.locator('.plot-slots button').first().focus();
    await page.keyboard.press('ArrowRight');
    const name = (await page.evaluate<string>('document.activeElement.getAttribute("aria-label")')) ?? '';
    expect(name).toMatch(/^Q\d \d{4}: \$[\d,.]+, .*Show these rows$/);
    await page.keyboard.press('Enter');
    const [period = ''] = name.split(':');
    const rows = page.getByRole('region', { name: `Deals: ${period}` });
    const at = periods.map(String).toSorted()[1];
    const wanted = data.rows.filter((row) => row['expected_close_date'] === at).reduce((sum, row) => sum + Number(row['count']), 0);
    await expect.poll(() => rows.locator('.dt-foot').innerText()).toMatch(new RegExp(`(^|of )${wanted} deals`));
  });

  test('can be copied as it is shown', async () => {
    const { page } = await app.as('Eve Thompson', linkTo('hr', BY_DEPARTMENT));
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('.fig').waitFor();
    await page.locator('.fig').getByRole('button', { name: 'Copy as CSV' }).click();
    const [head, first] = (await page.evaluate<string>('navigator.clipboard.readText()')).split('\r\n');
    expect([head, first]).toEqual(['Department,Average salary,Number of employees', 'Legal,143066.67,15']);
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    expect((await figures(page, '.figures tbody tr'))[0]).toMatch(/^Legal\s+\$143,066\.67\s+15$/);
  });
});

test("the assistant's answer shows an analysis as a chart with its figures", async () => {
  const { page, troubles } = await app.as('Alice Chen');
  await ask(page, 'What is the average salary by department?');
  await page.locator('.turn .fig .bars').waitFor();
  expect(await page.locator('.turn .tool summary').innerText()).toMatch(/hr\.analyze.*8 groups/s);
  await page.locator('.turn').getByRole('button', { name: 'Legal', exact: true }).click();
  await expect.poll(() => page.locator('.turn .dt-foot').innerText()).toBe('15 employees');
  await page.locator('.turn').getByRole('link', { name: 'Open in Tools' }).first().click();
  await page.locator('.tool-page .fig').waitFor();
  expect(troubles).toEqual([]);
});

test('a table says how many rows there are', async () => {
  const { page } = await app.as('Alice Chen', linkTo('hr', { department: 'Engineering' }, 'list_employees'));
  await expect.poll(() => page.locator('.dt-foot').innerText()).toMatch(/^50 of 180 employees/);
  expect(await page.locator('.dt-note').innerText()).toContain('Incomplete: the first 50 of 180.');
  expect(await page.locator('.dt-foot').innerText()).not.toContain('$');
});

test('a link runs a read call, but never prepares a change', async () => {
  const { page } = await app.as('Alice Chen');
  const calls: string[] = [];
  page.on('request', (request) => request.url().includes('/api/tools/') && calls.push(request.url()));
  await page.goto(app.base + linkTo('hr', { employee_id: crypto.randomUUID(), new_salary: 1 }, 'update_salary'));
  await page.getByRole('button', { name: 'Prepare', exact: true }).waitFor();
  await page.waitForLoadState('networkidle');
  expect(calls).toEqual([]);
});

test.each([
  [390, false],
  [390, true],
  [1440, false],
  [1440, true],
])('charts fit %d pixels, and axe finds nothing (dark: %s)', async (width, dark) => {
  const single = {
    of: 'list_opportunities',
    compare: 'previous_year',
    where: { expected_close_date: { from: '2026-01-01', to: '2026-06-30' } },
  };
  for (const [name, server, input] of [
    ['bars', 'hr', BY_DEPARTMENT],
    ['stacked-over-time', 'sales', DEALS],
    ['stacked', 'sales', { of: 'list_opportunities', group_by: ['owner_name', 'stage'], limit: 200 }],
    ['line', 'hr', { of: 'list_employees', group_by: [{ field: 'hire_date', by: 'year' }], compare: 'previous_period' }],
    ['single', 'sales', single],
  ] as const) {
    const { page, troubles } = await app.as('Eve Thompson', linkTo(server, input), { width, dark });
    await page.locator('.fig').waitFor();
    await shot(page, `analysis-${name}-${width}-${dark ? 'dark' : 'light'}`);
    expect([name, await seriousProblems(page), await sidewaysScroll(page), troubles]).toEqual([name, [], 0, []]);
    await page.close();
  }
});
