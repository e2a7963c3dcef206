/** Finds triples that contradict each other. */
import { z } from 'zod';
import type { SqlReader, SqlText } from '../../src/declare/sql.ts';
import { nameOf, sentence } from './items.ts';
import { type Triple, triple } from './schemas.ts';

interface Said {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly valid_from?: string | undefined;
  readonly valid_to?: string | undefined;
}

/** Only triples that are valid at the same time can contradict. */
const overlapping = (sql: SqlReader, { valid_from, valid_to }: Said): SqlText =>
  sql`coalesce(valid_from, '-infinity') <= coalesce(${valid_to}::date, 'infinity')
    and coalesce(valid_to, 'infinity') >= coalesce(${valid_from}::date, '-infinity')`;

const currentAlike = (sql: SqlReader, said: Said, condition: SqlText): SqlText =>
  sql`select * from knowledge.triple_versions where subject_name =
    ${nameOf(sql, said.subject)} and tx_to is null and ${overlapping(sql, said)} and ${condition} order by triple_no`;

export async function known(sql: SqlReader, said: Said): Promise<Triple | undefined> {
  return (
    await sql.many(triple, currentAlike(sql, said, sql`predicate = ${said.predicate} and object_name = ${nameOf(sql, said.object)}`))
  )[0];
}

const share = z.object({ several: z.boolean() });

/**
 * Usually a subject has one object per predicate, as with owned_by. If a quarter of the subjects have several at the same time, as with
 * depends_on, the predicate allows several.
 */
async function takesSeveral(sql: SqlReader, predicate: string): Promise<boolean> {
  const { several } = await sql.one(
    share,
    sql`select coalesce(4 * count(*) filter (where several) >= count(*) and bool_or(several), false) as several from (
      select bool_or(exists (
        select from knowledge.triples b where b.subject_name = a.subject_name and b.predicate = a.predicate and b.tx_to is null
        and b.object_name <> a.object_name
          and coalesce(a.valid_from, '-infinity') <= coalesce(b.valid_to, 'infinity')
          and coalesce(a.valid_to, 'infinity') >= coalesce(b.valid_from, '-infinity'))) as several
      from knowledge.triples a where a.predicate = ${predicate} and a.tx_to is null group by a.subject_name) s`,
  );
  return several;
}

const opposite = (predicate: string) => (predicate.startsWith('not_') ? predicate.slice(4) : `not_${predicate}`);

export async function conflictsWith(sql: SqlReader, said: Said): Promise<Triple[]> {
  const other = nameOf(sql, said.object);
  const denied = sql`predicate = ${opposite(said.predicate)} and object_name = ${other}`;
  const rival =
    (await takesSeveral(sql, said.predicate)) || said.predicate.startsWith('not_')
      ? sql`false`
      : sql`predicate = ${said.predicate} and object_name <> ${other}`;
  return sql.many(triple, currentAlike(sql, said, sql`(${denied} or ${rival})`));
}

const choices = [
  { resolution: 'replace', means: 'The new triple replaces the triples that it contradicts. Needs an approval.' },
  { resolution: 'keep_both', means: 'Both are kept.' },
  { resolution: 'reject', means: 'The known triples stay, and the new triple is not recorded.' },
];

/** The details of TRIPLE_CONFLICT. */
export const conflictDetails = (rivals: readonly Triple[]) => ({
  conflicts: rivals.map(({ id, subject, predicate, object, confidence, recorded_by, recorded_at }) => ({
    id,
    subject,
    predicate,
    object,
    confidence,
    recorded_by,
    recorded_at,
  })),
  choices,
});

/** One line of the approval card per removed triple. */
export const removedLines = (triples: readonly Triple[]) =>
  triples.map((each) => ({
    field: each.id,
    label: `Triple ${each.id}, recorded by ${each.recorded_by}`,
    from: sentence(each),
    to: null,
  }));
