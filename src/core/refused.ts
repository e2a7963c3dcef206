/** Audit records of calls that were refused before their input was read: malformed, too large, too slow or of another media type. */
import { byHand } from './limits/call-limiter.ts';
import { Failure } from './errors.ts';
import { auditRecord } from './call-record.ts';
import type { CallRequest, Runtime } from './runtime.ts';

/** What is kept of a body that could not be read. */
export interface UnreadBody {
  readonly bytes: number;
  readonly sha256?: string;
}

export interface RefusedCall extends Omit<CallRequest, 'input' | 'signal' | 'approvalBecause'> {
  readonly body: UnreadBody;
  /** Where it was a decision. */
  readonly confirmationId?: string;
}
type RecordingRuntime = Pick<Runtime, 'registry' | 'callLimiter' | 'audit' | 'clock' | 'observe'>;
export type RecordRefused = (request: RefusedCall, refused: Failure) => Promise<Failure>;

/** Records a call that was refused before its input was read, and counts it against the rate limit. Returns what has to be answered. */
export async function recordRefused(runtime: RecordingRuntime, request: RefusedCall, refused: Failure): Promise<Failure> {
  const started = performance.now();
  const {
    server,
    tool: name,
    surface,
    requestId,
    confirmationId,
    body,
    caller: { origin, person },
  } = request;
  const tool = runtime.registry.find(server, name);
  let answer = refused;
  try {
    await runtime.callLimiter.count(confirmationId === undefined ? person.principal : byHand(person));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    answer = error;
  }
  const record = auditRecord(runtime, tool, {
    server,
    tool: name,
    input: {},
    surface,
    requestId,
    origin,
    person,
    decision: 'refused',
    code: answer.code,
    rows: 0,
    started,
  });
  // The size and the digest are ours: nothing in them has to be hidden.
  await runtime.audit.append({
    ...record,
    input: JSON.stringify(body),
    ...(confirmationId !== undefined && { confirmationId: confirmationId.slice(0, 64) }),
  });
  runtime.observe?.({ server, tool, surface, requestId, decision: 'refused', code: answer.code, rows: 0, ms: performance.now() - started });
  return answer;
}
