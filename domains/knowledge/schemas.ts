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
/** Normalises tags and removes duplicates. */
export const tags = z
  .array(trimmed(50, 'A tag'))
  .max(20)
  .transform((given) => [...new Set(given.map((tag) => tag.toLowerCase()))]);
const claims = {
  source: line(200).describe('Where it is said to come from: a page, a meeting. A claim, not checked'),
  actor: line(100).describe('Who or what is said to have found it out. A claim: who recorded it is known from the sign-in'),
  confidence: z.number().min(0).max(1).multipleOf(0.001).describe('How sure one is, from 0 to 1. A claim'),
};
const validity = {
  valid_from: day.describe('First day on which it holds'),
  valid_to: day.describe('Last day on which it holds'),
};
/** Optional fields of a new entry or triple. */
export const given = {
  source: claims.source.optional(),
  actor: claims.actor.optional(),
  confidence: claims.confidence.default(1),
  valid_from: validity.valid_from.optional(),
  valid_to: validity.valid_to.optional(),
};
/** Optional fields of an update. */
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
    .describe('Fields to take away'),
};
export const inOrder = ({ valid_from, valid_to }: { valid_from?: string | null | undefined; valid_to?: string | null | undefined }) =>
  typeof valid_from !== 'string' || typeof valid_to !== 'string' || valid_from <= valid_to;
export const IN_ORDER = 'valid_to must not be before valid_from';

export const reason = prose(500).optional().describe('Why, for whoever reads the history');
export const itemId = line(24).transform((id) => id.trim().toLowerCase());
export const entity = trimmed(200, 'A name');
/** Normalises a predicate: "Depends on" and "depends-on" are the same. */
export const predicate = trimmed(60, 'predicate')
  .transform((text) =>
    text
      .toLowerCase()
      .replace(/[\s_-]+/g, '_')
      .replace(/^_|_$/g, ''),
  )
  .refine((text) => /^[\p{L}\p{N}_]+$/u.test(text), 'predicate must be words of letters and digits, such as depends_on');

/** Only times and offsets that the database accepts. */
const isMoment = (text: string) => {
  const at = Date.parse(text);
  const hours = Number(/[+-](\d\d):\d\d$/.exec(text)?.[1] ?? 0);
  return hours <= 14 && at >= Date.parse('0001-01-01T00:00:00Z') && at < Date.parse('9999-12-31T00:00:00Z');
};
export const asOf = z
  .union([day, z.iso.datetime({ offset: true }).refine(isMoment, 'Give a date, or a time such as 2026-11-16T10:00:00Z')])
  .optional()
  .describe('As it was recorded at that time in the past; a day means its end');
export const validOn = day.optional().describe('A day on which it must hold; by default the day of as_of, or today');
export const minConfidence = z.number().min(0).max(1).optional().describe('Leaves out what was recorded with less confidence');

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
  tx_id: z.int().describe('The transaction that made it so'),
  mine: z.boolean().describe('Whether you recorded it, and so may change it at once'),
};
export const entry = entryState.extend(latest);
export const triple = tripleState.extend(latest);
/** An entry that the caller has just recorded: its text is the caller's own, not untrusted. */
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
  undoes: z.int().nullable().describe('The transaction that this one took back'),
  undone_by: z.int().nullable().describe('The last transaction that took this one back'),
  changes: z.array(change).describe('Each thing it changed, before and after; null where there was or is none'),
});
export type Transaction = z.output<typeof transaction>;

export const ENTRY_NOT_FOUND = 'Find the id of an entry with query.';
