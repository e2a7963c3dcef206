/** The Markdown parser that the web app, the terminal and the journey share. */
import { describe, expect, test } from 'vitest';
import { createAnswerPrinter } from '../../src/cli/terminal/markdown.ts';
import { plain } from '../../src/cli/terminal/style.ts';
import { createLineClassifier, parseBlocks, parseInline, parseTable } from '../../src/declare/markdown.ts';

const text = (value: string) => ({ type: 'text', value });

describe('blocks', () => {
  test('paragraphs, lists, tables and code are recognised by the beginning of their lines', () => {
    const source = 'One\ntwo\n- a\n* b\n• c\n1. d\n2) e\n| f |\n|---|\n\n```sql\n- g\n\n# h\n```\n# i';
    expect(parseBlocks(source).map(({ type, lines }) => [type, lines.length])).toEqual([
      ['paragraph', 2],
      ['bulletList', 3],
      ['orderedList', 2],
      ['table', 2],
      ['code', 3],
      ['paragraph', 1],
    ]);
  });
  test('everything between fences, or after an unclosed fence, is code', () => {
    const classify = createLineClassifier();
    expect(['~~~', '# a', '> b', '~~~', '> b', '---', '<!-- c'].map(classify)).toEqual([
      'fence',
      'code',
      'code',
      'fence',
      'quote',
      'rule',
      'comment',
    ]);
    expect(parseBlocks('```\na\n\nb')).toEqual([{ type: 'code', lines: ['a', '', 'b'] }]);
  });
  test('an appended line changes only the last block', () => {
    const lines = 'One **two**\n\n- a\n- b\n\n| c | d |\n|---|---|\n| 1 | 2 |\n\n```\ne\n```\nlast'.split('\n');
    const whole = parseBlocks(lines.join('\n'));
    for (const end of lines.keys()) {
      const finished = parseBlocks(lines.slice(0, end).join('\n')).slice(0, -1);
      expect([end, finished]).toEqual([end, whole.slice(0, finished.length)]);
    }
  });
});

describe('tables', () => {
  test('an escaped pipe does not end a cell, and a trailing pipe starts no further cell', () => {
    expect(parseTable(['| a | b', '|:--|--:|', '| x \\| y | -$1,000 |', '|  | 12.5 % |'])).toEqual({
      head: ['a', 'b'],
      rows: [
        ['x \\| y', '-$1,000'],
        ['', '12.5 %'],
      ],
      numeric: [false, true],
    });
    expect(parseTable(['|', '| a \\\u2028 | b |']).rows).toEqual([['a \\', 'b']]);
  });
});

describe('inline', () => {
  test.each([
    ['**a** b', [{ type: 'strong', children: [text('a')] }, text(' b')]],
    ['__a `b`__', [{ type: 'strong', children: [text('a '), { type: 'inlineCode', value: 'b' }] }]],
    ['`**a**`', [{ type: 'inlineCode', value: '**a**' }]],
    ['[a b](/c "d")!', [{ type: 'link', value: 'a b', url: '/c' }, text('!')]],
    ['![a](b)', [{ type: 'image', value: 'a', url: 'b' }]],
    ['\\*\\*a\\_b\\|c\\d', [text('**a_b|c\\d')]],
    ['**a', [text('**a')]],
    ['`a [b](c', [text('`a [b](c')]],
    ['<b>a</b> &amp; *c* ***', [text('<b>a</b> &amp; *c* ***')]],
  ])('%s', (line, nodes) => expect(parseInline(line).nodes).toEqual(nodes));

  test.each([
    ['one two', 3],
    ['one', undefined],
    ['one **two three', 3],
    ['**one two** three', 11],
    ['one [two three](/four five', 3],
    ['one [two] three', 9],
  ])('"%s" has its last safe line break at position %s', (line, at) => expect(parseInline(line).lastBreak).toBe(at));

  test.each(['[', '![a](', '[a](b ', '**a ', '`', '__a*', '\\', '|'])('a line with 60,000 characters of %s is parsed', (mark) => {
    const line = mark.repeat(Math.ceil(60_000 / mark.length));
    const shown = parseInline(line)
      .nodes.map((node) => ('value' in node ? node.value : ''))
      .join('');
    expect(shown.length).toBeGreaterThan(0);
    expect(parseTable([line]).head.length).toBeGreaterThan(0);
  });
});

describe('printing on a terminal', () => {
  const printed = (pieces: readonly string[]): string => {
    let out = '';
    const printer = createAnswerPrinter((piece) => void (out += piece), { style: plain, width: 40 });
    for (const piece of pieces) printer.text(piece);
    printer.end();
    return out;
  };
  test('gives the same result, wherever the streamed pieces end', () => {
    const source =
      '## Two deals\nThese **two large deals** close at `a b` [soon](/x y) or [later](https://example.org):\n\n' +
      '| Deal | Value |\n|---|---:|\n| A\\_B \\| C | $1 |\n\n```sh\n# keep   **this**\n```\n\n- **open\n- __init__ 2 * 3 * 4\n';
    const whole = printed([source]);
    for (const size of [1, 2, 3, 5, 8]) {
      const pieces = source.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      expect([size, printed(pieces)]).toEqual([size, whole]);
    }
    expect(whole).toContain('later\n(https://example.org):');
    expect(whole).toContain('  A_B | C      $1\n');
    expect(whole).toContain('# keep   **this**');
    expect(whole).toContain('- **open\n');
  });
  test('does not wait for the end of unclosed bold text', () => {
    let out = '';
    const printer = createAnswerPrinter((piece) => void (out += piece), { style: plain, width: 80 });
    printer.text(`**${'word '.repeat(120)}`);
    expect(out).toContain('**word word');
  });
});
