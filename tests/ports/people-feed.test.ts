/** What hr says of people reaches the copies of finance and payroll: all of it, once, in order, and nothing else moves. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Config } from '../../src/app/config.ts';
import { keepPeople, remotePeopleFeed } from '../../src/app/people-feed.ts';
import { sqlFolder } from '../../src/app/stores.ts';
import { failure } from '../../src/core/errors.ts';
import type { Logger, PeopleCopy, PeopleFeed } from '../../src/core/ports.ts';
import { registry } from '../../src/core/registry.ts';
import * as finance from '../../src/domains/finance/index.ts';
import * as hr from '../../src/domains/hr/index.ts';
import * as payroll from '../../src/domains/payroll/index.ts';
import { domainRoutes } from '../../src/gateway/domain-server.ts';
import { localBackend } from '../../src/gateway/backends.ts';
import { ownGatewayKeys } from '../../src/identity/gateway-keys.ts';
import { signIdentity } from '../../src/identity/internal.ts';
import { type Keys, openKeys } from '../../src/identity/keys.ts';
import { migrate, migrations } from '../../src/storage/sql/migrate.ts';
import { sqlPeopleCopy, sqlPeopleFeed } from '../../src/storage/sql/people-feed.ts';
import { openPglite } from '../../src/storage/sql/pglite.ts';
import { restApp } from '../../src/transports/rest.ts';
import { code, databases, employeeIdOf as id, openWorld, type World } from '../world.ts';

const [eve, alice, nina, marcus, sarah, frank] = [
  'eve.thompson',
  'alice.chen',
  'nina.patel',
  'marcus.johnson',
  'sarah.kim',
  'frank.davis',
] as const;
const TOOLS = [...Object.values(hr), ...Object.values(finance), ...Object.values(payroll)];
/** Where finance's chain is not what its people say; both ways round. */
const WRONG = `
  with recursive up as (
    select manager_id, employee_id from finance.people where active and manager_id is not null
    union select m.manager_id, u.employee_id from up u join finance.people m on m.employee_id = u.manager_id where m.manager_id is not null
  )
  (select 'missing', u.* from up u except select 'missing', c.* from finance.chain c) union all (select 'too much', c.* from finance.chain c except select 'too much', u.* from up u)`;
/** Where the copies are not what hr has. */
const DIFFERENT = `
  (select employee_id, first_name || ' ' || last_name as name, department, manager_id, active from hr.employees
    except select employee_id, name, department collate "default", manager_id, active from finance.people)
  union all select employee_id, employee_name, p.department, null, p.active from payroll.employees p join hr.employees e using (employee_id)
    where (employee_name, p.active) is distinct from (first_name || ' ' || last_name, e.active)`;

const lines: string[] = [];
const log: Logger = {
  info: (fields, message) => void lines.push(`info ${JSON.stringify(fields)} ${message}`),
  warn: (fields, message) => void lines.push(`warn ${JSON.stringify(fields)} ${message}`),
  error: (fields, message) => void lines.push(`error ${JSON.stringify(fields)} ${message}`),
};

describe.each(databases)('people from hr to finance and payroll on %s', (kind, address) => {
  let world: World;
  let feed: PeopleFeed;
  beforeAll(async () => {
    world = await openWorld({ database: address, tools: TOOLS, replicas: 2 });
    feed = feedOf(0);
  }, 120_000);
  afterAll(async () => {
    await world?.close();
    expect(world?.problems).toEqual([]);
  });
  const database = (replica: number) => world.databases[replica % world.databases.length] ?? expect.unreachable();
  const feedOf = (replica: number) => sqlPeopleFeed(database(replica));
  const copiesOf = (replica: number): PeopleCopy[] =>
    ['finance', 'payroll'].map((domain) => sqlPeopleCopy(database(replica), domain) ?? expect.unreachable());
  /** As at a start: everything up to now. */
  const bringUp = async (replica = 0, from: PeopleFeed = feedOf(replica)) =>
    (await keepPeople({ feed: from, copies: copiesOf(replica), log })).close();
  const positions = async () => {
    const [row] = await world.owner('select (select n from finance.feed) as finance, (select n from payroll.feed) as payroll');
    return { finance: Number(row?.['finance']), payroll: Number(row?.['payroll']) };
  };
  const newest = async () => Number((await world.owner('select max(n) as n from hr.people_log'))[0]?.['n']);
  const versions = async (): Promise<Record<string, number>> =>
    Object.fromEntries(
      (await world.owner('select employee_id, row_version from finance.people')).map((row) => [
        row['employee_id'],
        Number(row['row_version']),
      ]),
    );
  const inFinance = async (who: string) =>
    (await world.owner('select name, department, manager_id, active from finance.people where employee_id = $1', [who]))[0];
  const inPayroll = async (who: string) =>
    (await world.owner('select employee_name, active from payroll.employees where employee_id = $1', [who]))[0];
  const above = async (who: string) =>
    (await world.owner('select manager_id from finance.chain where employee_id = $1 order by 1', [who])).map((row) => row['manager_id']);
  const inHr = async (who: string) =>
    (await world.owner('select manager_id from hr.chain where employee_id = $1 order by 1', [who])).map((row) => row['manager_id']);
  const right = async () => {
    expect(await world.owner(WRONG)).toEqual([]);
    expect(await world.owner(DIFFERENT)).toEqual([]);
  };
  const hire = async (manager: string | null, given = 'Ann', who?: string) =>
    String(
      (
        await world.owner(
          `insert into hr.employees (employee_id, first_name, last_name, email, department, job_title, location, manager_id, hire_date)
           values (coalesce($3::uuid, gen_random_uuid()), $2, 'Example', gen_random_uuid()::text, 'Legal', 'Counsel', 'Berlin', $1, '2026-01-01') returning employee_id`,
          [manager, given, who ?? null],
        )
      )[0]?.['employee_id'],
    );

  test('the sample company is the same on both sides: all is looked at, nothing is written', async () => {
    expect(await positions()).toEqual({ finance: 0, payroll: 0 });
    expect((await feed.after(0)).people).toHaveLength(500);
    await bringUp();
    const last = await newest();
    expect(await positions()).toEqual({ finance: last, payroll: last });
    expect(new Set(Object.values(await versions()))).toEqual(new Set([1]));
    expect((await feed.after(last)).people).toEqual([]);
    await right();
  });

  test('someone joins: finance knows them, payroll only when there is pay', async () => {
    const who = await hire(id(nina));
    expect(await feed.after((await newest()) - 1)).toEqual({
      last: await newest(),
      people: [{ n: await newest(), employeeId: who, name: 'Ann Example', department: 'Legal', managerId: id(nina), active: true }],
    });
    await bringUp();
    expect(await inFinance(who)).toEqual({ name: 'Ann Example', department: 'Legal', manager_id: id(nina), active: true });
    expect(await above(who)).toEqual(await inHr(who));
    expect(await above(who)).toContain(id(eve));
    expect(await inPayroll(who)).toBeUndefined();
    await right();
  });

  test('a new name and another department reach both, and nobody else’s row', async () => {
    const before = await versions();
    await world.owner("update hr.employees set last_name = 'O’Neill', department = 'Legal' where employee_id = $1", [id(marcus)]);
    await bringUp();
    expect(await inFinance(id(marcus))).toMatchObject({ name: 'Marcus O’Neill', department: 'Legal' });
    expect(await inPayroll(id(marcus))).toEqual({ employee_name: 'Marcus O’Neill', active: true });
    expect(await versions()).toEqual({ ...before, [id(marcus)]: (before[id(marcus)] ?? 0) + 1 });
    await world.owner("update hr.employees set last_name = 'Johnson', department = 'Engineering' where employee_id = $1", [id(marcus)]);
    await bringUp();
    await right();
  });

  test('a manager moves with everyone below', async () => {
    const before = await above(id(sarah));
    const boss = (await inFinance(id(nina)))?.['manager_id'];
    await world.owner('update hr.employees set manager_id = $2 where employee_id = $1', [id(nina), id(alice)]);
    await bringUp();
    expect(await above(id(sarah))).toEqual([id(nina), id(alice), id(eve)].toSorted());
    await right();
    await world.owner('update hr.employees set manager_id = $2 where employee_id = $1', [id(nina), boss]);
    await bringUp();
    expect(await above(id(sarah))).toEqual(before);
    await right();
  });

  test('who leaves is below nobody, and comes back where they were', async () => {
    const before = await above(id(frank));
    expect(before.length).toBeGreaterThan(0);
    await world.owner('update hr.employees set active = false, terminated_at = now() where employee_id = $1', [id(frank)]);
    await bringUp();
    expect(await inFinance(id(frank))).toMatchObject({ active: false });
    expect(await inPayroll(id(frank))).toMatchObject({ active: false });
    expect(await above(id(frank))).toEqual([]);
    await world.owner('update hr.employees set active = true, terminated_at = null where employee_id = $1', [id(frank)]);
    await bringUp();
    expect(await inFinance(id(frank))).toMatchObject({ active: true });
    expect(await inPayroll(id(frank))).toMatchObject({ active: true });
    expect(await above(id(frank))).toEqual(before);
    await right();
  });

  test('who is removed altogether is gone from the chain, and their expenses keep their name', async () => {
    const who = await hire(id(nina), 'Brief');
    await bringUp();
    await world.owner('delete from hr.employees where employee_id = $1', [who]);
    await bringUp();
    expect(await inFinance(who)).toEqual({ name: 'Brief Example', department: 'Legal', manager_id: id(nina), active: false });
    expect(await above(who)).toEqual([]);
    await right();
  });

  test('what concerns no copy is not told; what was undone in between moves nothing', async () => {
    const last = await newest();
    await world.owner(
      "update hr.employees set job_title = 'Principal Engineer', location = 'Berlin', email = 'new@example.com' where employee_id = $1",
      [id(sarah)],
    );
    await world.owner('update hr.employees set first_name = first_name, active = active');
    expect(await newest()).toBe(last);
    const before = await versions();
    await world.owner("update hr.employees set first_name = 'Sally' where employee_id = $1", [id(sarah)]);
    await world.owner("update hr.employees set first_name = 'Sarah' where employee_id = $1", [id(sarah)]);
    expect(await newest()).toBeGreaterThan(last);
    await bringUp();
    expect((await positions()).finance).toBe(await newest());
    expect(await versions()).toEqual(before);
  });

  test('pages: those below may come long before their managers, and two applying at once write each change once', async () => {
    // 1,200 people, told from the lowest to the highest.
    await world.owner(
      `insert into hr.employees (employee_id, first_name, last_name, email, department, job_title, location, manager_id, hire_date)
       select ('aaaaaaaa-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'Page', 'P' || n, 'p' || n, 'Legal', 'Counsel', 'Berlin',
         case when n > 1190 then $1::uuid else ('aaaaaaaa-0000-4000-8000-' || lpad((n + 1 + (1200 - n) / 4)::text, 12, '0'))::uuid end, '2026-01-01'
       from generate_series(1, 1200) n`,
      [id(eve)],
    );
    expect((await feed.after((await positions()).finance)).people).toHaveLength(500);
    await Promise.all(Array.from({ length: 6 }, (_, n) => bringUp(n)));
    await right();
    expect(
      await world.owner("select count(*)::int as n, max(row_version)::int as v from finance.people where name like 'Page P%'"),
    ).toEqual([{ n: 1200, v: 1 }]);

    const before = await versions();
    await world.owner("update hr.employees set department = 'Sales' where first_name = 'Page'");
    await Promise.all(Array.from({ length: 6 }, (_, n) => bringUp(n)));
    const after = await versions();
    expect(
      new Set(Object.entries(after).map(([who, version]) => `${who.slice(0, 8) === 'aaaaaaaa'} ${version - (before[who] ?? 0)}`)),
    ).toEqual(new Set(['true 1', 'false 0']));
    expect(await positions()).toEqual({ finance: await newest(), payroll: await newest() });
    await right();
  }, 60_000);

  test('of a page for a position that is no longer there nothing is taken', async () => {
    const [copy] = copiesOf(0);
    const at = (await positions()).finance;
    const stale = { n: at, employeeId: id(nina), name: 'Somebody Else', department: 'Legal', managerId: null, active: false };
    expect(await copy?.take([stale], at - 1, at + 1)).toBe(at);
    expect(await inFinance(id(nina))).not.toMatchObject({ name: 'Somebody Else' });
  });

  test('each seeming to be below the other for a moment is no trouble', async () => {
    const [a, b] = [await hire(id(alice), 'One'), await hire(id(alice), 'Two')];
    await bringUp();
    await world.owner('update finance.people set manager_id = $2 where employee_id = $1', [a, b]);
    await world.owner('update finance.people set manager_id = $2 where employee_id = $1', [b, a]);
    expect([await above(a), await above(b)]).toEqual([[b], [a]]);
    await world.owner('update hr.employees set manager_id = $2 where employee_id = any ($1)', [[a, b], id(nina)]);
    await bringUp();
    await right();
  });

  test('an hr that was set back to an earlier state is looked at from the beginning', async () => {
    await world.owner('update finance.feed set n = n + 1000000');
    await world.owner("update finance.people set name = 'From A Future' where employee_id = $1", [id(nina)]);
    await bringUp();
    expect(await inFinance(id(nina))).toMatchObject({ name: 'Nina Patel' });
    expect((await positions()).finance).toBe(await newest());
    await right();
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
    await bringUp();
    expect(code(await world.approve(marcus, unrelated.confirmationId))).toBe('success');
    const related = await ask();
    await world.owner("update hr.employees set last_name = 'Johnston' where employee_id = $1", [id(marcus)]);
    await bringUp();
    expect(code(await world.approve(marcus, related.confirmationId))).toBe('CHANGED_SINCE_APPROVAL');
  });

  test('every two seconds, or as told; closing ends it', async () => {
    const keeper = await keepPeople({ feed, copies: copiesOf(0), log, everyMs: 20 });
    await world.owner("update hr.employees set first_name = 'Franklin' where employee_id = $1", [id(frank)]);
    const asHr = async () => [await inFinance(id(frank)), await inPayroll(id(frank))];
    await expect.poll(asHr, { timeout: 5000 }).toMatchObject([{ name: 'Franklin Davis' }, { employee_name: 'Franklin Davis' }]);
    await keeper.close();
    await world.owner("update hr.employees set first_name = 'Frank' where employee_id = $1", [id(frank)]);
    await new Promise((later) => setTimeout(later, 150));
    expect(await inFinance(id(frank))).toMatchObject({ name: 'Franklin Davis' });
    await bringUp();
    await right();
  });

  describe('the roles', () => {
    /** The name of the trouble, in the database's own code, or the rows. */
    const as = async (role: string, text: string, principal = 'people-feed') => {
      try {
        return await database(0).transaction(
          role,
          { text: "select set_config('app.principal', $1, true)", values: [principal] },
          async (session) => {
            const rows = await session.query(text);
            throw Object.assign(new Error('undone'), { rows });
          },
        );
      } catch (error) {
        const { rows, code: refused } = error as { rows?: unknown[]; code?: string };
        return rows ?? refused;
      }
    };

    test.each([
      ['hr_feed', 'select email from hr.employees'],
      ['hr_feed', 'select * from hr.employees'],
      ['hr_feed', 'select * from hr.pay'],
      ['hr_feed', 'select * from hr.chain'],
      ['hr_feed', 'delete from hr.people_log'],
      ['hr_feed', 'update hr.employees set active = false'],
      ['hr_feed', "select nextval('hr.people_log_n')"],
      ['finance_feed', 'select * from finance.budgets'],
      ['finance_feed', 'select * from finance.expense_reports'],
      ['finance_feed', 'select * from finance.chain'],
      ['finance_feed', 'delete from finance.people'],
      ['finance_feed', 'update finance.people set row_version = 7'],
      ['finance_feed', 'delete from finance.feed'],
      ['finance_feed', "insert into finance.feed values ('me', 1)"],
      ['finance_feed', 'insert into finance.chain select gen_random_uuid(), gen_random_uuid()'],
      ['payroll_feed', 'select * from payroll.stub_pay'],
      ['payroll_feed', 'select tax_number_last4 from payroll.employees'],
      ['payroll_feed', "update payroll.employees set department = 'Legal'"],
      ['payroll_feed', "insert into payroll.employees values (gen_random_uuid(), 'A', 'B', '1234')"],
      ['payroll_feed', 'delete from payroll.employees'],
      ['hr_everyone_write', 'insert into hr.people_log (employee_id) select gen_random_uuid()'],
      ['finance_everyone_write', 'update finance.feed set n = 0'],
    ])('%s may not: %s', async (role, text) => {
      expect(await as(role, text)).toBe('42501');
    });

    test('and without saying who is asking they see nothing', async () => {
      expect(await as('hr_feed', 'select n from hr.people_log limit 1', '')).toEqual([]);
      expect(await as('hr_feed', 'select active from hr.employees limit 1', '')).toEqual([]);
      expect(await as('finance_feed', 'select n from finance.feed', '')).toEqual([]);
      expect(await as('finance_feed', 'update finance.people set active = false returning employee_id', '')).toEqual([]);
      expect(await as('payroll_feed', 'update payroll.employees set active = false returning employee_id', '')).toEqual([]);
      expect(await as('hr_feed', 'select n from hr.people_log limit 1')).toHaveLength(1);
    });
  });

  describe('hr in another process', () => {
    let folder: string;
    let keys: Keys;
    let server: Server | undefined;
    let port = 0;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'tamshai-feed-'));
      keys = openKeys(folder);
    });
    afterAll(async () => {
      await close();
      await rm(folder, { recursive: true, force: true });
    });
    const clock = { now: () => new Date() };
    const remote = (signing = keys.gateway.current) =>
      remotePeopleFeed({ remoteUrl: () => `http://localhost:${port}` } as unknown as Config, signing, clock);
    async function open(): Promise<void> {
      const { app, handle } = restApp(log, []);
      domainRoutes(app, {
        server: 'hr',
        registry: registry(TOOLS),
        backend: localBackend(world.runtime, 'hr'),
        gatewayKeys: ownGatewayKeys(keys),
        kv: undefined as never,
        people: { employment: async () => 'unknown' },
        feed,
        onUnauthenticated: () => {},
        authenticate: async () => {
          throw failure('UNAUTHENTICATED', 'Sign in.');
        },
      });
      await app.ready();
      server = createServer(handle);
      await new Promise<void>((listening) => server?.listen(port, listening));
      port = (server.address() as AddressInfo).port;
    }
    const close = async () => {
      server?.closeAllConnections();
      await new Promise((closed) => (server ? server.close(closed) : closed(undefined)));
      server = undefined;
    };

    test('is asked there, and tells the same', async () => {
      await open();
      const at = (await newest()) - 40;
      expect(await remote().after(at)).toEqual(await feed.after(at));
      expect((await remote().after(0)).people).toHaveLength(500);
      await world.owner("update hr.employees set first_name = 'Mark' where employee_id = $1", [id(marcus)]);
      await bringUp(0, remote());
      expect(await inFinance(id(marcus))).toMatchObject({ name: 'Mark Johnston' });
      await right();
    });

    test('nobody but the gateway is told', async () => {
      const ask = async (body: string, path?: string, server_ = 'hr', signing = keys.gateway.current) => {
        const person = {
          principal: 'gateway',
          sub: 'gateway',
          realm: 'staff' as const,
          username: 'gateway',
          name: '',
          email: '',
          employeeId: undefined,
          organizationId: undefined,
          roles: new Set<never>(),
        };
        const caller = {
          person,
          token: { id: '', client: 'gateway', issuedAt: 0, expiresAt: 0 },
          approves: 'nothing' as const,
          origin: 'gateway',
        };
        const token =
          path === undefined
            ? 'none'
            : signIdentity(
                signing,
                { server: server_, caller, requestId: 'r', method: 'POST', path, body: path === '/changed' ? '{}' : body },
                clock,
              );
        const { status } = await fetch(`http://localhost:${port}/people-changes`, {
          method: 'POST',
          body,
          headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        });
        return status;
      };
      const body = '{"after":0}';
      const other = await mkdtemp(join(tmpdir(), 'tamshai-feed-'));
      expect([
        await ask(body),
        await ask(body, '/employment'),
        await ask(body, '/people-changes', 'finance'),
        await ask(body, '/people-changes', 'hr', openKeys(other).gateway.current),
      ]).toEqual([401, 401, 401, 401]);
      await rm(other, { recursive: true, force: true });
      expect([
        await ask(body, '/people-changes'),
        await ask('{"after":-1}', '/people-changes'),
        await ask('{}', '/people-changes'),
      ]).toEqual([200, 400, 400]);
    });

    test('where it is away, a start goes on, one line is logged, and all is caught up with afterwards', async () => {
      await close();
      lines.length = 0;
      const started = performance.now();
      const keeper = await keepPeople({ feed: remote(), copies: copiesOf(0), log, everyMs: 20 });
      expect(performance.now() - started).toBeLessThan(4900);
      await world.owner("update hr.employees set first_name = 'Marcus', last_name = 'Johnson' where employee_id = $1", [id(marcus)]);
      await new Promise((later) => setTimeout(later, 200));
      const away = (domain: string) =>
        `warn {"server":"${domain}","code":"SERVICE_UNAVAILABLE"} people cannot be brought up to date for now`;
      expect(lines.toSorted()).toEqual([away('finance'), away('payroll')]);
      await open();
      await expect.poll(() => inFinance(id(marcus)), { timeout: 20_000 }).toMatchObject({ name: 'Marcus Johnson' });
      await expect.poll(() => lines.filter((line) => line.includes('again')).length, { timeout: 20_000 }).toBe(2);
      await keeper.close();
      await right();
    }, 60_000);

    test('closing does not wait for an answer that never comes', async () => {
      await close();
      const silent = createServer(() => {});
      await new Promise<void>((listening) => silent.listen(port, listening));
      const opening = keepPeople({ feed: remote(), copies: copiesOf(0), log });
      const keeper = await opening;
      const closing = performance.now();
      await keeper.close();
      expect(performance.now() - closing).toBeLessThan(2000);
      silent.closeAllConnections();
      silent.close();
    }, 20_000);
  });

  if (kind === 'PGlite') return;
  test('the order of numbers is the order of commits', async () => {
    await bringUp();
    const [name] = await world.owner('select current_database() as name');
    const own = new URL(address);
    own.pathname = `/${String(name?.['name'])}`;
    const [first, second] = [new pg.Client({ connectionString: own.href }), new pg.Client({ connectionString: own.href })];
    await Promise.all([first.connect(), second.connect()]);
    const rename = 'update hr.employees set first_name = $2 where employee_id = $1';
    const at = await newest();
    await first.query('begin');
    await first.query(rename, [id(sarah), 'First']);
    let ended = false;
    const other = second.query(rename, [id(frank), 'Second']).then(() => (ended = true));
    await new Promise((later) => setTimeout(later, 200));
    expect([ended, (await feed.after(at)).people]).toEqual([false, []]);
    await first.query('commit');
    await other;
    expect((await feed.after(at)).people.map((each) => each.employeeId)).toEqual([id(sarah), id(frank)]);
    await Promise.all([first.end(), second.end()]);
    await bringUp();
    await right();
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
