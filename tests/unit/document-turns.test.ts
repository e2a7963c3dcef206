/** Scans over embedded documents yield to the event loop. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openEmbeddedDocuments } from '../../src/storage/documents/embedded.ts';
import { turnsDuring } from '../turns.ts';

const folder = mkdtempSync(join(tmpdir(), 'tamshai-documents-'));
const documents = openEmbeddedDocuments(join(folder, 'documents.db'));
afterAll(async () => {
  await documents.close();
  rmSync(folder, { recursive: true, force: true });
});

test('a call yields to the event loop between its scans', async () => {
  const sales = documents.of('sales');
  const rows = Array.from({ length: 20 }, (_, n) => ({ _id: `d${n}`, amount: n }));
  await sales.fill('deals', rows, () => {});
  const all = { sort: { amount: -1, _id: 1 }, limit: 5, hide: [] } as const;
  const { turns, result } = await turnsDuring(async () => {
    const page = await sales.find('deals', {}, all);
    const [total] = await sales.aggregate('deals', [{ $group: { _id: null, sum: { $sum: '$amount' } } }]);
    return { page, total };
  });
  expect(result.page.map(({ _id }) => _id)).toEqual(['d19', 'd18', 'd17', 'd16', 'd15']);
  expect(result.total).toMatchObject({ sum: 190 });
  expect(turns).toBeGreaterThanOrEqual(2);
  const { turns: byId } = await turnsDuring(() => sales.find('deals', { _id: { $eq: 'd3' } }, all));
  expect(byId).toBe(0);
});
