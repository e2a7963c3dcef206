/** Compares the figures of the stores with the bare SQL statements, and measures the figures of the embedded stores. */
import { join } from 'node:path';
import pg from 'pg';
import { searchWords } from '../src/declare/search.ts';
import { type SqlText, sql } from '../src/declare/sql.ts';
import { documentWords } from '../src/declare/documents.ts';
import type { GroupKey, GroupMeasure, GroupsQuery, Store, StoreSession } from '../src/engine/store.ts';
import { openEmbeddedDocuments } from '../src/storage/documents/embedded.ts';
import { type Collections, createDocumentStore } from '../src/storage/documents/store.ts';
import { openEmbeddedSearch } from '../src/storage/search/embedded.ts';
import { giveLogins } from '../src/storage/sql/migrate.ts';
import { openPostgres } from '../src/storage/sql/postgres.ts';
import { createSqlStore } from '../src/storage/sql/store.ts';
import { sales } from '../domains/sales/domain.ts';
import { COLLECTION, sample } from './documents.ts';
import type { Line } from './lines.ts';
import { cpuOfTree, median } from './load.ts';
import { domain, fill } from './search.ts';
import type { Company } from './sql.ts';
import { chainOf, sessionOf, type Timing } from './turns.ts';

const PASSWORD = 'bench';
const MOST = 1_000;
const COUNT: GroupMeasure = { of: 'count' };
const plain = (field: string): GroupKey => ({ field, type: 'plain' });
/** The first days of the quarters of ten years. */
const quarters = (): string[] =>
  Array.from({ length: 41 }, (_, n) => new Date(Date.UTC(new Date().getUTCFullYear() - 9, 3 * n, 1)).toISOString().slice(0, 10));
const asked = (by: readonly GroupKey[], measures: readonly GroupMeasure[] = [COUNT]): GroupsQuery => ({
  where: undefined,
  by,
  measures,
  most: MOST,
});
const average = (field: string): GroupMeasure[] => [
  { of: 'sum', field, decimals: 2 },
  { of: 'count', field },
];

interface Figure {
  readonly name: string;
  readonly ask: () => Promise<number>;
}
interface Cost {
  readonly micros: number;
  readonly groups: number;
}

/** The CPU time of the database for one run of each figure, in alternating rounds. */
async function costs(figures: readonly Figure[], root: number, { ms, rounds }: Timing): Promise<ReadonlyMap<string, Cost>> {
  const all = new Map<string, number[]>(figures.map(({ name }) => [name, []]));
  const groups = new Map<string, number>();
  for (const { name, ask } of figures) groups.set(name, await ask());
  for (let n = 0; n < rounds; n++) {
    for (const { name, ask } of figures) {
      const before = cpuOfTree(root);
      const end = performance.now() + ms;
      let runs = 0;
      while (runs === 0 || performance.now() < end) {
        await ask();
        runs++;
      }
      all.get(name)?.push((cpuOfTree(root) - before) / runs);
    }
  }
  return new Map([...all].map(([name, micros]) => [name, { micros: median(micros), groups: groups.get(name) ?? 0 }]));
}

const staff = sql`select * from hr.staff where true`;
const team = sql`select * from hr.team where true`;
const inEngineering = sql`select * from hr.staff where department_key = lower(${'Engineering'})`;

/** Figures about employees. The cost for a manager may grow with the number of people below them, so it is compared per person. */
export async function figureLines({ postgres, trees }: Company, rows: number, timing: Timing): Promise<Line[]> {
  const owner = new pg.Client({ connectionString: postgres.url });
  await owner.connect();
  await giveLogins(owner, ['hr'], () => PASSWORD);
  const database = openPostgres({ url: postgres.url, password: () => PASSWORD, pingAs: 'hr_audit', readers: 1 });
  const store: Store<'sql'> = createSqlStore(database, 'hr', { chain: chainOf(async () => undefined), audit: undefined as never });
  const hr: StoreSession = { ...sessionOf('alice.chen', 'hr'), shows: ['pay'] };
  const bare = (name: string, text: string): Figure => ({ name: `bare ${name}`, ask: async () => (await owner.query(text)).rows.length });
  const ours = (name: string, query: SqlText, what: GroupsQuery, who = hr): Figure => ({
    name,
    ask: async () => (await store.groups(who, query, what)).length,
  });
  const byDepartment = asked([plain('department')]);
  const heads = trees.map(({ people, head }) => ({
    people,
    figure: ours(`manager of ${people}`, team, byDepartment, {
      ...hr,
      audience: 'reports',
      person: { ...hr.person, employeeId: head },
    }),
  }));
  try {
    const found = await costs(
      [
        bare('count', 'select count(*) from hr.employees where active'),
        ours('count', staff, asked([])),
        bare('count of a department', `select count(*) from hr.employees where active and department_key = 'engineering'`),
        ours('count of a department', inEngineering, asked([])),
        bare('count by department', 'select department, count(*) from hr.employees where active group by 1'),
        ours('count by department', staff, byDepartment),
        bare(
          'average by department and quarter',
          `select department, date_trunc('quarter', hire_date), avg(salary) from hr.employees left join hr.pay using (employee_id)
            where active group by 1, 2`,
        ),
        ours(
          'average by department and quarter',
          staff,
          asked([plain('department'), { field: 'hire_date', type: 'day', edges: quarters() }], average('salary')),
        ),
        ...heads.map(({ figure }) => figure),
      ],
      postgres.pid,
      timing,
    );
    const ratio = (what: string, name: string, other: string, goal: number): Line => {
      const [one, two] = [found.get(name), found.get(other)];
      return {
        what,
        goal,
        ratio: (one?.micros ?? 0) / Math.max(two?.micros ?? 0, 1),
        note:
          `${((one?.micros ?? 0) / 1000).toFixed(1)} ms CPU in the database, compared with ` +
          `${((two?.micros ?? 0) / 1000).toFixed(1)} ms`,
      };
    };
    const of = `of ${rows.toLocaleString('en')}`;
    const [small, large] = [heads.find(({ people }) => people >= 500), heads.at(-1)];
    const lines = ['count', 'count of a department', 'count by department', 'average by department and quarter'].map((name) =>
      ratio(`${name} ${of} employees × bare statement`, name, `bare ${name}`, 1.3),
    );
    if (small !== undefined && large !== undefined && small !== large) {
      const line = ratio(
        `per person: manager of ${large.people.toLocaleString('en')} × manager of ${small.people.toLocaleString('en')}`,
        large.figure.name,
        small.figure.name,
        2,
      );
      lines.push({ ...line, ratio: (line.ratio * small.people) / large.people });
    }
    return lines;
  } finally {
    await owner.end();
    await database.close();
  }
}

async function took(what: string, ask: () => Promise<unknown>, { ms, rounds }: Timing): Promise<Line> {
  const times: number[] = [];
  const end = performance.now() + ms * rounds;
  for (let n = 0; n < 5 || performance.now() < end; n++) {
    const begun = performance.now();
    await ask();
    times.push(performance.now() - begun);
  }
  return { what, ratio: median(times), unit: 'ms', goal: 100, note: `${times.length} runs` };
}

/** The embedded stores are made for data of this size. */
export async function embeddedFigureLines(folder: string, count: number, timing: Timing): Promise<Line[]> {
  const day: GroupKey = { field: 'close_date', type: 'day', edges: quarters() };
  const documents = openEmbeddedDocuments(join(folder, 'figures.db'));
  const search = openEmbeddedSearch(join(folder, 'figures-search.db'), domain);
  const of = `${count.toLocaleString('en')} rows, embedded`;
  try {
    const database = documents.of('sales');
    await database.fill(COLLECTION, sample(count), () => {});
    const deals = createDocumentStore(
      database,
      sales.spec.collections as Collections,
      chainOf(async () => undefined),
    );
    await fill(search, count);
    const tickets = search.store(chainOf(async () => undefined));
    const [carol, dan] = [sessionOf('carol.johnson', 'sales'), sessionOf('dan.williams', 'support')];
    const created: GroupKey = { field: 'created_at', type: 'time', edges: quarters().map((each) => `${each}T00:00:00.000Z`) };
    const inDeals = (query: GroupsQuery) => () => deals.groups(carol, documentWords.from(COLLECTION), query);
    const inTickets = (query: GroupsQuery) => () => tickets.groups(dan, searchWords.from('tickets'), query);
    return [
      await took(`documents, ${of}: count by stage`, inDeals(asked([plain('stage')])), timing),
      await took(`documents, ${of}: average by stage and quarter`, inDeals(asked([plain('stage'), day], average('value'))), timing),
      await took(`search, ${of}: count by priority`, inTickets(asked([plain('priority')])), timing),
      await took(
        `search, ${of}: average by priority and quarter`,
        inTickets(asked([plain('priority'), created], average('resolution_minutes'))),
        timing,
      ),
    ];
  } finally {
    await documents.close();
    await search.close();
  }
}
