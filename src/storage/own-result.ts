/** Checks the owner of a stored result. */
import { failure } from '../declare/errors.ts';

/** Returns the result only to its owner. Knowing the id of an approval is not enough. */
export function ownResult({ principal, result }: { readonly principal: string; readonly result: string }, who: string): unknown {
  if (principal !== who) throw failure('CONFIRMATION_NOT_FOUND', 'There is no such confirmation.');
  return JSON.parse(result) as unknown;
}
