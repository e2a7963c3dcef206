/** The pipeline that every call runs through: rate limit → role → parse input → run → check output → audit record. */
import { sessionFor } from './access.ts';
import type { Answer } from '../declare/answer.ts';
import { completedCall, recordOfCall } from './audit/call-record.ts';
import { explainNotLinked } from './contracts.ts';
import { startDeadline } from './deadline.ts';
import { Failure, failure, outcomeUnknown } from '../declare/errors.ts';
import { applyFirstUse } from './first-use.ts';
import { parseInput } from './input.ts';
import { listRows, readResourcePage } from './lists/lists.ts';
import { PROMPTS } from '../declare/resources.ts';
import { type AuthorisedCall, type CallRequest, createCallContext, type Runtime, storeOf, withNeeds } from './runtime.ts';
import { canWrite, canWriteAtOnce, type Tool } from '../declare/tool.ts';
import { act, write } from './approvals/writes.ts';

export async function call(runtime: Runtime, request: CallRequest): Promise<Answer> {
  const started = performance.now();
  const tool = runtime.registry.find(request.server, request.tool);
  let answer: Answer;
  let recordedByStore = false;
  try {
    if (!tool) {
      await runtime.callLimiter.count(request.caller.person.principal);
      throw noSuchTool(runtime, request);
    }
    const entering = runtime.callLimiter.enter(request.caller.person.principal);
    const leave = typeof entering === 'function' ? entering : await entering;
    const work = attempt(runtime, tool, { request, started });
    // A call that missed its deadline still uses the database, so it counts against the concurrency limit until it ends.
    void work.then(leave, leave);
    answer = await withDeadline(runtime.deadlineMs, request, work);
    // The store commits the audit record of a write together with the write, but not that of a pending approval.
    recordedByStore = canWrite(tool) && answer.status === 'success';
  } catch (error) {
    answer = answerFor(runtime, isOutcomeUnknown(tool, error) ? outcomeUnknown(error) : error, request.requestId);
  }
  try {
    if (!recordedByStore) await runtime.audit.append(recordOfCall(runtime, request, { tool, answer, started }));
  } catch (error) {
    answer = answerFor(
      runtime,
      error instanceof Failure ? error : failure('SERVICE_UNAVAILABLE', 'The call could not be recorded, so it is not answered.'),
      request.requestId,
    );
  }
  runtime.observe?.(completedCall(request, { tool, answer, started }));
  return answer;
}

async function attempt(
  runtime: Runtime,
  tool: Tool,
  { request, started }: { readonly request: CallRequest; readonly started: number },
): Promise<Answer> {
  const { person } = request.caller;
  const session = withNeeds(runtime, tool, {
    session: sessionFor(tool, person, request.requestId),
    proof: request.caller.proof,
  });
  const input = parseInput(tool, request.input, person);
  const now = runtime.clock.now();
  if (tool.kind === 'plain')
    return { status: 'success', data: tool.parseOutput(await tool.run(input, createCallContext(session, now, {}))) };
  const store = storeOf(runtime, tool);
  const authorised: AuthorisedCall = { runtime, tool, session, store, input, now, request, started };
  if (tool.domain.onFirstUse !== undefined)
    await applyFirstUse(authorised, (name) => ({
      ...recordOfCall(runtime, { ...request, input: {} }, { tool, answer: { status: 'success', data: null }, started }),
      tool: name,
    }));
  switch (tool.kind) {
    case 'read':
      return {
        status: 'success',
        data: tool.parseOutput(await store.read(session, (handles) => tool.run(input, createCallContext(session, now, handles)))),
      };
    case 'list':
      return listRows({ ...authorised, tool });
    case 'pages':
      return readResourcePage({ ...authorised, tool });
    case 'act':
      return act({ ...authorised, tool });
    case 'write':
      return write({ ...authorised, tool });
  }
}

/** After a timeout, it is unknown whether a tool that can write without an approval has written. */
const isOutcomeUnknown = (tool: Tool | undefined, error: unknown): error is Failure =>
  error instanceof Failure && error.code === 'TIMEOUT' && error.retryable && tool !== undefined && canWriteAtOnce(tool);

function noSuchTool({ registry: { domains } }: Runtime, { server, tool }: CallRequest): Failure {
  const quoted = (text: string) => JSON.stringify(text.slice(0, 60));
  if (tool.includes('://')) return failure('RESOURCE_NOT_FOUND', `There is no resource ${quoted(tool.replace(/^:\/\/|#[a-z]+$/g, ''))}.`);
  if (tool.startsWith(PROMPTS)) return failure('PROMPT_NOT_FOUND', `There is no prompt ${quoted(tool.slice(PROMPTS.length))}.`);
  const servers = domains.map(({ name }) => name);
  if (!servers.includes(server)) return failure('TOOL_NOT_FOUND', `There is no server ${quoted(server)}; there are ${servers.join(', ')}.`);
  return failure('TOOL_NOT_FOUND', `There is no tool ${quoted(tool)} on ${quoted(server)}.`);
}

/** Returns the answer of a `Failure`. Logs any other error with the request id and answers INTERNAL_ERROR. */
function answerFor(runtime: Pick<Runtime, 'log' | 'registry'>, thrown: unknown, requestId: string): Answer {
  const error = explainNotLinked(thrown, runtime.registry);
  if (error instanceof Failure) return error.answer();
  const { name, code, stack } = error as Error & { code?: string };
  const at = stack
    ?.split('\n')
    .filter((line) => line.startsWith('    at '))
    .slice(0, 6);
  // The message stays out of the log: a driver's message can contain values of rows.
  runtime.log.error({ requestId, error: name, code, at }, 'unexpected failure');
  return failure('INTERNAL_ERROR', `Something went wrong on our side. Request ${requestId}.`, { requestId }).answer();
}

function withDeadline<T>(ms: number, request: Pick<CallRequest, 'signal'>, work: Promise<T>): Promise<T> {
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
