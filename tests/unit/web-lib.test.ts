/** The functions in web/lib that build CSV, forms, table columns, times and suggestions, without a browser. */
import { describe, expect, test } from 'vitest';
import { mcpTool } from '../../src/derive/mcp.ts';
import { HIDDEN } from '../../src/declare/fields.ts';
import type { Person } from '../../src/declare/people.ts';
import { toolsOf } from '../../src/gateway/listing.ts';
import { persona, personas } from '../../domains/sample-company/people.ts';
import { allColumns, compare, valueText, tableColumns, fieldHintsOf } from '../../web/lib/columns.ts';
import { cell, csv } from '../../web/lib/csv.ts';
import { toDrafts, toInput, widgetOf } from '../../web/lib/form.ts';
import { elapsedOf } from '../../web/lib/pace.ts';
import { dataSchema, fieldsOf, rowSchema } from '../../web/lib/schema.ts';
import { type ServerInfo, suggestions } from '../../web/lib/tools.ts';
import { ago, whenAt } from '../../web/lib/format.ts';
import { builtIn } from '../registry.ts';

const tools = builtIn.tools.map((tool) => ({ ...mcpTool(tool, false), kind: tool.kind, examples: tool.examples, chart: tool.chart }));

describe('CSV export', () => {
  test('puts an apostrophe before a cell that begins like a formula, and not before a number', () => {
    const hostile = ['=HYPERLINK("x")', '+1+2', '-cmd', '@SUM(A1)', '\tx', '-12.5', -3, 'plain'];
    expect(
      csv(
        ['a'],
        hostile.map((each) => [each]),
      ).split('\r\n'),
    ).toEqual(['a', `"'=HYPERLINK(""x"")"`, "'+1+2", "'-cmd", "'@SUM(A1)", `"'\tx"`, '-12.5', '-3', 'plain']);
  });
  test('puts an apostrophe before a formula after spaces or with a full-width sign, and not before a number with an exponent', () => {
    const formulas = [' =1+1', '\u00a0@SUM(A1)', '\uff1d1+1', '\uff0b1', '\uff0d1', '\uff20x', '- item'];
    expect(formulas.map(cell)).toEqual(formulas.map((text) => `'${text}`));
    expect(cell('\n=1')).toBe(`"'\n=1"`);
    expect([-1e21, -1e-7].map(cell)).toEqual(['-1e+21', '-1e-7']);
  });
  test('quotes a cell that contains a semicolon or a tab', () => {
    expect(csv(['a'], [['a;=1+1'], ['a\t=1+1']])).toBe('a\r\n"a;=1+1"\r\n"a\t=1+1"');
  });
  test('quotes a cell that contains a comma, a quote or a line break', () => {
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
  test('every input field of every tool has a widget', () => {
    for (const { name, inputSchema } of tools) {
      for (const field of fieldsOf(inputSchema))
        expect([name, field.name, typeof widgetOf(field.schema, inputSchema)]).toEqual([name, field.name, 'string']);
    }
  });
  test('every example is the same after conversion to form drafts and back, and empty fields are omitted', () => {
    for (const { name, inputSchema, examples } of tools) {
      for (const example of examples) {
        const input = example.input('2026-11-16');
        expect([name, toInput(toDrafts(input, inputSchema), inputSchema)]).toEqual([name, input]);
      }
    }
    expect(toInput({ a: '', b: undefined }, { properties: { a: { type: 'string' }, b: { type: 'number' } } })).toEqual({});
  });
  test('an amount with $ and commas becomes a number, and other text in a number field is sent as typed', () => {
    const schema = { properties: { amount: { type: 'number' } } };
    expect(toInput({ amount: '$1,200.50' }, schema)).toEqual({ amount: 1200.5 });
    expect(toInput({ amount: 'much' }, schema)).toEqual({ amount: 'much' });
  });
});

describe('columns', () => {
  const lists = tools.filter(({ kind }) => kind === 'list');
  test('every list has one to six columns, and none of them shows an id or a nested value', () => {
    for (const { name, outputSchema } of lists) {
      const columns = tableColumns(
        allColumns(rowSchema(dataSchema(outputSchema), outputSchema), outputSchema, { rows: [], masked: [] }),
        [],
      );
      expect([name, columns.length > 0 && columns.length <= 6]).toEqual([name, true]);
      expect(columns.filter(({ kind }) => kind === 'id' || kind === 'inner').map(({ key }) => `${name}.${key}`)).toEqual([]);
    }
  });
  test('first and last name are one column, an amount comes last, and allColumns keeps a field that the schema does not name', () => {
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
    const all = allColumns(schema, schema, { rows: [row], masked: [] });
    expect(all.map(({ key }) => key)).toContain('extra');
    const [name, ...rest] = tableColumns(all, [row]);
    expect(name?.value(row)).toBe('Sarah Kim');
    expect(rest.at(-1)).toMatchObject({ key: 'salary', kind: 'money' });
  });
  const shown = (wanted: string, rows: readonly Record<string, unknown>[] = []) => {
    const tool = lists.find(({ name }) => name === wanted);
    if (!tool) throw new Error(`no list ${wanted}`);
    const { outputSchema } = tool;
    const all = allColumns(rowSchema(dataSchema(outputSchema), outputSchema), outputSchema, { rows, masked: [] });
    return tableColumns(all, rows, { hints: fieldHintsOf(tool) }).map(({ key }) => key);
  };
  test('a table shows fields of filters and charts, and leaves out fields such as approved_by and paid_at', () => {
    expect(shown('list_opportunities')).toEqual(['deal_name', 'stage', 'close_date', 'owner_name', 'weighted_value', 'value']);
    expect(shown('search_tickets')).toEqual(['subject', 'status', 'priority', 'customer_name', 'contact_name', 'sla_deadline']);
    expect(shown('list_invoices')).toEqual(expect.arrayContaining(['vendor_name', 'status', 'department', 'amount']));
    expect(shown('list_budgets')).toEqual(expect.arrayContaining(['department', 'allocated_amount', 'spent_amount']));
    for (const { name } of lists)
      expect([name, shown(name).filter((key) => /^(approved|rejected|submitted|paid)_(by|at)/.test(key))]).toEqual([name, []]);
  });
  test('if there are too many columns, those are left out that are mostly empty, have one value in all rows or repeat the name', () => {
    const schema = {
      properties: Object.fromEntries(
        ['name', 'first_name', 'last_name', 'a', 'b', 'c', 'd', 'e', 'f'].map((key) => [key, { type: 'string' }]),
      ),
    };
    const rows = Array.from({ length: 6 }, (_, n) => ({
      name: `Kim ${n}`,
      first_name: 'Kim',
      last_name: `${n}`,
      a: 'same',
      b: n === 0 ? 'once' : '',
      c: `c${n}`,
      d: `d${n}`,
      e: `e${n}`,
      f: `f${n}`,
    }));
    expect(tableColumns(allColumns(schema, schema, { rows, masked: [] }), rows, { most: 5 }).map(({ key }) => key)).toEqual([
      'name',
      'c',
      'd',
      'e',
      'f',
    ]);
  });
  test('a column "state" with two capital letters is a code, with other text a status', () => {
    const schema = { properties: { title: { type: 'string' }, state: { type: 'string' } } };
    const kindOf = (state: string) =>
      allColumns(schema, schema, { rows: [{ title: 'x', state }], masked: [] }).find(({ key }) => key === 'state')?.kind;
    expect([kindOf('CA'), kindOf('open')]).toEqual(['code', 'status']);
  });
  test('ago and whenAt describe a time relative to now, and an old time by its date', () => {
    const now = new Date(2026, 10, 16, 14, 0);
    const at = (...parts: [number, number, number, number, number]) => new Date(...parts).toISOString();
    expect([
      ago(at(2026, 10, 16, 13, 48), now),
      ago(at(2026, 10, 16, 9, 30), now),
      ago(at(2026, 10, 15, 23, 30), now),
      ago(at(2026, 10, 13, 9, 0), now),
      ago(at(2025, 9, 30, 9, 0), now),
      ago('never', now),
    ]).toEqual(['12 min ago', '4 h ago', 'Yesterday', '13 Nov', '30 Oct 2025', 'never']);
    expect([whenAt(at(2026, 10, 16, 8, 55), now), whenAt(at(2026, 10, 15, 21, 10), now)]).toEqual(['today at 08:55', 'yesterday at 21:10']);
  });
  test('values are formatted by their kind, and numbers sort by value with empty values last', () => {
    expect([
      valueText(112000, 'money'),
      valueText(83.9, 'percent'),
      valueText('PENDING_APPROVAL', 'status'),
      valueText(null, 'text'),
    ]).toEqual(['$112,000', '83.9%', 'Pending approval', undefined]);
    expect([10, 9, null, 100].toSorted(compare)).toEqual([9, 10, 100, null]);
    expect(['b10', 'b9', 'a'].toSorted(compare)).toEqual(['a', 'b9', 'b10']);
  });
});

describe('suggestions', () => {
  const listed = (name: string) => {
    const { roles, username } = persona(name);
    const person = { username, roles: new Set(roles), realm: 'staff' } as unknown as Person;
    return suggestions(toolsOf(builtIn, person, '2026-11-16').servers as unknown as ServerInfo[], [...roles]);
  };
  test.each([
    ['marcus.johnson', ['You', 'The company']],
    ['nina.patel', ['Your team', 'You', 'The company']],
    ['carol.johnson', ['Your work', 'Your team', 'You']],
    ['eve.thompson', ['The company', 'You']],
  ])('%s gets these groups, with eight suggestions in total', (name, groups) => {
    const found = listed(name);
    expect(found.map((group) => group.name)).toEqual(groups);
    expect(found.flatMap((group) => group.suggestions)).toHaveLength(8);
  });
  test('contain no id of a triple, no 9999, and no question that begins with delete or remove', () => {
    for (const { username } of personas.filter(({ realm }) => realm === 'staff')) {
      const asks = listed(username).flatMap((group) => group.suggestions);
      expect([username, asks.filter(({ ask }) => /\bt-\d+|\b9999\b|^(delete|remove)\b/i.test(ask))]).toEqual([username, []]);
    }
  });
  test('do not contain Kim, Davis, Williams, Nair or Patel in the group "You"', () => {
    for (const { username } of personas.filter(({ realm }) => realm === 'staff')) {
      const asks = listed(username).flatMap((group) => (group.name === 'You' ? group.suggestions.map(({ ask }) => ask) : []));
      expect([username, asks.filter((ask) => /(Kim|Davis|Williams|Nair|Patel)/.test(ask))]).toEqual([username, []]);
    }
  });
});

describe('the elapsed part of a fiscal year', () => {
  const now = new Date('2026-11-16T00:00:00Z');
  test('is a percentage for the current year, and undefined for any other', () => {
    expect(elapsedOf(2026, now)).toBe(87.4);
    expect(elapsedOf(2025, now)).toBeUndefined();
    expect(elapsedOf(2027, now)).toBeUndefined();
    expect(elapsedOf(undefined, now)).toBeUndefined();
    expect(elapsedOf('2026', now)).toBe(87.4);
  });
  test('is a percentage for the current quarter and the current month', () => {
    expect(['2026-Q4', '2026-11'].map((period) => elapsedOf(period, now))).toEqual([50, 50]);
    for (const period of ['2026-Q3', '2025-Q4', '2026-10', '2025-11', '']) expect(elapsedOf(period, now)).toBeUndefined();
  });
});
