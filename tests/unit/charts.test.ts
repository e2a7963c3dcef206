/** Chart declarations of tools: every field that a chart names exists in the answer. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Chart } from '../../src/declare/chart.ts';
import type { Tool } from '../../src/declare/tool.ts';
import { builtIn } from '../registry.ts';

const drawn = builtIn.tools.filter(({ chart }) => chart !== undefined);

const fieldsOf = (schema: unknown): string[] => {
  const inner = schema instanceof z.ZodArray ? schema.element : schema;
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
};

function missing(tool: Tool, chart: Chart): string[] {
  if (chart.kind === 'waterfall') {
    const known = tool.kind === 'list' ? fieldsOf(tool.totals?.schema) : [];
    return [chart.start, ...chart.steps, chart.end].map(({ field }) => field).filter((field) => !known.includes(field));
  }
  const { output } = tool;
  const rows = chart.rows === undefined ? output : (output as z.ZodObject).shape[chart.rows];
  const known = fieldsOf(rows);
  const beside = chart.rows === undefined ? known : [...known, ...fieldsOf(output)];
  const parts = chart.kind === 'parts' ? [chart.part, chart.whole, ...(chart.count ? [chart.count] : [])] : chart.parts;
  const pace = chart.kind === 'parts' && chart.pace && !beside.includes(chart.pace.field) ? [chart.pace.field] : [];
  return [chart.label, ...parts.map(({ field }) => field)].filter((field) => !known.includes(field)).concat(pace);
}

test('exactly the tools for pipeline, budgets, recurring revenue and service levels have a chart', () => {
  expect(drawn.map(({ name }) => name).sort()).toEqual([
    'get_arr_movement',
    'get_budget',
    'get_pipeline',
    'get_sla_summary',
    'list_budgets',
  ]);
});

test.each(drawn.map((tool) => [tool.name, tool] as const))('the chart of %s names only fields of its answer', (_name, tool) => {
  expect(tool.chart && missing(tool, tool.chart)).toEqual([]);
});
