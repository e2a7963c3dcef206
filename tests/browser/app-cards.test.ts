/** Browser tests of approval cards in the web app: approve, deny, conflicts, expiry, keyboard use and approval links. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../src/declare/people.ts';
import { persona } from '../../domains/sample-company/people.ts';
import { ARMED, type AppTestServer, ask, openApp, press, shot } from './app.ts';
import { STOPPED_CLOCK } from './stopped-clock.ts';

let app: AppTestServer;
beforeAll(async () => {
  app = await openApp();
}, 300_000);
afterAll(async () => app?.close());

const sarah = persona('sarah.kim').employeeId ?? '';
const salary = async () => Number((await app.testServer.owner('select salary from hr.pay where employee_id = $1', [sarah]))[0]?.['salary']);
const prepared = async (raise: number, more: object = {}) => {
  const now = await salary();
  const pending = await app.testServer.ask('alice.chen', 'hr', 'update_salary', { employee_id: sarah, new_salary: now + raise, ...more });
  return { id: pending.confirmationId, now };
};
const approve = (page: Page) => page.getByRole('button', { name: 'Approve', exact: true });
const kind = (page: Page, words: string) => page.locator('.ap-kind', { hasText: words }).waitFor({ timeout: 60_000 });

describe('an approval card in the app', () => {
  test('follows a question, changes the row once when approved, and every tab shows the result', async () => {
    const before = await salary();
    const { page, troubles } = await app.as('Alice Chen');
    await ask(page, `Increase Sarah Kim's salary to $${(before + 3000).toLocaleString('en-US')}`);
    await kind(page, 'Needs your approval');
    expect(await page.evaluate('document.activeElement.id')).toBe('question');
    expect(await page.locator('.ap').innerText()).toContain('Nothing has changed yet.');
    await page.getByText('waits for you', { exact: true }).waitFor();
    await shot(page, 'conversation-card');
    const { page: second } = await app.as('Alice Chen', '/approvals', { beside: page });
    await kind(second, 'Needs your approval');
    await page.bringToFront();
    await approve(page).scrollIntoViewIfNeeded();
    await page.waitForTimeout(ARMED);
    await approve(page).dblclick();
    await kind(page, 'Done');
    expect(await salary()).toBe(before + 3000);
    expect(
      await app.testServer.owner('select 1 from hr.salary_history where employee_id = $1 and new_salary = $2', [sarah, before + 3000]),
    ).toHaveLength(1);
    await second.bringToFront();
    await second.getByText('Approved by you').waitFor();
    await page.bringToFront();
    await page.getByText('asked you', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Copy receipt' }).waitFor();
    await page.getByRole('link', { name: /^Audit record/ }).click();
    await page.getByText('hr.update_salary, approved').waitFor();
    expect(troubles).toEqual([]);
  });

  test('is not approved by typing "yes", by any key, or by a click of a script', async () => {
    const before = await salary();
    const { page } = await app.as('Alice Chen');
    await ask(page, `Increase Sarah Kim's salary to $${(before + 4000).toLocaleString('en-US')}`);
    await kind(page, 'Needs your approval');
    await page.waitForTimeout(ARMED);
    await page.getByLabel('Your question').fill('yes');
    await page.keyboard.press('Enter');
    await page.getByText('I cannot approve for you. Press Approve or Deny on the card above.').first().waitFor();
    await page.getByRole('button', { name: 'Go to the card' }).click();
    for (const key of ['Enter', 'Space', 'y', 'a', 'Control+Enter']) await page.keyboard.press(key);
    await page.evaluate(
      `for (const button of document.querySelectorAll('.card-host button')) { button.click(); button.dispatchEvent(new ` +
        `MouseEvent('click', { bubbles: true })); }`,
    );
    await page.waitForTimeout(500);
    expect(await salary()).toBe(before);
    await kind(page, 'Needs your approval');
  });

  test('that is denied changes nothing', async () => {
    const { id, now } = await prepared(5100);
    const { page } = await app.as('Alice Chen', `/approvals/${id}`);
    await press(page, 'Deny');
    await kind(page, 'Denied by you');
    expect(await salary()).toBe(now);
    await expect.poll(() => page.locator('.inbox-list').innerText()).toContain('Denied by you');
  });

  test('ignores a click that comes too soon, or right after the card moved', async () => {
    const { id, now } = await prepared(5200);
    const { page } = await app.as('Alice Chen', `/approvals/${id}`, { init: STOPPED_CLOCK });
    await approve(page).waitFor();
    await approve(page).click({ force: true });
    await page.evaluate('passTime()');
    await page.waitForTimeout(ARMED);
    await page.evaluate(
      `stopTime(); document.querySelector('.inbox-detail').prepend(Object.assign(document.createElement('p'), { textContent: 'pushed' }))`,
    );
    await approve(page).click({ force: true });
    await page.waitForTimeout(400);
    expect(await salary()).toBe(now);
    await kind(page, 'Needs your approval');
  });

  test('reports that the row has changed since it was shown, and can be prepared again with the new values', async () => {
    const before = await salary();
    const { page } = await app.as('Alice Chen', `/tools/hr/update_salary`);
    await page.getByLabel(/^employee_id/).fill(sarah);
    await page.getByLabel(/^new_salary/).fill(String(before + 6000));
    await page.getByRole('button', { name: 'Prepare' }).click();
    await kind(page, 'Needs your approval');
    await app.testServer.owner('update hr.pay set salary = salary + 1 where employee_id = $1', [sarah]);
    await press(page, 'Approve');
    await kind(page, 'Not applied: changed since you looked');
    expect(await salary()).toBe(before + 1);
    await page.getByRole('button', { name: 'Prepare with new values' }).click();
    await kind(page, 'Needs your approval');
    await press(page, 'Approve');
    await kind(page, 'Done');
    expect(await salary()).toBe(before + 6000);
  });

  test('expires while it is shown, and says that this is not a denial', async () => {
    const { sub } = persona('alice.chen');
    const askedAt = new Date(Date.now() - 288_000);
    const ticket = await app.testServer.tamshai.modules.tools.runtime.tickets.ask({
      person: { principal: `staff:${sub}` } as Person,
      server: 'hr',
      tool: 'update_salary',
      input: { employee_id: sarah, new_salary: 1 },
      message: 'Change the salary of Sarah Kim?',
      versions: [],
      askedAt,
      card: (_id, expiresAt) => ({
        action: 'update_salary',
        mcpServer: 'hr',
        userId: sub,
        timestamp: askedAt.getTime(),
        expiresAt,
        approvalUrl: '',
        summary: 'Change the salary of Sarah Kim',
        subject: { label: 'Sarah Kim', id: sarah },
        changes: [{ field: 'salary', label: 'Salary', from: 2, to: 1, format: 'money', currency: 'USD' }],
        reason: null,
        destructive: false,
        origin: 'web',
      }),
    });
    const { page } = await app.as('Alice Chen', `/approvals/${ticket.id}`);
    await kind(page, 'Expired');
    expect(await page.locator('.ap').innerText()).toContain(
      'Nobody answered within five minutes, so nothing was changed. This is not a denial.',
    );
    await expect.poll(() => page.locator('.inbox-list').innerText(), { timeout: 20_000 }).toContain('Expired, nothing changed');
  });

  test('of another person shows nothing of the change', async () => {
    const { id } = await prepared(8000);
    const { page } = await app.as('Nina Patel', `/approvals/${id}`);
    await page.getByText('This change waits for someone else. You can only approve your own.').waitFor();
    expect(await page.locator('main').innerText()).not.toContain('Sarah');
  });

  test('says that the outcome is unknown when the connection is lost', async () => {
    const { id, now } = await prepared(9000);
    const { page } = await app.as('Alice Chen', `/approvals/${id}`);
    await approve(page).waitFor();
    await page.context().setOffline(true);
    await press(page, 'Approve');
    await page.getByText('We do not know yet whether it ran.').waitFor({ timeout: 15_000 });
    await page.context().setOffline(false);
    await kind(page, 'Needs your approval');
    expect(await salary()).toBe(now);
  });

  test('that deletes something asks for a second confirmation', async () => {
    const pending = await app.testServer.ask('alice.chen', 'hr', 'delete_employee', {
      employee_id: persona('frank.davis').employeeId ?? '',
      reason: 'Internship ended',
    });
    const { page } = await app.as('Alice Chen', `/approvals/${pending.confirmationId}`);
    await press(page, 'Approve');
    await page.getByRole('button', { name: /^Yes, / }).waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await kind(page, 'Needs your approval');
    const { body } = await app.testServer.rest('alice.chen', 'hr', 'get_employee', { employee_id: persona('frank.davis').employeeId });
    expect(body.status).toBe('success');
  });
});

describe('a keyboard user', () => {
  test('asks, reaches the button, and approves', async () => {
    const before = await salary();
    const { page } = await app.as('Alice Chen');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('question');
    await page.keyboard.type(`Increase Sarah Kim's salary to $${(before + 2000).toLocaleString('en-US')}`);
    await page.keyboard.press('Enter');
    await kind(page, 'Needs your approval');
    const focusOn = async (wanted: string) => {
      for (let press = 0; press < 60; press++) {
        if ((await page.evaluate<string>('document.activeElement?.textContent ?? ""')).startsWith(wanted)) return;
        await page.keyboard.press('Shift+Tab');
      }
      throw new Error(`the keyboard does not reach ${wanted}`);
    };
    await focusOn('Approve');
    await page.waitForTimeout(ARMED);
    await page.keyboard.press('Enter');
    await kind(page, 'Done');
    expect(await salary()).toBe(before + 2000);
  });
});

describe('a keyboard user in a conversation', () => {
  test('opens the input of a tool call, sorts its table, and denies a change', async () => {
    const before = await salary();
    const { page } = await app.as('Alice Chen');
    await ask(page, 'Who works in Engineering?');
    await page.locator('.dt tbody tr').first().waitFor();
    const reach = async (wanted: string) => {
      for (let press = 0; press < 120; press++) {
        if (await page.evaluate<boolean>(`document.activeElement?.matches(${JSON.stringify(wanted)}) === true`)) return;
        await page.keyboard.press('Shift+Tab');
      }
      throw new Error(`the keyboard does not reach ${wanted}`);
    };
    await reach('.t th button');
    await page.keyboard.press('Enter');
    expect(await page.locator('th[aria-sort="ascending"]').count()).toBe(1);
    await reach('.tool summary');
    await page.keyboard.press('Enter');
    await page.locator('.tool[open] .tool-body').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Your question').focus();
    await page.keyboard.type(`Increase Sarah Kim's salary to $${(before + 2500).toLocaleString('en-US')}`);
    await page.keyboard.press('Enter');
    await kind(page, 'Needs your approval');
    await reach('[data-decide="deny"]');
    await page.waitForTimeout(ARMED);
    await page.keyboard.press('Enter');
    await kind(page, 'Denied by you');
    expect(await salary()).toBe(before);
    expect(await page.evaluate('document.activeElement?.closest(".ap") !== null')).toBe(true);
  });
});

describe('the approval link of an MCP client', () => {
  const linked = async (raise: number) => {
    const before = await salary();
    const pending = await app.testServer.ask('alice.chen', 'hr', 'update_salary', {
      employee_id: sarah,
      new_salary: before + raise,
      reason: 'Promotion',
    });
    return { before, url: pending.confirmationData.approvalUrl };
  };
  const open = async (url: string, who: RegExp, opening: { width?: number; dark?: boolean } = {}) => {
    const opened = await app.signedOut(opening);
    await opened.page.goto(url);
    await opened.page.getByRole('button', { name: who }).click();
    await opened.page.waitForURL(url);
    return opened;
  };

  test('lets Alice sign in, see the old and new values, and approve once', async () => {
    const { before, url } = await linked(5_000);
    const { page, troubles } = await open(url, /Alice Chen/, { width: 1440 });
    const text = await page.locator('main').innerText();
    for (const shown of ['Sarah Kim', 'Promotion', before.toLocaleString('en-US'), (before + 5_000).toLocaleString('en-US'), sarah])
      expect(text).toContain(shown);
    await shot(page, 'card-1440');
    await page.waitForTimeout(ARMED);
    await approve(page).dblclick();
    await kind(page, 'Done');
    await shot(page, 'receipt-1440');
    expect(await salary()).toBe(before + 5_000);
    const history = await app.testServer.owner('select 1 from hr.salary_history where employee_id = $1 and new_salary = $2', [
      sarah,
      before + 5_000,
    ]);
    expect(history).toHaveLength(1);
    expect(troubles).toEqual([]);
  });

  test('shows nothing of the change to another person, and its owner can deny it on a phone', async () => {
    const { before, url } = await linked(9_500);
    const { page: other } = await open(url, /Nina Patel/);
    const text = await other.locator('body').innerText();
    expect(text).toContain('This change waits for someone else');
    expect(text).not.toContain('Sarah');
    const { page } = await open(url, /Alice Chen/, { width: 390, dark: true });
    await shot(page, 'card-390-dark');
    await press(page, 'Deny');
    await kind(page, 'Denied by you');
    expect(await salary()).toBe(before);
  });
});
