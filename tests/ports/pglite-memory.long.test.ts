/** Memory of the embedded database: it does not grow with the number of rows that were read. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EmbeddedDatabase, openPglite } from '../../src/storage/sql/pglite.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const heldMb = () => {
  collect();
  return process.memoryUsage().heapUsed / 1024 / 1024;
};

let database: EmbeddedDatabase;
beforeAll(async () => {
  database = await openPglite();
  await database.owner.query('create role reader');
});
afterAll(() => database.close());

test('reading a hundred thousand rows retains less than 10 MB', async () => {
  const page = () => database.read('reader', { text: "select n, repeat('x', 100) as words from generate_series(1, 500) n", values: [] });
  for (let n = 0; n < 20; n++) await page();
  const before = heldMb();
  for (let n = 0; n < 200; n++) expect(await page()).toHaveLength(500);
  expect(heldMb() - before).toBeLessThan(10);
});
