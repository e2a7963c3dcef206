/** Executes writes: requests an approval, writes at once where none is needed, and executes an approved ticket exactly once. */
import { isDeepStrictEqual } from 'node:util';
import { createCallContext, formerSession, opens, sessionFor, storeOf, withNeeds } from '../access.ts';
import type { Answer, CardChange, ConfirmationData, SuccessAnswer } from '../../declare/answer.ts';
import { completedCall, type RecordedEffect, recorder } from '../audit/recorder.ts';
import { explainNotLinked } from '../contracts.ts';
import { doneSentence } from './done.ts';
import { recordOf, recordTypesIn } from '../history/records.ts';
import { Failure, failure } from '../../declare/errors.ts';
import { labelFor } from '../../declare/fields.ts';
import type { Person } from '../../declare/people.ts';
import type { Approver } from '../caller.ts';
import type { Decision } from '../ports.ts';
import type { NeedingSession, ReadyCall, Runtime } from '../runtime.ts';
import type { Store, Versions } from '../store.ts';
import type { StoreKind } from '../../declare/store-kinds.ts';
import { comparableCard, type Ticket } from './tickets.ts';
import { type ActTool, canWrite, type EffectTool, type Input, type Plan, type WriteTool } from '../../declare/tool.ts';

/** Runs an `act` tool at once. If the request sets `approvalBecause`, creates a ticket instead. */
export async function act(call: ReadyCall<ActTool>): Promise<Answer> {
  const { tool, session, store, input, now, request } = call;
  if (request.approvalBecause !== undefined) return write(call);
  session.needs?.beginTransaction();
  return (await store.executeOnce(session, { id: undefined, tool: tool.name }, async ({ writing }) => {
    const context = createCallContext(session, now, writing);
    const plan = await tool.prepare(input, context);
    const data = tool.parseOutput(await tool.execute(input, context));
    const answer: SuccessAnswer = { status: 'success', data, message: doneSentence(tool, plan, { data, input }) };
    const changes = cardChanges(tool, plan.changes);
    return {
      result: answer,
      audit: recorder.wroteAtOnce(call, answer, effectOf(call, { plan, data, changes, reason: reasonOf(plan, input) })),
    };
  })) as Answer;
}

/** Creates a ticket that waits for an approval. Writes at once if `isOwn` is true and the request does not set `approvalBecause`. */
export async function write(call: ReadyCall<EffectTool>): Promise<Answer> {
  const { runtime, tool, session, store, input, now, request } = call;
  const { person } = session;
  const { plan, versions } = await store.read(session, async (handles, read) => ({
    plan: await tool.prepare(input, createCallContext(session, now, handles)),
    versions: read,
  }));
  const needsNoApproval = tool.kind === 'act' || isOwn(tool, plan);
  const because = needsNoApproval ? request.approvalBecause : undefined;
  if (isWrite(call) && needsNoApproval && because === undefined) return writeAtOnce(call);
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
      return cardOf(tool, plan, { input, person, moment });
    },
  });
  return { status: 'pending_confirmation', confirmationId: ticket.id, message: ticket.message, confirmationData: ticket.card };
}

const isWrite = (call: ReadyCall<EffectTool>): call is ReadyCall<WriteTool> => call.tool.kind === 'write';
const isOwn = (tool: WriteTool, plan: Plan) => tool.atOnceWhen !== undefined && plan.own === true;

/** Prepares the plan again in the transaction, because changed rows can mean that the write now needs an approval. */
async function writeAtOnce(call: ReadyCall<WriteTool>): Promise<Answer> {
  const { tool, session, store, input, now, request } = call;
  const { person } = session;
  session.needs?.beginTransaction();
  return (await store.executeOnce(session, { id: undefined, tool: tool.name }, async ({ reading, writing }) => {
    const plan = await tool.prepare(input, createCallContext(session, now, reading));
    if (!isOwn(tool, plan))
      throw failure('CHANGED_SINCE_APPROVAL', 'Nothing was written: the data has changed, so this change now needs an approval.');
    const data = tool.parseOutput(await tool.execute(input, createCallContext(session, now, writing), plan));
    const answer: SuccessAnswer = { status: 'success', data, message: doneSentence(tool, plan, { data, input }) };
    const moment = { timestamp: now.getTime(), expiresAt: '', approvalUrl: '', origin: request.caller.origin };
    const { changes, reason } = cardOf(tool, plan, { input, person, moment });
    return { result: answer, audit: recorder.wroteAtOnce(call, answer, effectOf(call, { plan, data, changes, reason })) };
  })) as Answer;
}

/** Executes a claimed ticket once. Checks every rule again. The card and the row versions must be the same as at the request. */
export async function execute(runtime: Runtime, ticket: Ticket, approver: Approver): Promise<Answer> {
  const started = performance.now();
  const tool = runtime.registry.find(ticket.server, ticket.tool);
  const observe = (answer: Answer, decision?: Decision) => {
    const request = { server: ticket.server, surface: 'internal' as const, requestId: approver.requestId };
    const completed = completedCall({ request, tool, started }, answer);
    runtime.observe?.(decision ? { ...completed, decision } : completed);
  };
  try {
    if (!tool || !canWrite(tool)) throw failure('TOOL_NOT_FOUND', `There is no tool ${ticket.tool}.`);
    const answer = await executeTicket({ runtime, tool, started }, ticket, approver);
    observe(answer, 'approved');
    return answer;
  } catch (thrown) {
    const error = explainNotLinked(thrown, runtime.registry);
    observe((error instanceof Failure ? error : failure('INTERNAL_ERROR', '')).answer());
    throw error;
  }
}

interface Effected {
  readonly plan: Plan;
  readonly data: unknown;
  readonly changes: readonly CardChange[];
  readonly reason: string | null;
}
/** What the audit record of a write says about the records that it changed. */
function effectOf(
  { runtime: { registry }, tool, input }: { readonly runtime: Runtime; readonly tool: EffectTool; readonly input: Input },
  { plan, data, changes, reason }: Effected,
): RecordedEffect {
  const touched = (plan.touches ?? []).map(({ type, id, changes: own = [] }) => ({
    record: `${type}/${id}`,
    changes: cardChanges(tool, own),
  }));
  const record = recordOf(tool, recordTypesIn(registry.tools, tool.domain), { input, data });
  return { record, changes, touched, reason, confidential: plan.confidential };
}

interface Execution {
  readonly runtime: Runtime;
  readonly tool: EffectTool;
  readonly started: number;
}
async function executeTicket(execution: Execution, ticket: Ticket, approver: Approver): Promise<Answer> {
  const { runtime, tool } = execution;
  const { person, proof, requestId } = approver;
  if (!opens(tool, person.roles)) {
    // The ticket may be executed already, and that change may have removed the needed role.
    const result = await findResult(runtime, ticket, person);
    if (result) return result;
  }
  const session = withNeeds(runtime, tool, { session: sessionFor(tool, person, requestId), proof });
  const input = tool.input.parse(ticket.input);
  const askedAt = new Date(ticket.askedAt);
  await askBefore(session, (handles) => tool.prepare(input, createCallContext(session, askedAt, handles)), storeOf(runtime, tool));
  const body = async (handles: { reading: object; writing: object }, versions: Versions) => {
    const plan = await tool.prepare(input, createCallContext(session, askedAt, handles.reading)).catch(changedSince);
    const card = comparableCard(cardOf(tool, plan, { input, person, moment: ticket.card }));
    if (!isDeepStrictEqual(card, comparableCard(ticket.card)) || !isDeepStrictEqual(versions, ticket.versions)) {
      throw failure('CHANGED_SINCE_APPROVAL', 'Nothing was written: the data is no longer as shown.', { current: card.changes });
    }
    const data = tool.parseOutput(await tool.execute(input, createCallContext(session, askedAt, handles.writing), plan));
    const result: SuccessAnswer = { status: 'success', data, message: doneSentence(tool, plan, { data, input }) };
    const { changes, reason } = ticket.card;
    const effect = effectOf({ ...execution, input }, { plan, data, changes, reason });
    return { result, audit: recorder.executed(execution, ticket, { by: approver, effect }) };
  };
  runtime.failpoint('after-claim');
  const result = (await storeOf(runtime, tool).executeOnce(session, { id: ticket.id, tool: tool.name }, body)) as Answer;
  runtime.failpoint('after-commit');
  return result;
}

/**
 * Calls other domains before the transaction, which then reuses their answers. It ignores failures, because the transaction meets them
 * again.
 */
async function askBefore(session: NeedingSession, prepare: (handles: object) => Promise<unknown>, store: Store<StoreKind>): Promise<void> {
  if (session.needs === undefined) return;
  await store.read(session, (handles) => prepare(handles)).catch(() => {});
  session.needs.beginTransaction();
}

/** A rule that held at the request and fails now means that the data changed. A 403 or a retryable error stays unchanged. */
function changedSince(error: unknown): never {
  if (!(error instanceof Failure) || error.retryable || error.status === 403) throw error;
  throw failure('CHANGED_SINCE_APPROVAL', `Nothing was written: ${error.message}`, { because: error.code });
}

/** The stored result of an executed ticket; undefined if the ticket was not executed. */
export async function findResult(runtime: Runtime, ticket: Ticket, person: Person): Promise<Answer | undefined> {
  const tool = runtime.registry.find(ticket.server, ticket.tool);
  return tool && ((await storeOf(runtime, tool).findResult(formerSession(tool, person), ticket.id)) as Answer | undefined);
}

const NOT_RESTORABLE = 'The data stays in the database for audits, but no tool can restore the record.';

const afterwardsOf = (tool: EffectTool, plan: Plan) => (tool.effect === 'removes' ? (plan.afterwards ?? NOT_RESTORABLE) : undefined);

const messageOf = (tool: EffectTool, plan: Plan, because: string | undefined) =>
  [`${plan.summary}?`, afterwardsOf(tool, plan), because, 'Nothing has changed yet.'].filter((part) => part !== undefined).join(' ');

const reasonOf = (plan: Plan, input: Input): string | null => plan.reason ?? (typeof input['reason'] === 'string' ? input['reason'] : null);

const cardChanges = (tool: EffectTool, changes: Plan['changes']): CardChange[] =>
  changes.map(({ field, from, to, label, format = 'text' }) => ({
    field,
    label: label ?? labelFor(field),
    from,
    to,
    format,
    ...(format === 'money' && { currency: tool.company.currency }),
  }));

interface CardRequest {
  readonly input: Input;
  readonly person: Person;
  /** The fields of the card that do not come from the plan. */
  readonly moment: Pick<ConfirmationData, 'timestamp' | 'expiresAt' | 'approvalUrl' | 'origin' | 'because'>;
}

/** Converts the card to JSON and back, because it is compared with a stored card. */
function cardOf(tool: EffectTool, plan: Plan, { input, person, moment }: CardRequest): ConfirmationData {
  const { timestamp, expiresAt, approvalUrl, origin, because } = moment;
  const changes = cardChanges(tool, plan.changes);
  const reason = reasonOf(plan, input);
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
    afterwards: afterwardsOf(tool, plan),
  };
  return JSON.parse(JSON.stringify(card)) as ConfirmationData;
}
