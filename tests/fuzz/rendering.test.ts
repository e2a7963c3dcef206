/** Fuzz tests of rendering hostile text: CSV contains no formula, and Markdown produces no HTML and no terminal escape sequence. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { createAnswerPrinter, tableLines } from '../../src/cli/terminal/markdown.ts';
import { styleOf } from '../../src/cli/terminal/style.ts';
import { safe } from '../../src/cli/terminal/text.ts';
import { csv } from '../../web/lib/csv.ts';
import { fuzz, hostileText } from './fuzz.ts';

interface Cell {
  readonly text: string;
  readonly quoted: boolean;
}

/** An independent RFC 4180 parser, which throws on malformed CSV. */
function parseCsv(text: string): Cell[][] {
  const separator = ',';
  const rows: Cell[][] = [[]];
  let at = 0;
  for (;;) {
    let field = '';
    const quoted = text[at] === '"';
    if (quoted) {
      for (at++; ; at++) {
        if (at >= text.length) throw new Error('a quoted field has no end');
        if (text[at] !== '"') field += text[at];
        else if (text[at + 1] === '"') field += text[at++];
        else break;
      }
      at++;
      if (at < text.length && text[at] !== separator && text[at] !== '\r') throw new Error(`text after a quoted field at ${at}`);
    } else {
      while (at < text.length && text[at] !== separator && text[at] !== '\r' && text[at] !== '\n') {
        if (text[at] === '"') throw new Error(`a quote within a bare field at ${at}`);
        field += text[at++];
      }
    }
    rows.at(-1)?.push({ text: field, quoted });
    if (at >= text.length) return rows;
    if (text[at] === separator) at++;
    else if (text.startsWith('\r\n', at)) {
      at += 2;
      rows.push([]);
    } else throw new Error(`a bare line end at ${at}`);
  }
}

/** Matches what a spreadsheet treats as a formula, including full-width signs. */
const FORMULA = /^[\s\u0000]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
const NUMBER = /^-?\d+(\.\d+)?(e[+-]\d+)?$/;
const asText = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value as string);
const csvValue = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  { weight: 1, arbitrary: fc.constantFrom('a;=1+1', 'a\t=1+1', ';', '\n=1', ' =1', '=1', '\uff1d1', 'x"y', '', '-1', '-1e5', '+1') },
  { weight: 1, arbitrary: fc.constantFrom(null, undefined, 0, -0, -12.5, 1e21, true, { a: '=1' }, ['@']) },
);
const table = fc
  .integer({ min: 2, max: 5 })
  .chain((width) => fc.array(fc.array(csvValue, { minLength: width, maxLength: width }), { maxLength: 5 }));

fuzz('CSV parses back to what was written, and no cell is a formula', {
  input: table,
  runs: 700,
  holds(rows) {
    const width = rows[0]?.length ?? 2;
    const columns = Array.from({ length: width }, (_, n) => `column ${n}`);
    const parsed = parseCsv(csv(columns, rows));
    expect(parsed.length).toBe(rows.length + 1);
    for (const [n, row] of rows.entries()) {
      const cells = parsed[n + 1] ?? [];
      expect(cells.length).toBe(width);
      for (const [at, value] of row.entries()) {
        const { text: cell = '', quoted } = cells[at] ?? {};
        const text = asText(value);
        expect(typeof value === 'number' ? [text] : [text, `'${text}`]).toContain(cell);
        if (!NUMBER.test(cell)) expect(cell).not.toMatch(FORMULA);
        // Without quotes, a spreadsheet with another separator would show two cells.
        if (/[;\t]/.test(text)) expect([text, quoted]).toEqual([text, true]);
      }
    }
  },
});

/** Characters that control a terminal or the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for control characters
const STEERS =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]|[\u{e0000}-\u{e007f}]/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the colour codes that the command prints
const COLOURS = /\u001b\[(?:1|2|22|31|32|33|36|39)m/g;
const pieces = fc.array(
  fc.oneof({ weight: 3, arbitrary: hostileText }, { weight: 1, arbitrary: fc.constantFrom('\n', ' ', '| a | ', 'word ') }),
  {
    maxLength: 12,
  },
);

fuzz('an answer on the terminal contains no control characters', {
  input: fc.record({ pieces, width: fc.constantFrom(1, 20, 80, Number.POSITIVE_INFINITY), colour: fc.boolean() }),
  runs: 1_500,
  holds({ pieces: all, width, colour }) {
    const look = { style: styleOf(colour), width } as Parameters<typeof createAnswerPrinter>[1];
    let shown = '';
    const printer = createAnswerPrinter((text) => {
      shown += text;
    }, look);
    for (const piece of all) printer.text(piece);
    printer.end();
    expect(colour ? shown.replace(COLOURS, '') : shown).not.toMatch(STEERS);
    expect(tableLines(all, { ...look, style: styleOf(false) }).join('\n')).not.toMatch(STEERS);
    expect(safe(all.join(''))).not.toMatch(STEERS);
  },
});

Object.assign(globalThis, { location: { origin: 'http://localhost:3100' } });
// Imported dynamically, because React's types would redefine DOM types for all other tests.
const [react, reactDom, prose] = ['react', 'react-dom/server', new URL('../../web/components/prose.tsx', import.meta.url).href];
const { createElement } = (await import(/* @vite-ignore */ String(react))) as {
  createElement(component: unknown, properties: object): object;
};
const { renderToStaticMarkup } = (await import(/* @vite-ignore */ String(reactDom))) as { renderToStaticMarkup(element: object): string };
const { Prose } = (await import(/* @vite-ignore */ String(prose))) as { Prose: unknown };
const ELEMENTS = new Set([
  'div',
  'p',
  'br',
  'ul',
  'ol',
  'li',
  'table',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
  'pre',
  'code',
  'strong',
  'span',
  'a',
]);
const ATTRIBUTES = /^(?: (?:class|scope|role|aria-label|tabindex|href)="[^"<>]*")*\/?$/i;

fuzz('the text of an answer creates no unexpected element, attribute or link in the web app', {
  input: fc.tuple(
    pieces.map((all) => all.join('')),
    fc.boolean(),
  ),
  runs: 1_000,
  holds([text, withoutTables]) {
    const markup = renderToStaticMarkup(createElement(Prose, { text, withoutTables }));
    for (const [, name = '', rest = ''] of markup.matchAll(/<\/?([^\s>/]*)([^>]*)>/g)) {
      expect([name, ELEMENTS.has(name)]).toEqual([name, true]);
      expect(rest).toMatch(ATTRIBUTES);
    }
    for (const [, href = ''] of markup.matchAll(/href="([^"]*)"/g)) expect(href).toMatch(/^\/(?![/\\])/);
    // A bracket outside of React's own tags would be text that was not escaped.
    expect(markup.replace(/<\/?[a-z]+(?: [a-z-]+="[^"]*")*\/?>/gi, '')).not.toMatch(/[<>]/);
  },
});
