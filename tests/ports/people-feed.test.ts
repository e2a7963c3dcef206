/** The people feed copies changes of employees from hr to finance and payroll: completely, once and in order. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { peopleChangesProvision } from '../../domains/hr/provides.ts';
import { answerContract } from '../../src/engine/contracts.ts';
import { syncCopies } from '../../src/server/copies.ts';
import { migrate } from '../../src/storage/sql/migrate.ts';
import { openPglite } from '../../src/storage/sql/pglite.ts';
import { createSqlStore } from '../../src/storage/sql/store.ts';
import { code, databases, employeeIdOf as id } from '../test-runtime.ts';
import { EMPLOYEES, type FeedTestStore, openFeedTestStore, readerOf } from './people-feed-test-store.ts';
import { migrationsOf } from '../../src/server/schemas.ts';
import { builtIn } from '../registry.ts';

const [eve, alice, nina, marcus, sarah, frank] = [
  'eve.thompson',
  'alice.chen',
  'nina.patel',
  'marcus.johnson',
  'sarah.kim',
  'frank.davis',
] as const;

describe.each(databases)('people from hr to finance and payroll on %s', (kind, address) => {
  let testRuntime: FeedTestStore;
  beforeAll(async () => void (testRuntime = await openFeedTestStore(address)), 120_000);
  afterAll(() => testRuntime?.close());

  test('the first run compares the whole sample company and writes nothing, because the copies are equal', async () => {
    expect(await testRuntime.positions()).toEqual({ finance: 0, payroll: 0 });
    expect((await testRuntime.feed.after(0)).changes).toHaveLength(EMPLOYEES);
    await testRuntime.bringUp();
    const last = await testRuntime.newest();
    expect(await testRuntime.positions()).toEqual({ finance: last, payroll: last });
    expect(new Set(Object.values(await testRuntime.versions()))).toEqual(new Set([1]));
    expect((await testRuntime.feed.after(last)).changes).toEqual([]);
    await testRuntime.right();
  });

  test('a new employee reaches finance, but not payroll, where there is no pay yet', async () => {
    const who = await testRuntime.hire(id(nina));
    expect(await testRuntime.feed.after((await testRuntime.newest()) - 1)).toEqual({
      last: await testRuntime.newest(),
      changes: [
        { n: await testRuntime.newest(), employeeId: who, name: 'Ann Example', department: 'Legal', managerId: id(nina), active: true },
      ],
    });
    await testRuntime.bringUp();
    expect(await testRuntime.inFinance(who)).toEqual({ name: 'Ann Example', department: 'Legal', manager_id: id(nina), active: true });
    expect(await testRuntime.above(who)).toEqual(await testRuntime.inHr(who));
    expect(await testRuntime.above(who)).toContain(id(eve));
    expect(await testRuntime.inPayroll(who)).toBeUndefined();
    await testRuntime.right();
  });

  test('a new name reaches both copies, a new department reaches finance, and no other row changes', async () => {
    const before = await testRuntime.versions();
    await testRuntime.owner("update hr.employees set last_name = 'O’Neill', department = 'Legal' where employee_id = $1", [id(marcus)]);
    await testRuntime.bringUp();
    expect(await testRuntime.inFinance(id(marcus))).toMatchObject({ name: 'Marcus O’Neill', department: 'Legal' });
    expect(await testRuntime.inPayroll(id(marcus))).toEqual({ employee_name: 'Marcus O’Neill', active: true });
    expect(await testRuntime.versions()).toEqual({ ...before, [id(marcus)]: (before[id(marcus)] ?? 0) + 1 });
    await testRuntime.owner("update hr.employees set last_name = 'Johnson', department = 'Engineering' where employee_id = $1", [
      id(marcus),
    ]);
    await testRuntime.bringUp();
    await testRuntime.right();
  });

  test('when a manager moves, the chain of everyone below changes too', async () => {
    const before = await testRuntime.above(id(sarah));
    const boss = (await testRuntime.inFinance(id(nina)))?.['manager_id'];
    await testRuntime.owner('update hr.employees set manager_id = $2 where employee_id = $1', [id(nina), id(alice)]);
    await testRuntime.bringUp();
    expect(await testRuntime.above(id(sarah))).toEqual([id(nina), id(alice), id(eve)].toSorted());
    await testRuntime.right();
    await testRuntime.owner('update hr.employees set manager_id = $2 where employee_id = $1', [id(nina), boss]);
    await testRuntime.bringUp();
    expect(await testRuntime.above(id(sarah))).toEqual(before);
    await testRuntime.right();
  });

  test('a person who leaves is removed from the chain, and returns to the same place', async () => {
    const before = await testRuntime.above(id(frank));
    expect(before.length).toBeGreaterThan(0);
    await testRuntime.owner('update hr.employees set active = false, terminated_at = now() where employee_id = $1', [id(frank)]);
    await testRuntime.bringUp();
    expect(await testRuntime.inFinance(id(frank))).toMatchObject({ active: false });
    expect(await testRuntime.inPayroll(id(frank))).toMatchObject({ active: false });
    expect(await testRuntime.above(id(frank))).toEqual([]);
    await testRuntime.owner('update hr.employees set active = true, terminated_at = null where employee_id = $1', [id(frank)]);
    await testRuntime.bringUp();
    expect(await testRuntime.inFinance(id(frank))).toMatchObject({ active: true });
    expect(await testRuntime.inPayroll(id(frank))).toMatchObject({ active: true });
    expect(await testRuntime.above(id(frank))).toEqual(before);
    await testRuntime.right();
  });

  test('a deleted employee stays in finance as inactive, with the name, and is not in the chain', async () => {
    const who = await testRuntime.hire(id(nina), 'Brief');
    await testRuntime.bringUp();
    await testRuntime.owner('delete from hr.employees where employee_id = $1', [who]);
    await testRuntime.bringUp();
    expect(await testRuntime.inFinance(who)).toEqual({ name: 'Brief Example', department: 'Legal', manager_id: id(nina), active: false });
    expect(await testRuntime.above(who)).toEqual([]);
    await testRuntime.right();
  });

  test('a change of fields that are not copied is not logged, and a reverted change writes nothing', async () => {
    const last = await testRuntime.newest();
    await testRuntime.owner(
      "update hr.employees set job_title = 'Principal Engineer', location = 'Berlin', email = 'new@example.com' where employee_id = $1",
      [id(sarah)],
    );
    await testRuntime.owner('update hr.employees set first_name = first_name, active = active');
    expect(await testRuntime.newest()).toBe(last);
    const before = await testRuntime.versions();
    await testRuntime.owner("update hr.employees set first_name = 'Sally' where employee_id = $1", [id(sarah)]);
    await testRuntime.owner("update hr.employees set first_name = 'Sarah' where employee_id = $1", [id(sarah)]);
    expect(await testRuntime.newest()).toBeGreaterThan(last);
    await testRuntime.bringUp();
    expect((await testRuntime.positions()).finance).toBe(await testRuntime.newest());
    expect(await testRuntime.versions()).toEqual(before);
  });

  test('the feed may return people several pages before their managers, and concurrent runs write each change once', async () => {
    // 610 people on three levels: the feed returns the lowest level first, the managers last.
    await testRuntime.owner(
      `insert into hr.employees (employee_id, first_name, last_name, email, department, job_title, location, manager_id, hire_date)
       select ('aaaaaaaa-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'Page', 'P' || n, 'p' || n, 'Legal', 'Counsel', 'Berlin',
         case when n > 600 then $1::uuid else ('aaaaaaaa-0000-4000-8000-' || lpad((case when n > 500 then 601 + (n - 501) / 10 else 501
         + (n - 1) / 5 end)::text, 12, '0'))::uuid end, '2026-01-01'
       from generate_series(1, 610) n`,
      [id(eve)],
    );
    expect((await testRuntime.feed.after((await testRuntime.positions()).finance)).changes).toHaveLength(500);
    await Promise.all(Array.from({ length: 3 }, (_, n) => testRuntime.bringUp(n)));
    await testRuntime.right();
    expect(
      await testRuntime.owner("select count(*)::int as n, max(row_version)::int as v from finance.people where name like 'Page P%'"),
    ).toEqual([{ n: 610, v: 1 }]);

    const before = await testRuntime.versions();
    await testRuntime.owner("update hr.employees set department = 'Sales' where first_name = 'Page'");
    await Promise.all(Array.from({ length: 3 }, (_, n) => testRuntime.bringUp(n)));
    const after = await testRuntime.versions();
    expect(
      new Set(Object.entries(after).map(([who, version]) => `${who.slice(0, 8) === 'aaaaaaaa'} ${version - (before[who] ?? 0)}`)),
    ).toEqual(new Set(['true 1', 'false 0']));
    expect(await testRuntime.positions()).toEqual({ finance: await testRuntime.newest(), payroll: await testRuntime.newest() });
    await testRuntime.right();
  }, 60_000);

  test('a page that starts at an outdated position is ignored', async () => {
    const [copy] = testRuntime.copiesOf(0);
    const at = (await testRuntime.positions()).finance;
    const stale = { n: at, employeeId: id(nina), name: 'Somebody Else', department: 'Legal', managerId: null, active: false };
    expect(await copy?.take([stale], at - 1, at + 1)).toBe(at);
    expect(await testRuntime.inFinance(id(nina))).not.toMatchObject({ name: 'Somebody Else' });
  });

  test('a cycle between two people in the copy is accepted, and the next update corrects it', async () => {
    const [a, b] = [await testRuntime.hire(id(alice), 'One'), await testRuntime.hire(id(alice), 'Two')];
    await testRuntime.bringUp();
    await testRuntime.owner('update finance.people set manager_id = $2 where employee_id = $1', [a, b]);
    await testRuntime.owner('update finance.people set manager_id = $2 where employee_id = $1', [b, a]);
    expect([await testRuntime.above(a), await testRuntime.above(b)]).toEqual([[b], [a]]);
    await testRuntime.owner('update hr.employees set manager_id = $2 where employee_id = any ($1)', [[a, b], id(nina)]);
    await testRuntime.bringUp();
    await testRuntime.right();
  });

  test('the feed is read from the beginning if hr was restored to an earlier state', async () => {
    await testRuntime.owner('update finance.feed set n = n + 1000000');
    await testRuntime.owner("update finance.people set name = 'From A Future' where employee_id = $1", [id(nina)]);
    await testRuntime.bringUp();
    expect(await testRuntime.inFinance(id(nina))).toMatchObject({ name: 'Nina Patel' });
    expect((await testRuntime.positions()).finance).toBe(await testRuntime.newest());
    await testRuntime.right();
  });

  test('a pending ticket stays valid when other people change, but not when the name of its requester changes', async () => {
    const ask = () =>
      testRuntime.ask(marcus, 'finance', 'submit_expense_report', { month: '2026-11', items: [{ description: 'Taxi', amount: 42.5 }] });
    const unrelated = await ask();
    await testRuntime.owner("update hr.employees set first_name = first_name || '-Ann' where manager_id = $1 and employee_id <> $2", [
      id(nina),
      id(marcus),
    ]);
    await testRuntime.owner("update hr.employees set job_title = 'Fellow' where employee_id = $1", [id(marcus)]);
    await testRuntime.owner("update hr.people_log set n = nextval('hr.people_log_n') where employee_id = $1", [id(marcus)]);
    await testRuntime.bringUp();
    expect(code(await testRuntime.approve(marcus, unrelated.confirmationId))).toBe('success');
    const related = await ask();
    await testRuntime.owner("update hr.employees set last_name = 'Johnston' where employee_id = $1", [id(marcus)]);
    await testRuntime.bringUp();
    expect(code(await testRuntime.approve(marcus, related.confirmationId))).toBe('CHANGED_SINCE_APPROVAL');
  });

  test('the feed runs at the configured interval until it is closed', async () => {
    const peopleFeed = await syncCopies({
      sourceOf: () => testRuntime.feed,
      copies: testRuntime.copiesOf(0),
      log: testRuntime.log,
      everyMs: 20,
    });
    await testRuntime.owner("update hr.employees set first_name = 'Franklin' where employee_id = $1", [id(frank)]);
    const asHr = async () => [await testRuntime.inFinance(id(frank)), await testRuntime.inPayroll(id(frank))];
    await expect.poll(asHr, { timeout: 5000 }).toMatchObject([{ name: 'Franklin Davis' }, { employee_name: 'Franklin Davis' }]);
    await peopleFeed.close();
    await testRuntime.owner("update hr.employees set first_name = 'Frank' where employee_id = $1", [id(frank)]);
    await new Promise((later) => setTimeout(later, 150));
    expect(await testRuntime.inFinance(id(frank))).toMatchObject({ name: 'Franklin Davis' });
    await testRuntime.bringUp();
    await testRuntime.right();
  });
  if (kind === 'PGlite') return;
  test('changes are numbered in the order of their commits', async () => {
    await testRuntime.bringUp();
    const [name] = await testRuntime.owner('select current_database() as name');
    const own = new URL(address);
    own.pathname = `/${String(name?.['name'])}`;
    const [first, second] = [new pg.Client({ connectionString: own.href }), new pg.Client({ connectionString: own.href })];
    await Promise.all([first.connect(), second.connect()]);
    const rename = 'update hr.employees set first_name = $2 where employee_id = $1';
    const at = await testRuntime.newest();
    await first.query('begin');
    await first.query(rename, [id(sarah), 'First']);
    let ended = false;
    const other = second.query(rename, [id(frank), 'Second']).then(() => (ended = true));
    await new Promise((later) => setTimeout(later, 200));
    expect([ended, (await testRuntime.feed.after(at)).changes]).toEqual([false, []]);
    await first.query('commit');
    await other;
    expect((await testRuntime.feed.after(at)).changes.map((each) => each.employeeId)).toEqual([id(sarah), id(frank)]);
    await Promise.all([first.end(), second.end()]);
    await testRuntime.bringUp();
    await testRuntime.right();
  });
});
test('people who existed before the change log are in the feed too, even if row policies apply to the owner', async () => {
  const database = await openPglite();
  const { owner } = database;
  await owner.query(
    'create role tamshai_test_feed_owner createrole; grant create on database postgres to tamshai_test_feed_owner; ' +
      'set session authorization tamshai_test_feed_owner',
  );
  const files = migrationsOf(builtIn, ['hr']);
  await migrate(
    owner,
    files.filter(({ name }) => !/005_feed|policies/.test(name)),
  );
  await owner.query(`alter table hr.employees disable trigger user;
    insert into hr.employees (employee_id, first_name, last_name, email, department, job_title, location, hire_date)
    select gen_random_uuid(), 'Old', 'Hand', n::text, 'Legal', 'Counsel', 'Berlin', '2020-01-01' from generate_series(1, 3) n;
    alter table hr.employees enable trigger user`);
  await owner.query('alter table hr.employees enable row level security, force row level security');
  await migrate(owner, files);
  await owner.query('set session authorization postgres');
  await database.surrender();
  const stores = { hr: createSqlStore(database, 'hr', { chain: undefined as never, audit: undefined as never }) };
  const clock = { now: () => new Date() };
  const feed = readerOf({ reaches: () => true, ask: (_contract, call) => answerContract({ stores, clock }, peopleChangesProvision, call) });
  expect((await feed.after(0)).changes.map(({ name, active }) => ({ name, active }))).toEqual(
    Array.from({ length: 3 }, () => ({ name: 'Old Hand', active: true })),
  );
  await database.close();
}, 60_000);
