/** HTTP handlers of the gateway and of each domain server. They decide which module answers which path. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Assistant } from '../assistant/assistant.ts';
import type { DecisionService } from '../engine/approvals/decisions.ts';
import { Failure } from '../declare/errors.ts';
import type { KeyValue } from '../engine/ports.ts';
import { recordRefused, type RecordRefused } from '../engine/audit/refused.ts';
import { answerAndRecord } from '../engine/contracts.ts';
import { byTokenOrSession, createFailedAuthLimit, type OnUnauthenticated } from '../gateway/access.ts';
import { byToken } from '../identity/verify.ts';
import { createDomainRoutes } from '../gateway/domain-server.ts';
import { createMetricsRoute } from '../gateway/metrics-route.ts';
import { createMcpEndpoint, originOf } from '../gateway/mcp.ts';
import { cardDigest } from '../gateway/pages/approve.ts';
import { createPageRoutes } from '../gateway/pages/routes.ts';
import { createQueryRoutes } from '../gateway/query.ts';
import { type GatewayRoutes, createGatewayRoutes } from '../gateway/routes.ts';
import { createAuditReader } from '../gateway/audit-log.ts';
import { contractKeysOf, type GatewayKeys } from '../identity/gateway-keys.ts';
import { derive, type Keys } from '../identity/keys.ts';
import type { WebBuild } from '../identity/web/build.ts';
import type { Refusals } from '../storage/audit/refusals.ts';
import { createHostGuard, joinAddresses, loopbackAddresses, publicAddress, sendFailure } from '../transports/request.ts';
import { createRestApp } from '../transports/rest.ts';
import type { Audit } from './audit.ts';
import type { Config } from './config.ts';
import { domainAddress, type Identity } from './identity.ts';
import type { Handler, Listeners } from './listen.ts';
import type { Meter } from './meter.ts';
import { type Module, openModule } from './module.ts';
import { createOperations } from './operations.ts';
import { version } from './package.ts';
import type { Readiness } from './readiness.ts';
import type { Telemetry } from './telemetry.ts';
import { FINISH_MS, type Tools } from './tools.ts';

/** What the gateway and every domain server need. */
export interface ServerOptions {
  readonly config: Pick<Config, 'metricsKey'>;
  readonly tools: Pick<Tools, 'runtime' | 'backend'>;
  readonly identity: Identity;
  readonly decide: DecisionService;
  readonly kv: KeyValue;
  readonly refusals: Refusals;
  readonly meter: Meter;
  readonly readiness: Readiness;
  /** The same limit for all ports of this process. */
  readonly failedAuth: OnUnauthenticated;
  /** Seals the state that a client of the MCP endpoint sends back. */
  readonly stateKey: Uint8Array;
}

export interface GatewayOptions extends ServerOptions {
  readonly config: Pick<Config, 'metricsKey' | 'instance' | 'scriptedApprovals'>;
  readonly base: string;
  readonly assistant: Assistant;
  readonly audit: Pick<Audit, 'part' | 'others'>;
  readonly recordDecision: GatewayRoutes['recordDecision'];
  /** Undefined if nothing was built from web/. */
  readonly webBuild: WebBuild | undefined;
}

export interface DomainServerOptions extends ServerOptions {
  readonly config: Pick<Config, 'metricsKey' | 'ownUrl'>;
  /** The gateway's public keys. */
  readonly gatewayKeys: GatewayKeys;
  /** The public keys of all processes that may call contracts. */
  readonly contractKeys: GatewayKeys;
}

export interface Served {
  readonly handler: Handler;
  /** Ends waiting streams. Running calls continue. */
  retire(): void;
  close(): Promise<void>;
}

/** Metadata is public, so pages of any origin may read it. */
const METADATA = /^\/\.well-known\/oauth-protected-resource(\/mcp)?$/;

function metadata(
  req: IncomingMessage,
  res: ServerResponse,
  { base, issuers, name }: { readonly base: string; readonly issuers: readonly string[]; readonly name: string },
): void {
  const body = JSON.stringify({
    resource: `${originOf(req, base)}/mcp`,
    authorization_servers: issuers,
    bearer_methods_supported: ['header'],
    resource_name: name,
  });
  res.writeHead(200, { 'content-type': 'application/json', 'access-control-allow-origin': '*', 'cache-control': 'no-store' });
  res.end(body);
}

const pathOf = (req: IncomingMessage): string => {
  const url = req.url ?? '/';
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
};

interface Mounted {
  readonly guard: ReturnType<typeof createHostGuard>;
  readonly base: string;
  readonly name: string;
  readonly issuers: readonly string[];
  readonly mcp: Handler;
  readonly rest: Handler;
  readonly provider?: { handles(url: string): boolean; handler(req: IncomingMessage, res: ServerResponse): Promise<void> } | undefined;
}

/** Checks Host and Origin first. The MCP endpoint checks them itself. */
const dispatch =
  ({ guard, base, name, issuers, mcp, rest, provider }: Mounted): Handler =>
  (req, res) => {
    const path = pathOf(req);
    if (path === '/mcp') return mcp(req, res);
    const isMetadata = METADATA.test(path) && req.method === 'GET';
    // Our sign-out form sends Origin: null because of our referrer policy. Its CSRF token is checked later.
    const ownForm = path === '/signout' && req.headers['sec-fetch-site'] === 'same-origin';
    const open = isMetadata || ownForm || provider?.handles(path) === true;
    const refused = guard(open ? ({ headers: { host: req.headers.host } } as IncomingMessage) : req);
    if (refused) return sendFailure(res, refused);
    if (isMetadata) return metadata(req, res, { base, issuers, name });
    if (provider?.handles(path)) {
      provider.handler(req, res).catch((error: unknown) => (error instanceof Failure ? sendFailure(res, error) : res.destroy()));
      return;
    }
    rest(req, res);
  };

const refusedAt =
  ({ refusals, meter, failedAuth }: ServerOptions, surface: string, server: string) =>
  (req: IncomingMessage) => {
    refusals.count(surface, server);
    meter.unauthenticated(server, surface);
    failedAuth(req);
  };

export async function serveGateway(options: GatewayOptions, port: number): Promise<Served> {
  const { config, base, tools, identity, decide, assistant, kv, meter, webBuild } = options;
  const { runtime, backend } = tools;
  const { registry, clock, log } = runtime;
  const refused: RecordRefused = (request, why) => recordRefused(runtime, request, why);
  const guard = createHostGuard(joinAddresses(loopbackAddresses(port), publicAddress(base)));
  const { app, handle } = createRestApp(log, ['/api/confirm/:id']);
  const onUnauthenticated = refusedAt(options, 'rest', 'gateway');
  const audiences = identity.audiences(base, 'api');
  const callersOptions = {
    authenticate: byTokenOrSession(identity.verifier, audiences, identity.sessions),
    onUnauthenticated,
    callLimiter: runtime.callLimiter,
  };
  const questions = createQueryRoutes(app, {
    ...callersOptions,
    assistant,
    byToken: byToken(identity.verifier, audiences),
    refresh: (caller) => identity.verifier.refresh(caller),
    kept: kv,
  });
  createGatewayRoutes(app, {
    ...callersOptions,
    registry,
    version,
    backend,
    decide,
    docsStyle: webBuild?.textOf('server-pages/api-reference.css'),
    ready: options.readiness.ready,
    recordDecision: options.recordDecision,
    recordRefused: refused,
    model: assistant.model,
    checkCard: (req, card) => identity.sessions.checkCsrf(req, { about: cardDigest(card), header: 'x-tamshai-card' }),
    auditLog: createAuditReader({
      instance: config.instance,
      own: options.audit.part,
      others: options.audit.others,
      cursors: runtime.cursors,
    }),
  });
  createMetricsRoute(app, {
    metrics: meter.metrics,
    key: config.metricsKey,
    authenticate: callersOptions.authenticate,
    onUnauthenticated,
  });
  createPageRoutes(app, {
    base,
    sessions: identity.sessions,
    logout: identity.logout,
    now: () => clock.now(),
    frame: {
      build: webBuild,
      banners: { development: identity.embedded !== undefined, scriptedApprovals: config.scriptedApprovals },
    },
    confirmation: (id, caller) => decide.view(id, caller.person),
    waiting: (caller) => decide.waiting(caller.person),
    webApp: webBuild?.entry('main.tsx') !== undefined,
  });
  await app.ready();
  const mcp = createMcpEndpoint({
    registry,
    version,
    base,
    backend,
    guard,
    clock,
    log,
    stateKey: options.stateKey,
    authenticate: byToken(identity.verifier, identity.audiences(base, 'mcp')),
    recheck: (caller) => identity.verifier.refresh(caller),
    kept: kv,
    confirmation: (id, caller) => decide.view(id, caller.person),
    onUnauthenticated: refusedAt(options, 'mcp', 'gateway'),
    recordRefused: refused,
  });
  meter.sessions('gateway', () => mcp.sessions);
  return {
    handler: dispatch({ guard, base, name: 'Tamshai', issuers: identity.issuers, mcp, rest: handle, provider: identity.embedded }),
    retire: () => mcp.retire(),
    close: async () => {
      await questions.close();
      await mcp.close();
      await app.close();
    },
  };
}

export async function serveDomain(options: DomainServerOptions, server: string, port: number): Promise<Served> {
  const { config, tools, identity, decide, kv, meter } = options;
  const { runtime, backend } = tools;
  const { registry, clock, log } = runtime;
  const refused: RecordRefused = (request, why) => recordRefused(runtime, request, why);
  const own = config.ownUrl(server)?.replace(/\/+$/, '');
  const base = own ?? domainAddress(port);
  const guard = createHostGuard(joinAddresses(loopbackAddresses(port), ...(own === undefined ? [] : [publicAddress(own)])));
  /** A token may name the server's public URL or its port on this machine. */
  const audiences = (use: 'api' | 'mcp') => [
    ...new Set([base, domainAddress(port)].flatMap((address) => identity.audiences(address, use))),
  ];
  const { app, handle } = createRestApp(log, ['/execute']);
  const authenticate = byToken(identity.verifier, audiences('api'));
  const onUnauthenticated = refusedAt(options, 'direct', server);
  createMetricsRoute(app, { metrics: meter.metrics, server, key: config.metricsKey, authenticate, onUnauthenticated });
  createDomainRoutes(app, {
    server,
    registry,
    backend: backend(server),
    ready: options.readiness.ready,
    gatewayKeys: options.gatewayKeys,
    clock,
    log,
    kv,
    contractKeys: options.contractKeys,
    answerContract: (provision, call) => answerAndRecord(runtime, provision, call),
    authenticate,
    onUnauthenticated,
    recordRefused: refused,
  });
  await app.ready();
  const mcp = createMcpEndpoint({
    registry,
    only: server,
    version,
    base,
    backend,
    guard,
    clock,
    log,
    stateKey: options.stateKey,
    authenticate: byToken(identity.verifier, audiences('mcp')),
    recheck: (caller) => identity.verifier.refresh(caller),
    kept: kv,
    confirmation: (id, caller) => decide.view(id, caller.person),
    onUnauthenticated: refusedAt(options, 'mcp', server),
    recordRefused: refused,
  });
  meter.sessions(server, () => mcp.sessions);
  return {
    handler: dispatch({ guard, base, name: `Tamshai ${server}`, issuers: identity.issuers, mcp, rest: handle }),
    retire: () => mcp.retire(),
    close: async () => {
      await mcp.close();
      await app.close();
    },
  };
}

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
