/** Audit records of calls that were refused before their input was read: malformed, too large, too slow or of another media type. */
import { byHand } from '../limits/call-limiter.ts';
import { Failure } from '../../declare/errors.ts';
import { auditRecord } from './call-record.ts';
import type { CallRequest, Runtime } from '../runtime.ts';

/** The size and the digest of a refused body. The audit record contains nothing else of the body. */
export interface UnreadBody {
  readonly bytes: number;
  readonly sha256?: string;
}

export interface RefusedCall extends Omit<CallRequest, 'input' | 'signal' | 'approvalBecause'> {
  readonly body: UnreadBody;
  /** Set if the refused call was a decision on a ticket. */
  readonly confirmationId?: string;
}
type RecordingRuntime = Pick<Runtime, 'registry' | 'callLimiter' | 'audit' | 'clock' | 'observe'>;
export type RecordRefused = (request: RefusedCall, refused: Failure) => Promise<Failure>;

/** Records a call that was refused before its input was read, and counts it. Returns the failure to answer: `refused` or RATE_LIMITED. */
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
  // The size and the digest of the body need no redaction.
  await runtime.audit.append({
    ...record,
    input: JSON.stringify(body),
    ...(confirmationId !== undefined && { confirmationId: confirmationId.slice(0, 64) }),
  });
  runtime.observe?.({ server, tool, surface, requestId, decision: 'refused', code: answer.code, rows: 0, ms: performance.now() - started });
  return answer;
}
