/** The one pipeline: admission → role → parse → run → check output → audit. Every surface calls tools through it. */
import { isDeepStrictEqual } from 'node:util';
import { formerSession, meFor, opens, sessionFor } from './access.ts';
import type { CallLimiter } from './limits/rate-limit.ts';
import type { Answer, CardChange, ConfirmationData, SuccessAnswer } from './answer.ts';
import { type TicketStore, comparableCard, type Ticket } from './tickets.ts';
import { applyFirstUse } from './first-use.ts';
import type { Caller, Surface } from './caller.ts';
import type { Cursors, KeyPart } from './cursor.ts';
import { type Details, Failure, failure, outcomeUnknown } from './errors.ts';
import { inWords, isSensitive, maskedFieldNames } from './fields.ts';
import { parseInput } from './input.ts';
import { pageOf, splitInput, windowed } from './page.ts';
import { startDeadline } from './deadline.ts';
import type { Person } from './people.ts';
import type { AuditLog, AuditRecord, Clock, Decision, Logger } from './ports.ts';
import { redact } from './redact.ts';
import type { Registry } from './registry.ts';
import { PROMPTS } from './resources.ts';
import type { Store, StoreSession, Versions } from './store.ts';
import type { CallContext, Input, Plan, Queries, StoreKind, Tool } from './tool.ts';

export interface Runtime {
  readonly registry: Registry;
  readonly stores: Readonly<Record<string, Store<StoreKind>>>;
  readonly tickets: TicketStore;
  readonly audit: AuditLog;
  readonly cursors: Cursors;
  readonly callLimiter: CallLimiter;
  readonly clock: Clock;
  readonly log: Logger;
  readonly deadlineMs: number;
  readonly approvalUrl: (confirmationId: string) => string;
  /** Named places where a test may stop the process. Nothing in production. */
  readonly failpoint: (name: string) => void;
  /** Hears of each call and each approved change at its end. The caller waits for it: counting, and nothing slower. */
  readonly observe?: ((done: Done) => void) | undefined;
}

export interface Done {
  readonly server: string;
  /** Undefined where there is no such tool. */
  readonly tool: Tool | undefined;
  readonly surface: Surface;
  readonly requestId: string;
  readonly decision: Decision;
  readonly code: string | null;
  readonly rows: number;
  readonly ms: number;
}

export interface CallRequest {
  readonly server: string;
  readonly tool: string;
  readonly input: unknown;
  readonly caller: Caller;
  readonly surface: Surface;
  readonly requestId: string;
  /** Read when it matters, and not before: it may be made only then. */
  readonly signal?: AbortSignal | undefined;
  /** Why a person has to approve even what would otherwise happen at once: a sentence that the card says too. */
  readonly approvalBecause?: string | undefined;
}

function noSuchTool({ registry: { domains } }: Runtime, { server, tool }: CallRequest): Failure {
  const quoted = (text: string) => JSON.stringify(text.slice(0, 60));
  if (tool.includes('://')) return failure('RESOURCE_NOT_FOUND', `There is no resource ${quoted(tool.replace(/^:\/\/|#[a-z]+$/g, ''))}.`);
  if (tool.startsWith(PROMPTS)) return failure('PROMPT_NOT_FOUND', `There is no prompt ${quoted(tool.slice(PROMPTS.length))}.`);
  const servers = domains.map(({ name }) => name);
  if (!servers.includes(server)) return failure('TOOL_NOT_FOUND', `There is no server ${quoted(server)}; there are ${servers.join(', ')}.`);
  return failure('TOOL_NOT_FOUND', `There is no tool ${quoted(tool)} on ${quoted(server)}.`);
}

export async function call(runtime: Runtime, request: CallRequest): Promise<Answer> {
  const started = performance.now();
  const tool = runtime.registry.find(request.server, request.tool);
  let answer: Answer;
  let inStore = false;
  try {
    if (!tool) {
      await runtime.callLimiter.count(request.caller.person.principal);
      throw noSuchTool(runtime, request);
    }
    const entering = runtime.callLimiter.enter(request.caller.person.principal);
    const leave = typeof entering === 'function' ? entering : await entering;
    const work = attempt(runtime, tool, request, started);
    // The place is free when the work is over, not when somebody stopped waiting: the database goes on either way.
    void work.then(leave, leave);
    answer = await withDeadline(runtime.deadlineMs, request, work);
    // What was written in the call was recorded with it; a card was not.
    inStore = (tool.kind === 'act' || tool.kind === 'write') && answer.status === 'success';
  } catch (error) {
    const unsure =
      error instanceof Failure &&
      error.code === 'TIMEOUT' &&
      error.retryable &&
      tool !== undefined &&
      (tool.kind === 'act' || tool.atOnceWhen !== undefined);
    answer = answerFor(runtime, unsure ? outcomeUnknown(error) : error, request.requestId);
  }
  try {
    if (!inStore) await runtime.audit.append(recordOf(runtime, request, tool, answer, started));
  } catch (error) {
    answer = answerFor(
      runtime,
      error instanceof Failure ? error : failure('SERVICE_UNAVAILABLE', 'The call could not be recorded, so it is not answered.'),
      request.requestId,
    );
  }
  runtime.observe?.(doneOf(request, tool, answer, started));
  return answer;
}

function doneOf(
  { server, surface, requestId }: Pick<CallRequest, 'server' | 'surface' | 'requestId'>,
  tool: Tool | undefined,
  answer: Answer,
  started: number,
): Done {
  const [decision, code] = decisionOf(answer);
  return { server, tool, surface, requestId, decision, code, rows: rowsOf(tool, answer), ms: performance.now() - started };
}

async function attempt(runtime: Runtime, tool: Tool, request: CallRequest, started: number): Promise<Answer> {
  const { person } = request.caller;
  const who = sessionFor(tool, person, request.requestId);
  const input = parseInput(tool, request.input, person);
  const now = runtime.clock.now();
  if (tool.kind === 'plain') return { status: 'success', data: tool.output.parse(await tool.run(input, context(who, now, {}))) };
  const store = storeOf(runtime, tool);
  if (tool.domain.onFirstUse !== undefined)
    await applyFirstUse(tool.domain, who, store, now, (name) => ({
      ...recordOf(runtime, { ...request, input: {} }, tool, { status: 'success', data: null }, started),
      tool: name,
    }));
  switch (tool.kind) {
    case 'read':
      return {
        status: 'success',
        data: tool.output.parse(await store.read(who, (handles) => tool.run(input, context(who, now, handles)))),
      };
    case 'list':
      return list(runtime, tool, who, store, input, now);
    case 'pages':
      return part(runtime, tool, who, store, input, now);
    case 'act':
      if (request.approvalBecause !== undefined) return ask(runtime, tool, who, store, input, now, request, started);
      return (await store.executeOnce(who, { id: undefined, tool: tool.name }, async ({ writing }) => {
        const data = tool.output.parse(await tool.execute(input, context(who, now, writing), undefined));
        const result: SuccessAnswer = { status: 'success', data };
        return { result, audit: recordOf(runtime, request, tool, result, started) };
      })) as Answer;
    case 'write':
      return ask(runtime, tool, who, store, input, now, request, started);
  }
}

async function list(runtime: Runtime, tool: Tool, who: StoreSession, store: Store<StoreKind>, input: Input, now: Date): Promise<Answer> {
  const asked = splitInput(input);
  const binding = { server: tool.domain.name, tool: tool.name, filters: asked.filters, person: who.person };
  const after = asked.cursor === undefined ? undefined : runtime.cursors.open(asked.cursor, binding);
  const describing = context(who, now, {});
  const { order, query, stored, fetchAll, show } = tool.page(input, describing);
  const window = { order, after, take: asked.limit + 1 };
  const found =
    query === undefined
      ? windowed(await store.read(who, (handles) => fetchAll(context(who, now, handles))), window)
      : await store.page(who, query as Queries[StoreKind], window, stored);
  const rows = found.map(show);
  const summary = tool.totals && (await store.read(who, (handles) => tool.computeTotals(input, context(who, now, handles))));
  const filterNames = Object.keys(tool.input.shape).filter((key) => key !== 'limit' && key !== 'cursor' && key !== 'sort');
  const next = (last: Readonly<Record<string, unknown>>) =>
    runtime.cursors.seal(
      order.keys.map((key) => last[key] as KeyPart),
      binding,
    );
  return { status: 'success', ...pageOf(rows, asked, filterNames, tool.plural ?? 'rows', next, summary, tool.hoisted) };
}

/** A resource's page: the first one says after which transaction it was read, and the cursor keeps to that. */
async function part(runtime: Runtime, tool: Tool, who: StoreSession, store: Store<StoreKind>, input: Input, now: Date): Promise<Answer> {
  const asked = splitInput(input);
  const binding = { server: tool.domain.name, tool: tool.name, filters: asked.filters, person: who.person };
  const [asOf, after] = (asked.cursor === undefined ? [] : runtime.cursors.open(asked.cursor, binding)) as readonly number[];
  const found = await store.read(who, (handles) => tool.part({ asOf, after, limit: asked.limit }, context(who, now, handles)));
  const next = found.next === null ? null : runtime.cursors.seal([found.asOf, found.next], binding);
  return {
    status: 'success',
    data: tool.output.parse({ resource_uri: tool.name, as_of_tx_id: found.asOf, items: found.items, next_cursor: next }),
  };
}

async function ask(
  runtime: Runtime,
  tool: Tool,
  who: StoreSession,
  store: Store<StoreKind>,
  input: Input,
  now: Date,
  request: CallRequest,
  started: number,
): Promise<Answer> {
  const { person } = who;
  const { plan, versions } = await store.read(who, async (handles, read) => ({
    plan: await tool.prepare(input, context(who, now, handles)),
    versions: read,
  }));
  const because = tool.kind === 'act' || isOwn(tool, plan) ? request.approvalBecause : undefined;
  if (isOwn(tool, plan) && because === undefined) return atOnce(runtime, tool, who, store, input, now, request, started);
  const ticket = await runtime.tickets.ask({
    server: tool.domain.name,
    tool: tool.name,
    input,
    person,
    versions,
    askedAt: now,
    message: messageOf(tool, plan, because),
    card: (id, expiresAt) => {
      const moment = { timestamp: now.getTime(), expiresAt, approvalUrl: runtime.approvalUrl(id), origin: request.caller.origin, because };
      return cardOf(tool, plan, input, person, moment);
    },
  });
  return { status: 'pending_confirmation', confirmationId: ticket.id, message: ticket.message, confirmationData: ticket.card };
}

const isOwn = (tool: Tool, plan: Plan) => tool.atOnceWhen !== undefined && plan.own === true;

/** What concerns nobody but the caller happens in the call. Whether it does is looked at again, where nothing can change any more. */
async function atOnce(
  runtime: Runtime,
  tool: Tool,
  who: StoreSession,
  store: Store<StoreKind>,
  input: Input,
  now: Date,
  request: CallRequest,
  started: number,
): Promise<Answer> {
  const { person } = who;
  return (await store.executeOnce(who, { id: undefined, tool: tool.name }, async ({ reading, writing }) => {
    const plan = await tool.prepare(input, context(who, now, reading));
    if (!isOwn(tool, plan))
      throw failure('CHANGED_SINCE_APPROVAL', 'Nothing was written: meanwhile it concerns others too, and needs an approval.');
    const data = tool.output.parse(await tool.execute(input, context(who, now, writing), plan));
    const result: SuccessAnswer = { status: 'success', data };
    const { changes } = cardOf(tool, plan, input, person, {
      timestamp: now.getTime(),
      expiresAt: '',
      approvalUrl: '',
      origin: request.caller.origin,
    });
    return {
      result,
      audit: { ...recordOf(runtime, request, tool, result, started), changes: auditedChanges(runtime.registry, tool, changes) },
    };
  })) as Answer;
}

/** Carries out a claimed ticket, once: every rule is checked again, and what was shown must still be so. */
export async function execute(runtime: Runtime, ticket: Ticket, person: Person, origin: string, requestId: string): Promise<Answer> {
  const started = performance.now();
  const told = (answer: Answer, decision?: Decision) => {
    const done = doneOf(
      { server: ticket.server, surface: 'internal', requestId },
      runtime.registry.find(ticket.server, ticket.tool),
      answer,
      started,
    );
    runtime.observe?.(decision ? { ...done, decision } : done);
  };
  try {
    const answer = await carryOut(runtime, ticket, person, origin, requestId, started);
    told(answer, 'approved');
    return answer;
  } catch (error) {
    told((error instanceof Failure ? error : failure('INTERNAL_ERROR', '')).answer());
    throw error;
  }
}

async function carryOut(
  runtime: Runtime,
  ticket: Ticket,
  person: Person,
  origin: string,
  requestId: string,
  started: number,
): Promise<Answer> {
  const tool = runtime.registry.find(ticket.server, ticket.tool);
  if (!tool) throw failure('TOOL_NOT_FOUND', `There is no tool ${ticket.tool}.`);
  if (!opens(tool, person.roles)) {
    // What was done stays done, also where it took away the very role that it needed.
    const done = await findResult(runtime, ticket, person);
    if (done) return done;
  }
  const who = sessionFor(tool, person, requestId);
  const input = tool.input.parse(ticket.input);
  const asked = new Date(ticket.askedAt);
  const body = async (handles: { reading: object; writing: object }, versions: Versions) => {
    const plan = await tool.prepare(input, context(who, asked, handles.reading)).catch(changedSince);
    const shown = comparableCard(cardOf(tool, plan, input, person, ticket.card));
    if (!isDeepStrictEqual(shown, comparableCard(ticket.card)) || !isDeepStrictEqual(versions, ticket.versions)) {
      throw failure('CHANGED_SINCE_APPROVAL', 'Nothing was written: it is no longer as it was shown.', { current: shown.changes });
    }
    const data = tool.output.parse(await tool.execute(input, context(who, asked, handles.writing), plan));
    const result: SuccessAnswer = { status: 'success', data };
    const request = {
      server: ticket.server,
      tool: tool.name,
      input: ticket.input,
      surface: 'internal' as const,
      requestId,
      origin,
      person,
    };
    const audit = {
      ...auditRecord(runtime, request, tool, 'approved', null, 1, started),
      confirmationId: ticket.id,
      changes: auditedChanges(runtime.registry, tool, ticket.card.changes),
    };
    return { result, audit };
  };
  runtime.failpoint('after-claim');
  const result = (await storeOf(runtime, tool).executeOnce(who, { id: ticket.id, tool: tool.name }, body)) as Answer;
  runtime.failpoint('after-commit');
  return result;
}

/** A rule that no longer holds means that things have changed; one about the person is told as it is. */
function changedSince(error: unknown): never {
  if (!(error instanceof Failure) || error.retryable || error.status === 403) throw error;
  throw failure('CHANGED_SINCE_APPROVAL', `Nothing was written: ${error.message}`, { because: error.code });
}

/** The kept result of a ticket's effect, if it happened: the domain's store is the truth. */
export async function findResult(runtime: Runtime, ticket: Ticket, person: Person): Promise<Answer | undefined> {
  const tool = runtime.registry.find(ticket.server, ticket.tool);
  return tool && ((await storeOf(runtime, tool).findResult(formerSession(tool, person), ticket.id)) as Answer | undefined);
}

const storeOf = (runtime: Runtime, tool: Tool): Store<StoreKind> => {
  const store = runtime.stores[tool.domain.name];
  if (!store) throw failure('SERVICE_UNAVAILABLE', `${tool.domain.title} does not answer.`);
  return store;
};

export const context = ({ person, audience }: StoreSession, now: Date, handles: CallContext['handles']): CallContext => ({
  me: meFor(person),
  audience,
  now,
  today: now.toISOString().slice(0, 10),
  handles,
  fail: (code) => {
    throw new Error(`undeclared failure ${code}`);
  },
});

const messageOf = (tool: Tool, plan: Plan, because: string | undefined) =>
  [
    `${plan.summary}?`,
    ...(tool.effect === 'removes' ? [plan.afterwards ?? 'The record stays for the audit; no tool can bring it back.'] : []),
    ...(because === undefined ? [] : [because]),
    'Nothing has changed yet.',
  ].join(' ');

type CardMoment = Pick<ConfirmationData, 'timestamp' | 'expiresAt' | 'approvalUrl' | 'origin' | 'because'>;

/** Through JSON, so that a fresh card and a stored one can be compared. */
function cardOf(tool: Tool, plan: Plan, input: Input, person: Person, moment: CardMoment): ConfirmationData {
  const { timestamp, expiresAt, approvalUrl, origin, because } = moment;
  const changes = plan.changes.map(
    ({ field, from, to, label, format }): CardChange => ({ field, label: label ?? inWords(field), from, to, format: format ?? 'text' }),
  );
  const reason = plan.reason ?? (typeof input['reason'] === 'string' ? input['reason'] : null);
  const card: ConfirmationData = {
    action: tool.name,
    mcpServer: tool.domain.name,
    userId: person.employeeId ?? person.sub,
    timestamp,
    expiresAt,
    approvalUrl,
    summary: plan.summary,
    subject: plan.subject,
    changes,
    reason,
    destructive: tool.effect === 'removes',
    origin,
    because,
  };
  return JSON.parse(JSON.stringify(card)) as ConfirmationData;
}

const sensitiveFields = new WeakMap<Tool, ReadonlySet<string>>();
function sensitiveIn(tool: Tool | undefined): ReadonlySet<string> {
  if (!tool) return new Set();
  let fields = sensitiveFields.get(tool);
  if (!fields) {
    fields = new Set(
      Object.entries(tool.input.shape)
        .filter(([, schema]) => isSensitive(schema as never))
        .map(([key]) => key),
    );
    sensitiveFields.set(tool, fields);
  }
  return fields;
}

/** Values under a mask stay out of the trail, and so does what must not stand in an input; that they changed does not. */
function auditedChanges(registry: Registry, tool: Tool, changes: readonly CardChange[]): Details[] {
  const hidden = maskedNames(registry, tool.domain.name);
  const kept = (field: string, value: unknown): unknown => {
    const clean = JSON.parse(redact({ [field]: value }, sensitiveIn(tool))) as Details;
    // What is too long even so is told by its beginning.
    return Object.hasOwn(clean, field) ? clean[field] : clean;
  };
  return changes.map(({ field, from, to }) => (hidden.has(field) ? { field } : { field, from: kept(field, from), to: kept(field, to) }));
}

const maskedByDomain = new WeakMap<Registry, Map<string, ReadonlySet<string>>>();
/** Names of fields that any tool of the domain shows under a mask. */
function maskedNames(registry: Registry, domain: string): ReadonlySet<string> {
  const known = maskedByDomain.get(registry) ?? new Map<string, ReadonlySet<string>>();
  maskedByDomain.set(registry, known);
  let names = known.get(domain);
  if (!names) {
    names = new Set(registry.tools.filter((tool) => tool.domain.name === domain).flatMap((tool) => maskedFieldNames(tool.output)));
    known.set(domain, names);
  }
  return names;
}

function recordOf(runtime: Runtime, request: CallRequest, tool: Tool | undefined, answer: Answer, started: number): AuditRecord {
  const [decision, code] = decisionOf(answer);
  const {
    server,
    tool: name,
    surface,
    requestId,
    caller: { origin, person },
  } = request;
  // Nothing was done with it, and redacting it would cost more than the refusal.
  const input = code === 'RATE_LIMITED' ? {} : request.input;
  const record = auditRecord(
    runtime,
    { server, tool: name, input, surface, requestId, origin, person },
    tool,
    decision,
    code,
    rowsOf(tool, answer),
    started,
  );
  return answer.status === 'pending_confirmation' ? { ...record, confirmationId: answer.confirmationId } : record;
}

function rowsOf(tool: Tool | undefined, answer: Answer): number {
  if (answer.status !== 'success') return 0;
  const shown = tool?.kind === 'pages' ? (answer.data as { items: unknown }).items : answer.data;
  return Array.isArray(shown) ? shown.length : 1;
}

function decisionOf(answer: Answer): [Decision, string | null] {
  if (answer.status === 'success') return ['allowed', null];
  if (answer.status === 'pending_confirmation') return ['pending', null];
  return [answer.retryable ? 'failed' : 'refused', answer.code];
}

interface Recorded {
  readonly server: string;
  readonly tool: string;
  readonly input: unknown;
  readonly surface: Surface;
  readonly requestId: string;
  readonly origin: string;
  readonly person: Person;
}
export const auditRecord = (
  runtime: Pick<Runtime, 'clock'>,
  request: Recorded,
  tool: Tool | undefined,
  decision: Decision,
  code: string | null,
  rows: number,
  started: number,
): AuditRecord => ({
  at: runtime.clock.now().toISOString(),
  principal: request.person.principal,
  username: request.person.username,
  surface: request.surface,
  origin: request.origin,
  server: tool?.domain.name ?? request.server.slice(0, 64),
  tool: tool?.name ?? request.tool.slice(0, 64),
  decision,
  code,
  ms: Math.round((performance.now() - started) * 100) / 100,
  rows,
  requestId: request.requestId,
  input: redact(request.input, sensitiveIn(tool)),
});

/** Only our own words leave; anything unforeseen is logged under its request id. */
export function answerFor(runtime: Pick<Runtime, 'log'>, error: unknown, requestId: string): Answer {
  if (error instanceof Failure) return error.answer();
  const { name, code, stack } = error as Error & { code?: string };
  // Not the message: a driver's words can carry row values.
  runtime.log.error(
    {
      requestId,
      error: name,
      code,
      at: stack
        ?.split('\n')
        .filter((each) => each.startsWith('    at '))
        .slice(0, 6),
    },
    'unexpected failure',
  );
  return failure('INTERNAL_ERROR', `Something went wrong on our side. Request ${requestId}.`, { requestId }).answer();
}

function withDeadline<T>(ms: number, request: Pick<CallRequest, 'signal'>, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const over = startDeadline(ms, request, (why) =>
      reject(failure('TIMEOUT', why === 'late' ? `No answer within ${ms / 1000} seconds.` : 'The caller stopped waiting.')),
    );
    work.then(
      (result) => {
        over();
        resolve(result);
      },
      (error: Error) => {
        over();
        reject(error);
      },
    );
  });
}
