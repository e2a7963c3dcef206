import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import type { Server } from '@modelcontextprotocol/server';
import type { Caller } from '../../core/caller.ts';
import { failure } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';
import type { Exchange } from './exchange.ts';
import { clientName } from './client-info.ts';
import type { Progress } from './notices.ts';
import type { McpLimits } from './options.ts';
import { openSession, sealSession } from './seal.ts';

/** A conversation with a 2025 client. It belongs to the person and client program that began it, and gives them no right of its own. */
export interface Session {
  readonly principal: string;
  readonly client: string;
  readonly server: Server;
  readonly transport: NodeStreamableHTTPServerTransport;
  /** Calls that the hot leg is answering: the SDK does not know of them, so it could not cancel them. */
  readonly running: Map<unknown, Exchange>;
  /** How far its stream of notices has come. */
  readonly progress: Progress;
  /** The stream of notices, where one is open. */
  stream: ServerResponse | undefined;
  usedAt: number;
}

/** A session that another replica holds, or that this process held before it was restarted. It keeps nothing here. */
export interface Visit {
  readonly clientName: string | undefined;
}

interface Making {
  readonly limits: McpLimits;
  readonly clock: Clock;
  readonly key: Uint8Array;
  readonly makeServer: () => Server;
  /** A session of this process is over. */
  readonly onEnd: (id: string, session: Session) => void;
}

const MAX_VISIT_MS = 24 * 3_600_000;
/** An id is its sealed facts; no genuine one comes near this. */
const MAX_ID_LENGTH = 1_000;

export class Sessions {
  readonly #making: Making;
  readonly #home = randomUUID();
  /** Least recently used first. */
  readonly #open = new Map<string, Session>();
  readonly #sweeper: NodeJS.Timeout;
  #opening = 0;

  constructor(making: Making) {
    this.#making = making;
    this.#sweeper = setInterval(() => this.#endIdle(), Math.min(60_000, making.limits.sessionIdleMs)).unref();
  }

  get size(): number {
    return this.#open.size;
  }

  /** Somebody else's session does not exist, just like one that ended. */
  find(id: string, caller: Caller): Session | undefined {
    const session = this.#open.get(id);
    if (session === undefined || session.principal !== caller.person.principal || session.client !== caller.token.client) return undefined;
    const now = this.#now();
    if (now - session.usedAt >= this.#making.limits.sessionIdleMs) {
      this.#end(id, session);
      return undefined;
    }
    session.usedAt = now;
    this.#open.delete(id);
    this.#open.set(id, session);
    return session;
  }

  /** A genuine session of the same person and client that lives elsewhere: plain requests are answered here all the same. */
  visit(id: string, caller: Caller): Visit | undefined {
    const facts = id.length > MAX_ID_LENGTH ? undefined : openSession(this.#making.key, caller, id);
    // One of our own that is not in the map has ended.
    if (facts === undefined || facts.home === this.#home || this.#now() - facts.begunAt > MAX_VISIT_MS) return undefined;
    return { clientName: facts.clientName };
  }

  /** Answers an initialize request; a session remains if it was a good one. */
  async begin(req: IncomingMessage, res: ServerResponse, body: unknown, caller: Caller): Promise<void> {
    const { limits, key, makeServer } = this.#making;
    this.#endIdle();
    if (this.#open.size + this.#opening >= limits.maxSessions) throw failure('SERVICE_UNAVAILABLE', 'Too many sessions are open.');
    this.#opening++;
    try {
      const server = makeServer();
      const { params } = body as { params?: { clientInfo?: unknown } };
      const facts = { home: this.#home, begunAt: this.#now(), clientName: clientName(params?.clientInfo) };
      const transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: () => sealSession(key, caller, facts),
        keepAliveMs: limits.heartbeatMs,
        onsessioninitialized: (id) =>
          this.#add(id, {
            principal: caller.person.principal,
            client: caller.token.client,
            server,
            transport,
            running: new Map(),
            progress: new Map(),
            stream: undefined,
            usedAt: this.#now(),
          }),
        onsessionclosed: (id) => {
          const session = this.#open.get(id);
          if (session !== undefined) this.#making.onEnd(id, session);
          this.#open.delete(id);
        },
      });
      await server.connect(transport);
      await transport.handleRequest(req, res, body);
      if (transport.sessionId === undefined) await server.close();
    } finally {
      this.#opening--;
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    const servers = [...this.#open.values()].map(({ server, stream }) => {
      stream?.end();
      return server;
    });
    this.#open.clear();
    await Promise.all(servers.map((server) => server.close()));
  }

  #add(id: string, session: Session): void {
    const own = [...this.#open].filter(([, { principal }]) => principal === session.principal);
    const [oldest] = own;
    if (oldest !== undefined && own.length >= this.#making.limits.sessionsPerPerson) this.#end(...oldest);
    this.#open.set(id, session);
  }

  #endIdle(): void {
    const before = this.#now() - this.#making.limits.sessionIdleMs;
    for (const [id, session] of this.#open) {
      if (session.usedAt > before) return;
      this.#end(id, session);
    }
  }

  #end(id: string, session: Session): void {
    this.#open.delete(id);
    this.#making.onEnd(id, session);
    void session.server.close().catch(() => undefined);
  }

  #now(): number {
    return this.#making.clock.now().getTime();
  }
}
