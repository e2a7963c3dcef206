/** Rules and conditions shared by the hr tools. */
import { z } from 'zod';
import type { Company } from '../../src/declare/company.ts';
import { fiscalYearOf } from '../../src/declare/fiscal.ts';
import { companyText, storedDay, storedId } from '../../src/declare/fields.ts';
import type { SqlReader, SqlTag, SqlText } from '../../src/declare/sql.ts';
import { requestStatus, timeOffBalance } from './schemas.ts';

/**
 * Matches names that contain every given word: "kim sarah" finds Sarah Kim. It does not use `like`: PostgreSQL would sort all rows. With
 * strpos it reads the index in order until the page is full.
 */
export function named(sql: SqlTag, name: string): SqlText {
  // PostgreSQL evaluates a subquery once, and a plain call for every row.
  const plain = (text: string) => sql`(select hr.plain_name(${text}))`;
  const parts = name.split(/[\s,_–—-]+/).map((word) => sql`strpos(search_name, ${plain(word)}) > 0`);
  return sql.list([sql`${plain(name)} <> ''`, ...parts], ' and ');
}

/** Ignores case. */
export const spelled = (sql: SqlTag, column: 'department' | 'location', value: string): SqlText =>
  sql`lower(${sql.ref(column)}) = lower(${value})`;

/** True if `me` reports to `other`, at any level. Callers must not change the pay or the employment of people above them. */
export async function isAbove(sql: SqlReader, other: string, me: string): Promise<boolean> {
  const link = z.object({ employee_id: storedId });
  return (await sql.maybeOne(link, sql`select employee_id from hr.chain where manager_id = ${other} and employee_id = ${me}`)) !== null;
}

/** The name of a department as it is stored; undefined if there is no such department. */
export async function departmentNamed(sql: SqlReader, name: string): Promise<string | undefined> {
  const row = await sql.maybeOne(
    z.object({ name: companyText }),
    sql`select name from hr.departments where department_key = lower(${name})`,
  );
  return row?.name;
}

export const emailTaken = {
  message: 'Another employee has or had this e-mail address.',
  hint: 'Give an address that nobody has used; find_employees shows the addresses of active employees.',
};
export async function isEmailTaken(sql: SqlReader, email: string, by?: string): Promise<boolean> {
  const row = z.object({ employee_id: storedId });
  const other = await sql.maybeOne(row, sql`select employee_id from hr.employees where lower(email) = lower(${email})`);
  return other !== null && other.employee_id !== by;
}

/** Counts Monday to Friday, both days included. Public holidays count as working days. */
export function workingDays(from: string, to: string): number {
  let days = 0;
  const last = new Date(to);
  for (const day = new Date(from); day <= last; day.setUTCDate(day.getUTCDate() + 1)) if (day.getUTCDay() % 6 !== 0) days++;
  return days;
}

export const daysBefore = (day: string, count: number): string => new Date(Date.parse(day) - count * 86_400_000).toISOString().slice(0, 10);

export const balanceOf = (sql: SqlReader, employee_id: string, { year, type_code }: { year: number; type_code: string }) =>
  sql.maybeOne(
    timeOffBalance,
    sql`select * from hr.balances where employee_id = ${employee_id} and fiscal_year = ${year}::int and type_code = ${type_code}`,
  );

/** The first pending or approved request that overlaps these days. */
export async function overlappingRequest(
  sql: SqlReader,
  employee_id: string,
  { start_date, end_date }: { start_date: string; end_date: string },
) {
  const [first] = await sql.many(
    z.object({ request_id: storedId, start_date: storedDay, end_date: storedDay, status: requestStatus }),
    sql`
      select request_id, start_date, end_date, status from hr.time_off
      where employee_id =
      ${employee_id} and status in ('pending', 'approved') and start_date <= ${end_date}::date and end_date >= ${start_date}::date
      order by start_date, request_id limit 1`,
  );
  return first;
}

/** The fiscal year that contains both days, or undefined. */
export function commonYear(first: string, last: string, company: Company): number | undefined {
  const year = fiscalYearOf(first, company);
  return year === fiscalYearOf(last, company) ? year : undefined;
}
