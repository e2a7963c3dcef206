/** Ports first: what is taken is said before anything else is begun, and a port chosen by the system is known to the rest. */
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { stands } from '../transports/standing.ts';
import { ConfigProblem } from './config.ts';

export type Handler = (req: IncomingMessage, res: ServerResponse) => void;

export interface Listener {
  readonly port: number;
  /** Until it is set, callers wait for it a little, and then are told to come back. */
  serve(handler: Handler): void;
  /** From now on each answer ends its connection, so that whoever is in front turns elsewhere. */
  retire(): void;
  /** Lets nobody in any more; resolves when what is being answered is, or after so long. What only stands open for news does not count. */
  finish(ms: number): Promise<void>;
  close(): Promise<void>;
}

const OPTIONS: ServerOptions = {
  requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 30_000, connectionsCheckingInterval: 2_000,
  // Room for a token far too large, so that it is refused in our own words.
  maxHeaderSize: 64 * 1024,
  // Two Hosts, or two tokens, become one that is neither: were the first one taken, a proxy in front might have looked at the other.
  joinDuplicateHeaders: true,
};

/** As long as a start takes where there is nothing to make, and less than half of what a gateway waits for a server. */
const HELD_MS = 4_000;
const MOST_HELD = 500;
/** Who asks whether to send anyone here is told at once. */
const LOOKS = /^\/(ready|health)$/;

const notYet = (res: ServerResponse): void => {
  res.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' });
  res.end('{"status":"error","code":"SERVICE_UNAVAILABLE","message":"Tamshai is starting.","suggestedAction":"Try again in a moment.","retryable":true}');
};

export async function listen(name: string, hosts: readonly string[], port: number): Promise<Listener> {
  const held = new Map<ServerResponse, { readonly req: IncomingMessage; readonly timer: NodeJS.Timeout }>();
  const letGo = (res: ServerResponse) => {
    clearTimeout(held.get(res)?.timer);
    return held.delete(res);
  };
  /** A balancer may not have noticed yet that the process before this one is gone, and send somebody: turned away, that would be a call that a restart cost. */
  const starting: Handler = (req, res) => {
    if (LOOKS.test(req.url ?? '') || held.size >= MOST_HELD) return notYet(res);
    held.set(res, { req, timer: setTimeout(() => letGo(res) && notYet(res), HELD_MS) });
    res.once('close', () => letGo(res));
  };
  let handler = starting;
  let retired = false;
  const answering = new Set<ServerResponse>();
  const answer: Handler = (req, res) => {
    answering.add(res);
    res.once('close', () => answering.delete(res));
    if (retired) res.shouldKeepAlive = false;
    handler(req, res);
  };
  const servers: Server[] = [];
  let bound = port;
  for (const host of hosts) {
    const server = createServer(OPTIONS, answer);
    server.maxConnections = 2_000;
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host, port: bound, ipv6Only: host === '::1' }, resolve);
      });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // A machine without IPv6 is still a machine.
      if (host === '::1' && servers.length > 0 && (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT')) continue;
      await Promise.all(servers.map(closed));
      if (code === 'EADDRINUSE') throw new ConfigProblem(`Port ${bound} for ${name} is already in use; stop the other program or set ${name.toUpperCase()}_PORT.`);
      if (code === 'EACCES') throw new ConfigProblem(`Port ${bound} for ${name} needs more rights than this user has; set ${name.toUpperCase()}_PORT.`);
      throw new ConfigProblem(`${name} cannot listen on ${host} port ${bound}.`);
    }
    bound = (server.address() as AddressInfo).port;
    servers.push(server);
  }
  return {
    port: bound,
    serve(next) {
      handler = next;
      for (const [res, { req }] of held) if (letGo(res)) next(req, res);
    },
    retire() {
      retired = true;
      for (const res of answering) if (!res.headersSent) res.shouldKeepAlive = false;
    },
    async finish(ms) {
      for (const server of servers) server.close();
      const until = performance.now() + ms;
      while (performance.now() < until && [...answering].some((res) => !stands(res))) await pause(20);
    },
    close: async () => {
      for (const res of held.keys()) if (letGo(res)) notYet(res);
      await Promise.all(servers.map(closed));
    },
  };
}

/** Lets what is being answered end; idle connections close at once, stubborn ones after a while. */
function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    if (server.listening) server.close(() => resolve());
    // It lets nobody in already: what is left are connections, if any.
    else server.getConnections((_error, count) => (count === 0 ? resolve() : server.once('close', resolve)));
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), 5_000).unref();
  });
}
