/** Chooses the columns of a table from the row schema and the values. */
import { HIDDEN } from './hidden.ts';
import { fieldsOf, isRecord, optionsOf, ownFieldsOf, type Schema, textOf, typeOf } from './schema.ts';
import type { MaskInfo } from './tools.ts';
import { company } from './company.ts';
import { ago, labelForCode, day, labelFor, moment, money, number } from './format.ts';

export type Kind =
  | 'money'
  | 'number'
  | 'percent'
  | 'date'
  | 'time'
  | 'ago'
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
  /** The text is untrusted, so it is marked. */
  readonly untrusted: boolean;
  value(row: Row): unknown;
}

const LONG = 90;
const STATUS = /^(status|state|stage|priority|decision|compliance_status|tier|role|event_type)$/;
/** A state or country code. It is not a status. */
const PLACE = /^[A-Z]{2}$/;
const NAMED = /^(name|full_name|title|subject|vendor_name|vendor|department|period|category|topic|jurisdiction|\w*_name)$/;

/** Untrusted fields that name a thing or a person. They are short, unlike messages. */
const LABEL = /^(\w*name|company|contact|phone|industry|service|receipt|opened_by|invited_by|prepared_by|confirmation_number|when)$/;

function kindOf(key: string, schema: Schema, rows: readonly Row[]): Kind {
  const [type, format] = [typeOf(schema), textOf(schema, 'format')];
  if (type === 'number' || type === 'integer')
    return schema['unit'] === company().currency ? 'money' : /percent|rate$|utili[sz]ation/.test(key) ? 'percent' : 'number';
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
  if (STATUS.test(key)) return rows.length > 0 && rows.every((row) => PLACE.test(String(row[key] as string))) ? 'code' : 'status';
  if (optionsOf(schema)) return 'code';
  if (rows.some((row) => isRecord(row[key]) || (Array.isArray(row[key]) && (row[key] as unknown[]).some(isRecord)))) return 'inner';
  const long = (value: unknown) => typeof value === 'string' && (value.length > LONG || value.includes('\n'));
  // A name stays a column even if it is long, because it identifies the row.
  return !NAMED.test(key) && rows.some((row) => long(row[key])) ? 'long' : 'text';
}

export function allColumns(
  schema: Schema,
  whole: Schema,
  { rows, masked }: { readonly rows: readonly Row[]; readonly masked: readonly MaskInfo[] },
): Column[] {
  const declared = fieldsOf(schema, whole);
  const names = declared.map(({ name }) => name);
  // Adds fields that the schema does not declare.
  const more = [...new Set(rows.flatMap((row) => Object.keys(row)))]
    .filter((key) => !names.includes(key))
    .map((name) => ({ name, schema: {} as Schema, required: false }));
  return [...declared, ...more].map(({ name, schema: field }) => ({
    key: name,
    label: labelFor(name),
    kind: kindOf(name, field, rows),
    schema: field,
    mask: masked.find((each) => each.field === name),
    untrusted: field['untrusted'] === true,
    value: (row) => row[name],
  }));
}

const WEIGHT: Readonly<Record<Kind, number>> = {
  status: 1,
  money: 2,
  date: 3,
  text: 4,
  percent: 6,
  number: 6,
  time: 7,
  ago: 7,
  code: 7,
  flag: 8,
  email: 9,
  list: 10,
  id: 99,
  long: 99,
  inner: 99,
};
/** Added to the weight of each further column of the same kind: a date and a name say more than two dates. */
const AGAIN: Partial<Record<Kind, number>> = { status: 2.5, date: 2, text: 1, time: 1 };
const MOST = 6;
const MOST_FIGURES = 8;
/** Columns with this weight or more are left out, if at least FEW others remain. */
const DULL = 10;
const FEW = 2;
export const WORDY = 40;
export const empty = (value: unknown) =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** Important fields by the declaration of the tool: `drawn` in its chart, `asked` in its filters and orders. */
export interface FieldHints {
  readonly drawn: ReadonlySet<string>;
  readonly asked: ReadonlySet<string>;
}
const stem = (name: string) => name.replace(/^(min|max)_/, '').replace(/_(id|name|from|to|after|before)$/, '');
const NO_HINTS: FieldHints = { drawn: new Set(), asked: new Set() };

const textsIn = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];

export function fieldHintsOf({ chart, inputSchema }: { readonly chart?: unknown; readonly inputSchema: Schema }): FieldHints {
  const inputs = ownFieldsOf(inputSchema);
  const orders = (optionsOf(inputs.find(({ name }) => name === 'sort')?.schema ?? {}) ?? []).map((each) => String(each).replace(/^-/, ''));
  return { drawn: new Set(textsIn(chart)), asked: new Set([...inputs.map(({ name }) => name), ...orders].map(stem)) };
}

/** The weight of each column. A lower weight is more important. */
function weigh(
  columns: readonly Column[],
  all: readonly Column[],
  { rows, hints }: { readonly rows: readonly Row[]; readonly hints: FieldHints },
): Map<Column, number> {
  const keys = new Set(all.map(({ key }) => key));
  const moneys = columns.filter(({ kind }) => kind === 'money');
  const half = rows.length / 2;
  const of = (column: Column): number => {
    const { key, kind, mask, untrusted, schema, value } = column;
    if (hints.drawn.has(key)) return 0;
    // The author described this field, so it is probably important.
    const described = textOf(schema, 'description') !== '';
    let weight = WEIGHT[kind];
    // The first and the last amount matter most, such as gross and net.
    if (kind === 'money' && column !== moneys[0]) weight += column === moneys.at(-1) || described ? 1.5 : 4;
    if (kind === 'time' && described) weight -= 5;
    if (hints.asked.has(stem(key))) weight -= 2.5;
    if (/(^|_)(id|ur[il])$/.test(key)) weight += 6;
    // Users rarely need to know who changed a row and when.
    const event = /^(\w+?)_(?:by|at|on)(?:_name)?$/.exec(key)?.[1];
    if (event !== undefined && keys.has(`${event}_by`) && (keys.has(`${event}_at`) || keys.has(`${event}_by_name`))) weight += 5;
    const held = rows.map((row) => value(row));
    const words = held.filter((each) => typeof each === 'string');
    // Users read long texts in the details of the row.
    const wordy = words.reduce((sum, each) => sum + each.length, 0) > WORDY * words.length;
    if (kind === 'text') weight += (wordy ? 4 : 0) + (untrusted ? (wordy ? 12 : LABEL.test(key) ? 0 : 3) : 0);
    if (held.filter(empty).length > half) weight += 4;
    // A column with the same value everywhere does not distinguish rows. A hidden amount stays, because users look for it.
    if (rows.length > 4 && new Set(held).size === 1 && !(mask && kind === 'money')) weight += 5;
    return weight;
  };
  const alone = new Map(columns.map((column) => [column, of(column)]));
  const before = new Map<Kind, number>();
  return new Map(
    columns
      .toSorted((a, b) => (alone.get(a) ?? 0) - (alone.get(b) ?? 0))
      .map((column) => {
        const nth = before.get(column.kind) ?? 0;
        before.set(column.kind, nth + 1);
        return [column, (alone.get(column) ?? 0) + (hints.drawn.has(column.key) ? 0 : nth * (AGAIN[column.kind] ?? 0))];
      }),
  );
}

/** The columns that a table shows: the name first, amounts last. */
export function tableColumns(
  all: readonly Column[],
  rows: readonly Row[],
  { most = MOST, hints = NO_HINTS }: { most?: number | undefined; hints?: FieldHints | undefined } = {},
): Column[] {
  const used = all.filter(
    ({ key, kind, value }) =>
      WEIGHT[kind] < 99 && !key.startsWith('_') && key !== 'highlights' && (rows.length === 0 || rows.some((row) => !empty(value(row)))),
  );
  const whole = used.find(({ key }) => key === 'name' || key === 'full_name');
  const [first, last] = [used.find(({ key }) => key === 'first_name'), used.find(({ key }) => key === 'last_name')];
  const person: Column | undefined =
    first &&
    last &&
    (whole ?? {
      ...last,
      key: 'last_name',
      label: 'Name',
      kind: 'text',
      mask: undefined,
      value: (row) => [first.value(row), last.value(row)].filter(Boolean).join(' '),
    });
  const rest = used.filter((column) => !person || (column !== first && column !== last));
  const main =
    person ??
    rest.find(({ key, kind }) => kind === 'text' && NAMED.test(key)) ??
    rest.find(({ kind }) => kind === 'text' || kind === 'code') ??
    rest[0];
  if (!main) return all.slice(0, 1);
  const others = rest.filter((column) => column !== main);
  const weights = weigh(others, all, { rows, hints });
  const drawn = others.filter(({ key }) => hints.drawn.has(key)).length;
  const room = Math.max(most, Math.min(MOST_FIGURES, drawn + 1)) - 1;
  const ranked = others.toSorted((a, b) => (weights.get(a) ?? 0) - (weights.get(b) ?? 0));
  const chosen = new Set(ranked.slice(0, room).filter((column, at) => at < FEW || (weights.get(column) ?? 0) < DULL));
  const kept = others.filter((column) => chosen.has(column));
  const isAsked = ({ key }: Column) => hints.asked.has(stem(key));
  const amounts = kept.filter(({ kind }) => kind === 'money');
  const count = kept.find(({ kind }) => kind === 'number' || kind === 'percent');
  // A phone emphasises the last column. An amount that the tool can filter or sort by is best there.
  const end = amounts.length > 0 ? amounts.toSorted((a, b) => Number(isAsked(a)) - Number(isAsked(b))) : count ? [count] : [];
  return [main, ...kept.filter((column) => !end.includes(column)), ...end];
}

export const isFigure = ({ kind }: Column): boolean => kind === 'money' || kind === 'number' || kind === 'percent';

/** Undefined if the value is empty. */
export function valueText(value: unknown, kind: Kind): string | undefined {
  if (empty(value)) return undefined;
  if (typeof value === 'number') return kind === 'money' ? money(value) : kind === 'percent' ? `${number(value)}%` : number(value);
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'string') {
    if (kind === 'date') return day(value);
    if (kind === 'time') return moment(value);
    if (kind === 'ago') return ago(value);
    return kind === 'status' || kind === 'code' ? labelForCode(value) : value;
  }
  if (Array.isArray(value))
    return value.some(isRecord)
      ? `${value.length} ${value.length === 1 ? 'entry' : 'entries'}`
      : value.map((each) => valueText(each, 'text') ?? '').join(', ');
  return JSON.stringify(value);
}

/** Empty values come last. */
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
