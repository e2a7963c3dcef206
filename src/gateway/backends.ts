/** The backends that run a domain's tools: in this process, or on a remote server over HTTP. */
import { randomUUID } from 'node:crypto';
import type { Answer } from '../declare/answer.ts';
import { employment } from '../declare/engine-contracts.ts';
import type { Ticket } from '../engine/approvals/tickets.ts';
import type { Caller } from '../engine/caller.ts';
import type { Backend } from '../engine/approvals/decisions.ts';
import { Failure, failure, outcomeUnknown, type PipelineCode } from '../declare/errors.ts';
import { type Subscription, createLocalChangeFeed, shareLookups, LONG_POLL_MS } from '../engine/change-feed.ts';
import type { Person } from '../declare/people.ts';
import type { Clock, Logger } from '../engine/ports.ts';
import type { Registry } from '../engine/registry.ts';
import type { Feed, Notice } from '../declare/resources.ts';
import { call } from '../engine/pipeline.ts';
import type { CallRequest, Runtime } from '../engine/runtime.ts';
import { execute, findResult } from '../engine/approvals/writes.ts';
import { canWriteAtOnce, type Tool } from '../declare/tool.ts';
import { signGrant } from '../identity/internal.ts';
import type { SigningKey } from '../identity/keys.ts';
import { createBatchSigner } from '../identity/batch-signer.ts';
import { type UpstreamClient, UpstreamFailure } from './upstream-client.ts';
import { parseAnswer, parseNotices } from './upstream-answers.ts';

export interface ToolBackend extends Backend {
  call(request: CallRequest): Promise<Answer>;
  /** Waits for the changes after the transaction `after` that the caller may see. Returns none after a timeout. */
  changes(subscription: Subscription): Promise<readonly Notice[]>;
  /** Whether the domain runs on a remote server. */
  readonly remote: boolean;
  /** False while the circuit breaker is open. Sends no request. */
  available(): boolean;
  /** Throws if the tools are not available at the moment. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export function createLocalBackend(runtime: Runtime, server: string): ToolBackend {
  const feed = runtime.registry.feeds.find(({ domain }) => domain.name === server);
  const store = runtime.stores[server];
  const changeFeed = feed && store && createLocalChangeFeed(feed, store, runtime.clock);
  return {
    call: (request) => call(runtime, request),
    changes: async (subscription) => (changeFeed ?? noChangeFeed(server)).next(subscription),
    execute: (ticket, { person, origin, proof }, requestId) => execute(runtime, ticket, { person, origin, proof, requestId }),
    findResult: (ticket, person) => findResult(runtime, ticket, person),
    remote: false,
    available: () => true,
    ping: async () => store?.ping(),
    close: async () => changeFeed?.close(),
  };
}

const noChangeFeed = (server: string): never => {
  throw failure('RESOURCE_NOT_FOUND', `${server} has no change feed.`);
};

/** Reports the duration of each call to a remote server. */
export const createTimedBackend = (inner: ToolBackend, onAnswer: (answer: Answer, ms: number) => void): ToolBackend => ({
  ...inner,
  async call(request) {
    const started = performance.now();
    const answer = await inner.call(request);
    onAnswer(answer, performance.now() - started);
    return answer;
  },
});

export interface RemoteOptions {
  /** The domain's change feed, if it has one. */
  readonly feed?: Feed | undefined;
  readonly server: string;
  readonly title: string;
  readonly upstream: UpstreamClient;
  readonly registry: Registry;
  readonly key: SigningKey;
  readonly clock: Clock;
  readonly log: Logger;
  /** The URL of the approval page on this gateway. */
  readonly approvalUrl: (confirmationId: string) => string;
}

/** The body of an execution. The digests in the grant cover `input` and `card`, so both are sent as text. */
export const executionBody = (ticket: Ticket) => {
  const { input, state: _state, answer: _answer, decidedAt: _decidedAt, ...card } = ticket;
  return { confirmationId: ticket.id, tool: ticket.tool, input: JSON.stringify(input), card: JSON.stringify(card) };
};

/** Throws retryable errors, as a local backend does. The ticket then stays claimed, so that the person can try again. */
function throwRetryable(answer: Answer): Answer {
  if (answer.status === 'error' && answer.retryable)
    throw failure(answer.code as PipelineCode, { message: answer.message, hint: answer.suggestedAction }, answer.details);
  return answer;
}

const LONGEST_NAME = 200;

/** True if a call without an answer can safely be sent again. */
const isRepeatable = (tool: Tool | undefined) => tool === undefined || !canWriteAtOnce(tool);

/** While the provider of employment does not answer, calls use a state of at most five minutes ago, and decisions fail. */
const hintFor = (server: string, registry: Registry) =>
  registry.provisionOf(employment)?.domain.name === server
    ? 'Try again in a moment. Until then other servers answer only people whose employment was read in the last five minutes.'
    : 'Try again in a moment. Other servers are not affected.';

export function createRemoteBackend({ feed, server, title, upstream, registry, key, clock, log, approvalUrl }: RemoteOptions): ToolBackend {
  const identify = createBatchSigner(key, server, clock);
  const unavailable = () =>
    failure('SERVICE_UNAVAILABLE', { message: `${title} does not answer.`, hint: hintFor(server, registry) }, { server });

  /** Sends a request again after a connection error, because a restarted server breaks its connections. Each attempt gets a new token. */
  async function post(
    path: string,
    body: string,
    {
      sign,
      asked,
      repeatable,
    }: {
      readonly sign: () => string | Promise<string>;
      readonly asked: Pick<CallRequest, 'requestId' | 'signal'>;
      readonly repeatable: boolean;
    },
  ): Promise<string> {
    const once = async () => {
      const token = await sign();
      const { text } = await upstream.post({
        path,
        body,
        token,
        requestId: asked.requestId,
        get signal() {
          return asked.signal;
        },
      });
      return text;
    };
    try {
      return await once().catch((error: unknown) => {
        const again = error instanceof UpstreamFailure && error.reason !== 'deadline' && upstream.answers && (repeatable || !error.sent);
        if (!again) throw error;
        return once();
      });
    } catch (error) {
      if (error instanceof UpstreamFailure) throw error.sent && !repeatable ? outcomeUnknown(unavailable()) : unavailable();
      if (asked.signal?.aborted) throw failure('TIMEOUT', 'The caller stopped waiting.');
      throw error;
    }
  }

  function parseOrReport(
    text: string,
    tool: Tool | undefined,
    { of, repeatable, requestId }: { readonly of: 'call' | 'execution'; readonly repeatable: boolean; readonly requestId: string },
  ): Answer {
    try {
      return parseAnswer(text, tool, of);
    } catch (error) {
      upstream.recordFailure();
      log.warn({ requestId, server, tool: tool?.name, reason: (error as Error).name }, 'invalid answer of a remote server');
      throw repeatable ? unavailable() : outcomeUnknown(unavailable());
    }
  }

  const requestExecution = async (
    ticket: Ticket,
    caller: Caller,
    { requestId, settle }: { readonly requestId: string; readonly settle: boolean },
  ) => {
    const execution = executionBody(ticket);
    const sign = () => signGrant(key, { ...execution, settle, server, caller, requestId }, clock);
    const text = await post('/execute', JSON.stringify({ ...execution, settle }), { sign, asked: { requestId }, repeatable: true });
    return parseOrReport(text, registry.find(server, ticket.tool), { of: 'execution', repeatable: true, requestId });
  };

  const next =
    feed &&
    shareLookups(feed, async ({ caller, after }) => {
      const [requestId, path, body] = [randomUUID(), '/changes', JSON.stringify({ after })];
      const token = await identify({ caller, requestId, method: 'POST', path, body });
      try {
        return parseNotices((await upstream.post({ path, body, token, requestId, deadlineMs: 2 * LONG_POLL_MS, quiet: true })).text);
      } catch {
        throw unavailable();
      }
    });

  return {
    changes: async (subscription) => (next ?? noChangeFeed(server))(subscription),
    async call(request) {
      const { tool: name, input, caller, surface, requestId, approvalBecause } = request;
      const tool = registry.find(server, name);
      const repeatable = isRepeatable(tool);
      // The remote server refuses unknown tools. A long name must be truncated, because the length of an identity token is limited.
      const path = `/tools/${encodeURIComponent(tool === undefined ? Buffer.from(name.slice(0, LONGEST_NAME)).toString() : name)}`;
      const body = JSON.stringify({ input: input ?? null, surface, approvalBecause });
      const sign = () => identify({ caller, requestId, method: 'POST', path, body });
      try {
        const answer = parseOrReport(await post(path, body, { sign, asked: request, repeatable }), tool, {
          of: 'call',
          repeatable,
          requestId,
        });
        if (answer.status !== 'pending_confirmation') return answer;
        return { ...answer, confirmationData: { ...answer.confirmationData, approvalUrl: approvalUrl(answer.confirmationId) } };
      } catch (error) {
        if (error instanceof Failure) return error.answer();
        throw error;
      }
    },
    async execute(ticket, caller, requestId) {
      const answer = await requestExecution(ticket, caller, { requestId, settle: false });
      return throwRetryable(answer);
    },
    async findResult(ticket: Ticket, person: Person) {
      const caller: Caller = {
        person,
        token: { id: ticket.id, client: 'gateway', issuedAt: 0, expiresAt: 0 },
        approves: 'nothing',
        origin: 'gateway',
      };
      const answer = await requestExecution(ticket, caller, { requestId: ticket.id, settle: true });
      return throwRetryable(answer).status === 'success' ? answer : undefined;
    },
    remote: true,
    available: () => upstream.answers,
    ping: () => upstream.ping(),
    close: () => upstream.close(),
  };
}
