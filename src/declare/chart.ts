/** Chart declarations of tools. They name the fields to draw, so that every client draws the same chart. */
import { z } from 'zod';

const chartField = z.object({ field: z.string(), label: z.string() });
const bars = {
  title: z.string(),
  rows: z.string().optional().describe('The key of the rows in `data`; absent if `data` is the list of rows'),
  label: z.string().describe('The field with the label of a row'),
};

export const chart = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('parts').describe('Each row shows a part of a whole'),
    ...bars,
    part: chartField,
    whole: chartField,
    scale: z.enum(['each', 'all']).describe('each: all bars have the same length; all: the length of a bar shows the size of its whole'),
    count: chartField.optional().describe('The field with the number of items in a row'),
    pace: chartField
      .optional()
      .describe(
        'The field with the year, quarter or month, in the row or next to the rows. A mark shows how much of a current period is over',
      ),
  }),
  z.object({
    kind: z.literal('stack').describe('Each row shows several parts'),
    ...bars,
    parts: z.array(chartField.extend({ look: z.enum(['good', 'warn', 'bad']) })),
  }),
  z.object({
    kind: z
      .literal('waterfall')
      .describe('From a start value to an end value, with additions and deductions. The fields are in `metadata.summary`'),
    title: z.string(),
    start: chartField,
    steps: z.array(chartField.extend({ adds: z.boolean() })),
    end: chartField,
  }),
]);
export type Chart = z.output<typeof chart>;
