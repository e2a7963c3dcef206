/** Loads the domains and the company of a command: from the configuration file, or the built-in ones. */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtInDomains, sampleCompany } from '../../domains/index.ts';
import type { Company } from '../declare/company.ts';
import { readCompany } from '../declare/company-rules.ts';
import { CONFIG_KEYS, type ProjectConfig } from '../declare/config.ts';
import { loadedCopies } from '../declare/copies.ts';
import type { Installed } from '../declare/install.ts';
import { type Registry, registryOf } from '../engine/registry.ts';
import { checkDomains, checkPorts } from '../server/check-domains.ts';
import { type Config, ConfigProblem, configFileSetting, type Environment, readConfig } from '../server/config.ts';
import { findConfigFile, importConfigFile, pathIn } from '../server/config-file.ts';
import { didYouMean } from './commands/nearest.ts';

/** A single object, because other modules cache values per registry. */
export const builtIn: Registry = registryOf(builtInDomains, sampleCompany);

export interface ProjectOptions {
  readonly config?: string;
}

export interface Project {
  readonly file: string | undefined;
  /** The folder of the configuration file, or the current folder. */
  readonly folder: string;
  readonly registry: Registry;
  readonly company: Company | undefined;
}

/** Executes code of the current folder, so only operator commands call this function. */
export async function loadProject({ config }: ProjectOptions = {}): Promise<Project> {
  const file = findConfigFile(process.cwd(), config ?? configFileSetting());
  if (file === undefined) return { file, folder: process.cwd(), registry: builtIn, company: undefined };
  const folder = dirname(file);
  const given = await importConfigFile(file);
  refuseCopies(folder);
  return { file, folder, ...readProject(given, pathIn(folder, file), folder) };
}

/** Merges the configuration file and the environment. The environment takes precedence. */
export async function loadConfig(options: ProjectOptions = {}, complete?: (environment: Environment) => Environment): Promise<Config> {
  const { registry, company, folder } = await loadProject(options);
  const config = readConfig(registry, { company, complete });
  checkPorts(registry.domains, config.ports, folder);
  return config;
}

/** `given` is the default export of `file`. Exported for tests. */
export function readProject(given: unknown, file: string, folder: string): Pick<Project, 'registry' | 'company'> {
  if (typeof given !== 'object' || given === null)
    throw new ConfigProblem(`${file} exports no configuration; export defineConfig({ domains: [...] }).`);
  const unknown = Object.keys(given).find((key) => !(CONFIG_KEYS as readonly string[]).includes(key));
  if (unknown !== undefined)
    throw new ConfigProblem(
      `${file} has the unknown key ${JSON.stringify(unknown.slice(0, 80))}; a configuration has ` +
        `${CONFIG_KEYS.join(', ')}.${didYouMean(unknown, CONFIG_KEYS)}`,
    );
  const { company = {}, domains, sample = true } = given as Partial<ProjectConfig>;
  const read = readCompany(company);
  if (typeof read === 'string') throw new ConfigProblem(`${file}: ${read}`);
  if (!Array.isArray(domains) || domains.length === 0)
    throw new ConfigProblem(`${file} lists no domains; write domains: [hr, tasks], for example, with names from tamshai/domains.`);
  const odd = domains.findIndex((each: Partial<Installed> | undefined) => each?.kind !== 'installed');
  if (odd !== -1) throw new ConfigProblem(`${file}: domains[${odd}] is not a domain; list what install({ tools }) of the domain returns.`);
  if (typeof sample !== 'boolean' && typeof sample?.directory !== 'function')
    throw new ConfigProblem(`${file}: sample must be true, false or a sample company.`);
  const listed = domains as readonly Installed[];
  checkDomains(listed, folder);
  try {
    return { registry: registryOf(listed, sample === true ? sampleCompany : sample || undefined), company: read };
  } catch (error) {
    throw new ConfigProblem(`${file}: ${(error as Error).message.replace(/\.$/, '')}.`);
  }
}

/** A second copy of this package would not recognise the masks and sensitive inputs of the first. */
function refuseCopies(folder: string): void {
  const copies = loadedCopies().map((url) => pathIn(folder, fileURLToPath(new URL('../../..', url))).replace(/[/\\]$/, '') || '.');
  if (copies.length > 1)
    throw new ConfigProblem(
      `Two copies of tamshai are loaded: ${copies.join(' and ')}; install one version for all packages (npm ls ` +
        'tamshai shows who needs it).',
    );
}
