/** Counts and records calls that were refused before their input was read: malformed, too large, too slow or of another media type. */
import { requestKeyOf } from '../limits/call-limiter.ts';
import { Failure } from '../../declare/errors.ts';
import { completedCall, type RefusedCall, recorder } from './recorder.ts';
import type { Runtime } from '../runtime.ts';

type RecordingRuntime = Pick<Runtime, 'registry' | 'callLimiter' | 'audit' | 'clock' | 'observe'>;
export type RecordRefused = (request: RefusedCall, refused: Failure) => Promise<Failure>;

/** Returns the failure to answer: `refused`, or RATE_LIMITED. */
export async function recordRefused(runtime: RecordingRuntime, request: RefusedCall, refused: Failure): Promise<Failure> {
  const { person } = request.caller;
  const call = { runtime, request, tool: runtime.registry.find(request.server, request.tool), started: performance.now() };
  let answer = refused;
  try {
    await runtime.callLimiter.count(request.confirmationId === undefined ? person.principal : requestKeyOf(person));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    answer = error;
  }
  await runtime.audit.append(recorder.unread(call, answer.code));
  runtime.observe?.({ ...completedCall(call, answer.answer()), decision: 'refused' });
  return answer;
}
