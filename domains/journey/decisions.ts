/** Finds an architecture decision record (ADR) by its number or name. */
import type { z } from 'zod';
import type { Filter } from '../../src/declare/filter.ts';
import type { SearchReader, SearchWords } from '../../src/declare/search.ts';
import { keyOf } from './record.ts';

export const adrNotFound = { message: 'ADR not found.', hint: 'Find the number with search_journey, with kind "decision".' };

export type Reader = SearchReader<'records'>;

/** `ADR-0004`, `adr 4`, `4`, `004` or a file name such as `0004-title.md`. */
const NUMBERED = /^(?:adr[\s_#-]*|#)?(\d{1,6})(?:[-_ ].*|\.md)?$/i;

function called(search: SearchWords<'records'>, given: string): Filter {
  const name = given.trim();
  const number = NUMBERED.exec(name)?.[1];
  return search.where({
    kind: 'decision',
    ...(number === undefined ? { key: keyOf(name.replace(/\.md$/i, '')) } : { number: Number(number) }),
  });
}

/** If two files have the same number, returns the first by name. */
export async function findDecision<S extends z.ZodObject>(search: Reader, schema: S, given: string): Promise<Readonly<z.output<S>> | null> {
  return (await search.many(schema, 'records', called(search, given), { limit: 1 }))[0] ?? null;
}
