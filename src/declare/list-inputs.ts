/** The filters that every list gets from the fields of its rows: ranges, several values, and the exact count. */
import { z } from 'zod';
import { type Company, startOfDay } from './company.ts';
import { day, sensitive } from './fields.ts';
import { type Condition, type Filter, filters, is, type Scalar } from './filter.ts';
import type { ListField } from './list-fields.ts';

export const COUNT = 'count';
const count = z.boolean().optional().describe('Also count all rows that match').meta({ filter: 'field' });

const MOST_VALUES = 50;
const MOST_LENGTH = 200;
/** The schema of one end of a range. Amounts may be negative, because rows can contain differences. */
const limits = {
  money: z.number().meta({ unit: '{currency}' }),
  number: z.number(),
  whole: z.int(),
  day,
  time: day,
} as const;
type Ranged = keyof typeof limits;
const isRanged = (type: ListField['type']): type is Ranged => type in limits;

const NO_LIMIT = 'must have from, to or both';
const WRONG_WAY = 'must not end before it begins';
const rangeOf = (limit: z.ZodType<string | number>) =>
  z
    .object({ from: limit.optional(), to: limit.optional() })
    .strict()
    .refine(({ from, to }) => from !== undefined || to !== undefined, NO_LIMIT)
    .refine(({ from, to }) => from === undefined || to === undefined || from <= to, WRONG_WAY);
/** One schema for each type, because a list has many ranges. */
const ranges = Object.fromEntries(Object.entries(limits).map(([type, limit]) => [type, rangeOf(limit)])) as unknown as Readonly<
  Record<Ranged, z.ZodType<Range>>
>;
interface Range {
  readonly from?: string | number | undefined;
  readonly to?: string | number | undefined;
}

/**
 * The values of a list are checked but not published: the form for one value already publishes them, and each schema costs an LLM context.
 */
function severalOf({ type, choices, nullable }: ListField): z.ZodType {
  const allows = (value: unknown) =>
    value === null ? nullable : typeof value === 'string' && value.length <= MOST_LENGTH && (type === 'text' || choices.includes(value));
  const values = type === 'choice' ? `of ${choices.join(', ')}` : `each a text of at most ${MOST_LENGTH} characters`;
  const problem = `must have one to ${MOST_VALUES} values ${values}${nullable ? '; null for rows without a value' : ''}`;
  return z
    .array(nullable ? z.unknown() : z.string())
    .refine((given: readonly unknown[]) => given.length > 0 && given.length <= MOST_VALUES && given.every(allows), problem);
}
const valueOf = ({ type, choices }: ListField) =>
  type === 'choice' ? z.enum(choices as [string, ...string[]]) : z.string().max(MOST_LENGTH);

const isOptional = (schema: z.ZodType): boolean => {
  const parsed = schema.safeParse(undefined);
  return parsed.success && parsed.data === undefined;
};

/**
 * The derived input of a field; undefined if the field cannot be a filter. `own` is the input of the same name that the tool declares.
 * The audit log never contains a condition on a masked field, because it would tell what the caller may know.
 */
function derivedInput(field: ListField, own: z.ZodType | undefined): z.ZodType | undefined {
  // A required input, or one with a default, always narrows the list. Its condition cannot be replaced.
  if (own !== undefined && !isOptional(own)) return undefined;
  const form = formOf(field, own);
  if (form === undefined) return undefined;
  // Forms show the inputs that the tool declares, and offer the others as further filters.
  const input = own === undefined ? form.optional().meta({ filter: 'field' }) : z.union([own, form]).optional().meta({ filter: 'own' });
  return field.mask === undefined ? input : sensitive(input);
}

function formOf(field: ListField, own: z.ZodType | undefined): z.ZodType | undefined {
  const { type } = field;
  if (isRanged(type)) return ranges[type];
  if (type === 'flag') return own === undefined ? z.boolean() : undefined;
  if (type === 'id' || (type === 'text' && !field.groups)) return undefined;
  return own === undefined ? z.union([valueOf(field), severalOf(field)]) : severalOf(field);
}

/** The derived inputs by name, including declared inputs that are extended by a range or by several values. */
export function derivedInputs(fields: readonly ListField[], own: Readonly<Record<string, z.core.$ZodType>>): Record<string, z.ZodType> {
  const inputs = fields.flatMap((field) => {
    const derived = derivedInput(field, own[field.name] as z.ZodType | undefined);
    return derived === undefined ? [] : [[field.name, derived] as const];
  });
  return { ...Object.fromEntries(inputs), ...(!(COUNT in own) && { [COUNT]: count }) };
}

export interface SplitInput {
  /** The input as the tool declares it. */
  readonly own: Readonly<Record<string, unknown>>;
  /** The conditions of derived filters. The store applies them; the tool does not see them. */
  readonly where: Filter | undefined;
  /** The fields in `where`. */
  readonly fields: readonly ListField[];
}

export interface Derivation {
  readonly fields: readonly ListField[];
  /** The names of the inputs that the tool itself declares. */
  readonly own: ReadonlySet<string>;
}

/** Separates the conditions on fields from the inputs that the tool itself declares. */
export function splitDerived(input: Readonly<Record<string, unknown>>, { fields, own }: Derivation, company: Company): SplitInput {
  const left: Record<string, unknown> = {};
  const used: ListField[] = [];
  const conditions: Filter[] = [];
  for (const [name, value] of Object.entries(input)) {
    const field = fields.find((each) => each.name === name);
    const made =
      field === undefined || value === undefined || (own.has(name) && !isDerived(value)) ? undefined : conditionOf(field, value, company);
    if (field !== undefined && made !== undefined) {
      used.push(field);
      conditions.push(made);
    } else if (own.has(name)) left[name] = value;
  }
  const [first, ...others] = conditions;
  return { own: left, where: first && (others.length === 0 ? first : filters.all(...conditions)), fields: used };
}

const isDerived = (value: unknown): boolean => typeof value === 'object' && value !== null;

function conditionOf(field: ListField, value: unknown, { timeZone }: Company): Filter {
  const { name, type } = field;
  if (isRanged(type)) {
    const { from, to } = value as Range;
    const tests: (Condition | undefined)[] =
      type === 'time'
        ? [
            is.atLeast(from === undefined ? undefined : startOfDay(timeZone, String(from)).toISOString()),
            is.below(to === undefined ? undefined : startOfDay(timeZone, dayAfter(String(to))).toISOString()),
          ]
        : [is.between(from, to)];
    return filters.all(...tests.flatMap((test) => (test === undefined ? [] : filters.where({ [name]: test }))));
  }
  const values = (Array.isArray(value) ? value : [value]) as Scalar[];
  const present = values.filter((each) => each !== null);
  if (present.length === values.length) return filters.where({ [name]: present.length === 1 ? (present[0] as Scalar) : is.oneOf(present) });
  const absent = filters.where({ [name]: null });
  return present.length === 0 ? absent : filters.any(filters.where({ [name]: is.oneOf(present) }), absent);
}

const DAY_MS = 86_400_000;
const dayAfter = (text: string): string => new Date(Date.parse(`${text}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
