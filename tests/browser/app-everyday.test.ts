/** Browser tests of everyday use: titles, search, erasing, copying, scrolling, rows, zoom, reloads, lost servers and accessibility. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AppTestServer, ask, openApp } from './app.ts';

let app: AppTestServer;
beforeAll(async () => {
  app = await openApp();
}, 300_000);
afterAll(async () => app?.close());

const EMPLOYEES = `/tools/hr/list_employees?${new URLSearchParams({ input: JSON.stringify({ department: 'Legal' }) })}`;

describe('finding', () => {
  test.each([
    ['Eve Thompson', '/', 'Ask · Tamshai'],
    ['Eve Thompson', '/approvals', 'Approvals · Tamshai'],
    ['Eve Thompson', '/tools/hr/list_employees', 'Employees, hr · Tamshai'],
    ['Eve Thompson', '/audit', 'Audit log · Tamshai'],
    ['jane.smith@acme.example', '/portal/new', 'New ticket · Tamshai'],
  ])('%s reads at %s the title %s', async (who, path, title) => {
    const { page } = await app.as(who, path);
    await expect.poll(() => page.title()).toBe(title);
  });

  test('a conversation has its question as its title, and the search finds the page of tools', async () => {
    const { page } = await app.as('Alice Chen');
    await ask(page, 'Who works in Legal?');
    await expect.poll(() => page.title()).toBe('Who works in Legal? · Tamshai');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('tools');
    await page.getByRole('option', { name: 'Tools page' }).click();
    await page.waitForURL(/\/tools$/);
  });
});

describe('a table', () => {
  test('copies the columns that it shows, and neither the copy nor the full screen has masked fields that it leaves out', async () => {
    const { page } = await app.as('Alice Chen', EMPLOYEES);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('.dt tbody tr').first().waitFor();
    // A narrow table hides some of its columns, and then they have no text.
    const heads = (within: string) =>
      page.locator(`${within} thead th:not(.t-more)`).evaluateAll((all) => all.map((head) => head.getAttribute('aria-label') ?? ''));
    const shown = await heads('.dt');
    const copied = async (within: string) => {
      await page.locator(within).getByRole('button', { name: 'Copy as CSV' }).click();
      return (await page.evaluate<string>('navigator.clipboard.readText()')).split('\r\n')[0]?.split(',');
    };
    expect(await copied('.dt')).toEqual(shown);
    await page.getByRole('button', { name: /full screen$/ }).click();
    await page.locator('.dt--full').waitFor();
    const full = await heads('.dt--full');
    expect(full.length).toBeGreaterThanOrEqual(shown.length);
    expect(await copied('.dt--full')).toEqual(full);
    expect([...shown, ...full].filter((head) => /ssn|address|phone/i.test(head))).toEqual([]);
  });

  test('opens a row by a click on it, but not by a click that selects text, and names the SSN in capitals', async () => {
    const { page } = await app.as('Alice Chen', EMPLOYEES);
    await page.locator('.dt tbody tr td').nth(1).click();
    await page.locator('.t-open').waitFor();
    expect(await page.locator('.t-open dt').allInnerTexts()).toContain('SSN');
    await page.locator('.dt tbody tr td').nth(1).click();
    await expect.poll(() => page.locator('.t-open').count()).toBe(0);
    const box = await page.locator('.dt tbody tr td').nth(1).boundingBox();
    if (!box) throw new Error('The cell has no box.');
    await page.mouse.move(box.x + 4, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 5 });
    await page.mouse.up();
    expect(await page.evaluate<number>('getSelection().toString().length')).toBeGreaterThan(0);
    expect(await page.locator('.t-open').count()).toBe(0);
  });
});

describe('a conversation', () => {
  test('is erased only after a second question', async () => {
    const { page } = await app.as('Alice Chen');
    await ask(page, 'Who works in Legal?');
    const address = page.url();
    await page.getByRole('button', { name: 'Erase', exact: true }).click();
    await page.getByText('Erase this conversation?').waitFor();
    // Enter and Escape keep it.
    await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toBe('Keep');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Erase', exact: true }).click();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByText('Erase this conversation?').count()).toBe(0);
    await page.goto(address);
    await page.locator('.turn').waitFor();
    await page.getByRole('button', { name: 'Erase', exact: true }).click();
    await page.getByRole('button', { name: 'Erase for good' }).click();
    await page.waitForURL(`${app.base}/`);
  });

  test('keeps the question in view while a long answer grows', async () => {
    const { page } = await app.as('Alice Chen', '/', { height: 600 });
    for (const question of ['Who works in Legal?', 'Who works in Engineering?']) {
      await ask(page, question);
      await page.locator('.turn').last().locator('.dt tbody tr').first().waitFor();
      await page.waitForTimeout(500);
      const box = await page.locator('.turn').last().locator('h2').boundingBox();
      expect([question, (box?.y ?? -1) >= 40, (box?.y ?? 999) < 500]).toEqual([question, true, true]);
    }
  });

  test('at 200 % zoom leaves most of the height to the answer', async () => {
    const { page } = await app.as('Alice Chen', '/', { width: 640, height: 400 });
    await ask(page, 'Who works in Legal?');
    expect((await page.locator('.dock').boundingBox())?.height ?? 999).toBeLessThan(120);
  });

  test('has its question back in the field after a reload during the answer', async () => {
    const { page } = await app.as('Dan Williams');
    await page.route('**/api/query', async () => new Promise(() => {}));
    await page.getByLabel('Your question').fill('Take your time');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await page.reload();
    await page.getByText('Your question is back in its field.').waitFor();
    expect(await page.getByLabel('Your question').inputValue()).toBe('Take your time');
    await page.getByLabel('Your question').fill('');
    await page.reload();
    await page.getByLabel('Your question').waitFor();
    expect(await page.getByLabel('Your question').inputValue()).toBe('');
  });

  test('gets its question back if no server answers, and the services are not called well', async () => {
    const { page } = await app.as('Sarah Kim');
    await page.getByText('All services answer').waitFor();
    await page.route('**/api/**', (route) => route.abort());
    await page.getByLabel('Your question').fill('Who is my manager?');
    await page.keyboard.press('Enter');
    await page.locator('.notice').getByText('Tamshai cannot be reached.').waitFor();
    expect(await page.getByLabel('Your question').inputValue()).toBe('Who is my manager?');
    expect(await page.locator('.turn').count()).toBe(0);
    expect(await page.getByText('All services answer').count()).toBe(0);
    await page.getByText('No connection.').first().waitFor();
  });
});

/** Rules of axe that are not serious, but were broken once. */
const RULES = ['region', 'heading-order', 'empty-table-header', 'landmark-one-main', 'page-has-heading-one'];
async function problems(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  const found = await page.evaluate(`axe.run(document, { runOnly: ${JSON.stringify(RULES)} })`);
  return (found as { violations: { id: string; nodes: { html: string }[] }[] }).violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 100)).join(' | ')}`,
  );
}

test.each([390, 1440])('at %d pixels, landmarks, headings and table headers are complete', async (width) => {
  const { page } = await app.as('Alice Chen', '/', { width });
  await ask(page, 'Who works in Engineering?');
  await page.locator('.dt tbody tr').first().waitFor();
  expect(['conversation', await problems(page)]).toEqual(['conversation', []]);
  await page.goto(app.base + EMPLOYEES);
  await page.locator('.dt tbody tr').first().waitFor();
  expect(['tools', await problems(page)]).toEqual(['tools', []]);
  const { page: jane } = await app.as('jane.smith@acme.example', '/portal/contacts', { width });
  await jane.getByRole('button', { name: 'Make lead' }).first().click();
  await jane.locator('.ap').waitFor();
  expect(['contacts', await problems(jane)]).toEqual(['contacts', []]);
  await jane.goto(`${app.base}/docs`);
  expect(['docs', await problems(jane)]).toEqual(['docs', []]);
});
