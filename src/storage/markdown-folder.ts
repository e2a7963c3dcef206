/** Reads the Markdown files of a folder. It reads regular files only, follows no symbolic link, and limits number and size. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';

export interface MarkdownFile {
  /** Relative to the folder, with `/` as separator. */
  readonly path: string;
  readonly text: string;
  readonly digest: string;
}

export interface FolderBounds {
  readonly files: number;
  readonly bytesOfOne: number;
  readonly bytesOfAll: number;
  readonly depth: number;
}
const BOUNDS: FolderBounds = { files: 2_000, bytesOfOne: 1_000_000, bytesOfAll: 64_000_000, depth: 6 };
const MOST_ENTRIES = 20_000;

/** Called for each file or folder that is skipped, with the reason for the log. */
export type LeftOut = (path: string, why: string) => void;

const isMarkdown = (name: string) => /\.md$/i.test(name);
/** Invisible and control characters, and the backslash. */
const UNSHOWN = /[\p{C}\p{Zl}\p{Zp}\ufffd\\]/u;
const MOST_NAME = 200;

/** Throws if the folder itself cannot be read. */
export async function readMarkdown(folder: string, leftOut: LeftOut, bounds: FolderBounds = BOUNDS): Promise<MarkdownFile[]> {
  const root = await realpath(folder);
  const paths: string[] = [];
  let looked = 0;
  const walk = async (within: string, depth: number): Promise<void> => {
    const entries = await readdir(join(root, within), { withFileTypes: true }).catch((error: unknown) => {
      if (within === '') throw error;
      leftOut(within, 'the folder cannot be read');
      return [];
    });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (++looked > MOST_ENTRIES) return;
      const path = within === '' ? entry.name : `${within}/${entry.name}`;
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      if (entry.isDirectory()) {
        if (depth < bounds.depth && !UNSHOWN.test(entry.name)) await walk(path, depth + 1);
        continue;
      }
      if (!isMarkdown(entry.name)) continue;
      if (!entry.isFile()) leftOut(path, entry.isSymbolicLink() ? 'it is a link' : 'it is not a plain file');
      else if (UNSHOWN.test(path) || path.length > MOST_NAME) leftOut(path, 'its name cannot be shown');
      else paths.push(path);
    }
  };
  await walk('', 0);
  if (looked > MOST_ENTRIES) leftOut(folder, `it has more than ${MOST_ENTRIES} entries, and the others were not looked at`);

  const files: MarkdownFile[] = [];
  let bytes = 0;
  for (const path of paths) {
    if (files.length >= bounds.files) {
      leftOut(path, `there are more than ${bounds.files} files; it and those after it are left out`);
      break;
    }
    const content = await readPlain(root, path, Math.min(bounds.bytesOfOne, bounds.bytesOfAll - bytes)).catch(() => 'it cannot be read');
    if (typeof content === 'string') {
      leftOut(path, content);
      continue;
    }
    bytes += content.length;
    const text = new TextDecoder().decode(content);
    if (text.includes('\0')) leftOut(path, 'it is not text');
    else files.push({ path, text, digest: createHash('sha256').update(content).digest('hex') });
  }
  return files;
}

/** Another program may have replaced the entry since it was listed. This opens it without following links, then checks it. */
async function readPlain(root: string, path: string, most: number): Promise<Buffer | string> {
  const inside = join(root, ...path.split('/').slice(0, -1));
  if ((await realpath(inside)) !== inside) return 'it is behind a link';
  const file = await open(join(root, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return 'it is not a plain file';
    if (stat.size > most) return 'it is too large';
    // The file may grow meanwhile, so this reads at most the checked size.
    const buffer = Buffer.alloc(stat.size);
    let at = 0;
    for (let read = 1; read > 0 && at < buffer.length; at += read)
      ({ bytesRead: read } = await file.read(buffer, at, buffer.length - at, at));
    return buffer.subarray(0, at);
  } finally {
    await file.close();
  }
}
