/** Imports a knowledge archive into its tables as the database owner: row policies do not apply. */
import type { Archived } from '../../domains/knowledge/archive.ts';
import { withoutRowSecurity } from '../storage/sql/bulk.ts';

type Owner = Parameters<typeof withoutRowSecurity>[0];
type Version = Archived['entries'][number] | Archived['triples'][number];

/** knowledge.head comes first, because every change locks it. Triggers fill the tables of the search index. */
const TABLES = ['head', 'transactions', 'entries', 'triples', 'words', 'pairs', 'terms', 'names', 'ends'].map(
  (name) => `knowledge.${name}`,
);
const VERSION = 'tx_from tx_to source actor confidence valid_from valid_to owner recorded_by recorded_at'.split(' ');
const KINDS = {
  e: { table: 'knowledge.entries', no: 'entry_no', columns: ['entry_no', 'topic', 'content', 'tags', ...VERSION] },
  t: { table: 'knowledge.triples', no: 'triple_no', columns: ['triple_no', 'subject', 'predicate', 'object', ...VERSION] },
} as const;

const numberIn = (id: string) => Number(id.slice(2));

async function insert(owner: Owner, table: string, columns: readonly string[], rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return;
  const names = columns.join(', ');
  await owner.query(`insert into ${table} (${names}) select ${names} from json_populate_recordset(null::${table}, $1::json)`, [
    JSON.stringify(rows),
  ]);
}

/** Writes in the order that the constraints need: transactions, closed versions, new versions. */
async function writeSome(owner: Owner, some: readonly Archived[]): Promise<void> {
  const columns = ['tx_id', 'at', 'action', 'principal', 'by_name', 'reason', 'undoes'];
  await insert(
    owner,
    'knowledge.transactions',
    columns,
    some.map(({ entries: _, triples: __, closed: ___, ...transaction }) => transaction),
  );
  for (const [letter, { table, no, columns: of }] of Object.entries(KINDS)) {
    const begun = new Map<string, Record<string, unknown>[]>();
    const ended: { no: number; tx: number }[] = [];
    for (const { tx_id, entries, triples, closed } of some) {
      for (const id of closed.filter((each) => each.startsWith(letter))) {
        const open = begun.get(id)?.at(-1);
        if (open === undefined) ended.push({ no: numberIn(id), tx: tx_id });
        else open['tx_to'] = tx_id;
      }
      for (const { id, ...version } of (letter === 'e' ? entries : triples) as readonly Version[])
        begun.set(id, [...(begun.get(id) ?? []), { ...version, [no]: numberIn(id), tx_from: tx_id, tx_to: null }]);
    }
    if (ended.length > 0)
      await owner.query(
        `update ${table} v set tx_to = c.tx from json_to_recordset($1::json) c (no bigint, tx bigint) where v.${no} = c.no and v.tx_to is null`,
        [JSON.stringify(ended)],
      );
    await insert(owner, table, of, [...begun.values()].flat());
  }
}

const AT_ONCE = 200;

/** Imports everything or nothing. `occupied` is called if the tables are not empty, and must throw. */
export async function writeKnowledge(
  owner: Owner,
  transactions: AsyncIterable<Archived>,
  { asOf, occupied }: { readonly asOf: () => number; readonly occupied: (changes: number) => never },
): Promise<void> {
  await owner.query('begin');
  try {
    await withoutRowSecurity(owner, TABLES, async () => {
      const { rows } = await owner.query<{ last: string | null }>('select max(last_tx) as last from knowledge.head');
      if (Number(rows[0]?.last ?? 0) > 0) occupied(Number(rows[0]?.last));
      let some: Archived[] = [];
      for await (const transaction of transactions) {
        some.push(transaction);
        if (some.length < AT_ONCE) continue;
        await writeSome(owner, some);
        some = [];
      }
      await writeSome(owner, some);
      // An insert: the trigger on update would increase the number.
      if (asOf() > 0) await owner.query('insert into knowledge.head (last_tx) values ($1)', [asOf()]);
    });
    await owner.query('commit');
  } catch (error) {
    // If the connection broke, the server rolls back; the first error is the one to report.
    await owner.query('rollback').catch(() => {});
    throw error;
  }
  for (const table of TABLES) await owner.query(`analyze ${table}`);
}
