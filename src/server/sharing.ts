/** Checks at the start that separate processes share their Redis, their master key and their stores. */
import { hash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyValue, Logger } from '../engine/ports.ts';
import type { AnyDomain } from '../declare/tool.ts';
import { derive, derivePrevious, type Keys, type MasterKeys } from '../identity/keys.ts';
import { createSealedKeyValue } from '../storage/kv/sealed.ts';
import { type Config, ConfigProblem } from './config.ts';
import { type Closeable, type Module, openModule } from './module.ts';
import { openKeyValue } from './stores.ts';

/** What one process serves of an installation. */
export interface Part {
  readonly config: Config;
  readonly withGateway: boolean;
  /** The domains that this process serves. */
  readonly local: readonly AnyDomain[];
  /** The domains that the gateway calls by a URL. */
  readonly remote: readonly string[];
}

export function partOf(config: Config, servers: readonly string[]): Part {
  const { domains } = config.registry;
  const isRemote = ({ name }: AnyDomain) => config.remoteUrl(name) !== undefined;
  return {
    config,
    withGateway: servers.includes('gateway'),
    local: domains.filter((domain) => servers.includes(domain.name) && !isRemote(domain)),
    remote: domains.filter(isRemote).map(({ name }) => name),
  };
}

/** Throws a ConfigProblem if a setting that separate processes need is missing. */
export function checkSettings({ config, withGateway, local, remote }: Part): void {
  const { redisUrl, masterKey, gatewayKey, gatewayPublicKeys } = config;
  const here = local[0]?.name ?? 'this server';
  if (!withGateway && gatewayKey !== undefined)
    throw new ConfigProblem(
      `TAMSHAI_GATEWAY_KEY is only for the gateway; give ${here} its public part in TAMSHAI_GATEWAY_PUBLIC_KEYS instead ` +
        '("tamshai keys public" prints it).',
    );
  if (!withGateway && gatewayPublicKeys === undefined && redisUrl !== undefined)
    throw new ConfigProblem(
      `${here} runs in its own process and cannot verify the gateway; set TAMSHAI_GATEWAY_PUBLIC_KEYS to the gateway's public keys ` +
        '("tamshai keys public" prints them there).',
    );
  const processes = withGateway
    ? remote[0] && `the gateway and ${remote[0]}`
    : gatewayPublicKeys === undefined
      ? undefined
      : `${here} and the gateway`;
  if (!processes) return;
  if (redisUrl === undefined)
    throw new ConfigProblem(`${sentence(processes)} run in separate processes and must share pending approvals; set REDIS_URL.`);
  if (masterKey === undefined)
    throw new ConfigProblem(
      `${sentence(processes)} run in separate processes and must have the same master key; set TAMSHAI_MASTER_KEY for both ` +
        '("tamshai keys new" makes one).',
    );
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const YEAR = 365 * 24 * 3600;

/** The claims of this process in the shared Redis. */
export interface Membership {
  /** Writes the claims again after Redis was emptied. False if earlier processes have other keys; this process must then not serve. */
  renew(): Promise<boolean>;
}

/**
 * Every process writes claims to the shared Redis: its keys, its name and the domains in its data folder. A process with other keys, a
 * taken name, or a domain of another data folder does not start.
 */
export async function joinOthers(kv: KeyValue, keys: Keys, { config, local, withGateway }: Part): Promise<Membership | undefined> {
  if (config.redisUrl === undefined) return undefined;
  const folderId = folderIdOf(config.dataFolder);
  const [master, before] = marksOf(keys);
  const { since, isMember } = sinceOf(config.dataFolder, config.redisUrl, [master, before]);
  const same = (found: string) => found === master || found === before;
  const claims: SeniorClaim[] = [{ what: MASTER, mine: master, same, since, isMember }];
  if (!(await claimAsSenior(kv, claims[0] as SeniorClaim)))
    throw new ConfigProblem(
      'Other processes on this Redis have another master key; set TAMSHAI_MASTER_KEY to the same one for all of them.',
    );
  if (withGateway) {
    const { current, previous } = keys.gateway;
    const kids = [current.kid, ...(previous ? [previous.kid] : [])];
    const shared = (found: string) => found.split(',').some((kid) => kids.includes(kid));
    const gateway: SeniorClaim = { what: 'gateway-keys', mine: kids.join(','), same: shared, since, isMember };
    if (!(await claimAsSenior(kv, gateway)))
      throw new ConfigProblem(
        'Other gateways on this Redis sign with another key; set TAMSHAI_GATEWAY_KEY to the same one for all of them.',
      );
    claims.push(gateway);
  }
  if (!(await claim(kv, `instance:${config.instance}`, folderId)))
    throw new ConfigProblem(
      `Another process with a data folder of its own is called ${config.instance} on this Redis; ` +
        'set TAMSHAI_INSTANCE to a unique name, or start this process with the data folder that it had before.',
    );
  if (withGateway) {
    if (config.engineDatabaseUrl !== undefined) await kv.delete(claimed('engine-store'));
    else if (!(await claim(kv, 'engine-store', folderId)))
      throw new ConfigProblem(
        'Another gateway on this Redis keeps connected programs in its own data folder, so a program would be known to one of them only; ' +
          'set TAMSHAI_DATABASE_URL or DATABASE_URL for both.',
      );
  }
  for (const domain of local) {
    const setting = embeddedSetting(config, domain);
    if (setting === undefined) await kv.delete(claimed(`rows:${domain.name}`));
    else if (!(await claim(kv, `rows:${domain.name}`, folderId)))
      throw new ConfigProblem(
        `Another process on this Redis serves ${domain.name} from its own data folder, so their rows would differ; ` +
          `set ${setting} for both.`,
      );
  }
  rememberJoining(config.dataFolder, { redis: redisMark(config.redisUrl), master, since });
  return {
    async renew() {
      for (const each of claims) if (!(await claimAsSenior(kv, { ...each, isMember: true }))) return false;
      return true;
    },
  };
}

export interface SharedState extends Module {
  readonly kv: KeyValue;
  /** Encrypts what it stores in `kv`. */
  readonly sealed: KeyValue;
  readonly membership: Membership | undefined;
}

/** Opens the key-value store, and joins the other processes that use it. */
export const openSharedState = (part: Part, keys: Keys, log: Logger): Promise<SharedState> =>
  openModule(async (use) => {
    const kv = use(await openKeyValue(part.config, log));
    const membership = await joinOthers(kv, keys, part);
    return { kv, sealed: createSealedKeyValue(kv, derive(keys, 'kv'), derivePrevious(keys, 'kv')), membership };
  });

const RENEW_MS = 1_000;

/** Writes the claims again after Redis was emptied. Calls `onRefused` if it finds earlier claims with other keys. */
export function watchMembership(membership: Membership, log: Logger, onRefused: () => void): Closeable {
  let renewing = false;
  const renew = async () => {
    if (renewing) return;
    renewing = true;
    // If Redis does not answer, there is nothing to do here: the readiness probe fails anyway.
    const stays = await membership.renew().catch(() => true);
    renewing = false;
    if (stays) return;
    clearInterval(timer);
    log.error({}, 'Other processes joined this Redis earlier with other keys; this process reports itself as not ready.');
    onRefused();
  };
  const timer = setInterval(() => void renew(), RENEW_MS);
  timer.unref();
  return { close: () => clearInterval(timer) };
}

const MASTER = 'master-key';

interface SeniorClaim {
  readonly what: string;
  readonly mine: string;
  /** True if an existing claim has the same keys. */
  readonly same: (found: string) => boolean;
  /** The time of the first claim of this data folder on this Redis, in milliseconds since 1970. */
  readonly since: number;
  /** True if this data folder has claimed before. A new process never overrides a claim, because its clock may be wrong. */
  readonly isMember: boolean;
}

/**
 * If two processes disagree, the one with the earlier date keeps the claim. The date is in the data folder, because Redis can be emptied.
 */
async function claimAsSenior(kv: KeyValue, { what, mine, same, since, isMember }: SeniorClaim): Promise<boolean> {
  const key = claimed(what);
  const own = `${mine} ${since}`;
  for (let attempt = 0; attempt < 10; attempt++) {
    if (await kv.add(key, own, YEAR)) return true;
    const found = await kv.get(key);
    if (found === undefined) continue;
    const [theirs = '', joined = ''] = found.split(' ');
    const agreed = same(theirs);
    if (!agreed && !(isMember && since < Number(joined))) return false;
    // Keeps the earliest date of processes that agree, so that a later process cannot override them.
    const next = agreed ? `${mine} ${Math.min(since, Number(joined))}` : own;
    if (next === found || (await kv.swap(key, found, next, YEAR))) return true;
  }
  return false;
}

interface Joining {
  readonly redis: string;
  readonly master: string;
  readonly since: number;
}

/** Identifies a Redis without its password. A stored date counts only for the same Redis. */
const redisMark = (url: string): string => {
  const { host, pathname } = new URL(url);
  return hash('sha256', `${host}${pathname.replace(/^\/?$/, '/0')}`, 'base64url');
};

const joiningFile = (folder: string) => join(folder, 'joined.json');

function sinceOf(folder: string, redisUrl: string, masters: readonly (string | undefined)[]): Pick<SeniorClaim, 'since' | 'isMember'> {
  try {
    const { redis, master, since } = JSON.parse(readFileSync(joiningFile(folder), 'utf8')) as Partial<Joining>;
    if (redis === redisMark(redisUrl) && masters.includes(master) && typeof since === 'number') return { since, isMember: true };
  } catch {
    // Without a readable file, this process joins now.
  }
  return { since: Date.now(), isMember: false };
}

/** Writes atomically, because a partial file would lose the date. */
function rememberJoining(folder: string, joining: Joining): void {
  const file = joiningFile(folder);
  writeFileSync(`${file}.new`, JSON.stringify(joining), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

const marksOf = (keys: MasterKeys): [string, string | undefined] => [
  derive(keys, 'master-check').toString('base64url'),
  derivePrevious(keys, 'master-check')?.toString('base64url'),
];

/** True if a process with these keys could join. Writes nothing. */
export async function sharesMaster(kv: KeyValue, keys: MasterKeys): Promise<boolean> {
  const found = await kv.get(claimed(MASTER));
  return found === undefined || marksOf(keys).includes(found.split(' ')[0]);
}

const claimed = (what: string) => `claim:${what}`;

/** The first process gets the claim and may renew it. */
async function claim(kv: KeyValue, what: string, mine: string): Promise<boolean> {
  const key = claimed(what);
  if (await kv.add(key, mine, YEAR)) return true;
  const found = await kv.get(key);
  return found === undefined ? kv.add(key, mine, YEAR) : found === mine ? kv.swap(key, found, mine, YEAR) : false;
}

/** The setting that moves a domain's rows to a server; undefined if they are on a server or need none. */
function embeddedSetting(config: Config, { name, store, folder }: AnyDomain): string | undefined {
  // Every start builds such a domain again from its folder, so the domain needs no shared server.
  if (folder !== undefined) return undefined;
  if (store === 'sql') return config.databaseUrl(name) === undefined ? 'DATABASE_URL' : undefined;
  if (store === 'documents') return config.mongodbUrl(name) === undefined ? 'MONGODB_URL' : undefined;
  return config.searchUrl(name) === undefined ? 'ELASTICSEARCH_URL' : undefined;
}

/** A random id of the data folder. It identifies a restarted process. */
function folderIdOf(folder: string): string {
  const file = join(folder, 'place');
  if (!existsSync(file)) writeFileSync(file, randomUUID(), { mode: 0o600, flag: 'wx' });
  return readFileSync(file, 'utf8').trim();
}
