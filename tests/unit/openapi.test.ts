/** openapi.json for client generators: every schema has exactly one name, and every reference resolves. */
import { describe, expect, it } from 'vitest';
import { openapi } from '../../src/derive/openapi.ts';
import { builtIn } from '../registry.ts';

type Schema = Readonly<Record<string, unknown>>;
const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);
const document = openapi(builtIn, '0.0.0') as {
  paths: Record<string, Record<string, { operationId: string }>>;
  components: { schemas: Record<string, Schema> };
};
const { schemas } = document.components;
const pascal = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

function walk(value: unknown, visit: (schema: Schema) => void): void {
  if (Array.isArray(value)) for (const each of value) walk(each, visit);
  if (!isSchema(value)) return;
  visit(value);
  for (const each of Object.values(value)) walk(each, visit);
}

describe('openapi.json', () => {
  it('has names of schemas and operations that stay unique when a generator changes case and separators', () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
    for (const names of [Object.keys(schemas), operations]) expect(new Set(names.map(pascal)).size).toBe(names.length);
  });

  it('has unique titles of schemas', () => {
    const titles: string[] = [];
    walk(schemas, ({ title, type }) => {
      if (typeof title === 'string' && typeof type === 'string') titles.push(title);
    });
    expect(titles.filter((title, at) => titles.indexOf(title) !== at)).toEqual([]);
  });

  it.each(Object.entries(schemas))('%s repeats no other schema inline, and its alternatives are named schemas', (name, schema) => {
    const others = new Map(Object.entries(schemas).map(([other, shape]) => [JSON.stringify(shape), other]));
    walk(Object.values(schema), (part) => expect(others.get(JSON.stringify(part)), `inside ${name}`).toBeUndefined());
    const choices = [schema['anyOf'], schema['oneOf']].flat().filter(isSchema);
    for (const choice of choices) expect(Object.keys(choice)).toEqual(['$ref']);
  });

  it('refers only to existing schemas', () => {
    walk(document, ({ $ref: reference }) => {
      const [, kind] = /^#\/components\/schemas\/(.+)$/.exec(String(reference)) ?? [];
      if (kind !== undefined) expect(schemas).toHaveProperty(kind);
    });
  });
});
