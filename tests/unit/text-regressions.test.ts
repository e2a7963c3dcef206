/** Regression tests for redaction and for names with hidden characters. */
import { describe, expect, it, test } from 'vitest';
import { line } from '../../src/declare/fields.ts';
import { redact } from '../../src/engine/audit/redact.ts';
import { clientName } from '../../src/transports/mcp/client-info.ts';

describe('redaction hides an identity number in every spelling', () => {
  it.each([
    '123 - 45 - 6789',
    '123 / 45 / 6789',
    '123_45_6789',
    '123\t45\t6789',
    '123\u00a045\u00a06789',
    '123\u200b45\u200b6789',
    '123·45·6789',
    '１２３－４５－６７８９',
    '٠٧٨-٠٥-١١٢٠',
  ])('%j', (number) => {
    expect(redact({ notes: `mine is ${number}, thanks` })).toBe('{"notes":"mine is *** (Hidden), thanks"}');
  });

  it.each(['from 2026-11-16 - 2026-11-18', '3 days of 15', 'rooms 100, 200, 300', 'a\nb'])('other text stays: %j', (text) => {
    expect(JSON.parse(redact({ notes: text }))).toEqual({ notes: text });
  });
});

describe('a name', () => {
  it.each([0x3164, 0x115f, 0x1160, 0xffa0, 0x2800, 0x34f, 0x2028, 0xe000, 0xfe0f, 0x180b, 0xe0101])(
    'with the hidden code point %i is refused',
    (point) => {
      expect(line(20).safeParse(`Ann${String.fromCodePoint(point)}Lee`).success).toBe(false);
    },
  );
  it.each(['José García', 'Nguyễn Văn A', 'O’Brien', '山田 太郎', 'Zoë\u00a0Li'])('%s is accepted', (name) => {
    expect(line(40).safeParse(name).success).toBe(true);
  });
});

test('a long client name is normalised and truncated quickly', () => {
  const name = '\ufdfa'.repeat(20_000);
  const started = performance.now();
  for (let i = 0; i < 20; i++) clientName({ name });
  expect(performance.now() - started).toBeLessThan(10_000);
  expect(clientName({ name })?.length).toBeLessThanOrEqual(64);
});
