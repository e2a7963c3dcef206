/** Validates the input of a call: maps aliases and camelCase keys to the published keys, then parses strictly. */
import { z } from 'zod';
import { textFor } from '../declare/company.ts';
import { snakeCase } from '../declare/display.ts';
import { failure } from '../declare/errors.ts';
import type { Person } from '../declare/people.ts';
import type { Input, Tool } from '../declare/tool.ts';
import { validationMessage } from './validation-messages.ts';

export const quoted = (key: string) => JSON.stringify(key.length > 60 ? `${key.slice(0, 60)}…` : key);
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The input with the published keys, not validated. */
export function publishedInput(tool: Tool, raw: unknown, person: Person): Readonly<Record<string, unknown>> {
  const given = raw === undefined || raw === null ? {} : raw;
  if (!isRecord(given)) throw failure('VALIDATION_ERROR', 'The input must be a JSON object.');
  const own = tool.domain.pinned ? withoutPinned(given, tool, person) : given;
  return withPublishedKeys(own, tool.input, tool.inputAliases) as Readonly<Record<string, unknown>>;
}

export const parseInput = (tool: Tool, raw: unknown, person: Person): Input => parsePublished(tool, publishedInput(tool, raw, person));

export function parsePublished(tool: Tool, plain: Readonly<Record<string, unknown>>): Input {
  const parsed = tool.input.safeParse(plain, { error: validationMessage });
  if (parsed.success) return parsed.data;
  // Reports only the first issue of each field, because later ones often follow from it.
  const found = parsed.error.issues.flatMap(issuesOf);
  const firsts = [...new Map(found.toReversed().map((issue) => [issue.path.join('.'), issue])).values()].toReversed();
  const issues = firsts.slice(0, 10).map((issue) => {
    const { path, message } = describeIssue(issue, plain, Object.keys(tool.input.shape));
    return { path, message: textFor(message, tool.company) };
  });
  throw failure('VALIDATION_ERROR', [...new Set(issues.map(({ message }) => message))].join('; '), { issues });
}

function withPublishedKeys(value: unknown, schema: unknown, aliases: Readonly<Record<string, string>>): unknown {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault || inner instanceof z.ZodNullable) inner = inner.unwrap();
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    const { element } = inner;
    return value.map((each) => withPublishedKeys(each, element, {}));
  }
  if (!(inner instanceof z.ZodObject) || !isRecord(value)) return value;
  const { shape } = inner;
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const name = publishedName(key, shape, aliases);
    if (Object.hasOwn(out, name)) throw failure('VALIDATION_ERROR', `${quoted(name)} is given twice, also as ${quoted(key)}.`);
    out[name] = withPublishedKeys(value[key], shape[name], {});
  }
  return out;
}

function publishedName(key: string, shape: object, aliases: Readonly<Record<string, string>>): string {
  if (Object.hasOwn(shape, key)) return key;
  const name = snakeCase(key);
  return (
    (Object.hasOwn(aliases, key) && aliases[key]) ||
    (Object.hasOwn(aliases, name) && aliases[name]) ||
    (Object.hasOwn(shape, name) ? name : key)
  );
}

/** Removes pinned keys, with which a caller may repeat their own identity. Refuses the identity of another person. */
function withoutPinned(raw: Readonly<Record<string, unknown>>, tool: Tool, person: Person): Record<string, unknown> {
  const left = { ...raw };
  for (const [pinned, own] of Object.entries(tool.domain.pinned ?? {})) {
    for (const key of Object.keys(left).filter((each) => snakeCase(each) === pinned)) {
      if (typeof left[key] !== 'string' || !own(person).includes(left[key])) throw failure('USER_MISMATCH', `${pinned} must be your own.`);
      delete left[key];
    }
  }
  return left;
}

/**
 * The issues of the option that the value was meant for: the first one that accepts its type, else the first one of all. An input with
 * several forms, such as one value or a list of values, thus gets the message of the form that the caller chose.
 */
function issuesOf(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue];
  const isOtherType = (issues: readonly z.core.$ZodIssue[]) =>
    issues.some(({ code, path }) => path.length === 0 && (code === 'invalid_type' || code === 'invalid_value'));
  const [first = []] = issue.errors;
  const meant = issue.errors.find((issues) => !isOtherType(issues)) ?? first;
  return meant.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })).flatMap(issuesOf);
}

/** Adds the name of the field to default messages. The messages of schema authors stay unchanged. */
function describeIssue(issue: z.core.$ZodIssue, given: unknown, known: readonly string[]): { path: string; message: string } {
  const path = issue.path.map(String).join('.').slice(0, 120);
  if (issue.code === 'unrecognized_keys') {
    const takes = path === '' ? ` (it takes ${known.length === 0 ? 'none' : known.join(', ')})` : '';
    return { path, message: `Unknown input: ${issue.keys.slice(0, 5).map(quoted).join(', ')}${takes}` };
  }
  // Replaces the "not found" message of an id schema, which is wrong for a missing id.
  const missing = issue.path.length === 1 && isRecord(given) && given[path] === undefined;
  if (missing && / not found\b|^Give /.test(issue.message)) return { path, message: `${path} is required` };
  if (/^(must|is) /.test(issue.message)) return { path, message: `${path || 'The input'} ${issue.message}` };
  return { path, message: issue.message.startsWith('Give ') && path ? `${path}: ${issue.message}` : issue.message };
}
