/** The customers' side, from the first ticket to the handing over of the lead. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AppSite, openApp, press, shot } from './app.ts';

let app: AppSite;
beforeAll(async () => {
  app = await openApp();
}, 300_000);
afterAll(async () => app?.close());

const BOB = 'bob.developer@acme.example';
const MIKE = 'mike.manager@globex.example';

describe('a customer', () => {
  test('reports a problem, is told what is missing, keeps the draft, and goes on writing in the ticket', async () => {
    const { page } = await app.as(BOB, '/');
    expect(new URL(page.url()).pathname).toBe('/portal');
    await page.getByRole('link', { name: 'New ticket' }).click();
    await page.getByLabel('Title').fill('Webhook deliveries delayed by an hour');
    await page.getByLabel('What happened, and what did you expect?').fill('They come late.');
    await page.getByRole('button', { name: 'Submit ticket' }).click();
    await page.getByText('Describe it in at least 20 characters').waitFor();
    await page.reload();
    expect(await page.getByLabel('Title').inputValue()).toBe('Webhook deliveries delayed by an hour');
    await page.getByText('These may already answer it').waitFor();
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
    await other
      .getByText(/not found|no (such )?ticket/i)
      .first()
      .waitFor();
    expect(await other.locator('main').innerText()).not.toContain('Webhook');
  });

  test('has no way to the pages of the staff, nor a colleague’s contacts', async () => {
    const { page } = await app.as(BOB, '/portal');
    expect(await page.getByRole('link', { name: 'Contacts' }).count()).toBe(0);
    for (const path of ['/tools', '/audit', '/', '/c/6f9619ff-8b86-4d01-8b42-00cf4fc964ff']) {
      await page.goto(app.base + path);
      expect([path, new URL(page.url()).pathname]).toEqual([path, '/portal']);
    }
    const { page: staff } = await app.as('Eve Thompson', '/portal');
    expect(new URL(staff.url()).pathname).toBe('/');
  });

  test('who leads hands the lead over by a card, and their own pages change at once', async () => {
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
