/** Browser tests of the customer portal: tickets, contacts, invitations and the transfer of the lead role. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AppTestServer, openApp, press, shot } from './app.ts';

let app: AppTestServer;
beforeAll(async () => {
  app = await openApp();
}, 300_000);
afterAll(async () => app?.close());

const BOB = 'bob.developer@acme.example';
const MIKE = 'mike.manager@globex.example';

describe('a customer', () => {
  test('keeps the draft after a validation error, and hides the ticket from other organisations', async () => {
    const { page } = await app.as(BOB, '/');
    expect(new URL(page.url()).pathname).toBe('/portal');
    await page.getByRole('link', { name: 'New ticket' }).click();
    await page.getByLabel('Title').fill('Webhook deliveries delayed by an hour');
    await page.getByLabel('What happened, and what did you expect?').fill('They come late.');
    await page.getByRole('button', { name: 'Submit ticket' }).click();
    await page.getByText('Describe it in at least 20 characters').waitFor();
    await page.reload();
    expect(await page.getByLabel('Title').inputValue()).toBe('Webhook deliveries delayed by an hour');
    await page.getByText('Articles that may answer it').waitFor();
    await page
      .getByLabel('What happened, and what did you expect?')
      .fill('Deliveries arrive an hour late since this morning; they used to take seconds.');
    await page.getByLabel('Priority').selectOption('high');
    await page.getByRole('button', { name: 'Submit ticket' }).click();
    await page.waitForURL(/\/portal\/t\//);
    await page.getByRole('heading', { name: 'Webhook deliveries delayed by an hour' }).waitFor();
    await page.getByLabel('Your answer').fill('It concerns all regions.');
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.locator('.msg', { hasText: 'It concerns all regions.' }).waitFor();
    await shot(page, 'portal-ticket');

    const { page: other } = await app.as(MIKE, new URL(page.url()).pathname);
    const unseen = async () => (await other.locator('.notice').innerText()).replace(/ticket \S+ that/, 'ticket … that');
    await other.getByText(/There is no ticket \S+ that you can see\./).waitFor();
    const words = await unseen();
    expect(await other.locator('main').innerText()).not.toContain('Webhook');
    await other.goto(`${app.base}/portal/t/TK-1`);
    await other.getByText('There is no ticket TK-1 that you can see.').waitFor();
    expect(await unseen()).toBe(words);
  });

  test('sees the visibility and age of tickets in the list, and can submit a ticket and comment with the keyboard alone', async () => {
    const { page } = await app.as(BOB, '/portal');
    await page.locator('.dt tbody tr').first().waitFor();
    expect(await page.locator('.dt thead').innerText()).toMatch(/Ticket\s+Status\s+Priority\s+Opened by\s+Seen by\s+Updated/);
    expect(await page.locator('.dt tbody').innerText()).toMatch(/Organisation|Private/);
    expect(await page.locator('.dt tbody time').first().innerText()).toMatch(/ago$|^Just now$|^Yesterday$|^\d+ \w{3}/);
    const reach = async (wanted: string) => {
      for (let press = 0; press < 40; press++) {
        if (await page.evaluate<boolean>(`document.activeElement?.matches(${JSON.stringify(wanted)}) === true`)) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`the keyboard does not reach ${wanted}`);
    };
    await reach('a[href="/portal/new"]');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/portal\/new$/);
    await reach('#title');
    await page.keyboard.type('The weekly report arrives empty');
    await reach('#description');
    await page.keyboard.type('Since Monday the report by mail has a head but no rows.');
    await reach('button[type="submit"]');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/portal\/t\//);
    await page.getByText(/Opened today at \d\d:\d\d/).waitFor();
    await reach('textarea');
    await page.keyboard.type('It is the same for my colleagues.');
    await reach('button[type="submit"]');
    await page.keyboard.press('Enter');
    await page.locator('.msg', { hasText: 'the same for my colleagues' }).waitFor();
  });

  test('cannot open the pages of the staff, and sees no link to the contacts unless they are the lead', async () => {
    const { page } = await app.as(BOB, '/portal');
    expect(await page.getByRole('link', { name: 'Contacts' }).count()).toBe(0);
    for (const path of ['/tools', '/audit', '/', '/c/6f9619ff-8b86-4d01-8b42-00cf4fc964ff']) {
      await page.goto(app.base + path);
      expect([path, new URL(page.url()).pathname]).toEqual([path, '/portal']);
    }
    const { page: staff } = await app.as('Eve Thompson', '/portal');
    expect(new URL(staff.url()).pathname).toBe('/');
  });
});

describe('a lead contact', () => {
  test('sees who else can read a private ticket', async () => {
    const { page } = await app.as(BOB, '/portal/new');
    await page.getByLabel('Title').fill('A question about our bill');
    await page.getByLabel('What happened, and what did you expect?').fill('It is higher than what we agreed on in May.');
    await page.getByText('Only you and your lead').click();
    await page.getByRole('button', { name: 'Submit ticket' }).click();
    await page.getByText('You and your lead contact').waitFor();
    const { page: lead } = await app.as('jane.smith@acme.example', new URL(page.url()).pathname);
    await lead.getByText('Bob Developer and you').waitFor();
    await lead.getByText('Seen by Tamshai Support and Bob Developer. Sent immediately.').waitFor();
  });

  test('invites a colleague by approving a card, and then sees them in the list', async () => {
    const { page, troubles } = await app.as('peter.principal@initech.example', '/portal/contacts');
    await page.getByRole('button', { name: 'Invite a contact' }).click();
    await page.getByLabel(/^Email/).fill('not an address');
    await page.getByRole('button', { name: 'Prepare invitation' }).click();
    await page.locator('.field .err').waitFor();
    await page.getByLabel(/^Email/).fill('omar.reyes@initech.example');
    await page.getByRole('button', { name: 'Prepare invitation' }).click();
    await page.locator('.ap-kind', { hasText: 'Needs your approval' }).waitFor();
    expect(await page.locator('.dt').innerText()).not.toContain('omar.reyes');
    await press(page, 'Approve');
    await page.locator('.dt tbody tr', { hasText: 'omar.reyes@initech.example' }).waitFor();
    expect(troubles.filter((trouble) => !/status of 400/.test(trouble))).toEqual([]);
  });

  test('transfers the lead by approving a card, and no longer sees the contacts page', async () => {
    const { page, troubles } = await app.as(MIKE, '/portal/contacts');
    await page.getByRole('button', { name: 'Make lead' }).first().click();
    await page.locator('.ap-kind', { hasText: 'Needs your approval' }).waitFor();
    await shot(page, 'portal-lead');
    await press(page, 'Approve');
    await page.locator('.ap-kind', { hasText: 'Done' }).waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'Contacts' }).count()).toBe(0);
    expect(troubles).toEqual([]);
  });
});
