/** Finds out what an undo changes, and which later transactions prevent it. */
import { z } from 'zod';
import type { SqlReader } from '../../src/declare/sql.ts';
import { conflictsWith, known } from './conflicts.ts';
import { type Transaction, transaction } from './schemas.ts';
import { numberOf } from './as-of.ts';

const later = z.object({ tx_id: z.int(), action: z.string(), by: z.string(), at: z.string(), undoes: z.int().nullable() });
export type Later = Omit<z.output<typeof later>, 'undoes'>;
const owned = z.object({ mine: z.boolean() });

export const transactionBy = (sql: SqlReader, tx: number) =>
  sql.maybeOne(transaction, sql`select * from knowledge.history where tx_id = ${tx}::bigint`);

/** The caller's last transaction that is not an undo and is not undone. */
export const lastOwn = (sql: SqlReader) =>
  sql.maybeOne(
    transaction,
    sql`select * from knowledge.history h where mine and action <> 'undo' and not exists (
        select from knowledge.transactions u where u.undoes = h.tx_id and not exists (select from knowledge.transactions r
        where r.undoes = u.tx_id))
      order by tx_id desc limit 1`,
  );

/** True if the caller owns every item that the transaction changed. This read also binds an approval to the row versions of the items. */
export async function allMine(sql: SqlReader, tx: number): Promise<boolean> {
  const rows = await sql.many(
    owned,
    sql`select mine, row_version from knowledge.entry_versions where tx_from = ${tx}::bigint or tx_to = ${tx}::bigint
      union all select mine, row_version from knowledge.triple_versions where tx_from = ${tx}::bigint or tx_to = ${tx}::bigint
      order by row_version`,
  );
  return rows.every(({ mine }) => mine);
}

/**
 * Later transactions that an undo would overwrite: they changed the same items, or added triples about an entry that disappears.
 * Others deleted an entry that a restored triple needs, or recorded a triple that equals or contradicts a restored one.
 */
export async function laterThan(sql: SqlReader, { tx_id, changes }: Transaction): Promise<Later[]> {
  const numbers = (kind: 'e' | 't') => changes.map(({ id }) => numberOf(id, kind)).filter((no) => no > 0);
  const going = changes.filter(({ kind, before }) => kind === 'entry' && before === null).map(({ id }) => id);
  const coming = changes.filter(({ kind, after }) => kind === 'entry' && after === null).map(({ id }) => id);
  const ends = changes.flatMap(({ kind, before }) =>
    kind === 'triple' && before && 'subject' in before ? [before.subject, before.object] : [],
  );
  const needed = ends
    .filter((end) => /^e-\d+$/i.test(end) && !coming.includes(end.toLowerCase()))
    .map((end) => numberOf(end.toLowerCase(), 'e'));
  const said = await saidSince(sql, tx_id, changes);
  const rows = await sql.many(
    later,
    sql`select t.tx_id, t.action, t.by_name as by, t.at, t.undoes from knowledge.transactions t where t.tx_id > ${tx_id}::bigint
      and t.tx_id in (
      select tx from knowledge.entries, unnest(array[tx_from, tx_to]) tx where entry_no = any (${numbers('e')}::bigint[])
      union all
      select tx from knowledge.triples, unnest(array[tx_from, tx_to]) tx where triple_no = any (${numbers('t')}::bigint[])
      union all
      select tx_from from knowledge.triples, unnest(${going}::text[]) gone
        where tx_to is null and knowledge.plain(gone) collate "C" in (subject_name, object_name)
      union all
      select max(tx_to) from knowledge.entries where entry_no = any (${needed}::bigint[])
      group by entry_no having bool_and(tx_to is not null)
      union all
      select unnest(${said}::bigint[])
    ) order by t.tx_id`,
  );
  return withoutUndone(rows);
}

/** A later triple that equals or contradicts a restored one is a newer decision. An undo must not override it. */
async function saidSince(sql: SqlReader, tx: number, changes: Transaction['changes']): Promise<number[]> {
  const since: number[] = [];
  for (const { before, after } of changes) {
    if (after !== null || before === null || !('subject' in before)) continue;
    const { subject, predicate, object, valid_from, valid_to } = before;
    const triple = { subject, predicate, object, valid_from: valid_from ?? undefined, valid_to: valid_to ?? undefined };
    const alike = [await known(sql, triple), ...(await conflictsWith(sql, triple))];
    since.push(...alike.flatMap((each) => (each !== undefined && each.tx_id > tx ? [each.tx_id] : [])));
  }
  return since;
}

/** Removes undone transactions together with their undo, newest first. A transaction stays if its undo is itself undone. */
function withoutUndone(rows: readonly z.output<typeof later>[]): Later[] {
  const left = new Map(rows.map((row) => [row.tx_id, row]));
  for (const { tx_id, undoes } of rows.toReversed()) {
    if (undoes === null || !left.has(tx_id) || !left.has(undoes)) continue;
    left.delete(tx_id);
    left.delete(undoes);
  }
  return [...left.values()].map(({ tx_id, action, by, at }) => ({ tx_id, action, by, at }));
}
