/** Indexes the Markdown folder of a domain at each start. Writes only changed files. */
import { createHash } from 'node:crypto';
import { accessSync, constants, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FolderSource, folderSetting } from '../declare/folder.ts';
import type { AnyDomain } from '../declare/tool.ts';
import type { Logger } from '../engine/ports.ts';
import { type LeftOut, type MarkdownFile, readMarkdown } from '../storage/markdown-folder.ts';
import type { Followed, SearchBackend } from '../storage/search/backend.ts';
import { isSound } from '../storage/sqlite-file.ts';
import { type Config, ConfigProblem } from './config.ts';
import { packageAbove } from './package.ts';

/** A domain with its folder. */
export interface FolderDomain {
  readonly name: string;
  readonly source: FolderSource;
  readonly path: string;
  /** The configured path, if there is one. */
  readonly configured: string | undefined;
}

/** Undefined if the domain has no folder. */
export function folderOf(
  { name, home, store, folder: source }: Pick<AnyDomain, 'name' | 'home' | 'store' | 'folder'>,
  { sourceFolder }: Pick<Config, 'sourceFolder'>,
): FolderDomain | undefined {
  if (source === undefined) return undefined;
  if (store !== 'search') throw new ConfigProblem(`The domain ${name} declares a folder, but only domains on search can have one.`);
  const configured = sourceFolder(name);
  return { name, source, configured, path: configured ?? join(packageAbove(dirname(fileURLToPath(home))), source.standard) };
}

export interface Indexed extends Followed {
  readonly records: number;
}

export async function indexFolder(folder: FolderDomain, backend: Pick<SearchBackend, 'follow'>, log?: Logger): Promise<Indexed> {
  const { name, source } = folder;
  const leftOut = (path: string, why: string) =>
    log?.warn({ server: name, at: path.slice(0, 200), reason: why }, 'a file of the folder was skipped');
  const files = await readFolder(folder, leftOut);
  const byKey = new Map<string, { readonly path: string; readonly text: string; readonly print: string }>();
  for (const { path, text, digest } of files) {
    const key = path.replace(/\.md$/i, '');
    if (byKey.has(key)) leftOut(path, 'another file has the same name');
    else byKey.set(key, { path, text, print: createHash('sha256').update(`${source.revision} ${path} ${digest}`).digest('hex') });
  }
  const row = (key: string): Record<string, unknown> | undefined => {
    const file = byKey.get(key);
    try {
      return file === undefined ? undefined : { ...source.row(file.path, file.text) };
    } catch {
      // Skips a file that cannot be parsed; the start continues.
      leftOut(file?.path ?? key, 'it could not be parsed');
      return undefined;
    }
  };
  const wanted = new Map([...byKey].map(([key, { print }]) => [key, print]));
  const { collection, fingerprint: print } = source;
  const followed = (await backend.follow?.({ collection, print, wanted, row })) ?? { written: 0, removed: 0 };
  const count = followed.written + followed.removed;
  if (count > 0) log?.info({ server: name, count }, 'the folder was indexed');
  return { ...followed, records: byKey.size };
}

/** A configured folder must exist. The default folder need not exist. */
export async function readFolder(folder: FolderDomain, leftOut: LeftOut): Promise<MarkdownFile[]> {
  checkFolder(folder);
  return isFolder(folder.path) ? readMarkdown(folder.path, leftOut) : [];
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Throws a ConfigProblem if the configured folder cannot be read. */
export function checkFolder({ name, configured }: FolderDomain): void {
  if (configured === undefined) return;
  try {
    if (!isFolder(configured)) throw new Error('no folder');
    accessSync(configured, constants.R_OK | constants.X_OK);
  } catch {
    throw new ConfigProblem(`${folderSetting(name)} names ${configured}, which is not a folder that can be read.`);
  }
}

/** Deletes a damaged index. It contains only data from the folder, so the start builds it again. */
export function repairIndex({ name }: Pick<FolderDomain, 'name'>, file: string, log?: Logger): void {
  if (isSound(file)) return;
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
  log?.warn({ server: name, store: basename(file) }, 'the index of the folder was damaged and is rebuilt');
}
