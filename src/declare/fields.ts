/** Field schemas that tools share, and their metadata: masks, sensitive inputs, origin of texts. */
import { z } from 'zod';
import type { HIDDEN } from './display.ts';
import { lastName, walkSchema } from './walk-schema.ts';

export { HIDDEN, labelFor } from './display.ts';
export { masked } from './masks.ts';
export type Hidden = typeof HIDDEN;

/** An amount in an input: at most two decimals. */
const AT_MOST_CENTS = 'An amount has at most two decimals';
export const money = z
  .number()
  .nonnegative()
  .multipleOf(0.01, AT_MOST_CENTS)
  // `multipleOf` accepts 0.30000000000000004. The card would show all its digits, but the database stores cents.
  .refine((given) => Math.round(given * 100) / 100 === given, AT_MOST_CENTS)
  .meta({ unit: '{currency}' });
/** An amount from the database. */
export const amount = z.number().meta({ unit: '{currency}' });

const GIVE_A_DAY = 'Give a date as YYYY-MM-DD';
/** Refuses the year 0, because PostgreSQL writes it in another form. */
export const day = z.iso.date(GIVE_A_DAY).refine((text) => text >= '0001', GIVE_A_DAY);
/** The database guarantees these formats, so rows are not checked again. */
export const storedDay = z.string().meta({ format: 'date' });
export const storedTime = z.string().meta({ format: 'date-time' });
export const storedId = z.string().meta({ format: 'uuid' });
export const storedEmail = z.string().meta({ format: 'email' });

/** Control, bidirectional and invisible characters. They could make a card show another change than the real one. */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\uffa0\u{e0000}-\u{e007f}\u{e0100}-\u{e01ef}]/u;
const UNSEEN_BUT_LINES = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;
/** `UNSEEN` with the flag `g`, for removing such characters from a text. */
export const unseen: Readonly<RegExp> = new RegExp(UNSEEN, 'gu');
/** One line of plain text: a name, a label, a search word. */
export const line = (max: number, tooLong?: string) =>
  z
    .string()
    .max(max, tooLong)
    .refine((text) => !UNSEEN.test(text), 'Invisible or control characters are not allowed here');
/** Free text that people write to each other. */
export const prose = (max: number, tooLong?: string) => readable(z.string().max(max, tooLong));
/** Like `prose`, for a string schema that has further rules. */
export const readable = (text: z.ZodString) =>
  text.refine((given) => !UNSEEN_BUT_LINES.test(given), 'Control and direction characters are not allowed here');

/**
 * Text that another person can have written. After an assistant reads such a text, each of its writes needs an approval. Every free-text
 * field of an answer is `untrusted`, `companyText` or `callerText`.
 */
export const untrusted = z.string().meta({ untrusted: true });
/** Like `untrusted`, for a value of any type. */
export const untrustedValue = z.unknown().meta({ untrusted: true });
/** The display name of a sign-in. It is untrusted, because identity providers let people edit their own name. */
export const signInName = untrusted;
export type Origin = 'company' | 'caller';
/** The origins are in a registry of their own, because zod's `.meta()` would publish them in every JSON Schema. */
const origins = z.registry<{ origin: Origin }>();
/** Text of the company or of this software: names of employees and departments, codes, periods, ids without a format. */
export const companyText = z.string().register(origins, { origin: 'company' });
/** Text that only the caller can have written, such as their own tasks. */
export const callerText = z.string().register(origins, { origin: 'caller' });
/** The declared origin of a schema, also after `.describe`. */
export const originOf = (schema: unknown): Origin | undefined => origins.get(schema as z.ZodType)?.origin;

/** An enum that ignores case and accepts spaces or dashes for underscores. The schema publishes the given spelling. */
export function anyCase<const W extends readonly [string, ...string[]]>(words: W): z.ZodType<W[number], string> {
  const plain = (word: string) => word.toLowerCase().replace(/[\s-]/g, '_');
  const known = new Map(words.map((word) => [plain(word), word]));
  return z.preprocess(
    (given) => (typeof given === 'string' ? (known.get(plain(given)) ?? given) : given),
    z.enum(words),
  ) as unknown as z.ZodType<W[number], string>;
}

/** A UUID in lower case. `problem` is the message for anything else. */
export const idOf = (problem?: string) => z.uuid(problem).transform((id) => id.toLowerCase());
export const uuid = idOf();

/** Inputs whose value the audit log never contains. */
const sensitiveInputs = z.registry<{ sensitive: true }>();
export function sensitive<T extends z.ZodType>(schema: T): T {
  sensitiveInputs.add(schema, { sensitive: true });
  return schema;
}
/** Finds sensitive fields at any depth, also inside `.optional`, `.nullable`, `.default` and `.describe`. */
export function sensitiveFieldNames(schema: z.core.$ZodType): string[] {
  const names = new Set<string>();
  walkSchema(schema, (part, path) => {
    if (sensitiveInputs.get(part) !== undefined) names.add(lastName(path));
  });
  return [...names];
}
