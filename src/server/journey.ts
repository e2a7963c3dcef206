/** Indexes the Markdown files of the journey at each start. Only changed files are written again. */
import { createHash } from 'node:crypto';
import { accessSync, constants, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../engine/ports.ts';
import { type JourneyRow, READING, rowOf } from '../../domains/journey/record.ts';
import { type LeftOut, type MarkdownFile, readMarkdown } from '../storage/markdown-folder.ts';
import type { Followed, SearchBackend } from '../storage/search/backend.ts';
import { isSound } from '../storage/sqlite-file.ts';
import { type Config, ConfigProblem } from './config.ts';
import { packageFolder } from './package.ts';

export const journeyFolder = ({ journeyFolder: own }: Pick<Config, 'journeyFolder'>): string =>
  own ?? join(packageFolder, 'docs', 'journey');

export interface Journey extends Followed {
  readonly records: number;
}

export async function indexJourney(
  config: Pick<Config, 'journeyFolder'>,
  backend: Pick<SearchBackend, 'follow'>,
  log?: Logger,
): Promise<Journey> {
  const leftOut = (path: string, why: string) =>
    log?.warn({ server: 'journey', at: path.slice(0, 200), reason: why }, 'a file of the journey was skipped');
  const files = await readFolder(config, leftOut);
  const byKey = new Map<string, { readonly path: string; readonly text: string; readonly print: string }>();
  for (const { path, text, digest } of files) {
    const key = path.replace(/\.md$/i, '');
    if (byKey.has(key)) leftOut(path, 'another file has the same name');
    else byKey.set(key, { path, text, print: createHash('sha256').update(`${READING} ${path} ${digest}`).digest('hex') });
  }
  const row = (key: string): Record<string, unknown> | undefined => {
    const file = byKey.get(key);
    try {
      return file === undefined ? undefined : ({ ...rowOf(file.path, file.text) } satisfies JourneyRow);
    } catch {
      // A file that cannot be parsed is skipped; the start goes on.
      leftOut(file?.path ?? key, 'it could not be parsed');
      return undefined;
    }
  };
  const wanted = new Map([...byKey].map(([key, { print }]) => [key, print]));
  const followed = (await backend.follow?.({ collection: 'records', print: 'digest', wanted, row })) ?? { written: 0, removed: 0 };
  if (followed.written + followed.removed > 0)
    log?.info({ server: 'journey', count: followed.written + followed.removed }, 'the journey was indexed');
  return { ...followed, records: byKey.size };
}

/** The default folder may be absent from an installation. A configured folder must exist. */
export async function readFolder(config: Pick<Config, 'journeyFolder'>, leftOut: LeftOut): Promise<MarkdownFile[]> {
  checkJourneyFolder(config);
  return isFolder(journeyFolder(config)) ? readMarkdown(journeyFolder(config), leftOut) : [];
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Throws a ConfigProblem if the configured folder cannot be read. */
export function checkJourneyFolder({ journeyFolder: own }: Pick<Config, 'journeyFolder'>): void {
  if (own === undefined) return;
  try {
    if (!isFolder(own)) throw new Error('no folder');
    accessSync(own, constants.R_OK | constants.X_OK);
  } catch {
    throw new ConfigProblem(`TAMSHAI_JOURNEY_FOLDER names ${own}, which is not a folder that can be read.`);
  }
}

/** Deletes a damaged index: it holds nothing but the folder's content, and is rebuilt from it. */
export function repairJourneyIndex(file: string, log?: Logger): void {
  if (isSound(file)) return;
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
  log?.warn({ server: 'journey', store: 'journey.db' }, 'the index of the journey was damaged and is rebuilt');
}
