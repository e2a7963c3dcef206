/** Parses the Markdown that answers, articles and journey files use. Every function takes time linear in the length of its text. */

export type LineType = 'blank' | 'fence' | 'code' | 'heading' | 'bullet' | 'ordered' | 'table' | 'quote' | 'rule' | 'comment' | 'text';

const LINES: readonly (readonly [LineType, RegExp])[] = [
  ['blank', /^\s*$/],
  ['table', /^\s*\|/],
  ['heading', /^\s*#{1,6}(?:\s|$)/],
  ['rule', /^\s*-{3,}\s*$/],
  ['bullet', /^\s*[-*+•]\s/],
  ['ordered', /^\s*\d{1,9}[.)]\s/],
  ['quote', /^\s*>/],
  ['comment', /^\s*<!--/],
];
const FENCE = /^\s*(?:```|~~~)/;

/** Call the classifier with the lines of a text in order, because every line between two fences is code. */
export function createLineClassifier(): (line: string) => LineType {
  let fenced = false;
  return (line) => {
    if (FENCE.test(line)) {
      fenced = !fenced;
      return 'fence';
    }
    if (fenced) return 'code';
    return LINES.find(([, pattern]) => pattern.test(line))?.[0] ?? 'text';
  };
}

const MARKS: Partial<Record<LineType, RegExp>> = { heading: /^\s*#{1,6}\s*/, bullet: /^\s*[-*+•]\s+/, ordered: /^\s*\d{1,9}[.)]\s+/ };
/** The line without the mark that makes it a heading or a list item. */
export const withoutMark = (line: string, type: LineType): string => line.replace(MARKS[type] ?? '', '');

export type BlockType = 'paragraph' | 'bulletList' | 'orderedList' | 'table' | 'code';
export interface Block {
  readonly type: BlockType;
  readonly lines: readonly string[];
}
const BLOCKS: Partial<Record<LineType, BlockType>> = { bullet: 'bulletList', ordered: 'orderedList', table: 'table' };

/** An appended line changes only the last block or adds a block, so a renderer may keep all others. */
export function parseBlocks(text: string): Block[] {
  const blocks: { type: BlockType; lines: string[] }[] = [];
  const classify = createLineClassifier();
  let open: { type: BlockType; lines: string[] } | undefined;
  const begin = (type: BlockType) => {
    open = { type, lines: [] };
    blocks.push(open);
    return open;
  };
  for (const line of text.split('\n')) {
    const type = classify(line);
    if (type === 'code') open?.lines.push(line);
    else if (type === 'fence') open = open?.type === 'code' ? undefined : begin('code');
    else if (type === 'blank') open = undefined;
    else {
      const block = BLOCKS[type] ?? 'paragraph';
      (open?.type === block ? open : begin(block)).lines.push(line);
    }
  }
  return blocks;
}

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** For each column, whether all its values are numbers. */
  readonly numeric: readonly boolean[];
}

const CELL = /((?:\\.|[^\\|])*\\?)(?:\||$)/gsy;
const DELIMITER = /^:?-+:?$/;
const NUMBER = /^[-−+]?[$€£]?[\d,.]+\s?%?$/;

function parseRow(line: string): string[] {
  const row = line.trim().replace(/^\|/, '');
  const cells = [...row.matchAll(CELL)].map(([, cell = '']) => cell.trim());
  // A pipe at the end closes the last cell; it does not begin another.
  if (cells.length > 1 && cells.at(-1) === '') cells.pop();
  return cells;
}

export function parseTable(lines: readonly string[]): Table {
  const [head = [], ...rows] = lines.map(parseRow).filter((row) => !row.every((cell) => DELIMITER.test(cell)));
  const isNumeric = (at: number) => rows.length > 0 && rows.every((row) => NUMBER.test(row[at] ?? '') || (row[at] ?? '') === '');
  return { head, rows, numeric: head.map((_, at) => isNumeric(at)) };
}

/** Node names follow mdast. */
export type Inline =
  | { readonly type: 'text' | 'inlineCode'; readonly value: string }
  | { readonly type: 'strong'; readonly children: readonly Inline[] }
  | { readonly type: 'link' | 'image'; readonly value: string; readonly url: string };

export interface ParsedInline {
  readonly nodes: readonly Inline[];
  /** The position of the last space before which every mark is closed. Later text on this line cannot change what precedes it. */
  readonly lastBreak: number | undefined;
}

const PUNCTUATION = /[!-/:-@[-`{-~]/;
const unescaped = (text: string): string => text.replace(/\\([!-/:-@[-`{-~])/g, '$1');
const TARGET = /\]\(([^)\s]{0,1000})(?:\s{1,9}"[^"]{0,500}")?\)/y;

const code = (value: string): Inline => ({ type: 'inlineCode', value });
// The text between two marks does not contain the same mark. There are two marks, ** and __, so the recursion is at most two levels deep.
const strong = (inside: string): Inline => ({ type: 'strong', children: parseInline(inside).nodes });

/** Parses the marks in one line. A mark that is not closed on this line is text; HTML is always text. */
export function parseInline(line: string): ParsedInline {
  const nodes: Inline[] = [];
  let text = '';
  let at = 0;
  let unclosed = false;
  let lastBreak: number | undefined;
  /** The next position of each mark. Without this cache, a line with many unclosed marks would take quadratic time. */
  const nextPositions = new Map<string, number>();
  const find = (mark: string, from: number): number => {
    const known = nextPositions.get(mark);
    if (known !== undefined && (known < 0 || known >= from)) return known;
    const found = line.indexOf(mark, from);
    nextPositions.set(mark, found);
    return found;
  };
  const push = (node: Inline, end: number) => {
    if (text !== '') nodes.push({ type: 'text', value: text });
    nodes.push(node);
    text = '';
    at = end;
  };
  const closed = (mark: string, nodeOf: (inside: string) => Inline): boolean => {
    const start = at + mark.length;
    if (line[start] === line[at]) return false;
    const end = find(mark, start + 1);
    if (end < 0) unclosed = true;
    else push(nodeOf(line.slice(start, end)), end + mark.length);
    return end >= 0;
  };
  const linked = (): boolean => {
    const image = line[at] === '!';
    const start = at + (image ? 2 : 1);
    const end = find(']', start);
    const next = line[end + 1];
    if (end < 0 || next === undefined || (next === '(' && find(')', end) < 0)) {
      unclosed = true;
      return false;
    }
    TARGET.lastIndex = end;
    const target = TARGET.exec(line);
    if (target) push({ type: image ? 'image' : 'link', value: unescaped(line.slice(start, end)), url: target[1] ?? '' }, TARGET.lastIndex);
    return target !== null;
  };
  while (at < line.length) {
    const char = line[at] ?? '';
    if (char === '\\' && PUNCTUATION.test(line[at + 1] ?? '')) {
      text += line[at + 1];
      at += 2;
      continue;
    }
    if (char === '`' && closed('`', code)) continue;
    if ((char === '*' || char === '_') && line[at + 1] === char && closed(char + char, strong)) continue;
    if ((char === '[' || (char === '!' && line[at + 1] === '[')) && linked()) continue;
    if (char === ' ' && line[at - 1] !== ' ' && !unclosed) lastBreak = at;
    text += char;
    at++;
  }
  if (text !== '') nodes.push({ type: 'text', value: text });
  return { nodes, lastBreak };
}
