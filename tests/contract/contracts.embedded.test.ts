/** The committed contracts equal the declarations, and every declaration keeps the common rules. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { publicApi } from '../../src/cli/commands/contracts.ts';
import { packageFolder, version } from '../../src/server/package.ts';
import { EXAMPLE_DAY, jsonSchema } from '../../src/derive/answers.ts';
import { contracts } from '../../src/derive/contracts.ts';
import { commonCodes, pipelineCodes } from '../../src/declare/errors.ts';
import { qualifiedName, createRegistry } from '../../src/engine/registry.ts';
import { personas } from '../../domains/sample-company/people.ts';
import { atOnceWhenOf } from '../../src/declare/tool.ts';
import { builtIn } from '../registry.ts';

const folder = join(packageFolder, 'contracts');
const all = builtIn;
const named = all.tools.map((tool) => [qualifiedName(tool), tool] as const);

describe('contracts/', () => {
  // The report of the public API is made from dist/, which `npm test` builds first.
  const generated = new Map([...contracts(all, version), ['api.md', publicApi()] as const]);
  const committed = existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    : [];

  it('contains exactly the generated files', () => {
    expect(committed.toSorted(), 'run: npm run contracts').toEqual([...generated.keys()].toSorted());
  });
  it.each([...generated])('%s is up to date', (path, text) => {
    const file = join(folder, path);
    // One short message instead of the diff of two large files.
    if (!existsSync(file) || readFileSync(file, 'utf8') !== text)
      expect.fail(`contracts/${path} is not what the declarations say; run: npm run contracts`);
  });
  it('is the same when it is generated again', () => {
    expect([...contracts(builtIn, version), ['api.md', publicApi()]]).toEqual([...generated]);
  });
});

describe('a registry', () => {
  it('refuses a name that another tool has as a name or as an alias', () => {
    const [first, second] = all.tools;
    if (!first || !second) throw new Error('there are too few tools');
    const again = { ...second, domain: first.domain };
    expect(() => createRegistry([first, { ...again, name: first.name }])).toThrow('declared twice');
    expect(() => createRegistry([first, { ...again, aliases: [first.name] }])).toThrow('declared twice');
    expect(() => createRegistry([first, { ...again, aliases: ['older', 'older'] }])).toThrow('declared twice');
  });
  it('gives every tool and alias a unique name on the gateway', () => {
    const names = all.tools.flatMap((tool) => [tool.name, ...tool.aliases].map((name) => qualifiedName({ ...tool, name })));
    expect(names.length).toBe(new Set(names).size);
    for (const { name } of all.domains) expect(name).toMatch(/^[a-z]+$/);
  });
});

/** Every object schema within a schema, with its path. */
function objectsIn(schema: unknown, path = ''): [string, Record<string, unknown>][] {
  if (typeof schema !== 'object' || schema === null) return [];
  const inner = Object.entries(schema).flatMap(([key, value]) => objectsIn(value, `${path}/${key}`));
  return 'properties' in schema ? [[path, schema as Record<string, unknown>], ...inner] : inner;
}

describe.each(named)('%s', (_name, tool) => {
  const input = jsonSchema(tool.input, 'input');

  it('has texts for people and for models', () => {
    expect(tool.title).toMatch(/^\S.{2,58}\S$/);
    expect(tool.description).toMatch(/^\S.{15,400}\S$/s);
    for (const text of [tool.title, tool.description]) expect(text).not.toMatch(/undefined|TODO|\[object|[^\P{Cc}]/u);
    // The filters that a list gets from the fields of its rows have no descriptions: their names and types say what they do.
    const declared = tool.kind === 'list' ? jsonSchema(tool.ownInput, 'input') : input;
    for (const [path, { properties }] of objectsIn(declared)) {
      for (const [key, field] of Object.entries(properties as Record<string, { description?: string }>)) {
        expect(field.description, `${path}/${key} has no description`).toMatch(/\S/);
      }
    }
  });

  it('publishes snake_case names in its input and output', () => {
    for (const name of [tool.name, ...tool.aliases]) expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
    for (const [path, { properties }] of [...objectsIn(input), ...objectsIn(jsonSchema(tool.output, 'output'))]) {
      for (const key of Object.keys(properties as object)) expect(key, path).toMatch(/^_?[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
    }
  });

  it('accepts no undeclared input', () => {
    for (const [path, { additionalProperties }] of objectsIn(input)) expect(additionalProperties, path || '/').toBe(false);
  });

  it('has examples that match its input schema, asked by known people', () => {
    expect(tool.examples.length).toBeGreaterThan(0);
    for (const { question, as, input: given, expects } of tool.examples) {
      expect(personas.map(({ username }) => username)).toContain(as);
      if (expects !== 'VALIDATION_ERROR') expect(tool.input.safeParse(given(EXAMPLE_DAY)).error, question).toBeUndefined();
      if (expects !== undefined)
        expect(
          [...Object.keys(tool.errors), ...commonCodes, ...pipelineCodes, ...(atOnceWhenOf(tool) ? ['success'] : [])],
          question,
        ).toContain(expects);
    }
  });

  it('declares a hint for each of its errors, and declares no common error code', () => {
    for (const [code, text] of Object.entries(tool.errors)) {
      expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
      expect([...commonCodes, ...pipelineCodes]).not.toContain(code);
      expect(typeof text === 'string' ? text : text.hint, code).toMatch(/^\S.{10,}[.!]$/);
    }
  });

  it('has no name that suggests a decision about a ticket', () => {
    expect(tool.name).not.toMatch(/^confirm|confirmation|_confirm$|^decide|^execute/);
  });
});
