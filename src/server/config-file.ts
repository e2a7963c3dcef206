/** Finds and loads tamshai.config.ts, .js or .mjs. If Node cannot load TypeScript, jiti compiles the file and its imports. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ConfigProblem } from './config.ts';
import { packageFolder } from './package.ts';

const NAMES = ['tamshai.config.ts', 'tamshai.config.js', 'tamshai.config.mjs'];

/** The part of jiti that this file uses. jiti is loaded only if it is needed. */
interface JitiModule {
  createJiti(parent: string, options: { readonly fsCache: boolean; readonly interopDefault: boolean }): JitiLoader;
}
interface JitiLoader {
  import(file: string): Promise<Readonly<Record<string, unknown>>>;
}

/** The path of the configuration file; undefined if the folder has none. `given` is `--config` or TAMSHAI_CONFIG. */
export function findConfigFile(folder: string, given: string | undefined): string | undefined {
  if (given !== undefined) {
    const file = resolve(folder, given);
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true)
      throw new ConfigProblem(`There is no configuration file ${given}; correct --config or TAMSHAI_CONFIG.`);
    return file;
  }
  const found = NAMES.filter((name) => existsSync(join(folder, name)));
  if (found.length > 1) throw new ConfigProblem(`This folder has ${found.join(' and ')}; remove one of them.`);
  return found[0] === undefined ? undefined : join(folder, found[0]);
}

/** A path for messages, relative to the project if possible. */
export function pathIn(folder: string, path: string): string {
  const below = relative(folder, path);
  return below.startsWith(['..', '..', '..'].join(sep)) ? path : below;
}

/** Returns the default export of the file. Throws a ConfigProblem with file and line if the file cannot be loaded. */
export async function importConfigFile(file: string): Promise<unknown> {
  let module: Readonly<Record<string, unknown>>;
  try {
    module = await importModule(file);
  } catch (error) {
    throw new ConfigProblem(describe(error, file));
  }
  if (module['default'] === undefined)
    throw new ConfigProblem(
      `${pathIn(dirname(file), file)} has no default export; write export default defineConfig({ domains: [...] }) in it.`,
    );
  return module['default'];
}

async function importModule(file: string): Promise<Readonly<Record<string, unknown>>> {
  if (isNative(file)) return (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  const { createJiti } = createRequire(import.meta.url)('jiti') as JitiModule;
  return createJiti(import.meta.url, { fsCache: false, interopDefault: false }).import(file);
}

/** jiti can load ES modules in any package. Node needs `"type": "module"` or the extension .mjs. */
function isNative(file: string): boolean {
  const stripsTypes = Boolean((process.features as { readonly typescript?: unknown }).typescript);
  return stripsTypes && (/^\.m[jt]s$/.test(extname(file)) || packageType(dirname(file)) === 'module');
}

function packageType(folder: string): unknown {
  const file = join(folder, 'package.json');
  if (existsSync(file)) {
    try {
      return (JSON.parse(readFileSync(file, 'utf8')) as { type?: unknown }).type;
    } catch {
      return undefined;
    }
  }
  return dirname(folder) === folder ? undefined : packageType(dirname(folder));
}

interface SourceLocation {
  readonly path: string;
  readonly line: string;
}

/** Returns the first existing file and line in the message or the stack that is not in a package. */
function locationOf(error: Error): SourceLocation | undefined {
  const text = `${error.message}\n${error.stack ?? ''}`;
  const matches = [...text.matchAll(/(?:^|[\s(])((?:file:\/\/)?\/[^():\n]+|[A-Z]:\\[^():\n]+):(\d+)/gm)];
  const locations = matches.map(([, path = '', line = '']) => ({ path: path.startsWith('file:') ? fileURLToPath(path) : path, line }));
  return locations.find(
    ({ path }) => !path.startsWith(join(packageFolder, 'dist') + sep) && !path.includes(`${sep}node_modules${sep}`) && existsSync(path),
  );
}

function describe(error: unknown, file: string): string {
  const folder = dirname(file);
  const name = pathIn(folder, file);
  if (!(error instanceof Error)) return `${name} failed: it threw a value that is not an error.`;
  const location = locationOf(error);
  const at = location === undefined ? name : `${pathIn(folder, location.path)}:${location.line}`;
  const [first = ''] = error.message.replace(/^(?:ParseError|SyntaxError): /, '').split('\n');
  const text = first.trim().replace(/\.$/, '');
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (code.endsWith('MODULE_NOT_FOUND'))
    return `${name} cannot be loaded: ${text.replace(` imported from ${file}`, '')}; install it, or correct the import.`;
  if (code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') return `${name} cannot be loaded: ${text}.`;
  const isSyntax = error.name === 'SyntaxError' || error.message.startsWith('ParseError');
  return isSyntax ? `${at} has a syntax error: ${text}.` : `${at} failed: ${text}.`;
}
