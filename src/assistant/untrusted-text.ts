/**
 * Finds untrusted text in an answer by the declared schema of each field. Fails closed: undeclared text and values outside their schema are
 * untrusted.
 */
import type { Answer, SuccessAnswer } from '../declare/answer.ts';
import { schemaWithOrigins } from '../derive/answers.ts';
import type { ErrorAnswer } from '../declare/errors.ts';
import { canWrite, type Tool } from '../declare/tool.ts';
import { summarySentence } from '../engine/approvals/done.ts';

type Schema = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const schemas = new WeakMap<Tool, Schema>();
function schemaOf(tool: Tool): Schema {
  let schema = schemas.get(tool);
  if (!schema) schemas.set(tool, (schema = schemaWithOrigins(tool)));
  return schema;
}

export function holdsUntrustedText(tool: Tool | undefined, input: unknown, answer: Answer): boolean {
  // An approval card shows stored text of the record.
  if (answer.status === 'pending_confirmation') return true;
  if (answer.status === 'error') return tool !== undefined && errorHoldsUntrustedText(input, answer);
  // A call of an unknown tool never succeeds.
  return (
    answer.status === 'success' && tool !== undefined && new UntrustedTextFinder(schemaOf(tool)).isUntrusted(toJudge(tool, input, answer))
  );
}

/** Leaves out a message that repeats only the data, which is judged itself, and the input. A plan's sentence can hold stored text. */
function toJudge(tool: Tool, input: unknown, { message, ...rest }: SuccessAnswer): Partial<SuccessAnswer> {
  const given = typeof input === 'object' && input !== null ? input : {};
  const repeats = message !== undefined && canWrite(tool) && message === summarySentence(tool, { data: rest.data, input: given });
  return repeats || message === undefined ? rest : { message, ...rest };
}

const FIXED_SHAPES: readonly RegExp[] = [
  /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/,
  /^\d{4}-\d\d(?:-\d\d(?:T[\d:.]+Z?)?)?$/,
  /^[et]-\d+$/,
  /^[A-Z][A-Z\d_]*$/,
  /^[a-z]{1,20}(?:_[a-z]{1,20}){0,2}$/,
];
/** A text in the details of an error is untrusted unless it is in the input, has a fixed shape, or comes from the pipeline. */
function errorHoldsUntrustedText(input: unknown, { code, details }: ErrorAnswer): boolean {
  if (details === undefined || PIPELINE_CODES.has(code)) return false;
  const given = new Set(textsIn(input));
  return textsIn(details).some((text) => !given.has(text) && !FIXED_SHAPES.some((shape) => shape.test(text)));
}
/** Error codes whose details consist of the input and constant texts. */
const PIPELINE_CODES: ReadonlySet<string> = new Set([
  'VALIDATION_ERROR',
  'INSUFFICIENT_PERMISSIONS',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
  'DATABASE_ERROR',
  'TIMEOUT',
]);
const textsIn = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];

class UntrustedTextFinder {
  readonly #whole: Schema;
  constructor(whole: Schema) {
    this.#whole = whole;
  }

  isUntrusted(value: unknown, given: unknown = this.#whole): boolean {
    if (value === null || value === undefined || value === '' || typeof value === 'number' || typeof value === 'boolean') return false;
    const schema = this.#resolved(given);
    if (schema === undefined || schema['untrusted'] === true) return textsIn(value).some((text) => text !== '') || holdsKeys(value);
    if (schema['origin'] !== undefined) return typeof value !== 'string';
    const every = listOf(schema['allOf']);
    const choices = [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])];
    if (every.some((part) => this.isUntrusted(value, part))) return true;
    if (choices.length > 0) {
      const fitting = choices.filter((choice) => this.#fits(value, choice));
      // A constant, such as the mask of a hidden value, is trusted.
      if (fitting.some(isTag)) return false;
      return fitting.length === 0 || fitting.some((choice) => this.isUntrusted(value, choice));
    }
    if (every.length > 0) return false;
    if (typeof value === 'string') return !isFixed(schema, value);
    if (Array.isArray(value)) return value.some((each) => this.isUntrusted(each, schema['items']));
    const properties = isRecord(schema['properties']) ? schema['properties'] : {};
    return Object.entries(value).some(([key, each]) => {
      if (Object.hasOwn(properties, key)) return this.isUntrusted(each, properties[key]);
      // The keys of a record can be untrusted text.
      return this.isUntrusted(key, schema['propertyNames']) || this.isUntrusted(each, schema['additionalProperties']);
    });
  }

  /** Whether a branch of a union fits the value. Returns true in doubt. */
  #fits(value: unknown, given: unknown): boolean {
    const schema = this.#resolved(given);
    if (schema === undefined) return true;
    if ('const' in schema) return value === schema['const'];
    if (Array.isArray(schema['enum'])) return (schema['enum'] as unknown[]).includes(value);
    const types = [schema['type']].flat();
    if (schema['type'] !== undefined && !types.includes(Array.isArray(value) ? 'array' : typeof value)) return false;
    if (!isRecord(value)) return true;
    const properties = isRecord(schema['properties']) ? schema['properties'] : {};
    return (
      listOf(schema['required']).every((key) => Object.hasOwn(value, String(key))) &&
      Object.entries(properties).every(([key, part]) => !isTag(part) || this.#fits(value[key], part))
    );
  }

  #resolved(given: unknown): Schema | undefined {
    if (!isRecord(given)) return undefined;
    const { $ref: reference } = given;
    return typeof reference === 'string' ? this.#resolved(at(this.#whole, reference)) : given;
  }
}

const isTag = (schema: unknown): boolean => isRecord(schema) && ('const' in schema || 'enum' in schema);
const holdsKeys = (value: unknown): boolean => isRecord(value) && Object.keys(value).length > 0;
/** Output formats are not validated, but a value with spaces is never an id, a day or an address. */
const isFixed = (schema: Schema, value: string): boolean =>
  'const' in schema
    ? schema['const'] === value
    : Array.isArray(schema['enum'])
      ? (schema['enum'] as unknown[]).includes(value)
      : schema['format'] !== undefined && !/\s/.test(value);

/** Resolves `#/$defs/node`, or `#` for the whole schema. */
const at = (whole: Schema, reference: string): unknown =>
  reference
    .split('/')
    .slice(1)
    .reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), whole);
