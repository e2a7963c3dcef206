/** The embedded key-value store: a SQLite file that several processes may share. */
import { type Failure, failure } from '../../declare/errors.ts';
import type { Clock, KeyValue } from '../../engine/ports.ts';
import { openSqlite } from '../sqlite-file.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value BLOB NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS entries_by_expiry ON entries (expires_at);
`;
const SWEEP_EVERY_MS = 30_000;
const SWEEP_AT_MOST = 1_000;

const unavailable = (cause: unknown): Failure =>
  Object.assign(failure('SERVICE_UNAVAILABLE', 'The store for sessions and approvals cannot be used right now.'), { cause });

/** Each operation is one atomic statement, so several processes can share the file without transactions. */
export function openSqliteKeyValue(file: string, clock: Clock = { now: () => new Date() }): KeyValue {
  const db = openSqlite(file);
  db.exec(SCHEMA);

  const get = db.prepare('SELECT value FROM entries WHERE key = ?1 AND expires_at > ?2').raw();
  const set = db.prepare(
    'INSERT INTO entries VALUES (?1, ?2, ?3) ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at',
  );
  const add = db.prepare(
    `INSERT INTO entries VALUES (?1, ?2, ?3)
     ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at WHERE expires_at <= ?4`,
  );
  const swap = db.prepare('UPDATE entries SET value = ?3, expires_at = ?4 WHERE key = ?1 AND CAST(value AS BLOB) = ?2 AND expires_at > ?5');
  const remove = db.prepare('DELETE FROM entries WHERE key = ?1');
  const count = db
    .prepare(
      `INSERT INTO entries VALUES (?1, 1, ?2) ON CONFLICT (key) DO UPDATE SET
         value = CASE WHEN expires_at > ?3 THEN CAST(value AS INTEGER) + 1 ELSE 1 END,
         expires_at = CASE WHEN expires_at > ?3 THEN expires_at ELSE ?2 END
       RETURNING value`,
    )
    .raw();
  const sweep = db.prepare('DELETE FROM entries WHERE key IN (SELECT key FROM entries WHERE expires_at <= ?1 LIMIT ?2)');

  let sweepAt = clock.now().getTime() + SWEEP_EVERY_MS;
  const written = (now: number) => {
    if (now < sweepAt) return;
    sweepAt = now + SWEEP_EVERY_MS;
    sweep.run(now, SWEEP_AT_MOST);
  };
  const attempt = async <T>(work: (now: number) => T): Promise<T> => {
    try {
      // In this driver, prepared statements still run after `close`.
      if (!db.open) throw new Error('closed');
      return work(clock.now().getTime());
    } catch (cause) {
      throw unavailable(cause);
    }
  };
  const end = (now: number, seconds: number) => now + Math.max(1, Math.ceil(seconds * 1000));

  return {
    get: (key) =>
      attempt((now) => {
        const row = get.get(key, now) as [Buffer | number] | undefined;
        return row === undefined ? undefined : row[0].toString();
      }),
    set: (key, value, ttlSeconds) =>
      attempt((now) => {
        set.run(key, Buffer.from(value), end(now, ttlSeconds));
        written(now);
      }),
    add: (key, value, ttlSeconds) =>
      attempt((now) => {
        const { changes } = add.run(key, Buffer.from(value), end(now, ttlSeconds), now);
        written(now);
        return changes === 1;
      }),
    swap: (key, expected, next, ttlSeconds) =>
      attempt((now) => swap.run(key, Buffer.from(expected), Buffer.from(next), end(now, ttlSeconds), now).changes === 1),
    delete: (key) =>
      attempt(() => {
        remove.run(key);
      }),
    count: (key, windowSeconds) =>
      attempt((now) => {
        const row = count.get(key, end(now, windowSeconds), now) as [number];
        written(now);
        return row[0];
      }),
    ping: () =>
      attempt((now) => {
        get.get('', now);
      }),
    close: async () => {
      if (db.open) db.close();
    },
  };
}
