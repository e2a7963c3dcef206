/** Rules and conditions that several tools share. */
import { z } from 'zod';
import { storedId } from '../../core/fields.ts';
import type { SqlReader, SqlTag, SqlText } from '../../core/sql.ts';

/**
 * Every word is part of the name, in any order: "kim sarah" finds Sarah Kim, "jose" José, "obrien" O'Brien. Nobody is called "%".
 * How rare a name is, the database cannot know beforehand. Asked like this it takes it for frequent, walks the list in its own
 * order and stops when the page is full; asked with `like` it would take it for rare, and sort half the company for "an".
 */
export function named(sql: SqlTag, name: string): SqlText {
  // As a query of its own it is asked once, not for each row.
  const plain = (text: string) => sql`(select hr.plain_name(${text}))`;
  const parts = name.split(/[\s,_–—-]+/).map((word) => sql`strpos(search_name, ${plain(word)}) > 0`);
  return sql.list([sql`${plain(name)} <> ''`, ...parts], ' and ');
}

/** Whatever the case: "engineering" is Engineering. */
export const spelled = (sql: SqlTag, column: 'department' | 'location', value: string): SqlText =>
  sql`lower(${sql.ref(column)}) = lower(${value})`;

/** Nobody decides on the pay or the employment of someone above them, however far. */
export async function isAbove(sql: SqlReader, other: string, me: string): Promise<boolean> {
  const link = z.object({ employee_id: storedId });
  return (await sql.maybeOne(link, sql`select employee_id from hr.chain where manager_id = ${other} and employee_id = ${me}`)) !== null;
}

/** Monday to Friday, both days included. Public holidays differ by office and are not known here. */
export function workingDays(from: string, to: string): number {
  let days = 0;
  const last = new Date(to);
  for (const day = new Date(from); day <= last; day.setUTCDate(day.getUTCDate() + 1)) if (day.getUTCDay() % 6 !== 0) days++;
  return days;
}

export const daysBefore = (day: string, count: number): string => new Date(Date.parse(day) - count * 86_400_000).toISOString().slice(0, 10);

/** The fiscal year is the calendar year. */
export const fiscalYear = (day: string): number => Number(day.slice(0, 4));
