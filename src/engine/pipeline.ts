/**
 * The pipeline of a call: admit → authorize → parse → openStore → applyFirstUse → perform → record → observe. Each stage adds properties to
 * one `Call` object, and the types require this order.
 */
import { accessRuleFor, createCallContext, sessionFor, storeOf, withNeeds } from './access.ts';
import { analyze } from './analyze/analyze.ts';
import { act, write } from './approvals/writes.ts';
import { completedCall, recorder } from './audit/recorder.ts';
import { explainNotLinked } from './contracts.ts';
import { startDeadline } from './deadline.ts';
import { applyFirstUse } from './first-use.ts';
import { readHistory } from './history/read.ts';
import { listRows, readResourcePage } from './lists/lists.ts';
import { parseInput, quoted } from './parse-input.ts';
import type { AuthorizedCall, Call, CallRequest, KnownCall, ParsedCall, ReadyCall, Runtime } from './runtime.ts';
import type { Answer } from '../declare/answer.ts';
import { Failure, failure, outcomeUnknown } from '../declare/errors.ts';
import { PROMPTS } from '../declare/resources.ts';
import { canWrite, canWriteAtOnce, type PlainTool, type ReadTool, type Tool } from '../declare/tool.ts';

export async function call(runtime: Runtime, request: CallRequest): Promise<Answer> {
  const received: Call = { runtime, request, started: performance.now(), tool: runtime.registry.find(request.server, request.tool) };
  const answer = await record(received, await answerTo(received));
  runtime.observe?.(completedCall(received, answer));
  return answer;
}

async function answerTo(received: Call): Promise<Answer> {
  try {
    const { known, leave } = await admit(received);
    const work = run(known);
    // A call that missed its deadline still uses the database, so it keeps its slot until it ends.
    void work.then(leave, leave);
    return await withDeadline(received, work);
  } catch (error) {
    return explain(received, isOutcomeUnknown(received, error) ? outcomeUnknown(error) : error);
  }
}

/** The stages that the deadline covers. */
async function run(known: KnownCall): Promise<Answer> {
  const parsed = parse(authorize(known));
  if (isPlain(parsed)) return performPlain(parsed);
  const ready = openStore(parsed);
  if (ready.tool.domain.onFirstUse !== undefined) await applyFirstUse(ready);
  return perform(ready);
}

/** Counts the call against the caller's limits. `leave` frees its slot. */
async function admit(call: Call): Promise<{ readonly known: KnownCall; readonly leave: () => void }> {
  const { callLimiter } = call.runtime;
  const { principal } = call.request.caller.person;
  if (!isKnown(call)) {
    await callLimiter.count(principal);
    throw noSuchTool(call);
  }
  const entering = callLimiter.enter(principal);
  return { known: call, leave: typeof entering === 'function' ? entering : await entering };
}

function authorize(call: KnownCall): AuthorizedCall {
  const { runtime, request, tool } = call;
  const { person, proof } = request.caller;
  const session = sessionFor(accessRuleFor(tool, request.input, person.roles), person, request.requestId);
  return Object.assign(call, { session: withNeeds(runtime, tool, { session, proof }) });
}

const parse = (call: AuthorizedCall): ParsedCall =>
  Object.assign(call, {
    input: parseInput(call.tool, call.request.input, call.session.person),
    now: call.runtime.clock.now(),
  });

const openStore = (call: ParsedCall): ReadyCall => Object.assign(call, { store: storeOf(call.runtime, call.tool) });

type ToolOf<K extends Tool['kind']> = Extract<Tool, { readonly kind: K }>;
const performers: { readonly [K in Exclude<Tool['kind'], 'plain'>]: (call: ReadyCall<ToolOf<K>>) => Promise<Answer> } = {
  read: performRead,
  list: listRows,
  analyze,
  history: readHistory,
  pages: readResourcePage,
  act,
  write,
};
const perform = (call: ReadyCall): Promise<Answer> =>
  (performers[call.tool.kind as keyof typeof performers] as (call: ReadyCall) => Promise<Answer>)(call);

async function performRead({ tool, session, store, input, now }: ReadyCall<ReadTool>): Promise<Answer> {
  const result = await store.read(session, (handles) => tool.run(input, createCallContext(session, now, handles)));
  return { status: 'success', data: tool.parseOutput(result) };
}

async function performPlain({ tool, session, input, now }: ParsedCall<PlainTool>): Promise<Answer> {
  return { status: 'success', data: tool.parseOutput(await tool.run(input, createCallContext(session, now, {}))) };
}

/** Appends the audit record. A call that cannot be recorded is not answered. */
async function record(call: Call, answer: Answer): Promise<Answer> {
  // The store commits the audit record of a successful write together with the write.
  const recordedByStore = isKnown(call) && canWrite(call.tool) && answer.status === 'success';
  if (recordedByStore) return answer;
  try {
    await call.runtime.audit.append(recorder.answered(call, answer));
    return answer;
  } catch (error) {
    return explain(
      call,
      error instanceof Failure ? error : failure('SERVICE_UNAVAILABLE', 'The call could not be recorded, so it is not answered.'),
    );
  }
}

const isKnown = (call: Call): call is KnownCall => call.tool !== undefined;
const isPlain = (call: ParsedCall): call is ParsedCall<PlainTool> => call.tool.kind === 'plain';

function noSuchTool({ runtime, request: { server, tool } }: Call): Failure {
  if (tool.includes('://')) return failure('RESOURCE_NOT_FOUND', `There is no resource ${quoted(tool.replace(/^:\/\/|#[a-z]+$/g, ''))}.`);
  if (tool.startsWith(PROMPTS)) return failure('PROMPT_NOT_FOUND', `There is no prompt ${quoted(tool.slice(PROMPTS.length))}.`);
  const servers = runtime.registry.domains.map(({ name }) => name);
  if (!servers.includes(server)) return failure('TOOL_NOT_FOUND', `There is no server ${quoted(server)}; there are ${servers.join(', ')}.`);
  return failure('TOOL_NOT_FOUND', `There is no tool ${quoted(tool)} on ${quoted(server)}.`);
}

/** Returns the answer of a `Failure`. Logs any other error with the request id and answers INTERNAL_ERROR. */
function explain({ runtime, request: { requestId } }: Call, thrown: unknown): Answer {
  const error = explainNotLinked(thrown, runtime.registry);
  if (error instanceof Failure) return error.answer();
  const { name, code, stack } = error as Error & { code?: string };
  const at = stack
    ?.split('\n')
    .filter((line) => line.startsWith('    at '))
    .slice(0, 6);
  // Does not log the message, because the message of a driver can contain values of rows.
  runtime.log.error({ requestId, error: name, code, at }, 'unexpected failure');
  return failure('INTERNAL_ERROR', `Something went wrong on our side. Request ${requestId}.`, { requestId }).answer();
}

/** After a timeout, a tool that writes without an approval may have written. */
const isOutcomeUnknown = (call: Call, error: unknown): error is Failure =>
  error instanceof Failure && error.code === 'TIMEOUT' && error.retryable && isKnown(call) && canWriteAtOnce(call.tool);

function withDeadline<T>({ runtime: { deadlineMs: ms }, request }: Call, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const clearDeadline = startDeadline(ms, request, (why) =>
      reject(failure('TIMEOUT', why === 'late' ? `No answer within ${ms / 1000} seconds.` : 'The caller stopped waiting.')),
    );
    work.then(
      (result) => {
        clearDeadline();
        resolve(result);
      },
      (error: Error) => {
        clearDeadline();
        reject(error);
      },
    );
  });
}
