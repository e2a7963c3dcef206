/** Redaction of inputs before they are written to the audit log: names of fields, patterns of secrets, and size limits. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HIDDEN } from '../../src/declare/fields.ts';
import { hidePatterns, redact } from '../../src/engine/audit/redact.ts';

const kept = (input: unknown, fields?: ReadonlySet<string>): unknown => JSON.parse(redact(input, fields));
const ID = '3f2a1c04-5b6d-4e7f-8a90-112233445566';

describe('redact', () => {
  test.each([
    [{}],
    [{ employee_id: ID }],
    [{ employee_id: '10000000-0000-4000-8000-000000000001' }],
    [{ department: 'Engineering', limit: 50, approved: true, notes: null }],
    [{ start_date: '2026-01-02', end_date: '2026-12-31', note: 'from 2026-01-02 10:30 to 2026-01-03 12:00' }],
    [{ amount: 1234.56, max_amount: 99_999_999, year: 2026 }],
    [{ name: 'Zoë O’Brien', query: 'Who is on holiday in week 42?' }],
    [['a', ['b', { c: 1 }]]],
    ['a question'],
    [null],
  ])('keeps an input without secrets: %j', (input) => {
    expect(kept(input)).toEqual(input);
  });

  test.each(
    `ssn SSN employee_ssn salary new_salary newSalary Old-Salary current_salary phone phone_number home_phone home_address homeAddress
    address
     account_number bank_account accountNumber routing_number tax_id taxNumber tax_identifier token access_token csrf_token refreshToken
     password
     Password passphrase authorization Authorization api_key apiKey secret client_secret cookie private_key iban cvv date_of_birth`.split(
      /\s+/,
    ),
  )('hides the value of the field %s', (name) => {
    for (const value of ['x-canary', 7, true, ['x-canary'], { deep: 'x-canary' }]) {
      expect(kept({ keep: 'this', [name]: value, inside: [{ [name]: value }] })).toEqual({
        keep: 'this',
        [name]: HIDDEN,
        inside: [{ [name]: HIDDEN }],
      });
    }
    expect(kept({ [name]: null })).toEqual({ [name]: null });
  });

  test('hides the fields that a tool declares, in snake_case and camelCase', () => {
    const fields = new Set(['approved_amount', 'verdict']);
    expect(kept({ approved_amount: 5, approvedAmount: 6, verdict: 'no', other: 5 }, fields)).toEqual({
      approved_amount: HIDDEN,
      approvedAmount: HIDDEN,
      verdict: HIDDEN,
      other: 5,
    });
    expect(kept({ approved_amount: 5 })).toEqual({ approved_amount: 5 });
  });

  test.each([
    ['123-45-6789'],
    ['my number is 123 45 6789, thanks', 'my number is *** (Hidden), thanks'],
    ['123.45.6789'],
    ['123‑45‑6789'],
    ['123456789'],
    ['DE89370400440532013000', 'DE*** (Hidden)'],
    ['4111 1111 1111 1111'],
    ['call (415) 555-01009', 'call (*** (Hidden)'],
    ['Bearer abc.def-ghi', HIDDEN],
    ['authorization is bearer  abc', 'authorization is *** (Hidden)'],
    ['eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln'],
    ['see eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln!', 'see *** (Hidden)!'],
    ['sk-ant-REDACTED'],
    [`${ID} and 123-45-6789`, `${ID} and *** (Hidden)`],
  ])('hides by pattern: %s', (text, expected = HIDDEN) => {
    expect(hidePatterns(text)).toBe(expected);
    expect(kept({ query: text })).toEqual({ query: expected });
    expect(kept([[text]])).toEqual([[expected]]);
    expect(Object.keys(kept({ [text]: 1 }) as object)).toEqual([expected]);
  });

  test('hides long numbers of type number and bigint', () => {
    expect(kept({ n: 123_456_789, m: -4_111_111_111_111_111, big: 12_345_678_901n, one: 1 })).toEqual({
      n: HIDDEN,
      m: HIDDEN,
      big: HIDDEN,
      one: 1,
    });
  });

  test('truncates a long field and adds a digest, and limits the whole to 8 kB of valid JSON', () => {
    const long = 'é😀 word '.repeat(1_000);
    const { notes } = kept({ notes: long }) as { notes: string };
    expect(notes).toMatch(/^(é😀 word )+.{0,8}… \[cut: 12000 bytes, sha256 [0-9a-f]{64}\]$/u);
    expect(Buffer.byteLength(notes)).toBeLessThan(2_200);
    expect(kept({ notes: `${long}.` })).not.toEqual({ notes });

    const wide = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`key "${i}"`, 'some text\n'.repeat(5)]));
    const text = redact(wide);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8_192);
    expect(JSON.parse(text)).toMatchObject({ cut: true, bytes: expect.any(Number), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  test('shows no part of a secret where a text is truncated', () => {
    for (let at = 2_030; at < 2_055; at++)
      expect(redact({ notes: `${'x'.repeat(at)} 123-45-6789 ${'y'.repeat(100)}` })).not.toMatch(/ 123-?|45-6/);
  });

  test('computes the digest after hiding secrets, so that nobody can guess them from the digest', () => {
    const one = (ssn: string) => redact({ notes: `${'x '.repeat(2_000)}${ssn}` }).replace(/cut: \d+/, '');
    expect(one('123-45-6789')).toBe(one('987-65-4321'));
  });

  test('accepts any value: hostile keys, deep nesting, cycles, lone surrogates and values that are not JSON', () => {
    expect(redact(JSON.parse('{"__proto__": {"password": "canary"}, "constructor": 1}'))).toBe(
      `{"__proto__":{"password":"${HIDDEN}"},"constructor":1}`,
    );
    expect(kept({ a: 'x\ud800y', b: '\udc00' })).toEqual({ a: 'x\ufffdy', b: '\ufffd' });
    expect(kept({ a: 'nul\0', b: -0, c: 1e21 })).toEqual({ a: 'nul\0', b: 0, c: 1e21 });
    expect(kept(undefined)).toBeNull();
    expect(kept(() => 1)).toBeNull();
    const loop: Record<string, unknown> = { ok: 1 };
    loop['self'] = loop;
    loop['again'] = [loop, loop];
    expect(redact(loop)).toContain('left out');
    let deep: unknown = 'canary';
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(redact(deep)).not.toContain('canary');
    expect(kept({ ['k'.repeat(10_000)]: 1 })).toEqual({ ['k'.repeat(128)]: 1 });
  });

  test('returns small, valid JSON without secrets for random inputs', () => {
    const secrets = fc.constantFrom('ssn', 'new_salary', 'password', 'homeAddress', 'account_number');
    const tree = fc.anything({ maxDepth: 4, withBigInt: true, withObjectString: true });
    fc.assert(
      fc.property(tree, secrets, fc.string({ unit: 'binary', maxLength: 4_000 }), (any, name, text) => {
        const out = redact({ any, text, list: [{ [name]: 'canary-91' }], q: 'it is 078-05-1120 ok' });
        JSON.parse(out);
        expect(Buffer.byteLength(out)).toBeLessThanOrEqual(8_192);
        expect(out).not.toMatch(/canary-91|078-05|\p{Surrogate}/u);
      }),
      { numRuns: 300 },
    );
  });

  test('takes linear time for hostile text', () => {
    const texts = [
      'eyJ'.repeat(80_000),
      '1-'.repeat(120_000),
      '12345678 x'.repeat(24_000),
      'bearer '.repeat(35_000),
      '0123-4567-89ab-'.repeat(17_000),
    ];
    for (const text of texts) {
      const started = performance.now();
      redact({ text });
      // This is not a benchmark: a quadratic pattern would take minutes.
      expect(performance.now() - started).toBeLessThan(10_000);
    }
  });

  test('applies the same patterns to ASCII text and to other text', () => {
    const pieces = [
      'eyJ',
      'bearer ',
      'BEARER\t',
      'sk-',
      'pk_',
      'ghp_',
      'xoxb-',
      'abcdefgh',
      '1',
      '23',
      '456789',
      ' ',
      '-',
      '.',
      '(',
      ')',
      '/',
      '_',
      '\t',
      '\n',
      '+',
      ID,
      '2026-11-16',
      'K',
    ];
    const text = fc
      .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 3 })), { maxLength: 30 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (each) => {
        const ascii = each.replace(/[^\x00-\x7f]/g, '');
        // The final letter is not ASCII, so `hidePatterns` uses its Unicode patterns instead of its ASCII patterns.
        expect(`${hidePatterns(ascii)}\n é`).toBe(hidePatterns(`${ascii}\n é`));
      }),
      { numRuns: 3_000 },
    );
  });
});
