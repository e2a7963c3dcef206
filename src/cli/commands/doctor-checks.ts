/** Checks of Node, the data folder, keys, ports and Redis. */
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { request } from 'undici';
import { parseMasterKey, readGatewayKeys } from '../../identity/keys.ts';
import { openRedisKeyValue } from '../../storage/kv/redis.ts';
import type { KeyValue } from '../../engine/ports.ts';
import type { Config } from '../../server/config.ts';
import { openFolder } from '../../server/folder.ts';
import { gatewayKeysFor } from '../../server/identity.ts';
import { sharesMaster } from '../../server/sharing.ts';
import { keysOf, shownPath } from './person.ts';
import { addressOf } from './server-address.ts';

export interface Check {
  readonly state: 'ok' | 'warn' | 'fail';
  readonly message: string;
  readonly fix?: string;
}

const NEEDED = [20, 19] as const;

export function nodeCheck(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const good = major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
  const message = `Node ${process.versions.node}, at least ${NEEDED.join('.')} is needed`;
  return good ? { state: 'ok', message } : { state: 'fail', message, fix: 'install a newer Node' };
}

/** Never creates the folder. The first start creates it. */
export function folderCheck(config: Config): { running: boolean; check: Check } {
  const name = `Data folder ${shownPath(config.dataFolder)}`;
  if (!existsSync(config.dataFolder))
    return { running: false, check: { state: 'ok', message: `${name} does not exist yet; the first start creates it` } };
  try {
    openFolder(config.dataFolder).close();
    return { running: false, check: { state: 'ok', message: `${name}, writable, not locked` } };
  } catch (error) {
    const { message } = error as Error;
    if (/in use/.test(message)) return { running: true, check: { state: 'ok', message: `${name}, in use by a running Tamshai` } };
    return {
      running: false,
      check: { state: 'fail', message, fix: 'choose another folder with TAMSHAI_DATA, or give this user the right to write there' },
    };
  }
}

export function keysCheck(config: Config): Check[] {
  const { gatewayKey, gatewayPublicKeys, masterKey } = config;
  const checks: Check[] = [];
  if (masterKey !== undefined) parseMasterKey(masterKey);
  if (gatewayKey !== undefined) readGatewayKeys(gatewayKey);
  if (existsSync(join(config.dataFolder, 'keys.json'))) {
    const keys = keysOf(config);
    checks.push({ state: 'ok', message: 'Keys: valid, and readable by this user only' });
    if (gatewayPublicKeys !== undefined) gatewayKeysFor(config, keys);
  }
  if (gatewayPublicKeys !== undefined)
    checks.push({ state: 'ok', message: 'TAMSHAI_GATEWAY_PUBLIC_KEYS: valid, and contains no private key' });
  return checks;
}

const taken = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRINUSE'));
    server.listen({ host, port, ipv6Only: host === '::1' }, () => server.close(() => resolve(false)));
  });

async function answersAsOurs(port: number): Promise<boolean> {
  try {
    const { body, statusCode } = await request(`http://localhost:${port}/health`, { headersTimeout: 2000, bodyTimeout: 2000 });
    return (await body.text()).includes('"ok"') && statusCode === 200;
  } catch {
    return false;
  }
}

export async function portsCheck(config: Config, running: boolean): Promise<Check[]> {
  const own = ['gateway', ...config.registry.domains.map(({ name }) => name).filter((name) => config.remoteUrl(name) === undefined)];
  const where = [
    ...own.map((name) => ({ name, port: config.ports[name] ?? 0 })),
    ...(config.opsPort === undefined ? [] : [{ name: 'ops', port: config.opsPort }]),
  ].filter(({ port }) => port !== 0);
  const checks: Check[] = [];
  const free: number[] = [];
  let ours = 0;
  for (const { name, port } of where) {
    if (!(await Promise.all(config.hosts.map((host) => taken(host, port)))).includes(true)) free.push(port);
    else if (running && (await answersAsOurs(port))) ours++;
    else
      checks.push({
        state: 'fail',
        message: `Port ${port} (${name}) is taken by another program`,
        fix: `stop it, or set ${name.toUpperCase()}_PORT`,
      });
  }
  const reach = config.loopbackOnly ? 'loopback only' : `listening on ${config.hosts.join(', ')}`;
  if (free.length > 0)
    checks.push({
      state: 'ok',
      message: `${free.length === 1 ? 'Port' : 'Ports'} ${free.join(', ')} ${free.length === 1 ? 'is' : 'are'} free, ${reach}`,
    });
  if (ours > 0)
    checks.push({ state: 'ok', message: `${ours === 1 ? 'One port is' : `${ours} ports are`} served by the running Tamshai, ${reach}` });
  return checks;
}

/** A process whose master key differs from the other processes' key does not start. */
async function masterOfOthers(kv: KeyValue, config: Config): Promise<Check | undefined> {
  if (config.masterKey === undefined) return undefined;
  const { master, previousMaster } = parseMasterKey(config.masterKey);
  if (await sharesMaster(kv, { master, previousMaster })) return undefined;
  return {
    state: 'fail',
    message: 'Other processes on this Redis have another master key',
    fix: 'set TAMSHAI_MASTER_KEY to the same one for all of them; during a rotation, to the new and the old one, separated by a comma',
  };
}

export async function redisCheck(config: Config): Promise<Check[]> {
  const { redisUrl } = config;
  if (redisUrl === undefined) return [];
  try {
    const kv = await openRedisKeyValue(redisUrl);
    try {
      await kv.ping();
      const others = await masterOfOthers(kv, config);
      const ok: Check = { state: 'ok', message: `Redis at ${addressOf(redisUrl)} answers, and never evicts keys (noeviction)` };
      return [ok, ...(others ? [others] : [])];
    } finally {
      await kv.close();
    }
  } catch (error) {
    return [{ state: 'fail', message: (error as Error).message, fix: 'start it or correct REDIS_URL; unset it to use the built-in store' }];
  }
}
