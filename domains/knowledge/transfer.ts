/** Exports and imports the knowledge base with its whole history. An import keeps numbers, owners and times. */
import { sql } from '../../src/declare/sql.ts';
import type { OwnerSql, Transfer } from '../../src/declare/transfer.ts';
import { type Archived, archive, type Counts, unarchive } from './archive.ts';
import { lastTx } from './snapshot.ts';

type Version = Archived['entries'][number] | Archived['triples'][number];

const VERSION = 'tx_from tx_to source actor confidence valid_from valid_to owner recorded_by recorded_at'.split(' ');
const KINDS = {
  e: { table: 'knowledge.entries', no: 'entry_no', columns: ['entry_no', 'topic', 'content', 'tags', ...VERSION] },
  t: { table: 'knowledge.triples', no: 'triple_no', columns: ['triple_no', 'subject', 'predicate', 'object', ...VERSION] },
} as const;

const numberIn = (id: string) => Number(id.slice(2));

/** The constraints need this order: transactions, closed versions, new versions. */
async function writeSome(owner: OwnerSql, some: readonly Archived[]): Promise<void> {
  const columns = ['tx_id', 'at', 'action', 'principal', 'by_name', 'reason', 'undoes'];
  await owner.insert(
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
      await owner.run(
        sql`update ${sql.ref(table)} v set tx_to = c.tx from json_to_recordset(${JSON.stringify(ended)}::json) c (no bigint, tx bigint)
          where ${sql.ref(`v.${no}`)} = c.no and v.tx_to is null`,
      );
    await owner.insert(table, of, [...begun.values()].flat());
  }
}

const AT_ONCE = 200;
const grouped = (n: number) => n.toLocaleString('en-US');
const counted = (n: number, one: string) => `${grouped(n)} ${one}${n === 1 ? '' : 's'}`;

export const knowledgeTransfer: Transfer<Counts> = {
  words: { rows: 'knowledge', store: 'knowledge base', steps: 'changes' },
  help: {
    command: 'Export and import the knowledge base with its whole history.',
    export: [
      'Write every entry and triple, all their versions and every change, as JSON Lines.',
      'The last line has a checksum of all other lines.',
    ],
    import: [
      'Import an export into an empty knowledge base. It imports everything or nothing.',
      'The first start fills an empty data folder with sample data. To start with your own data, import before the first start.',
      'Every entry keeps its owner.',
    ],
  },
  audience: 'staff',
  // Every change locks knowledge.head, so it comes first. Triggers fill the tables of the search index.
  tables: [
    'knowledge.head',
    'knowledge.transactions',
    'knowledge.entries',
    'knowledge.triples',
    'knowledge.words',
    'knowledge.pairs',
    'knowledge.terms',
    'knowledge.names',
    'knowledge.ends',
  ],
  async *export(reader, onProgress) {
    const asOf = await lastTx(reader);
    return yield* archive(reader, asOf, (tx) => onProgress(tx, asOf));
  },
  async content(owner) {
    const [row] = await owner.run(sql`select max(last_tx) as last from knowledge.head`);
    const changes = Number(row?.['last'] ?? 0);
    return changes > 0 ? counted(changes, 'change') : undefined;
  },
  import() {
    const reading = unarchive();
    return {
      begin: (line) => void reading.take(line),
      async write(owner, lines, onProgress) {
        let some: Archived[] = [];
        for await (const line of lines) {
          const transaction = reading.take(line);
          if (transaction === undefined) continue;
          some.push(transaction);
          onProgress(transaction.tx_id, reading.asOf);
          if (some.length < AT_ONCE) continue;
          await writeSome(owner, some);
          some = [];
        }
        const counts = reading.finish();
        await writeSome(owner, some);
        // This must be an insert, because the update trigger would increase the number.
        if (reading.asOf > 0) await owner.run(sql`insert into knowledge.head (last_tx) values (${reading.asOf})`);
        return counts;
      },
    };
  },
  summary: ({ transactions, entries, triples }) =>
    `${counted(transactions, 'change')} with ${counted(entries, 'version')} of entries and ${grouped(triples)} of triples`,
};
