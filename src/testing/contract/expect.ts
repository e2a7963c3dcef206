/** Assertions of the contract suite. Each error names the tool, the person, and the expected and received value. */
import { isDeepStrictEqual } from 'node:util';

const MOST = 300;
export const inShort = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text;
};

export function ensure(holds: boolean, sentence: string): asserts holds {
  if (!holds) throw new Error(sentence);
}

export function ensureEqual(found: unknown, expected: unknown, subject: string): void {
  if (!isDeepStrictEqual(found, expected)) throw new Error(`${subject}: expected ${inShort(expected)}, but got ${inShort(found)}.`);
}

const LISTED = 8;
/** Reports several problems at once, so that an author can correct all of them. */
export function ensureNone(problems: readonly string[]): void {
  if (problems.length === 0) return;
  const more = problems.length > LISTED ? [`… and ${problems.length - LISTED} more.`] : [];
  throw new Error([...problems.slice(0, LISTED), ...more].join('\n'));
}
