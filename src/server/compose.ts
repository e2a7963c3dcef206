/** Composition root: connects adapters to ports, for all servers in one process, the gateway alone or single domains. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Model } from '../assistant/model.ts';
import { createCallLimiter } from '../engine/limits/call-limiter.ts';
import { createTicketStore } from '../engine/approvals/tickets.ts';
import { signedByUs, verifyChains } from '../engine/audit/chain.ts';
import { createCursors } from '../engine/lists/cursor.ts';
import { createDecisionService } from '../engine/approvals/decisions.ts';
import { failure } from '../declare/errors.ts';
import type { Clock, Logger } from '../engine/ports.ts';
import type { Store } from '../engine/store.ts';
import type { StoreKind } from '../declare/store-kinds.ts';
import type { AnyDomain } from '../declare/tool.ts';
import { recordRefused } from '../engine/audit/refused.ts';
import { recorder } from '../engine/audit/recorder.ts';
import type { Runtime } from '../engine/runtime.ts';
import { createFailedAuthLimit } from '../gateway/access.ts';
import { localBackend, remoteBackend, timedBackend, type ToolBackend } from '../gateway/backends.ts';
import { createAuditPart } from '../gateway/audit-log.ts';
import { contractKeysOf, ownGatewayKeys } from '../identity/gateway-keys.ts';
import { derive, derivePrevious, type KeyUse, openKeys, contractSigningKeys } from '../identity/keys.ts';
import { openWebBuild } from '../identity/web/build.ts';
import { openCheckpoints } from '../storage/audit/checkpoints.ts';
import { boundRateLimited } from '../storage/audit/rate-limited.ts';
import { countRefusals } from '../storage/audit/refusals.ts';
import { openCallLog } from '../storage/audit/sqlite.ts';
import { openRedisPubSub } from '../storage/kv/redis-pubsub.ts';
import { createSealedKeyValue } from '../storage/kv/sealed.ts';
import type { EmbeddedDatabase } from '../storage/sql/pglite.ts';
import { openAssistant } from './assistant.ts';
import { sourceFrom, syncCopies } from './copies.ts';
import { checkNeeds, createContractCaller, customerRolesFrom, peopleFrom } from './contracts.ts';
import { callChain, checkpointedHere, instanceOf, keptHere, recordersIn } from './chains.ts';
import type { Config } from './config.ts';
import { openFolder } from './folder.ts';
import { gatewayKeysFor, openIdentityServices } from './identity.ts';
import { CONNECTION_LIMITS, type ConnectionLimits, type Listener, listen } from './listen.ts';
import { logCalls, openLog } from './log.ts';
import { openMeter, readPools, storeNameOf } from './meter.ts';
import { createOperations } from './operations.ts';
import { packageFolder } from './package.ts';
import { createReadiness } from './readiness.ts';
import { type Served, serveDomain, serveGateway, type Wiring } from './serve.ts';
import { checkSettings, joinOthers, type Membership, type Part } from './sharing.ts';
import { openKeyValue, openStores, type ReportProgress } from './stores.ts';
import { openUpstreams } from './upstreams.ts';
import { openAuditFederation } from './audit-federation.ts';

export interface Tamshai {
  readonly base: string;
  readonly ports: Readonly<Record<string, number>>;
  readonly wiring: Wiring;
  /** Undefined if no SQL domain of this process and not the engine's own store uses the embedded database. */
  readonly embedded: EmbeddedDatabase | undefined;
  /** Call it before `close`. For `ms`, the process is not ready but still serves. Then it waits for running requests. */
  drain(ms: number): Promise<void>;
  close(): Promise<void>;
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

const DEADLINE_MS = 10_000;
/** Added to the deadline of a remote call, so that the remote server can answer TIMEOUT first. */
const REMOTE_MS = 1_000;
/** How long a stopping process waits for running requests. Every tool call is shorter. */
const FINISH_MS = DEADLINE_MS + 2_000;

export async function start(config: Config, starting: Starting): Promise<Tamshai> {
  const closing: (() => Promise<unknown>)[] = [];
  /** Closes in reverse order, because a later resource can depend on an earlier one. */
  const close = async () => {
    for (const each of closing.splice(0).reverse()) await each();
  };
  try {
    return await open(config, starting, { later: (each) => closing.push(each), close });
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
}

interface Closing {
  /** Registers a function that runs when this process stops. */
  later(close: () => Promise<unknown>): void;
  close(): Promise<void>;
}

async function open(config: Config, starting: Starting, { later, close }: Closing): Promise<Tamshai> {
  const { servers, clock = { now: () => new Date() }, log = openLog(config.logLevel), progress = () => {}, model } = starting;
  const { connections: limits = CONNECTION_LIMITS } = starting;
  const { registry } = config;
  const withGateway = servers.includes('gateway');
  const local = registry.domains.map(({ name }) => name).filter((name) => servers.includes(name) && config.remoteUrl(name) === undefined);

  const part: Part = {
    config,
    withGateway,
    local: registry.domains.filter(({ name }) => local.includes(name)),
    remote: registry.domains.map(({ name }) => name).filter((name) => config.remoteUrl(name) !== undefined),
  };
  checkSettings(part);
  checkNeeds(config, part.local, log);

  const folder = openFolder(config.dataFolder);
  later(async () => folder.close());
  const keys = openKeys(config.dataFolder, { masterKey: config.masterKey, gatewayKey: config.gatewayKey });
  const listeners = new Map<string, Listener>();
  for (const name of [...(withGateway ? ['gateway'] : []), ...local]) {
    const listener = await listen(name, { hosts: config.hosts, port: config.ports[name] ?? 0, limits });
    listeners.set(name, listener);
    later(() => listener.close());
  }
  const ops = config.opsPort === undefined ? undefined : await listen('ops', { hosts: config.hosts, port: config.opsPort, limits });
  if (ops) later(() => ops.close());
  const meter = openMeter(config, registry, local);
  later(async () => meter.close());
  const tracing = config.tracing && (await import('./tracing.ts')).openTracing(config.tracing, log);
  if (tracing) later(() => tracing.close());
  const base = withGateway && new URL(config.base).port === '0' ? `http://localhost:${listeners.get('gateway')?.port}` : config.base;

  const kv = await openKeyValue(config, log);
  later(() => kv.close());
  const membership = await joinOthers(kv, keys, part);
  const sealed = createSealedKeyValue(kv, derive(keys, 'kv'), derivePrevious(keys, 'kv'));
  const auditKeys = { chain: allOf(keys, 'audit'), checkpoint: allOf(keys, 'checkpoint') };
  const checkpoints = await openCheckpoints({ file: join(config.dataFolder, 'checkpoints.jsonl'), kv, keys: auditKeys, clock, log });
  later(() => checkpoints.close());
  const audit = await openCallLog({
    file: join(config.dataFolder, 'audit.db'),
    chain: callChain(config),
    key: derive(keys, 'audit'),
    checkpoints,
    log,
  });
  later(() => audit.close());
  const bounded = boundRateLimited(audit, clock);
  later(() => bounded.close());
  const refusals = countRefusals(audit, clock);
  later(() => refusals.close());
  const stores = await openStores({
    config,
    keys,
    domains: registry.domains.filter(({ name }) => local.includes(name)),
    withGateway,
    clock,
    checkpoints,
    progress,
    log,
  });
  later(() => stores.close());
  readPools(meter, stores.pools);

  const tickets = createTicketStore(sealed, clock);
  const logCall = config.logLevel === 'info' || config.logLevel === 'debug' ? logCalls(log) : undefined;
  const observe: Runtime['observe'] =
    logCall === undefined
      ? meter.observe
      : (done) => {
          meter.observe(done);
          logCall(done);
        };
  const traced = (domain: AnyDomain, store: Store<StoreKind>) => (tracing ? tracing.store(storeNameOf(config, domain), store) : store);
  const byDomain = Object.fromEntries(
    part.local.flatMap((domain) =>
      stores.byDomain[domain.name] ? [[domain.name, traced(domain, stores.byDomain[domain.name] as Store<StoreKind>)]] : [],
    ),
  );
  const domainStores = tracing ? byDomain : stores.byDomain;
  const upstreams = openUpstreams(config, { log, deadlineMs: DEADLINE_MS + REMOTE_MS, headers: tracing?.headers });
  for (const each of upstreams.values()) later(() => each.close());
  const contractKey = withGateway ? keys.gateway.current : contractSigningKeys(keys)[0];
  const contracts = createContractCaller({
    registry,
    stores: domainStores,
    upstreams,
    gatewayKey: keys.gateway.current,
    contractKey,
    clock,
    log,
  });
  const runtime: Runtime = {
    registry,
    stores: domainStores,
    contracts,
    tickets,
    audit: { ...audit, append: bounded.append },
    clock,
    log,
    cursors: createCursors([derive(keys, 'cursor'), ...[derivePrevious(keys, 'cursor')].flatMap((key) => key ?? [])]),
    callLimiter: createCallLimiter(config.limits, {
      clock,
      shared: kv.leases && { count: kv.count, leases: kv.leases },
      onRefused: () => meter.rateLimited('authenticated'),
    }),
    observe,
    deadlineMs: DEADLINE_MS,
    approvalUrl: (id) => `${base}/approve/${id}`,
    failpoint: (name) => {
      if (config.failpoint === name) process.kill(process.pid, 'SIGKILL');
    },
  };

  const backends = new Map<string, ToolBackend>(
    registry.domains.map(({ name, title }) => {
      const far = upstreams.get(name);
      const feed = registry.feeds.find(({ domain }) => domain.name === name);
      const remote = { feed, server: name, title, registry, key: keys.gateway.current, clock, log, approvalUrl: runtime.approvalUrl };
      const inner =
        far === undefined
          ? localBackend(runtime, name)
          : timedBackend(remoteBackend({ ...remote, upstream: far }), (answer, ms) => meter.upstream(name, answer, ms));
      return [name, tracing ? tracing.backend(name, inner) : inner];
    }),
  );
  const backend = (server: string): ToolBackend => backends.get(server) ?? localBackend(runtime, server);

  const copySync = await syncCopies({
    sourceOf: sourceFrom(contracts),
    copies: stores.copies.filter(({ contract }) => contracts.reaches(contract)),
    log,
  });
  later(() => copySync.close());
  const domainPorts = Object.fromEntries(registry.domains.map(({ name }) => [name, listeners.get(name)?.port ?? config.ports[name] ?? 0]));
  const webBuild = withGateway ? openWebBuild(join(packageFolder, 'dist', 'web')) : undefined;
  const identity = openIdentityServices({
    config,
    base,
    keys,
    kv,
    sealed,
    store: stores.engine,
    people: peopleFrom(registry, contracts),
    customerRoles: customerRolesFrom(contracts),
    clock,
    log,
    domainPorts,
    webBuild,
  });

  const decide = createDecisionService({
    tickets,
    backend,
    failpoint: runtime.failpoint,
    decided: meter.decided,
    refresh: (caller) => identity.verifier.refresh(caller),
    spend: async (caller) => {
      if (typeof caller.approves === 'string') return;
      if (!(await kv.add(`spent:${caller.token.id}`, '1', 120)))
        throw failure('PERSON_REQUIRED', 'This right to approve was already used.');
    },
  });
  // With an external issuer, nothing reads the engine's own store.
  const signInStores = identity.embedded && stores.engine ? [stores.engine] : [];
  const readyToServe = createReadiness({
    shared: [kv, ...signInStores],
    backends: withGateway ? [...backends.values()] : local.map(backend),
  });
  if (membership) later(keepMembership(membership, log, () => readyToServe.retire()));
  const asking = openAssistant({ config, runtime, backend, sealed, model });
  later(() => asking.close());
  const gatewayKeys = withGateway ? ownGatewayKeys(keys) : gatewayKeysFor(config, keys);
  const sources = [audit, ...stores.chains];
  const readMarks = () => checkpoints.all(keptHere(config, local));
  const kept = createAuditPart(sources, async () =>
    verifyChains(sources, await readMarks(), { keys: auditKeys, own: checkpointedHere(config), again: readMarks }),
  );
  const { redisUrl } = config;
  const otherParts =
    redisUrl === undefined
      ? undefined
      : await openAuditFederation({
          instance: config.instance,
          key: withGateway ? keys.gateway.current : undefined,
          gatewayKeys,
          roles: registry.roles,
          own: kept,
          sealed,
          clock,
          log,
          openPubSub: (onMessage) => openRedisPubSub(redisUrl, 'audit', onMessage),
          known: async () => recordersIn(await checkpoints.chains()),
          written: async () => signedByUs(auditKeys, await checkpoints.all()),
          instanceOf,
        });
  if (otherParts) later(() => otherParts.close());
  const wiring: Wiring = {
    config,
    base,
    registry,
    runtime,
    backend,
    decide,
    identity,
    webBuild,
    assistant: asking,
    kv,
    refusals,
    meter,
    readiness: readyToServe,
    clock,
    log,
    failedAuth: createFailedAuthLimit(config.limits.failedAuthPerSecond, clock, () => meter.rateLimited('unauthenticated')),
    gatewayKeys,
    contractKeys: contractKeysOf(keys, gatewayKeys),
    stateKey: derive(keys, 'request-state'),
    sources,
    auditPart: kept,
    otherParts,
    recordRefused: (request, refused) => recordRefused(runtime, request, refused),
    recordDecision: (decision) => runtime.audit.append(recorder.decided(runtime, decision)),
  };
  const serving: Served[] = [];
  for (const [name, listener] of listeners) {
    const served = name === 'gateway' ? await serveGateway(wiring, listener.port) : await serveDomain(wiring, name, listener.port);
    later(() => served.close());
    listener.serve(tracing ? tracing.handler(name, served.handler) : served.handler);
    serving.push(served);
  }
  /**
   * The readiness probe fails first, for `ms`. Then the listeners accept no more connections, and running requests have FINISH_MS to end.
   */
  const drain = async (ms: number) => {
    readyToServe.retire();
    for (const listener of listeners.values()) listener.retire();
    await pause(ms);
    for (const served of serving) served.retire();
    await Promise.all([...listeners.values()].map((listener) => listener.finish(FINISH_MS)));
  };
  ops?.serve(createOperations({ metrics: meter.metrics, key: config.metricsKey, ready: readyToServe.ready }));
  return {
    base,
    ports: Object.fromEntries([...listeners, ...(ops ? [['ops', ops] as const] : [])].map(([name, { port }]) => [name, port])),
    wiring,
    embedded: stores.embedded,
    drain,
    close,
  };
}

const RENEW_MS = 1_000;

/** Writes the claims again after Redis was emptied. If earlier processes have other keys, this process becomes unready. */
function keepMembership(membership: Membership, log: Logger, onRefused: () => void): () => Promise<void> {
  let renewing = false;
  const renew = async () => {
    if (renewing) return;
    renewing = true;
    // If Redis does not answer, the readiness probe fails anyway.
    const stays = await membership.renew().catch(() => true);
    renewing = false;
    if (stays) return;
    clearInterval(timer);
    log.error({}, 'Other processes joined this Redis earlier with other keys; this process reports itself as not ready.');
    onRefused();
  };
  const timer = setInterval(() => void renew(), RENEW_MS);
  timer.unref();
  return async () => clearInterval(timer);
}

const allOf = (keys: Parameters<typeof derivePrevious>[0], use: KeyUse): Buffer[] =>
  [derive(keys, use), derivePrevious(keys, use)].flatMap((key) => key ?? []);
