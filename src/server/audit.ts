/** Opens the audit log of a process: first the records of its calls, later all chains for reading and verification. */
import { join } from 'node:path';
import { type AuditKeys, signedByUs } from '../engine/audit/chain.ts';
import { verifyChains } from '../engine/audit/verify.ts';
import type { AuditChains, AuditLog, Clock, KeyValue, Logger } from '../engine/ports.ts';
import { type AuditPart, createAuditPart, type OtherParts } from '../gateway/audit-log.ts';
import type { GatewayKeys } from '../identity/gateway-keys.ts';
import { derive, deriveAll, type Keys } from '../identity/keys.ts';
import { type Checkpoints, openCheckpoints } from '../storage/audit/checkpoints.ts';
import { boundRateLimited } from '../storage/audit/rate-limited.ts';
import { countRefusals, type Refusals } from '../storage/audit/refusals.ts';
import { openCallLog } from '../storage/audit/sqlite.ts';
import { openRedisPubSub } from '../storage/kv/redis-pubsub.ts';
import { openAuditFederation } from './audit-federation.ts';
import { callChain, checkpointedHere, instanceOf, keptHere, recordersIn } from './chains.ts';
import type { Config } from './config.ts';
import { type Module, openModule } from './module.ts';

export interface CallRecords extends Module {
  readonly keys: AuditKeys;
  readonly checkpoints: Checkpoints;
  /** All records of calls that this process stores. */
  readonly chains: AuditChains;
  /** Appends records of calls. Counts the calls of a rate-limited caller in one record. */
  readonly log: AuditLog;
  readonly refusals: Refusals;
}

export interface CallRecordsOptions {
  readonly config: Pick<Config, 'dataFolder' | 'instance'>;
  readonly keys: Keys;
  readonly kv: KeyValue;
  readonly clock: Clock;
  readonly log: Logger;
}

export const openCallRecords = ({ config, keys, kv, clock, log }: CallRecordsOptions): Promise<CallRecords> =>
  openModule(async (use) => {
    const auditKeys = { chain: deriveAll(keys, 'audit'), checkpoint: deriveAll(keys, 'checkpoint') };
    const checkpoints = use(await openCheckpoints({ file: join(config.dataFolder, 'checkpoints.jsonl'), kv, keys: auditKeys, clock, log }));
    const file = join(config.dataFolder, 'audit.db');
    const chains = use(await openCallLog({ file, chain: callChain(config), key: derive(keys, 'audit'), checkpoints, log }));
    const bounded = use(boundRateLimited(chains, clock));
    const refusals = use(countRefusals(chains, clock));
    return { keys: auditKeys, checkpoints, chains, log: { ...chains, append: bounded.append }, refusals };
  });

export interface Audit extends Module {
  /** The chains that this process can read. */
  readonly sources: readonly AuditChains[];
  /** Answers from these chains. */
  readonly part: AuditPart;
  /** The parts of other processes; undefined without Redis. */
  readonly others: OtherParts | undefined;
}

export interface AuditOptions {
  readonly config: Pick<Config, 'instance' | 'redisUrl' | 'registry'>;
  readonly records: Pick<CallRecords, 'keys' | 'checkpoints' | 'chains'>;
  /** The chains in the stores of the domains. */
  readonly storeChains: readonly AuditChains[];
  readonly local: readonly string[];
  /** Signs questions to other processes; undefined without a gateway. */
  readonly gatewayKey: Keys['gateway']['current'] | undefined;
  readonly gatewayKeys: GatewayKeys;
  readonly sealed: KeyValue;
  readonly clock: Clock;
  readonly log: Logger;
}

export function openAudit({
  config,
  records,
  storeChains,
  local,
  gatewayKey,
  gatewayKeys,
  sealed,
  clock,
  log,
}: AuditOptions): Promise<Audit> {
  const { keys, checkpoints, chains } = records;
  const sources = [chains, ...storeChains];
  const readCheckpoints = () => checkpoints.all(keptHere(config, local));
  const part = createAuditPart(sources, async () =>
    verifyChains(sources, await readCheckpoints(), { keys, own: checkpointedHere(config), again: readCheckpoints }),
  );
  const { redisUrl } = config;
  return openModule(async (use) => {
    if (redisUrl === undefined) return { sources, part, others: undefined };
    const federation = await openAuditFederation({
      instance: config.instance,
      key: gatewayKey,
      gatewayKeys,
      roles: config.registry.roles,
      own: part,
      sealed,
      clock,
      log,
      openPubSub: (onMessage) => openRedisPubSub(redisUrl, 'audit', { onMessage }),
      known: async () => recordersIn(await checkpoints.chains()),
      written: async () => signedByUs(keys, await checkpoints.all()),
      instanceOf,
    });
    return { sources, part, others: use(federation) };
  });
}
