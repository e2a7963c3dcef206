/** `tamshai backup` and `tamshai restore`: packs the data folder into one file and unpacks it. */
import { existsSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { pack, unpack } from '../../server/archive.ts';
import type { Config } from '../../server/config.ts';
import { readClientConfig } from '../../server/instances.ts';
import { openFolder } from '../../server/folder.ts';
import { version } from '../../server/package.ts';
import { count } from '../terminal/text.ts';
import { openConsole } from './console.ts';
import { keysOf, shownPath } from './person.ts';
import { EXIT, Stop } from './stop.ts';
import { loadConfig, type ProjectOptions } from '../registry.ts';

const isLock = (name: string) => /^lock\.db(-\w+)?$/.test(name);

/** Names the stores on servers, which need their own backup tools. */
function elsewhere(config: Config): string[] {
  const { domains } = config.registry;
  const some = (url: (domain: string) => string | undefined) => domains.some(({ name }) => url(name) !== undefined);
  return [
    ...(some(config.databaseUrl) || config.engineDatabaseUrl !== undefined ? ['PostgreSQL'] : []),
    ...(some(config.mongodbUrl) ? ['MongoDB'] : []),
    ...(some(config.searchUrl) ? ['the search server'] : []),
    ...(config.redisUrl === undefined ? [] : ['Redis']),
  ];
}

export async function backup(file: string, options: ProjectOptions & { json?: boolean }): Promise<number> {
  const console = openConsole(options.json);
  const config = await loadConfig(options);
  keysOf(config);
  const to = resolve(file);
  if (to.startsWith(config.dataFolder + sep))
    throw new Stop('The backup file must not be in the data folder; choose another folder.', EXIT.usage);
  // The lock keeps other Tamshai processes from writing, so the copy is consistent.
  const folder = openFolder(config.dataFolder);
  try {
    const { files } = await pack(config.dataFolder, to, { version, leaveOut: isLock });
    const bytes = Object.values(files).reduce((sum, each) => sum + each.bytes, 0);
    const outside = elsewhere(config);
    if (console.json) console.value({ file: to, files: Object.keys(files).length, bytes, elsewhere: outside });
    else {
      console.out(
        `Copied ${shownPath(config.dataFolder)} to ${file}: ` +
          `${count(Object.keys(files).length, 'file')}, ${(bytes / 1e6).toFixed(1)} MB before compression.`,
      );
      console.out('It contains the keys: protect it like the data folder.');
      if (outside.length > 0) console.out(`Back these up separately: ${outside.join(', ')}. See docs/operating.md.`);
    }
  } finally {
    folder.close();
  }
  return EXIT.ok;
}

export async function restore(file: string, options: { json?: boolean }): Promise<number> {
  const console = openConsole(options.json);
  const { dataFolder } = readClientConfig();
  const isEmpty = !existsSync(dataFolder) || readdirSync(dataFolder).length === 0;
  if (!isEmpty)
    throw new Stop(
      `${shownPath(dataFolder)} is not empty, and restore never overwrites files; move it away, or set TAMSHAI_DATA to another folder.`,
    );
  const part = `${dataFolder}.restoring-${process.pid}`;
  const { files, at, version: by } = await unpack(resolve(file), part);
  // The folder is renamed only when its content is complete.
  if (existsSync(dataFolder)) rmdirSync(dataFolder);
  renameSync(part, dataFolder);
  if (console.json) console.value({ folder: dataFolder, files: Object.keys(files).length, at, version: by });
  else
    console.out(
      `Restored ${shownPath(dataFolder)} from the backup of ${at} (version ${by}): ` +
        `${count(Object.keys(files).length, 'file')}, each verified by its checksum.`,
      'Next: tamshai audit verify',
    );
  return EXIT.ok;
}
