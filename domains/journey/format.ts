/** Sorts and summarises records of the journey. */
import type { Kind } from './record.ts';

interface Dated {
  readonly day: string;
  readonly number: number | null;
  readonly record_id: string;
}
/** Newest first, then the highest number first. Records without a date come last. */
export const byTime = (a: Dated, b: Dated): number =>
  compare(b.day, a.day) || (b.number ?? 0) - (a.number ?? 0) || compare(a.record_id, b.record_id);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const NAMES: Readonly<Record<Kind, readonly [string, string]>> = {
  decision: ['decision', 'decisions'],
  failure: ['failure', 'failures'],
  pivot: ['pivot', 'pivots'],
  lesson: ['lesson', 'lessons'],
  recovery: ['recovery note', 'recovery notes'],
  note: ['other note', 'other notes'],
};

/** For example "12 decisions, 5 failures and 1 pivot". */
export function counted(counts: readonly { readonly kind: Kind; readonly count: number }[]): string {
  const parts = counts.filter(({ count }) => count > 0).map(({ kind, count }) => `${count} ${NAMES[kind][count === 1 ? 0 : 1]}`);
  const [last, ...others] = parts.toReversed();
  return last === undefined ? 'no records yet' : others.length === 0 ? last : `${others.toReversed().join(', ')} and ${last}`;
}

const MOST_TOPICS = 20;
/** The topics of the rows without `but`, the most frequent first. Components count as topics. */
export function topicsOf(
  rows: readonly { readonly topics: readonly string[]; readonly components: readonly string[] }[],
  but: string,
): string[] {
  const found = new Map<string, { readonly name: string; count: number }>();
  for (const name of rows.flatMap(({ topics, components }) => [...topics, ...components])) {
    const known = found.get(name.toLowerCase()) ?? { name, count: 0 };
    known.count++;
    found.set(name.toLowerCase(), known);
  }
  found.delete(but.toLowerCase());
  return [...found.values()]
    .toSorted((a, b) => b.count - a.count || compare(a.name.toLowerCase(), b.name.toLowerCase()))
    .slice(0, MOST_TOPICS)
    .map(({ name }) => name);
}
