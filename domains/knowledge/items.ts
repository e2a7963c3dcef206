/** Reads current entries and triples, and shows their changes on an approval card. */
import type { SqlReader, SqlTag } from '../../src/declare/sql.ts';
import type { Change } from '../../src/declare/tool.ts';
import { entry, triple } from './schemas.ts';
import { numberOf } from './as-of.ts';

export const currentEntry = (sql: SqlReader, id: string) =>
  sql.maybeOne(entry, sql`select * from knowledge.entry_versions where entry_no = ${numberOf(id, 'e')} and tx_to is null`);
export const currentTriple = (sql: SqlReader, id: string) =>
  sql.maybeOne(triple, sql`select * from knowledge.triple_versions where triple_no = ${numberOf(id, 't')} and tx_to is null`);

/** Triples whose subject or object is the entry. */
export const triplesAbout = (sql: SqlReader, entryId: string) =>
  sql.many(
    triple,
    sql`select * from knowledge.triple_versions where tx_to is null
      and (subject_name = ${nameOf(sql, entryId)} or object_name = ${nameOf(sql, entryId)}) order by triple_no`,
  );
/** Normalises a name for comparison with subject_name and object_name. */
export const nameOf = (sql: SqlTag, text: string) => sql`knowledge.plain(${text}::text) collate "C"`;

export const isEntryId = (text: string) => /^e-\d+$/i.test(text);
export const sentence = ({ subject, predicate, object }: { subject: string; predicate: string; object: string }) =>
  `${subject} ${predicate.replaceAll('_', ' ')} ${object}`;

export const foundSome = (n: number, one: string, { several, words }: { readonly several: string; readonly words?: unknown | undefined }) =>
  `Found ${n} ${n === 1 ? one : several}${typeof words === 'string' && words.trim() !== '' ? ` matching "${words.trim()}"` : ''}.`;

/** These fields are claims of the author, not verified facts. The labels say so. */
const CLAIMS: Readonly<Record<string, string>> = {
  source: 'Source (claimed)',
  actor: 'Actor (claimed)',
  confidence: 'Confidence (claimed)',
};
/** Quotes a tag that contains a comma. */
const displayed = (value: unknown) =>
  Array.isArray(value) ? value.map((tag: string) => (tag.includes(',') ? `“${tag}”` : tag)).join(', ') : (value ?? null);

/** One line per field that differs. `about` prefixes each line with an item id. */
export function differences(before: object | null, after: object | null, about?: string): Change[] {
  const [from, to] = [before ?? {}, after ?? {}] as [Record<string, unknown>, Record<string, unknown>];
  const fields = Object.keys({ ...from, ...to }).filter((field) => field !== 'id');
  return fields
    .map((field) => ({ field, from: displayed(from[field]), to: displayed(to[field]) }))
    .filter((change) => change.from !== change.to)
    .map((change) => {
      const label = CLAIMS[change.field];
      if (about !== undefined)
        return { ...change, field: `${about} ${change.field}`, label: `${about}: ${label ?? change.field.replaceAll('_', ' ')}` };
      return label === undefined ? change : { ...change, label };
    });
}
