/** Prepares tool answers for an LLM: removes invisible characters, truncates, and encloses the text in a random marker. */
import { randomBytes } from 'node:crypto';
import type { Answer } from '../declare/answer.ts';
import { unseen } from '../declare/fields.ts';

export const createMarker = (): string => randomBytes(9).toString('base64url');

export const byteLength = (text: string): number => Buffer.byteLength(text);

/** Removes characters that people do not see but an LLM reads. */
export const stripInvisible = (text: string): string =>
  text.replace(unseen, (character) => (character === '\n' || character === '\t' ? character : ''));

/** Keeps as many of the first rows as fit. An answer that is not a list is truncated as text. */
export function truncateAnswer(answer: Answer, bytes: number): { readonly answer: Answer; readonly text: string; readonly left: number } {
  const text = JSON.stringify(answer);
  if (byteLength(text) <= bytes) return { answer, text, left: 0 };
  if (answer.status !== 'success' || !Array.isArray(answer.data)) {
    const end = `${Buffer.from(text)
      .subarray(0, bytes)
      .toString()
      .replace(/\ufffd+$/, '')}…`;
    return { answer: answer.status === 'success' ? { ...answer, data: null } : answer, text: end, left: 1 };
  }
  const rows: readonly unknown[] = answer.data;
  let used = byteLength(JSON.stringify({ ...answer, data: [] }));
  let kept = 0;
  for (const row of rows) {
    used += byteLength(JSON.stringify(row)) + 1;
    if (used > bytes) break;
    kept += 1;
  }
  const less = { ...answer, data: rows.slice(0, kept) };
  return { answer: less, text: JSON.stringify(less), left: rows.length - kept };
}

/** Encloses the answer between two random markers. The marker is removed from the text, so a record cannot end the fence. */
export function fenceAnswer(answer: Answer, marker: string, bytes: number): string {
  const { text, left } = truncateAnswer(answer, bytes);
  const note =
    left === 0
      ? ''
      : `\nOnly a part of this result fits here: ${left === 1 ? 'its rest is' : `${left} rows are`} left out. Say ` +
        'that you did not read all of it.';
  return `data ${marker} begins\n${stripInvisible(text).replaceAll(marker, '')}\ndata ${marker} ends${note}`;
}
