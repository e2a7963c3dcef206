import { failure } from '../core/errors.ts';

/** What an approval came to is told to whoever approved it, and to nobody else who knows its id. */
export function ownResult({ principal, result }: { readonly principal: string; readonly result: string }, who: string): unknown {
  if (principal !== who) throw failure('CONFIRMATION_NOT_FOUND', 'There is no such confirmation.');
  return JSON.parse(result) as unknown;
}
