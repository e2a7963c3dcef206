/** hr, finance and payroll in one database, and checks of the copies that the people feed maintains. */
import { expect } from 'vitest';
import { syncCopies } from '../../src/server/copies.ts';
import { peopleChanges } from '../../src/declare/engine-contracts.ts';
import { clientOf, type ContractCaller } from '../../src/engine/contract-caller.ts';
import { answerContract } from '../../src/engine/contracts.ts';
import type { ChangeCopy, ChangeSource, Logger } from '../../src/engine/ports.ts';
import { copyOfPeople as financeCopy } from '../../domains/finance/follows.ts';
import * as finance from '../../domains/finance/index.ts';
import * as hr from '../../domains/hr/index.ts';
import { peopleChangesProvision } from '../../domains/hr/provides.ts';
import { copyOfPeople as payrollCopy } from '../../domains/payroll/follows.ts';
import * as payroll from '../../domains/payroll/index.ts';
import { createSqlCopy } from '../../src/storage/sql/change-copy.ts';
import { openTestRuntime, type TestRuntime } from '../test-runtime.ts';

export const TOOLS = [...Object.values(hr), ...Object.values(finance), ...Object.values(payroll)];

/** Differences between finance's chain and its people, in both directions. */
const WRONG = `
  with recursive up as (
    select manager_id, employee_id from finance.people where active and manager_id is not null
    union select m.manager_id, u.employee_id from up u join finance.people m on m.employee_id = u.manager_id where m.manager_id is not null
  )
  (select 'missing', u.* from up u except select 'missing', c.* from finance.chain c) union all (select 'too much', c.*
  from finance.chain c except select 'too much', u.* from up u)`;
/** Differences between the copies and hr. */
const DIFFERENT = `
  (select employee_id, first_name || ' ' || last_name as name, department, manager_id, active from hr.employees
    except select employee_id, name, department collate "default", manager_id, active from finance.people)
  union all select employee_id, employee_name, p.department, null, p.active from payroll.employees p join hr.employees e using (employee_id)
    where (employee_name, p.active) is distinct from (first_name || ' ' || last_name, e.active)`;

/** The company is small, so that the store opens fast. */
export const EMPLOYEES = 100;

/** Reads the feed of people as the engine does. */
export const readerOf = (caller: ContractCaller) => ({
  after: (after: number, signal?: AbortSignal) =>
    clientOf(caller, peopleChanges, { person: undefined, requestId: 'feed', signal }).after({ after }),
});

export type FeedTestStore = Awaited<ReturnType<typeof openFeedTestStore>>;

export async function openFeedTestStore(address: string) {
  const testRuntime = await openTestRuntime({ database: address, tools: TOOLS, replicas: 2, employees: EMPLOYEES });
  const lines: string[] = [];
  const log: Logger = {
    info: (fields, message) => void lines.push(`info ${JSON.stringify(fields)} ${message}`),
    warn: (fields, message) => void lines.push(`warn ${JSON.stringify(fields)} ${message}`),
    error: (fields, message) => void lines.push(`error ${JSON.stringify(fields)} ${message}`),
  };
  let turn: Promise<unknown> = Promise.resolve();
  /** Runs statements without policies, one at a time, each in its own transaction: the embedded database has only one session. */
  const owner: TestRuntime['owner'] = (text, values) => {
    const rows = turn.then(() =>
      address !== 'pglite'
        ? testRuntime.owner(text, values)
        : database(0).transaction('hr_feed', { text: 'select 1', values: [] }, async (session) => {
            await session.query('set local session authorization postgres');
            return session.query(text, values);
          }),
    );
    turn = rows.catch(() => {});
    return rows;
  };
  const database = (replica: number) => testRuntime.databases[replica % testRuntime.databases.length] ?? expect.unreachable();
  const replicaOf = (replica: number) => testRuntime.replicas[replica % testRuntime.replicas.length] ?? expect.unreachable();
  /** hr in the same process. */
  const callerOf = (replica: number): ContractCaller => ({
    reaches: () => true,
    ask: (_contract, call) => answerContract(replicaOf(replica), peopleChangesProvision, call),
  });
  const feedOf = (replica: number) => readerOf(callerOf(replica));
  const copiesOf = (replica: number): ChangeCopy[] =>
    [financeCopy, payrollCopy].map((follower) => createSqlCopy(database(replica), follower, 'hr'));
  const positions = async () => {
    const [row] = await owner('select (select n from finance.feed) as finance, (select n from payroll.feed) as payroll');
    return { finance: Number(row?.['finance']), payroll: Number(row?.['payroll']) };
  };
  const newest = async () => Number((await owner('select max(n) as n from hr.people_log'))[0]?.['n']);
  /** Applies all changes so far, as a start does; repeats until both copies have reached the newest one. */
  const bringUp = async (replica = 0, from: ChangeSource = feedOf(replica)) => {
    for (let attempt = 0; attempt < 20; attempt++) {
      await (await syncCopies({ sourceOf: () => from, copies: copiesOf(replica), log })).close();
      if (Math.min(...Object.values(await positions())) >= (await newest())) return;
    }
    expect.unreachable();
  };
  const versions = async (): Promise<Record<string, number>> =>
    Object.fromEntries(
      (await owner('select employee_id, row_version from finance.people')).map((row) => [row['employee_id'], Number(row['row_version'])]),
    );
  const inFinance = async (who: string) =>
    (await owner('select name, department, manager_id, active from finance.people where employee_id = $1', [who]))[0];
  const inPayroll = async (who: string) =>
    (await owner('select employee_name, active from payroll.employees where employee_id = $1', [who]))[0];
  const above = async (who: string) =>
    (await owner('select manager_id from finance.chain where employee_id = $1 order by 1', [who])).map((row) => row['manager_id']);
  const inHr = async (who: string) =>
    (await owner('select manager_id from hr.chain where employee_id = $1 order by 1', [who])).map((row) => row['manager_id']);
  const right = async () => {
    expect(await owner(WRONG)).toEqual([]);
    expect(await owner(DIFFERENT)).toEqual([]);
  };
  const hire = async (manager: string, given = 'Ann') =>
    String(
      (
        await owner(
          `insert into hr.employees (employee_id, first_name, last_name, email, department, job_title, location, manager_id, hire_date)
           values (gen_random_uuid(), $2, 'Example', gen_random_uuid()::text, 'Legal', 'Counsel', 'Berlin', $1, '2026-01-01')
           returning employee_id`,
          [manager, given],
        )
      )[0]?.['employee_id'],
    );
  const close = async () => {
    await testRuntime.close();
    expect(testRuntime.problems).toEqual([]);
  };
  return {
    ...testRuntime,
    feed: feedOf(0),
    log,
    lines,
    owner,
    database,
    feedOf,
    copiesOf,
    bringUp,
    positions,
    newest,
    versions,
    inFinance,
    inPayroll,
    above,
    inHr,
    right,
    hire,
    close,
  };
}
