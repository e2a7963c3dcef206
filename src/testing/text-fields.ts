/** Finds the free-text fields of a JSON Schema with their declared origins, at any depth. */
type Schema = Readonly<Record<string, unknown>>;
export interface TextField {
  /** Such as `data[].address.city`. `{}` is any value of a record, and `{key}` is any key. */
  readonly path: string;
  readonly origin: 'untrusted' | 'company' | 'caller' | undefined;
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);
/** A schema with one of these keywords is not free text by itself. */
const NOT_FREE_TEXT = ['enum', 'const', 'format', '$ref', 'anyOf', 'oneOf', 'allOf', 'not'];

export function textFields(whole: Schema): readonly TextField[] {
  const found = new Map<string, TextField>();
  const open = new Set<unknown>();
  const walk = (schema: unknown, path: string): void => {
    if (!isSchema(schema)) return;
    if (schema['untrusted'] === true || schema['origin'] !== undefined) {
      const origin = schema['untrusted'] === true ? 'untrusted' : (schema['origin'] as 'company' | 'caller');
      found.set(`${path} ${origin}`, { path, origin });
      return;
    }
    const reference = schema['$ref'];
    if (typeof reference === 'string' && !open.has(reference)) {
      open.add(reference);
      walk(
        reference
          .split('/')
          .slice(1)
          .reduce<unknown>((inner, key) => (isSchema(inner) ? inner[key] : undefined), whole),
        path,
      );
      open.delete(reference);
    }
    for (const key of ['anyOf', 'oneOf', 'allOf']) for (const each of listOf(schema[key])) walk(each, path);
    for (const [key, each] of Object.entries(isSchema(schema['properties']) ? schema['properties'] : {}))
      walk(each, path === '' ? key : `${path}.${key}`);
    listOf(schema['prefixItems']).forEach((each, n) => walk(each, `${path}[${n}]`));
    walk(schema['items'], `${path}[]`);
    if (schema['additionalProperties'] !== false) {
      walk(schema['additionalProperties'], `${path}{}`);
      walk(schema['propertyNames'], `${path}{key}`);
    }
    const isText = schema['type'] === undefined || [schema['type']].flat().includes('string');
    if (isText && !NOT_FREE_TEXT.some((key) => key in schema)) found.set(path, { path, origin: undefined });
  };
  walk(whole, '');
  return [...found.values()];
}
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
