/** What the web app makes of schemas and rows, without a browser. */
import { describe, expect, test } from 'vitest';
import { allTools } from '../../src/app/registry.ts';
import { mcpTool } from '../../src/core/derive/mcp.ts';
import { HIDDEN } from '../../src/core/fields.ts';
import type { Person } from '../../src/core/people.ts';
import { toolsOf } from '../../src/gateway/listing.ts';
import { persona, personas } from '../../src/sample/people.ts';
import { allColumns, compare, inPlain, tableColumns } from '../../web/lib/columns.ts';
import { csv } from '../../web/lib/csv.ts';
import { toDrafts, toInput, widgetOf } from '../../web/lib/form.ts';
import { elapsedOf } from '../../web/lib/pace.ts';
import { dataSchema, fieldsOf, rowSchema } from '../../web/lib/schema.ts';
import { type ServerInfo, suggestions } from '../../web/lib/tools.ts';

const tools = allTools().tools.map((tool) => ({ ...mcpTool(tool, false), kind: tool.kind, examples: tool.examples }));

describe('a table for a spreadsheet', () => {
  test('never begins a cell as a formula, and leaves numbers alone', () => {
    const hostile = ['=HYPERLINK("x")', '+1+2', '-cmd', '@SUM(A1)', '\tx', '-12.5', -3, 'plain'];
    expect(
      csv(
        ['a'],
        hostile.map((cell) => [cell]),
      ).split('\r\n'),
    ).toEqual(['a', `"'=HYPERLINK(""x"")"`, "'+1+2", "'-cmd", "'@SUM(A1)", "'\tx", '-12.5', '-3', 'plain']);
  });
  test('quotes what holds commas, quotes and lines', () => {
    expect(
      csv(
        ['a', 'b'],
        [
          ['x, y', 'say "no"\nnow'],
          [null, { deep: 1 }],
        ],
      ),
    ).toBe('a,b\r\n"x, y","say ""no""\nnow"\r\n,"{""deep"":1}"');
  });
});

describe('forms', () => {
  test('every published input has a field of a known kind', () => {
    for (const { name, inputSchema } of tools) {
      for (const field of fieldsOf(inputSchema))
        expect([name, field.name, typeof widgetOf(field.schema, inputSchema)]).toEqual([name, field.name, 'string']);
    }
  });
  test('an example put into a form comes out as it went in, and what was left alone is no key', () => {
    for (const { name, inputSchema, examples } of tools) {
      for (const example of examples) {
        const input = example.input('2026-11-16');
        expect([name, toInput(toDrafts(input, inputSchema), inputSchema)]).toEqual([name, input]);
      }
    }
    expect(toInput({ a: '', b: undefined }, { properties: { a: { type: 'string' }, b: { type: 'number' } } })).toEqual({});
  });
  test('what is no number goes as it was typed, for the server to judge', () => {
    const schema = { properties: { amount: { type: 'number' } } };
    expect(toInput({ amount: '$1,200.50' }, schema)).toEqual({ amount: 1200.5 });
    expect(toInput({ amount: 'much' }, schema)).toEqual({ amount: 'much' });
  });
});

describe('columns', () => {
  const lists = tools.filter(({ kind }) => kind === 'list');
  test('every list has a name in front, no ids beside it, and at most six', () => {
    for (const { name, outputSchema } of lists) {
      const columns = tableColumns(allColumns(rowSchema(dataSchema(outputSchema), outputSchema), outputSchema, [], []), []);
      expect([name, columns.length > 0 && columns.length <= 6]).toEqual([name, true]);
      expect(columns.filter(({ kind }) => kind === 'id' || kind === 'inner').map(({ key }) => `${name}.${key}`)).toEqual([]);
    }
  });
  test('first and last names are one column, an amount stands last, and what no schema names is kept', () => {
    const schema = {
      properties: {
        employee_id: { type: 'string', format: 'uuid' },
        first_name: { type: 'string' },
        last_name: { type: 'string' },
        salary: { anyOf: [{ type: 'number', unit: 'USD' }, { const: HIDDEN }] },
        hired: { type: 'string', format: 'date' },
      },
    };
    const row = { employee_id: 'x', first_name: 'Sarah', last_name: 'Kim', salary: 112000, hired: '2024-04-08', extra: 'y' };
    const all = allColumns(schema, schema, [row], []);
    expect(all.map(({ key }) => key)).toContain('extra');
    const [name, ...rest] = tableColumns(all, [row]);
    expect(name?.value(row)).toBe('Sarah Kim');
    expect(rest.at(-1)).toMatchObject({ key: 'salary', kind: 'money' });
  });
  test('values read as people write them, and sort as what they are', () => {
    expect([inPlain(112000, 'money'), inPlain(83.9, 'percent'), inPlain('PENDING_APPROVAL', 'status'), inPlain(null, 'text')]).toEqual([
      '$112,000',
      '83.9%',
      'Pending approval',
      undefined,
    ]);
    expect([10, 9, null, 100].toSorted(compare)).toEqual([9, 10, 100, null]);
    expect(['b10', 'b9', 'a'].toSorted(compare)).toEqual(['a', 'b9', 'b10']);
  });
});

describe('suggestions', () => {
  const listed = (name: string) => {
    const { roles, username } = persona(name);
    const person = { username, roles: new Set(roles), realm: 'staff' } as unknown as Person;
    return suggestions(toolsOf(allTools(), person, '2026-11-16').servers as unknown as ServerInfo[], [...roles]);
  };
  test.each([
    ['marcus.johnson', ['You', 'The company']],
    ['nina.patel', ['Your team', 'You', 'The company']],
    ['carol.johnson', ['Your work', 'Your team', 'You']],
    ['eve.thompson', ['The company', 'You']],
  ])('%s is asked by whose matter it is', (name, groups) => {
    const found = listed(name);
    expect(found.map((group) => group.name)).toEqual(groups);
    expect(found.flatMap((group) => group.suggestions)).toHaveLength(8);
  });
  test('hold only questions of one’s own tools, and no one else’s affairs under "You"', () => {
    for (const { username } of personas.filter(({ realm }) => realm === 'staff')) {
      const asks = listed(username).flatMap((group) => (group.name === 'You' ? group.suggestions.map(({ ask }) => ask) : []));
      expect([username, asks.filter((ask) => /(Kim|Davis|Williams|Nair|Patel)/.test(ask))]).toEqual([username, []]);
    }
  });
});

describe('the year beside a budget', () => {
  const now = new Date('2026-11-16T00:00:00Z');
  test('is marked while it runs, and not before or after', () => {
    expect(elapsedOf(2026, now)).toBe(87.4);
    expect(elapsedOf(2025, now)).toBeUndefined();
    expect(elapsedOf(2027, now)).toBeUndefined();
    expect(elapsedOf(undefined, now)).toBeUndefined();
  });
});
