/** REST routes of the assistant: questions answered as an event stream, and stored conversations. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Assistant } from '../assistant/assistant.ts';
import type { Conversation, StoredMessage } from '../assistant/conversations.ts';
import type { Caller } from '../engine/caller.ts';
import { Failure, failure } from '../declare/errors.ts';
import type { KeyValue } from '../engine/ports.ts';
import { ConcurrencyLimit } from '../engine/limits/concurrency-limit.ts';
import { openEventStream } from '../transports/sse.ts';
import type { Authenticate } from './access.ts';
import { parsed, type CallersOptions, createCallers } from './callers.ts';

export interface QueryRoutes extends CallersOptions {
  readonly assistant: Assistant;
  /** For GET: accepts tokens only, because a link on another website must not ask questions as the user. */
  readonly byToken: Authenticate;
  /** Reloads the person. Throws if their sign-in is no longer valid. */
  readonly refresh: (caller: Caller) => Promise<Caller>;
  /** Holds the number of open answers of each person. */
  readonly kept: KeyValue;
}

const LONGEST = 4_000;
const MOST_STREAMS = 6;
/** The interval of checks during an answer. A revoked right stops an answer within ten seconds. */
const RECHECK_MS = 5_000;
/** Query parameters that can contain a token. They are refused, because proxies log URLs. */
const TOKEN_NAMES = ['access_token', 'token', 'authorization', 'bearer', 'id_token', 'jwt'];

const asked = z.strictObject({
  query: z.string('query must be a question').trim().min(1, 'Ask something').max(LONGEST, `A question has at most ${LONGEST} characters`),
  conversationId: z.string().max(64).optional(),
});
type Asked = z.output<typeof asked>;

export function createQueryRoutes(app: FastifyInstance, deps: QueryRoutes): { close(): Promise<void> } {
  const { assistant } = deps;
  const { countedCaller } = createCallers(deps);
  const { countedCaller: bearer } = createCallers({ ...deps, authenticate: deps.byToken });
  const streams = new ConcurrencyLimit(deps.kept, 'answers', MOST_STREAMS);
  const open = new Set<AbortController>();

  async function acquire(principal: string): Promise<() => void> {
    const release = await streams.take(principal);
    if (release === undefined) throw failure('RATE_LIMITED', `More than ${MOST_STREAMS} answers at once.`, { retryAfterSeconds: 5 });
    return release;
  }

  async function stream(
    req: FastifyRequest,
    reply: FastifyReply,
    { caller, question: { query, conversationId }, readOnly }: { caller: Caller; question: Asked; readOnly: boolean },
  ): Promise<void> {
    const release = await acquire(caller.person.principal);
    const stop = new AbortController();
    open.add(stop);
    let recheck: NodeJS.Timeout | undefined;
    try {
      const answer = await assistant.open({ text: query, caller, readOnly, requestId: req.id }, conversationId);
      reply.hijack();
      const events = openEventStream(reply.raw, reply.getHeaders() as Record<string, string>);
      events.signal.addEventListener('abort', () => stop.abort(), { once: true });
      if (events.signal.aborted) stop.abort();
      recheck = setInterval(() => void stillAllowed(caller).catch((error: unknown) => stop.abort(error)), RECHECK_MS);
      try {
        await answer((event) => events.send(event), stop.signal);
      } catch (error) {
        const { status: _status, ...problem } = (
          error instanceof Failure
            ? error
            : failure('INTERNAL_ERROR', `Something went wrong on our side. Request ${req.id}.`, { requestId: req.id })
        ).answer();
        events.send({ type: 'error', ...problem });
      } finally {
        events.done();
      }
    } finally {
      clearInterval(recheck);
      open.delete(stop);
      release();
    }
  }

  async function stillAllowed(caller: Caller): Promise<void> {
    const now = await deps.refresh(caller);
    if ([...caller.person.roles].some((role) => !now.person.roles.has(role)))
      throw failure('INSUFFICIENT_PERMISSIONS', 'Your rights changed while this was being answered. Ask again.');
  }

  app.post('/api/query', async (req, reply) =>
    stream(req, reply, { caller: await countedCaller(req), question: parsed(asked, req.body), readOnly: false }),
  );
  app.get('/api/query', async (req, reply) => {
    const given = req.query as Record<string, unknown>;
    if (TOKEN_NAMES.some((name) => name in given))
      throw failure('UNAUTHENTICATED', 'Send the token in the Authorization header, never in the URL.');
    return stream(req, reply, { caller: await bearer(req), question: parsed(asked, given), readOnly: true });
  });

  app.get('/api/conversations', async (req) => ({
    status: 'success',
    data: await assistant.conversations.list((await countedCaller(req)).person),
  }));
  app.get<{ Params: { id: string } }>('/api/conversations/:id', async (req) => {
    const { person } = await countedCaller(req);
    return { status: 'success', data: present(await assistant.conversations.read(person, req.params.id)) };
  });
  app.delete<{ Params: { id: string } }>('/api/conversations/:id', async (req) => {
    const { person } = await countedCaller(req);
    await assistant.conversations.erase(person, req.params.id);
    return { status: 'success', data: { id: req.params.id, erased: true } };
  });

  return {
    async close() {
      for (const each of open) each.abort();
      await streams.close();
    },
  };
}

/** A conversation for display: each question with its answer and its tool calls. */
const present = ({ exchanges, ...about }: Conversation) => ({
  ...about,
  exchanges: exchanges.map(({ at, question, said, stopped }) => ({
    at,
    question,
    stopped,
    text: said.flatMap((each) => (each.by === 'model' ? [each.text] : [])).join(''),
    calls: said.flatMap((each) => (each.by === 'tool' ? [call(each)] : [])),
  })),
});
const call = ({ call: { id, name, input }, answer }: Extract<StoredMessage, { by: 'tool' }>) => ({
  id,
  name,
  input,
  status: answer.status,
  result: answer,
});
