/** What hr says of people reaches the copies of finance and payroll: all of it, once, in order, and nothing else moves. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keepPeople } from '../../src/app/people-feed.ts';
import { sqlFolder } from '../../src/app/stores.ts';
import { migrate, migrations } from '../../src/storage/sql/migrate.ts';
import { sqlPeopleFeed } from '../../src/storage/sql/people-feed.ts';
import { openPglite } from '../../src/storage/sql/pglite.ts';
import { code, databases, employeeIdOf as id } from '../world.ts';
import { EMPLOYEES, type FeedWorld, openFeedWorld } from './people-feed-world.ts';

const [eve, alice, nina, marcus, sarah, frank] = [
  'eve.thompson',
  'alice.chen',
  'nina.patel',
  'marcus.johnson',
  'sarah.kim',
  'frank.davis',
] as const;

describe.each(databases)('people from hr to finance and payroll on %s', (kind, address) => {
  let world: FeedWorld;
  beforeAll(async () => void (world = await openFeedWorld(address)), 120_000);
  afterAll(() => world?.close());

  test('the sample company is the same on both sides: all is looked at, nothing is written', async () => {
    expect(await world.positions()).toEqual({ finance: 0, payroll: 0 });
    expect((await world.feed.after(0)).people).toHaveLength(EMPLOYEES);
    await world.bringUp();
    const last = await world.newest();
    expect(await world.positions()).toEqual({ finance: last, payroll: last });
    expect(new Set(Object.values(await world.versions()))).toEqual(new Set([1]));
    expect((await world.feed.after(last)).people).toEqual([]);
    await world.right();
  });

  test('someone joins: finance knows them, payroll only when there is pay', async () => {
    const who = await world.hire(id(nina));
    expect(await world.feed.after((await world.newest()) - 1)).toEqual({
      last: await world.newest(),
      people: [{ n: await world.newest(), employeeId: who, name: 'Ann Example', department: 'Legal', managerId: id(nina), active: true }],
    });
    await world.bringUp();
    expect(await world.inFinance(who)).toEqual({ name: 'Ann Example', department: 'Legal', manager_id: id(nina), active: true });
    expect(await world.above(who)).toEqual(await world.inHr(who));
    expect(await world.above(who)).toContain(id(eve));
    expect(await world.inPayroll(who)).toBeUndefined();
    await world.right();
  });

  test('a new name and another department reach both, and nobody else’s row', async () => {
    const before = await world.versions();
    await world.owner("update hr.employees set last_name = 'O’Neill', department = 'Legal' where employee_id = $1", [id(marcus)]);
    await world.bringUp();
    expect(await world.inFinance(id(marcus))).toMatchObject({ name: 'Marcus O’Neill', department: 'Legal' });
    expect(await world.inPayroll(id(marcus))).toEqual({ employee_name: 'Marcus O’Neill', active: true });
    expect(await world.versions()).toEqual({ ...before, [id(marcus)]: (before[id(marcus)] ?? 0) + 1 });
    await world.owner("update hr.employees set last_name = 'Johnson', department = 'Engineering' where employee_id = $1", [id(marcus)]);
    await world.bringUp();
    await world.right();
  });

  test('a manager moves with everyone below', async () => {
    const before = await world.above(id(sarah));
    const boss = (await world.inFinance(id(nina)))?.['manager_id'];
    await world.owner('update hr.employees set manager_id = $2 where employee_id = $1', [id(nina), id(alice)]);
    await world.bringUp();
    expect(await world.above(id(sarah))).toEqual([id(nina), id(alice), id(eve)].toSorted());
    await world.right();
    await world.owner('update hr.employees set manager_id = $2 where employee_id = $1', [id(nina), boss]);
    await world.bringUp();
    expect(await world.above(id(sarah))).toEqual(before);
    await world.right();
  });

  test('who leaves is below nobody, and comes back where they were', async () => {
    const before = await world.above(id(frank));
    expect(before.length).toBeGreaterThan(0);
    await world.owner('update hr.employees set active = false, terminated_at = now() where employee_id = $1', [id(frank)]);
    await world.bringUp();
    expect(await world.inFinance(id(frank))).toMatchObject({ active: false });
    expect(await world.inPayroll(id(frank))).toMatchObject({ active: false });
    expect(await world.above(id(frank))).toEqual([]);
    await world.owner('update hr.employees set active = true, terminated_at = null where employee_id = $1', [id(frank)]);
    await world.bringUp();
    expect(await world.inFinance(id(frank))).toMatchObject({ active: true });
    expect(await world.inPayroll(id(frank))).toMatchObject({ active: true });
    expect(await world.above(id(frank))).toEqual(before);
    await world.right();
  });

  test('who is removed altogether is gone from the chain, and their expenses keep their name', async () => {
    const who = await world.hire(id(nina), 'Brief');
    await world.bringUp();
    await world.owner('delete from hr.employees where employee_id = $1', [who]);
    await world.bringUp();
    expect(await world.inFinance(who)).toEqual({ name: 'Brief Example', department: 'Legal', manager_id: id(nina), active: false });
    expect(await world.above(who)).toEqual([]);
    await world.right();
  });

  test('what concerns no copy is not told; what was undone in between moves nothing', async () => {
    const last = await world.newest();
    await world.owner(
      "update hr.employees set job_title = 'Principal Engineer', location = 'Berlin', email = 'new@example.com' where employee_id = $1",
      [id(sarah)],
    );
    await world.owner('update hr.employees set first_name = first_name, active = active');
    expect(await world.newest()).toBe(last);
    const before = await world.versions();
    await world.owner("update hr.employees set first_name = 'Sally' where employee_id = $1", [id(sarah)]);
    await world.owner("update hr.employees set first_name = 'Sarah' where employee_id = $1", [id(sarah)]);
    expect(await world.newest()).toBeGreaterThan(last);
    await world.bringUp();
    expect((await world.positions()).finance).toBe(await world.newest());
    expect(await world.versions()).toEqual(before);
  });

  test('pages: those below may come long before their managers, and two applying at once write each change once', async () => {
    // 610 people in three tiers, told from the lowest to the highest.
    await world.owner(
      `insert into hr.employees (employee_id, first_name, last_name, email, department, job_title, location, manager_id, hire_date)
       select ('aaaaaaaa-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'Page', 'P' || n, 'p' || n, 'Legal', 'Counsel', 'Berlin',
         case when n > 600 then $1::uuid else ('aaaaaaaa-0000-4000-8000-' || lpad((case when n > 500 then 601 + (n - 501) / 10 else 501 + (n - 1) / 5 end)::text, 12, '0'))::uuid end, '2026-01-01'
       from generate_series(1, 610) n`,
      [id(eve)],
    );
    expect((await world.feed.after((await world.positions()).finance)).people).toHaveLength(500);
    await Promise.all(Array.from({ length: 3 }, (_, n) => world.bringUp(n)));
    await world.right();
    expect(
      await world.owner("select count(*)::int as n, max(row_version)::int as v from finance.people where name like 'Page P%'"),
    ).toEqual([{ n: 610, v: 1 }]);

    const before = await world.versions();
    await world.owner("update hr.employees set department = 'Sales' where first_name = 'Page'");
    await Promise.all(Array.from({ length: 3 }, (_, n) => world.bringUp(n)));
    const after = await world.versions();
    expect(
      new Set(Object.entries(after).map(([who, version]) => `${who.slice(0, 8) === 'aaaaaaaa'} ${version - (before[who] ?? 0)}`)),
    ).toEqual(new Set(['true 1', 'false 0']));
    expect(await world.positions()).toEqual({ finance: await world.newest(), payroll: await world.newest() });
    await world.right();
  }, 60_000);

  test('of a page for a position that is no longer there nothing is taken', async () => {
    const [copy] = world.copiesOf(0);
    const at = (await world.positions()).finance;
    const stale = { n: at, employeeId: id(nina), name: 'Somebody Else', department: 'Legal', managerId: null, active: false };
    expect(await copy?.take([stale], at - 1, at + 1)).toBe(at);
    expect(await world.inFinance(id(nina))).not.toMatchObject({ name: 'Somebody Else' });
  });

  test('each seeming to be below the other for a moment is no trouble', async () => {
    const [a, b] = [await world.hire(id(alice), 'One'), await world.hire(id(alice), 'Two')];
    await world.bringUp();
    await world.owner('update finance.people set manager_id = $2 where employee_id = $1', [a, b]);
    await world.owner('update finance.people set manager_id = $2 where employee_id = $1', [b, a]);
    expect([await world.above(a), await world.above(b)]).toEqual([[b], [a]]);
    await world.owner('update hr.employees set manager_id = $2 where employee_id = any ($1)', [[a, b], id(nina)]);
    await world.bringUp();
    await world.right();
  });

  test('an hr that was set back to an earlier state is looked at from the beginning', async () => {
    await world.owner('update finance.feed set n = n + 1000000');
    await world.owner("update finance.people set name = 'From A Future' where employee_id = $1", [id(nina)]);
    await world.bringUp();
    expect(await world.inFinance(id(nina))).toMatchObject({ name: 'Nina Patel' });
    expect((await world.positions()).finance).toBe(await world.newest());
    await world.right();
  });

  test('a card that waits outlives what does not concern it, and no other change', async () => {
    const ask = () =>
      world.ask(marcus, 'finance', 'submit_expense_report', { month: '2026-11', items: [{ description: 'Taxi', amount: 42.5 }] });
    const unrelated = await ask();
    await world.owner("update hr.employees set first_name = first_name || '-Ann' where manager_id = $1 and employee_id <> $2", [
      id(nina),
      id(marcus),
    ]);
    await world.owner("update hr.employees set job_title = 'Fellow' where employee_id = $1", [id(marcus)]);
    await world.owner("update hr.people_log set n = nextval('hr.people_log_n') where employee_id = $1", [id(marcus)]);
    await world.bringUp();
    expect(code(await world.approve(marcus, unrelated.confirmationId))).toBe('success');
    const related = await ask();
    await world.owner("update hr.employees set last_name = 'Johnston' where employee_id = $1", [id(marcus)]);
    await world.bringUp();
    expect(code(await world.approve(marcus, related.confirmationId))).toBe('CHANGED_SINCE_APPROVAL');
  });

  test('every two seconds, or as told; closing ends it', async () => {
    const keeper = await keepPeople({ feed: world.feed, copies: world.copiesOf(0), log: world.log, everyMs: 20 });
    await world.owner("update hr.employees set first_name = 'Franklin' where employee_id = $1", [id(frank)]);
    const asHr = async () => [await world.inFinance(id(frank)), await world.inPayroll(id(frank))];
    await expect.poll(asHr, { timeout: 5000 }).toMatchObject([{ name: 'Franklin Davis' }, { employee_name: 'Franklin Davis' }]);
    await keeper.close();
    await world.owner("update hr.employees set first_name = 'Frank' where employee_id = $1", [id(frank)]);
    await new Promise((later) => setTimeout(later, 150));
    expect(await world.inFinance(id(frank))).toMatchObject({ name: 'Franklin Davis' });
    await world.bringUp();
    await world.right();
  });
  if (kind === 'PGlite') return;
  test('the order of numbers is the order of commits', async () => {
    await world.bringUp();
    const [name] = await world.owner('select current_database() as name');
    const own = new URL(address);
    own.pathname = `/${String(name?.['name'])}`;
    const [first, second] = [new pg.Client({ connectionString: own.href }), new pg.Client({ connectionString: own.href })];
    await Promise.all([first.connect(), second.connect()]);
    const rename = 'update hr.employees set first_name = $2 where employee_id = $1';
    const at = await world.newest();
    await first.query('begin');
    await first.query(rename, [id(sarah), 'First']);
    let ended = false;
    const other = second.query(rename, [id(frank), 'Second']).then(() => (ended = true));
    await new Promise((later) => setTimeout(later, 200));
    expect([ended, (await world.feed.after(at)).people]).toEqual([false, []]);
    await first.query('commit');
    await other;
    expect((await world.feed.after(at)).people.map((each) => each.employeeId)).toEqual([id(sarah), id(frank)]);
    await Promise.all([first.end(), second.end()]);
    await world.bringUp();
    await world.right();
  });
});
test('people who were there before the log was come through, for an owner whom the rules bind too', async () => {
  const database = await openPglite();
  const { owner } = database;
  await owner.query(
    'create role tamshai_test_feed_owner createrole; grant create on database postgres to tamshai_test_feed_owner; set session authorization tamshai_test_feed_owner',
  );
  const files = migrations(sqlFolder, ['hr']);
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
  expect((await sqlPeopleFeed(database).after(0)).people.map(({ name, active }) => ({ name, active }))).toEqual(
    Array.from({ length: 3 }, () => ({ name: 'Old Hand', active: true })),
  );
  await database.close();
}, 60_000);
