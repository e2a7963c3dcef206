/** Generates TypeScript types from the named schemas of the OpenAPI document, for the web app and other clients. */
type Schema = Readonly<Record<string, unknown>>;
const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);
const named = (reference: string) => reference.split('/').at(-1) ?? '';
const key = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

const either = (types: readonly string[]) => [...new Set(types)].join(' | ') || 'never';
const grouped = (type: string) => (/[|&]/.test(type) ? `(${type})` : type);

function typeOf(schema: unknown, indent: string): string {
  if (!isSchema(schema)) return 'unknown';
  const { $ref: reference, anyOf, oneOf, const: only, enum: values, type, items } = schema;
  if (typeof reference === 'string') return named(reference);
  const choices = [anyOf, oneOf].find(Array.isArray) as unknown[] | undefined;
  if (choices) return either(choices.map((each) => typeOf(each, indent)));
  if ('const' in schema) return JSON.stringify(only);
  if (Array.isArray(values)) return either(values.map((each) => JSON.stringify(each)));
  if (Array.isArray(type)) return either(type.map((each) => typeOf({ ...schema, type: each as unknown }, indent)));
  if (type === 'array') return `readonly ${grouped(typeOf(items, indent))}[]`;
  if (type === 'object') return objectOf(schema, indent);
  if (type === 'integer') return 'number';
  return typeof type === 'string' ? type : 'unknown';
}

function objectOf({ properties, required, additionalProperties: more }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const must = Array.isArray(required) ? (required as unknown[]) : [];
  const fields = Object.entries(isSchema(properties) ? properties : {}).map(
    ([name, schema]) => `${inner}readonly ${key(name)}${must.includes(name) ? '' : '?'}: ${typeOf(schema, inner)};`,
  );
  if (fields.length === 0) return 'Readonly<Record<string, unknown>>';
  // The index signature allows more fields. Its type `unknown` is compatible with every named field.
  const open = isSchema(more) ? [`${inner}readonly [further: string]: unknown;`] : [];
  return `{\n${[...fields, ...open].join('\n')}\n${indent}}`;
}

export const typeScript = (schemas: Readonly<Record<string, unknown>>): string =>
  [
    '/** Generated from openapi.json by `npm run contracts`. */',
    ...Object.entries(schemas).map(([name, schema]) => `export type ${name} = ${typeOf(schema, '')};`),
    '',
  ].join('\n');
