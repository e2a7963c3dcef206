/** Parses JSON from untrusted senders: bounded in depth and size, without duplicate or dangerous keys. */
import { type Failure, failure } from '../declare/errors.ts';

export const JSON_LIMITS = { depth: 32, keys: 2_000, items: 10_000, stringBytes: 64 * 1024 } as const;

export interface JsonRules {
  /**
   * JSON.parse silently keeps the last of two equal keys. `refuse` is for MCP messages, decisions and executions, where it
   * must be clear which value the sender meant.
   */
  readonly duplicates: 'refuse' | 'allow';
  /** The most bytes of a string, if they differ from the limit for callers. */
  readonly stringBytes?: number | undefined;
  /** False for a body that the gateway has parsed and signed: the tool validates it, so that a refusal is in the audit log. */
  readonly checked?: boolean | undefined;
}

const POISONED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const LONE_SURROGATE = /\p{Cs}/u;

const refuse = (message: string): Failure => failure('VALIDATION_ERROR', message);

/** Returns a bounded, well-formed value with finite numbers and safe keys, so that later layers need not check this again. */
export function parseJson(text: string, { duplicates, stringBytes = JSON_LIMITS.stringBytes, checked = true }: JsonRules): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refuse(text === '' ? 'The body is empty; send JSON.' : 'The body is not valid JSON.');
  }
  if (!checked) return value;
  // In decoded UTF-8, NUL and lone surrogates can only come from an escape, so most bodies skip the search for them.
  const walk: Walk = { keys: 0, items: 0, escapes: text.includes('\\u'), stringBytes };
  check(value, 0, walk);
  // Each member has one colon. If the numbers of colons and keys are equal, no key is duplicated and the slower count is not needed.
  if (duplicates === 'refuse' && countColons(text) !== walk.keys && countMembers(text) !== walk.keys)
    throw refuse('An object in the body names the same key twice.');
  return value;
}

interface Walk {
  keys: number;
  /** The sum over all lists. */
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
  // A UTF-16 unit takes at most three bytes in UTF-8, so only long strings need to be measured.
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

/** Counts the members in the text by their colons outside of strings. More members than keys means duplicates. */
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
