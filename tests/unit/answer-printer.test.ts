/** Printing of streamed Markdown answers on a terminal: line breaks, tables and control characters. */
import { describe, expect, test } from 'vitest';
import { createAnswerPrinter } from '../../src/cli/terminal/markdown.ts';
import { plain, styleOf } from '../../src/cli/terminal/style.ts';

function printed(pieces: readonly string[], width = 60, style = plain): string {
  let out = '';
  const printer = createAnswerPrinter((text) => void (out += text), { style, width });
  for (const piece of pieces) printer.text(piece);
  printer.end();
  return out;
}
const TABLE = '| Deal | Value |\n|---|---:|\n| Globex Rollout | $405,000 |\n| Acme | $1,000 |\n';

describe('text', () => {
  test('is printed word by word, before the line is complete', () => {
    let out = '';
    const printer = createAnswerPrinter((text) => void (out += text), { style: plain, width: 60 });
    printer.text('You have 27 da');
    expect(out).toBe('You have 27');
    printer.text('ys left');
    printer.end();
    expect(out).toBe('You have 27 days left\n');
  });
  test('wraps at the width, wherever the streamed pieces end', () => {
    const whole = 'The five largest deals closing in November add up to more than a million dollars.';
    const lines = printed(whole.match(/.{1,3}/gs) ?? [], 30)
      .trimEnd()
      .split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(30);
    expect(lines.join(' ')).toBe(whole);
    expect(printed([whole], 30)).toBe(printed(whole.split(''), 30));
  });
  test('keeps paragraphs, headings and lists, without their Markdown characters', () => {
    expect(printed(['# Summary\n\nPTO **27** days, `x`.\n\n- one\n- two\n'])).toBe('Summary\n\nPTO 27 days, x.\n\n- one\n- two\n');
    expect(printed(['PTO *', '*27*', '* days'], 60, styleOf(true))).toContain('\u001b[1m27\u001b[22m');
  });
  test('cannot contain terminal control characters', () => {
    expect(printed(['a\u001b[2Jb \u202egnp'])).toBe('a[U+001B][2Jb [U+202E]gnp\n');
    expect(printed(['| a |\n|---|\n| \u001b[31mx |\n'])).not.toContain('\u001b');
  });
});

describe('tables', () => {
  test('are aligned, with numbers on the right, even when they stream letter by letter', () => {
    const expected = 'Here:\n\n  DEAL                VALUE\n  Globex Rollout   $405,000\n  Acme               $1,000\n\nThat is all.\n';
    expect(printed([`Here:\n\n${TABLE}\nThat is all.`])).toBe(expected);
    expect(printed(`Here:\n\n${TABLE}\nThat is all.`.split(''))).toBe(expected);
  });
  test('that are too wide become a list of records', () => {
    const lines = printed([TABLE], 20).split('\n');
    expect(lines).toEqual(['  Deal    Globex Rollout', '  Value   $405,000', '', '  Deal    Acme', '  Value   $1,000', '']);
  });
  test('at the end of the answer are printed even without a final line break', () => {
    expect(printed([TABLE.trimEnd()])).toContain('Acme               $1,000');
  });
});
