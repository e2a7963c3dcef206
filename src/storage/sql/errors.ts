/** Translates driver errors to failures. No driver text reaches a caller. */
import { Failure, failure } from '../../declare/errors.ts';
import { CommitLost } from './database.ts';

const codeOf = (error: unknown): string => (typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '');

/** True if the transaction must run again: a serialization failure or deadlock, or another process has extended the audit chain. */
export const isConflict = (error: unknown): boolean =>
  ['40001', '40P01'].includes(codeOf(error)) ||
  (codeOf(error) === '23505' && (error as { constraint?: string }).constraint === 'audit_pkey');

const GONE = /^(08|57P|53|ECONN|EPIPE|ENOTFOUND|EAI_|ETIMEDOUT|EHOSTUNREACH|ENOENT|28)/;
/** Violations of unique, foreign key, check and exclusion constraints. */
const CONSTRAINT = /^23(505|503|514|P01)$/;

export function toFailure(error: unknown): Error {
  if (error instanceof Failure) return error;
  if (error instanceof CommitLost) return toFailure(error.cause);
  const code = codeOf(error);
  if (code === '57014' || (error instanceof Error && error.message === 'Query read timeout'))
    return failure('TIMEOUT', 'The database took too long.');
  if (
    GONE.test(code) ||
    (error instanceof Error && /terminated|not queryable|timeout exceeded|timeout expired|Connection/i.test(error.message))
  ) {
    return failure('SERVICE_UNAVAILABLE', 'The database does not answer.');
  }
  if (CONSTRAINT.test(code)) return failure('CHANGED_SINCE_APPROVAL', 'Nothing was written: another change came first.');
  if (isConflict(error)) return failure('SERVICE_UNAVAILABLE', 'Too many changes to the same rows at once.');
  if (code === '42501') return failure('INSUFFICIENT_PERMISSIONS', 'The database does not let you do this.');
  return error instanceof Error ? error : new Error('unknown');
}
