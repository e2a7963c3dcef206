/** Validation messages for inputs. They replace zod's messages, which name types that people and LLMs do not know. */
import type { z } from 'zod';

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
  date: 'a date',
};
const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'an id such as 0a000000-0000-4000-8000-000000000001',
  guid: 'an id such as 0a000000-0000-4000-8000-000000000001',
  date: 'a date such as 2026-11-30',
  datetime: 'a time such as 2026-11-30T09:00:00Z',
  email: 'an e-mail address',
  url: 'an address such as https://example.com',
};
/** Numbers below 10,000 get no thousands separator, because they may be years. */
const amount = (n: number | bigint) => (n < 10_000 ? String(n) : n.toLocaleString('en-US'));

interface Bound {
  readonly n: number | bigint;
  readonly inclusive: boolean | undefined;
}
function size(origin: string, bound: 'at least' | 'at most', { n, inclusive = true }: Bound): string {
  if (origin === 'string') return `must have ${bound} ${amount(n)} ${Number(n) === 1 ? 'character' : 'characters'}`;
  if (origin === 'array') return `must have ${bound} ${amount(n)} ${Number(n) === 1 ? 'entry' : 'entries'}`;
  return `must be ${inclusive ? bound : bound === 'at least' ? 'more than' : 'less than'} ${amount(n)}`;
}

/** Each message begins with "must" or "is", because the name of the field precedes it. Messages of the schema's author take precedence. */
export function validationMessage(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${KINDS[issue.expected] ?? issue.expected}`;
    case 'too_big':
      return size(issue.origin, 'at most', { n: issue.maximum, inclusive: issue.inclusive });
    case 'too_small':
      return size(issue.origin, 'at least', { n: issue.minimum, inclusive: issue.inclusive });
    case 'invalid_format':
      return `must be ${FORMATS[issue.format] ?? 'written in another way; see its description'}`;
    case 'invalid_value':
      if (issue.input === undefined) return 'is required';
      return issue.values.length === 1 ? `must be ${String(issue.values[0])}` : `must be one of ${issue.values.map(String).join(', ')}`;
    case 'not_multiple_of':
      return issue.divisor < 1
        ? `must have at most ${Math.round(-Math.log10(issue.divisor))} decimals`
        : `must be a multiple of ${issue.divisor}`;
    case 'custom':
    case 'invalid_element':
    case 'invalid_key':
    case 'invalid_union':
    case 'unrecognized_keys':
    default:
      return 'is not valid';
  }
}
