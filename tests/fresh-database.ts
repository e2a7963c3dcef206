/** Creates a PostgreSQL database with the sample data on the server of this run, and drops it at the end. */
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import pg from 'pg';
import { passwordFor } from '../src/server/stores.ts';
import { openKeys } from '../src/identity/keys.ts';
import { giveLogins } from '../src/storage/sql/migrate.ts';
import { REDIS_DATABASES } from './services/redis.ts';
import { copyDatabase, inTables } from './template.ts';

/** Logins belong to the whole server, so all suites derive their passwords from one key. */
export const SHARED_KEY = Buffer.from('the quick brown key of all suite').toString('base64url');

export interface FreshDatabase {
  /** For processes that serve. It names no login. */
  readonly url: string;
  /** A superuser's address, for commands that migrate. */
  readonly ownerUrl: string;
  readonly owner: pg.Client;
  drop(): Promise<void>;
}

export async function freshDatabase(url: string, all: readonly string[], masterKey: string, folder: string): Promise<FreshDatabase> {
  const domains = inTables(all);
  const name = `tamshai_site_${randomBytes(6).toString('hex')}`;
  const own = new URL(url);
  own.pathname = `/${name}`;
  const root = new pg.Client({ connectionString: url });
  await root.connect();
  // Roles belong to the whole server and other suites create them too, so the suites take turns.
  await root.query('select pg_advisory_lock(42)');
  const owner = new pg.Client({ connectionString: own.href });
  try {
    await copyDatabase(root, url, name, { domains, today: new Date() });
    await owner.connect();
    await giveLogins(owner, domains, passwordFor(openKeys(folder, { masterKey })));
  } finally {
    await root.query('select pg_advisory_unlock(42)');
  }
  return {
    url: Object.assign(new URL(own.href), { username: '', password: '' }).href,
    ownerUrl: own.href,
    owner,
    async drop() {
      await owner.end();
      await root.query(`drop database ${name} with (force)`);
      await root.end();
    },
  };
}

let given = 0;
/** An empty Redis database. Each worker has eight of its own, so that concurrent suites share no keys. */
export async function redisDatabase(url: string): Promise<string> {
  const worker = Number(process.env['VITEST_POOL_ID'] ?? 1);
  const own = new URL(url);
  own.pathname = `/${1 + ((worker * 8 + (given++ % 8)) % (REDIS_DATABASES - 1))}`;
  const redis = new Redis(own.href);
  await redis.flushdb();
  redis.disconnect();
  return own.href;
}
