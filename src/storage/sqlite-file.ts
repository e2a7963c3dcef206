/** Opens SQLite files with shared settings, and finds damaged files. */
import { closeSync, existsSync, openSync } from 'node:fs';
import Database from 'libsql';

export type Sqlite = Database.Database;
export type SqliteStatement = Database.Statement;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Decodes a text column that was read as bytes. Invalid UTF-8 becomes U+FFFD and the bytes in hex, which no stored text equals. */
export function storedText(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return `\ufffd${bytes.toString('hex')}`;
  }
}

/** How long a writer waits for another process that writes to the file. */
const BUSY_MS = 2_000;

/**
 * Several processes may share the file. With WAL and synchronous=NORMAL, a killed process loses no commit; a power cut may lose the last
 * commits but does not damage the file.
 */
export function openSqlite(file: string): Sqlite {
  // The -wal and -shm files inherit this mode. Only a new file is opened here: closing an existing one would release POSIX locks of this
  // process.
  if (file !== ':memory:' && !existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  const db = new Database(file, { timeout: BUSY_MS });
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  return db;
}

/** True if the file is a valid database or does not exist. Call this before the process opens the file. */
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
