/** Input and output schemas of entries, triples and transactions. */
import { z } from 'zod';
import {
  callerText,
  companyText,
  day,
  line,
  prose,
  readable,
  signInName,
  storedDay,
  storedTime,
  untrusted,
} from '../../src/declare/fields.ts';

const trimmed = (max: number, what: string) =>
  line(max)
    .transform((text) => text.trim())
    .refine((text) => text !== '', `${what} must not be empty`);
const withText = (text: string) => text.trim() !== '';

export const topic = trimmed(120, 'topic').describe('What it is about, in a few words');
export const content = readable(z.string().max(4000))
  .refine(withText, 'content must not be empty')
  .describe('What is known, in plain sentences');
/** Makes tags lower case and removes duplicates. */
export const tags = z
  .array(trimmed(50, 'A tag'))
  .max(20)
  .transform((given) => [...new Set(given.map((tag) => tag.toLowerCase()))]);
const claims = {
  source: line(200).describe('The source, such as a page or a meeting. A claim, not verified'),
  actor: line(100).describe('Who or what found it out. A claim, not verified; recorded_by comes from the sign-in'),
  confidence: z.number().min(0).max(1).multipleOf(0.001).describe('How sure the author is, from 0 to 1. A claim, not verified'),
};
const validity = {
  valid_from: day.describe('First day on which it is true'),
  valid_to: day.describe('Last day on which it is true'),
};
export const given = {
  source: claims.source.optional(),
  actor: claims.actor.optional(),
  confidence: claims.confidence.default(1),
  valid_from: validity.valid_from.optional(),
  valid_to: validity.valid_to.optional(),
};
export const changeable = {
  source: claims.source.optional(),
  actor: claims.actor.optional(),
  confidence: claims.confidence.optional(),
  valid_from: validity.valid_from.optional(),
  valid_to: validity.valid_to.optional(),
  clear: z
    .array(z.enum(['source', 'actor', 'valid_from', 'valid_to']))
    .max(4)
    .optional()
    .describe('Fields to make empty'),
};
export const inOrder = ({ valid_from, valid_to }: { valid_from?: string | null | undefined; valid_to?: string | null | undefined }) =>
  typeof valid_from !== 'string' || typeof valid_to !== 'string' || valid_from <= valid_to;
export const IN_ORDER = 'valid_to must not be before valid_from';

export const reason = prose(500).optional().describe('The reason, shown in the history');
export const itemId = line(24).transform((id) => id.trim().toLowerCase());
export const entity = trimmed(200, 'A name');
/** "Depends on" and "depends-on" become depends_on. */
export const predicate = trimmed(60, 'predicate')
  .transform((text) =>
    text
      .toLowerCase()
      .replace(/[\s_-]+/g, '_')
      .replace(/^_|_$/g, ''),
  )
  .refine((text) => /^[\p{L}\p{N}_]+$/u.test(text), 'predicate must be words of letters and digits, such as depends_on');

/** PostgreSQL accepts only these times and offsets. */
const isMoment = (text: string) => {
  const at = Date.parse(text);
  const hours = Number(/[+-](\d\d):\d\d$/.exec(text)?.[1] ?? 0);
  return hours <= 14 && at >= Date.parse('0001-01-01T00:00:00Z') && at < Date.parse('9999-12-31T00:00:00Z');
};
export const asOf = z
  .union([day, z.iso.datetime({ offset: true }).refine(isMoment, 'Give a date, or a time such as 2026-11-16T10:00:00Z')])
  .optional()
  .describe('Shows what was recorded at that time in the past; a day means its end');
export const validOn = day.optional().describe('Shows what is valid on that day; by default the day of as_of, or today');
export const minConfidence = z.number().min(0).max(1).optional().describe('Leaves out everything with less confidence');

const common = {
  source: untrusted.nullable().describe('Claimed'),
  actor: untrusted.nullable().describe('Claimed'),
  confidence: z.number().describe('Claimed, from 0 to 1'),
  valid_from: storedDay.nullable(),
  valid_to: storedDay.nullable(),
  recorded_by: signInName.describe('By sign-in'),
  recorded_at: storedTime,
};
export const entryState = z.object({ id: companyText, topic: untrusted, content: untrusted, tags: z.array(untrusted), ...common });
export const tripleState = z.object({ id: companyText, subject: untrusted, predicate: untrusted, object: untrusted, ...common });
const latest = {
  changed_by: signInName.describe('By sign-in'),
  changed_at: storedTime,
  tx_id: z.int().describe('The transaction of this version'),
  mine: z.boolean().describe('True if you recorded it; then you can change it without an approval'),
};
export const entry = entryState.extend(latest);
export const triple = tripleState.extend(latest);
/** The entry that the caller has just recorded. The text is the caller's own, so it is not untrusted. */
export const storedEntry = entry.extend({
  topic: callerText,
  content: callerText,
  tags: z.array(callerText),
  source: callerText.nullable().describe('Claimed'),
  actor: callerText.nullable().describe('Claimed'),
  recorded_by: callerText.describe('By sign-in'),
  changed_by: callerText.describe('By sign-in'),
});
export type Entry = z.output<typeof entry>;
export type Triple = z.output<typeof triple>;

export const change = z.object({
  kind: z.enum(['entry', 'triple']),
  id: companyText,
  before: z.union([entryState, tripleState]).nullable(),
  after: z.union([entryState, tripleState]).nullable(),
});
export const actions = ['store', 'update', 'delete', 'relate', 'undo'] as const;
export const transaction = z.object({
  tx_id: z.int(),
  at: storedTime,
  action: z.enum(actions),
  by: signInName.describe('By sign-in'),
  mine: z.boolean(),
  reason: untrusted.nullable(),
  undoes: z.int().nullable().describe('The transaction that this one undid'),
  undone_by: z.int().nullable().describe('The last transaction that undid this one'),
  changes: z.array(change).describe('Each changed item before and after; null if it did not exist'),
});
export type Transaction = z.output<typeof transaction>;

export const ENTRY_NOT_FOUND = 'Find the id of an entry with query.';
