/** Salaries of one employee by day: the salary in force, planned changes, and the band of the grade. */
import { z } from 'zod';
import { amount, companyText, storedDay, storedId } from '../../src/declare/fields.ts';
import type { SqlReader, SqlWriter } from '../../src/declare/sql.ts';

const planned = z.object({ effective_date: storedDay, planned_salary: amount });
export type PlannedPay = z.output<typeof planned>;

export interface SalarySteps {
  /** The salary in force today; null if there is none. */
  readonly today: number | null;
  /** Later salaries, the earliest first. */
  readonly planned: readonly PlannedPay[];
  /** The last day on which the salary changed, or undefined. */
  readonly changedOn: string | undefined;
  /** The day of the planned salary that is in force; undefined if it is the one of hr.pay. */
  readonly inForce: string | undefined;
  /** Whether hr.pay has a salary. */
  readonly hasBase: boolean;
}

/** Only for callers who may see planned pay: others do not get the later rows. */
export async function salarySteps(sql: SqlReader, employee_id: string, today: string): Promise<SalarySteps> {
  const rows = await sql.many(
    planned,
    sql`select effective_date, planned_salary, row_version from hr.planned_pay where employee_id = ${employee_id} order by effective_date`,
  );
  const base = await sql.maybeOne(
    z.object({ salary: amount }),
    sql`select salary, row_version from hr.pay where employee_id = ${employee_id}`,
  );
  const [last] = await sql.many(
    z.object({ effective_date: storedDay }),
    sql`
      select effective_date from hr.salary_history where employee_id = ${employee_id} and effective_date <= ${today}::date
      order by effective_date desc limit 1`,
  );
  const inForce = rows.findLast(({ effective_date }) => effective_date <= today);
  return {
    today: inForce?.planned_salary ?? base?.salary ?? null,
    planned: rows.filter(({ effective_date }) => effective_date > today),
    changedOn: last?.effective_date,
    inForce: inForce?.effective_date,
    hasBase: base !== null,
  };
}

export const salaryOn = ({ today, planned: later }: SalarySteps, day: string): number | null =>
  later.findLast(({ effective_date }) => effective_date <= day)?.planned_salary ?? today;

/** The line of a card for the next salary that is planned after this day. */
export const plannedAfter = ({ planned: later }: SalarySteps, effective: string) =>
  later
    .filter(({ effective_date }) => effective_date > effective)
    .slice(0, 1)
    .map(({ effective_date, planned_salary: to }) => {
      const label = `Already planned from ${effective_date}`;
      return { field: 'planned_salary', label, from: to, to, format: 'money' as const };
    });

/** Where a salary from this day on is written. */
export const planSalary = ({ planned: later, inForce, hasBase }: SalarySteps, effective: string, today: string) => ({
  isPlanned: effective > today,
  replaces: later.some(({ effective_date }) => effective_date === effective),
  inForce,
  hasBase,
});
interface NewSalary extends ReturnType<typeof planSalary> {
  readonly employee_id: string;
  readonly effective: string;
  readonly old: number | null;
  readonly salary: number;
  readonly reason: string | undefined;
  readonly outside_band_reason: string | undefined;
}
const written = z.object({ employee_id: storedId });
export async function writeSalary(sql: SqlWriter, given: NewSalary): Promise<void> {
  const { employee_id, effective, old, salary, reason, outside_band_reason, isPlanned, replaces, inForce, hasBase } = given;
  // A planned salary whose day has come would hide the new one.
  if (!isPlanned && inForce !== undefined)
    await sql.changeMany(
      written,
      sql`delete from hr.planned_pay where employee_id = ${employee_id} and effective_date <= ${inForce} returning employee_id`,
    );
  await sql.change(
    written,
    isPlanned
      ? replaces
        ? sql`
            update hr.planned_pay set planned_salary = ${salary}
            where employee_id = ${employee_id} and effective_date = ${effective} returning employee_id`
        : sql`
            insert into hr.planned_pay (employee_id, effective_date, planned_salary)
            values (${employee_id}, ${effective}, ${salary}) returning employee_id`
      : hasBase
        ? sql`update hr.pay set salary = ${salary} where employee_id = ${employee_id} returning employee_id`
        : sql`insert into hr.pay (employee_id, salary) values (${employee_id}, ${salary}) returning employee_id`,
  );
  await sql.change(
    written,
    sql`
      insert into hr.salary_history (employee_id, old_salary, new_salary, effective_date, reason, outside_band_reason)
      values (${employee_id}, ${old}, ${salary}, ${effective}, ${reason}, ${outside_band_reason}) returning employee_id`,
  );
}

export const outsideBand = {
  message: 'The salary is outside the band of the grade.',
  hint: 'Give a salary within the band in details, or say why in outside_band_reason.',
};

export const gradeNotFound = { message: 'There is no such grade.', hint: 'Give one of the grades in details.' };

const bandRow = z.object({ grade: companyText, salary_min: amount, salary_max: amount });
export type Band = z.output<typeof bandRow>;
const bandsOf = (sql: SqlReader): Promise<Band[]> =>
  sql.many(bandRow, sql`select grade, salary_min, salary_max, row_version from hr.grade_levels order by grade`);
const isOutside = ({ salary_min, salary_max }: Band, salary: number) => salary < salary_min || salary > salary_max;

interface GradeChange {
  readonly grade: string | null | undefined;
  /** Null if the employee has no salary yet. */
  readonly salary: number | null;
  readonly outside_band_reason: string | undefined;
  /** Whether the caller named the grade, so that it must exist. */
  readonly isNamed: boolean;
}
/** Checks that a grade exists and that its band contains the salary, unless there is a reason. Returns the lines for the card. */
export async function checkGrade(
  sql: SqlReader,
  { grade, salary, outside_band_reason, isNamed }: GradeChange,
  fail: (code: 'GRADE_NOT_FOUND' | 'OUTSIDE_BAND', details: Record<string, unknown>) => never,
) {
  if (grade === undefined || grade === null) return { isOutside: false, lines: [] };
  const bands = await bandsOf(sql);
  const band = bands.find((each) => each.grade === grade);
  if (band === undefined && isNamed) return fail('GRADE_NOT_FOUND', { grades: bands.map((each) => each.grade) });
  if (band === undefined || salary === null || !isOutside(band, salary)) return { isOutside: false, lines: [] };
  if (outside_band_reason === undefined) return fail('OUTSIDE_BAND', band);
  const label = `Outside the band of ${grade} because`;
  return { isOutside: true, lines: [{ field: 'outside_band_reason', label, from: null, to: outside_band_reason }] };
}
