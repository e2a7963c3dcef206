/** Reads the JSON Schemas of tools for forms, tables and cards. */
import { HIDDEN } from './hidden.ts';
import { labelFor } from './format.ts';

export type Schema = Readonly<Record<string, unknown>>;
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const at = (whole: Schema, reference: string): Schema => {
  const found = reference
    .split('/')
    .slice(1)
    .reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), whole);
  return isRecord(found) ? found : {};
};

/** Resolves references, and removes the alternatives for null and for hidden values. */
export function resolveSchema(schema: unknown, whole: Schema): Schema {
  if (!isRecord(schema)) return {};
  const reference = schema['$ref'];
  const { filter } = schema;
  if (typeof reference === 'string') return { ...resolveSchema(at(whole, reference), whole), ...(filter !== undefined && { filter }) };
  const choices = [schema['anyOf'], schema['oneOf']].find(Array.isArray) as unknown[] | undefined;
  if (!choices) return schema;
  const meant = choices.filter((each) => !(isRecord(each) && (each['type'] === 'null' || each['const'] === HIDDEN)));
  const [only] = meant;
  // A filter of a list that also takes a range or several values: forms use its first form.
  if (meant.length !== 1 && filter === undefined) return schema;
  const { description } = schema;
  return {
    ...resolveSchema(only, whole),
    ...(filter !== undefined && { filter }),
    ...(typeof description === 'string' && { description }),
  };
}

export const typeOf = (schema: Schema): string => {
  const { type } = schema as { type?: unknown };
  if (Array.isArray(type)) return String(type.find((each) => each !== 'null') ?? '');
  if (typeof type === 'string') return type;
  if (Array.isArray(schema['enum'])) return typeof (schema['enum'] as unknown[])[0];
  return isRecord(schema['properties']) ? 'object' : '';
};

export const optionsOf = (schema: Schema): readonly unknown[] | undefined =>
  Array.isArray(schema['enum']) ? (schema['enum'] as unknown[]) : 'const' in schema ? [schema['const']] : undefined;

export interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
}
export function fieldsOf(schema: Schema, whole: Schema = schema): Field[] {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [];
  return Object.entries(properties).map(([name, inner]) => ({
    name,
    schema: resolveSchema(inner, whole),
    required: required.includes(name),
  }));
}

/** The fields of an input that the tool itself declares, without the filters that follow from the fields of a list's rows. */
export const ownFieldsOf = (schema: Schema): Field[] => fieldsOf(schema).filter((field) => field.schema['filter'] !== 'field');

/** The schema of `data` in a tool's answer. For a list, use `rowSchema` on it. */
export const dataSchema = (output: Schema): Schema => {
  const properties = isRecord(output['properties']) ? output['properties'] : {};
  return resolveSchema(properties['data'], output);
};
export const rowSchema = (list: Schema, whole: Schema): Schema => resolveSchema(list['items'], whole);

export const textOf = (schema: Schema, key: string): string => (typeof schema[key] === 'string' ? (schema[key] as string) : '');
export const numberOf = (schema: Schema, key: string): number | undefined =>
  typeof schema[key] === 'number' ? (schema[key] as number) : undefined;

export { labelFor };
