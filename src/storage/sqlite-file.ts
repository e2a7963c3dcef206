/** Opens SQLite files with the settings that all embedded stores share, and finds damaged files. */
import { closeSync, existsSync, openSync } from 'node:fs';
import Database from 'libsql';

export type Sqlite = Database.Database;
export type SqliteStatement = Database.Statement;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/**
 * A text column that was read with CAST(… AS BLOB). Invalid UTF-8 becomes U+FFFD followed by the bytes in hex: unlike any text that we
 * write, so that a comparison with the right value fails.
 */
export function storedText(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return `\ufffd${bytes.toString('hex')}`;
  }
}

/** How long a writer waits for another process that is writing to the same file. */
const BUSY_MS = 2_000;

/**
 * Opens a file that several processes may share. WAL with synchronous=NORMAL: a killed process loses no commit; a power cut may lose
 * the last commits, but the file stays consistent.
 */
export function openSqlite(file: string): Sqlite {
  // The -wal and -shm files inherit this mode. An existing file is not opened here: closing it would release the POSIX locks of a
  // connection that this process may already have.
  if (file !== ':memory:' && !existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  const db = new Database(file, { timeout: BUSY_MS });
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  return db;
}

/** Whether a file is a valid database or does not exist. Call it before this process opens the file. */
export function isSound(file: string): boolean {
  if (!existsSync(file)) return true;
  let db: Sqlite | undefined;
  try {
    db = openSqlite(file);
    const [row] = db.prepare('PRAGMA quick_check(1)').all() as { quick_check?: string }[];
    return row?.quick_check === 'ok';
  } catch (error) {
    const code = String((error as { code?: unknown }).code);
    if (code.startsWith('SQLITE_NOTADB') || code.startsWith('SQLITE_CORRUPT')) return false;
    throw error;
  } finally {
    db?.close();
  }
}
