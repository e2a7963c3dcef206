/** Browser test of a stopped domain server: the web app names it, and shows the data of the others. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { start, type Tamshai } from '../../src/server/compose.ts';
import { SHARED_KEY } from '../fresh-database.ts';
import { startRedis } from '../services/redis.ts';
import type { TestServer } from '../services/server-process.ts';
import { SERVERS, settingsFor } from '../test-server.ts';
import { type AppTestServer, ask, openApp } from './app.ts';
import { readConfig } from '../registry.ts';

const freePort = () =>
  new Promise<string>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(String(port)));
    });
  });

let app: AppTestServer;
let away: Tamshai | undefined;
let folder: string;
let redis: TestServer | undefined;
let settings: Record<string, string>;
const startJourney = async () => {
  away = await start(readConfig(settings), { servers: ['journey'] });
};
const stopJourney = async () => {
  await away?.close();
  away = undefined;
};

beforeAll(async () => {
  const [hr, support, journey] = await Promise.all([freePort(), freePort(), freePort()]);
  folder = await mkdtemp(join(tmpdir(), 'tamshai-away-'));
  redis = await startRedis();
  const shared = { TAMSHAI_MASTER_KEY: SHARED_KEY, REDIS_URL: redis.url };
  const own = { HR_PORT: hr, SUPPORT_PORT: support, JOURNEY_URL: `http://127.0.0.1:${journey}` };
  app = await openApp({ ...shared, ...own }, { servers: SERVERS.filter((name) => name !== 'journey') });
  const others = { HR_URL: `http://127.0.0.1:${hr}`, SUPPORT_URL: `http://127.0.0.1:${support}` };
  const trusted = { TAMSHAI_GATEWAY_PUBLIC_KEYS: JSON.stringify({ keys: [app.testServer.keys.gateway.current.publicJwk] }) };
  settings = {
    ...settingsFor(folder),
    TAMSHAI_INSTANCE: 'away',
    ...shared,
    ...others,
    ...trusted,
    JOURNEY_PORT: journey,
    TAMSHAI_PUBLIC_URL: app.base,
  };
  await startJourney();
}, 300_000);
afterAll(async () => {
  await stopJourney();
  await app?.close();
  await redis?.stop();
  await rm(folder, { recursive: true, force: true });
});

const QUESTION = 'Search the project history for PGlite';

test('the answer names the unavailable server, other questions are answered, and Try again works once the server is back', async () => {
  const { page } = await app.as('Marcus Johnson');
  await ask(page, QUESTION);
  await page.getByText('All services answer').waitFor();
  await stopJourney();

  await ask(page, QUESTION);
  const notice = page.locator('.turn').last().locator('.notice');
  await notice.waitFor();
  expect(await notice.innerText()).toContain('Project history does not answer');
  await ask(page, 'What is my PTO balance?');
  expect(await page.locator('.turn').last().locator('.prose').innerText()).toMatch(/\d/);
  await page.reload();
  await page.getByText('journey does not answer').waitFor();
  await page.goto(`${app.base}/tools/journey/get_context`);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.locator('.notice', { hasText: 'does not answer' }).waitFor();

  await startJourney();
  await page.locator('.notice').getByRole('button', { name: 'Try again' }).click();
  await page.locator('.badge--ok', { hasText: 'success' }).waitFor();
});
