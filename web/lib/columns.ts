/** Which columns a table of some rows has: read off the schema of a row, and off what the rows hold. */
import { HIDDEN } from './hidden.ts';
import { fieldsOf, isRecord, optionsOf, type Schema, textOf, typeOf } from './schema.ts';
import type { MaskInfo } from './tools.ts';
import { codeInWords, day, inWords, moment, money, number } from './words.ts';

export type Kind =
  | 'money'
  | 'number'
  | 'percent'
  | 'date'
  | 'time'
  | 'id'
  | 'status'
  | 'code'
  | 'flag'
  | 'email'
  | 'text'
  | 'long'
  | 'list'
  | 'inner';
export type Row = Readonly<Record<string, unknown>>;

export interface Column {
  readonly key: string;
  readonly label: string;
  readonly kind: Kind;
  readonly schema: Schema;
  readonly mask: MaskInfo | undefined;
  /** Others wrote it: shown as it is, never as anything else. */
  readonly written: boolean;
  value(row: Row): unknown;
}

const LONG = 90;
const STATUS = /^(status|state|stage|priority|decision|compliance_status|tier|role|event_type)$/;
const NAMED = /^(name|full_name|title|subject|vendor_name|vendor|department|period|category|topic|jurisdiction|\w*_name)$/;

function kindOf(key: string, schema: Schema, rows: readonly Row[]): Kind {
  const [type, format] = [typeOf(schema), textOf(schema, 'format')];
  if (type === 'number' || type === 'integer')
    return schema['unit'] === 'USD' ? 'money' : /percent|rate$|utili[sz]ation/.test(key) ? 'percent' : 'number';
  if (type === 'boolean') return 'flag';
  if (type === 'array') {
    const held = rows.map((row) => row[key]).find((each) => Array.isArray(each) && each.length > 0) as unknown[] | undefined;
    return held?.some(isRecord) ? 'inner' : 'list';
  }
  if (type === 'object') return 'inner';
  if (format === 'date') return 'date';
  if (format === 'date-time') return 'time';
  if (format === 'uuid') return 'id';
  if (format === 'email') return 'email';
  if (STATUS.test(key)) return 'status';
  if (optionsOf(schema)) return 'code';
  if (rows.some((row) => isRecord(row[key]) || (Array.isArray(row[key]) && (row[key] as unknown[]).some(isRecord)))) return 'inner';
  const long = (value: unknown) => typeof value === 'string' && (value.length > LONG || value.includes('\n'));
  // Whatever somebody put there, a name stays a name: without it nobody knows whose row it is.
  return !NAMED.test(key) && rows.some((row) => long(row[key])) ? 'long' : 'text';
}

export function allColumns(schema: Schema, whole: Schema, rows: readonly Row[], masked: readonly MaskInfo[]): Column[] {
  const declared = fieldsOf(schema, whole);
  const names = declared.map(({ name }) => name);
  // What the schema does not name is shown all the same: nothing is left out in silence.
  const more = [...new Set(rows.flatMap((row) => Object.keys(row)))]
    .filter((key) => !names.includes(key))
    .map((name) => ({ name, schema: {} as Schema, required: false }));
  return [...declared, ...more].map(({ name, schema: field }) => ({
    key: name,
    label: inWords(name),
    kind: kindOf(name, field, rows),
    schema: field,
    mask: masked.find((each) => each.field === name),
    written: field['written'] === true,
    value: (row) => row[name],
  }));
}

const WEIGHT: Readonly<Record<Kind, number>> = {
  status: 1,
  money: 2,
  date: 3,
  text: 4,
  time: 5,
  percent: 6,
  number: 6,
  code: 7,
  flag: 8,
  email: 9,
  list: 10,
  id: 99,
  long: 99,
  inner: 99,
};
const MOST = 6;
export const empty = (value: unknown) =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** Those that fit beside each other, the name first and an amount last. The others are a press away. */
export function tableColumns(all: readonly Column[], rows: readonly Row[], most = MOST): Column[] {
  const used = all.filter(
    ({ key, kind, value }) =>
      WEIGHT[kind] < 99 && !key.startsWith('_') && key !== 'highlights' && (rows.length === 0 || rows.some((row) => !empty(value(row)))),
  );
  const [first, last] = [used.find(({ key }) => key === 'first_name'), used.find(({ key }) => key === 'last_name')];
  const person: Column | undefined = first &&
    last && {
      ...last,
      key: 'last_name',
      label: 'Name',
      kind: 'text',
      mask: undefined,
      value: (row) => [first.value(row), last.value(row)].filter(Boolean).join(' '),
    };
  const rest = used.filter((column) => !person || (column !== first && column !== last));
  const main =
    person ??
    rest.find(({ key, kind }) => kind === 'text' && NAMED.test(key)) ??
    rest.find(({ kind }) => kind === 'text' || kind === 'code') ??
    rest[0];
  if (!main) return all.slice(0, 1);
  const others = rest.filter((column) => column !== main);
  // What says the same in every row, or names a thing that has a name beside it, gives way to what tells rows apart. An amount that is
  // hidden in every row does not: that it is there, and for whom, is what people look for.
  const same = ({ value }: Column) => rows.length > 4 && new Set(rows.map((row) => value(row))).size === 1;
  const dull = (column: Column) =>
    (column.key.endsWith('_id') ? 4 : 0) + (same(column) && !(column.mask && column.kind === 'money') ? 5 : 0);
  const weights = new Map(others.map((column) => [column, WEIGHT[column.kind] + dull(column)]));
  const chosen = new Set([...others].sort((a, b) => (weights.get(a) ?? 0) - (weights.get(b) ?? 0)).slice(0, most - 1));
  const kept = others.filter((column) => chosen.has(column));
  const end = kept.find(({ kind }) => kind === 'money') ?? kept.find(({ kind }) => kind === 'number' || kind === 'percent');
  return [main, ...kept.filter((column) => column !== end), ...(end ? [end] : [])];
}

export const isFigure = ({ kind }: Column): boolean => kind === 'money' || kind === 'number' || kind === 'percent';

/** A value in words; undefined where there is none. */
export function inPlain(value: unknown, kind: Kind): string | undefined {
  if (empty(value)) return undefined;
  if (typeof value === 'number') return kind === 'money' ? money(value) : kind === 'percent' ? `${number(value)}%` : number(value);
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'string') {
    if (kind === 'date') return day(value);
    if (kind === 'time') return moment(value);
    return kind === 'status' || kind === 'code' ? codeInWords(value) : value;
  }
  if (Array.isArray(value))
    return value.some(isRecord)
      ? `${value.length} ${value.length === 1 ? 'entry' : 'entries'}`
      : value.map((each) => inPlain(each, 'text') ?? '').join(', ');
  return JSON.stringify(value);
}

/** For sorting: figures as figures, dates as they are written, words as words. Nothing comes last. */
export function compare(a: unknown, b: unknown): number {
  if (empty(a) || empty(b)) return Number(empty(a)) - Number(empty(b));
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a as string).localeCompare(String(b as string), 'en', { numeric: true });
}

export const isHidden = (value: unknown): boolean => value === HIDDEN;

const LOOKS: readonly (readonly [RegExp, string])[] = [
  [/^(overdue|breached|critical|rejected|failed|late|lost|delinquent|refused|terminated|not_?compliant)/i, 'bad'],
  [/^(at_?risk|pending|high|waiting|due|draft|submitted|unavailable|attention|inactive|on_leave)/i, 'warn'],
  [/^(approved|active|paid|won|closed_?won|resolved|done|completed|compliant|filed|reimbursed|acknowledged|success|lead$)/i, 'ok'],
  [/^(open|new|in_?progress|negotiation|proposal|qualif|contacted|processing)/i, 'accent'],
];
export const lookOf = (value: string): string => LOOKS.find(([pattern]) => pattern.test(value))?.[1] ?? 'plain';
