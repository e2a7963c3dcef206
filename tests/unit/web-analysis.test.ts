/** The functions in web/lib that arrange analyses for charts, describe conditions, and keep ranges and several values in forms. */
import { describe, expect, test } from 'vitest';
import { periodAt, UNITS } from '../../src/engine/analyze/periods.ts';
import { mcpTool } from '../../src/derive/mcp.ts';
import { type Analysis, axisText, figureText, plotted, ticksOf } from '../../web/lib/analysis.ts';
import { conditionText } from '../../web/lib/conditions.ts';
import { Exact, toDrafts, toInput, widgetOf } from '../../web/lib/form.ts';
import { labelsBetween } from '../../web/lib/periods.ts';
import { fieldsOf } from '../../web/lib/schema.ts';
import { builtIn } from '../registry.ts';

const DEALS: Analysis = {
  of: 'list_deals',
  title: 'Total value by month and stage',
  columns: [
    { name: 'closes', role: 'group', label: 'Closes', type: 'day', by: 'month' },
    { name: 'stage', role: 'group', label: 'Stage', type: 'choice' },
    { name: 'sum_value', role: 'measure', label: 'Total value', type: 'money' },
  ],
  rows: [
    { closes: '2026-12', stage: 'OPEN', sum_value: 5 },
    { closes: '2026-10', stage: 'OPEN', sum_value: 1 },
    { closes: '2026-10', stage: 'WON', sum_value: 20 },
    { closes: null, stage: 'OPEN', sum_value: 7 },
  ],
  group_count: 4,
  chart: { kind: 'stacked', x: 'closes', series: 'stage', measures: ['sum_value'] },
  opens: [
    { tool: 'list_deals', input: { owner: 'x', closes: { from: '2026-12-01', to: '2026-12-31' }, stage: ['OPEN'] } },
    null,
    { tool: 'list_deals', input: {} },
    null,
  ],
};

describe('an analysis over time', () => {
  const found = plotted(DEALS, 'sum_value', { owner: 'x', stage: ['OPEN', 'WON'] });
  test('has its periods in order and without gaps, the largest series first, and rows without a period apart', () => {
    expect(found?.positions.map(({ key }) => key)).toEqual(['2026-10', '2026-11', '2026-12']);
    expect(found?.series.map(({ key }) => key)).toEqual(['WON', 'OPEN']);
    expect(found?.positions.map(({ rows }) => rows.map((placed) => placed?.row['sum_value']))).toEqual([
      [20, 1],
      [undefined, undefined],
      [undefined, 5],
    ]);
    expect(found?.absent?.rows[1]?.row['sum_value']).toBe(7);
  });
  test('opens the rows of all series of a period, with the filter of the question instead of that of a series', () => {
    const input = { owner: 'x', closes: { from: '2026-12-01', to: '2026-12-31' }, stage: ['OPEN', 'WON'] };
    expect(found?.positions[2]?.opens).toEqual({ tool: 'list_deals', input });
    expect(plotted(DEALS, 'sum_value', {})?.positions[2]?.opens?.input).not.toHaveProperty('stage');
    expect(found?.positions[1]?.opens).toBeNull();
  });
  test('keeps the gaps if the answer does not have all groups', () => {
    const cut = plotted({ ...DEALS, group_count: 9 }, 'sum_value', {});
    expect(cut?.positions.map(({ key }) => key)).toEqual(['2026-10', '2026-12']);
  });
});

test.each(UNITS)('the labels between two %ss are those of the engine', (unit) => {
  const days = Array.from({ length: 1200 }, (_, at) => new Date(Date.UTC(2019, 10, 3) + at * 86_400_000).toISOString().slice(0, 10));
  const calendar = { fiscalYearStart: 4 };
  const expected = [...new Set(days.map((day) => periodAt(day, unit, calendar).label))];
  const shown = expected.slice(0, 300);
  expect(labelsBetween(shown[0] ?? '', shown.at(-1) ?? '', unit)).toEqual(shown);
});
test('there are no labels for a range that is too long', () => {
  expect(labelsBetween('1990-01-01', '2026-01-01', 'day')).toBeUndefined();
});

test('figures have the decimals of their column, and only changes have a sign', () => {
  const money = { name: 'sum_value', role: 'measure', label: '', type: 'money' } as const;
  const change = { name: 'change_sum_value', role: 'change', label: '', type: 'share', measure: 'sum_value' } as const;
  expect([figureText(5, money), figureText(5, money, 2), figureText(null, money)]).toEqual(['$5', '$5.00', undefined]);
  expect([figureText(0.08, change), figureText(-0.5, change), figureText(0, change)]).toEqual(['+8.0%', '−50.0%', '0.0%']);
  expect(figureText(0.5, { ...change, name: 'previous_share_count' })).toBe('50.0%');
  expect([0, 500, 25_000, 1_500_000, 2_000_000].map((value) => axisText(value, money))).toEqual(['0', '$500', '$25k', '$1.5M', '$2M']);
});

test.each([
  [0, 3_620_480],
  [0, 1],
  [-20, 35],
  [0, 0],
  [100_000, 104_000],
])('the axis from %d to %d includes both in two to seven steps', (low, high) => {
  const ticks = ticksOf(low, high);
  expect(ticks[0]).toBeLessThanOrEqual(low);
  expect(ticks.at(-1)).toBeGreaterThanOrEqual(high);
  expect(ticks.length).toBeGreaterThanOrEqual(2);
  expect(ticks.length).toBeLessThanOrEqual(7);
});

test('conditions read as words', () => {
  const conditions = [['Sales', 'IN_PROGRESS', null], { from: 5 }, { to: 1000 }, { from: 'b', to: 'b' }, true];
  expect(conditions.map(conditionText)).toEqual(['Sales, In progress or none', '5 or more', '1,000 or less', 'b', 'yes']);
});

describe('the form of a list', () => {
  const lists = builtIn.tools
    .filter(({ kind }) => kind === 'list')
    .map((tool) => ({ name: tool.name, schema: mcpTool(tool, false).inputSchema }));
  test('shows each derived filter as a choice, a text, yes or no, or a range', () => {
    const derived = lists.flatMap(({ name, schema }) =>
      fieldsOf(schema)
        .filter((field) => field.schema['filter'] === 'field')
        .map((field) => ({ name: `${name}.${field.name}`, widget: widgetOf(field.schema, schema) })),
    );
    expect(derived.length).toBeGreaterThan(50);
    expect(derived.filter(({ widget }) => !['choice', 'text', 'long', 'flag', 'range'].includes(widget))).toEqual([]);
  });
  test('keeps ranges, several values and single values as they are', () => {
    const employees = lists.find(({ name }) => name === 'list_employees')?.schema ?? {};
    const input = {
      department: ['Sales', 'Legal'],
      location: 'Berlin',
      salary: { from: 50_000 },
      hire_date: { from: '2026-01-01', to: '2026-03-31' },
    };
    const drafts = toDrafts(input, employees);
    expect(drafts['department']).toBeInstanceOf(Exact);
    expect(drafts['hire_date']).toEqual([{ from: '2026-01-01', to: '2026-03-31' }]);
    expect(toInput(drafts, employees)).toEqual(input);
    expect(toInput({ ...drafts, salary: [{ from: '' }] }, employees)).not.toHaveProperty('salary');
  });
});
