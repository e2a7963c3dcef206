/** Row security in the database itself, without the tools: which role sees which rows. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ALL,
  BELOW,
  count,
  DENIED,
  databases,
  errorOf,
  idOf,
  ids,
  LEAVE,
  openSqlTestStore,
  READERS,
  SALARY,
  type SqlTestStore,
  someone,
  WRITERS,
} from './sql-test-store.ts';

describe.each(databases)('rows on %s', (kind) => {
  let testRuntime: SqlTestStore;
  const below = (username: string) => ids(testRuntime.owner, BELOW, [idOf(username)]);
  beforeAll(async () => void (testRuntime = await openSqlTestStore(kind)), 120_000);
  afterAll(() => testRuntime.close());

  describe('no identity', () => {
    test.each([...READERS, ...WRITERS])('%s sees no row without an identity', async (role) => {
      const relations = await ids(
        testRuntime.owner,
        `select c.oid::regclass::text from pg_class c where relnamespace in ('hr'::regnamespace, 'tasks'::regnamespace)
          and relkind in ('r', 'v')
          and has_any_column_privilege($1, c.oid, 'select') order by 1`,
        [role],
      );
      expect(relations.length).toBeGreaterThan(1);
      for (const who of [{}, { me: '', principal: '', shows: '' }, { me: '', principal: '', shows: ALL }]) {
        const seen = await testRuntime.as(role, who, async (query) => {
          const rows: string[] = [];
          for (const relation of relations) if ((await count(query, relation)) > 0) rows.push(relation);
          return rows;
        });
        expect(seen).toEqual([]);
      }
    });

    test('without an identity nothing can be changed, and hr.employment returns unknown', async () => {
      expect(await testRuntime.as('hr_everyone_write', {}, (query) => query(SALARY, [idOf('sarah.kim')]))).toEqual([]);
      expect(
        await testRuntime.as('hr_everyone_write', { principal: 'x', shows: ALL }, (query) => query(SALARY, [idOf('sarah.kim')])),
      ).toEqual([]);
      expect(await testRuntime.as('hr_everyone_write', { principal: 'x' }, (query) => query(LEAVE, [idOf('frank.davis')]))).toEqual([]);
      expect(await testRuntime.as('hr_directory', {}, (query) => ids(query, 'select hr.employment($1)', [idOf('sarah.kim')]))).toEqual([
        'unknown',
      ]);
    });
  });

  describe('visible employees', () => {
    test('HR and executives see everyone', async () => {
      const people = await count(testRuntime.owner, 'hr.employees');
      expect(await testRuntime.as('hr_everyone', someone('alice.chen'), (query) => count(query, 'hr.people'))).toBe(people);
      expect(await testRuntime.as('hr_everyone', someone('eve.thompson'), (query) => count(query, 'hr.team'))).toBe(people);
    });

    test('every manager sees the people below at any depth, and their own record in hr.people but not in lists', async () => {
      const managers = await ids(testRuntime.owner, 'select distinct manager_id from hr.employees where manager_id is not null order by 1');
      expect(managers.length).toBeGreaterThan(20);
      for (const me of managers) {
        const tree = await ids(testRuntime.owner, BELOW, [me]);
        await testRuntime.as('hr_reports', { me, principal: me }, async (query) => {
          expect(await ids(query, 'select employee_id from hr.team order by 1')).toEqual(tree);
          expect(await ids(query, 'select employee_id from hr.people order by 1')).toEqual([...tree, me].toSorted());
          expect(new Set(await ids(query, 'select employee_id from hr.reviews')).has(me)).toBe(false);
          for (const list of ['reviews', 'team_time_off', 'balances', 'time_off']) {
            const foreign = (await ids(query, `select distinct employee_id from hr.${list}`)).filter(
              (id) => id !== me && !tree.includes(id),
            );
            expect(foreign).toEqual([]);
          }
        });
      }
    });

    test("a manager's list can be read page by page in the order of names, and contains each person once", async () => {
      const tree = await below('eve.thompson');
      const seen: string[] = [];
      await testRuntime.as('hr_reports', someone('eve.thompson'), async (query) => {
        for (let after: unknown[] = ['', '', '00000000-0000-0000-0000-000000000000']; ; ) {
          const page = await query(
            'select last_name, first_name, employee_id from hr.team where (last_name, first_name, employee_id) > ($1, $2, $3) ' +
              'order by 1, 2, 3 limit 50',
            after,
          );
          seen.push(...page.map((row) => String(row['employee_id'])));
          if (page.length < 50) return;
          after = Object.values(page.at(-1) ?? {});
        }
      });
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.toSorted()).toEqual(tree);
    });

    test('the audience self sees only its own record and submitted reviews, and no chain or directory', async () => {
      await testRuntime.as('hr_self', someone('marcus.johnson'), async (query) => {
        for (const relation of ['employees', 'people', 'pay', 'contact', 'time_off_balances', 'time_off_requests', 'time_off']) {
          expect(new Set(await ids(query, `select employee_id from hr.${relation}`))).toEqual(new Set([idOf('marcus.johnson')]));
        }
      });
      await testRuntime.as('hr_self', someone('tom.becker'), async (query) => {
        const seen = await query('select employee_id, status from hr.performance_reviews');
        expect(new Set(seen.map((row) => row['employee_id']))).toEqual(new Set([idOf('tom.becker')]));
        for (const { status } of seen) expect(['submitted', 'acknowledged']).toContain(status);
      });
      for (const relation of ['reviews', 'chain', 'team', 'salary_history', 'directory']) {
        expect(await errorOf(testRuntime.as('hr_self', someone('marcus.johnson'), (query) => query(`select * from hr.${relation}`)))).toBe(
          DENIED,
        );
      }
    });

    test('the directory shows all employees to everyone, without private fields', async () => {
      const people = await count(testRuntime.owner, 'hr.employees');
      expect(await testRuntime.as('hr_directory', someone('frank.davis'), (query) => count(query, 'hr.directory'))).toBe(people);
      for (const text of [
        'select hire_date from hr.employees',
        'select * from hr.employees',
        'select salary from hr.pay',
        'select * from hr.people',
      ]) {
        expect(await errorOf(testRuntime.as('hr_directory', someone('frank.davis'), (query) => query(text)))).toBe(DENIED);
      }
    });

    test.each([
      ['jose', 'José García'],
      ['GARCÍA jose', 'José García'],
      ['obrien', "Liam O'Brien"],
      ["o'brien", "Liam O'Brien"],
      ['O’Brien', "Liam O'Brien"],
      ['arci', 'José García'],
    ])('the directory finds the name %s as %s', async (asked, name) => {
      const found = await testRuntime.as('hr_directory', someone('frank.davis'), (query) =>
        ids(
          query,
          "select name from hr.directory where search_name like all (array(select '%' || word || '%' " +
            "from unnest(string_to_array(hr.plain_name($1), ' ')) word))",
          [asked],
        ),
      );
      expect(found).toContain(name);
    });

    test.each([
      ['Łukasz Đorđević', 'lukasz dordevic'],
      ['Smith-Jones,  Ægir', 'smith jones aegir'],
      ['Weiß Œuvre Ñandú', 'weiss oeuvre nandu'],
      ['Cafe\u0301 Kim', 'cafe kim'],
      ["  D'Arcy. ", 'darcy'],
    ])('the search name of %s is %s', async (name, plain) => {
      expect(await ids(testRuntime.owner, 'select hr.plain_name($1)', [name])).toEqual([plain]);
    });
  });

  describe('masks', () => {
    const seen = (role: string, username: string, shows: string, whose: string) =>
      testRuntime.as(role, someone(username, shows), async (query) => {
        const [row] = await query('select salary, phone, home_address, ssn from hr.people where employee_id = $1', [idOf(whose)]);
        return (
          row &&
          Object.entries(row)
            .filter(([, value]) => value !== null)
            .map(([name]) => name)
        );
      });

    test.each([
      ['hr_everyone', 'alice.chen', ALL, 'sarah.kim', ['salary', 'phone', 'home_address', 'ssn']],
      ['hr_everyone', 'eve.thompson', ALL, 'eve.thompson', ['salary', 'phone', 'home_address', 'ssn']],
      ['hr_everyone', 'alice.chen', '', 'sarah.kim', []],
      ['hr_everyone', 'alice.chen', '', 'alice.chen', ['salary', 'phone', 'home_address']],
      ['hr_everyone', 'tom.becker', 'pay', 'sarah.kim', ['salary']],
      ['hr_reports', 'nina.patel', '', 'sarah.kim', []],
      ['hr_reports', 'nina.patel', '', 'nina.patel', ['salary', 'phone', 'home_address']],
      ['hr_reports', 'nina.patel', ALL, 'sarah.kim', ['salary', 'phone', 'home_address', 'ssn']],
      ['hr_reports', 'nina.patel', ALL, 'alice.chen', undefined],
      ['hr_self', 'marcus.johnson', '', 'marcus.johnson', ['salary', 'phone', 'home_address']],
      ['hr_self', 'marcus.johnson', ALL, 'sarah.kim', undefined],
    ])('%s: %s with the masks "%s" lifted sees these private fields of %s: %j', async (role, who, shows, whose, fields) => {
      expect(await seen(role, who, shows, whose)).toEqual(fields);
    });

    test('a lifted mask shows a manager only themself and the people below, also in the tables behind the views', async () => {
      const own = [...(await below('bob.martinez')), idOf('bob.martinez')].toSorted();
      await testRuntime.as('hr_reports', someone('bob.martinez', ALL), async (query) => {
        expect(await ids(query, 'select employee_id from hr.pay order by 1')).toEqual(own);
        expect(await ids(query, 'select employee_id from hr.contact order by 1')).toEqual(own);
        expect(await ids(query, 'select employee_id from hr.identity order by 1')).toEqual(own.filter((id) => id !== idOf('bob.martinez')));
      });
    });

    test('no visible value depends on a hidden one', async () => {
      await testRuntime.asOwner(async (query) => {
        const looking = async () => {
          await query(`select set_config('app.user_id', $1, true), set_config('app.principal', 'nina', true)`, [idOf('nina.patel')]);
          await query('set local role hr_reports');
          const rows = [
            await query('select * from hr.team order by employee_id'),
            await query('select * from hr.people order by employee_id'),
          ];
          await query('reset role');
          return rows;
        };
        const before = await looking();
        await query('update hr.pay set salary = salary + 1000 where employee_id <> $1', [idOf('nina.patel')]);
        await query("update hr.contact set phone = 'changed', home_address = 'moved' where employee_id <> $1", [idOf('nina.patel')]);
        await query("update hr.identity set ssn = '999-99-9999'");
        expect(await looking()).toEqual(before);
        await query('update hr.pay set salary = salary + 1000 where employee_id = $1', [idOf('nina.patel')]);
        expect(await looking()).not.toEqual(before);
      });
    });
  });
});
