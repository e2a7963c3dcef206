/** Backup archives: packing, unpacking, and refusal of defective archives. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pack, unpack } from '../../src/server/archive.ts';

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'tamshai-archive-'));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

interface Entry {
  readonly name: string;
  readonly content?: string | Buffer;
  readonly kind?: string;
  readonly size?: string;
  readonly link?: string;
  readonly checksum?: number;
}

/** A valid tar entry, except for the fields that a test changes. */
function entry({ name, content = '', kind = '0', size, link = '', checksum }: Entry): Buffer {
  const body = Buffer.from(content);
  const head = Buffer.alloc(512);
  head.write(name, 0, 'latin1');
  head.write('0000600\0', 100);
  head.write('0000000\0'.repeat(2), 108);
  head.write(size ?? `${body.length.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  head.write('00000000000\0', 136);
  head.write(' '.repeat(8), 148);
  head.write(kind, 156);
  head.write(link, 157);
  head.write('ustar\x0000', 257);
  const sum = checksum ?? head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([head, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
}

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');
type Files = Record<string, { bytes: number; sha256: string }>;
const fileOf = (content: string) => ({ bytes: content.length, sha256: sha256(content) });
const list = (files: Files) => entry({ name: 'tamshai-backup.json', content: JSON.stringify({ version: '1', at: 'today', files }) });
const END = Buffer.alloc(1024);
/** An archive with a matching manifest, so that only the tested check can refuse it. */
const whole = (...entries: Entry[]) => {
  const files = Object.fromEntries(
    entries.filter(({ kind = '0' }) => kind === '0').map(({ name, content = '' }) => [name, fileOf(String(content))]),
  );
  return Buffer.concat([...entries.map(entry), list(files), END]);
};

async function refusal(archive: Buffer): Promise<string> {
  const [file, into] = [join(place, 'archive.tar.gz'), join(place, 'data')];
  writeFileSync(file, archive);
  const message = await unpack(file, into).then(
    () => '',
    (error: Error) => error.message,
  );
  if (message !== '') expect(readdirSync(place)).toEqual(['archive.tar.gz']);
  return message;
}

test('a valid archive is unpacked with permissions for its owner alone', async () => {
  expect(await refusal(gzipSync(whole({ name: 'a', content: 'one' }, { name: 'b/', kind: '5' }, { name: 'b/c', content: 'two' })))).toBe(
    '',
  );
  expect(readFileSync(join(place, 'data', 'b', 'c'), 'utf8')).toBe('two');
  expect([statSync(join(place, 'data')).mode & 0o777, statSync(join(place, 'data', 'b')).mode & 0o777]).toEqual([0o700, 0o700]);
  expect(statSync(join(place, 'data', 'a')).mode & 0o777).toBe(0o600);
});

test('a packed folder can be unpacked again, including files with long names', async () => {
  const folder = join(place, 'own');
  const deep = join('a'.repeat(60), 'b'.repeat(60));
  mkdirSync(join(folder, deep), { recursive: true });
  writeFileSync(join(folder, deep, 'c'.repeat(60)), 'deep');
  await pack(folder, join(place, 'own.tar.gz'), { version: '1', leaveOut: () => false });
  await unpack(join(place, 'own.tar.gz'), join(place, 'again'));
  expect(readFileSync(join(place, 'again', deep, 'c'.repeat(60)), 'utf8')).toBe('deep');
});

test.each([
  ['a file with a name that is too long', 'x'.repeat(101)],
  ['a file with a non-ASCII letter in its name', 'caf\u00e9'],
])('%s ends the backup, because the archive format cannot hold it, and no archive is left behind', async (_, name) => {
  const folder = join(place, 'own');
  mkdirSync(folder);
  writeFileSync(join(folder, name), 'x');
  const packed = pack(folder, join(place, 'own.tar.gz'), { version: '1', leaveOut: () => false });
  await expect(packed).rejects.toThrow(`${name} has a name that an archive cannot contain.`);
  expect(readdirSync(place)).toEqual(['own']);
});

test('a file that changes while it is packed ends the backup, and no archive is left behind', async () => {
  const folder = join(place, 'own');
  mkdirSync(folder);
  writeFileSync(join(folder, 'a'), Buffer.alloc(4 * 2 ** 20, 1));
  // `pack` calls `leaveOut` after it reads the size of the file and before it copies the file.
  const leaveOut = () => {
    writeFileSync(join(folder, 'a'), 'short');
    return false;
  };
  await expect(pack(folder, join(place, 'own.tar.gz'), { version: '1', leaveOut })).rejects.toThrow(
    'a was changed while it was being copied',
  );
  expect(readdirSync(place)).toEqual(['own']);
});

test('an existing archive is not overwritten', async () => {
  const folder = join(place, 'own');
  mkdirSync(folder);
  for (let i = 0; i < 20; i++) writeFileSync(join(folder, `${i}`), Buffer.alloc(2 ** 20, i));
  writeFileSync(join(place, 'own.tar.gz'), 'mine');
  await expect(pack(folder, join(place, 'own.tar.gz'), { version: '1', leaveOut: () => false })).rejects.toThrow('exists already');
  expect(readFileSync(join(place, 'own.tar.gz'), 'utf8')).toBe('mine');
});

const outside = join(tmpdir(), `tamshai-evil-${process.pid}`);
test.each<[string, Entry[], RegExp]>([
  ['a path above the folder', [{ name: '../evil', content: 'x' }], /"\.\.\/evil" leads out of the folder/],
  ['a path that leaves the folder in the middle', [{ name: 'a/../../evil', content: 'x' }], /leads out of the folder/],
  ['an entry for the parent folder', [{ name: '../', kind: '5' }], /leads out of the folder/],
  ['an absolute path', [{ name: outside, content: 'x' }], /is an absolute path/],
  ['a path with a drive', [{ name: 'C:/evil', content: 'x' }], /is an absolute path/],
  ['a backslash', [{ name: 'a\\..\\evil', content: 'x' }], /contains a backslash/],
  ['an empty part', [{ name: 'a//b', content: 'x' }], /has an empty part/],
  ['a path with a dot as a part', [{ name: './a', content: 'x' }], /has an empty part/],
  ['an entry without a name', [{ name: '', content: 'x' }], /has no name/],
  ['a NUL in a name', [{ name: 'keys.json\0.txt', content: 'x' }], /contains a control character/],
  ['a line break in a name', [{ name: 'a\nb', content: 'x' }], /contains a control character/],
  ['letters that are not ASCII', [{ name: 'a\xe9', content: 'x' }], /contains a control character or a character that is not ASCII/],
  ['a symbolic link', [{ name: 'link', kind: '2', link: '/etc' }], /"link" is a symbolic link/],
  ['a hard link', [{ name: 'link', kind: '1', link: 'keys.json' }], /"link" is a hard link/],
  ['a character device', [{ name: 'device', kind: '3' }], /"device" is a device/],
  ['a block device', [{ name: 'device', kind: '4' }], /"device" is a device/],
  ['a pipe', [{ name: 'pipe', kind: '6' }], /"pipe" is a pipe/],
  ['a long name of GNU tar', [{ name: '././@LongLink', kind: 'L', content: 'x' }], /is of a kind \("L"\)/],
  ['an extended header', [{ name: 'pax', kind: 'x', content: '20 path=../../evil\n' }], /is of a kind \("x"\)/],
  [
    'the same name twice',
    [
      { name: 'a', content: 'x' },
      { name: 'a', content: 'x' },
    ],
    /"a" is in it twice/,
  ],
  [
    'a file with the name of a folder',
    [
      { name: 'a/', kind: '5' },
      { name: 'a', content: 'x' },
    ],
    /"a" is in it twice/,
  ],
  [
    'a file inside another file',
    [
      { name: 'a', content: 'x' },
      { name: 'a/b', content: 'x' },
    ],
    /the path "a\/b" contains a file where a folder has to be/,
  ],
  ['a wrong checksum', [{ name: 'a', content: 'x', checksum: 1 }], /an entry has a wrong checksum/],
  ['a negative size', [{ name: 'a', size: '-0000000001\0' }], /"a" has an invalid size/],
  ['a size in base-256 notation', [{ name: 'a', size: '\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff' }], /"a" has an invalid size/],
])('an archive with %s is refused', async (_, entries, says) => {
  const message = await refusal(gzipSync(whole(...entries)));
  expect(message).toMatch(says);
  expect(message).toMatch(/^This archive is not restored: [^\n]+; nothing was written\.$/);
  expect([existsSync(outside), existsSync(join(place, '..', 'evil'))]).toEqual([false, false]);
});

test('an entry with a size beyond the end of the archive is refused', async () => {
  expect(await refusal(gzipSync(Buffer.concat([entry({ name: 'a', content: 'x', size: '77777777777\0' }), list({}), END])))).toMatch(
    /its end is missing/,
  );
});

test('a decompression bomb is refused', async () => {
  const bomb = gzipSync(
    Buffer.concat([entry({ name: 'zeros', size: `${(600 * 2 ** 20).toString(8).padStart(11, '0')}\0` }), Buffer.alloc(600 * 2 ** 20)]),
  );
  expect(bomb.length).toBeLessThan(2 ** 20);
  expect(await refusal(bomb)).toMatch(/it would unpack to far more than a backup of its size/);
}, 60_000);

test('an archive that does not match its manifest is refused', async () => {
  const a = entry({ name: 'a', content: 'one' });
  const archive = (files: Files) => refusal(gzipSync(Buffer.concat([a, list(files), END])));
  expect(await archive({ a: fileOf('two') })).toMatch(/"a" differs from its entry in the list/);
  expect(await archive({ a: { ...fileOf('one'), bytes: 4 } })).toMatch(/"a" differs from its entry in the list/);
  expect(await archive({})).toMatch(/"a" is not in its list/);
  expect(await archive({ a: fileOf('one'), b: fileOf('two') })).toMatch(/"b" is in its list and not in the archive/);
  const no = (content: string) => refusal(gzipSync(Buffer.concat([a, entry({ name: 'tamshai-backup.json', content }), END])));
  expect(await no('{')).toMatch(/its list cannot be read/);
  expect(await no('{"version":1}')).toMatch(/its list cannot be read/);
});

test('a truncated archive, trailing data and other files are refused', async () => {
  const good = whole({ name: 'a', content: 'one' });
  const packed = gzipSync(good);
  expect(await refusal(packed.subarray(0, 40))).toMatch(/its end is missing/);
  expect(await refusal(packed.subarray(0, -4)), 'without its checksum').toMatch(/its end is missing/);
  expect(await refusal(gzipSync(good.subarray(0, 1024)))).toMatch(/its end is missing/);
  expect(await refusal(gzipSync(Buffer.concat([entry({ name: 'a', content: 'one' }), END])))).toMatch(/it has no list/);
  expect(await refusal(gzipSync(Buffer.concat([good, entry({ name: 'more', content: 'x' })])))).toMatch(/there is data after its end/);
  expect(await refusal(Buffer.concat([packed, Buffer.from('garbage')]))).toMatch(/there is data after its end|it is not a \.tar\.gz file/);
  expect(await refusal(Buffer.concat([packed, gzipSync('more')]))).toMatch(/there is data after its end/);
  const changed = Buffer.from(packed);
  changed[changed.length - 6] = (changed[changed.length - 6] ?? 0) ^ 1;
  expect(await refusal(changed)).toMatch(/it is damaged/);
  expect(await refusal(Buffer.from('this is no archive'))).toMatch(/it is not a \.tar\.gz file/);
  expect(await refusal(gzipSync('this is no archive'))).toMatch(/its end is missing/);
  expect(await refusal(Buffer.alloc(0))).toMatch(/its end is missing/);
  expect(gunzipSync(packed)).toEqual(good);
});

test('the error for a missing archive names the file, and nothing is written', async () => {
  const missing = join(place, 'missing.tar.gz');
  await expect(unpack(missing, join(place, 'data'))).rejects.toThrow(`There is no file ${missing}.`);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(readdirSync(place)).toEqual([]);
});

test('an existing folder is not changed', async () => {
  const folder = join(place, 'there');
  mkdirSync(folder);
  writeFileSync(join(folder, 'mine'), 'x');
  const file = join(place, 'good.tar.gz');
  writeFileSync(file, gzipSync(whole({ name: 'a', content: 'x' })));
  await expect(unpack(file, folder)).rejects.toThrow(`${folder} exists already`);
  expect(readFileSync(join(folder, 'mine'), 'utf8')).toBe('x');
});
