/** Reads snapshots of the knowledge base at one transaction, page by page, and the changes since then. */
import { z } from 'zod';
import type { SqlReader } from '../../src/declare/sql.ts';
import { actions, entry, transaction, triple } from './schemas.ts';
import { validAfter } from './as-of.ts';

export const RESOURCES = {
  entries: 'knowledge://entries',
  triples: 'knowledge://graph/triples',
  transactions: 'knowledge://history/transactions',
} as const;

export interface Reading {
  /** The transaction of the snapshot. For the first page, this is `lastTx`. */
  readonly asOf: number;
  /** `next` of the previous page. */
  readonly after?: number | undefined;
  readonly limit: number;
}
export interface Part<T> {
  readonly items: readonly T[];
  /** Null on the last page. */
  readonly next: number | null;
}

const head = z.object({ last_tx: z.int() });
const numbered = { no: z.int() };
const shownEntry = entry.omit({ mine: true });
const shownTriple = triple.omit({ mine: true });
const shownTransaction = transaction.omit({ mine: true });

/** The last committed transaction. All lower numbers are committed too. */
export const lastTx = async (sql: SqlReader): Promise<number> =>
  (await sql.one(head, sql`select coalesce(max(last_tx), 0) as last_tx from knowledge.head`)).last_tx;

function part<T extends { readonly no: number }>(rows: readonly T[], limit: number): Part<Omit<T, 'no'>> {
  const shown = rows.slice(0, limit);
  const next = rows.length > limit ? (shown.at(-1)?.no ?? null) : null;
  return { items: shown.map(({ no: _, ...item }) => item), next };
}

/** The order is that of the first recording. */
export async function entriesAt(sql: SqlReader, { asOf, after = 0, limit }: Reading): Promise<Part<z.output<typeof shownEntry>>> {
  const rows = await sql.many(
    shownEntry.extend(numbered),
    sql`select *, entry_no as no from knowledge.entry_versions where ${validAfter(sql, asOf)} and entry_no > ${after}::bigint
      order by entry_no limit ${limit + 1}::int`,
  );
  return part(rows, limit);
}

export async function triplesAt(sql: SqlReader, { asOf, after = 0, limit }: Reading): Promise<Part<z.output<typeof shownTriple>>> {
  const rows = await sql.many(
    shownTriple.extend(numbered),
    sql`select *, triple_no as no from knowledge.triple_versions where ${validAfter(sql, asOf)} and triple_no > ${after}::bigint
      order by triple_no limit ${limit + 1}::int`,
  );
  return part(rows, limit);
}

/** Newest first. `undone_by` has the state of the snapshot. */
export async function transactionsAt(sql: SqlReader, { asOf, after, limit }: Reading): Promise<Part<z.output<typeof shownTransaction>>> {
  const rows = await sql.many(
    shownTransaction.extend(numbered),
    sql`select h.tx_id, h.at, h.action, h.by, h.reason, h.undoes, h.changes, h.tx_id as no,
        (select max(u.tx_id) from knowledge.transactions u where u.undoes = h.tx_id and u.tx_id <= ${asOf}::bigint) as undone_by
      from knowledge.history h where h.tx_id <= ${asOf}::bigint and h.tx_id < ${after ?? Number.MAX_SAFE_INTEGER}::bigint
      order by h.tx_id desc limit ${limit + 1}::int`,
  );
  return part(rows, limit);
}

/** The largest number of ids in one notification. */
export const MOST_IDS = 100;

export interface Notice {
  readonly resource_uri: (typeof RESOURCES)[keyof typeof RESOURCES];
  readonly tx_id: number;
  readonly change_type: 'upsert' | 'delete';
  readonly changed_ids: readonly string[];
}

const happened = z.object({
  tx_id: z.int(),
  action: z.enum(actions),
  changes: z.array(z.object({ kind: z.enum(['entry', 'triple']), id: z.string(), gone: z.boolean() })),
});

/** The changes of at most `limit` transactions after `tx`, in order. */
export async function noticesAfter(sql: SqlReader, tx: number, limit: number): Promise<readonly Notice[]> {
  const rows = await sql.many(
    happened,
    sql`select t.tx_id, t.action, (select coalesce(json_agg(json_build_object('kind', c.kind, 'id', c.id, 'gone', c.after is null)
      order by c.kind, c.no), '[]')
        from knowledge.changes c where c.tx_id = t.tx_id) as changes
      from knowledge.transactions t where t.tx_id > ${tx}::bigint order by t.tx_id limit ${limit}::int`,
  );
  return rows.flatMap(({ tx_id, changes }): Notice[] => {
    const notices = (['entry', 'triple'] as const).flatMap((kind) =>
      (['delete', 'upsert'] as const).map((change_type): Notice => {
        const ids = changes.filter((change) => change.kind === kind && change.gone === (change_type === 'delete')).map(({ id }) => id);
        return {
          resource_uri: kind === 'entry' ? RESOURCES.entries : RESOURCES.triples,
          tx_id,
          change_type,
          changed_ids: ids.slice(0, MOST_IDS),
        };
      }),
    );
    const own: Notice = { resource_uri: RESOURCES.transactions, tx_id, change_type: 'upsert', changed_ids: [String(tx_id)] };
    return [...notices.filter(({ changed_ids }) => changed_ids.length > 0), own];
  });
}
