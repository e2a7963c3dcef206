/** A search with many words yields to the event loop, and returns the same rows as one that does not. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { KeyPart } from '../../src/engine/lists/cursor.ts';
import { filters, type Filter } from '../../src/declare/filter.ts';
import { asc, desc, type Order } from '../../src/declare/order.ts';
import { searchWords } from '../../src/declare/search.ts';
import type { StoreSession } from '../../src/engine/store.ts';
import type { SearchBackend } from '../../src/storage/search/backend.ts';
import { openEmbeddedSearch } from '../../src/storage/search/embedded.ts';
import { turnsDuring } from '../turns.ts';
import { articleRows, harness, ORGANISATIONS, ticketRows } from './search-rows.ts';
import { chainOn, dan, jane } from './search-test-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'tamshai-search-turns-'));
const file = join(folder, 'search.db');
let [inTurns, atOnce]: SearchBackend[] = [];
beforeAll(async () => {
  inTurns = openEmbeddedSearch(file, harness, { wordsAtOnce: 0 });
  atOnce = openEmbeddedSearch(file, harness, { wordsAtOnce: Number.POSITIVE_INFINITY });
  for (const [name, rows] of [
    ['tickets', ticketRows()],
    ['articles', articleRows()],
    ['organisations', ORGANISATIONS],
  ] as const)
    await inTurns.loader.fill(name, rows as never, () => {});
});
afterAll(async () => {
  await inTurns?.close();
  await atOnce?.close();
  rmSync(folder, { recursive: true, force: true });
});

const ticket = z.object({ ticket_id: z.string(), created_at: z.string(), _score: z.number(), subject: z.string() });
type Ticket = z.output<typeof ticket>;
const BEST: Order<keyof Ticket & string> = desc('_score', 'created_at', 'ticket_id');
/** Words that one of the tickets contains. */
const FOUND = 'Exporting the sales dashboard as CSV ends with a gateway timeout after two minutes, dashboard export times out';
const QUESTIONS = [
  FOUND,
  'dashboard',
  'dashboard export to CSV times out',
  'exprot dashbord timeuot pasword',
  'the customer cannot export the report for the team since the last update and the dashboard is slow again please help us with the data',
  'a b c d e f g h i j k l m n o p q r s t u v w x y z',
  'zzzz yyyy xxxx',
];

interface Asking {
  readonly who: StoreSession;
  readonly words: string;
  readonly filter?: Filter | undefined;
  readonly order?: Order<keyof Ticket & string>;
  readonly take?: number;
}
async function everyPage(backend: SearchBackend | undefined, { who, words, filter, order = BEST, take = 7 }: Asking): Promise<Ticket[]> {
  if (backend === undefined) throw new Error('not open');
  const store = backend.store(chainOn(backend, 'desk-test'));
  const found: Ticket[] = [];
  for (let after: readonly KeyPart[] | undefined; ; ) {
    const page = (await store.page(who, searchWords.from('tickets', filter, words), { order, after, take }, ticket)) as Ticket[];
    found.push(...page);
    const last = page.at(-1);
    if (page.length < take || last === undefined) return found;
    after = order.keys.map((key) => last[key]);
  }
}

describe.each(QUESTIONS)('a search for "%s"', (words) => {
  const askings: [string, Asking][] = [
    ['an agent, best first', { who: dan, words }],
    ['a customer, best first', { who: jane, words }],
    ['an agent, with a filter', { who: dan, words, filter: filters.where({ status: 'open' } as never) }],
    ['an agent, by id', { who: dan, words, order: asc('ticket_id') }],
  ];
  test.each(askings)('returns the same rows with and without yielding: %s', async (_name, asking) => {
    const expected = await everyPage(atOnce, asking);
    expect(await everyPage(inTurns, asking)).toEqual(expected);
  });
});

test('a search yields to the event loop after each word', async () => {
  const { turns, result } = await turnsDuring(() => everyPage(inTurns, { who: dan, words: FOUND, take: 1_000 }));
  expect(result.length).toBeGreaterThan(0);
  expect(turns).toBeGreaterThan(10);
  const { turns: short } = await turnsDuring(() => everyPage(atOnce, { who: dan, words: FOUND, take: 1_000 }));
  expect(short).toBeLessThan(turns);
});
