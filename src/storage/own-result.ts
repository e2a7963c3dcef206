/** Returns a stored result to its owner only. */
import { failure } from '../declare/errors.ts';

export function ownResult({ principal, result }: { readonly principal: string; readonly result: string }, who: string): unknown {
  if (principal !== who) throw failure('CONFIRMATION_NOT_FOUND', 'There is no such confirmation.');
  return JSON.parse(result) as unknown;
}
