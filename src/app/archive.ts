/**
 * A folder as one file, and back: an ordinary .tar.gz, with a list of what is in it at its end. What is cut off, damaged or not of this
 * list is not unpacked.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { lstat, mkdir, open, readdir, rm } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { z } from 'zod';

/** Something about an archive that the person at the terminal can put right. */
export class ArchiveProblem extends Error {
  override readonly name = 'ConfigProblem';
}

const BLOCK = 512;
const LIST = 'tamshai-backup.json';
const listed = z.object({ version: z.string(), at: z.string(), files: z.record(z.string(), z.object({ bytes: z.number(), sha256: z.string() })) });
export type Listed = z.infer<typeof listed>;

function header(name: string, bytes: number, folder: boolean): Buffer {
  const block = Buffer.alloc(BLOCK);
  // Longer paths are split at a slash, as the format has it.
  const cut = name.length > 100 ? name.indexOf('/', name.length - 101) : -1;
  if (Buffer.byteLength(name) !== name.length || (name.length > 100 && (cut < 0 || cut > 155))) throw new ArchiveProblem(`${name} has a name that cannot be kept in an archive.`);
  block.write(name.slice(cut + 1), 0);
  block.write(folder ? '0000700\0' : '0000600\0', 100);
  block.write('0000000\0'.repeat(2), 108);
  block.write(`${bytes.toString(8).padStart(11, '0')}\0`, 124);
  block.write(`${Math.floor(Date.now() / 1000).toString(8).padStart(11, '0')}\0`, 136);
  block.write(' '.repeat(8), 148);
  block.write(folder ? '5' : '0', 156);
  block.write('ustar\x0000', 257);
  if (cut > 0) block.write(name.slice(0, cut), 345);
  block.write(`${block.reduce((sum, byte) => sum + byte, 0).toString(8).padStart(6, '0')}\0 `, 148);
  return block;
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

/** Packs what lies in a folder that nobody changes meanwhile. The file is for its owner alone: keys are in it. */
export async function pack(folder: string, file: string, { version, leaveOut }: { version: string; leaveOut: (name: string) => boolean }): Promise<Listed> {
  const list: Listed = { version, at: new Date().toISOString(), files: {} };
  async function* written(): AsyncGenerator<Buffer> {
    for await (const { name, bytes, folder: isFolder } of entriesOf(folder)) {
      if (leaveOut(name)) continue;
      yield header(name, bytes, isFolder);
      if (isFolder) continue;
      const hash = createHash('sha256');
      let seen = 0;
      for await (const part of createReadStream(join(folder, name)) as AsyncIterable<Buffer>) {
        seen += part.length;
        hash.update(part);
        yield part;
      }
      if (seen !== bytes) throw new ArchiveProblem(`${name} was changed while it was being copied; stop whatever writes to ${folder}.`);
      list.files[name] = { bytes, sha256: hash.digest('hex') };
      yield padding(bytes);
    }
    const text = Buffer.from(JSON.stringify(list));
    yield Buffer.concat([header(LIST, text.length, false), text, padding(text.length), Buffer.alloc(2 * BLOCK)]);
  }
  try {
    await pipeline(written(), createGzip(), createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw new ArchiveProblem(`${file} is there already; choose another name.`);
    await rm(file, { force: true });
    throw error;
  }
  return list;
}

/** A path that stays below where it is unpacked. */
const isSafe = (name: string) => name !== '' && !name.startsWith('/') && !name.includes('\\') && !name.includes('\0') && !name.split('/').includes('..');

/** Takes bytes off a stream as they are needed. */
class Source {
  readonly #parts: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  constructor(parts: AsyncIterable<Buffer>) {
    this.#parts = parts[Symbol.asyncIterator]();
  }
  /** At most so many bytes; none at the end. */
  async some(most: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const next = await this.#parts.next();
      if (next.done === true) return this.#rest;
      this.#rest = next.value;
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
}

const damaged = () => new ArchiveProblem('This is not a whole backup of Tamshai: it is damaged, or its end is missing.');
const MOST_LIST_BYTES = 16 * 1024 * 1024;

/** Unpacks into a folder that must not be there yet, and holds everything against the list at the end. */
export async function unpack(file: string, folder: string): Promise<Listed> {
  const found = new Map<string, { bytes: number; sha256: string }>();
  const stream = createReadStream(file);
  const zip = createGunzip();
  stream.on('error', (error) => zip.destroy(error));
  try {
    await mkdir(folder, { mode: 0o700 });
    const source = new Source(stream.pipe(zip) as AsyncIterable<Buffer>);
    for (;;) {
      const block = await source.all(BLOCK);
      const [prefix, rest] = [text(block, 345, 155), text(block, 0, 100)];
      const name = prefix === '' ? rest : `${prefix}/${rest}`;
      const bytes = Number.parseInt(text(block, 124, 12), 8);
      const kind = String.fromCharCode(block[156] ?? 0);
      if (!isSafe(name) || !(bytes >= 0) || (kind !== '0' && kind !== '5')) throw damaged();
      if (name === LIST) {
        if (bytes > MOST_LIST_BYTES) throw damaged();
        const list = listed.parse(JSON.parse((await source.all(bytes)).toString()));
        const same = Object.entries(list.files).every(([each, { sha256 }]) => found.get(each)?.sha256 === sha256);
        if (!same || found.size !== Object.keys(list.files).length) throw damaged();
        return list;
      }
      const path = join(folder, ...name.split('/'));
      if (!path.startsWith(folder + sep)) throw damaged();
      if (kind === '5') await mkdir(path, { recursive: true, mode: 0o700 });
      else found.set(name, await unpackFile(source, path, bytes));
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (error instanceof ArchiveProblem) throw error;
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new ArchiveProblem(`There is no file ${file}.`);
    if (code === 'ENOSPC') throw new ArchiveProblem('The disk is full.');
    throw damaged();
  } finally {
    stream.destroy();
    zip.destroy();
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

const text = (block: Buffer, at: number, length: number): string => block.subarray(at, at + length).toString('latin1').replace(/\0.*$/s, '').trim();
