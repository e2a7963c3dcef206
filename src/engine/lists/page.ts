/** Builds the pages of lists with the cursor of the next page and the metadata, in the same way for every store. */
import type { ListMetadata } from '../../declare/answer.ts';
import type { Row } from '../../declare/rows.ts';
import type { Window } from '../store.ts';
import { keysOf } from './keyset.ts';

export interface ListInput {
  readonly limit: number;
  readonly cursor: string | undefined;
  /** Whether the caller wants the exact number of rows. */
  readonly count: boolean;
  readonly filters: Readonly<Record<string, unknown>>;
}

export function splitInput(input: Readonly<Record<string, unknown>>): ListInput {
  const { limit: asked, cursor: at, count, ...filters } = input;
  return { limit: Number(asked ?? 50), cursor: typeof at === 'string' ? at : undefined, count: count === true, filters };
}

export interface PageOptions {
  readonly filterNames: readonly string[];
  readonly plural: string;
  readonly nextCursor: (last: Row) => string;
  readonly summary: unknown;
  readonly hoisted: readonly string[];
  /** The exact number of rows on all pages, if the caller asked for it. */
  readonly count: number | undefined;
}

/** If there is another page, `rows` contains one row more than the limit. */
export function pageOf(
  rows: readonly Row[],
  asked: ListInput,
  { filterNames, plural, nextCursor, summary, hoisted, count }: PageOptions,
): { data: readonly Row[]; metadata: ListMetadata } {
  const hasMore = rows.length > asked.limit;
  const data = hasMore ? rows.slice(0, asked.limit) : rows;
  const total = String(count ?? (hasMore ? `${asked.limit}+` : data.length));
  const metadata: ListMetadata = { hasMore, returnedCount: data.length, totalEstimate: total, truncated: hasMore, totalCount: total };
  if (count !== undefined) metadata.count = count;
  const last = data.at(-1);
  if (hasMore && last) {
    const unused = filterNames.filter((name) => asked.filters[name] === undefined);
    metadata.nextCursor = nextCursor(last);
    metadata.hint = `To see more ${plural}, call again with cursor = nextCursor and the same filters.`;
    metadata.warning =
      `TRUNCATION WARNING: Only ${asked.limit} of ${total} records returned. The result is incomplete: say so. ` +
      (unused.length > 0 ? `Narrow it by ${unused.join(', ')}, or ask for the next page.` : 'Ask for the next page to see the rest.');
  }
  if (summary !== undefined) metadata.summary = summary;
  for (const key of hoisted) metadata[key] = (summary as Row)[key];
  return { data, metadata };
}

/** Applies order, cursor and limit to rows in memory. Stores do the same in their queries. */
export function windowed(rows: readonly Row[], { order, after, take }: Window): Row[] {
  const sign = order.direction === 'asc' ? 1 : -1;
  const compare = (a: readonly unknown[], b: readonly unknown[]): number => {
    const at = a.findIndex((value, which) => value !== b[which]);
    if (at < 0) return 0;
    return a[at] === null || (b[at] !== null && (a[at] as string) < (b[at] as string)) ? -sign : sign;
  };
  const sorted = rows.toSorted((a, b) => compare(keysOf(order, a), keysOf(order, b)));
  return (after === undefined ? sorted : sorted.filter((row) => compare(keysOf(order, row), after) > 0)).slice(0, take);
}
