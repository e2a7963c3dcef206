/**
 * What the tests over the whole registry cannot read off a declaration: rows for tools that need one, made through the product
 * itself, and ids that must not be found. A tool whose own examples succeed needs no row here; an id of a kind that is known needs
 * nothing either.
 */
import { randomUUID } from 'node:crypto';
import { persona } from '../../src/sample/people.ts';
import type { Site } from '../site.ts';
import type { Visitor } from '../visitor.ts';
import type { Ready } from './calls.ts';

async function data(site: Visitor, user: string, server: string, tool: string, input: unknown): Promise<Record<string, unknown>> {
  const { body } = await site.rest(user, server, tool, input);
  if (body.status !== 'success') throw new Error(`${tool}: ${JSON.stringify(body)}`);
  return body.data as Record<string, unknown>;
}

const newTask = async (site: Visitor, user = 'frank.davis') =>
  Number((await data(site, user, 'tasks', 'add_task', { title: 'Water the plants' }))['task_id']);

/** By the tool's name behind the gateway: an input with which it succeeds, each time a new one where it uses the row up. */
export const arranged: Readonly<Record<string, (site: Visitor) => Promise<Ready>>> = {
  tasks_complete_task: async (site) => ({ as: 'frank.davis', input: { task_id: await newTask(site) } }),
  tasks_delete_task: async (site) => ({ as: 'frank.davis', input: { task_id: await newTask(site) } }),
  tasks_update_task: async (site) => ({ as: 'frank.davis', input: { task_id: await newTask(site), title: 'Water all plants' } }),
};

/** Ids that a person must not find: one that never was, one of a row that is gone, one of a row of somebody else's. */
export interface Unfindable {
  readonly random: unknown;
  readonly gone: unknown;
  /** Undefined where the person may see everyone's. */
  readonly foreign: unknown;
}

const id = (username: string) => persona(username).employeeId ?? '';

/** Someone below Nina who left, made once for each site. */
const leavers = new WeakMap<Site, Promise<string>>();
function leaver(site: Site): Promise<string> {
  const made = async () => {
    const [row] = await site.owner(
      `select r.employee_id from hr.time_off_requests r join hr.employees e using (employee_id)
       where e.active and e.employee_id::text not like '0e000000%' and not exists (select from hr.employees b where b.manager_id = e.employee_id) order by 1 limit 1`,
    );
    const left = String(row?.['employee_id']);
    await site.owner('update hr.employees set manager_id = $2 where employee_id = $1', [left, id('nina.patel')]);
    await site.owner('update hr.employees set active = false, terminated_at = clock_timestamp() where employee_id = $1', [left]);
    return left;
  };
  const known = leavers.get(site) ?? made();
  leavers.set(site, known);
  return known;
}

const employees = async (site: Site, _as: string, seesAll: boolean): Promise<Unfindable> => ({
  random: randomUUID(),
  gone: await leaver(site),
  foreign: seesAll ? undefined : id('eve.thompson'),
});

/** By the name of the input field. */
export const unfindable: Readonly<Record<string, (site: Site, as: string, seesAll: boolean) => Promise<Unfindable>>> = {
  employee_id: employees,
  root_employee_id: employees,
  manager_id: employees,
  async request_id(site, _as, seesAll) {
    const requestOf = async (employee: string) =>
      (await site.owner('select request_id from hr.time_off_requests where employee_id = $1 order by 1 limit 1', [employee]))[0]?.[
        'request_id'
      ];
    const { employee_id: someone } = (
      await site.owner(
        `select r.employee_id from hr.time_off_requests r where r.employee_id not in (select employee_id from hr.chain where manager_id = $1) and r.employee_id <> all ($2) and r.status = 'pending' order by 1 limit 1`,
        [id('nina.patel'), [id('nina.patel'), await leaver(site)]],
      )
    )[0] ?? { employee_id: '' };
    return {
      random: randomUUID(),
      gone: await requestOf(await leaver(site)),
      foreign: seesAll ? undefined : await requestOf(String(someone)),
    };
  },
  async task_id(site, as) {
    const gone = await newTask(site, as);
    await data(site, as, 'tasks', 'delete_task', { task_id: gone });
    // Tasks are numbered for each person: a number that somebody else has used and this one has not.
    let foreign = 0;
    for (const other of ['bob.martinez', 'carol.johnson'].filter((each) => each !== as).slice(0, 1))
      while (foreign <= gone) foreign = await newTask(site, other);
    return { random: 2_000_000_000, gone, foreign };
  },
};

/** Rows come and go in every list of a domain, near its beginning, its middle and its end. Called again and again between pages. */
export const churn: Readonly<Record<string, (site: Site, n: number) => Promise<void>>> = {
  async hr(site, n) {
    const manager = id(n % 2 === 0 ? 'nina.patel' : 'bob.martinez');
    const name = `${['A', 'M', 'Z'][n % 3]}churn`;
    const person = randomUUID();
    await site.owner(
      `insert into hr.employees (employee_id, first_name, last_name, email, department, job_title, location, manager_id, hire_date)
       values ($1, 'New', $2, $3, 'Engineering', 'Engineer', 'Berlin', $4, '2026-01-01')`,
      [person, name, `${person}@tamshai.example`, manager],
    );
    await site.owner(
      "insert into hr.time_off_requests (employee_id, type_code, start_date, end_date, days) values ($1, 'UNPAID', $2, $2, 1)",
      [person, `20${20 + (n % 12)}-03-02`],
    );
    await site.owner("insert into hr.performance_reviews (employee_id, period, status, due_date) values ($1, 'now', 'due', $2)", [
      person,
      `20${20 + (n % 12)}-03-02`,
    ]);
    // Of those who are there already, others leave: from below Nina too, so that her own list shrinks as well.
    await site.owner(
      `update hr.employees set active = false, terminated_at = clock_timestamp() where employee_id in (
         select e.employee_id from hr.employees e left join hr.chain c on c.employee_id = e.employee_id and c.manager_id = $2
         where e.active and e.employee_id::text not like '0e000000%' and not exists (select from hr.employees b where b.manager_id = e.employee_id)
         order by (c.manager_id is null) = ($1::int % 2 = 0), md5(e.employee_id::text || $1::int) limit 1)`,
      [n, id('nina.patel')],
    );
  },
};
