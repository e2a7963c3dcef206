/** Chart declarations of tools. They name the fields to draw, so that every client draws the same chart. */
import { z } from 'zod';

const chartField = z.object({ field: z.string(), label: z.string() });
const bars = {
  title: z.string(),
  rows: z.string().optional().describe('Where the rows stand in `data`; left out where `data` is the list itself'),
  label: z.string().describe('The field that names a row'),
};

export const chart = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('parts').describe('A part of a whole in each row'),
    ...bars,
    part: chartField,
    whole: chartField,
    scale: z.enum(['each', 'all']).describe('each: every whole is as long as the next; all: as long as it is large'),
    count: chartField.optional().describe('How many things each row stands for'),
    pace: chartField
      .optional()
      .describe('The year that a row is about, in the row or beside the rows: while it runs, how much of it is over is marked'),
  }),
  z.object({
    kind: z.literal('stack').describe('Several parts that make up each row'),
    ...bars,
    parts: z.array(chartField.extend({ look: z.enum(['good', 'warn', 'bad']) })),
  }),
  z.object({
    kind: z.literal('waterfall').describe('From a beginning to an end by what was added and taken away: fields of `metadata.summary`'),
    title: z.string(),
    start: chartField,
    steps: z.array(chartField.extend({ adds: z.boolean() })),
    end: chartField,
  }),
]);
export type Chart = z.output<typeof chart>;
