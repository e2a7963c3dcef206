/** How things stand, or stood: the one place that knows what a version's two numbers mean. */
import type { SqlTag, SqlText } from '../../core/sql.ts';

/** A moment in the past as the number of the last transaction up to it. A day means its end. */
const lastTxAt = (sql: SqlTag, asOf: string): SqlText =>
  sql`(select coalesce(max(tx_id), 0) from knowledge.transactions where at < ${asOf.length === 10 ? sql`${asOf}::date + 1` : sql`${asOf}::timestamptz + interval '1 microsecond'`})`;

const after = (sql: SqlTag, tx: SqlText): SqlText => sql`tx_from <= ${tx} and (tx_to is null or tx_to > ${tx})`;

/** The versions that stand now, or stood at a time. */
export const validAsOf = (sql: SqlTag, asOf?: string): SqlText =>
  asOf === undefined ? sql`tx_to is null` : after(sql, lastTxAt(sql, asOf));

/** The versions that stood when a transaction had committed. */
export const validAfter = (sql: SqlTag, tx: number): SqlText => after(sql, sql`${tx}::bigint`);

/** The ones that hold on a day. */
export const holding = (sql: SqlTag, on: string): SqlText =>
  sql`(valid_from is null or valid_from <= ${on}::date) and (valid_to is null or valid_to >= ${on}::date)`;

/** In UTC, like every day here. */
export const dayOf = (asOf: string | undefined, today: string): string =>
  asOf === undefined ? today : new Date(asOf).toISOString().slice(0, 10);

/** The number behind `e-42` or `t-42`; zero, which nothing has, for anything else. */
export function numberOf(id: string, kind: 'e' | 't'): number {
  const digits = /^([et])-([1-9]\d{0,14})$/.exec(id);
  return digits?.[1] === kind ? Number(digits[2]) : 0;
}
