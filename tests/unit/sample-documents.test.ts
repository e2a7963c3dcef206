/** Domains in document stores: declarations of collections, sample data that never overwrites existing data, and MONGODB_URL. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { collectionsOf } from '../../src/server/documents.ts';
import { defineDomain } from '../../src/declare/define.ts';
import { filters, is } from '../../src/declare/filter.ts';
import * as sales from '../../domains/sales/index.ts';
import { sampleCollections } from '../../src/server/sample.ts';
import { loadDocuments } from '../../src/server/sample-documents.ts';
import { openEmbeddedDocuments } from '../../src/storage/documents/embedded.ts';
import { builtIn, readConfig } from '../registry.ts';

const folder = mkdtempSync(join(tmpdir(), 'tamshai-sample-documents-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const options = { registry: builtIn, employees: 500, today: new Date('2026-11-16T09:00:00Z'), onProgress: () => {} };
const domains = [...new Set(Object.values(sales).map(({ domain }) => domain))];
const AUDIENCES = { everyone: { roles: ['executive'], sees: 'everything' }, own: { roles: ['employee'], sees: 'their own' } } as const;

describe.each(domains.map((domain) => [domain.name, domain] as const))('%s', (name, domain) => {
  const collections = collectionsOf(domain);

  test('the sample data has exactly the declared collections', async () => {
    expect((await sampleCollections(name, options)).map((each) => each.name).toSorted()).toEqual(Object.keys(collections).toSorted());
    for (const { documents } of await sampleCollections(name, options)) expect([...documents()].length).toBeGreaterThan(0);
  });

  test('every collection declares the rows of every audience, and every writer can read', () => {
    for (const [collection, { rows, writers = [] }] of Object.entries(collections)) {
      expect([collection, Object.keys(rows).toSorted()]).toEqual([collection, Object.keys(domain.audiences).toSorted()]);
      for (const writer of writers) expect(rows[writer]).not.toBe('none');
    }
  });

  test('indexes have valid field names', () => {
    for (const { indexes = [] } of Object.values(collections))
      for (const fields of indexes) expect(() => filters.where(Object.fromEntries(fields.map((field) => [field, 'x'])))).not.toThrow();
  });

  test('the sample data is loaded once, and only into empty collections', async () => {
    const file = openEmbeddedDocuments(join(folder, `${name}.db`));
    const database = file.of(name);
    const shares: number[] = [];
    const [first = ''] = Object.keys(collections);
    await database.fill(first, [{ _id: 'mine' }], () => {});
    expect(await loadDocuments(name, database, { ...options, onProgress: (done, total) => shares.push(done / total) })).toBe(true);
    expect(shares.at(-1)).toBeGreaterThan(0.9);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    const all = (collection: string) => database.find(collection, {}, { sort: { _id: 1 }, limit: 100_000, hide: [] });
    expect((await all(first)).map(({ _id }) => _id)).toEqual(['mine']);
    for (const { name: collection, documents } of (await sampleCollections(name, options)).filter((each) => each.name !== first))
      expect((await all(collection)).length).toBe([...documents()].length);
    expect(await loadDocuments(name, database, options)).toBe(false);
    await file.close();
  });
});

test('the types of a document domain require collections with every audience, and refuse unknown names', () => {
  const common = { name: 'x', title: 'X', engine: 1, home: import.meta.url, port: 1, store: 'documents', audiences: AUDIENCES } as const;
  const domain = defineDomain({
    ...common,
    collections: {
      deals: { rows: { everyone: 'all', own: (person) => filters.where({ owner: person.username }) }, writers: ['everyone'] },
    },
  });
  // @ts-expect-error a domain in a document store must declare collections
  defineDomain(common);
  // @ts-expect-error an audience is missing
  defineDomain({ ...common, collections: { deals: { rows: { everyone: 'all' } } } });
  // @ts-expect-error an unknown audience
  defineDomain({ ...common, collections: { deals: { rows: { everyone: 'all', own: 'none' }, writers: ['others'] } } });
  // @ts-expect-error a domain in SQL cannot declare collections
  defineDomain({ ...common, store: 'sql', collections: { deals: { rows: { everyone: 'all', own: 'none' } } } });
  const tool = domain.read({
    name: 'x',
    title: 'X',
    description: '',
    roles: ['executive'],
    input: z.object({ min: z.number().optional() }),
    output: z.object({ _id: z.string() }),
    async run({ min }, { documents, output }) {
      // @ts-expect-error an unknown collection
      await documents.one(output, 'dealz', documents.all());
      // @ts-expect-error a read tool cannot write
      await documents.change(output, 'deals', documents.all(), {});
      // @ts-expect-error a value that may be undefined must not match every row
      documents.where({ value: is.atLeast(min) });
      return documents.one(output, 'deals', documents.given({ value: is.atLeast(min) }));
    },
  });
  expect(tool.kind).toBe('read');
});

describe('MONGODB_URL', () => {
  const read = (settings: Record<string, string>) => readConfig(settings);
  test('applies to all document domains that have no URL of their own', () => {
    const config = read({ MONGODB_URL: 'mongodb://a:27017,b:27017/?replicaSet=rs0', SALES_MONGODB_URL: 'mongodb+srv://db.example/sales' });
    expect([config.mongodbUrl('sales'), config.mongodbUrl('other')]).toEqual([
      'mongodb+srv://db.example/sales',
      'mongodb://a:27017,b:27017/?replicaSet=rs0',
    ]);
    expect(read({}).mongodbUrl('sales')).toBeUndefined();
  });
  test.each(['localhost:27017', 'http://localhost', 'mongodb://', 'postgres://me:secret@localhost/db'])(
    '%s is refused without repeating it',
    (given) => {
      expect(() => read({ MONGODB_URL: given })).toThrow(
        /^MONGODB_URL must be an address that begins with mongodb:\/\/ or mongodb\+srv:\/\/\.$/,
      );
    },
  );
});
