/** The data folder: created if necessary, and locked for one process. */
import { accessSync, chmodSync, closeSync, constants, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'libsql';
import { ConfigProblem } from './config.ts';

export interface Folder {
  readonly path: string;
  /** Releases the lock. */
  close(): void;
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  SQLITE_CANTOPEN: 'this user may not write there',
  SQLITE_READONLY: 'this user may not write there',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  SQLITE_FULL: 'the disk is full',
  ENOENT: 'no folder can be made there',
  EEXIST: 'it is a file, not a folder',
  ENOTDIR: 'a part of that path is a file, not a folder',
  SQLITE_NOTADB: 'its lock.db is damaged; delete that one file',
  SQLITE_IOERR: 'the disk does not answer properly',
};

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/**
 * Creates a folder and its missing parents. On some systems, `mkdirSync` with `recursive` never returns if a new folder is refused with
 * ENOENT.
 */
function make(path: string): void {
  if (isFolder(path)) return;
  const above = dirname(path);
  if (!existsSync(above)) make(above);
  try {
    mkdirSync(path, 0o700);
  } catch (error) {
    // Another process may create it at the same time.
    if (!isFolder(path)) throw error;
  }
}

/** Locks the data folder for this process. The lock ends with the process, even after a crash. */
export function openFolder(path: string): Folder {
  let db: Database.Database | undefined;
  try {
    make(path);
    accessSync(path, constants.W_OK | constants.X_OK);
    const lock = join(path, 'lock.db');
    // Must not open an existing file: closing it would release all locks of this process on it.
    if (existsSync(lock)) chmodSync(lock, 0o600);
    else closeSync(openSync(lock, 'a', 0o600));
    db = new Database(lock, { timeout: 0 });
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db?.close();
    const code = String((error as { code?: unknown }).code);
    if (code.startsWith('SQLITE_BUSY'))
      throw new ConfigProblem(
        `The data folder ${path} is in use by another Tamshai process; stop that one, or set TAMSHAI_DATA to another folder.`,
      );
    const reason = Object.entries(REASONS).find(([known]) => code === known || code.startsWith(`${known}_`))?.[1];
    throw new ConfigProblem(`The data folder ${path} cannot be written: ${reason ?? 'its lock.db cannot be opened'}.`);
  }
  const held = db;
  return {
    path,
    close() {
      if (!held.open) return;
      held.exec('ROLLBACK');
      held.close();
    },
  };
}
