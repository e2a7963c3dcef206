/** Browser tests of the approval and sign-in pages of the built-in identity provider, including clickjacking and CSRF. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from './chromium.ts';
import { STOPPED_CLOCK } from './stopped-clock.ts';
import { type TestServer, testServer } from '../unit/embedded-test-server.ts';
import { authUrl, pkce, register } from '../unit/embedded-support.ts';

/** Milliseconds after which the buttons accept a click. */
const ARMED = 950;

let s: TestServer;
let chrome: Browser;
let aliceIsIn: Awaited<ReturnType<BrowserContext['storageState']>>;
const open: BrowserContext[] = [];
beforeAll(async () => {
  s = await testServer();
  chrome = await launchChromium();
  const { page } = await newPage({ signedInAs: /Alice Chen/ });
  aliceIsIn = await page.context().storageState();
});
afterEach(async () => {
  s.trouble = undefined;
  for (const context of open.splice(0)) await context.close();
});
afterAll(async () => {
  await chrome?.close();
  await s?.close();
});

interface Opening {
  readonly signedInAs?: RegExp;
  readonly state?: typeof aliceIsIn;
  readonly width?: number;
  readonly javaScriptEnabled?: boolean;
}

/** Opens a page that records console errors and requests to other origins. */
async function newPage({
  signedInAs,
  state,
  width = 1280,
  javaScriptEnabled = true,
}: Opening = {}): Promise<{ page: Page; troubles: string[] }> {
  const context = await chrome.newContext({ viewport: { width, height: 900 }, javaScriptEnabled, ...(state && { storageState: state }) });
  open.push(context);
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on('console', (message) => message.type() === 'error' && troubles.push(message.text()));
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('request', (request) => !request.url().startsWith(s.base) && troubles.push(`left: ${request.url()}`));
  if (signedInAs) {
    await page.goto(`${s.base}/signin`);
    await page.getByRole('button', { name: signedInAs }).click();
    await page.waitForURL(`${s.base}/`);
  }
  return { page, troubles };
}

const alice = (options: Opening = {}) => newPage({ state: aliceIsIn, ...options });
const decisionsOn = (id: string) => s.decisions.filter((each) => each.id === id);
const stateOf = (id: string) => s.tickets.get(id)?.card.state;
const done = (page: Page) => page.locator('.ap-kind', { hasText: 'Done' }).waitFor();
const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent');
const approve = (page: Page) => page.getByRole('button', { name: 'Approve', exact: true });

describe('a decision', () => {
  test('to approve is sent once despite a double click, and the page shows the new value', async () => {
    const { page, troubles } = await alice();
    const id = s.ticket('alice.chen');
    await page.goto(`${s.base}/approve/${id}`);
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
    await page.waitForTimeout(ARMED);
    await approve(page).dblclick();
    await done(page);
    expect(decisionsOn(id)).toEqual([{ id, approved: true }]);
    await expect.poll(() => focused(page)).toBe('Salary of Sarah Kim is now $120,000.');
    await page.reload();
    await done(page);
    expect(troubles).toEqual([]);
  });

  test('to deny is sent as a denial', async () => {
    const { page } = await alice();
    const id = s.ticket('alice.chen');
    await page.goto(`${s.base}/approve/${id}`);
    await page.waitForTimeout(ARMED);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.locator('.ap-kind', { hasText: 'Denied by you' }).waitFor();
    expect(decisionsOn(id)).toEqual([{ id, approved: false }]);
  });

  test('to delete needs a second confirmation, on a button in another position', async () => {
    const { page } = await alice();
    const id = s.ticket('alice.chen', {
      destructive: true,
      summary: 'Terminate Frank Davis, Intern, Engineering.',
      subject: { label: 'Frank Davis', id: 'e9' },
    });
    await page.goto(`${s.base}/approve/${id}`);
    await page.waitForTimeout(ARMED);
    const first = await approve(page).boundingBox();
    await approve(page).dblclick();
    const yes = page.getByRole('button', { name: 'Yes, terminate' });
    await yes.waitFor();
    const second = await yes.boundingBox();
    expect((second?.x ?? 0) + (second?.width ?? 0)).toBeLessThan(first?.x ?? 0);
    await page.getByRole('button', { name: 'Back' }).click();
    await page.waitForTimeout(ARMED);
    await approve(page).click();
    await page.waitForTimeout(ARMED);
    expect(decisionsOn(id)).toEqual([]);
    await yes.click();
    await done(page);
    expect(decisionsOn(id)).toEqual([{ id, approved: true }]);
  });

  test('is possible with the keyboard, but no key decides without the focus on a button', async () => {
    const { page } = await alice();
    const id = s.ticket('alice.chen');
    await page.goto(`${s.base}/approve/${id}`);
    await page.waitForTimeout(ARMED);
    for (const key of ['Enter', 'Space', 'a', 'y', 'Control+Enter']) await page.keyboard.press(key);
    await page.waitForTimeout(200);
    expect(decisionsOn(id)).toEqual([]);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Approve');
    await page.keyboard.press('Enter');
    await done(page);
    expect(decisionsOn(id)).toHaveLength(1);
  });
});

describe('no decision is made by', () => {
  test('a click that comes too soon, a click of a script, or a click right after the button moved', async () => {
    const { page } = await alice();
    const id = s.ticket('alice.chen');
    await page.addInitScript(STOPPED_CLOCK);
    await page.goto(`${s.base}/approve/${id}`);
    await approve(page).click({ force: true });
    await page.evaluate('passTime()');
    await page.waitForTimeout(ARMED);
    await page.evaluate(`for (const button of document.querySelectorAll('[data-slot] button')) {
      button.click();
      button.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    }`);
    await page.evaluate(
      `stopTime(); document.querySelector('main').prepend(Object.assign(document.createElement('p'), { textContent: 'pushed' }))`,
    );
    await approve(page).click({ force: true });
    await page.waitForTimeout(300);
    expect(decisionsOn(id)).toEqual([]);
    expect(stateOf(id)).toBe('waiting');
  });

  test('a page of another origin that frames the approval page', async () => {
    const { page } = await alice();
    const id = s.ticket('alice.chen');
    const host = await serve((_req, res) =>
      res.setHeader('content-type', 'text/html').end(`<iframe src="${s.base}/approve/${id}"></iframe>`),
    );
    await page.goto(addressOf(host));
    await page.waitForTimeout(300);
    expect(
      await Promise.all(
        page
          .frames()
          .slice(1)
          .map((frame) => frame.locator('button').count()),
      ),
    ).toEqual([0]);
    await stop(host);
  });

  test('a page of another origin that posts with the cookies of the browser', async () => {
    const { page } = await alice();
    const id = s.ticket('alice.chen');
    const host = await serve((_req, res) =>
      res
        .setHeader('content-type', 'text/html')
        .end(
          `<form method="post" enctype="text/plain" action="${s.base}/api/confirm/${id}"><input name='{"approved":true,"x":"' value='"}'><button>go</button></form>`,
        ),
    );
    await page.goto(addressOf(host));
    await page.getByText('go').click();
    await page.waitForTimeout(300);
    await page.goto(addressOf(host));
    await page.evaluate(
      async (url) =>
        fetch(url, { method: 'POST', credentials: 'include', mode: 'no-cors', body: '{"approved":true}' }).catch(() => undefined),
      `${s.base}/api/confirm/${id}`,
    );
    expect(decisionsOn(id)).toEqual([]);
    await stop(host);
  });

  test('a browser without JavaScript, which shows a message instead of the button', async () => {
    const { page } = await newPage({ signedInAs: /Alice Chen/, javaScriptEnabled: false });
    const id = s.ticket('alice.chen');
    await page.goto(`${s.base}/approve/${id}`);
    await page.getByText('This page needs JavaScript').waitFor();
    expect(await approve(page).isVisible()).toBe(false);
  });
});

describe('a pending approval', () => {
  test('counts down, and says after its expiry that this is not a denial', async () => {
    const { page } = await alice();
    const id = s.ticket('alice.chen', { expiresAt: new Date(Date.now() + 2500).toISOString() });
    await page.goto(`${s.base}/approve/${id}`);
    await page.getByText(/seconds? left\. If it runs out, nothing is changed\./).waitFor();
    await page.getByText('This is not a denial.').waitFor();
    expect(decisionsOn(id)).toEqual([]);
  });

  test('shows in a second tab what the first tab decided', async () => {
    const { page } = await alice();
    const id = s.ticket('alice.chen');
    const second = await page.context().newPage();
    await second.goto(`${s.base}/approve/${id}`);
    await page.goto(`${s.base}/approve/${id}`);
    await page.bringToFront();
    await page.waitForTimeout(ARMED);
    await approve(page).click();
    await done(page);
    await second.bringToFront();
    await done(second);
    expect(decisionsOn(id)).toHaveLength(1);
  });

  test('says that the outcome is unknown when the connection is lost, and can be approved again', async () => {
    const { page } = await alice();
    const id = s.ticket('alice.chen');
    await page.goto(`${s.base}/approve/${id}`);
    await page.waitForTimeout(ARMED);
    s.trouble = (path) => (path.startsWith('/api/') ? 'hang-up' : undefined);
    await approve(page).click();
    await page.getByText('We do not know yet whether it ran.').waitFor();
    expect(decisionsOn(id)).toEqual([]);
    s.trouble = undefined;
    await page.waitForTimeout(ARMED);
    const again = page.getByRole('button', { name: 'Approve again' });
    // The page also polls, so it may already show the pending card again.
    await ((await again.isVisible()) ? again : approve(page)).click();
    await done(page);
    expect(decisionsOn(id)).toHaveLength(1);
  });

  test('shows the receipt when the response was lost after the change ran', async () => {
    const { page } = await alice();
    const id = s.ticket('alice.chen');
    await page.goto(`${s.base}/approve/${id}`);
    await page.waitForTimeout(ARMED);
    await page.route(`**/api/confirm/${id}`, async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await approve(page).click();
    await done(page);
    expect(decisionsOn(id)).toHaveLength(1);
  });

  test('can be approved again when its execution was interrupted', async () => {
    const { page } = await alice();
    const id = s.ticket('alice.chen', {}, { state: 'executing' });
    await page.goto(`${s.base}/approve/${id}`);
    await page.locator('.ap-kind', { hasText: 'Approved, running' }).waitFor();
    const again = page.getByRole('button', { name: 'Approve again' });
    await again.waitFor({ timeout: 12_000 });
    const ticket = s.tickets.get(id);
    if (ticket) ticket.card.state = 'waiting';
    await page.waitForTimeout(ARMED);
    await ((await again.isVisible()) ? again : approve(page)).click();
    await done(page);
  });

  test('shows an error of the decision on the card, and stays pending', async () => {
    const { page } = await alice();
    const id = s.ticket('alice.chen');
    await page.goto(`${s.base}/approve/${id}`);
    await page.waitForTimeout(ARMED);
    s.trouble = (path) => (path.startsWith('/api/confirm/') ? 429 : undefined);
    await approve(page).click();
    await page.getByText('Not now.').first().waitFor();
    expect(stateOf(id)).toBe('waiting');
  });
});

describe('every page', () => {
  test('fits widths from 320 to 1440, makes no request to another origin, and logs no error', async () => {
    const long = 'x'.repeat(300);
    for (const width of [320, 390, 760, 1440]) {
      const { page, troubles } = await alice({ width });
      const ids = [
        s.ticket('alice.chen', { reason: long, summary: `Change ${long}`, subject: { label: long, id: long }, origin: long }),
        s.ticket('alice.chen', { destructive: true }),
        s.ticket('alice.chen', {}, { state: 'done', decidedAt: new Date().toISOString(), auditRecord: 'hr #1', requestId: long }),
      ];
      for (const path of ['/', '/approvals', '/signin', ...ids.map((id) => `/approve/${id}`)]) {
        await page.goto(s.base + path);
        expect([width, path, await page.evaluate('document.documentElement.scrollWidth - innerWidth')]).toEqual([width, path, 0]);
      }
      expect(troubles).toEqual([]);
      s.tickets.clear();
    }
  });

  test('keeps the chosen theme after a reload', async () => {
    const { page } = await alice();
    await page.goto(`${s.base}/`);
    const theme = () => page.evaluate('document.documentElement.dataset.theme');
    await page.getByRole('button', { name: 'Switch between light and dark' }).click();
    expect(await theme()).toBe('dark');
    await page.reload();
    expect(await theme()).toBe('dark');
  });

  test('has a sign-out button, which removes the session cookies', async () => {
    const { page } = await newPage({ signedInAs: /Bob Martinez/ });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in' }).first().waitFor();
    expect((await page.context().cookies()).filter(({ name }) => name.includes('tamshai') && !name.includes('staff'))).toEqual([]);
  });
});

test('a registered client gets its code after the user consents', async () => {
  let arrived = '';
  const program = await serve((req, res) => {
    if (req.url?.startsWith('/callback')) arrived = req.url;
    res.end('thanks');
  });
  const redirect = `${addressOf(program)}/callback`;
  const { json } = await register(s.base, { client_name: 'Claude Desktop', redirect_uris: [redirect] });
  const { page } = await newPage();
  await page.goto(authUrl(s.base, pkce().challenge, { client: String(json['client_id']), redirect }));
  await page.getByRole('button', { name: /Nina Patel/ }).click();
  await page.getByText('Unverified').waitFor();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('thanks').waitFor();
  expect(arrived).toMatch(/^\/callback\?code=[\w-]+&state=st&iss=/);
  await stop(program);
});

const serve = async (handler: Parameters<typeof createServer>[1]): Promise<Server> => {
  const server = createServer(handler);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return server;
};
const addressOf = (server: Server) => `http://localhost:${(server.address() as AddressInfo).port}`;
const stop = async (server: Server) => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
};
