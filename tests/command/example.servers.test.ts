/** The example project on servers: rooms and bookings in PostgreSQL, vehicles and trips in MongoDB. */
import { randomBytes } from 'node:crypto';
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { SHARED_KEY } from '../fresh-database.ts';
import { build, DEADLINE_MS, removeFolders, ROOT, type Settings, tamshai } from './command-support.ts';
import { project, suite } from './project-support.ts';

vi.setConfig({ testTimeout: 5 * DEADLINE_MS, hookTimeout: 3 * DEADLINE_MS });

/** The contract suite, as the author of the project writes it for a server. */
const ON_SERVERS = `import pg from 'pg';
import { afterAll, describe, it } from 'vitest';
import { contractSuite, openTestServer } from 'tamshai/testing';
import config from '../tamshai.config.ts';

const { OWNER_URL: connectionString, DATABASE_URL = '', MONGODB_URL = '', TAMSHAI_MASTER_KEY = '' } = process.env;
async function prepare() {
  const owner = new pg.Client({ connectionString });
  await owner.connect();
  return { owner: async (text: string, values?: unknown[]) => (await owner.query(text, values)).rows, close: () => owner.end() };
}
const settings = { DATABASE_URL, MONGODB_URL, TAMSHAI_MASTER_KEY };
const openServer = () => openTestServer(config, { settings, prepare });
contractSuite(config, { describe, it, afterAll, domains: ['facilities', 'fleet'], openServer });
`;

const database = `tamshai_example_${randomBytes(6).toString('hex')}`;
const at = (url = '', more: object = {}) => Object.assign(new URL(url), { pathname: `/${database}`, ...more }).href;
const ownerUrl = at(process.env['TAMSHAI_TEST_DATABASE_URL']);
const servers: Settings = {
  DATABASE_URL: at(ownerUrl, { username: '', password: '' }),
  MONGODB_URL: at(process.env['TAMSHAI_TEST_MONGODB_URL']),
  TAMSHAI_MASTER_KEY: SHARED_KEY,
};
const root = new pg.Client({ connectionString: process.env['TAMSHAI_TEST_DATABASE_URL'] });
beforeAll(async () => {
  build();
  await root.connect();
  await root.query(`create database ${database}`);
});
afterAll(async () => {
  await root.query(`drop database ${database} with (force)`);
  await root.end();
  const mongo = await new MongoClient(servers['MONGODB_URL'] ?? '').connect();
  await mongo.db(database).dropDatabase();
  await mongo.close();
  removeFolders();
});

test('migrate and seed prepare the servers, and the contract suite passes on them', async () => {
  const path = project();
  cpSync(join(ROOT, 'examples', 'facilities'), path, { recursive: true });
  symlinkSync(join(ROOT, 'node_modules', 'pg'), join(path, 'node_modules', 'pg'));
  writeFileSync(join(path, 'tests', 'contract.test.ts'), ON_SERVERS);
  const early = await tamshai(['start'], { cwd: path, settings: servers });
  expect({ code: early.code, err: early.err }).toEqual({
    code: 1,
    err: expect.stringMatching(/^error {2}(?:PostgreSQL|The schema at) .*"tamshai migrate"[^\n]+\n$/),
  });
  // Roles belong to the whole server and other suites create them too, so the suites take turns.
  await root.query('select pg_advisory_lock(42)');
  try {
    for (const command of ['migrate', 'seed']) {
      const { code, err } = await tamshai([command], { cwd: path, settings: { ...servers, DATABASE_URL: ownerUrl } });
      expect([command, code, err]).toEqual([command, 0, expect.not.stringContaining('error')]);
    }
  } finally {
    await root.query('select pg_advisory_unlock(42)');
  }
  expect(await suite(path, { ...servers, OWNER_URL: ownerUrl })).toMatch(/Tests\s+\d{2,} passed/);
});
