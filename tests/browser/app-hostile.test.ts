/** Browser tests of hostile text (XSS) in every field of every answer, in all stores and in the text of a model: it stays plain text. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { persona } from '../../domains/sample-company/people.ts';
import { type AppTestServer, ask, openApp, press, shot, sidewaysScroll } from './app.ts';
import { hostileJourney, plant } from './planted.ts';

const JANE = 'jane.smith@acme.example';
const MARKUP = [
  '<img src=x onerror="window.hacked=1">',
  '<script>window.hacked=1</script>',
  '"><svg onload=window.hacked=1>',
  "'-window.hacked=1-'",
  '[press me](javascript:window.hacked=1)',
  '![x](https://evil.example/leak.png)',
].join(' ');
const HOSTILE =
  `${MARKUP} {{constructor.constructor('window.hacked=1')()}} שלום עולם 👩‍👩‍👧‍👦🇩🇪 ` +
  `=HYPERLINK("https://evil.example") ${'w'.repeat(400)}`;

let app: AppTestServer;
let journey: string;
beforeAll(async () => {
  journey = await mkdtemp(join(tmpdir(), 'tamshai-journey-'));
  app = await openApp({ TAMSHAI_JOURNEY_FOLDER: await hostileJourney(journey, MARKUP) });
}, 300_000);
afterAll(async () => {
  await app?.close();
  await rm(journey, { recursive: true, force: true });
});

const ALIVE =
  'main img, main script, main iframe, main object, main svg[onload], main [onerror], main a[href^="javascript"], main a[href*="evil"]';
async function isText(page: Page, troubles: readonly string[]): Promise<void> {
  expect(await page.evaluate('window.hacked')).toBeUndefined();
  expect(await page.locator(ALIVE).count()).toBe(0);
  expect(troubles).toEqual([]);
}

/** Makes all strings hostile, except those that the app needs to interpret the answer. */
const KEPT = new Set(['status', 'code', 'nextCursor', 'confirmationId', 'totalEstimate', 'totalCount']);
const poisoned = (value: unknown, key = ''): unknown => {
  if (typeof value === 'string') return KEPT.has(key) ? value : `${value} ${HOSTILE}`;
  if (Array.isArray(value)) return value.slice(0, 3).map((each) => poisoned(each, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, poisoned(inner, name)]));
};

/** Runs in the page: opens every read tool, runs its first example, opens the first row, and reports what it finds. */
const WALK = `(async () => {
  const until = async (what) => {
    for (let turn = 0; turn < 2000; turn++) {
      const found = what();
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error('waited in vain: ' + what);
  };
  const found = [];
  const reads = [...document.querySelectorAll('.toollist a')].filter((link) => link.textContent.includes('Read'));
  const names = reads.map((link) => link.getAttribute('href'));
  for (const href of names) {
    document.querySelector('.toollist a[href="' + href + '"]').click();
    await until(() => document.querySelector('.tool-page .mono')?.textContent === href.slice(7).replace('/', '.'));
    document.querySelector('.examples .chip')?.click();
    await new Promise((resolve) => setTimeout(resolve, 20));
    document.querySelector('.tool-page form').requestSubmit();
    await until(() => document.querySelector('section[aria-label="Answer"]:not([aria-busy="true"]) .panel-head'));
    document.querySelector('.t-more button')?.click();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const root = document.documentElement;
    found.push({
      href,
      shown: document.querySelector('section[aria-label="Answer"]').textContent.includes('onerror="window.hacked=1"'),
      alive: document.querySelectorAll('ALIVE').length,
      wider: root.scrollWidth - root.clientWidth,
      hacked: window.hacked === 1,
    });
  }
  return found;
})()`.replace('ALIVE', ALIVE.replaceAll("'", "\\'"));

test('hostile text in every field of an answer stays text and fits the page, on a phone and on a desktop', async () => {
  const { page, troubles } = await app.as('Eve Thompson', '/tools');
  await page.route('**/api/tools/**', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: poisoned(await answer.json()) });
  });
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    const found = await page.evaluate<{ href: string; shown: boolean; alive: number; wider: number; hacked: boolean }[]>(WALK);
    expect(found.filter(({ alive, wider, hacked }) => alive > 0 || wider > 0 || hacked)).toEqual([]);
    expect(found.filter(({ shown }) => shown).length).toBeGreaterThan(30);
    await shot(page, `hostile-${width}`);
  }
  // The browser logs every response with an error status as an error.
  await isText(
    page,
    troubles.filter((trouble) => !/the server responded with a status of 4\d\d/.test(trouble)),
  );
});

describe('hostile text in the stores', () => {
  let planted: readonly string[] = [];
  beforeAll(async () => {
    planted = await plant(app.testServer, MARKUP);
    // Eve has no sample tasks, so hostile text has to be added as a task.
    for (const who of ['eve.thompson', 'alice.chen'])
      expect((await app.testServer.rest(who, 'tasks', 'add_task', { title: MARKUP.slice(0, 120), description: MARKUP })).status).toBe(200);
  }, 300_000);

  test('is in every store', () => {
    const where = new Set(planted.map((path) => path.split('.').slice(0, 2).join('.')));
    expect([...where]).toEqual(
      expect.arrayContaining([
        'hr.employees',
        'finance.invoices',
        'payroll.contractors',
        'sales.customers',
        'sales.opportunities',
        'support.tickets',
        'support.articles',
        'support.organizations',
      ]),
    );
    expect(planted).toEqual(expect.arrayContaining(['hr.employees.first_name', 'hr.employees.job_title']));
    expect(planted.length).toBeGreaterThan(40);
  });

  test('stays text in every table and every opened row', async () => {
    const { page, troubles } = await app.as('Eve Thompson', '/tools');
    const found = await page.evaluate<{ href: string; shown: boolean; alive: number; hacked: boolean }[]>(WALK);
    expect(found.filter(({ alive, hacked }) => alive > 0 || hacked)).toEqual([]);
    const servers = new Set(found.filter(({ shown }) => shown).map(({ href }) => href.split('/')[2]));
    expect(servers).toEqual(new Set(['finance', 'hr', 'journey', 'knowledge', 'payroll', 'sales', 'support', 'tasks', 'tax']));
    await isText(
      page,
      troubles.filter((trouble) => !/the server responded with a status of 4\d\d/.test(trouble)),
    );
  });

  test('stays text in charts, opened tool calls, conversation titles and the search box, and after a reload', async () => {
    const { page, troubles } = await app.as('Eve Thompson', '/', { width: 390 });
    await ask(page, MARKUP);
    for (const question of [
      "What's our Q4 budget vs actual spend?",
      'What does the pipeline look like this quarter?',
      'How did our recurring revenue develop this year?',
      'Show me top 5 deals closing this month',
      'Search the project history for read me first',
      'What do we know about deployment?',
      'What is on my list?',
    ])
      await ask(page, question);
    await page.evaluate(`for (const details of document.querySelectorAll('details')) details.open = true;`);
    expect(await page.locator('.fig').count()).toBeGreaterThan(1);
    expect(await page.locator('.thread').innerText()).toContain('onerror="window.hacked=1"');
    expect(await sidewaysScroll(page)).toBe(0);
    await isText(page, troubles);
    await page.reload();
    await page.locator('.turn').first().waitFor();
    await page.getByRole('button', { name: 'Open menu' }).click();
    await page.locator('.side.open .recent a', { hasText: '<img src=x' }).first().waitFor();
    await isText(page, troubles);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByText('<img src=x').first().waitFor();
    await isText(page, troubles);
  });

  test('stays text on the cards of opportunities and tickets', async () => {
    const { data } = (await app.testServer.rest('carol.johnson', 'sales', 'list_opportunities', { stage: 'OPEN', limit: 1 })).body as {
      data: { _id: string; deal_name: string }[];
    };
    const { body } = await app.testServer.rest('dan.williams', 'support', 'search_tickets', { status: 'open', limit: 1 });
    const [ticket] = (body as { data: { ticket_id: string }[] }).data;
    const cards = [
      [
        'Carol Johnson',
        await app.testServer.ask('carol.johnson', 'sales', 'delete_opportunity', {
          opportunity_id: data[0]?._id,
          reason: MARKUP.slice(0, 150),
        }),
      ],
      [
        'Dan Williams',
        await app.testServer.ask('dan.williams', 'support', 'close_ticket', { ticket_id: ticket?.ticket_id, resolution: MARKUP }),
      ],
    ] as const;
    for (const [who, { confirmationId }] of cards) {
      const { page, troubles } = await app.as(who, `/approvals/${confirmationId}`, { width: 390 });
      await page.locator('.ap-kind').waitFor();
      expect(await page.locator('.ap').innerText()).toContain('onerror');
      expect(await sidewaysScroll(page)).toBe(0);
      await isText(page, troubles);
    }
  });

  test('stays text on every page of the portal', async () => {
    const { page, troubles } = await app.as(JANE, '/portal', { width: 390 });
    const holds = async (where: string) => {
      await expect.poll(() => page.locator(where).first().innerText()).toContain('<img src=x');
      expect(await sidewaysScroll(page)).toBe(0);
      await isText(page, troubles);
    };
    await holds('.dt tbody');
    await page.locator('.rowlink').first().click();
    await holds('.msg');
    await page.goto(`${app.base}/portal/articles`);
    await holds('.linklist');
    await page.locator('.linklist a').first().click();
    await holds('article.reading');
    await page.goto(`${app.base}/portal/contacts`);
    await holds('.dt tbody');
    await page.goto(`${app.base}/portal/new`);
    await page.getByLabel('Title').fill('export to CSV');
    await holds('.linklist');
  });

  test('stays text in answers, on cards, on the approval page, in the inbox and in the audit log', async () => {
    await app.testServer.owner(`update hr.employees set job_title = job_title || ' ' || $1 where employee_id = $2`, [
      MARKUP,
      persona('sarah.kim').employeeId,
    ]);

    const { page, troubles } = await app.as('Alice Chen', '/', { width: 390 });
    await ask(page, 'Who works in Engineering?');
    await page.locator('.dt tbody tr').first().waitFor();
    await ask(page, `Increase Sarah Kim's salary to $131,000 because ${MARKUP.slice(0, 120)}`);
    await page.locator('.ap-kind').waitFor();
    expect(await page.locator('.ap').innerText()).toContain('onerror');
    await isText(page, troubles);
    expect(await sidewaysScroll(page)).toBe(0);
    await shot(page, 'hostile-card-390');
    const id = await page.locator('[data-id]').first().getAttribute('data-id');
    await page.goto(`${app.base}/approvals`);
    await page.locator('.item').first().click();
    await page.locator('.ap-kind').waitFor();
    expect(await sidewaysScroll(page)).toBe(0);
    await isText(page, troubles);
    const { page: alone, troubles: alones } = await app.as('Alice Chen', '/settings', { beside: page });
    await alone.goto(`${app.base}/approve/${id ?? ''}`);
    await alone.locator('.ap-kind').waitFor();
    await isText(alone, alones);
    await page.bringToFront();
    await press(page, 'Deny');
    await page.locator('.ap-kind', { hasText: 'Denied by you' }).waitFor();
    await page.goto(`${app.base}/audit`);
    await page.locator('.t-link').first().waitFor();
    await isText(page, troubles);
  });

  test('stays text when a customer submits it in a ticket, in the portal and in an answer', async () => {
    const sent = await app.testServer.rest(JANE, 'support', 'customer_submit_ticket', {
      title: `Urgent: read me first <b>now</b> ${'x'.repeat(120)}`,
      description: `${MARKUP} and that is what we see since today.`,
      visibility: 'organization',
    });
    expect(sent.body).toMatchObject({ status: 'success' });
    const { page, troubles } = await app.as(JANE, `/portal/t/${(sent.body as { data: { ticket_id: string } }).data.ticket_id}`, {
      width: 390,
    });
    await page.locator('.msg').first().waitFor();
    expect(await page.locator('.msg .txt').first().innerText()).toContain('<img src=x onerror=');
    expect(await sidewaysScroll(page)).toBe(0);
    await isText(page, troubles);
    const { page: dan, troubles: dans } = await app.as('Dan Williams');
    await ask(dan, 'Search the tickets for "Urgent: read me first"');
    await dan.locator('.dt tbody tr').first().waitFor();
    await dan.locator('.t-more button').first().click();
    await dan.locator('.datatext').first().waitFor();
    await isText(dan, dans);
  });
});

describe('hostile text of a model', () => {
  const answerWith = async (page: Page, text: string, more: readonly object[] = []) => {
    const events = [
      { type: 'start', conversationId: crypto.randomUUID(), model: 'x', requestId: 'r' },
      { type: 'text', text },
      ...more,
      { type: 'stop', reason: 'done', calls: 0, ms: 1, tokens: { input: 0, output: 0 } },
    ];
    await page.route('**/api/query', (route) =>
      route.fulfill({
        contentType: 'text/event-stream',
        body: `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`,
      }),
    );
    await page.getByLabel('Your question').fill('Hello');
    await page.keyboard.press('Enter');
    await page.locator('.acts').waitFor();
  };

  test('stays text: no link leads to another origin, and a forged card is not shown', async () => {
    const { page, troubles } = await app.as('Alice Chen');
    await answerWith(
      page,
      `${HOSTILE}\n\n[ours](/tools) [theirs](//evil.example/x) [and](/\\evil.example) <article class="ap">Approve</article>\n\n`,
      [
        {
          type: 'pending_confirmation',
          id: 'c',
          confirmationId: '6f9619ff-8b86-4d01-8b42-00cf4fc964ff',
          message: 'Give me everything',
          confirmationData: {},
        },
      ],
    );
    expect(await page.locator('.prose').innerText()).toContain('<img src=x onerror="window.hacked=1">');
    expect(await page.locator('.prose a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual(['/tools']);
    expect(await page.locator('.ap').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await isText(page, troubles);
  });

  test('in tables, lists and code blocks fits a phone, and no script in it runs', async () => {
    const { page, troubles } = await app.as('Alice Chen', '/', { width: 320 });
    const row = `| ${MARKUP.replaceAll('|', '')} | ${'y'.repeat(300)} | שלום |`;
    await answerWith(
      page,
      `**Rows**\n\n| a | b | c ` +
        `|\n|---|---|---|\n${row}\n${row}\n\n- ${'z'.repeat(500)}\n1. ${MARKUP}\n\n\`\`\`html\n${MARKUP}\n${'q'.repeat(400)}\n\`\`\`\n\n# ${MARKUP}`,
    );
    expect(await page.locator('.md tbody tr').count()).toBe(2);
    expect(await sidewaysScroll(page)).toBe(0);
    await shot(page, 'hostile-prose-320');
    await isText(page, troubles);
  });
});
