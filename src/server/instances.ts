/** The registry of running instances of this OS user. `start` writes an entry with its address, and client commands look it up. */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod';
import { createRegistry } from '../engine/registry.ts';
import { type Config, ConfigProblem, type Environment, isLoopback, portSetting, readConfig } from './config.ts';

const instance = z.strictObject({
  pid: z.int().positive(),
  /** The working directory of `start`. */
  folder: z.string(),
  dataFolder: z.string(),
  base: z.string().refine((base) => URL.canParse(base) && isLoopback(base)),
  ports: z.record(z.string().regex(/^[a-z][a-z0-9]*$/), z.int().min(1).max(65_535)),
});
export type Instance = z.infer<typeof instance>;

export interface Folders {
  /** Undefined if the user has no home folder. */
  readonly home: string | undefined;
  readonly cwd: string;
}

function ownFolders(): Folders {
  try {
    return { home: homedir(), cwd: process.cwd() };
  } catch {
    return { home: undefined, cwd: process.cwd() };
  }
}
/** In the home folder, because another user may own the current folder. */
const folderIn = ({ home }: Folders) => (home === undefined || !isAbsolute(home) ? undefined : join(home, '.tamshai', 'instances'));

/**
 * True if this user owns the file, and other users have none of the rights in `foreign`. With write access, another user could redirect
 * this user's tokens. Always true on systems without user ids.
 */
const isOwn = ({ uid, mode }: { uid: number; mode: number }, foreign: number): boolean =>
  process.getuid === undefined || (uid === process.getuid() && (mode & foreign) === 0);

/** Also false if another user owns the process (EPERM). Only this user writes entries, so that process only reuses the pid. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const real = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
};

/**
 * Writes an entry and returns a function that removes it. A failed write does not end the start; client commands then do not find this
 * instance.
 */
export function registerInstance(running: Instance, folders: Folders = ownFolders()): () => void {
  const folder = folderIn(folders);
  if (folder === undefined) return () => {};
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder)) if (!isAlive(Number.parseInt(name, 10))) rmSync(join(folder, name), { force: true });
    const path = join(folder, `${running.pid}.json`);
    const part = `${path}.part`;
    rmSync(part, { force: true });
    writeFileSync(part, JSON.stringify({ ...running, folder: real(running.folder), dataFolder: real(running.dataFolder) }), {
      mode: 0o600,
      flag: 'wx',
    });
    renameSync(part, path);
    return () => rmSync(path, { force: true });
  } catch {
    return () => {};
  }
}

function readInstance(path: string): Instance | undefined {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || !isOwn(stat, 0o077)) return undefined;
    return instance.parse(JSON.parse(readFileSync(file, 'utf8')));
  } finally {
    closeSync(file);
  }
}

function readInstances(folders: Folders): Instance[] {
  const folder = folderIn(folders);
  const trusted = folder === undefined ? undefined : lstatSync(folder, { throwIfNoEntry: false });
  if (folder === undefined || trusted?.isDirectory() !== true || !isOwn(trusted, 0o022)) return [];
  return readdirSync(folder).flatMap((name) => {
    try {
      const found = name.endsWith('.json') ? readInstance(join(folder, name)) : undefined;
      return found !== undefined && name === `${found.pid}.json` && isAlive(found.pid) ? [found] : [];
    } catch {
      return [];
    }
  });
}

function findInstance(environment: Environment, folders: Folders): Instance | undefined {
  const all = readInstances(folders);
  const data = environment['TAMSHAI_DATA'] || undefined;
  const wanted = real(resolve(folders.cwd, data ?? 'data'));
  const inFolder = all.find(({ dataFolder }) => dataFolder === wanted);
  if (inFolder !== undefined || data !== undefined) return inFolder;
  const here = all.filter(({ folder }) => folder === real(folders.cwd));
  if (here.length > 1)
    throw new ConfigProblem(
      `Several instances were started in this folder; set TAMSHAI_DATA to ${here
        .map(({ dataFolder }) => dataFolder)
        .sort()
        .join(' or ')}.`,
    );
  return here[0];
}

/**
 * Adds the running instance's URL, data folder and ports to the environment, unless it sets GATEWAY_PORT, TAMSHAI_PUBLIC_URL or
 * OIDC_ISSUER.
 */
export const completedBy =
  (folders: Folders = ownFolders()) =>
  (environment: Environment): Environment => {
    const isSet = (name: string) => (environment[name] ?? '') !== '';
    if (['GATEWAY_PORT', 'TAMSHAI_PUBLIC_URL', 'OIDC_ISSUER'].some(isSet)) return environment;
    const found = findInstance(environment, folders);
    if (found === undefined) return environment;
    const ports = Object.entries(found.ports).map(([name, port]) => [`${name.toUpperCase()}_PORT`, String(port)] as const);
    const missing = ports.filter(([name]) => !isSet(name));
    return { ...environment, ...Object.fromEntries(missing), TAMSHAI_DATA: found.dataFolder, TAMSHAI_PUBLIC_URL: found.base };
  };

/** The configuration of a command that calls a running instance. It runs no code of the current folder, so it knows no domains. */
export interface ClientConfig extends Pick<Config, 'base' | 'dataFolder' | 'issuers' | 'masterKey' | 'gatewayKey' | 'scriptedApprovals'> {
  /** The port of a server in the environment, or in the entry of the running instance. */
  portOf(server: string): number | undefined;
}

export function readClientConfig(): ClientConfig {
  let environment: Environment = {};
  const config = readConfig(createRegistry([]), { complete: (given) => (environment = completedBy()(given)) });
  return { ...config, portOf: (server) => portSetting(environment, server) };
}
