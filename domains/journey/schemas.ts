/** Schemas shared by the journey tools: filters and records. */
import { z } from 'zod';
import { anyCase, companyText, line, untrusted } from '../../src/declare/fields.ts';
import { cut } from './markdown.ts';
import { kinds } from './record.ts';

export const words = (what: string) => line(400).describe(what);
export const kind = anyCase(kinds).describe('Only records of this kind');

const uri = companyText.nullable().describe('The URI where an MCP client reads the whole text');
/** A record in a list. */
export const record = z.object({
  record_id: companyText,
  kind: z.enum(kinds),
  title: untrusted,
  when: untrusted.nullable(),
  components: z.array(untrusted).describe('The parts of the product that it is about'),
  topics: z.array(untrusted),
  summary: untrusted,
  uri,
});
const found = {
  _score: z.number().describe('How well the record matches the words; 0 without words'),
  highlights: z.record(companyText, z.array(untrusted)).describe('Field → excerpts of its text as HTML, with the matches in <em>'),
};
export const foundRecord = record.extend(found);

/** Lists truncate long texts; the URI has the full text. */
const MOST_SHOWN = 4_000;
export const shortened = <T extends { readonly content: string }>(row: T): T => ({ ...row, content: cut(row.content, MOST_SHOWN) });
const content = untrusted.describe('Markdown');
const beginning = content.describe(`Markdown, its first ${MOST_SHOWN.toLocaleString('en')} characters`);

export const failure = record
  .omit({ kind: true })
  .extend({ lesson: untrusted.nullable().describe('What was learned'), content: beginning, ...found });

export const decision = record.omit({ kind: true }).extend({
  adr_id: companyText.nullable().describe('For example ADR-0004; null if the record has no number'),
  status: untrusted.nullable().describe('accepted, superseded, …'),
  content,
});
export const storedDecision = decision.omit({ adr_id: true }).extend({ number: z.int().nullable() });

export const pivot = record.omit({ kind: true }).extend({
  from: untrusted.nullable().describe('The earlier assumption'),
  to: untrusted.nullable().describe('The current practice'),
  content: beginning,
});

export const whole = record.extend({
  number: z.int().nullable(),
  status: untrusted.nullable(),
  day: companyText,
  versions: z.array(untrusted),
  lesson: untrusted.nullable(),
  content,
});
export type Whole = z.output<typeof whole>;
