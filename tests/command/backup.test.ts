/** tamshai backup and restore after the loss of a disk. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unpack } from '../../src/server/archive.ts';
import { build, folder, DEADLINE_MS, prepared, removeFolders, type Settings, testServer, tamshai } from './command-support.ts';

let settings: Settings;
let file: string;
beforeAll(async () => {
  build();
  settings = await prepared({ TAMSHAI_SCRIPTED_APPROVALS: '1' });
  file = join(folder('backup'), 'backup.tar.gz');
}, DEADLINE_MS);
afterAll(removeFolders);

test(
  'a restore brings back all data after the loss of the folder, and the verification of the audit log succeeds',
  async () => {
    const running = await testServer(settings);
    expect((await running.run(['call', 'tasks', 'add_task', '{"title":"kept"}', '--as', 'nina.patel', '--json'])).code).toBe(0);
    const refused = await running.run(['backup', file]);
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringMatching(/^error {2}The data folder .* is in use by another Tamshai process; stop that one.*\n$/),
    ]);
    expect(existsSync(file)).toBe(false);
    await running.stop();

    const made = await tamshai(['backup', file, '--json'], { settings });
    expect(made.json()).toMatchObject({ file, elsewhere: [] });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const again = await tamshai(['backup', file], { settings });
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('exists already') as string]);
    // An ordinary tar archive, which users can read without Tamshai.
    const list = spawnSync('tar', ['-tzf', file], { encoding: 'utf8' });
    expect([list.status, list.stderr]).toEqual([0, '']);
    expect(list.stdout.split('\n')).toEqual(
      expect.arrayContaining(['keys.json', 'audit.db', 'checkpoints.jsonl', 'pg/PG_VERSION', 'tamshai-backup.json']),
    );
    expect(list.stdout).not.toContain('lock.db');

    const copy = { ...settings, TAMSHAI_DATA: join(folder('restored'), 'data') };
    expect((await tamshai(['restore', file], { settings: copy })).code).toBe(0);
    expect(statSync(join(copy.TAMSHAI_DATA, 'keys.json')).mode & 0o777).toBe(0o600);
    expect(statSync(copy.TAMSHAI_DATA).mode & 0o777).toBe(0o700);
    const verified = await tamshai(['audit', 'verify', '--json'], { settings: copy });
    expect([verified.code, verified.err]).toEqual([0, '']);
    const restored = await testServer(copy);
    const tasks = await restored.run(['call', 'tasks', 'list_tasks', '--as', 'nina.patel', '--json']);
    expect(tasks.out).toContain('"kept"');
    expect((await restored.run(['audit', 'verify'])).code).toBe(0);
    await restored.stop();
    const over = await tamshai(['restore', file], { settings: copy });
    expect([over.code, over.err]).toEqual([1, expect.stringContaining('is not empty, and restore never overwrites files') as string]);
  },
  3 * DEADLINE_MS,
);

/** One file in an archive, as tar writes it. */
function entry(name: string, content: string, kind = '0'): Buffer {
  const head = Buffer.alloc(512);
  head.write(name, 0);
  head.write('0000600\0', 100);
  head.write(`${Buffer.byteLength(content).toString(8).padStart(11, '0')}\0`, 124);
  head.write(kind, 156);
  return Buffer.concat([head, Buffer.from(content), Buffer.alloc((512 - (Buffer.byteLength(content) % 512)) % 512)]);
}

test(
  'a truncated, changed or hostile archive, or another file, is refused in one sentence, and nothing is written',
  async () => {
    const place = folder('bad');
    const whole = gunzipSync(readFileSync(file));
    const changed = Buffer.from(whole);
    changed[changed.indexOf('"kid"') > 0 ? changed.indexOf('"kid"') + 1 : 600] = 0x58;
    const list = entry('tamshai-backup.json', '{"version":"0","at":"x","files":{}}');
    const bad: Record<string, Buffer> = {
      'cut.gz': readFileSync(file).subarray(0, 20_000),
      'short.gz': gzipSync(whole.subarray(0, whole.length - 20_480)),
      'changed.gz': gzipSync(changed),
      'above.gz': gzipSync(Buffer.concat([entry('../evil', 'x'), list])),
      'rooted.gz': gzipSync(Buffer.concat([entry('/tmp/tamshai-evil', 'x'), list])),
      'link.gz': gzipSync(Buffer.concat([entry('link', '', '2'), list])),
      'unlisted.gz': gzipSync(Buffer.concat([entry('extra', 'x'), list])),
      'text.gz': Buffer.from('this is no archive'),
      'empty.gz': Buffer.alloc(0),
    };
    const into = join(place, 'data');
    for (const [name, content] of Object.entries(bad)) {
      writeFileSync(join(place, name), content);
      await expect(unpack(join(place, name), into), name).rejects.toThrow(/^This archive is not restored: .+; nothing was written\.$/);
    }
    await expect(unpack(join(place, 'none'), into)).rejects.toThrow(`There is no file ${join(place, 'none')}.`);
    const { code, err } = await tamshai(['restore', join(place, 'cut.gz')], { settings: { TAMSHAI_DATA: into } });
    expect([code, err]).toEqual([1, 'error  This archive is not restored: it is damaged, or its end is missing; nothing was written.\n']);
    expect(readdirSync(place).sort()).toEqual(Object.keys(bad).sort());
    expect(existsSync('/tmp/tamshai-evil')).toBe(false);
  },
  3 * DEADLINE_MS,
);

test(
  'a backup of an empty folder, or into the data folder, is refused',
  async () => {
    const empty = join(folder('none'), 'data');
    mkdirSync(empty);
    expect((await tamshai(['backup', `${file}.2`], { settings: { TAMSHAI_DATA: empty } })).code).toBe(1);
    const inside = await tamshai(['backup', join(settings['TAMSHAI_DATA'] ?? '', 'x.tar.gz')], { settings });
    expect([inside.code, inside.err]).toEqual([2, expect.stringContaining('must not be in the data folder') as string]);
  },
  DEADLINE_MS,
);
