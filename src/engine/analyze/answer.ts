/** Builds the answer of an analysis: columns, sorted rows, totals, chart, and the calls that show the rows behind each figure. */
import { type Company } from '../../declare/company.ts';
import { labelFor } from '../../declare/display.ts';
import type { FieldType, ListField } from '../../declare/list-fields.ts';
import { formatMoney } from '../../declare/money.ts';
import type { ListTool } from '../../declare/tool.ts';
import type { FigureGroup, Figures } from './figures.ts';
import type { Unit } from './periods.ts';
import type { Grouping, Measure, Question } from './question.ts';
import { changeOf, type Tally, type Value, valueOf } from './tally.ts';

type ColumnType = 'text' | 'choice' | 'flag' | 'day' | 'whole' | 'number' | 'money' | 'share';
interface Column {
  readonly name: string;
  readonly role: 'group' | 'measure' | 'change';
  readonly label: string;
  readonly type: ColumnType;
  readonly by?: Unit;
  /** The field of a measure. */
  readonly of?: string;
  /** For a column with a previous value or a change: the name of its measure. */
  readonly measure?: string;
}
type AnalysisRow = Readonly<Record<string, Value>>;
type Where = Readonly<Record<string, unknown>>;

export interface Compared {
  readonly from: string;
  readonly to: string;
  readonly previous_from: string;
  readonly previous_to: string;
}
/** The figures with which those of the question are compared. */
export interface Previous {
  readonly compared: Compared;
  readonly figures: Figures;
  /** The previous figures of the same group. */
  tallyFor(group: FigureGroup): Tally;
  /** Whether the totals of the previous figures can be compared with the totals of the question. */
  readonly hasTotals: boolean;
}
export interface Answered {
  readonly question: Question;
  readonly figures: Figures;
  readonly previous: Previous | undefined;
  readonly company: Company;
  /** The filters as sent, with the published keys. */
  readonly where: Where;
}

const wordsOf = (name: string): string => name.replaceAll('_', ' ').trim();
const LABELS: Readonly<Record<'distinct' | 'sum' | 'avg' | 'median', string>> = {
  distinct: 'Different values of',
  sum: 'Total',
  avg: 'Average',
  median: 'Median',
};
function labelOf({ fn, field }: Measure, plural: string): string {
  if (fn === 'count') return `Number of ${plural}`;
  if (fn === 'share') return field === undefined ? `Share of ${plural}` : `Share of total ${wordsOf(field.name)}`;
  const words = wordsOf(field?.name ?? '');
  if (fn !== 'min' && fn !== 'max') return `${LABELS[fn]} ${words}`;
  const isTime = field?.type === 'day' || field?.type === 'time';
  if (fn === 'min') return `${isTime ? 'Earliest' : 'Lowest'} ${words}`;
  return `${isTime ? 'Latest' : 'Highest'} ${words}`;
}

const plainType = (type: FieldType): ColumnType => (type === 'time' ? 'day' : type === 'id' ? 'text' : type);
function typeOf({ fn, field }: Measure): ColumnType {
  if (fn === 'share') return 'share';
  if (field === undefined || fn === 'distinct') return 'whole';
  if (fn === 'avg' || fn === 'median') return field.type === 'money' ? 'money' : 'number';
  return plainType(field.type);
}

const previousName = (measure: Measure) => `previous_${measure.name}`;
const changeName = (measure: Measure) => `change_${measure.name}`;
/** A change is a percentage. A share is a percentage already, and a day has none. */
const hasChange = (measure: Measure): boolean => !['share', 'day'].includes(typeOf(measure));
const lowered = (label: string): string => label.charAt(0).toLowerCase() + label.slice(1);

function columnsOf({ list: { plural }, groupings, measures }: Question, isCompared: boolean): Column[] {
  const groups = groupings.map(
    ({ field, unit }): Column => ({
      name: field.name,
      role: 'group',
      label: labelFor(field.name),
      type: plainType(field.type),
      ...(unit !== undefined && { by: unit }),
    }),
  );
  const measured = measures.flatMap((measure): Column[] => {
    const label = labelOf(measure, plural);
    const type = typeOf(measure);
    const own: Column = { name: measure.name, role: 'measure', label, type, ...(measure.field && { of: measure.field.name }) };
    if (!isCompared) return [own];
    const change = { role: 'change', measure: measure.name } as const;
    return [
      own,
      { name: previousName(measure), ...change, label: `Previous ${lowered(label)}`, type },
      ...(hasChange(measure)
        ? [{ name: changeName(measure), ...change, label: `Change of ${lowered(label)}`, type: 'share' } as const]
        : []),
    ];
  });
  return [...groups, ...measured];
}

/** "Average salary of employees by department and quarter of hire date". */
export function titleOf({ list: { plural }, groupings, measures }: Question): string {
  const what = measures.map((measure, at) => (at === 0 ? labelOf(measure, plural) : lowered(labelOf(measure, plural)))).join(', ');
  const by = groupings.map(({ field, unit }) => (unit === undefined ? wordsOf(field.name) : `${unit} of ${wordsOf(field.name)}`));
  return `${what}${what.includes(plural) ? '' : ` of ${plural}`}${by.length === 0 ? '' : ` by ${by.join(' and ')}`}`;
}

interface Side {
  readonly tally: Tally;
  readonly whole: Tally;
}
function measured({ question: { measures }, company }: Answered, now: Side, before: Side | undefined): [string, Value][] {
  return measures.flatMap((measure): [string, Value][] => {
    const value = valueOf(measure, now.tally, { whole: now.whole, company });
    if (before === undefined) return [[measure.name, value]];
    const previous = valueOf(measure, before.tally, { whole: before.whole, company });
    const change: [string, Value][] = hasChange(measure) ? [[changeName(measure), changeOf(value, previous)]] : [];
    return [[measure.name, value], [previousName(measure), previous], ...change];
  });
}

interface Placed {
  readonly group: FigureGroup;
  readonly row: AnalysisRow;
}
/** Null comes last in both directions. */
function compareValues(a: Value, b: Value, { sign, choices }: { readonly sign: number; readonly choices: readonly string[] }): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  const isBefore = choices.length > 0 ? choices.indexOf(String(a)) < choices.indexOf(String(b)) : a < b;
  return isBefore ? -sign : sign;
}

function sorted(placed: readonly Placed[], { groupings, measures, sort }: Question): Placed[] {
  const [first] = groupings;
  const usual =
    first?.unit === undefined ? { by: measures[0]?.name ?? '', order: 'desc' as const } : { by: first.field.name, order: 'asc' as const };
  const main = sort ?? usual;
  const choicesOf = (name: string) => groupings.find(({ field }) => field.name === name)?.field.choices ?? [];
  const keys = [main, ...groupings.map(({ field }) => ({ by: field.name, order: 'asc' as const }))];
  const orders = keys.map(({ by, order }) => ({ by, sign: order === 'asc' ? 1 : -1, choices: choicesOf(by) }));
  return placed.toSorted((a, b) => {
    for (const order of orders) {
      const compared = compareValues(a.row[order.by] ?? null, b.row[order.by] ?? null, order);
      if (compared !== 0) return compared;
    }
    return 0;
  });
}

function chartOf({ groupings, measures }: Question) {
  const [first, second] = groupings;
  const names = measures.map(({ name }) => name);
  if (first === undefined) return { kind: 'figure', measures: names } as const;
  if (second !== undefined) return { kind: 'stacked', x: first.field.name, series: second.field.name, measures: names } as const;
  return { kind: first.unit === undefined ? 'bars' : 'line', x: first.field.name, measures: names } as const;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;
/** `field` if the filter follows from the field, `own` if it extends an input that the tool declares, undefined without a filter. */
const filterOf = ({ input }: ListTool, { name }: ListField): unknown =>
  (input.shape[name] as { meta?: () => { filter?: unknown } | undefined } | undefined)?.meta?.()?.filter;

/** The filter for the rows of one group; undefined if the list has no such filter. */
function conditionFor(
  { field, unit }: Grouping,
  key: Value,
  at: { readonly given: unknown; readonly periods: Figures['periods'][number] },
): unknown {
  if (unit !== undefined) {
    const period = at.periods?.find(({ label }) => label === key) ?? (typeof key === 'string' ? { from: key, to: key } : undefined);
    if (period === undefined) return undefined;
    const { from, to } = (isObject(at.given) ? at.given : {}) as { from?: string; to?: string };
    return { from: from !== undefined && from > period.from ? from : period.from, to: to !== undefined && to < period.to ? to : period.to };
  }
  if (field.type === 'text' || field.type === 'choice') return [key];
  if (key === null) return undefined;
  return field.type === 'flag' ? key : { from: key, to: key };
}

/** The call of the list that shows the rows of a group; null if the list cannot select them. */
function openerOf({ question: { list, groupings }, figures, where }: Answered, { keys }: FigureGroup) {
  const input: Record<string, unknown> = { ...where };
  for (const [at, grouping] of groupings.entries()) {
    const { name } = grouping.field;
    const filter = filterOf(list, grouping.field);
    const given = Object.hasOwn(where, name) ? where[name] : undefined;
    const isReplaceable = filter === 'field' || (filter === 'own' && (given === undefined || isObject(given)));
    const condition = isReplaceable ? conditionFor(grouping, keys[at] ?? null, { given, periods: figures.periods[at] }) : undefined;
    if (condition === undefined) return null;
    input[name] = condition;
  }
  return list.input.safeParse(input).success ? { tool: list.name, input } : null;
}

export function answerOf(answered: Answered) {
  const { question, figures, previous } = answered;
  const { list, groupings } = question;
  const { whole, groups } = figures;
  const placed = groups.map((group): Placed => {
    const before = previous && { tally: previous.tallyFor(group), whole: previous.figures.whole };
    const keys = groupings.map(({ field }, at): [string, Value] => [field.name, group.keys[at] ?? null]);
    return { group, row: Object.fromEntries([...keys, ...measured(answered, { tally: group.tally, whole }, before)]) };
  });
  const shown = sorted(placed, question).slice(0, question.limit);
  const totals = (): AnalysisRow => {
    const before = previous?.hasTotals === true ? { tally: previous.figures.whole, whole: previous.figures.whole } : undefined;
    return Object.fromEntries(measured(answered, { tally: whole, whole }, before));
  };
  return {
    of: list.name,
    title: titleOf(question),
    columns: columnsOf(question, previous !== undefined),
    rows: shown.map(({ row }) => row),
    ...(groupings.length > 0 && { totals: totals() }),
    group_count: groups.length,
    chart: chartOf(question),
    opens: shown.map(({ group }) => openerOf(answered, group)),
    ...(previous !== undefined && { compared: previous.compared }),
  };
}
export type AnalysisAnswer = ReturnType<typeof answerOf>;

const NONE = 'none';
function textOf(value: Value, type: ColumnType, company: Company): string {
  if (value === null) return NONE;
  if (typeof value !== 'number') return String(value).replaceAll(/\s+/g, ' ').slice(0, 80);
  if (type === 'money') return formatMoney(value, company);
  return type === 'share' ? `${(value * 100).toLocaleString('en', { maximumFractionDigits: 1 })} %` : value.toLocaleString('en');
}

const FEW = 5;
/** The first figures in one line, for clients that show only text. */
export function summaryOf({ title, columns, rows, group_count: count }: AnalysisAnswer, company: Company): string {
  const groups = columns.filter(({ role }) => role === 'group');
  const measure = columns.find(({ role }) => role === 'measure');
  if (measure === undefined || rows.length === 0) return `${title}: no rows`;
  const figure = (row: AnalysisRow) => textOf(row[measure.name] ?? null, measure.type, company);
  if (groups.length === 0) return `${figure(rows[0] ?? {})}: ${lowered(title)}`;
  const named = (row: AnalysisRow) => groups.map(({ name, type }) => textOf(row[name] ?? null, type, company)).join(', ');
  const listed = rows.slice(0, FEW).map((row) => `${named(row)}: ${figure(row)}`);
  const more = count > FEW ? `; ${(count - FEW).toLocaleString('en')} more` : '';
  return `${listed.join('; ')}${more} (${lowered(title)})`;
}
