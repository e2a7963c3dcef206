/** The call log: appends the audit records of calls to a chain in a SQLite file. */
import { open } from 'node:fs/promises';
import { bodyOf, type Checkpoint, type CheckpointNote, type Head, macOf, withNote } from '../../engine/audit/chain.ts';
import { type Failure, failure } from '../../declare/errors.ts';
import type { AuditChains, AuditLog, AuditRecord, Logger } from '../../engine/ports.ts';
import { openSqlite, type Sqlite, type SqliteStatement, storedText } from '../sqlite-file.ts';
import { chainsIn } from './call-chains.ts';
import type { Checkpoints } from './checkpoints.ts';

/** The largest number of records in one transaction. */
const AT_ONCE = 64;
const CATCH_UP_MS = 1_000;
/** The minimum time between two transactions. A transaction costs several times as much as a record, so larger batches are faster. */
const BATCH_INTERVAL_MS = 2;

export interface CallLogOptions {
  readonly file: string;
  readonly chain: string;
  readonly key: Uint8Array;
  readonly checkpoints: Checkpoints;
  readonly log?: Logger | undefined;
}

interface QueuedRecord {
  readonly body: string;
  resolve(): void;
  reject(reason: Failure): void;
}

const unavailable = (cause: unknown): Failure =>
  Object.assign(failure('SERVICE_UNAVAILABLE', 'The call could not be recorded, so it is not answered.'), { cause });

/**
 * Records of concurrent calls share one transaction. A committed record survives a killed process. It survives a power cut after the next
 * checkpoint, which syncs the WAL.
 */
export async function openCallLog({ file, chain: wanted, key, checkpoints, log }: CallLogOptions): Promise<AuditLog> {
  const db = openSqlite(file);
  const { catchUp, ...reader } = chainsIn(db);
  const { chain, mark } = await continued(reader, checkpoints, { wanted, log });
  const write = appender(db, { chain, key, checkpoints, note: await checkpoints.begin(chain, endOf(db, chain), mark) });
  const wal = file === ':memory:' ? undefined : await open(`${file}-wal`, 'r+');
  const durable = async () => (db.open ? wal?.datasync() : undefined);
  const queue: QueuedRecord[] = [];
  let later: NodeJS.Timeout | undefined;
  const afterwards = () => {
    later ??= setTimeout(() => {
      later = undefined;
      // The next search tries again and reports its error.
      catchUp().catch(() => undefined);
    }, CATCH_UP_MS).unref();
  };

  // An earlier process may have left records without index entries.
  afterwards();

  let flushedAt = 0;
  const soon = () => {
    const left = flushedAt + BATCH_INTERVAL_MS - performance.now();
    if (left > 0) setTimeout(flush, left);
    else setImmediate(flush);
  };
  const flush = () => {
    const batch = queue.splice(0, AT_ONCE);
    flushedAt = performance.now();
    if (queue.length > 0) setImmediate(flush);
    try {
      const head = write(batch);
      for (const { resolve } of batch) resolve();
      void checkpoints.checkpoint(chain, head.n, head.mac, durable);
      afterwards();
    } catch (cause) {
      for (const { reject } of batch) reject(unavailable(cause));
    }
  };
  return {
    ...reader,
    append: (record: AuditRecord) =>
      new Promise((resolve, reject) => {
        queue.push({ body: bodyOf(record), resolve, reject });
        if (queue.length === 1) soon();
      }),
    async close() {
      if (!db.open) return;
      while (queue.length > 0) await new Promise((resolve) => setImmediate(resolve));
      clearTimeout(later);
      db.pragma('wal_checkpoint(TRUNCATE)');
      db.close();
      await wal?.close();
    },
  };
}

interface Appending extends Pick<CallLogOptions, 'chain' | 'key' | 'checkpoints'> {
  /** The note for the first record of this process; undefined for a new chain. */
  readonly note: CheckpointNote | undefined;
}

const endOf = (db: Sqlite, chain: string): number =>
  (db.prepare('SELECT max(n) FROM records WHERE chain = ?1').raw().get(chain) as [number | null])[0] ?? 0;

/**
 * Several processes may share the file. SQLite refuses a record number that another process used; then this process reads the end of the
 * chain and tries once more.
 */
function appender(db: Sqlite, { chain, key, checkpoints, note: begun }: Appending): (batch: readonly QueuedRecord[]) => Head {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  const last = db.prepare('SELECT n, CAST(mac AS BLOB) FROM records WHERE chain = ?1 ORDER BY n DESC LIMIT 1').raw();
  const inserts = new Map<number, SqliteStatement>();
  const insertOf = (rows: number) => {
    const insert =
      inserts.get(rows) ?? db.prepare(`INSERT INTO records (chain, n, body, mac) VALUES ${Array(rows).fill('(?, ?, ?, ?)').join(', ')}`);
    inserts.set(rows, insert);
    return insert;
  };
  let head: Head | undefined;
  let note = begun;
  let named = 0;
  const attempt = (batch: readonly QueuedRecord[]): Head => {
    const newest = checkpoints.confirmed(chain) ?? 0;
    let nextNote = note ?? (newest > named ? { count: newest } : undefined);
    let { n, mac } = head ?? headOf(last.get(chain) as [number, Buffer] | undefined);
    head = undefined;
    const rows: (string | number)[] = [];
    for (const { body: plain } of batch) {
      const body = withNote(plain, nextNote);
      nextNote = undefined;
      mac = macOf(key, { chain, n: ++n, previous: mac, body });
      rows.push(chain, n, body, mac);
    }
    insertOf(batch.length).run(rows);
    commit.run();
    head = { n, mac };
    if (note === undefined) named = newest;
    note = undefined;
    return head;
  };
  return (batch) => {
    // In this driver, prepared statements still run after `close`.
    if (!db.open) throw new Error('closed');
    for (let again = false; ; again = true) {
      // BEGIN IMMEDIATE takes the lock first. This driver leaves an INSERT unfinished if the INSERT itself finds the file locked.
      begin.run();
      try {
        return attempt(batch);
      } catch (error) {
        if (db.inTransaction) rollback.run();
        if (again || !isTaken(error)) throw error;
      }
    }
  };
}

const headOf = (row: [number, Buffer] | undefined): Head => (row ? { n: row[0], mac: storedText(row[1]) } : { n: 0, mac: '' });

const isTaken = (error: unknown): boolean => String((error as { code?: unknown }).code).startsWith('SQLITE_CONSTRAINT');

/**
 * If the file lacks the record of its newest checkpoint, it was truncated or is an old copy. The log then continues in a new chain, because
 * new records in the old chain would hide the loss.
 */
async function continued(
  reader: AuditChains,
  checkpoints: Checkpoints,
  { wanted, log }: { readonly wanted: string; readonly log: Logger | undefined },
): Promise<{ readonly chain: string; readonly mark: Checkpoint | undefined }> {
  for (let i = 1; ; i++) {
    const chain = i === 1 ? wanted : `${wanted}.${i}`;
    const mark = await checkpoints.latest(chain);
    const isWhole = mark === undefined || mark.count === 0 || (await reader.record(chain, mark.count))?.mac === mark.mac;
    if (isWhole) return { chain, mark };
    log?.error(
      { chain, n: mark.count },
      'The audit log was truncated or is an old copy; it continues in a new chain. Run "tamshai audit verify".',
    );
  }
}
