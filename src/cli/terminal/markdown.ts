/** Prints streamed Markdown to the terminal: text word by word, and each table when it is complete. */
import { createLineClassifier, type Inline, type LineType, parseInline, parseTable, withoutMark } from '../../declare/markdown.ts';
import type { Look } from './data.ts';
import { pairs, table, widthOfTable } from './table.ts';
import { indent, safe, widthOf } from './text.ts';

export interface AnswerPrinter {
  text(piece: string): void;
  end(): void;
}

interface Run {
  readonly text: string;
  readonly bold: boolean;
}

function runsOf(nodes: readonly Inline[], bold = false): Run[] {
  return nodes.flatMap((node): Run[] => {
    if (node.type === 'strong') return runsOf(node.children, true);
    return [{ text: 'url' in node ? `${node.value} (${node.url})` : node.value, bold }];
  });
}

/** The start of a line that may become a heading or a code fence. */
const UNDECIDED = /^\s*(?:#{0,6}|`{1,2}|~{1,2})$/;
/** An unclosed mark is printed as text after this many characters. */
const MOST_HELD = 500;

export function createAnswerPrinter(write: (text: string) => void, look: Look): AnswerPrinter {
  const { style, width } = look;
  const classify = createLineClassifier();
  let held = '';
  let column = 0;
  let type: LineType | undefined;
  let rows: string[] = [];

  const newLine = () => {
    write('\n');
    column = 0;
  };
  const flushTable = () => {
    if (rows.length > 0) write(`${indent(tableLines(rows, look), 2).join('\n')}\n`);
    rows = [];
  };
  const printWord = (spaces: string, runs: readonly Run[]) => {
    const shown = runs.map(({ text, bold }) => (bold ? style.bold(safe(text)) : safe(text))).join('');
    if (column > 0 && column + spaces.length + widthOf(shown) > width) newLine();
    const before = column > 0 || spaces.length > 1 ? spaces : '';
    write(before + shown);
    column += before.length + widthOf(shown);
  };
  const print = (text: string) => {
    const runs = type === 'code' ? [{ text, bold: false }] : runsOf(parseInline(text).nodes, type === 'heading');
    let spaces = '';
    let word: Run[] = [];
    const endWord = () => {
      if (word.length === 0) return;
      printWord(spaces, word);
      spaces = '';
      word = [];
    };
    for (const { text: run, bold } of runs) {
      for (const part of run.split(/( +)/)) {
        if (part.startsWith(' ')) {
          endWord();
          spaces += part;
        } else if (part !== '') word.push({ text: part, bold });
      }
    }
    endWord();
  };
  const beginLine = () => {
    type = classify(held);
    if (type !== 'table') flushTable();
    if (type === 'heading') held = withoutMark(held, type);
  };
  const endLine = () => {
    if (type === undefined) beginLine();
    if (type === 'table') rows.push(held);
    else {
      if (type !== 'fence') print(held);
      newLine();
    }
    held = '';
    type = undefined;
  };
  /** Prints all but the last word, which the next piece may continue. */
  const printSettled = () => {
    if (type === undefined && !UNDECIDED.test(held)) beginLine();
    if (type === undefined || type === 'table' || type === 'fence' || type === 'code') return;
    const end = held.length > MOST_HELD ? held.lastIndexOf(' ') : (parseInline(held).lastBreak ?? 0);
    print(held.slice(0, end));
    held = held.slice(end);
  };
  return {
    text(piece) {
      for (const [n, line] of piece.replaceAll('\r', '').replaceAll('\t', ' ').split('\n').entries()) {
        if (n > 0) endLine();
        held += line;
        // A long word is parsed once, at the next space, and not again for each piece.
        if (line.includes(' ')) printSettled();
      }
    },
    end() {
      if (held !== '' || column > 0) endLine();
      flushTable();
    },
  };
}

const plainText = (cell: string): string =>
  safe(
    runsOf(parseInline(cell).nodes)
      .map(({ text }) => text)
      .join(''),
  );

/** A table that is wider than the terminal becomes a list of records. */
export function tableLines(lines: readonly string[], { style, width }: Look): string[] {
  const { head, rows, numeric } = parseTable(lines);
  const headings = head.map(plainText);
  const body = rows.map((row) => row.map(plainText));
  const columns = headings.map((heading, n) => ({ heading, right: numeric[n] ?? false }));
  if (widthOfTable(columns, body) <= width - 2) return table(columns, body, style);
  return body.flatMap((row, n) => [
    ...(n > 0 ? [''] : []),
    ...pairs(
      row.map((cell, at) => [headings[at] ?? '', cell] as const),
      style,
    ),
  ]);
}
