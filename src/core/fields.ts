/** The kinds of field that tools share, and what is known of them beside their schema. */
import { z } from 'zod';
import { HIDDEN } from './display.ts';

export { HIDDEN, labelFor as inWords } from './display.ts';
export type Hidden = typeof HIDDEN;

/** An amount that someone gives: plain decimals, cents at most. */
const AT_MOST_CENTS = 'An amount has at most two decimals';
export const money = z
  .number()
  .nonnegative()
  .multipleOf(0.01, AT_MOST_CENTS)
  // The library forgives a small rest, such as that of 0.1 + 0.2; a card would show it and the database would not keep it.
  .refine((given) => Math.round(given * 100) / 100 === given, AT_MOST_CENTS)
  .meta({ unit: 'USD' });
/** An amount that the database gives. */
export const amount = z.number().meta({ unit: 'USD' });

const GIVE_A_DAY = 'Give a date as YYYY-MM-DD';
/** The year before 1 has another name in the database. */
export const day = z.iso.date(GIVE_A_DAY).refine((text) => text >= '0001', GIVE_A_DAY);
/** Formats that the database guarantees are published, not checked again on every row. */
export const storedDay = z.string().meta({ format: 'date' });
export const storedTime = z.string().meta({ format: 'date-time' });
export const storedId = z.string().meta({ format: 'uuid' });
export const storedEmail = z.string().meta({ format: 'email' });

/** Control, bidirectional and invisible characters have no place in names and ids: a card must show what will happen. */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\uffa0\u{e0000}-\u{e007f}\u{e0100}-\u{e01ef}]/u;
const UNSEEN_BUT_LINES = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;
/** The same for taking them out of a text. */
export const unseen: Readonly<RegExp> = new RegExp(UNSEEN, 'gu');
/** One line of plain text: a name, a label, a search word. */
export const line = (max: number, tooLong?: string) =>
  z
    .string()
    .max(max, tooLong)
    .refine((text) => !UNSEEN.test(text), 'Invisible or control characters are not allowed here');
/** Free text that people write to each other. */
export const prose = (max: number, tooLong?: string) => readable(z.string().max(max, tooLong));
/** The same for a text with rules of its own. */
export const readable = (text: z.ZodString) =>
  text.refine((given) => !UNSEEN_BUT_LINES.test(given), 'Control and direction characters are not allowed here');

/**
 * Every free-text field of an answer declares where its text comes from, with one of these three.
 * `untrusted`: another person, or the outside, can have written it. The schema publishes it, and an assistant that has read any asks
 * before it acts.
 */
export const untrusted = z.string().meta({ untrusted: true });
/** The same for a value of any type. */
export const untrustedValue = z.unknown().meta({ untrusted: true });
/** The name that somebody signed in with. Identity providers let people edit their own. */
export const signInName = untrusted;
export type Origin = 'company' | 'caller';
/** Our own registry: zod's `.meta()` would publish it in every JSON Schema. */
const origins = z.registry<{ origin: Origin }>();
/** Text that the company keeps or this software makes: names of employees and departments, codes, periods, ids without a format. */
export const companyText = z.string().register(origins, { origin: 'company' });
/** Text that only the caller can have written: their own tasks, what they have just sent. */
export const callerText = z.string().register(origins, { origin: 'caller' });
/** The declared origin of a schema, also when it was described afterwards. */
export const originOf = (schema: unknown): Origin | undefined => origins.get(schema as z.ZodType)?.origin;

/** One of these words, in whatever case and with spaces for underscores; published as it is spelled here. */
export function anyCase<const W extends readonly [string, ...string[]]>(words: W): z.ZodType<W[number], string> {
  const plain = (word: string) => word.toLowerCase().replace(/[\s-]/g, '_');
  const known = new Map(words.map((word) => [plain(word), word]));
  return z.preprocess(
    (given) => (typeof given === 'string' ? (known.get(plain(given)) ?? given) : given),
    z.enum(words),
  ) as unknown as z.ZodType<W[number], string>;
}

/** Ids are compared as one kind: lower case, no braces. `problem` says what is wrong with anything else. */
export const idOf = (problem?: string) => z.uuid(problem).transform((id) => id.toLowerCase());
export const uuid = idOf();

/** Which mask covers a schema. Our own registry: zod's `.meta()` would publish it in every JSON Schema. */
export const masks = z.registry<{ mask: string }>();

/** A field that leaves the database as its value, or as NULL where the caller may not see it; then it reads `*** (Hidden)`. */
export function masked<T extends z.core.$ZodType>(mask: string, schema: T) {
  const either = z.union([schema, z.literal(HIDDEN)]);
  masks.add(either, { mask });
  return either;
}

/** The mask over a schema, also when it was described after it was masked: a value must not slip out by the order of two words. */
export const maskOf = (schema: unknown): string | undefined => masks.get(schema as z.ZodType)?.mask;

/** The masked fields of an answer, or of the rows of a list. */
export function maskedFieldNames(schema: z.ZodType): string[] {
  const shape = schema instanceof z.ZodArray ? schema.element : schema;
  if (!(shape instanceof z.ZodObject)) return [];
  return Object.entries(shape.shape)
    .filter(([, field]) => maskOf(field) !== undefined)
    .map(([name]) => name);
}

/** Input fields whose value never reaches the trail. */
const sensitiveInputs = z.registry<{ sensitive: true }>();
export function sensitive<T extends z.ZodType>(schema: T): T {
  sensitiveInputs.add(schema, { sensitive: true });
  return schema;
}
/** Also when it was made optional, or described, after it was marked: a secret must not slip into the trail by the order of two words. */
export function isSensitive(schema: z.ZodType): boolean {
  if (sensitiveInputs.get(schema) !== undefined) return true;
  return (
    (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) &&
    isSensitive(schema.unwrap() as z.ZodType)
  );
}
