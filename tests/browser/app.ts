/** Test harness for the web app: the whole product and a Chromium that signs in as sample people. */
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { persona } from '../../domains/sample-company/people.ts';
import type { TestServer, TestServerOptions } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';
import { launchChromium } from './chromium.ts';

/** Folder for screenshots. */
export const SHOTS = process.env['TAMSHAI_TEST_SHOTS'] ?? join(import.meta.dirname, '..', '..', 'artefacts', 'screens');
/** Milliseconds after which the buttons of a card accept a click. */
export const ARMED = 1000;

/** Selects the loaded page, not its loading placeholder. */
const READY = '#app main:not([aria-busy="true"])';

type Kept = Awaited<ReturnType<BrowserContext['storageState']>>;
export interface Opening {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  /** Opens a second tab beside this page instead of a new browser context. */
  readonly beside?: Page;
  /** Script that runs in the page before the app's scripts. */
  readonly init?: string;
}
export interface Opened {
  readonly page: Page;
  /** Console errors, and requests to other origins. */
  readonly troubles: string[];
}

export interface AppTestServer {
  readonly testServer: TestServer;
  readonly base: string;
  as(name: string, path?: string, opening?: Opening): Promise<Opened>;
  /** Opens a page in a browser without cookies. */
  signedOut(opening?: Pick<Opening, 'width' | 'height' | 'dark'>): Promise<Opened>;
  close(): Promise<void>;
}

export async function openApp(settings: Record<string, string> = {}, options: TestServerOptions = {}): Promise<AppTestServer> {
  const testServer = await openTestServer(settings, options);
  const browser: Browser = await launchChromium();
  const { base } = testServer.tamshai;
  const signedIn = new Map<string, Kept>();
  const contexts: BrowserContext[] = [];

  async function keyOf(name: string): Promise<Kept> {
    const known = signedIn.get(name);
    if (known) return known;
    const context = await browser.newContext();
    const page = await context.newPage();
    // Customers are identified by their email address, staff by their name.
    const customer = name.includes('@');
    await page.goto(`${base}/signin${customer ? '?realm=customer' : ''}`);
    await page.getByRole('button', { name: customer ? persona(name).name : name }).click();
    await page.locator(READY).waitFor({ timeout: 60_000 });
    const kept = await context.storageState();
    signedIn.set(name, kept);
    await context.close();
    return kept;
  }
  async function watched(context: BrowserContext): Promise<Opened> {
    const page = await context.newPage();
    const troubles: string[] = [];
    page.on('console', (message) => message.type() === 'error' && troubles.push(message.text()));
    page.on('pageerror', (error) => troubles.push(error.message));
    page.on('request', (request) => new URL(request.url()).origin !== base && troubles.push(`left: ${request.url()}`));
    return { page, troubles };
  }
  return {
    testServer,
    base,
    async signedOut({ width = 1280, height = 900, dark = false } = {}) {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? 'dark' : 'light' });
      contexts.push(context);
      return watched(context);
    },
    async as(name, path = '/', { width = 1280, height = 900, dark = false, beside, init } = {}) {
      const context =
        beside?.context() ??
        (await browser.newContext({
          viewport: { width, height },
          colorScheme: dark ? 'dark' : 'light',
          storageState: await keyOf(name),
          reducedMotion: 'reduce',
        }));
      if (!beside) contexts.push(context);
      const { page, troubles } = await watched(context);
      if (init !== undefined) await page.addInitScript(init);
      await page.goto(base + path);
      await page.locator(READY).waitFor({ timeout: 60_000 });
      return { page, troubles };
    },
    async close() {
      for (const context of contexts) await context.close();
      await browser.close();
      await testServer.close();
    },
  };
}

/** Takes a screenshot in a window as tall as the page, so that sticky elements stay at its edges. */
export async function shot(page: Page, name: string): Promise<void> {
  await mkdir(SHOTS, { recursive: true });
  const size = page.viewportSize();
  const tall = await page.evaluate<number>('document.documentElement.scrollHeight');
  if (size) await page.setViewportSize({ width: size.width, height: Math.max(size.height, tall) });
  await page.evaluate('scrollTo(0, 0)');
  await page.screenshot({ path: join(SHOTS, `${name}.png`) });
  if (size) await page.setViewportSize(size);
}

/** Clicks a card's button after it has been visible long enough to accept a click. */
export async function press(page: Page, name: string | RegExp): Promise<void> {
  const button = page.getByRole('button', { name, exact: true });
  await button.waitFor();
  await button.scrollIntoViewIfNeeded();
  await page.waitForTimeout(ARMED);
  await button.click();
}

export async function ask(page: Page, question: string): Promise<void> {
  await page.getByLabel('Your question').fill(question);
  await page.keyboard.press('Enter');
  await page.locator('.turn h2').filter({ hasText: question }).last().waitFor();
  await expect.poll(() => page.locator('.turn').last().getAttribute('aria-busy'), { timeout: 60_000 }).toBe('false');
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}
/** The serious and critical findings of axe. Its script is evaluated in the page, because the CSP of the page would block it. */
export async function seriousProblems(page: Page): Promise<string[]> {
  const { readFile } = await import('node:fs/promises');
  await page.evaluate(await readFile(AXE, 'utf8'));
  const { violations } = (await page.evaluate(`axe.run(document, { resultTypes: ['violations'] })`)) as { violations: Finding[] };
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
}

export const sidewaysScroll = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
