/** Opens metrics, traces and the log of calls. Traces are loaded only if a collector is configured. */
import type { StoreKind } from '../declare/store-kinds.ts';
import type { Logger } from '../engine/ports.ts';
import type { Runtime } from '../engine/runtime.ts';
import type { Store } from '../engine/store.ts';
import type { ToolBackend } from '../gateway/backends.ts';
import type { Config } from './config.ts';
import type { Handler } from './listen.ts';
import { logCalls } from './log.ts';
import { type Meter, openMeter, type StoreUrls, storeNameOf } from './meter.ts';
import { type Module, openModule } from './module.ts';

export interface Telemetry extends Module {
  readonly meter: Meter;
  readonly observe: NonNullable<Runtime['observe']>;
  /** Headers for requests to other Tamshai servers. */
  readonly headers: (() => Readonly<Record<string, string>>) | undefined;
  tracedStores(stores: Runtime['stores']): Runtime['stores'];
  tracedBackend(server: string, backend: ToolBackend): ToolBackend;
  tracedHandler(server: string, handler: Handler): Handler;
}

export interface TelemetryOptions {
  readonly config: Pick<Config, 'registry' | 'tracing' | 'logLevel'> & StoreUrls;
  readonly local: readonly string[];
  readonly log: Logger;
}

export const openTelemetry = ({ config, local, log }: TelemetryOptions): Promise<Telemetry> =>
  openModule(async (use) => {
    const meter = use(openMeter(config, config.registry, local));
    const logCall = config.logLevel === 'info' || config.logLevel === 'debug' ? logCalls(log) : undefined;
    const observe: Telemetry['observe'] = (done) => {
      meter.observe(done);
      logCall?.(done);
    };
    if (config.tracing === undefined) {
      return {
        meter,
        observe,
        headers: undefined,
        tracedStores: (stores) => stores,
        tracedBackend: (_server, backend) => backend,
        tracedHandler: (_server, handler) => handler,
      };
    }
    const { openTracing } = await import('./tracing.ts');
    const tracing = use(openTracing(config.tracing, log));
    const nameOf = new Map(config.registry.domains.map((domain) => [domain.name, storeNameOf(config, domain)]));
    const traced = (domain: string, store: Store<StoreKind>) => tracing.store(nameOf.get(domain) ?? domain, store);
    return {
      meter,
      observe,
      headers: tracing.headers,
      tracedStores: (stores) => Object.fromEntries(Object.entries(stores).map(([domain, store]) => [domain, traced(domain, store)])),
      tracedBackend: tracing.backend,
      tracedHandler: tracing.handler,
    };
  });
