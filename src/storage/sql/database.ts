/** The database interface of the SQL store, for PostgreSQL and PGlite. */
import pg, { type CustomTypesConfig } from 'pg';
import type { Company } from '../../declare/company.ts';
import type { PoolLoad } from '../../engine/ports.ts';
import type { Row } from '../../declare/rows.ts';

/** The settings of every connection: the company's time zone, and the default currency of amounts. */
export const companySettings = ({ timeZone, currency }: Pick<Company, 'timeZone' | 'currency'>): string =>
  `set timezone = '${timeZone}'; set app.currency = '${currency}'`;

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** One open transaction. */
export interface SqlSession {
  /** `deadlineMs` is for background work. The transaction must also raise its statement_timeout. */
  query(text: string, values?: readonly unknown[], deadlineMs?: number): Promise<Row[]>;
}

/** The connection was lost during COMMIT. Nobody knows whether the transaction was committed. */
export class CommitLost extends Error {
  override readonly name = 'CommitLost';
  constructor(cause: unknown) {
    super('The connection ended with the transaction.', { cause });
  }
}

export interface SqlDatabase {
  /** Runs one read-only statement as a database role, in one round trip. */
  read(role: string, statement: Statement): Promise<Row[]>;
  /** Runs one serializable transaction as a database role, with `first` as its first statement. Can throw CommitLost. */
  transaction<T>(role: string, first: Statement, body: (session: SqlSession) => Promise<T>): Promise<T>;
  /** Calls `wake` for each notification, and after a reconnect, because one may have been lost. PGlite has no `listen`. */
  listen?(role: string, channel: string, wake: () => void): () => void;
  ping(): Promise<void>;
  /** PGlite has one connection and no `load`. */
  load?(): readonly PoolLoad[];
  close(): Promise<void>;
}

const OID = { bool: 16, int8: 20, int2: 21, int4: 23, float4: 700, float8: 701, numeric: 1700, json: 114, jsonb: 3802, timestamptz: 1184 };
const asText = (value: string) => value;
const DAY = 'yyyy-mm-dd'.length;
/** Converts 2026-11-16 00:48:15.284+00 to RFC 3339 in UTC and keeps every digit. */
const asTime = (value: string) => {
  const [day, time] = [value.slice(0, DAY), value.slice(DAY + 1)];
  return time.endsWith('+00') ? `${day}T${time.slice(0, -3)}Z` : inUtc(value);
};
const ZONED = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d+)?([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?$/;
function inUtc(value: string): string {
  const [, day, clock, fraction = '', sign, hours = '0', minutes = '0', seconds = '0'] = ZONED.exec(value) ?? [];
  if (day === undefined) return value;
  const offset = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * (sign === '-' ? -1000 : 1000);
  return `${new Date(Date.parse(`${day}T${clock}Z`) - offset).toISOString().slice(0, 19)}${fraction}Z`;
}
/** Arrays. Elements that are not numbers or booleans stay text. */
const ARRAY_OID = {
  bool: 1000,
  int2: 1005,
  int4: 1007,
  text: 1009,
  varchar: 1015,
  int8: 1016,
  float8: 1022,
  date: 1182,
  numeric: 1231,
  uuid: 2951,
};
const asTexts = pg.types.getTypeParser(ARRAY_OID.text, 'text') as (value: string) => (string | null)[];
const arrayOf = (parse: (element: string) => unknown) => (value: string) =>
  asTexts(value).map((element) => (element === null ? null : parse(element)));
const parsers = new Map<number, (value: string) => unknown>([
  ...[ARRAY_OID.text, ARRAY_OID.varchar, ARRAY_OID.uuid, ARRAY_OID.date].map((oid) => [oid, asTexts] as const),
  ...[ARRAY_OID.int2, ARRAY_OID.int4, ARRAY_OID.int8, ARRAY_OID.float8, ARRAY_OID.numeric].map((oid) => [oid, arrayOf(Number)] as const),
  [ARRAY_OID.bool, arrayOf((element) => element === 't')],
  ...[OID.int8, OID.int2, OID.int4, OID.float4, OID.float8, OID.numeric].map((oid) => [oid, Number] as const),
  [OID.bool, (value: string) => value === 't'],
  [OID.json, JSON.parse],
  [OID.jsonb, JSON.parse],
  [OID.timestamptz, asTime],
]);
/** Money is a number. Dates and times stay text: `Date` would lose the microseconds that cursors need. */
export const types = { getTypeParser: (oid: number) => parsers.get(oid) ?? asText } as unknown as CustomTypesConfig;

/** Gives each statement of a role a short name, so PostgreSQL plans it only once. */
export function statementNames(era = 0): (role: string, text: string) => string {
  const roles = new Map<string, Map<string, string>>();
  let made = 0;
  return (role, text) => {
    const names = roles.get(role) ?? new Map<string, string>();
    roles.set(role, names);
    let name = names.get(text);
    if (name === undefined) {
      name = `s${era}_${made++}`;
      names.set(text, name);
    }
    return name;
  };
}
