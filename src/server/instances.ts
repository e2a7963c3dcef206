/**
 * The registry of running instances of this OS user: `start` writes an entry with its address, and client commands look it up. Entries are
 * parsed as JSON with a strict schema.
 */
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
/** The registry is in the home folder, because the current folder may belong to another user. */
const folderIn = ({ home }: Folders) => (home === undefined || !isAbsolute(home) ? undefined : join(home, '.tamshai', 'instances'));

/**
 * Whether this user owns a file or folder, and other users have none of the rights in `foreign`. Another user with write access could
 * redirect this user's tokens to their own program. Always true on systems without user ids.
 */
const isOwn = ({ uid, mode }: { uid: number; mode: number }, foreign: number): boolean =>
  process.getuid === undefined || (uid === process.getuid() && (mode & foreign) === 0);

/** Also false for a running process of another user (EPERM): it reuses the pid, because only this user writes entries. */
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

/** Returns a function that removes the entry. If writing fails, the start continues, but client commands do not find this instance. */
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
 * Adds the running instance's public URL, its data folder, and its ports that the environment does not set. An environment that sets
 * GATEWAY_PORT, TAMSHAI_PUBLIC_URL or OIDC_ISSUER stays as it is.
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

/** What a command needs that calls a running instance. It executes no code of the current folder, so it knows no domains. */
export interface ClientConfig extends Pick<Config, 'base' | 'dataFolder' | 'issuers' | 'masterKey' | 'gatewayKey' | 'scriptedApprovals'> {
  /** The port of a server: from the environment, else that of the running instance. */
  portOf(server: string): number | undefined;
}

export function readClientConfig(): ClientConfig {
  let environment: Environment = {};
  const config = readConfig(createRegistry([]), { complete: (given) => (environment = completedBy()(given)) });
  return { ...config, portOf: (server) => portSetting(environment, server) };
}
