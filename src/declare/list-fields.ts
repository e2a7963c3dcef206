/** Derives from the schema of a list's rows which fields can be filtered, grouped and measured. */
import type { z } from 'zod';
import { originOf } from './fields.ts';
import { maskOf } from './masks.ts';
import type { Order } from './order.ts';
import type { AnySearchCollection } from './search.ts';
import type { StoreKind } from './store-kinds.ts';

export type FieldType = 'text' | 'choice' | 'flag' | 'whole' | 'number' | 'money' | 'day' | 'time' | 'id';

/** One field of a list's rows that the store can filter, group or measure. */
export interface ListField {
  readonly name: string;
  readonly type: FieldType;
  /** The mask that hides the field from some callers. */
  readonly mask: string | undefined;
  /** The audiences from which a search collection hides the field. */
  readonly hiddenFrom: readonly string[];
  /** The values of a `choice`. */
  readonly choices: readonly string[];
  readonly nullable: boolean;
  /** Another person can have written its text. */
  readonly untrusted: boolean;
  readonly groups: boolean;
  readonly measures: boolean;
}

/** Exceptions to what the schema says about which fields an analysis may use. */
export interface AnalysisHint {
  /** Text fields that may form groups although another person can have written them, such as the names of vendors. */
  readonly group?: readonly string[];
  /** Fields that no analysis may use. */
  readonly omit?: readonly string[];
}

/** The parts of a domain's declaration that say what its store can compare. */
interface Stored {
  readonly store: StoreKind;
  readonly collections?: object;
}

type Def = z.core.$ZodTypes['_zod']['def'];
interface Unwrapped {
  readonly schema: z.core.$ZodType;
  readonly def: Def;
  readonly nullable: boolean;
}
const defOf = (schema: z.core.$ZodType): Def => (schema as z.core.$ZodTypes)._zod.def;
const metaOf = (schema: z.core.$ZodType): Readonly<Record<string, unknown>> => (schema as z.ZodType).meta() ?? {};

/** Removes `.optional()`, `.nullable()`, `.default()` and masks. Returns undefined for a union of several types. */
function unwrap(schema: z.core.$ZodType, nullable = false): Unwrapped | undefined {
  const def = defOf(schema);
  if (def.type === 'optional' || def.type === 'nullable') return unwrap(def.innerType, true);
  if ('innerType' in def && def.type !== 'promise') return unwrap(def.innerType, nullable);
  if (def.type === 'union') {
    if (maskOf(schema) === undefined) return undefined;
    const [shown] = def.options;
    return shown && unwrap(shown, true);
  }
  return { schema, def, nullable };
}

const isInteger = (schema: z.core.$ZodType): boolean => (schema as z.ZodNumber).isInt;

function typeOf(name: string, { schema, def }: Unwrapped): FieldType | undefined {
  const { format, unit } = metaOf(schema);
  if (def.type === 'number') return unit === '{currency}' ? 'money' : isInteger(schema) ? 'whole' : 'number';
  if (def.type === 'boolean') return 'flag';
  if (def.type === 'enum') return 'choice';
  if (def.type !== 'string') return undefined;
  if (format === 'date') return 'day';
  if (format === 'date-time') return 'time';
  if (format === 'uuid' || name.endsWith('_id')) return 'id';
  return 'text';
}

/** The search collections whose key is the last key of the order. Undefined for the other kinds of store. */
function collectionsOf(spec: Stored, order: Order<string>): readonly AnySearchCollection[] | undefined {
  if (spec.store !== 'search') return undefined;
  const all = Object.values(spec.collections ?? {}) as AnySearchCollection[];
  return all.filter(({ key }) => key === order.keys.at(-1));
}

/** The fields that the engine of these collections can compare by value. */
function comparable(own: readonly AnySearchCollection[]): ReadonlySet<string> {
  const inAll = (name: string) =>
    own.every(({ fields }) => fields[name] !== undefined && fields[name].is !== 'text' && fields[name].many !== true);
  return new Set(own.flatMap(({ fields }) => Object.keys(fields)).filter(inAll));
}

export interface Listed {
  readonly item: z.ZodObject;
  /** The schema of a stored row. Analyses use only fields that have the same schema in `item`. */
  readonly stored: z.ZodObject;
  readonly order: Order<string>;
  readonly hint: AnalysisHint | undefined;
}

export function listFields(spec: Stored, { item, stored, order, hint = {} }: Listed): readonly ListField[] {
  const collections = collectionsOf(spec, order);
  const known = collections && comparable(collections);
  return Object.entries(item.shape as Readonly<Record<string, z.core.$ZodType>>).flatMap(([name, schema]) => {
    if (stored.shape[name] !== schema || name.startsWith('_') || hint.omit?.includes(name)) return [];
    if (known !== undefined && !known.has(name)) return [];
    const inner = unwrap(schema);
    const type = inner && typeOf(name, inner);
    if (inner === undefined || type === undefined) return [];
    const isUntrusted = metaOf(inner.schema).untrusted === true || metaOf(schema).untrusted === true;
    const hinted = hint.group?.includes(name) === true;
    const groupable =
      type === 'text'
        ? originOf(inner.schema) === 'company' && maskOf(schema) === undefined
        : type !== 'id' && type !== 'number' && type !== 'money';
    const field: ListField = {
      name,
      type,
      mask: maskOf(schema),
      hiddenFrom: (collections ?? []).flatMap(({ hides = {} }) => Object.keys(hides).filter((audience) => hides[audience]?.includes(name))),
      choices: type === 'choice' ? (Object.values((inner.def as { entries: Record<string, string> }).entries) as string[]) : [],
      nullable: inner.nullable,
      untrusted: isUntrusted,
      groups: hinted || (groupable && !isUntrusted),
      measures: type === 'whole' || type === 'number' || type === 'money',
    };
    return [field];
  });
}
