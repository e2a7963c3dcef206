/** Converts the drafts of a form to the input of a tool. It omits empty optional fields. */
import { fieldsOf, isRecord, numberOf, optionsOf, resolveSchema, type Schema, textOf, typeOf } from './schema.ts';

/** A value that the widget of its field cannot show, such as several values of a filter. The form keeps it as it is. */
export class Exact {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}
/** The raw value of a field; undefined means "not sent". A range is a list with one entry. */
export type Draft = string | boolean | readonly Drafts[] | Exact | undefined;
export type Drafts = Readonly<Record<string, Draft>>;

export type Widget = 'text' | 'long' | 'number' | 'date' | 'choice' | 'flag' | 'words' | 'group' | 'range' | 'json';

/** An object with `from` and `to` only. */
function isRange(schema: Schema): boolean {
  const keys = isRecord(schema['properties']) ? Object.keys(schema['properties']) : [];
  return keys.length === 2 && keys.includes('from') && keys.includes('to');
}

export function widgetOf(schema: Schema, whole: Schema): Widget {
  const type = typeOf(schema);
  if (optionsOf(schema)) return 'choice';
  if (type === 'boolean') return 'flag';
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'array') {
    const items = resolveSchema(schema['items'], whole);
    return typeOf(items) === 'object' ? 'group' : typeOf(items) === 'string' ? 'words' : 'json';
  }
  if (type === 'string') {
    if (textOf(schema, 'format') === 'date') return 'date';
    return (numberOf(schema, 'maxLength') ?? 0) > 200 ? 'long' : 'text';
  }
  return type === 'object' && isRange(schema) ? 'range' : 'json';
}

const toDraft = (value: unknown, schema: Schema, whole: Schema): Draft => {
  if (value === undefined || value === null) return undefined;
  const widget = widgetOf(schema, whole);
  if (widget === 'flag') return typeof value === 'boolean' ? value : new Exact(value);
  if (widget === 'group')
    return Array.isArray(value)
      ? value.map((each) => toDrafts(isRecord(each) ? each : {}, resolveSchema(schema['items'], whole), whole))
      : undefined;
  if (widget === 'words' && Array.isArray(value)) return value.map(String).join(', ');
  if (widget === 'range' && isRecord(value)) return [toDrafts(value, schema, whole)];
  if (widget !== 'json' && typeof value === 'object') return new Exact(value);
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number);
};

export const toDrafts = (input: Readonly<Record<string, unknown>>, schema: Schema, whole: Schema = schema): Drafts =>
  Object.fromEntries(
    fieldsOf(schema, whole).flatMap(({ name, schema: field }) => {
      const draft = toDraft(input[name], field, whole);
      return draft === undefined ? [] : [[name, draft]];
    }),
  );

function toValue(draft: Draft, schema: Schema, whole: Schema): unknown {
  if (draft === undefined || draft === '') return undefined;
  if (draft instanceof Exact) return draft.value;
  const widget = widgetOf(schema, whole);
  if (widget === 'group')
    return Array.isArray(draft) ? draft.map((each) => toInput(each as Drafts, resolveSchema(schema['items'], whole), whole)) : undefined;
  if (widget === 'range' && Array.isArray(draft)) {
    const range = toInput((draft as readonly Drafts[])[0] ?? {}, schema, whole);
    return Object.keys(range).length === 0 ? undefined : range;
  }
  if (typeof draft !== 'string') return draft;
  if (widget === 'number') {
    // Sends an invalid number unchanged, so the field shows the message of the server.
    const given = Number(draft.replace(/[\s,$]/g, ''));
    return Number.isFinite(given) ? given : draft;
  }
  if (widget === 'words')
    return draft
      .split(',')
      .map((each) => each.trim())
      .filter(Boolean);
  if (widget === 'choice') return optionsOf(schema)?.find((each) => String(each as string) === draft) ?? draft;
  if (widget === 'flag') return draft === 'true';
  // Parses only text that begins like a JSON object or array, so a number such as a year stays text.
  if (widget === 'json' && /^\s*[[{]/.test(draft)) {
    try {
      return JSON.parse(draft) as unknown;
    } catch {
      return draft;
    }
  }
  return draft;
}

export const toInput = (drafts: Drafts, schema: Schema, whole: Schema = schema): Record<string, unknown> =>
  Object.fromEntries(
    fieldsOf(schema, whole).flatMap(({ name, schema: field }) => {
      const value = toValue(drafts[name], field, whole);
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** Years have no thousands separator, so small numbers have none. */
const size = (limit: number | undefined) => (limit === undefined ? '' : limit < 10_000 ? String(limit) : limit.toLocaleString('en-US'));

/** Describes a field, for example "date, optional" or "1 to 50, optional". */
export function about(schema: Schema, required: boolean, whole: Schema): string {
  const [low, high] = [numberOf(schema, 'minimum'), numberOf(schema, 'maximum')];
  const safe = (limit: number | undefined) => limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER;
  const widget = widgetOf(schema, whole);
  const [least, most] = [numberOf(schema, 'minLength'), numberOf(schema, 'maxLength')];
  const range = safe(low) && safe(high) && (high ?? 0) <= 1_000_000 ? `${size(low)} to ${size(high)}` : undefined;
  const kind =
    range ??
    (widget === 'number'
      ? 'number'
      : widget === 'date'
        ? 'date'
        : widget === 'words'
          ? 'list, with commas'
          : widget === 'json'
            ? 'JSON'
            : textOf(schema, 'format') === 'uuid'
              ? 'id'
              : undefined) ??
    (least !== undefined && least > 1 && most !== undefined ? `${least} to ${most} characters` : undefined);
  return [kind, required ? undefined : 'optional'].filter(Boolean).join(', ');
}
