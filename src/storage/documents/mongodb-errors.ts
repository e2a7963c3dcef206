/** Translates MongoDB driver errors to failures, or to `Conflict` if the transaction may run again. */
import { MongoError } from 'mongodb';
import { Failure, failure } from '../../declare/errors.ts';
import { Conflict } from './database.ts';

const GONE =
  /ServerSelection|Network|Topology|NotConnected|PoolCleared|PoolClosed|WaitQueue|ClientClosed|ExpiredSession|MongoSystem|BeforeHandshake/;
/** WriteConflict, NoSuchTransaction, LockTimeout, SnapshotUnavailable, SnapshotTooOld. */
const CONFLICTS: readonly unknown[] = [112, 251, 24, 246, 239];
/** AuthenticationFailed, Unauthorized, ShutdownInProgress, PrimarySteppedDown, NotWritablePrimary and similar codes. */
const REFUSED: readonly unknown[] = [18, 13, 91, 189, 10107, 13435, 11600, 11602];

const codeOf = (error: MongoError): unknown => ('code' in error ? error.code : undefined);

/** True if the driver does not know whether the transaction was committed. */
export const isUnknownEnd = (error: unknown): boolean =>
  error instanceof MongoError && error.hasErrorLabel('UnknownTransactionCommitResult');

export function toFailure(error: unknown): Error {
  if (error instanceof Failure || error instanceof Conflict) return error;
  if (!(error instanceof MongoError)) return error instanceof Error ? error : new Error('unknown');
  const code = codeOf(error);
  if (code === 50 || /Timeout/.test(error.name.replace('WaitQueueTimeout', ''))) return failure('TIMEOUT', 'The database took too long.');
  if (CONFLICTS.includes(code)) return new Conflict();
  if (GONE.test(error.name) || REFUSED.includes(code)) return failure('SERVICE_UNAVAILABLE', 'The database does not answer.');
  if (error.hasErrorLabel('TransientTransactionError')) return new Conflict();
  if (code === 11000) return failure('CHANGED_SINCE_APPROVAL', 'Nothing was written: another change came first.');
  return error;
}
