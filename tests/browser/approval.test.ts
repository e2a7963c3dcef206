/** From an assistant's link to the changed row, in a real browser, on the whole product. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { persona } from '../../src/sample/people.ts';
import { openSite, type Site } from '../site.ts';
import { launchChromium } from './chromium.ts';

/** Where a person can look at what the browser showed. */
const SHOTS = process.env['TAMSHAI_TEST_SHOTS'];
const ARMED = 950;
const sarah = persona('sarah.kim').employeeId ?? '';

let site: Site;
let browser: Browser;
beforeAll(async () => {
  site = await openSite();
  browser = await launchChromium();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

async function shot(page: Page, name: string): Promise<void> {
  if (!SHOTS) return;
  await mkdir(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true });
}

/** A browser of one's own, with a note of everything it asked for. */
async function visitor(options: Parameters<Browser['newPage']>[0] = {}) {
  const page = await browser.newPage(options);
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(site.tamshai.base).origin) foreign.push(request.url());
  });
  return { page, foreign };
}
const salary = async () => Number((await site.owner('select salary from hr.pay where employee_id = $1', [sarah]))[0]?.['salary']);

test('Alice opens the link, signs in, sees now and after, and approves; it happens once', async () => {
  const before = await salary();
  const pending = await site.ask('alice.chen', 'hr', 'update_salary', {
    employee_id: sarah,
    new_salary: before + 5_000,
    reason: 'Promotion',
  });
  const { page, foreign } = await visitor({ viewport: { width: 1440, height: 900 } });
  await page.goto(pending.confirmationData.approvalUrl);
  await shot(page, 'sign-in-1440');
  await page.getByRole('button', { name: /Alice Chen/ }).click();
  await page.waitForURL(pending.confirmationData.approvalUrl);
  const text = await page.locator('main').innerText();
  for (const shown of ['Sarah Kim', 'Promotion', before.toLocaleString('en-US'), (before + 5_000).toLocaleString('en-US'), sarah])
    expect(text).toContain(shown);
  await shot(page, 'card-1440');
  await page.waitForTimeout(ARMED);
  await page.getByRole('button', { name: 'Approve' }).dblclick();
  await expect.poll(() => page.locator('main').innerText(), { timeout: 10_000 }).toMatch(/Done/);
  await shot(page, 'receipt-1440');
  expect(await salary()).toBe(before + 5_000);
  const history = await site.owner('select 1 from hr.salary_history where employee_id = $1 and new_salary = $2', [sarah, before + 5_000]);
  expect(history).toHaveLength(1);
  expect(foreign).toEqual([]);
  await page.close();
}, 60_000);

test("someone else's link tells nothing and changes nothing; the owner can still deny on a phone", async () => {
  const before = await salary();
  const pending = await site.ask('alice.chen', 'hr', 'update_salary', { employee_id: sarah, new_salary: before + 9_000 });
  const { page: other } = await visitor();
  await other.goto(pending.confirmationData.approvalUrl);
  await other.getByRole('button', { name: /Nina Patel/ }).click();
  await other.waitForURL(pending.confirmationData.approvalUrl);
  const told = await other.locator('body').innerText();
  expect(told).toContain('This change waits for someone else');
  expect(told).not.toContain('Sarah');
  await other.close();

  const { page } = await visitor({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
  await page.goto(pending.confirmationData.approvalUrl);
  await page.getByRole('button', { name: /Alice Chen/ }).click();
  await page.waitForURL(pending.confirmationData.approvalUrl);
  await shot(page, 'card-390-dark');
  await page.waitForTimeout(ARMED);
  await page.getByRole('button', { name: 'Deny' }).click();
  await expect.poll(() => page.locator('main').innerText(), { timeout: 10_000 }).toMatch(/Denied by you/);
  expect(await salary()).toBe(before);
  await page.close();
}, 60_000);
