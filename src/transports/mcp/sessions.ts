import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import type { Server } from '@modelcontextprotocol/server';
import type { Caller } from '../../core/caller.ts';
import { failure } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';
import type { McpLimits } from './options.ts';

/** A conversation with a 2025 client. It belongs to the person and client program that began it, and gives them no right of its own. */
export interface Session {
  readonly principal: string;
  readonly client: string;
  readonly server: Server;
  readonly transport: NodeStreamableHTTPServerTransport;
  usedAt: number;
}

interface Making {
  readonly limits: McpLimits;
  readonly clock: Clock;
  readonly makeServer: () => Server;
}

export class Sessions {
  readonly #making: Making;
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

  /** Answers an initialize request; a session remains if it was a good one. */
  async begin(req: IncomingMessage, res: ServerResponse, body: unknown, caller: Caller): Promise<void> {
    const { limits, makeServer } = this.#making;
    this.#endIdle();
    if (this.#open.size + this.#opening >= limits.maxSessions) throw failure('SERVICE_UNAVAILABLE', 'Too many sessions are open.');
    this.#opening++;
    try {
      const server = makeServer();
      const transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        keepAliveMs: limits.heartbeatMs,
        onsessioninitialized: (id) =>
          this.#add(id, { principal: caller.person.principal, client: caller.token.client, server, transport, usedAt: this.#now() }),
        onsessionclosed: (id) => {
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
    const servers = [...this.#open.values()].map(({ server }) => server);
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

  #end(id: string, { server }: Session): void {
    this.#open.delete(id);
    void server.close().catch(() => undefined);
  }

  #now(): number {
    return this.#making.clock.now().getTime();
  }
}
