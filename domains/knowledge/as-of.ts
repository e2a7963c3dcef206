/** SQL conditions that select the versions of a given time or transaction. */
import { type Company, dayIn } from '../../src/declare/company.ts';
import type { SqlTag, SqlText } from '../../src/declare/sql.ts';

/** The last transaction at or before a time. A day means its end. */
const lastTxAt = (sql: SqlTag, asOf: string): SqlText =>
  sql`(select coalesce(max(tx_id), 0) from knowledge.transactions
    where at < ${asOf.length === 10 ? sql`${asOf}::date + 1` : sql`${asOf}::timestamptz + interval '1 microsecond'`})`;

const after = (sql: SqlTag, tx: SqlText): SqlText => sql`tx_from <= ${tx} and (tx_to is null or tx_to > ${tx})`;

/** Selects current versions, or the versions at a time in the past. */
export const validAsOf = (sql: SqlTag, asOf?: string): SqlText =>
  asOf === undefined ? sql`tx_to is null` : after(sql, lastTxAt(sql, asOf));

/** Selects the versions at a transaction. */
export const validAfter = (sql: SqlTag, tx: number): SqlText => after(sql, sql`${tx}::bigint`);

/** Selects versions that are valid on a day. */
export const holding = (sql: SqlTag, on: string): SqlText =>
  sql`(valid_from is null or valid_from <= ${on}::date) and (valid_to is null or valid_to >= ${on}::date)`;

/** The day of a time in the company's time zone. A day stays as it is. */
export const dayOf = (asOf: string, { timeZone }: Company): string => (asOf.length === 10 ? asOf : dayIn(timeZone, new Date(asOf)));

/** The number in `e-42` or `t-42`; 0 for any other text. No item has the number 0. */
export function numberOf(id: string, kind: 'e' | 't'): number {
  const digits = /^([et])-([1-9]\d{0,14})$/.exec(id);
  return digits?.[1] === kind ? Number(digits[2]) : 0;
}
