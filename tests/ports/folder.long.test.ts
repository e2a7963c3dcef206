/** The data folder: permissions, its lock for one process, and messages about unusable folders. */
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openFolder } from '../../src/server/folder.ts';
import { startChild } from '../services/child.ts';

const root = mkdtempSync(join(tmpdir(), 'tamshai folder '));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const other = (path: string) => startChild(new URL('./folder-child.ts', import.meta.url), path);
const inUse = (path: string) =>
  `The data folder ${path} is in use by another Tamshai process; stop that one, or set TAMSHAI_DATA to another folder.`;

describe('the data folder', () => {
  test('is created with permissions for its owner alone, including missing parents', () => {
    const path = join(root, 'a', 'b c', 'data');
    const folder = openFolder(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    folder.close();
    folder.close();
  });

  test('is locked by one process at a time, and unlocked when that process ends, even by kill -9', async () => {
    const path = join(root, 'shared');
    const first = other(path);
    expect(await first.line()).toBe('taken');
    expect(() => openFolder(path)).toThrow(inUse(path));
    const second = other(path);
    expect(await second.line()).toBe(inUse(path));
    expect((await second.ended).code).toBe(0);
    first.process.kill('SIGKILL');
    await first.ended;
    const mine = openFolder(path);
    expect(await other(path).line()).toBe(inUse(path));
    mine.close();
    const third = other(path);
    expect(await third.line()).toBe('taken');
    third.process.kill('SIGKILL');
  });

  test('cannot be locked twice by one process', () => {
    const path = join(root, 'twice');
    const folder = openFolder(path);
    expect(() => openFolder(path)).toThrow(inUse(path));
    expect(() => openFolder(path)).toThrow(inUse(path));
    folder.close();
    openFolder(path).close();
  });

  test('that is unusable is reported in one sentence', () => {
    const file = join(root, 'file');
    writeFileSync(file, '');
    expect(() => openFolder(file)).toThrow(`The data folder ${file} cannot be written: it is a file, not a folder.`);
    expect(() => openFolder(join(file, 'x'))).toThrow(/cannot be written: a part of that path is a file, not a folder\.$/);
    expect(() => openFolder('/proc/tamshai')).toThrow('The data folder /proc/tamshai cannot be written: no folder can be made there.');
    const damaged = join(root, 'damaged');
    mkdirSync(damaged);
    writeFileSync(join(damaged, 'lock.db'), 'x'.repeat(5_000));
    expect(() => openFolder(damaged)).toThrow(/lock\.db is damaged; delete that one file\.$/);
  });
});
