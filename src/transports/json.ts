import { type Failure, failure } from '../core/errors.ts';

export const JSON_LIMITS = { depth: 32, keys: 2_000, items: 10_000, stringBytes: 64 * 1024 } as const;

export interface JsonRules {
  /** JSON.parse silently keeps the last of two equal keys; where a decision hangs on one value, both are refused. */
  readonly duplicates: 'refuse' | 'allow';
  /** How long one text may be, where it is not as long as a caller's. */
  readonly stringBytes?: number | undefined;
  /**
   * False where another process of ours has read it before and signed for it: whatever it says is for the tool to judge, and for the
   * trail.
   */
  readonly checked?: boolean | undefined;
}

const POISONED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const LONE_SURROGATE = /\p{Cs}/u;

const refuse = (message: string): Failure => failure('VALIDATION_ERROR', message);

/** JSON text to a value that every layer behind can take as it is: bounded, finite, well-formed, without surprises in its keys. */
export function parseJson(text: string, { duplicates, stringBytes = JSON_LIMITS.stringBytes, checked = true }: JsonRules): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refuse(text === '' ? 'The body is empty; send JSON.' : 'The body is not valid JSON.');
  }
  if (!checked) return value;
  // In decoded text NUL and lone surrogates can only have come from an escape, so most bodies skip that search.
  const walk: Walk = { keys: 0, items: 0, escapes: text.includes('\\u'), stringBytes };
  check(value, 0, walk);
  // There is a colon for each member: where there are no more of them, nothing is named twice, and strings need not be told apart.
  if (duplicates === 'refuse' && countColons(text) !== walk.keys && countMembers(text) !== walk.keys)
    throw refuse('An object in the body names the same key twice.');
  return value;
}

interface Walk {
  keys: number;
  /** Of all lists together. */
  items: number;
  readonly escapes: boolean;
  readonly stringBytes: number;
}

function check(value: unknown, depth: number, walk: Walk): void {
  if (typeof value === 'string') return checkString(value, walk);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw refuse('A number in the body is too large.');
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth === JSON_LIMITS.depth) throw refuse(`The body is nested more than ${JSON_LIMITS.depth} levels deep.`);
  if (Array.isArray(value)) {
    walk.items += value.length;
    if (walk.items > JSON_LIMITS.items) throw refuse(`The lists in the body have more than ${JSON_LIMITS.items} items.`);
    for (const item of value) check(item, depth + 1, walk);
    return;
  }
  const object = value as Record<string, unknown>;
  for (const key in object) {
    if (++walk.keys > JSON_LIMITS.keys) throw refuse(`The body has more than ${JSON_LIMITS.keys} keys.`);
    if (POISONED.has(key)) throw refuse(`The key ${key} is not allowed.`);
    checkString(key, walk);
    check(object[key], depth + 1, walk);
  }
}

function checkString(value: string, { escapes, stringBytes }: Walk): void {
  // A UTF-16 unit takes at most three bytes: only long strings need to be measured.
  if (value.length * 3 > stringBytes && Buffer.byteLength(value) > stringBytes) {
    throw refuse(`A text in the body is longer than ${stringBytes / 1024} kB.`);
  }
  if (!escapes) return;
  if (value.includes('\0')) throw refuse('A text in the body contains a NUL character.');
  if (LONE_SURROGATE.test(value)) throw refuse('A text in the body contains half of a character (a lone surrogate).');
}

function countColons(text: string): number {
  let colons = 0;
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) colons++;
  return colons;
}

/** How many members the text spells out: one colon outside of strings for each. More than the value has keys means duplicates. */
function countMembers(text: string): number {
  let members = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0x22) inString = !inString;
    else if (inString) {
      if (unit === 0x5c) i++;
    } else if (unit === 0x3a) members++;
  }
  return members;
}
