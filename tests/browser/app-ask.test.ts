/** Browser tests of asking a question in the web app: tables, paging, charts, streaming, errors and sign-out. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scripted } from '../assistant-events.ts';
import { type AppTestServer, ask, openApp, shot } from './app.ts';

let app: AppTestServer;
beforeAll(async () => {
  app = await openApp();
}, 300_000);
afterAll(async () => app?.close());

describe('a question', () => {
  test('is answered with text, the name of the tool, and a table that can be sorted and loads further pages', async () => {
    const { page, troubles } = await app.as('Bob Martinez');
    expect(await page.locator('h1').innerText()).toBe('What do you want to know, Bob?');
    await ask(page, 'Show me invoices over $10,000');
    expect(new URL(page.url()).pathname).toMatch(/^\/c\/[0-9a-f-]{36}$/);
    expect(await page.locator('.tool summary').first().innerText()).toContain('finance.list_invoices');
    const rows = page.locator('.dt tbody tr');
    await expect.poll(() => rows.count()).toBe(50);
    expect(await page.locator('.dt-note').innerText()).toMatch(/Incomplete: the first 50 of (more than 50|\d+)\./);

    const amounts = async () => (await page.locator('.dt td.cell-end').allInnerTexts()).map((text) => Number(text.replace(/[$,]/g, '')));
    await page.locator('th.num button').last().click();
    const up = await amounts();
    expect(up).toEqual(up.toSorted((a, b) => a - b));
    await page.locator('th.num button').last().click();
    expect(await amounts()).toEqual(up.toReversed());
    expect(await page.locator('.dt-foot').innerText()).toContain('Sorted within the loaded rows.');

    // A keyboard user can skip the fifty rows, and keeps the focus while more rows load.
    await page.getByRole('button', { name: 'Skip these rows' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await expect.poll(() => rows.count()).toBeGreaterThan(50);
    while (await page.getByRole('button', { name: 'Show 50 more' }).isVisible()) {
      const before = await rows.count();
      await page.getByRole('button', { name: 'Show 50 more' }).click();
      await expect.poll(() => rows.count()).toBeGreaterThan(before);
    }
    expect(await page.locator('.dt-note').count()).toBe(0);
    expect(await page.locator('.dt-foot').innerText()).toMatch(/^\d+ invoices$/);
    await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toMatch(/^\d+ invoices$/);
    expect(troubles).toEqual([]);
  });

  test('is answered with a chart if the tool declares one, and the same figures are available as a table', async () => {
    const { page } = await app.as('Eve Thompson');
    await ask(page, 'How did our recurring revenue develop this year?');
    await page.locator('svg.wf').waitFor();
    expect(await page.locator('svg.wf').getAttribute('aria-label')).toMatch(/^ARR movement: Start \$.*Churn −\$.*End \$/);
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    await page.locator('.dt tbody tr').first().waitFor();
    await ask(page, 'What does the pipeline look like this quarter?');
    await page.locator('.bars').first().waitFor();
    await shot(page, 'conversation-charts');
  });

  test('is stored: after a reload the conversation is shown, can be continued, and can be erased', async () => {
    const { page } = await app.as('Alice Chen');
    await ask(page, 'Who works in Engineering?');
    const address = page.url();
    const said = await page.locator('.prose').first().innerText();
    await page.reload();
    await expect.poll(() => page.locator('.prose').first().innerText()).toBe(said);
    await page.getByRole('button', { name: /show current data/ }).click();
    await page.locator('.dt tbody tr').first().waitFor();
    await ask(page, 'and in Marketing?');
    expect(page.url()).toBe(address);
    expect(await page.locator('.turn').count()).toBe(2);
    await page.getByRole('button', { name: 'Erase', exact: true }).click();
    await page.getByRole('button', { name: 'Erase for good' }).click();
    await page.waitForURL(`${app.base}/`);
    await page.goto(address);
    await page.getByText('You have no conversation with this id').waitFor();
  });

  test('of another person cannot be opened', async () => {
    const { page: alice } = await app.as('Alice Chen');
    await ask(alice, 'How many people do we have in the Berlin office?');
    const { page: bob } = await app.as('Bob Martinez', new URL(alice.url()).pathname);
    await bob.getByText('You have no conversation with this id').waitFor();
    expect(await bob.locator('main').innerText()).not.toContain('Berlin');
  });

  test('about data that the person may not see is refused with an explanation', async () => {
    const { page } = await app.as('Frank Davis');
    await ask(page, 'Show me all employee salaries');
    expect(await page.locator('.turn').innerText()).not.toMatch(/\$\d/);
    expect((await page.locator('.a').innerText()).length).toBeGreaterThan(20);
  });
});

describe('large answers', () => {
  test('a thousand rows load page by page, and the loaded rows are not rendered again', async () => {
    const { page, troubles } = await app.as('Dan Williams', '/tools/support/search_tickets');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const rows = page.locator('.dt tbody tr');
    await expect.poll(() => rows.count()).toBe(50);
    await page.evaluate(`window.first = document.querySelector('.dt tbody tr')`);
    const more = page.getByRole('button', { name: 'Show 50 more' });
    for (let shown = 50; shown < 1000; shown += 50) {
      await more.click();
      await expect.poll(() => rows.count()).toBe(shown + 50);
      expect(await page.evaluate('document.activeElement?.textContent')).toBe(shown < 950 ? 'Show 50 more' : '1,000 tickets');
    }
    expect(await page.evaluate(`document.querySelector('.dt tbody tr') === window.first`)).toBe(true);
    const names = await page.locator('.t-more button').evaluateAll((all) => all.length);
    expect(names).toBe(1000);
    await page.getByRole('button', { name: /full screen$/ }).click();
    await page.locator('.dt--full thead button').first().click();
    const subjects = await page.locator('.dt--full .cell-main').allInnerTexts();
    expect(subjects).toHaveLength(1000);
    expect(subjects).toEqual(subjects.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })));
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.dt--full').count()).toBe(0);
    expect(troubles).toEqual([]);
  });

  test('while ten thousand pieces stream in, complete paragraphs are not rendered again, and the user can type', async () => {
    const model = scripted(async function* () {
      for (let piece = 0; piece < 10_000; piece++) {
        yield piece % 40 === 39 ? 'end.\n\n' : `${piece} `;
        // The pieces come in bursts, as on a network.
        if (piece % 250 === 249) await new Promise((resolve) => setTimeout(resolve, 5));
      }
    });
    const talking = await openApp({}, { model });
    try {
      const { page, troubles } = await talking.as('Alice Chen');
      await page.getByLabel('Your question').fill('Talk to me');
      await page.keyboard.press('Enter');
      await page.locator('.prose p').nth(3).waitFor();
      await page.evaluate(`{
        window.touched = 0;
        const first = document.querySelector('.prose p');
        new MutationObserver((all) => { window.touched += all.length; }).observe(
          first, { childList: true, characterData: true, subtree: true });
        window.first = first;
      }`);
      await page.getByLabel('Your question').fill('still here');
      await page.locator('.acts').waitFor({ timeout: 60_000 });
      expect(await page.locator('.prose p').count()).toBe(250);
      expect(await page.evaluate(`[window.touched, document.querySelector('.prose p') === window.first]`)).toEqual([0, true]);
      expect(await page.getByLabel('Your question').inputValue()).toBe('still here');
      expect(troubles).toEqual([]);
    } finally {
      await talking.close();
    }
  });
});

describe('interruptions', () => {
  test('an answer that breaks off keeps the received text and says so', async () => {
    const { page } = await app.as('Alice Chen');
    await page.route('**/api/query', (route) =>
      route.fulfill({
        contentType: 'text/event-stream',
        body: `data: ${JSON.stringify({ type: 'start', conversationId: crypto.randomUUID(), model: 'x', requestId: 'r' })}\n\ndata: ${JSON.stringify({ type: 'text', text: 'The three busiest agents were' })}\n\n`,
      }),
    );
    await page.getByLabel('Your question').fill('Who was busy?');
    await page.keyboard.press('Enter');
    await page.locator('.notice').getByText('The answer was interrupted.').waitFor();
    expect(await page.locator('.prose').innerText()).toContain('The three busiest agents were');
  });

  test('a rate-limited question stays in the box and is sent again automatically', async () => {
    const { page } = await app.as('Alice Chen');
    let refused = 0;
    await page.route('**/api/query', (route) =>
      refused++ === 0
        ? route.fulfill({
            status: 429,
            contentType: 'application/json',
            body: JSON.stringify({
              status: 'error',
              code: 'RATE_LIMITED',
              message: 'Too many.',
              suggestedAction: '',
              retryable: true,
              details: { retryAfterSeconds: 8 },
            }),
          })
        : route.continue(),
    );
    await page.getByLabel('Your question').fill('Who works in Engineering?');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing is lost.').waitFor();
    expect(await page.getByLabel('Your question').inputValue()).toBe('Who works in Engineering?');
    await page.getByLabel('Your question').fill('Who works in Marketing?');
    await page.locator('.turn .prose').waitFor({ timeout: 30_000 });
    expect(refused).toBeGreaterThan(1);
    expect(await page.locator('.turn h2').innerText()).toBe('Who works in Marketing?');
    expect(await page.getByLabel('Your question').inputValue()).toBe('');
    await page.getByLabel('Your question').fill('And in');
    await page.getByRole('button', { name: 'Ask again' }).click();
    await expect.poll(() => page.locator('.turn').count()).toBe(2);
    expect(await page.getByLabel('Your question').inputValue()).toBe('And in');
  });

  test('Escape stops the answer', async () => {
    const { page } = await app.as('Alice Chen');
    await page.route('**/api/query', async () => new Promise(() => {}));
    await page.getByLabel('Your question').fill('Take your time');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Stopped by you.').waitFor();
  });

  test('after the end of the session a dialog covers the page, and the next sign-in restores the draft', async () => {
    const { page } = await app.as('Dan Williams', '/');
    await page.getByLabel('Your question').fill('Which tickets breach their SLA in the next hour?');
    await page.context().clearCookies();
    await page.keyboard.press('Enter');
    await page.getByText('Your session has ended').waitFor();
    expect(await page.getByRole('alertdialog').innerText()).toContain(
      'Sign in again as Dan Williams to continue. Your question is stored.',
    );
    await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toBe('Sign in again');
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await page.getByRole('button', { name: 'Dan Williams' }).click();
    await page.locator('#app main:not([aria-busy="true"])').waitFor();
    expect(await page.getByLabel('Your question').inputValue()).toBe('Which tickets breach their SLA in the next hour?');
  });

  test('a notice says that there is no connection until the connection is back', async () => {
    const { page } = await app.as('Sarah Kim');
    await page.context().setOffline(true);
    await page.getByText('No connection.').waitFor();
    await page.context().setOffline(false);
    await expect.poll(() => page.getByText('No connection.').count(), { timeout: 20_000 }).toBe(0);
  });

  test('signing out aborts an answer that another tab waits for', async () => {
    const { page } = await app.as('Tom Becker', '/tools');
    const { page: second } = await app.as('Tom Becker', '/', { beside: page });
    await second.route('**/api/query', async () => new Promise(() => {}));
    const ended = second.waitForEvent('requestfailed', (request) => request.url().endsWith('/api/query'));
    await second.getByLabel('Your question').fill('Take your time');
    await second.keyboard.press('Enter');
    await second.getByRole('button', { name: 'Stop' }).waitFor();
    await page.bringToFront();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await ended;
    await second.getByRole('link', { name: 'Sign in' }).first().waitFor();
    expect(await second.locator('body').innerText()).not.toContain('Take your time');
  });

  test('signing out removes the stored data and the session cookie, and signs out every tab', async () => {
    const { page } = await app.as('Marcus Johnson');
    const { page: second } = await app.as('Marcus Johnson', '/tools', { beside: page });
    await page.getByLabel('Your question').fill('half a question');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in' }).first().waitFor();
    await second.getByRole('link', { name: 'Sign in' }).first().waitFor();
    expect(await page.evaluate('Object.keys(localStorage).filter((key) => key.startsWith("tamshai:"))')).toEqual([]);
    expect((await page.context().cookies()).filter(({ name }) => /^(__Host-)?tamshai$/.test(name))).toEqual([]);
  });
});
