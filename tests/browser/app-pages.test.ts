/** Browser tests of every page of the web app: script size, headers, accessibility (axe), layout, printing and who sees what. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  assistantEvent,
  auditRecord,
  auditVerdict,
  confirmation,
  conversation,
  conversationSummary,
  readiness,
  toolList,
  user,
} from '../../src/derive/shapes.ts';
import { HIDDEN } from '../../src/declare/fields.ts';
import { persona } from '../../domains/sample-company/people.ts';
import { HIDDEN as SHOWN_AS } from '../../web/lib/hidden.ts';
import { ask as asked } from '../assistant-events.ts';
import { type AppTestServer, ask, openApp, seriousProblems, shot, sidewaysScroll } from './app.ts';

let app: AppTestServer;
beforeAll(async () => {
  app = await openApp();
}, 300_000);
afterAll(async () => app?.close());

const DIST = join(import.meta.dirname, '..', '..', 'dist', 'web');

describe('what the browser loads', () => {
  test('every page needs less than 120 kB of compressed script', () => {
    const manifest = JSON.parse(readFileSync(join(DIST, '.vite', 'manifest.json'), 'utf8')) as Record<
      string,
      { file: string; imports?: string[] }
    >;
    const reach = (key: string, seen: Set<string>): Set<string> => {
      if (seen.has(key)) return seen;
      seen.add(key);
      for (const next of manifest[key]?.imports ?? []) reach(next, seen);
      return seen;
    };
    const pages = Object.keys(manifest).filter((key) => key.startsWith('pages/'));
    expect(pages.length).toBeGreaterThan(5);
    for (const page of pages) {
      const files = [...reach(page, reach('main.tsx', new Set()))].map((key) => manifest[key]?.file ?? '');
      expect(files.some((file) => file.includes('figure'))).toBe(false);
      const size = files.reduce((sum, file) => sum + gzipSync(readFileSync(join(DIST, file)), { level: 9 }).length, 0);
      expect([page, size < 120_000]).toEqual([page, true]);
    }
  });

  test('pages have security headers, and scripts are compressed and cached', async () => {
    const { page } = await app.as('Nina Patel');
    const html = await page.request.get(`${app.base}/tools`);
    const policy = html.headers()['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|data:|https?:/);
    expect(html.headers()).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-store',
    });
    const entry = /\/assets\/app-[\w-]+\.js/.exec(await html.text())?.[0] ?? '';
    const script = await page.request.get(app.base + entry);
    expect(script.headers()).toMatchObject({
      'content-encoding': 'gzip',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
  });

  test('for an unknown address a browser gets a page, and other clients get JSON', async () => {
    const { page } = await app.signedOut();
    const answer = await page.goto(`${app.base}/nowhere`);
    expect(answer?.status()).toBe(404);
    expect(answer?.headers()['content-security-policy']).toContain("default-src 'none'");
    await page.getByText('There is nothing at this address.').waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    const program = await page.request.get(`${app.base}/nowhere`);
    expect(await program.json()).toMatchObject({ status: 'error', code: 'NOT_FOUND' });
  });

  test('the responses of the API match the schemas that the types of the app come from', async () => {
    const token = { headers: { authorization: `Bearer ${await app.testServer.token('eve.thompson')}` } };
    const heard = await asked(app.testServer, 'eve.thompson', 'Show me the sales pipeline');
    expect(heard.events.length).toBeGreaterThan(4);
    for (const event of heard.events) expect(assistantEvent.parse(event)).toEqual(event);
    const { page } = await app.as('Eve Thompson');
    const got = async (path: string) => ((await (await page.request.get(app.base + path, token)).json()) as { data: unknown }).data;
    const pending = await app.testServer.ask('alice.chen', 'hr', 'update_salary', {
      employee_id: persona('sarah.kim').employeeId ?? '',
      new_salary: 150_000,
    });
    expect(confirmation.pick({ confirmationData: true }).parse(pending)).toEqual({ confirmationData: pending.confirmationData });
    const shapes: readonly (readonly [string, z.ZodType])[] = [
      ['/api/user/info', user.strict()],
      ['/api/user/mcp-tools', toolList.strict()],
      ['/api/confirmations', z.array(confirmation.strict())],
      ['/api/audit?limit=5', z.array(auditRecord)],
      ['/api/audit/verify', auditVerdict],
      ['/api/conversations', z.array(conversationSummary.strict())],
      [`/api/conversations/${heard.conversationId}`, conversation.strict()],
    ];
    for (const [path, shape] of shapes) {
      const data = await got(path);
      expect([path, shape.parse(data)]).toEqual([path, data]);
    }
    const ready = (await (await page.request.get(`${app.base}/ready`, token)).json()) as unknown;
    expect(readiness.strict().parse(ready)).toEqual(ready);
  });

  test('the app and the servers use the same text for a hidden value', () => expect(SHOWN_AS).toBe(HIDDEN));
});

describe('every page', () => {
  const SIZES = [
    [390, false],
    [390, true],
    [1440, false],
    [1440, true],
  ] as const;
  const PAGES = [
    ['Eve Thompson', '/', 'ask'],
    ['Eve Thompson', '/approvals', 'approvals'],
    ['Eve Thompson', '/tools/sales/list_opportunities', 'tools'],
    ['Eve Thompson', '/audit', 'audit'],
    ['Eve Thompson', '/settings', 'settings'],
    ['jane.smith@acme.example', '/portal', 'portal-tickets'],
    ['jane.smith@acme.example', '/portal/new', 'portal-new'],
    ['jane.smith@acme.example', '/portal/articles', 'portal-articles'],
    ['jane.smith@acme.example', '/portal/contacts', 'portal-contacts'],
  ] as const;

  test.each(PAGES)('%s sees %s without a serious axe finding, on a phone and a desktop, light and dark', async (who, path, name) => {
    for (const [width, dark] of SIZES) {
      const { page, troubles } = await app.as(who, path, { width, dark });
      if (name === 'tools') {
        await page.getByRole('button', { name: 'Run', exact: true }).click();
        await page.locator('.dt tbody tr').first().waitFor();
      }
      await page.waitForLoadState('networkidle');
      await shot(page, `${name}-${width}-${dark ? 'dark' : 'light'}`);
      expect([width, dark, await seriousProblems(page)]).toEqual([width, dark, []]);
      expect([width, await sidewaysScroll(page)]).toEqual([width, 0]);
      expect(troubles).toEqual([]);
      await page.close();
    }
  });

  test('an answer with a table and a card fits widths from 320 to 1440', async () => {
    // A desktop of 1280 pixels at 200 % zoom shows the page at a width of 640.
    for (const [width, dark] of [
      [320, false],
      [390, true],
      [640, false],
      [760, false],
      [1440, true],
    ] as const) {
      const { page } = await app.as('Alice Chen', '/', { width, dark });
      await ask(page, 'Who works in Engineering?');
      await page.locator('.dt tbody tr').first().waitFor();
      await ask(page, "Increase Sarah Kim's salary to $130,000");
      await page.locator('.ap').waitFor();
      expect([width, await sidewaysScroll(page)]).toEqual([width, 0]);
      expect(await seriousProblems(page)).toEqual([]);
      await shot(page, `conversation-${width}`);
      // With reduced motion there is no animation, not even on a pending card.
      expect(await page.evaluate('document.getAnimations().length')).toBe(0);
      await page.close();
    }
  });

  test('a printed answer is complete, without menus and buttons', async () => {
    const { page } = await app.as('Alice Chen');
    await ask(page, 'Who works in Engineering?');
    await page.locator('.dt tbody tr').nth(20).waitFor();
    await page.emulateMedia({ media: 'print' });
    const shown = (selector: string) => page.locator(selector).first().isVisible();
    for (const around of ['.side', '.top', '.dock', '.devbar', '.acts']) expect([around, await shown(around)]).toEqual([around, false]);
    for (const part of ['.turn h2', '.prose', '.dt tbody tr']) expect([part, await shown(part)]).toEqual([part, true]);
    // The hidden sidebar leaves no empty column.
    expect((await page.locator('.dt').first().boundingBox())?.width).toBeGreaterThan(1000);
    const cut = await page.evaluate<number>(
      `[...document.querySelectorAll('.dt-scroll')].reduce((sum, box) => sum + Math.max(0, box.scrollHeight - box.clientHeight), 0)`,
    );
    expect(cut).toBe(0);
    await shot(page, 'conversation-print');
  });
});

describe('who sees what', () => {
  test.each(['Nina Patel', 'Frank Davis', 'Carol Johnson'])('%s sees exactly the tools that they may call', async (who) => {
    const { page } = await app.as(who, '/tools');
    const { data } = (await (await page.request.get(`${app.base}/api/user/mcp-tools`)).json()) as {
      data: { servers: { name: string; tools: { name: string }[] }[] };
    };
    const theirs = data.servers.flatMap(({ name, tools }) => tools.map((tool) => `/tools/${name}/${tool.name}`));
    const links = await page.locator('.toollist a').evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    expect(new Set(links)).toEqual(new Set(theirs));
    expect(links).toHaveLength(theirs.length);
  });

  test('every tool has a form', async () => {
    const { page, troubles } = await app.as('Eve Thompson', '/tools');
    const links = await page.locator('.toollist a').evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    for (const link of links) {
      await page.locator(`.toollist a[href="${link}"]`).dispatchEvent('click');
      await expect.poll(() => page.locator('.tool-page .mono').first().innerText()).toBe(link.slice(7).replace('/', '.'));
    }
    expect(troubles).toEqual([]);
  });

  test('an empty field is not sent, and a validation error appears under its field', async () => {
    const { page } = await app.as('Alice Chen', '/tools/hr/list_employees');
    const bodies: string[] = [];
    page.on('request', (request) => request.url().endsWith('/list_employees') && bodies.push(request.postData() ?? ''));
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('.dt tbody tr').first().waitFor();
    // The table asks for the exact number of rows in a call of its own.
    expect(bodies.filter((body) => !body.includes('"count":true'))).toEqual(['{"input":{}}']);
    await page.getByLabel(/^limit/).fill('900');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('.field .err').waitFor();
    expect(await page.getByLabel(/^limit/).getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel(/^limit/).fill('');
    await page.getByLabel(/^cursor/).fill('not-a-cursor');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await expect.poll(() => page.getByLabel(/^cursor/).getAttribute('aria-invalid')).toBe('true');
  });

  test('an empty result names its filters, and each filter can be dropped', async () => {
    const { page } = await app.as('Alice Chen', '/tools/hr/list_employees');
    await page.getByLabel(/^name/).fill('Nobody at all');
    await page.getByLabel(/^location/).fill('New York');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Filters: name Nobody at all, location New York.').waitFor();
    await page.getByRole('button', { name: 'Remove “Nobody at all”' }).click();
    await page.locator('.dt tbody tr').first().waitFor();
    expect(await page.getByLabel(/^name/).inputValue()).toBe('');
    expect(await page.getByLabel(/^location/).inputValue()).toBe('New York');
  });

  test('the page contains no hidden value, and names the roles that may see it', async () => {
    const { page } = await app.as('Nina Patel', '/tools/hr/list_employees');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('button', { name: 'Hidden' }).first().click();
    await page.getByText(/Visible to hr-write, finance-read/).waitFor();
    expect(await page.locator('main').innerText()).not.toMatch(/\$\d/);
  });

  test('only an executive sees the audit records of others and can verify the chains', async () => {
    const { page: nina } = await app.as('Nina Patel', '/tools/hr/find_employees');
    await nina.getByRole('button', { name: 'Run', exact: true }).click();
    await nina.locator('.dt tbody tr').first().waitFor();
    await nina.goto(`${app.base}/audit`);
    await nina.locator('.t-link').first().waitFor();
    expect(await nina.getByRole('button', { name: 'Verify now' }).count()).toBe(0);
    const { page: eve } = await app.as('Eve Thompson', '/audit');
    await eve.getByRole('button', { name: 'Verify now' }).click();
    await eve.getByText(/^(All \d+ chains|Chain) verified$/).waitFor({ timeout: 60_000 });
    await eve.getByText('nina.patel').first().waitFor();
    await eve.getByLabel('Period').selectOption('Today');
    await eve.getByText('nina.patel').first().waitFor();
    await eve.clock.install({ time: Date.now() + 3 * 86_400_000 });
    await eve.getByLabel('Period').selectOption('Last hour');
    await eve.getByText('No record matches').waitFor();
    await eve.getByLabel('Period').selectOption('Any time');
    await eve.getByLabel('Person, tool, record or request id').fill('hr.find_employees');
    await eve.locator('.t-link', { hasText: 'hr.find_employees' }).first().waitFor();
    expect(await eve.locator('.t-link').allInnerTexts()).not.toContainEqual(expect.stringMatching(/gateway|hr\.get_/));
    await eve.locator('.t-link a').first().click();
    await eve.getByText('Input (redacted)').waitFor();
    expect(await eve.evaluate('document.activeElement?.textContent')).toMatch(/^Record /);
  });
});
