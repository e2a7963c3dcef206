/** Full-text search in the embedded store: tokens, stems, typos, and highlights without foreign markup. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { highlight } from '../../src/storage/search/highlight.ts';
import { isNear, nearest, seeking, stemOf, stems, tokens } from '../../src/storage/search/words.ts';

const near = (question: string, word: string): boolean => seeking(question)?.words.some((sought) => isNear(sought, stems(word))) ?? false;

describe('words', () => {
  test.each([
    ['invoice', 'invoices', 'invoiced', 'invoicing'],
    ['reset', 'resets', 'resetting'],
    ['update', 'updates', 'updated', 'updating'],
    ['apply', 'applies', 'applied', 'applying'],
    ['process', 'processes', 'processed', 'processing'],
    ['expire', 'expires', 'expired', 'expiring'],
    ['customer', 'customers', "customer's", 'CUSTOMERS', 'customers’'],
  ])('%s and its inflections have one stem', (...forms) => expect(new Set(forms.map(stems)).size).toBe(1));

  test.each(['bring', 'string', 'status', 'address', 'need', 'used', 'this', 'bus'])('%s is not stemmed', (word) =>
    expect(stemOf(word)).toBe(word),
  );

  test('accents, capitals and punctuation are normalised, and other scripts are split into characters', () => {
    expect(stems('Größe, São Paulo: O’Brien don’t ERR_42 3.14')).toBe('große sao paulo obrien dont err 42 3 14');
    expect(stems('印刷機')).toBe('印 刷 機');
    expect(stems('\u0301 \ud800 🦓')).toBe('');
  });

  test('ASCII text is tokenised like any other text', () => {
    const text = fc.string({ unit: 'grapheme-ascii', maxLength: 60 });
    fc.assert(fc.property(text, (given) => stems(`${given} é`) === `${stems(given)} e`.trimStart()));
  });

  test('one typo is tolerated in short words and two in long ones, never in the first letter or in numbers', () => {
    for (const typo of ['webhok', 'wehbook', 'webhoook', 'webhuok']) expect(near(typo, 'webhook')).toBe(true);
    expect(near('certifcaet', 'certificate')).toBe(true);
    for (const [typo, word] of [
      ['xebhook', 'webhook'],
      ['428', '429'],
      ['wabhuuk', 'webhook'],
      ['at', 'it'],
    ] as const)
      expect(near(typo, word)).toBe(false);
  });

  test('the exact word comes first, even among many similar words', () => {
    const [sought] = seeking('password')?.words ?? [];
    const crowd = Array.from({ length: 676 }, (_, i) => `pa${String.fromCharCode(97 + Math.floor(i / 26), 97 + (i % 26))}word`);
    const found = sought ? nearest(sought, [...new Set([...crowd, 'password', 'passwordless'])].toSorted()) : [];
    expect(found.slice(0, 2)).toEqual(['password', 'passwordless']);
    expect(found.length).toBeLessThanOrEqual(200);
  });

  test('a long query is truncated, and a query of stop words keeps them', () => {
    expect(seeking('word '.repeat(10_000))?.words).toHaveLength(1);
    expect(seeking(Array.from({ length: 600 }, (_, i) => `w${i}`).join(' '))?.words).toHaveLength(24);
    expect(seeking('who are you')?.words.map(({ stem }) => stem)).toEqual(['who', 'are', 'you']);
    expect(seeking('"*:*" ()')).toBeUndefined();
  });

  test('tokens of any text have ascending positions and contain only letters and digits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
        let last = 0;
        for (const { stem, from, to } of tokens(text)) {
          expect(from).toBeGreaterThanOrEqual(last);
          expect(to).toBeGreaterThan(from);
          expect(stem).toMatch(/^[\p{L}\p{N}]+$/u);
          last = to;
        }
      }),
    );
  });
});

describe('highlights', () => {
  test('contain no markup but <em>, and only text of the source', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('<em>', '</em>', '<script>', '&lt;', '"', "'", '<img src=x onerror=1>', 'word', 'wrod', 'words'),
    );
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 12 }), (parts) => {
        const text = parts.join(' ');
        const seek = seeking('word script em');
        if (!seek) return;
        for (const piece of highlight(text, seek)) {
          const bare = piece.replaceAll(/<em>|<\/em>/g, '');
          expect(bare).not.toMatch(/[<>"']/);
          const decoded = bare
            .replaceAll('&lt;', '<')
            .replaceAll('&gt;', '>')
            .replaceAll('&quot;', '"')
            .replaceAll('&#39;', "'")
            .replaceAll('&amp;', '&');
          expect(text).toContain(decoded.replace(/^… /, '').replace(/ …$/, ''));
        }
      }),
    );
  });

  test('of a long text are a few fragments of whole words', () => {
    const text = `${'padding '.repeat(50)}the needle here ${'padding '.repeat(50)}another needle ${'padding '.repeat(50)}`;
    const seek = seeking('needle');
    const pieces = seek ? highlight(text, seek) : [];
    expect(pieces).toHaveLength(2);
    for (const piece of pieces) expect(piece).toMatch(/^… padding .*<em>needle<\/em>.* padding …$/);
  });
});
