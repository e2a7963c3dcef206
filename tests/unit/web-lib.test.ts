/** What the web app makes of schemas and rows, without a browser. */
import { describe, expect, test } from 'vitest';
import { allTools } from '../../src/app/registry.ts';
import { mcpTool } from '../../src/core/derive/mcp.ts';
import { HIDDEN } from '../../src/core/fields.ts';
import { allColumns, compare, inPlain, tableColumns } from '../../web/lib/columns.ts';
import { csv } from '../../web/lib/csv.ts';
import { toDrafts, toInput, widgetOf } from '../../web/lib/form.ts';
import { dataSchema, fieldsOf, rowSchema } from '../../web/lib/schema.ts';

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
