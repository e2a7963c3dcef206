/** Resolves the input of an analysis against the fields of its list: groups, measures, sort and comparison. */
import { failure } from '../../declare/errors.ts';
import type { ListField } from '../../declare/list-fields.ts';
import type { Input, ListTool } from '../../declare/tool.ts';
import { refuseHidden } from '../lists/hidden.ts';
import type { CallSession } from '../store.ts';
import type { Unit } from './periods.ts';

export const FUNCTIONS = ['distinct', 'sum', 'avg', 'median', 'min', 'max', 'share'] as const;
export type MeasureFunction = 'count' | (typeof FUNCTIONS)[number];
export const COMPARISONS = ['previous_period', 'previous_year'] as const;
export type Comparison = (typeof COMPARISONS)[number];

export interface Grouping {
  readonly field: ListField;
  /** Set for days and times, which form periods. */
  readonly unit: Unit | undefined;
}
export interface Measure {
  /** The name in the answer: `count`, `avg_salary`, `share_count`. */
  readonly name: string;
  readonly fn: MeasureFunction;
  /** Undefined for the count of rows. */
  readonly field: ListField | undefined;
}
export interface Question {
  readonly list: ListTool;
  readonly groupings: readonly Grouping[];
  readonly measures: readonly Measure[];
  readonly sort: { readonly by: string; readonly order: 'asc' | 'desc' } | undefined;
  readonly limit: number;
  readonly compare: Comparison | undefined;
}

/** The input after its schema accepted it. */
interface Asked {
  readonly group_by?: readonly (string | { readonly field: string; readonly by?: Unit })[];
  readonly measures?: readonly (string | Readonly<Partial<Record<(typeof FUNCTIONS)[number], string>>>)[];
  readonly sort?: { readonly by: string; readonly order?: 'asc' | 'desc' };
  readonly limit?: number;
  readonly compare?: Comparison;
}

const DEFAULT_LIMIT = 50;
const SUM = 'sum_';

export const isPeriod = ({ type }: ListField): boolean => type === 'day' || type === 'time';
const canGroup = (field: ListField): boolean => field.groups;
const USES: Readonly<Record<(typeof FUNCTIONS)[number], (field: ListField) => boolean>> = {
  distinct: (field) => field.measures || (field.groups && field.type !== 'time'),
  sum: ({ measures }) => measures,
  avg: ({ measures }) => measures,
  median: ({ measures }) => measures,
  min: (field) => field.measures || isPeriod(field),
  max: (field) => field.measures || isPeriod(field),
  share: ({ measures }) => measures,
};
/** The functions that an analysis can apply to the field. */
export const functionsFor = (field: ListField): (typeof FUNCTIONS)[number][] => FUNCTIONS.filter((fn) => USES[fn](field));
export const isUsable = (field: ListField): boolean => canGroup(field) || field.measures || isPeriod(field);

const invalid = (message: string) => failure('VALIDATION_ERROR', message);

interface NamedMeasure {
  readonly fn: MeasureFunction;
  /** The name of the field as sent. */
  readonly of: string | undefined;
}
function namedMeasure(asked: NonNullable<Asked['measures']>[number]): NamedMeasure {
  if (typeof asked === 'string') return { fn: 'count', of: undefined };
  const [[fn, of] = ['share' as const, 'count']] = Object.entries(asked) as [(typeof FUNCTIONS)[number], string][];
  if (fn !== 'share') return { fn, of };
  if (of !== 'count' && !of.startsWith(SUM))
    throw invalid(`A share is of count, or of a sum such as ${SUM}amount, not of ${JSON.stringify(of)}.`);
  return { fn, of: of === 'count' ? undefined : of.slice(SUM.length) };
}

export function resolveQuestion(list: ListTool, input: Input, session: CallSession): Question {
  const { group_by = [], measures = ['count'], sort, limit = DEFAULT_LIMIT, compare } = input as Asked;
  const groups = group_by.map((each) => (typeof each === 'string' ? { field: each, by: undefined } : each));
  const named = measures.map(namedMeasure);
  const byName = new Map(list.fields.map((field) => [field.name, field]));
  const mentioned = [...groups.map(({ field }) => field), ...named.flatMap(({ of }) => of ?? [])];
  // This check comes first, so that no other error can reveal something about a hidden field.
  refuseHidden(
    mentioned.flatMap((name) => byName.get(name) ?? []),
    session,
  );
  const fieldFor = (name: string, use: string, fits: (field: ListField) => boolean): ListField => {
    const field = byName.get(name);
    if (field !== undefined && fits(field)) return field;
    const fitting = list.fields.filter(fits).map((each) => each.name);
    const instead = fitting.length === 0 ? 'it has no such field' : `use ${fitting.join(', ')}`;
    throw invalid(`${list.name} has no field ${JSON.stringify(name)} for ${use}; ${instead}.`);
  };
  const groupings = groups.map(({ field: name, by }): Grouping => {
    const field = fieldFor(name, 'group_by', canGroup);
    if (by !== undefined && !isPeriod(field)) throw invalid(`${name} has no periods: leave out "by", or group by a date.`);
    return { field, unit: isPeriod(field) ? (by ?? 'day') : undefined };
  });
  const wanted = named.map(({ fn, of }): Measure => {
    const prefix = fn === 'share' ? `share_${of === undefined ? 'count' : SUM}` : `${fn}_`;
    if (of === undefined) return { name: fn === 'share' ? prefix : fn, fn, field: undefined };
    return { name: `${prefix}${of}`, fn, field: fieldFor(of, fn, USES[fn as keyof typeof USES]) };
  });
  const distinctMeasures = [...new Map(wanted.map((measure) => [measure.name, measure])).values()];
  const isMeasure = distinctMeasures.some(({ name }) => name === sort?.by);
  const order = sort?.order ?? (isMeasure ? 'desc' : 'asc');
  const question = { list, groupings, measures: distinctMeasures, limit, compare, sort: sort && { by: sort.by, order } };
  checkNames(question);
  return question;
}

/** The columns of an answer have different names, and `sort` names one of them. */
function checkNames({ groupings, measures, sort }: Question): void {
  const names = [...groupings.map(({ field }) => field.name), ...measures.map(({ name }) => name)];
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw invalid(`${twice} is asked for twice; use it once in group_by and measures.`);
  if (sort !== undefined && !names.includes(sort.by)) throw invalid(`sort.by must be one of ${names.join(', ')}.`);
}
