/** Moves in the reporting tree: who takes over the people who report to an employee, and which managers are possible. */
import { z } from 'zod';
import { companyText, storedId } from '../../src/declare/fields.ts';
import type { SqlReader, SqlWriter } from '../../src/declare/sql.ts';
import { isAbove } from './rules.ts';

const manager = z.object({ employee_id: storedId, first_name: companyText, last_name: companyText, manager_id: storedId.nullable() });
export type Manager = z.output<typeof manager>;

export const managerCycle = {
  message: 'A person cannot report to themselves or to someone below them.',
  hint: 'Choose a manager outside the team with find_employees, or say in move_reports_to who takes over the team.',
};

export const activeManager = (sql: SqlReader, employee_id: string): Promise<Manager | null> =>
  sql.maybeOne(
    manager,
    sql`select employee_id, first_name, last_name, manager_id, row_version from hr.people where employee_id = ${employee_id}`,
  );
export const fullName = ({ first_name, last_name }: Pick<Manager, 'first_name' | 'last_name'>): string => `${first_name} ${last_name}`;

export async function countReports(sql: SqlReader, employee_id: string): Promise<number> {
  const row = await sql.one(
    z.object({ count: z.number() }),
    sql`select count(*) as count from hr.people where manager_id = ${employee_id}`,
  );
  return row.count;
}

export interface TeamMove {
  readonly from: string;
  readonly to: string;
  /** How many people get another manager. */
  readonly count: number;
  /** The new manager of `to`, if `to` is below `from` and therefore takes the place of `from`; otherwise undefined. */
  readonly above: string | null | undefined;
}

/** `successor` takes over everyone who reports to `leader`. Undefined if nobody reports to `leader`. */
export async function planTeamMove(sql: SqlReader, leader: Pick<Manager, 'employee_id' | 'manager_id'>, successor: Manager) {
  const count = await countReports(sql, leader.employee_id);
  if (count === 0) return undefined;
  const isBelow = await isAbove(sql, leader.employee_id, successor.employee_id);
  const move: TeamMove = {
    from: leader.employee_id,
    to: successor.employee_id,
    count: successor.manager_id === leader.employee_id ? count - 1 : count,
    above: isBelow ? leader.manager_id : undefined,
  };
  return move;
}

/** The line of a card. */
export const takesOver = (successor: Manager | undefined, team: TeamMove | undefined) =>
  successor === undefined || team === undefined
    ? []
    : [{ field: 'move_reports_to', label: 'Takes over the team', from: null, to: `${fullName(successor)} (${team.count} people)` }];

/** One statement, so that no state in between contains a cycle. */
export async function moveTeam(sql: SqlWriter, { from, to, above }: TeamMove): Promise<void> {
  await sql.changeMany(
    z.object({ employee_id: storedId }),
    above === undefined
      ? sql`update hr.employees set manager_id = ${to} where manager_id = ${from} and active returning employee_id`
      : sql`
          update hr.employees set manager_id = case when employee_id = ${to}::uuid then ${above}::uuid else ${to}::uuid end
          where active and (manager_id = ${from} or employee_id = ${to}::uuid) returning employee_id`,
  );
}
