/** `tamshai contracts`: writes or checks the generated files in contracts/ and docs/settings.md. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { apiReport, entryPoints } from '../api-report.ts';
import { contracts as derived } from '../../derive/contracts.ts';
import { packageFolder, version } from '../../server/package.ts';
import { createSettings } from '../../server/settings.ts';
import { settingsPage } from '../../server/settings-page.ts';
import { count } from '../terminal/text.ts';
import { openConsole } from './console.ts';
import { EXIT } from './stop.ts';
import { loadProject, type Project, type ProjectOptions } from '../registry.ts';

export interface ContractsOptions extends ProjectOptions {
  readonly check?: boolean;
  readonly json?: boolean;
}

export function publicApi(): string {
  const { exports } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as {
    exports: Parameters<typeof entryPoints>[0];
  };
  return apiReport(entryPoints(exports), (file) => readFileSync(join(packageFolder, 'dist', file), 'utf8'));
}

/** Maps each path under the project to its text. In this package, the contracts cover the built-in domains. */
function generated({ file, registry }: Project): Map<string, string> {
  const [page, settings] = settingsPage(createSettings(registry.domains).groups);
  return new Map([
    ...[...derived(registry, version)].map(([path, text]) => [`contracts/${path}`, text] as const),
    [file === undefined ? page : 'contracts/settings.md', settings],
    ...(file === undefined ? [['contracts/api.md', publicApi()] as const] : []),
  ]);
}

/** Writes the generated files, or only reports stale ones with `check`. */
export async function contracts(options: ContractsOptions): Promise<number> {
  const { check = false, json = false } = options;
  const console = openConsole(json);
  const project = await loadProject(options);
  const root = project.file === undefined ? packageFolder : project.folder;
  const wanted = generated(project);
  const at = (path: string) => join(root, path);
  const isStale = (path: string) => !existsSync(at(path)) || readFileSync(at(path), 'utf8') !== wanted.get(path);
  const stale = [...wanted.keys()].filter(isStale);
  const extra = filesIn(root, 'contracts').filter((path) => !wanted.has(path));
  if (!check) {
    for (const path of stale) {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), wanted.get(path) ?? '');
    }
    for (const path of extra) rmSync(at(path));
  }
  const changed = [...stale, ...extra].sort();
  if (json) console.value({ files: wanted.size, changed });
  else if (changed.length === 0) console.out(`The generated files are up to date: ${count(wanted.size, 'file')}.`);
  else if (check)
    console.err(
      ...changed.map((path) => `  differs  ${path}`),
      'error  Generated files differ from the declarations; run npm run contracts and review the difference.',
    );
  else console.out(...changed.map((path) => `  written  ${path}`));
  return check && changed.length > 0 ? EXIT.failed : EXIT.ok;
}

function filesIn(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'));
}
