/** Runs servers as child processes of the tests, on loopback, and ends them with the tests. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chownSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/** A real server on loopback that runs for the tests and ends with them. */
export interface TestServer {
  readonly url: string;
  readonly version: string;
  readonly pid: number;
  stop(): Promise<void>;
}

export interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

const atExit = new Set<() => void>();
process.once('exit', () => {
  for (const work of atExit) work();
});

/** Servers do not run as root. Root uses the first of these accounts that exists, or `nobody`. */
export function unprivileged(...names: string[]): Account {
  if (process.getuid?.() !== 0) return {};
  for (const name of [...names, 'nobody']) {
    const ids = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }));
    const [uid, gid] = ids.map(({ status, stdout }) => (status === 0 ? Number(stdout) : undefined));
    if (uid !== undefined && gid !== undefined) return { uid, gid };
  }
  throw new Error('There is no unprivileged account to run a server with.');
}

/**
 * A free port for a server that starts later. It is below the range from which the system assigns ports by itself: another connection could
 * get a port of that range before the server listens.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = 20_000 + randomInt(12_000);
    const server = createServer();
    const free = await new Promise<boolean>((resolve) =>
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true)),
    );
    if (!free) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
  throw new Error('No free port was found.');
}

/** Creates a folder in the system's temporary folder, because an unprivileged account may not be able to read the project's folder. */
export function ownFolder(name: string, { uid, gid }: Account): string {
  const folder = mkdtempSync(join(tmpdir(), `tamshai-test-${name}-`));
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  atExit.add(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The folder of downloaded programs. Other accounts cannot read root's home, so root uses another folder. */
export const programCache = (): string =>
  process.env.TAMSHAI_TEST_CACHE || (process.getuid?.() === 0 ? '/var/cache/tamshai-test' : join(homedir(), '.cache', 'tamshai-test'));

const hasSetpriv = () => spawnSync('setpriv', ['--version'], { stdio: 'ignore' }).status === 0;

export class Launched {
  readonly child: ChildProcess;
  readonly folder: string;
  #over = false;
  readonly #log: string;
  readonly #exited: Promise<void>;

  constructor(command: string, args: readonly string[], folder: string, account: Account, env: NodeJS.ProcessEnv = {}) {
    this.folder = folder;
    this.#log = join(folder, 'server.log');
    const out = openSync(this.#log, 'a');
    // The kernel kills the server when this process dies for any reason. A change of account resets this setting, so setpriv sets it after
    // the change.
    const [program, all] = hasSetpriv() ? ['setpriv', ['--pdeathsig', 'SIGKILL', '--', command, ...args]] : [command, [...args]];
    this.child = spawn(program, all, {
      ...account,
      cwd: folder,
      env: { ...process.env, HOME: folder, ...env },
      detached: true,
      stdio: ['ignore', out, out],
    });
    closeSync(out);
    this.#exited = new Promise((resolve) => {
      const ended = () => {
        this.#over = true;
        resolve();
      };
      this.child.once('exit', ended).once('error', ended);
    });
    const kill = () => this.signal('SIGKILL');
    atExit.add(kill);
    void this.#exited.then(() => atExit.delete(kill));
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#over || this.child.pid === undefined) return;
    try {
      process.kill(-this.child.pid, signal);
    } catch {
      // The process has ended meanwhile.
    }
  }

  /** Waits until the port accepts connections. */
  async listening(port: number, withinMs = 30_000): Promise<void> {
    const deadline = Date.now() + withinMs;
    while (!(await accepts(port))) {
      if (this.#over || Date.now() > deadline) {
        const log = readFileSync(this.#log, 'utf8').slice(-2000);
        await this.stop('SIGKILL');
        throw new Error(`The test server did not start:\n${log}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  /** Kills the server and keeps its folder. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.#exited;
  }

  async stop(signal: NodeJS.Signals): Promise<void> {
    this.signal(signal);
    const late = setTimeout(() => this.signal('SIGKILL'), 10_000);
    await this.#exited;
    clearTimeout(late);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

/** Runs a command as the given account and returns its output, or undefined if it failed. */
export function output(
  command: string,
  args: readonly string[],
  options: Account & { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): string | undefined {
  try {
    return execFileSync(command, args, { ...options, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return undefined;
  }
}
