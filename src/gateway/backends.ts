/** Where a domain's tools run: in this process, or in another one behind an address. */
import { Pool } from 'undici';
import type { Answer } from '../core/answer.ts';
import type { Ticket } from '../core/approvals.ts';
import type { Caller } from '../core/caller.ts';
import type { Backend } from '../core/decide.ts';
import { failure } from '../core/errors.ts';
import type { Person } from '../core/people.ts';
import type { Clock, Logger } from '../core/ports.ts';
import { type CallRequest, call, execute, type Runtime, settled } from '../core/run.ts';
import { signGrant, signIdentity } from '../identity/internal.ts';
import type { SigningKey } from '../identity/keys.ts';
import { parseAnswer } from './upstream.ts';

export interface ToolBackend extends Backend {
  call(request: CallRequest): Promise<Answer>;
  /** Throws when its tools cannot be used at the moment. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export const localBackend = (runtime: Runtime, server: string): ToolBackend => ({
  call: (request) => call(runtime, request),
  execute: (ticket, { person, origin }, requestId) => execute(runtime, ticket, person, origin, requestId),
  settled: (ticket, person) => settled(runtime, ticket, person),
  ping: async () => runtime.stores[server]?.ping(),
  close: async () => {},
});

/** Says how long another process took. */
export const timedBackend = (inner: ToolBackend, told: (answer: Answer, ms: number) => void): ToolBackend => ({
  ...inner,
  async call(request) {
    const started = performance.now();
    const answer = await inner.call(request);
    told(answer, performance.now() - started);
    return answer;
  },
});

const ANSWER_BYTES = 4 * 1024 * 1024;

export interface RemoteOptions {
  readonly server: string;
  readonly title: string;
  readonly url: string;
  readonly key: SigningKey;
  readonly clock: Clock;
  readonly log: Logger;
  readonly deadlineMs: number;
}

/** What an execution sends: the stored bytes that the grant's digests are over. */
export const executionBody = (ticket: Ticket) => {
  const { input, state: _state, answer: _answer, decidedAt: _decidedAt, ...card } = ticket;
  return { confirmationId: ticket.id, tool: ticket.tool, input: JSON.stringify(input), card: JSON.stringify(card) };
};

export function remoteBackend({ server, title, url, key, clock, log, deadlineMs }: RemoteOptions): ToolBackend {
  const pool = new Pool(new URL(url).origin, { connections: 16, headersTimeout: deadlineMs, bodyTimeout: deadlineMs, connect: { timeout: 2000 }, maxResponseSize: ANSWER_BYTES });
  const prefix = new URL(url).pathname.replace(/\/$/, '');
  const unavailable = () => failure('SERVICE_UNAVAILABLE', `${title} does not answer.`);

  async function post(path: string, body: string, token: string, requestId: string, signal?: AbortSignal): Promise<Answer> {
    try {
      const response = await pool.request({
        method: 'POST', path: prefix + path, body, signal: signal ?? null,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, 'x-request-id': requestId },
      });
      return parseAnswer(await response.body.text());
    } catch (error) {
      log.warn({ requestId, server, error: (error as Error).name, code: (error as { code?: string }).code }, 'domain server does not answer');
      throw unavailable();
    }
  }

  const carryOut = (ticket: Ticket, caller: Caller, requestId: string, settle: boolean) => {
    const execution = executionBody(ticket);
    const token = signGrant(key, { ...execution, settle, server, caller, requestId }, clock);
    return post('/execute', JSON.stringify({ ...execution, settle }), token, requestId);
  };

  return {
    async call({ tool, input, caller, surface, requestId, signal, approvalBecause }) {
      const path = `/tools/${encodeURIComponent(tool)}`;
      const body = JSON.stringify({ input: input ?? {}, surface, approvalBecause });
      const token = signIdentity(key, { server, caller, requestId, method: 'POST', path, body }, clock);
      try {
        return await post(path, body, token, requestId, signal);
      } catch (error) {
        return (error as ReturnType<typeof unavailable>).answer();
      }
    },
    execute: (ticket, caller, requestId) => carryOut(ticket, caller, requestId, false),
    async settled(ticket: Ticket, person: Person) {
      const caller: Caller = { person, token: { id: ticket.id, client: 'gateway', issuedAt: 0, expiresAt: 0 }, approves: 'nothing', origin: 'gateway' };
      const answer = await carryOut(ticket, caller, ticket.id, true);
      return answer.status === 'success' ? answer : undefined;
    },
    async ping() {
      const response = await pool.request({ method: 'GET', path: `${prefix}/ready` });
      await response.body.dump();
      if (response.statusCode !== 200) throw unavailable();
    },
    close: () => pool.close(),
  };
}
