/** `tamshai new domain <name>`: writes a domain with one list, one read and one write that passes the contract suite. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Registry } from '../../engine/registry.ts';
import { checkName } from '../../server/check-domains.ts';
import { packageFolder, version } from '../../server/package.ts';
import { builtIn, loadProject, type ProjectOptions } from '../registry.ts';
import { openConsole } from './console.ts';
import { EXIT, Stop } from './stop.ts';

/** Built-in domains use lower ports. */
const FIRST_PORT = 3120;
/** JavaScript reserves these words, and the template exports a constant with the name of the domain. The template also uses `domain`. */
const TAKEN_WORDS = new Set(
  `arguments await break catch class const continue debugger delete domain enum eval export extends finally function if implements import
  instanceof interface let new package private protected return static super switch this throw try typeof undefined var void while
  yield`.split(/\s+/),
);
const MINIMUM_NODE = '>=20.19';

export async function newDomain(name: string, options: ProjectOptions): Promise<number> {
  const console = openConsole();
  checkName({ name, store: 'sql' }, JSON.stringify(name.slice(0, 80)));
  if (TAKEN_WORDS.has(name)) throw new Stop(`The domain "${name}" needs another name: TypeScript cannot export a constant of this name.`);
  const folder = join(process.cwd(), name);
  if (existsSync(folder)) throw new Stop(`The folder ${name} exists already; choose another name, or remove the folder.`);
  const { registry, file } = await loadProject(options);
  if (registry.domains.some((domain) => domain.name === name)) throw new Stop(`A domain ${name} exists already; choose another name.`);
  const values = valuesFor(name, registry);
  const around = file === undefined ? writeProject(values) : [];
  const written = writeTemplate(join(packageFolder, 'templates', 'domain'), folder, values);
  console.out(`Written: ${name}/ (${written} files)${around.map((each) => `, ${each}`).join('')}`, '');
  if (file !== undefined)
    console.out(`Add it to ${basename(file)}:`, '', `  import { ${name} } from './${name}/index.ts';`, `  domains: [ … , ${name}]`, '');
  console.out('Start it    npx tamshai start', 'Test it     npm install && npm test');
  return EXIT.ok;
}

/** Values for placeholders such as `{{name}}`. */
function valuesFor(name: string, { domains, people, sample }: Registry): Readonly<Record<string, string>> {
  const ports = new Set(domains.map(({ port }) => port));
  let port = FIRST_PORT;
  while (ports.has(port)) port++;
  const staff = (sample === undefined ? builtIn : { people }).people.filter(({ realm }) => realm === 'staff');
  const executive = staff.find(({ roles }) => roles.includes('executive')) ?? staff[0];
  const employee = staff.find((person) => person !== executive && !person.roles.includes('executive')) ?? staff[0];
  return {
    name,
    title: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    port: String(port),
    executive: executive?.username ?? '',
    employee: employee?.username ?? '',
    version,
    node: MINIMUM_NODE,
  };
}

/** Returns the number of files. */
function writeTemplate(from: string, to: string, values: Readonly<Record<string, string>>): number {
  const files = readdirSync(from, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const entry of files) {
    const source = join(entry.parentPath, entry.name);
    const target = join(to, source.slice(from.length));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, fill(readFileSync(source, 'utf8'), values), { flag: 'wx' });
  }
  return files.length;
}

const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\{\{([a-z]+)\}\}/g, (placeholder, key: string) => values[key] ?? placeholder);

/** Adds the missing project files, and the missing entries of package.json, in the current folder. Returns the names of these files. */
function writeProject(values: Readonly<Record<string, string>>): string[] {
  const templates = join(packageFolder, 'templates', 'project');
  const missing = readdirSync(templates).filter((file) => !existsSync(file));
  const textOf = (file: string) => fill(readFileSync(join(templates, file), 'utf8'), values);
  const isCompleted = !missing.includes(PACKAGE) && completePackage(JSON.parse(textOf(PACKAGE)) as Package);
  // The flag wx refuses an existing symbolic link, even if its target does not exist.
  for (const file of missing) writeFileSync(file, textOf(file), { flag: 'wx' });
  return [...missing, ...(isCompleted ? [`${PACKAGE} (completed)`] : [])];
}

const PACKAGE = 'package.json';
interface Package {
  readonly type?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** `npm init` writes a package.json without the scripts and packages that the project needs. Entries of the user stay. */
function completePackage(wanted: Package): boolean {
  const before = readFileSync(PACKAGE, 'utf8');
  let found: Package;
  try {
    found = JSON.parse(before) as Package;
  } catch {
    throw new Stop(`${PACKAGE} is not valid JSON; correct it, or remove it.`);
  }
  const isUntouched = found.scripts?.['test']?.includes('no test specified') ?? false;
  const { test: _, ...scripts } = found.scripts ?? {};
  const has = (name: string) => found.dependencies?.[name] ?? found.devDependencies?.[name];
  const missing = (packages: Package['dependencies']) => Object.fromEntries(Object.entries(packages ?? {}).filter(([name]) => !has(name)));
  const completed = {
    ...found,
    type: isUntouched ? wanted.type : (found.type ?? wanted.type),
    scripts: { ...wanted.scripts, ...(isUntouched ? scripts : found.scripts) },
    dependencies: { ...found.dependencies, ...missing(wanted.dependencies) },
    devDependencies: { ...found.devDependencies, ...missing(wanted.devDependencies) },
  };
  const after = `${JSON.stringify(completed, undefined, 2)}\n`;
  if (after === before) return false;
  writeFileSync(PACKAGE, after);
  return true;
}
