/** Composition root: opens the modules of a process in order. A process serves the gateway, single domains, or everything. */
import { join } from 'node:path';
import type { Assistant } from '../assistant/assistant.ts';
import type { Model } from '../assistant/model.ts';
import type { Clock, KeyValue, Logger } from '../engine/ports.ts';
import { ownGatewayKeys } from '../identity/gateway-keys.ts';
import { openKeys } from '../identity/keys.ts';
import { openWebBuild } from '../identity/web/build.ts';
import type { EmbeddedDatabase } from '../storage/sql/pglite.ts';
import { createApprovals } from './approvals.ts';
import { openAssistant } from './assistant.ts';
import { type Audit, openAudit, openCallRecords } from './audit.ts';
import type { Config } from './config.ts';
import { checkNeeds } from './contracts.ts';
import { openFolder } from './folder.ts';
import { createIdentity, gatewayKeysFor, type Identity } from './identity.ts';
import { type ConnectionLimits, openListeners } from './listen.ts';
import { openLog } from './log.ts';
import { readPools } from './meter.ts';
import { type Module, openModule, type Use } from './module.ts';
import { packageFolder } from './package.ts';
import { createReadiness } from './readiness.ts';
import { openHttp } from './serve.ts';
import { checkSettings, openSharedState, partOf, watchMembership } from './sharing.ts';
import { openStores, type ReportProgress } from './stores.ts';
import { openTelemetry } from './telemetry.ts';
import { openTools, type Tools } from './tools.ts';

export interface Tamshai extends Module {
  readonly base: string;
  readonly ports: Readonly<Record<string, number>>;
  readonly modules: Modules;
  /** Undefined if this process does not use the embedded database. */
  readonly embedded: EmbeddedDatabase | undefined;
  /** Call it before `close`. For `ms`, the process is not ready but still serves. Then it waits for running requests. */
  drain(ms: number): Promise<void>;
}

/** The modules that the commands and the tests of a running process use. */
export interface Modules {
  readonly kv: KeyValue;
  readonly tools: Tools;
  readonly identity: Identity;
  readonly audit: Audit;
  /** Undefined in a process without a gateway. */
  readonly assistant: Assistant | undefined;
}

export interface Starting {
  /** The servers of this process: gateway, domains or both. The gateway calls all other domains by URL. */
  readonly servers: readonly string[];
  readonly clock?: Clock;
  readonly log?: Logger;
  readonly progress?: ReportProgress;
  /** Overrides the configured model, for tests. */
  readonly model?: Model;
  /** Overrides the timeouts for slow requests, for tests. */
  readonly connections?: ConnectionLimits;
}

export function start(config: Config, starting: Starting): Promise<Tamshai> {
  const { log = openLog(config.logLevel) } = starting;
  const onLost = (error: unknown) => log.error({ error }, 'a part of this process failed to close');
  return openModule((use) => compose(config, { ...starting, log }, use), onLost);
}

async function compose(config: Config, starting: Starting & { readonly log: Logger }, use: Use): Promise<Omit<Tamshai, 'close'>> {
  const { servers, clock = { now: () => new Date() }, log, progress = () => {} } = starting;
  const part = partOf(config, servers);
  const { withGateway } = part;
  const local = part.local.map(({ name }) => name);
  checkSettings(part);
  checkNeeds(config, part.local, log);

  use(openFolder(config.dataFolder));
  const keys = openKeys(config.dataFolder, { masterKey: config.masterKey, gatewayKey: config.gatewayKey });
  const names = [...(withGateway ? ['gateway'] : []), ...local];
  const listeners = use(await openListeners({ config, names, limits: starting.connections }));
  const base = withGateway && new URL(config.base).port === '0' ? `http://localhost:${listeners.ports['gateway']}` : config.base;

  const telemetry = use(await openTelemetry({ config, local, log }));
  const { kv, sealed, membership } = use(await openSharedState(part, keys, log));
  const records = use(await openCallRecords({ config, keys, kv, clock, log }));
  const { checkpoints } = records;
  const stores = use(await openStores({ config, keys, domains: part.local, withGateway, clock, checkpoints, progress, log }));
  readPools(telemetry.meter, stores.pools);
  const tools = use(await openTools({ config, base, withGateway, keys, kv, sealed, stores, audit: records.log, telemetry, clock, log }));
  const { contracts } = tools;

  const webBuild = withGateway ? openWebBuild(join(packageFolder, 'dist', 'web')) : undefined;
  const domainPorts = Object.fromEntries(
    config.registry.domains.map(({ name }) => [name, listeners.ports[name] ?? config.ports[name] ?? 0]),
  );
  const identity = createIdentity({ config, base, keys, kv, sealed, store: stores.engine, contracts, clock, log, domainPorts, webBuild });
  const approvals = createApprovals({ tools, verifier: identity.verifier, kv, meter: telemetry.meter });
  const readiness = createReadiness({
    shared: stores.engine ? [kv, stores.engine] : [kv],
    backends: withGateway ? [...tools.backends.values()] : local.map(tools.backend),
  });
  if (membership) use(watchMembership(membership, log, () => readiness.retire()));
  const assistant = withGateway ? use(openAssistant({ config, tools, sealed, model: starting.model })) : undefined;

  const gatewayKeys = withGateway ? ownGatewayKeys(keys) : gatewayKeysFor(config, keys);
  const gatewayKey = withGateway ? keys.gateway.current : undefined;
  const audit = use(await openAudit({ config, records, storeChains: stores.chains, local, gatewayKey, gatewayKeys, sealed, clock, log }));
  const gateway = assistant && { base, assistant, audit, recordDecision: approvals.recordDecision, webBuild };
  const { decide } = approvals;
  const { refusals } = records;
  const http = use(
    await openHttp({ config, listeners, telemetry, keys, tools, identity, decide, kv, refusals, readiness, gatewayKeys, gateway }),
  );
  return {
    base,
    ports: listeners.ports,
    modules: { kv, tools, identity, audit, assistant },
    embedded: stores.embedded,
    drain: http.drain,
  };
}
