/** Compares the document store with queries sent directly through the database driver, and measures pages far into a list. */
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import type { KeyPart } from '../src/engine/lists/cursor.ts';
import { type Document, total } from '../src/declare/documents.ts';
import { EVERY, filters } from '../src/declare/filter.ts';
import { desc } from '../src/declare/order.ts';
import { z } from 'zod';
import { sales } from '../domains/sales/domain.ts';
import { opportunity } from '../domains/sales/schemas.ts';
import { dealCount, deals } from '../domains/sales/sample/deals.ts';
import { salesTeam } from '../domains/sales/sample/team.ts';
import type { DocumentDatabase } from '../src/storage/documents/database.ts';
import { openEmbeddedDocuments } from '../src/storage/documents/embedded.ts';
import { openMongo } from '../src/storage/documents/mongodb.ts';
import { type Collections, createDocumentStore } from '../src/storage/documents/store.ts';
import { openSqlite } from '../src/storage/sqlite-file.ts';
import type { Line } from './lines.ts';
import { chainOf, inTurns, over, PAGE, placeAfter, type Question, sessionOf, TAKE, type Timing } from './turns.ts';

export const COLLECTION = 'opportunities';
const ORDER = desc('value', '_id');
const who = sessionOf('carol.johnson', 'sales');
const perStage = z.object({ stage: z.string(), count: z.int(), value: z.number() });

export function* sample(count: number): Iterable<Document> {
  const team = salesTeam({ employees: 500, today: new Date() });
  let n = 0;
  for (const deal of deals({ ...team, scale: (team.scale * count) / dealCount(team) })) {
    if (n++ === count) return;
    yield deal as Document;
  }
}

/** The same queries without the document store. */
interface Bare {
  readonly one: (id: string) => Promise<number> | number;
  readonly page: () => Promise<number> | number;
  readonly totals: () => Promise<number> | number;
}

async function measured(title: string, database: DocumentDatabase, bare: Bare, count: number, timing: Timing): Promise<Line[]> {
  const store = createDocumentStore(
    database,
    sales.spec.collections as Collections,
    chainOf((chain) => database.lastLink(chain)),
  );
  const page = (after: readonly KeyPart[] | undefined, take: number) =>
    store.page(who, { collection: COLLECTION, filter: EVERY }, { order: ORDER, after, take }, opportunity);
  const late = Math.min(1_000, Math.floor(count / PAGE));
  const after = await placeAfter<readonly KeyPart[]>((late - 1) * PAGE, async (from, take) => {
    const last = (await page(from, take)).at(-1);
    return last && [last['value'] as number, last['_id'] as string];
  });
  const ids = (await page(undefined, 1_000)).map(({ _id }) => String(_id));
  const idAt = (n: number) => ids[n % ids.length] ?? '';
  const groups = () =>
    store.read(who, ({ documents }) =>
      documents.groups(perStage, COLLECTION, EVERY, { by: ['stage'], totals: { count: total.count, value: total.sum('value') } }),
    );
  const [ofGroups, ofLate] = [(await groups()).length, (await page(after, TAKE)).length];
  const questions: Question[] = [
    { name: 'bare one', rows: 1, ask: (n) => bare.one(idAt(n)) },
    {
      name: 'one',
      rows: 1,
      ask: (n) =>
        store.read(who, async ({ documents }) => ((await documents.one(opportunity, COLLECTION, filters.where({ _id: idAt(n) }))) ? 1 : 0)),
    },
    { name: 'bare page', rows: TAKE, ask: bare.page },
    { name: 'page', rows: TAKE, ask: async () => (await page(undefined, TAKE)).length },
    { name: 'late', rows: ofLate, ask: async () => (await page(after, TAKE)).length },
    { name: 'bare totals', rows: ofGroups, ask: bare.totals },
    { name: 'totals', rows: ofGroups, ask: async () => (await groups()).length },
  ];
  const took = await inTurns(questions, timing);
  const of = `${title}, ${count.toLocaleString('en')} documents`;
  return [
    over(took, `${of}: one by id × bare driver`, 'one', 'bare one'),
    over(took, `${of}: page of ${PAGE} × bare driver`, 'page', 'bare page'),
    over(took, `${of}: page ${late.toLocaleString('en')} × page 1`, 'late', 'page', 1.2),
    over(took, `${of}: totals by stage × bare driver`, 'totals', 'bare totals'),
  ];
}

export async function embeddedDocuments(folder: string, count: number, timing: Timing): Promise<Line[]> {
  const file = join(folder, 'documents.db');
  const embedded = openEmbeddedDocuments(file);
  const db = openSqlite(file);
  try {
    const database = embedded.of('sales');
    await database.fill(COLLECTION, sample(count), () => {});
    const rowsOf = (rows: unknown) => (rows as [string][]).map(([body]) => JSON.parse(body) as unknown).length;
    const name = `sales.${COLLECTION}`;
    const one = db.prepare('SELECT body FROM documents WHERE collection = ? AND id = ?').raw();
    const page = db
      .prepare(`SELECT body FROM documents WHERE collection = ? ORDER BY json_extract(body, '$.value') DESC, id DESC LIMIT ${TAKE}`)
      .raw();
    const totals = db
      .prepare(
        `SELECT json_extract(body, '$.stage') AS stage, count(*), sum(json_extract(body, '$.value')) FROM documents
          WHERE collection = ? GROUP BY stage`,
      )
      .raw();
    const bare: Bare = {
      one: (id) => rowsOf(one.all(name, id)),
      page: () => rowsOf(page.all(name)),
      totals: () => totals.all(name).length,
    };
    return await measured('Documents, embedded', database, bare, count, timing);
  } finally {
    db.close();
    await embedded.close();
  }
}

export async function mongoDocuments(url: string, title: string, count: number, timing: Timing): Promise<Line[]> {
  const { database, prepare } = await openMongo(url, 'bench', sales.spec.collections as Collections);
  const client = new MongoClient(url);
  try {
    await prepare();
    await database.fill(COLLECTION, sample(count), () => {});
    const collection = client.db(database.name).collection<Document>(COLLECTION);
    const bare: Bare = {
      one: async (id) => ((await collection.findOne({ _id: id })) ? 1 : 0),
      page: async () => (await collection.find({}).sort({ value: -1, _id: -1 }).limit(TAKE).toArray()).length,
      totals: async () =>
        (await collection.aggregate([{ $group: { _id: '$stage', count: { $sum: 1 }, value: { $sum: '$value' } } }]).toArray()).length,
    };
    return await measured(`Documents, ${title}`, database, bare, count, timing);
  } finally {
    await client.close();
    await database.close();
  }
}
