/** MCP resources of the knowledge base: pages to read, and notifications of changes. */
import { entry, transaction, triple } from './schemas.ts';
import { entriesAt, lastTx, noticesAfter, type Reading, RESOURCES, transactionsAt, triplesAt } from './snapshot.ts';
import type { PagePosition, ResourcePage } from '../../src/declare/page.ts';
import type { SqlReader } from '../../src/declare/sql.ts';
import { knowledge } from './domain.ts';

type At<T> = (sql: SqlReader, at: Reading) => Promise<Omit<ResourcePage<T>, 'asOf'>>;
/** All pages show the same transaction as the first page. */
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
  description: 'All current entries, in the order of their first recording.',
  version: 1,
  roles: ['employee'],
  item: entry.omit({ mine: true }),
  part: partOf(entriesAt),
});

export const triples = knowledge.pages({
  uri: RESOURCES.triples,
  name: 'triples',
  title: 'Triples',
  description: 'All current triples (subject, predicate, object), in the order of their first recording.',
  version: 1,
  roles: ['employee'],
  item: triple.omit({ mine: true }),
  part: partOf(triplesAt),
});

export const transactions = knowledge.pages({
  uri: RESOURCES.transactions,
  name: 'transactions',
  title: 'Transactions',
  description: 'All changes, the newest first, each with the state before and after.',
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
