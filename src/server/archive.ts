/**
 * Backup archives: a .tar.gz that ends with a list of its files and their digests. `unpack` is our own strict reader and refuses everything
 * that `pack` never writes (ADR 29).
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { lstat, mkdir, open, readdir, rm } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { type Pack, pack as createTar } from 'tar-stream';
import { z } from 'zod';

/** A problem that the operator can solve. */
export class ArchiveProblem extends Error {
  override readonly name = 'ConfigProblem';
}

const BLOCK = 512;
const LIST = 'tamshai-backup.json';
const listed = z.object({
  version: z.string(),
  at: z.string(),
  files: z.record(z.string(), z.object({ bytes: z.number(), sha256: z.string() })),
});
export type Listed = z.infer<typeof listed>;

/**
 * True if a ustar header can hold the name: ASCII, at most 100 characters after a prefix of at most 155 that ends at a slash. For other
 * names tar-stream writes extended headers, which `unpack` refuses.
 */
function fitsHeader(name: string): boolean {
  const cut = name.length > 100 ? name.indexOf('/', name.length - 101) : 0;
  return cut >= 0 && cut <= 155 && Buffer.byteLength(name) === name.length;
}

const padding = (bytes: number) => Buffer.alloc((BLOCK - (bytes % BLOCK)) % BLOCK);

async function* entriesOf(folder: string, under = ''): AsyncGenerator<{ name: string; bytes: number; folder: boolean }> {
  for (const entry of (await readdir(join(folder, under), { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = under === '' ? entry.name : `${under}/${entry.name}`;
    if (entry.isDirectory()) {
      yield { name: `${name}/`, bytes: 0, folder: true };
      yield* entriesOf(folder, name);
    } else if (entry.isFile()) yield { name, bytes: (await lstat(join(folder, name))).size, folder: false };
  }
}

/** Packs a folder. No process may change the folder meanwhile. Only the owner may read the archive, because it contains keys. */
export async function pack(
  folder: string,
  file: string,
  { version, leaveOut }: { version: string; leaveOut: (name: string) => boolean },
): Promise<Listed> {
  const list: Listed = { version, at: new Date().toISOString(), files: {} };
  const tar = createTar();
  async function addEntries(): Promise<void> {
    for await (const { name, bytes, folder: isFolder } of entriesOf(folder)) {
      if (leaveOut(name)) continue;
      if (!fitsHeader(name)) throw new ArchiveProblem(`${name} has a name that an archive cannot contain.`);
      if (isFolder) tar.entry({ name, type: 'directory', mode: 0o700 });
      else list.files[name] = { bytes, sha256: await addFile(tar, { name, bytes, folder }) };
    }
    tar.entry({ name: LIST, mode: 0o600 }, JSON.stringify(list));
    tar.finalize();
  }
  const adding = addEntries().catch((error: Error) => void tar.destroy(error));
  try {
    // An error in `addEntries` destroys `tar`, so this call rejects with the first error of reading or writing.
    await pipeline(tar, createGzip(), createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw new ArchiveProblem(`${file} exists already; choose another name.`);
    await rm(file, { force: true });
    throw error;
  } finally {
    await adding;
  }
  return list;
}

async function addFile(tar: Pack, { name, bytes, folder }: { name: string; bytes: number; folder: string }): Promise<string> {
  // Runs before the file is opened, because it throws if the archive cannot be written any more.
  const entry = tar.entry({ name, size: bytes, mode: 0o600 });
  const hash = createHash('sha256');
  let seen = 0;
  async function* checked(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const part of parts) {
      seen += part.length;
      hash.update(part);
      yield part;
    }
    if (seen !== bytes) throw new ArchiveProblem(`${name} was changed while it was being copied; stop whatever writes to ${folder}.`);
  }
  await pipeline(createReadStream(join(folder, name)), checked, entry);
  return hash.digest('hex');
}

const refused = (why: string) => new ArchiveProblem(`This archive is not restored: ${why}; nothing was written.`);
const quoted = (name: string) => JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);

/** Returns the reason why a path must not be unpacked; undefined if it may be. */
function pathProblem(name: string): string | undefined {
  if (name === '') return 'an entry has no name';
  if (!/^[\x20-\x7e]+$/.test(name)) return `the name ${quoted(name)} contains a control character or a character that is not ASCII`;
  if (name.includes('\\')) return `the name ${quoted(name)} contains a backslash`;
  if (name.startsWith('/') || /^[a-z]:/i.test(name)) return `${quoted(name)} is an absolute path`;
  const parts = name.replace(/\/$/, '').split('/');
  if (parts.includes('..')) return `${quoted(name)} leads out of the folder`;
  return parts.some((part) => part === '' || part === '.') ? `${quoted(name)} has an empty part` : undefined;
}

const KINDS: Readonly<Record<string, string>> = {
  '1': 'a hard link',
  '2': 'a symbolic link',
  '3': 'a device',
  '4': 'a device',
  '6': 'a pipe',
};

interface Entry {
  readonly name: string;
  readonly bytes: number;
  readonly isFolder: boolean;
}

/** Reads the header of an entry. Refuses everything that a backup never contains. */
function readEntry(block: Buffer): Entry {
  const sum = block.reduce((total, byte, i) => total + (i >= 148 && i < 156 ? 0x20 : byte), 0);
  if (Number.parseInt(text(block, 148, 8), 8) !== sum) throw refused('an entry has a wrong checksum');
  const [prefix, rest] = [nameIn(block, 345, 155), nameIn(block, 0, 100)];
  const name = prefix === '' ? rest : `${prefix}/${rest}`;
  const kind = String.fromCharCode(block[156] ?? 0);
  if (kind !== '0' && kind !== '5') {
    const what = KINDS[kind] ?? `of a kind (${quoted(kind)}) that a backup does not contain`;
    throw refused(`${quoted(name)} is ${what}`);
  }
  const problem = pathProblem(name);
  if (problem !== undefined) throw refused(problem);
  const size = text(block, 124, 12);
  if (!/^[0-7]{1,11}$/.test(size)) throw refused(`${quoted(name)} has an invalid size`);
  return { name: name.replace(/\/$/, ''), bytes: kind === '5' ? 0 : Number.parseInt(size, 8), isFolder: kind === '5' };
}

/** Reads a stream in parts of a given size, up to `most` bytes in total. */
class Source {
  readonly #parts: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  #left: number;
  constructor(parts: AsyncIterable<Buffer>, most: number) {
    this.#parts = parts[Symbol.asyncIterator]();
    this.#left = most;
  }
  /** Returns 1 to `most` bytes; an empty buffer at the end of the stream. */
  async some(most: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const next = await this.#parts.next();
      if (next.done === true) return this.#rest;
      this.#rest = next.value;
      this.#left -= next.value.length;
      if (this.#left < 0) throw refused('it would unpack to far more than a backup of its size');
    }
    const part = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(part.length);
    return part;
  }
  async all(bytes: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let left = bytes; left > 0; ) {
      const part = await this.some(left);
      if (part.length === 0) throw damaged();
      parts.push(part);
      left -= part.length;
    }
    return Buffer.concat(parts);
  }
  /** Reads the rest of the stream. Throws if it contains anything but NUL bytes. */
  async end(): Promise<void> {
    for (let part = await this.some(1 << 20); part.length > 0; part = await this.some(1 << 20))
      if (part.some((byte) => byte !== 0)) throw refused('there is data after its end');
  }
}

const damaged = () => refused('it is damaged, or its end is missing');
const MOST_LIST_BYTES = 16 * 1024 * 1024;
const MOST_ENTRIES = 1_000_000;
/**
 * The largest unpacked size: 200 times the archive plus 256 MiB. A file of zeros shrinks more than this, but a whole data folder does not.
 */
const MOST_GROWTH = { times: 200, beside: 256 * 1024 * 1024 };

/** Unpacks into a new folder, then compares every file with the list at the end of the archive. */
export async function unpack(file: string, folder: string): Promise<Listed> {
  const stream = createReadStream(file);
  const zip = createGunzip();
  stream.on('error', (error) => zip.destroy(error));
  // The reader gets this error too. Without a listener, an error before the first read would end the process.
  zip.on('error', () => {});
  // Outside of `try`, because `catch` may only remove a folder that this call created.
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    stream.destroy();
    throw error.code === 'EEXIST' ? new ArchiveProblem(`${folder} exists already; move it away first.`) : error;
  });
  try {
    const most = MOST_GROWTH.beside + MOST_GROWTH.times * (await lstat(file)).size;
    return await unpackAll(new Source(stream.pipe(zip) as AsyncIterable<Buffer>, most), folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (error instanceof ArchiveProblem) throw error;
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new ArchiveProblem(`There is no file ${file}.`);
    if (code === 'ENOSPC') throw new ArchiveProblem('The disk is full.');
    if (code === 'Z_DATA_ERROR' && /header/.test((error as Error).message)) throw refused('it is not a .tar.gz file');
    throw damaged();
  } finally {
    stream.destroy();
    zip.destroy();
  }
}

async function unpackAll(source: Source, folder: string): Promise<Listed> {
  const found = new Map<string, { bytes: number; sha256: string }>();
  const folders = new Set<string>();
  for (let count = 0; count < MOST_ENTRIES; count++) {
    const block = await source.all(BLOCK);
    if (block.every((byte) => byte === 0)) throw refused('it has no list of its files');
    const { name, bytes, isFolder } = readEntry(block);
    if (name === LIST) return readList(source, bytes, found);
    if (found.has(name) || folders.has(name)) throw refused(`${quoted(name)} is in it twice`);
    const above = name
      .split('/')
      .slice(0, -1)
      .map((_part, i, parts) => parts.slice(0, i + 1).join('/'));
    if (above.some((each) => found.has(each))) throw refused(`the path ${quoted(name)} contains a file where a folder has to be`);
    const path = join(folder, ...name.split('/'));
    if (!path.startsWith(folder + sep)) throw refused(`${quoted(name)} leads out of the folder`);
    for (const each of isFolder ? [...above, name] : above) folders.add(each);
    if (isFolder) await mkdir(path, { recursive: true, mode: 0o700 });
    else found.set(name, await unpackFile(source, path, bytes));
  }
  throw refused('it contains more entries than a backup');
}

async function readList(source: Source, bytes: number, found: ReadonlyMap<string, { bytes: number; sha256: string }>): Promise<Listed> {
  if (bytes > MOST_LIST_BYTES) throw refused('its list is too long');
  const list = parseList((await source.all(bytes)).toString());
  await source.all(padding(bytes).length);
  for (const [name, { bytes: wanted, sha256 }] of Object.entries(list.files)) {
    const file = found.get(name);
    if (file === undefined) throw refused(`${quoted(name)} is in its list and not in the archive`);
    if (file.sha256 !== sha256 || file.bytes !== wanted) throw refused(`${quoted(name)} differs from its entry in the list`);
  }
  const unlisted = [...found.keys()].find((name) => !Object.hasOwn(list.files, name));
  if (unlisted !== undefined) throw refused(`${quoted(unlisted)} is not in its list`);
  await source.end();
  return list;
}

function parseList(json: string): Listed {
  try {
    return listed.parse(JSON.parse(json));
  } catch {
    throw refused('its list cannot be read');
  }
}

async function unpackFile(source: Source, path: string, bytes: number): Promise<{ bytes: number; sha256: string }> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const hash = createHash('sha256');
  const handle = await open(path, 'wx', 0o600);
  try {
    for (let left = bytes; left > 0; ) {
      const part = await source.some(left);
      if (part.length === 0) throw damaged();
      hash.update(part);
      await handle.write(part);
      left -= part.length;
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  await source.all(padding(bytes).length);
  return { bytes, sha256: hash.digest('hex') };
}

const text = (block: Buffer, at: number, length: number): string =>
  block
    .subarray(at, at + length)
    .toString('latin1')
    .replace(/\0.*$/s, '')
    .trim();
/** The name without the NULs at the end of its field. `pathProblem` refuses a NUL inside the name. */
const nameIn = (block: Buffer, at: number, length: number): string =>
  block
    .subarray(at, at + length)
    .toString('latin1')
    .replace(/\0+$/, '');
