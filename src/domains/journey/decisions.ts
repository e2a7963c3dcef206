import { is } from '../../core/filter.ts';
import type { Filter } from '../../core/filter.ts';
import type { SearchReader, SearchWords } from '../../core/search.ts';
import { type z, type ZodObject } from 'zod';

export type Reader = SearchReader<'records'>;

/** `ADR-0004`, `adr 4`, `4`, `004`, or the name of its file: what follows the number there does not matter. */
const NUMBERED = /^(?:adr)?[\s_#-]*(\d{1,6})(?:[-_ ].*|\.md)?$/i;

export function decisionCalled(search: SearchWords<'records'>, given: string): Filter {
  const name = given.trim();
  const number = NUMBERED.exec(name)?.[1];
  const called = number === undefined ? { record_id: is.text(name.replace(/\.md$/i, '')) } : { number: Number(number) };
  return search.where({ kind: 'decision', ...called });
}

/** Two files may have the same number: then the first by name. */
export async function findDecision<S extends ZodObject>(search: Reader, schema: S, given: string): Promise<z.output<S> | null> {
  return (await search.many(schema, 'records', decisionCalled(search, given), { limit: 1 }))[0] ?? null;
}
