import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { ConfigProblem } from './config.ts';

export interface Folder {
  readonly path: string;
  /** Lets another process have it. */
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
  EEXIST: 'it is a file, not a folder',
  ENOTDIR: 'a part of that path is a file, not a folder',
  SQLITE_NOTADB: 'its lock.db is damaged; delete that one file',
  SQLITE_IOERR: 'the disk does not answer properly',
};

/**
 * Takes the data folder for this process alone. The lock is the operating system's, on an otherwise empty file: it ends with the
 * process, however that ends, so nothing ever has to be cleaned up by hand.
 */
export function openFolder(path: string): Folder {
  let db: Database.Database | undefined;
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    db = new Database(join(path, 'lock.db'), { timeout: 0 });
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db?.close();
    const code = String((error as { code?: unknown }).code);
    if (code.startsWith('SQLITE_BUSY')) throw new ConfigProblem(`The data folder ${path} is in use by another Tamshai process.`);
    const reason = Object.entries(REASONS).find(([known]) => code === known || code.startsWith(`${known}_`))?.[1];
    throw new ConfigProblem(`The data folder ${path} cannot be written: ${reason ?? `the system says ${code}`}.`);
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
