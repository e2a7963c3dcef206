/** Browser tests of the product's main scenarios, each from the sign-in page to its result. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { persona } from '../../domains/sample-company/people.ts';
import { type AppTestServer, ask, openApp, press } from './app.ts';

let app: AppTestServer;
beforeAll(async () => {
  app = await openApp();
}, 300_000);
afterAll(async () => app?.close());

/** Opens the start page without cookies, and signs in there. */
async function signIn(name: string): Promise<Page> {
  const { page, troubles } = await app.signedOut();
  await page.goto(app.base);
  await page.getByRole('link', { name: 'Sign in' }).first().click();
  await page.getByRole('button', { name }).click();
  await page.getByLabel('Your question').waitFor();
  expect(troubles).toEqual([]);
  return page;
}
const said = (page: Page) => page.locator('.turn').last().locator('.prose').innerText();
const chip = (page: Page) => page.locator('.turn').last().locator('.tool summary').last().innerText();
const kind = (page: Page, words: string) => page.locator('.turn').last().locator('.ap-kind', { hasText: words }).waitFor();
const id = (name: string) => persona(name).employeeId ?? '';

describe('people and time off', () => {
  test('Marcus asks for his PTO balance and gets the figure', async () => {
    const page = await signIn('Marcus Johnson');
    await ask(page, 'What is my PTO balance?');
    expect(await chip(page)).toContain('hr.get_time_off_balances');
    const { body } = await app.testServer.rest('marcus.johnson', 'hr', 'get_time_off_balances');
    expect(await said(page)).toContain(String((body as { data: { pto_balance: number } }).data.pto_balance));
  });

  test('Nina asks who on her team has performance reviews due, and sees nobody else', async () => {
    const page = await signIn('Nina Patel');
    await ask(page, 'Who on my team has performance reviews due?');
    expect(await chip(page)).toContain('hr.get_performance_reviews');
    await page.locator('.dt tbody tr').first().waitFor();
    expect(await page.locator('.dt').innerText()).not.toMatch(/Eve Thompson|Bob Martinez/);
  });

  test('Nina gets the same "not found" for a person above her as for an unknown id', async () => {
    const page = await signIn('Nina Patel');
    const words: string[] = [];
    for (const employee of [id('eve.thompson'), '11111111-1111-4111-8111-111111111111']) {
      await page.goto(`${app.base}/tools/hr/get_employee?${new URLSearchParams({ input: JSON.stringify({ employee_id: employee }) })}`);
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      words.push((await page.locator('.panel .notice').innerText()).replaceAll(employee, 'ID'));
    }
    expect(words[0]).toBe(words[1]);
    expect(words[0]).not.toContain('Eve');
  });

  test('Frank, the intern, sees no salary when he asks for all salaries', async () => {
    const page = await signIn('Frank Davis');
    await ask(page, 'Show me all employee salaries');
    expect(await page.locator('.turn').innerText()).not.toMatch(/\$\d/);
    expect((await said(page)).length).toBeGreaterThan(20);
  });

  test('Marcus requests a day off, Nina approves it, and Marcus lists his requests', async () => {
    const requests = async () => {
      const { body } = await app.testServer.rest('marcus.johnson', 'hr', 'list_time_off_requests');
      return new Map((body as { data: { request_id: string; status: string }[] }).data.map((row) => [row.request_id, row.status]));
    };
    const before = await requests();
    const marcus = await signIn('Marcus Johnson');
    await ask(marcus, 'Can I take next Friday off as a personal day?');
    await kind(marcus, 'Needs your approval');
    await press(marcus, 'Approve');
    await kind(marcus, 'Done');
    const [asked, ...others] = [...(await requests())].filter(([request]) => !before.has(request));
    expect([asked?.[1], others]).toEqual(['pending', []]);
    const nina = await signIn('Nina Patel');
    const input = JSON.stringify({ request_id: asked?.[0], approved: true });
    await nina.goto(`${app.base}/tools/hr/approve_time_off_request?${new URLSearchParams({ input })}`);
    await nina.getByRole('button', { name: 'Prepare' }).click();
    await press(nina, 'Approve');
    await nina.locator('.ap-kind', { hasText: 'Done' }).waitFor();
    expect((await requests()).get(asked?.[0] ?? '')).toBe('approved');
    await ask(marcus, 'Show my time off requests');
    await marcus.locator('.turn').last().locator('.dt tbody tr').first().waitFor();
  });

  test('Alice removes Frank after a second confirmation, and he is in no list and can call no tool', async () => {
    const page = await signIn('Alice Chen');
    await ask(page, 'Delete the employee Frank Davis, his internship is over');
    await kind(page, 'Needs your approval');
    expect(await page.locator('.turn').last().locator('.ap').innerText()).toContain('Frank Davis');
    await press(page, 'Approve');
    await page.waitForTimeout(1000);
    await page.getByRole('button', { name: /^Yes, / }).click();
    await kind(page, 'Done');
    await ask(page, 'Find Frank Davis');
    expect(await page.locator('.turn').last().locator('.dt tbody tr').count()).toBe(0);
    expect((await app.testServer.rest('frank.davis', 'tasks', 'list_tasks')).status).toBe(403);
  });
});

describe('money, deals and tickets', () => {
  test.each([
    ['Eve Thompson', "What's our Q4 budget vs actual spend?", 'finance.list_budgets', '.fig'],
    ['Bob Martinez', 'Which budgets are waiting for approval?', 'finance.list_budgets', '.fig, .dt'],
    ['Carol Johnson', 'Show me top 5 deals closing this month', 'sales.list_opportunities', '.dt'],
    ['Dan Williams', 'Open critical tickets', 'support.search_tickets', '.dt'],
    ['Marcus Johnson', 'What do we know about deployment?', 'knowledge.query', '.dt'],
    ['Marcus Johnson', 'Search the project history for PGlite', 'journey.search_journey', '.dt'],
  ])('%s asks "%s" and gets the rows of %s', async (who, question, tool, shown) => {
    const page = await signIn(who);
    await ask(page, question);
    expect(await chip(page)).toContain(tool);
    await page.locator('.turn').last().locator(shown).first().waitFor();
  });
});

describe('the task list', () => {
  test('Sarah adds, lists, completes and deletes a task by asking, without an approval', async () => {
    const page = await signIn('Sarah Kim');
    await ask(page, 'Remind me to call the landlord');
    expect(await page.locator('.turn').last().locator('.ap').count()).toBe(0);
    await ask(page, 'What is on my list?');
    await page.locator('.turn').last().locator('.dt').first().waitFor();
    expect(await page.locator('.turn').last().innerText()).toContain('Call the landlord');
    const { body } = await app.testServer.rest('sarah.kim', 'tasks', 'list_tasks', { status: 'pending' });
    const { data } = body as { data: { id: number; title: string }[] };
    const number = data.find(({ title }) => title === 'Call the landlord')?.id ?? 0;
    await ask(page, `Mark task ${number} as done`);
    expect(await chip(page)).toContain('tasks.complete_task');
    await ask(page, `Delete task ${number}`);
    expect(await chip(page)).toContain('tasks.delete_task');
    const { body: after } = await app.testServer.rest('sarah.kim', 'tasks', 'list_tasks');
    expect((after as { data: { id: number }[] }).data.map((task) => task.id)).not.toContain(number);
  });
});
