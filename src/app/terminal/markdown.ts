/** An answer as it grows: words as they come, wrapped to the terminal; a table once it is complete, as wide as there is room. */
import type { Look } from './data.ts';
import { type Column, pairs, table, widthOfTable } from './table.ts';
import { indent, safe, widthOf } from './text.ts';

export interface AnswerPrinter {
  text(piece: string): void;
  /** Whatever was held back is written, and the line ended. */
  end(): void;
}

export function createAnswerPrinter(write: (text: string) => void, look: Look): AnswerPrinter {
  const { style, width } = look;
  let held = '';
  let column = 0;
  /** What the present line turned out to be, once its first characters are there. */
  let kind: 'unknown' | 'words' | 'row' | 'heading' = 'unknown';
  let bold = false;
  let rows: string[] = [];

  const newLine = () => {
    write('\n');
    column = 0;
  };
  const flushTable = () => {
    if (rows.length === 0) return;
    write(`${indent(tableLines(rows, look), 2).join('\n')}\n`);
    rows = [];
  };
  /** A word with the spaces before it. */
  const word = (text: string) => {
    const spaces = /^ */.exec(text)?.[0] ?? '';
    const shown = unmarked(text.slice(spaces.length));
    if (shown === '') return;
    if (column > 0 && column + spaces.length + widthOf(shown) > width) newLine();
    const before = column === 0 ? (column === 0 && spaces.length > 1 ? spaces : '') : spaces;
    write(before + shown);
    column += before.length + widthOf(shown);
  };
  /** Marks for bold and code are not for a terminal's eyes. */
  const unmarked = (text: string): string => {
    const parts = text.split('**');
    const painted = parts.map((part, n) => {
      if (n > 0) bold = !bold;
      const plain = safe(part.replaceAll('`', ''));
      return bold || kind === 'heading' ? style.bold(plain) : plain;
    });
    return painted.join('');
  };
  const begin = () => {
    const first = /\S/.exec(held)?.[0];
    if (first === undefined) return;
    if (first === '|') kind = 'row';
    else {
      flushTable();
      const heading = /^\s*#{1,6}(\s+|$)/.exec(held);
      if (first === '#' && !heading && !/\s/.test(held.trimStart())) return;
      kind = heading ? 'heading' : 'words';
      if (heading) held = held.slice(heading[0].length);
    }
  };
  const endOfLine = () => {
    if (kind === 'row') rows.push(held.trim());
    else if (kind === 'unknown' && held.trim() === '') {
      if (rows.length > 0) flushTable();
      newLine();
    } else {
      word(held);
      newLine();
    }
    held = '';
    kind = 'unknown';
    bold = false;
  };
  const soFar = () => {
    if (kind === 'unknown') begin();
    if (kind !== 'words' && kind !== 'heading') return;
    // All but the last word, which may go on in the next piece.
    for (let end = held.search(/\S\s/); end >= 0; end = held.search(/\S\s/)) {
      word(held.slice(0, end + 1));
      held = held.slice(end + 1);
    }
  };
  return {
    text(piece) {
      const lines = piece.replaceAll('\r', '').split('\n');
      for (const [n, line] of lines.entries()) {
        if (n > 0) endOfLine();
        held += line;
        soFar();
      }
    },
    end() {
      if (held !== '' || column > 0) endOfLine();
      flushTable();
    },
  };
}

const cellsOf = (row: string) =>
  row
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => safe(cell.replaceAll('\\|', '|').replaceAll('**', '').replaceAll('`', '').trim()));
const RULE = /^\|?[\s:|-]+\|?$/;
const NUMBER = /^[-+$€£]?[\d,.]+\s?%?$/;

/** Under each other where there is room, else one record after the other. */
export function tableLines(rows: readonly string[], { style, width }: Look): string[] {
  const [head = [], ...body] = rows.filter((row) => !RULE.test(row)).map(cellsOf);
  const columns = head.map(
    (heading, n): Column => ({
      heading,
      right: body.length > 0 && body.every((row) => (row[n] ?? '') === '' || NUMBER.test(row[n] ?? '')),
    }),
  );
  if (widthOfTable(columns, body) <= width - 2) return table(columns, body, style);
  return body.flatMap((row, n) => [
    ...(n > 0 ? [''] : []),
    ...pairs(
      row.map((cell, at) => [head[at] ?? '', cell] as const),
      style,
    ),
  ]);
}
