import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { contracts as derived } from '../../core/derive/contracts.ts';
import { packageFolder, version } from '../package.ts';
import { allTools } from '../registry.ts';
import { count } from '../terminal/text.ts';
import { openConsole } from './console.ts';
import { EXIT } from './stop.ts';

/** Brings contracts/ in line with the declarations; with `check` only says whether it is. */
export async function contracts({ check = false, json = false }: { check?: boolean; json?: boolean }): Promise<number> {
  const console = openConsole(json);
  const folder = join(packageFolder, 'contracts');
  const wanted = derived(allTools(), version);
  const there = existsSync(folder) ? filesIn(folder) : [];
  const stale = [...wanted]
    .filter(([path, text]) => !there.includes(path) || readFileSync(join(folder, path), 'utf8') !== text)
    .map(([path]) => path);
  const extra = there.filter((path) => !wanted.has(path));
  if (!check) {
    for (const path of stale) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), wanted.get(path) ?? '');
    }
    for (const path of extra) rmSync(join(folder, path));
  }
  const changed = [...stale, ...extra].sort();
  if (json) console.value({ files: wanted.size, changed });
  else if (changed.length === 0) console.out(`contracts/ is up to date: ${count(wanted.size, 'file')}.`);
  else if (check)
    console.err(
      ...changed.map((path) => `  differs  contracts/${path}`),
      'error  contracts/ is not what the declarations say; run npm run contracts and review the difference.',
    );
  else console.out(...changed.map((path) => `  written  contracts/${path}`));
  return check && changed.length > 0 ? EXIT.failed : EXIT.ok;
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
