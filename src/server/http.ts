/** Opens the listeners of a process first, and later serves the gateway, the domains and the operations port on them. */
import { setTimeout as pause } from 'node:timers/promises';
import { createFailedAuthLimit } from '../gateway/access.ts';
import { contractKeysOf } from '../identity/gateway-keys.ts';
import { derive, type Keys } from '../identity/keys.ts';
import type { Config } from './config.ts';
import { type ConnectionLimits, type Listener, listen } from './listen.ts';
import { type Module, openModule } from './module.ts';
import { createOperations } from './operations.ts';
import { type DomainServerOptions, type GatewayOptions, type Served, serveDomain, serveGateway, type ServerOptions } from './serve.ts';
import type { Telemetry } from './telemetry.ts';
import { FINISH_MS } from './tools.ts';

export interface Listeners extends Module {
  /** The listeners of the gateway and the domains. */
  readonly servers: ReadonlyMap<string, Listener>;
  /** The operations port, if one is configured. */
  readonly ops: Listener | undefined;
  readonly ports: Readonly<Record<string, number>>;
}

export interface ListenersOptions {
  readonly config: Pick<Config, 'hosts' | 'ports' | 'opsPort'>;
  readonly names: readonly string[];
  readonly limits: ConnectionLimits | undefined;
}

export const openListeners = ({ config: { hosts, ports, opsPort }, names, limits }: ListenersOptions): Promise<Listeners> =>
  openModule(async (use) => {
    const servers = new Map<string, Listener>();
    for (const name of names) servers.set(name, use(await listen(name, { hosts, port: ports[name] ?? 0, limits })));
    const ops = opsPort === undefined ? undefined : use(await listen('ops', { hosts, port: opsPort, limits }));
    const all = [...servers, ...(ops ? [['ops', ops] as const] : [])];
    return { servers, ops, ports: Object.fromEntries(all.map(([name, { port }]) => [name, port])) };
  });

export interface Http extends Module {
  /** The process is not ready for `ms`. Then it accepts no more connections and waits for running requests. */
  drain(ms: number): Promise<void>;
}

export interface HttpOptions extends Omit<ServerOptions, 'config' | 'failedAuth' | 'meter' | 'stateKey'> {
  readonly config: GatewayOptions['config'] & DomainServerOptions['config'] & Pick<Config, 'limits'>;
  readonly listeners: Listeners;
  readonly telemetry: Telemetry;
  readonly keys: Keys;
  readonly gatewayKeys: DomainServerOptions['gatewayKeys'];
  /** Undefined in a process without a gateway. */
  readonly gateway: Pick<GatewayOptions, 'base' | 'assistant' | 'audit' | 'recordDecision' | 'webBuild'> | undefined;
}

export const openHttp = ({ listeners, telemetry, keys, gateway, gatewayKeys, ...shared }: HttpOptions): Promise<Http> =>
  openModule(async (use) => {
    const { config, readiness, tools } = shared;
    const { meter } = telemetry;
    const failedAuth = createFailedAuthLimit(config.limits.failedAuthPerSecond, tools.runtime.clock, () =>
      meter.rateLimited('unauthenticated'),
    );
    const server = { ...shared, meter, failedAuth, stateKey: derive(keys, 'request-state') };
    const contractKeys = contractKeysOf(keys, gatewayKeys);
    const serving: Served[] = [];
    for (const [name, listener] of listeners.servers) {
      const served = use(
        name === 'gateway' && gateway !== undefined
          ? await serveGateway({ ...server, ...gateway }, listener.port)
          : await serveDomain({ ...server, gatewayKeys, contractKeys }, name, listener.port),
      );
      listener.serve(telemetry.tracedHandler(name, served.handler));
      serving.push(served);
    }
    listeners.ops?.serve(createOperations({ metrics: meter.metrics, key: config.metricsKey, ready: readiness.ready }));
    return {
      async drain(ms) {
        readiness.retire();
        for (const listener of listeners.servers.values()) listener.retire();
        await pause(ms);
        for (const served of serving) served.retire();
        await Promise.all([...listeners.servers.values()].map((listener) => listener.finish(FINISH_MS)));
      },
    };
  });
