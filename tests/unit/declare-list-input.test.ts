/** The functions of a list get the input that the list declares, without the keys that the pipeline adds. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineDomain } from '../../src/declare/define.ts';
import { storedId } from '../../src/declare/fields.ts';
import { asc, desc } from '../../src/declare/order.ts';

test('find and computeTotals get neither limit nor cursor nor sort', async () => {
  const seen: unknown[] = [];
  const domain = defineDomain({
    name: 'things',
    title: 'Things',
    engine: 1,
    home: import.meta.url,
    port: 3999,
    store: 'documents',
    audiences: { staff: { roles: ['employee'], sees: 'every thing' } },
    collections: { things: { rows: { staff: 'all' } } },
  });
  const tool = domain.list({
    name: 'list_things',
    title: 'Things',
    description: 'Things.',
    plural: 'things',
    roles: ['employee'],
    input: z.object({ electric: z.boolean().optional() }),
    item: z.object({ _id: storedId }),
    order: { first: asc('_id'), last: desc('_id') },
    totals: z.object({ count: z.int() }),
    find(input, { documents }) {
      seen.push(input);
      return documents.from('things', documents.given(input));
    },
    async computeTotals(input) {
      seen.push(input);
      return { count: 0 };
    },
  });
  if (tool.kind !== 'list') throw new Error('not a list');
  const input = tool.input.parse({ electric: true, limit: 5, sort: 'last' });
  const context = { handles: {} } as never;
  expect(tool.page(input, context).order.direction).toBe('desc');
  await tool.totals?.compute(input, context);
  expect(seen).toEqual([{ electric: true }, { electric: true }]);
});
