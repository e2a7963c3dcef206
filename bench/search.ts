/** Compares the search store with queries sent directly through the database driver; also measures typos, totals and late pages. */
import { join } from 'node:path';
import { Client } from '@opensearch-project/opensearch';
import { z } from 'zod';
import type { KeyPart } from '../src/engine/lists/cursor.ts';
import { is } from '../src/declare/filter.ts';
import { desc } from '../src/declare/order.ts';
import { figure, searchWords } from '../src/declare/search.ts';
import { support } from '../domains/support/domain.ts';
import { sla } from '../domains/support/rules.ts';
import { foundTicket } from '../domains/support/schemas.ts';
import { supportSample } from '../domains/support/sample/index.ts';
import type { SearchBackend } from '../src/storage/search/backend.ts';
import { openEmbeddedSearch } from '../src/storage/search/embedded.ts';
import { openSearchServer } from '../src/storage/search/server.ts';
import type { SearchDomain } from '../src/storage/search/shape.ts';
import { stems } from '../src/storage/search/words.ts';
import { openSqlite } from '../src/storage/sqlite-file.ts';
import type { Line } from './lines.ts';
import { chainOf, inTurns, over, PAGE, patiently, placeAfter, type Question, sessionOf, STRIDE, TAKE, type Timing } from './turns.ts';

const ORDER = desc('_score', 'created_at', 'ticket_id');
const who = sessionOf('dan.williams', 'support');
export const domain: SearchDomain = { name: 'support', collections: support.spec.collections as SearchDomain['collections'] };
/** Queries, the same queries with typos, and one query with so many results that it has many pages. */
const WORDS = ['password reset', 'invoice wrong address', 'export csv timeout', 'webhook delayed', 'login problems', 'slow dashboard'];
const TYPOS = ['pasword rest', 'invioce wrong adress', 'exprot csv timeuot', 'webhok delayd', 'logn problms', 'slow dashbord'];
const COMMON = 'the report does not load for the team';

const perLevel = z.object({ priority: z.string(), tier: z.string(), total: z.int(), at_risk: z.int(), breached: z.int() });
const perAgent = z.object({ resolved_by: z.string(), resolved: z.int(), minutes: z.number(), met: z.int() });

interface Bare {
  readonly newest: () => Promise<number> | number;
  readonly search: (words: string) => Promise<number> | number;
  readonly levels: () => Promise<number> | number;
}

const pick = (from: readonly string[], n: number): string => from[n % from.length] ?? '';

async function measured(title: string, backend: SearchBackend, bare: Bare, count: number, timing: Timing): Promise<Line[]> {
  const store = backend.store(chainOf((chain) => backend.last(chain)));
  const page = (words: string, after: readonly KeyPart[] | undefined, take: number) =>
    store.page(who, searchWords.from('tickets', undefined, words), { order: ORDER, after, take }, foundTicket);
  const lastKey = async (words: string, rows: number) =>
    placeAfter<readonly KeyPart[]>(rows, async (from, take) => {
      const last = (await page(words, from, take)).at(-1);
      return last && [last['_score'] as number, last['created_at'] as string, last['ticket_id'] as string];
    });
  const late = Math.min(1_000, Math.floor(count / PAGE));
  const newestAfter = await lastKey('', (late - 1) * PAGE);
  // Counts the matches to find the last full page.
  let found = 0;
  for (let after: readonly KeyPart[] | undefined; found < late * PAGE; ) {
    const rows = await patiently(() => page(COMMON, after, STRIDE));
    const last = rows.at(-1);
    found += rows.length;
    if (rows.length < STRIDE || last === undefined) break;
    after = [last['_score'] as number, last['created_at'] as string, last['ticket_id'] as string];
  }
  const lateFound = Math.max(2, Math.min(late, Math.floor(found / PAGE)));
  const foundAfter = await lastKey(COMMON, (lateFound - 1) * PAGE);

  const now = new Date();
  const levels = () =>
    store.read(who, ({ search }) =>
      search.groups(perLevel, 'tickets', sla.waiting(search), {
        by: ['priority', 'tier'],
        figures: {
          total: figure.count(),
          at_risk: figure.count(sla.atRisk(search, now)),
          breached: figure.count(sla.breached(search, now)),
        },
      }),
    );
  const since = new Date(now.getTime() - 30 * 86_400_000).toISOString().slice(0, 10);
  const agents = () =>
    store.read(who, ({ search }) =>
      search.groups(perAgent, 'tickets', search.where({ resolved_by: is.there, resolved_at: is.atLeast(since) }), {
        by: ['resolved_by'],
        figures: {
          resolved: figure.count(),
          minutes: figure.sum('resolution_minutes'),
          met: figure.count(search.where({ sla_met: true })),
        },
      }),
    );
  const [ofLevels, ofAgents] = [(await patiently(levels)).length, (await patiently(agents)).length];
  const [ofNewest, ofFound] = [
    (await patiently(() => page('', newestAfter, TAKE))).length,
    (await patiently(() => page(COMMON, foundAfter, TAKE))).length,
  ];
  const some = (rows: readonly unknown[]) => Math.min(1, rows.length);
  const questions: Question[] = [
    { name: 'bare newest', rows: TAKE, ask: bare.newest },
    { name: 'newest', rows: TAKE, ask: async () => (await page('', undefined, TAKE)).length },
    { name: 'late newest', rows: ofNewest, ask: async () => (await page('', newestAfter, TAKE)).length },
    { name: 'bare search', rows: 1, ask: async (n) => Math.min(1, await bare.search(pick(WORDS, n))) },
    { name: 'search', rows: 1, ask: async (n) => some(await page(pick(WORDS, n), undefined, TAKE)) },
    { name: 'typo', rows: 1, ask: async (n) => some(await page(pick(TYPOS, n), undefined, TAKE)) },
    { name: 'common', rows: TAKE, ask: async () => (await page(COMMON, undefined, TAKE)).length },
    { name: 'late common', rows: ofFound, ask: async () => (await page(COMMON, foundAfter, TAKE)).length },
    { name: 'bare levels', rows: ofLevels, ask: bare.levels },
    { name: 'levels', rows: ofLevels, ask: async () => (await levels()).length },
    { name: 'agents', rows: ofAgents, ask: async () => (await agents()).length },
  ];
  const took = await inTurns(questions, timing);
  const of = `${title}, ${count.toLocaleString('en')} tickets`;
  return [
    over(took, `${of}: newest ${PAGE} × bare driver`, 'newest', 'bare newest'),
    over(took, `${of}: newest, page ${late.toLocaleString('en')} × page 1`, 'late newest', 'newest', 1.2),
    over(took, `${of}: typical search × bare driver`, 'search', 'bare search'),
    over(took, `${of}: search with typos × typical search`, 'typo', 'search'),
    over(took, `${of}: common words, page 1 × typical search`, 'common', 'search'),
    over(took, `${of}: common words, page ${lateFound.toLocaleString('en')} × page 1`, 'late common', 'common', 1.2),
    over(took, `${of}: figures by priority and tier × bare driver`, 'levels', 'bare levels'),
    over(took, `${of}: figures by agent × by priority and tier`, 'agents', 'levels'),
  ];
}

export async function fill(backend: SearchBackend, count: number): Promise<void> {
  const begun = performance.now();
  const [tickets] = supportSample({ employees: 500, today: new Date(), tickets: count });
  let done = 0;
  await backend.loader.fill('tickets', tickets?.documents() ?? [], (rows) => {
    done += rows;
    if (process.stderr.isTTY) process.stderr.write(`\rtickets: ${Math.round((100 * done) / count)} %`);
  });
  console.log(
    `${count.toLocaleString('en')} tickets loaded in ${Math.round((performance.now() - begun) / 1000)} s into ${backend.product}`,
  );
}

export async function embeddedSearch(folder: string, count: number, timing: Timing): Promise<Line[]> {
  const file = join(folder, 'search.db');
  const backend = openEmbeddedSearch(file, domain);
  const db = openSqlite(file);
  try {
    await fill(backend, count);
    const rowsOf = (rows: unknown) => (rows as [string][]).map(([body]) => JSON.parse(body) as unknown).length;
    const newest = db
      .prepare(`SELECT body FROM support_tickets ORDER BY json_extract(f, '$."created_at"') DESC, id DESC LIMIT ${TAKE}`)
      .raw();
    const search = db
      .prepare(
        `SELECT d.body FROM support_tickets_words w JOIN support_tickets d ON d.doc = w.rowid WHERE support_tickets_words MATCH ?
          ORDER BY rank LIMIT ${TAKE}`,
      )
      .raw();
    const levels = db
      .prepare(
        `SELECT json_extract(f, '$."priority"') AS p, json_extract(f, '$."tier"') AS t, count(*) FROM support_tickets
          WHERE json_extract(f, '$."status"') IN ('open', 'in_progress', 'pending') GROUP BY p, t`,
      )
      .raw();
    const matching = (words: string) =>
      stems(words)
        .split(' ')
        .map((stem) => `"${stem}"`)
        .join(' OR ');
    const bare: Bare = {
      newest: () => rowsOf(newest.all()),
      search: (words) => rowsOf(search.all(matching(words))),
      levels: () => levels.all().length,
    };
    return await measured('Search, embedded', backend, bare, count, timing);
  } finally {
    db.close();
    await backend.close();
  }
}

export async function serverSearch(url: string, title: string, count: number, timing: Timing): Promise<Line[]> {
  const backend = await openSearchServer({ url, prefix: `bench${count}`, domain });
  const client = new Client({ node: url });
  try {
    await fill(backend, count);
    const ask = async (body: object) => {
      const answer = await client.transport.request({ method: 'POST', path: `/bench${count}-support-tickets/_search`, body });
      return answer.body as unknown as { hits: { hits: unknown[] }; aggregations?: { groups: { buckets: unknown[] } } };
    };
    const listed = { size: TAKE, track_total_hits: false, _source: ['row'] };
    const bare: Bare = {
      newest: async () => (await ask({ ...listed, sort: [{ 'f.created_at': 'desc' }, { 'f.ticket_id': 'desc' }] })).hits.hits.length,
      search: async (words) =>
        (await ask({ ...listed, query: { multi_match: { query: stems(words), fields: ['w.*'], type: 'most_fields', fuzziness: 'AUTO' } } }))
          .hits.hits.length,
      levels: async () => {
        const sources = ['priority', 'tier'].map((name) => ({ [name]: { terms: { field: `f.${name}` } } }));
        const query = { terms: { 'f.status': ['open', 'in_progress', 'pending'] } };
        return (
          (await ask({ size: 0, query, aggs: { groups: { composite: { size: 1_000, sources } } } })).aggregations?.groups.buckets.length ??
          0
        );
      },
    };
    return await measured(`Search, ${title}`, backend, bare, count, timing);
  } finally {
    await backend.drop?.();
    await client.close();
    await backend.close();
  }
}
