/** Conditions and queries shared by the payroll tools. */
import { z } from 'zod';
import type { SqlReader, SqlTag, SqlText } from '../../src/declare/sql.ts';
import { nextPayDate } from './schemas.ts';

/** Totals of fewer people would reveal single salaries, so they are left out. */
export const FEWEST = 5;

/** The first date in the pay calendar from today on that has no regular run. */
export const nextPayDay = (sql: SqlTag, today: string): SqlText => sql`(
  select min(c.pay_date) from payroll.pay_calendar c
  where c.pay_date >= ${today}::date and not exists (select from payroll.pay_runs r where r.pay_date = c.pay_date
  and r.run_type = 'REGULAR'))`;

export const paySchedule = z.object({ next_pay_date: nextPayDate });
export const scheduleFrom = (sql: SqlReader, today: string) => sql.one(paySchedule, sql`select ${nextPayDay(sql, today)} as next_pay_date`);

/** Pay dates between two days, each of which is optional. */
export const inPeriod = (sql: SqlTag, from: string | undefined, to: string | undefined): SqlText => sql`
  ${sql.when(from, () => sql`pay_date >= ${from}::date`)} ${sql.when(to, () => sql`pay_date <= ${to}::date`)}`;

export const payee = z.object({ employee_id: z.string(), employee_name: z.string(), tax_number_last4: z.string() });
export const payeeOf = (sql: SqlReader, id: string) =>
  sql.maybeOne(payee, sql`select employee_id, employee_name, tax_number_last4 from payroll.people where employee_id = ${id}`);
