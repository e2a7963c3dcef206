/** `tamshai contracts`: writes or checks the generated files, which are contracts/ and docs/settings.md. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { contracts as derived } from '../../derive/contracts.ts';
import { packageFolder, version } from '../../server/package.ts';
import { createSettings } from '../../server/settings.ts';
import { settingsPage } from '../../server/settings-page.ts';
import { count } from '../terminal/text.ts';
import { openConsole } from './console.ts';
import { EXIT } from './stop.ts';
import { builtIn } from '../registry.ts';

/** Path under the package → text. */
const generated = (): Map<string, string> =>
  new Map([
    ...[...derived(builtIn, version)].map(([path, text]) => [`contracts/${path}`, text] as const),
    settingsPage(createSettings(builtIn.domains).groups),
  ]);

/** Writes the generated files; with `check` it only reports which of them are stale. */
export async function contracts({ check = false, json = false }: { check?: boolean; json?: boolean }): Promise<number> {
  const console = openConsole(json);
  const wanted = generated();
  const at = (path: string) => join(packageFolder, path);
  const isStale = (path: string) => !existsSync(at(path)) || readFileSync(at(path), 'utf8') !== wanted.get(path);
  const stale = [...wanted.keys()].filter(isStale);
  const extra = filesIn('contracts').filter((path) => !wanted.has(path));
  if (!check) {
    for (const path of stale) {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), wanted.get(path) ?? '');
    }
    for (const path of extra) rmSync(at(path));
  }
  const changed = [...stale, ...extra].sort();
  if (json) console.value({ files: wanted.size, changed });
  else if (changed.length === 0) console.out(`contracts/ and docs/settings.md are up to date: ${count(wanted.size, 'file')}.`);
  else if (check)
    console.err(
      ...changed.map((path) => `  differs  ${path}`),
      'error  Generated files differ from the declarations; run npm run contracts and review the difference.',
    );
  else console.out(...changed.map((path) => `  written  ${path}`));
  return check && changed.length > 0 ? EXIT.failed : EXIT.ok;
}

/** Paths under the package. */
function filesIn(folder: string): string[] {
  const root = join(packageFolder, folder);
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => relative(packageFolder, join(entry.parentPath, entry.name)).split(sep).join('/'));
}
