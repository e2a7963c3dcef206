/** MCP resources of the knowledge base: pages to read, and notifications of changes. */
import { entry, transaction, triple } from './schemas.ts';
import { entriesAt, lastTx, noticesAfter, type Reading, RESOURCES, transactionsAt, triplesAt } from './snapshot.ts';
import type { PagePosition, ResourcePage } from '../../src/declare/page.ts';
import type { SqlReader } from '../../src/declare/sql.ts';
import { knowledge } from './domain.ts';

type At<T> = (sql: SqlReader, at: Reading) => Promise<Omit<ResourcePage<T>, 'asOf'>>;
/** The first page is current; the following pages are as of the same transaction. */
const partOf =
  <T>(read: At<T>) =>
  async ({ asOf, ...rest }: PagePosition, { sql }: { readonly sql: SqlReader }): Promise<ResourcePage<T>> => {
    const at = asOf ?? (await lastTx(sql));
    return { asOf: at, ...(await read(sql, { asOf: at, ...rest })) };
  };

export const entries = knowledge.pages({
  uri: RESOURCES.entries,
  name: 'entries',
  title: 'Entries',
  description: 'All entries as they stand, in the order in which they were first recorded.',
  version: 1,
  roles: ['employee'],
  item: entry.omit({ mine: true }),
  part: partOf(entriesAt),
});

export const triples = knowledge.pages({
  uri: RESOURCES.triples,
  name: 'triples',
  title: 'Triples',
  description: 'All triples (subject, predicate, object) as they stand, in the order in which they were first recorded.',
  version: 1,
  roles: ['employee'],
  item: triple.omit({ mine: true }),
  part: partOf(triplesAt),
});

export const transactions = knowledge.pages({
  uri: RESOURCES.transactions,
  name: 'transactions',
  title: 'Transactions',
  description: 'Every change that was ever made, the newest first, each with what it changed, before and after.',
  version: 1,
  roles: ['employee'],
  item: transaction.omit({ mine: true }),
  part: partOf(transactionsAt),
});

export const changes = knowledge.feed({
  resources: [entries, triples, transactions],
  roles: ['employee'],
  alike: true,
  last: ({ sql }) => lastTx(sql),
  after: (tx, most, { sql }) => noticesAfter(sql, tx, most),
});
