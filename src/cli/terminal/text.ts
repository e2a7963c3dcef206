/** Terminal text: display width, wrapping, and escaping of control characters. */
import { seen } from '../../identity/web/html.ts';

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches the ANSI codes of style.ts
const COLOUR = /\u001b\[\d+m/g;

/** The display width in columns. Colour codes have no width. */
export function widthOf(text: string): number {
  const bare = text.includes('\u001b') ? text.replace(COLOUR, '') : text;
  let width = 0;
  for (const character of bare) width += /\p{M}/u.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

export const padEnd = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));
export const padStart = (text: string, width: number): string => ' '.repeat(Math.max(0, width - widthOf(text))) + text;

/** Shows text from data on one line. Control and direction characters become code points, so that they cannot control the terminal. */
export const safe = (text: string): string => seen(text.replace(/\r\n|\r|\n|\t/g, ' '));

export const safeLines = (text: string): string[] => text.split(/\r\n|\r|\n/).map(safe);

/** Wraps at spaces. Long words stay whole, so that URLs can be copied. */
export function wrap(text: string, width: number): string[] {
  if (!Number.isFinite(width)) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/ +/)) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

export const indent = (lines: readonly string[], by: number): string[] => lines.map((line) => (line === '' ? '' : ' '.repeat(by) + line));

export const count = (n: number, what: string, several = `${what}s`): string => `${grouped(n)} ${n === 1 ? what : several}`;

const numbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 20 });
export const grouped = (n: number): string => numbers.format(n);

export const duration = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
