/** The open sessions of 2025 MCP clients in this process, and the verification of session ids of other replicas. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import type { Server } from '@modelcontextprotocol/server';
import type { Caller } from '../../engine/caller.ts';
import { failure } from '../../declare/errors.ts';
import type { Clock } from '../../engine/ports.ts';
import type { Exchange } from './exchange.ts';
import { clientName } from './client-info.ts';
import type { Progress } from './notices.ts';
import type { McpLimits } from './options.ts';
import { openSession, sealSession } from './seal.ts';

/** A session belongs to the person and client that began it. It grants no right. */
export interface Session {
  readonly principal: string;
  readonly client: string;
  readonly server: Server;
  readonly transport: NodeStreamableHTTPServerTransport;
  /** Running calls of the fast path by request id, because the SDK cannot cancel them. */
  readonly running: Map<unknown, Exchange>;
  /** The last sent notices of the session's stream. */
  readonly progress: Progress;
  /** The open stream of notices. */
  stream: ServerResponse | undefined;
  usedAt: number;
}

/** A session of another replica, or of this process before a restart. This process keeps no state for it. */
export interface RemoteSession {
  readonly clientName: string | undefined;
}

interface SessionsOptions {
  readonly limits: McpLimits;
  readonly clock: Clock;
  readonly key: Uint8Array;
  readonly makeServer: () => Server;
  /** Called when a session of this process ends. */
  readonly onEnd: (id: string, session: Session) => void;
}

const MAX_REMOTE_MS = 24 * 3_600_000;
/** Our own ids are much shorter. */
const MAX_ID_LENGTH = 1_000;

export class Sessions {
  readonly #options: SessionsOptions;
  readonly #instance = randomUUID();
  /** The least recently used session is first. */
  readonly #sessions = new Map<string, Session>();
  readonly #sweeper: NodeJS.Timeout;
  #opening = 0;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#sweeper = setInterval(() => this.#endIdle(), Math.min(60_000, options.limits.sessionIdleMs)).unref();
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Undefined if the session has ended or belongs to another person or client. */
  find(id: string, caller: Caller): Session | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined || session.principal !== caller.person.principal || session.client !== caller.token.client) return undefined;
    const now = this.#now();
    if (now - session.usedAt >= this.#options.limits.sessionIdleMs) {
      this.#end(id, session);
      return undefined;
    }
    session.usedAt = now;
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return session;
  }

  /** Finds a session of the same person and client that began on another replica. This process can answer its single requests. */
  findRemote(id: string, caller: Caller): RemoteSession | undefined {
    const facts = id.length > MAX_ID_LENGTH ? undefined : openSession(this.#options.key, caller, id);
    // A session of this process that is missing in the map has ended.
    if (facts === undefined || facts.instance === this.#instance || this.#now() - facts.begunAt > MAX_REMOTE_MS) return undefined;
    return { clientName: facts.clientName };
  }

  /** Answers an initialize request, and stores the session if the SDK accepts it. */
  async begin(
    req: IncomingMessage,
    res: ServerResponse,
    { body, caller }: { readonly body: unknown; readonly caller: Caller },
  ): Promise<void> {
    const { limits, key, makeServer } = this.#options;
    this.#endIdle();
    if (this.#sessions.size + this.#opening >= limits.maxSessions) throw failure('SERVICE_UNAVAILABLE', 'Too many sessions are open.');
    this.#opening++;
    try {
      const server = makeServer();
      const { params } = body as { params?: { clientInfo?: unknown } };
      const facts = { instance: this.#instance, begunAt: this.#now(), clientName: clientName(params?.clientInfo) };
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
          const session = this.#sessions.get(id);
          if (session !== undefined) this.#options.onEnd(id, session);
          this.#sessions.delete(id);
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
    const servers = [...this.#sessions.values()].map(({ server, stream }) => {
      stream?.end();
      return server;
    });
    this.#sessions.clear();
    await Promise.all(servers.map((server) => server.close()));
  }

  #add(id: string, session: Session): void {
    const own = [...this.#sessions].filter(([, { principal }]) => principal === session.principal);
    const [oldest] = own;
    if (oldest !== undefined && own.length >= this.#options.limits.sessionsPerPerson) this.#end(...oldest);
    this.#sessions.set(id, session);
  }

  #endIdle(): void {
    const before = this.#now() - this.#options.limits.sessionIdleMs;
    for (const [id, session] of this.#sessions) {
      if (session.usedAt > before) return;
      this.#end(id, session);
    }
  }

  #end(id: string, session: Session): void {
    this.#sessions.delete(id);
    this.#options.onEnd(id, session);
    void session.server.close().catch(() => undefined);
  }

  #now(): number {
    return this.#options.clock.now().getTime();
  }
}
