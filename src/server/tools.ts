/** Opens what runs tools: the runtime of the pipeline, a backend for each domain, and the copies of other domains' rows. */
import { createTicketStore } from '../engine/approvals/tickets.ts';
import type { ContractCaller } from '../engine/contract-caller.ts';
import { createCallLimiter } from '../engine/limits/call-limiter.ts';
import { createCursors } from '../engine/lists/cursor.ts';
import type { Clock, KeyValue, Logger } from '../engine/ports.ts';
import type { Runtime } from '../engine/runtime.ts';
import { createLocalBackend, createRemoteBackend, createTimedBackend, type ToolBackend } from '../gateway/backends.ts';
import { createUpstreamClient, type UpstreamClient } from '../gateway/upstream-client.ts';
import { contractSigningKeys, deriveAll, type Keys } from '../identity/keys.ts';
import type { Config } from './config.ts';
import { createContractCaller } from './contracts.ts';
import { sourceFrom, syncCopies } from './copies.ts';
import { type Module, openModule } from './module.ts';
import type { Stores } from './stores.ts';
import type { Telemetry } from './telemetry.ts';

export interface Tools extends Module {
  readonly runtime: Runtime;
  readonly contracts: ContractCaller;
  /** The backends of all domains of the registry, local and remote. */
  readonly backends: ReadonlyMap<string, ToolBackend>;
  /** The backend of a domain. A local one refuses the calls of an unknown domain. */
  backend(server: string): ToolBackend;
}

export interface ToolsOptions {
  readonly config: Pick<Config, 'registry' | 'remoteUrl' | 'limits' | 'failpoint'>;
  readonly base: string;
  readonly withGateway: boolean;
  readonly keys: Keys;
  readonly kv: KeyValue;
  readonly sealed: KeyValue;
  readonly stores: Pick<Stores, 'byDomain' | 'copies'>;
  readonly audit: Runtime['audit'];
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  readonly log: Logger;
}

const DEADLINE_MS = 10_000;
/** Added to the deadline of a remote call, so that the remote server can answer TIMEOUT first. */
const REMOTE_MS = 1_000;
/** How long a stopping process waits for running requests. No tool call takes longer. */
export const FINISH_MS = DEADLINE_MS + 2_000;

export const openTools = (options: ToolsOptions): Promise<Tools> =>
  openModule(async (use) => {
    const { config, base, withGateway, keys, kv, sealed, audit, telemetry, clock, log } = options;
    const { registry } = config;
    const { meter } = telemetry;
    const stores = telemetry.tracedStores(options.stores.byDomain);
    const upstreams = openUpstreams(options);
    for (const each of upstreams.values()) use(each);
    const gatewayKey = keys.gateway.current;
    const contractKey = withGateway ? gatewayKey : contractSigningKeys(keys)[0];
    const contracts = createContractCaller({ registry, stores, audit, upstreams, gatewayKey, contractKey, clock, log });
    const runtime: Runtime = {
      registry,
      stores,
      contracts,
      tickets: createTicketStore(sealed, clock),
      audit,
      clock,
      log,
      cursors: createCursors(deriveAll(keys, 'cursor')),
      callLimiter: createCallLimiter(config.limits, {
        clock,
        shared: kv.leases && { count: kv.count, leases: kv.leases },
        onRefused: () => meter.rateLimited('authenticated'),
      }),
      observe: telemetry.observe,
      deadlineMs: DEADLINE_MS,
      approvalUrl: (id) => `${base}/approve/${id}`,
      failpoint: (name) => {
        if (config.failpoint === name) process.kill(process.pid, 'SIGKILL');
      },
    };
    const backends = new Map<string, ToolBackend>(
      registry.domains.map(({ name, title }) => {
        const upstream = upstreams.get(name);
        if (upstream === undefined) return [name, telemetry.tracedBackend(name, createLocalBackend(runtime, name))];
        const feed = registry.feeds.find(({ domain }) => domain.name === name);
        const { approvalUrl } = runtime;
        const remote = createRemoteBackend({ feed, server: name, title, upstream, registry, key: gatewayKey, clock, log, approvalUrl });
        return [
          name,
          telemetry.tracedBackend(
            name,
            createTimedBackend(remote, (answer, ms) => meter.upstream(name, answer, ms)),
          ),
        ];
      }),
    );
    const copies = options.stores.copies.filter(({ contract }) => contracts.reaches(contract));
    use(await syncCopies({ sourceOf: sourceFrom(contracts), copies, log }));
    return { runtime, contracts, backends, backend: (server) => backends.get(server) ?? createLocalBackend(runtime, server) };
  });

/** One HTTP client for each domain with a remote URL. */
function openUpstreams({ config, telemetry, log }: ToolsOptions): ReadonlyMap<string, UpstreamClient> {
  return new Map(
    config.registry.domains.flatMap(({ name: server }) => {
      const url = config.remoteUrl(server);
      if (url === undefined) return [];
      const client = createUpstreamClient({ server, url, log, deadlineMs: DEADLINE_MS + REMOTE_MS, headers: telemetry.headers });
      return [[server, client] as const];
    }),
  );
}
