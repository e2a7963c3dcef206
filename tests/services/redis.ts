/** Starts Redis for the tests. */
import { freePort, Launched, output, ownFolder, type TestServer, unprivileged } from './server-process.ts';

const version = () => output('redis-server', ['--version']);

/** Installs the Debian package if there is no redis-server. The service of the package is not started, because tests start their own. */
function install(): void {
  if (version() !== undefined) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const packages = ['install', '-y', '--no-install-recommends', 'redis-server'];
  if (output('apt-get', packages, { env }) === undefined) {
    output('apt-get', ['update'], { env });
    output('apt-get', packages, { env });
  }
  if (version() === undefined)
    throw new Error('These tests need redis-server: install it (apt-get install redis-server) and run them again.');
}

export interface RedisOptions {
  readonly password?: string;
  readonly maxmemoryPolicy?: string;
  /** The port, for a server that replaces a stopped one at the same address. By default a random one. */
  readonly port?: number;
}

/** More than the 16 that Redis has by default: every worker of the tests takes some. */
export const REDIS_DATABASES = 512;

/** An empty Redis on a random loopback port that writes nothing to disk. */
export async function startRedis({
  password,
  maxmemoryPolicy,
  port: wanted,
}: RedisOptions = {}): Promise<TestServer & { readonly port: number }> {
  install();
  const account = unprivileged('redis');
  const folder = ownFolder('redis', account);
  const port = wanted ?? (await freePort());
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no', '--daemonize', 'no'];
  args.push('--databases', String(REDIS_DATABASES));
  if (password !== undefined) args.push('--requirepass', password);
  if (maxmemoryPolicy !== undefined) args.push('--maxmemory-policy', maxmemoryPolicy);
  const server = new Launched('redis-server', args, folder, account);
  await server.listening(port);
  return {
    url: `redis://${password === undefined ? '' : `:${encodeURIComponent(password)}@`}127.0.0.1:${port}`,
    version: `Redis ${/v=(\S+)/.exec(version() ?? '')?.[1] ?? ''}`,
    port,
    pid: server.pid,
    stop: () => server.stop('SIGKILL'),
  };
}
