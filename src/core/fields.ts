/** The kinds of field that tools share, and what is known of them beside their schema. */
import { z } from 'zod';

export const HIDDEN = '*** (Hidden)';
export type Hidden = typeof HIDDEN;

/** An amount that someone gives: plain decimals, cents at most. */
export const money = z.number().nonnegative().multipleOf(0.01, 'An amount has at most two decimals').meta({ unit: 'USD' });
/** An amount that the database gives. */
export const amount = z.number().meta({ unit: 'USD' });

export const day = z.iso.date('Give a date as YYYY-MM-DD');
/** Formats that the database guarantees are published, not checked again on every row. */
export const storedDay = z.string().meta({ format: 'date' });
export const storedTime = z.string().meta({ format: 'date-time' });
export const storedId = z.string().meta({ format: 'uuid' });
export const storedEmail = z.string().meta({ format: 'email' });

/** Control, bidirectional and invisible characters have no place in names and ids: a card must show what will happen. */
const UNSEEN = /[\p{Cc}\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u;
const UNSEEN_BUT_LINES = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;
/** One line of plain text: a name, a label, a search word. */
export const line = (max: number, tooLong?: string) =>
  z.string().max(max, tooLong).refine((text) => !UNSEEN.test(text), 'Invisible or control characters are not allowed here');
/** Free text that people write to each other. */
export const prose = (max: number, tooLong?: string) => readable(z.string().max(max, tooLong));
/** The same for a text with rules of its own. */
export const readable = (text: z.ZodString) => text.refine((given) => !UNSEEN_BUT_LINES.test(given), 'Control and direction characters are not allowed here');

/** Ids are compared as one kind: lower case, no braces. */
export const uuid = z.uuid().transform((id) => id.toLowerCase());

/** Which mask covers a schema. Our own registry: zod's `.meta()` would publish it in every JSON Schema. */
export const masks = z.registry<{ mask: string }>();

/** A field that leaves the database as its value, or as NULL where the caller may not see it; then it reads `*** (Hidden)`. */
export function masked<T extends z.core.$ZodType>(mask: string, schema: T) {
  const either = z.union([schema, z.literal(HIDDEN)]);
  masks.add(either, { mask });
  return either;
}

/** The masked fields of an answer, or of the rows of a list. */
export function maskedFieldNames(schema: z.ZodType): string[] {
  const shape = schema instanceof z.ZodArray ? schema.element : schema;
  if (!(shape instanceof z.ZodObject)) return [];
  return Object.entries(shape.shape).filter(([, field]) => masks.has(field as z.ZodType)).map(([name]) => name);
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
  return (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) && isSensitive(schema.unwrap() as z.ZodType);
}

/** `manager_id` reads "Manager id". */
export const inWords = (field: string): string => {
  const words = field.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};
