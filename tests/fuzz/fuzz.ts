/** Fuzz test helpers: fast-check properties with one seed and a time limit; arbitraries for hostile text and mutated bytes. */
import fc from 'fast-check';
import { test } from 'vitest';

function wholeNumber(name: string, standard: number | undefined): number | undefined {
  const given = process.env[name];
  if (given === undefined || given === '') return standard;
  if (!/^\d{1,9}$/.test(given) || Number(given) === 0) throw new Error(`${name} must be a whole number from 1 to 999999999.`);
  return Number(given);
}

/** Fixed, so that every machine tries the same inputs. */
export const SEED = wholeNumber('TAMSHAI_TEST_FUZZ_SEED', 20_261_116);
process.stdout.write(`fuzz seed ${SEED}: TAMSHAI_TEST_FUZZ_SEED=${SEED} npm run test:fuzz tries the same inputs again\n`);
const RUNS = wholeNumber('TAMSHAI_TEST_FUZZ_RUNS', undefined);
/** Time limit of each property when TAMSHAI_TEST_FUZZ_RUNS sets the number of runs. */
const LONG_SECONDS = 1_800;

export interface Fuzz<T> {
  readonly input: fc.Arbitrary<T>;
  /** Throws when the property does not hold. */
  readonly holds: (input: T) => Promise<void> | void;
  readonly runs: number;
  /** Time limit: the property ends here and passes if no input failed. */
  readonly seconds?: number;
  /** Inputs that are tried first, such as past failures. */
  readonly examples?: readonly T[];
}

export function fuzz<T>(name: string, { input, holds, runs, seconds = 15, examples = [] }: Fuzz<T>): void {
  const limit = RUNS === undefined ? seconds : LONG_SECONDS;
  test(
    `${name} (seed ${SEED})`,
    async () => {
      const property = fc.asyncProperty(input, async (value) => holds(value));
      await fc.assert(property, {
        seed: SEED as number,
        numRuns: RUNS ?? runs,
        examples: examples.map((each) => [each] as [T]),
        interruptAfterTimeLimit: limit * 1000,
      });
    },
    (limit + 60) * 1000,
  );
}

/** Any UTF-16 code units, lone surrogates included. */
const codeUnits = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)), maxLength: 40 });

const SNIPPETS = [
  '\u0000',
  '\u001b[2J',
  '\u001b]0;title\u0007',
  '\u009b31m',
  '\r\n',
  '\n',
  '\t',
  '\u202e',
  '\u2066',
  '\u2028',
  '\ufeff',
  '\ud800',
  '\u{e0041}',
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '</pre><a href="javascript:alert(1)">',
  '[x](javascript:alert(1))',
  '![x](http://evil.example/p.png)',
  '[x](//evil.example)',
  '[x](/\\evil.example)',
  '**',
  '__',
  '`',
  '```',
  '| a | b |',
  '|---|---|',
  '# ',
  '- ',
  '1. ',
  '"',
  "'",
  ',',
  ';',
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  "'; drop table hr.employees; --",
  '${7*7}',
  '%',
  '_',
  '\\',
  '__proto__',
  'constructor',
  '../../etc/passwd',
  'e\u0301',
  '\u00e9',
  '😀',
  '0',
  '-0',
  '1e21',
  '1e400',
  'NaN',
  'null',
] as const;

/** Text with snippets that are special in some format (HTML, SQL, Markdown, terminals), between random characters. */
export const hostileText = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.array(fc.oneof(fc.constantFrom(...SNIPPETS), fc.string({ maxLength: 8 })), { maxLength: 12 }).map((all) => all.join('')),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: codeUnits },
  { weight: 1, arbitrary: fc.constantFrom(...SNIPPETS) },
);

/** Any JSON value with hostile text in it. */
export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 2, arbitrary: hostileText },
  {
    weight: 1,
    arbitrary: fc.constantFrom(null, true, false, 0, -0, -1, 1, 1.5, 2 ** 31, 2 ** 53, 1e21, -1e308, [], {}, [[]], { $ne: null }),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

/** One change of a byte string. Positions are fractions, so that a change fits any length. */
export type ByteChange =
  | { readonly kind: 'set'; readonly at: number; readonly byte: number }
  | { readonly kind: 'flip'; readonly at: number; readonly bit: number }
  | { readonly kind: 'cut'; readonly at: number }
  | { readonly kind: 'drop'; readonly at: number; readonly length: number }
  | { readonly kind: 'insert'; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: 'repeat'; readonly at: number; readonly length: number };

const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
export const byteChange: fc.Arbitrary<ByteChange> = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), at: place, byte: fc.integer({ min: 0, max: 255 }) }),
  fc.record({ kind: fc.constant('flip' as const), at: place, bit: fc.integer({ min: 0, max: 7 }) }),
  fc.record({ kind: fc.constant('cut' as const), at: place }),
  fc.record({ kind: fc.constant('drop' as const), at: place, length: fc.integer({ min: 1, max: 600 }) }),
  fc.record({ kind: fc.constant('insert' as const), at: place, bytes: fc.uint8Array({ minLength: 1, maxLength: 40 }) }),
  fc.record({ kind: fc.constant('repeat' as const), at: place, length: fc.integer({ min: 1, max: 600 }) }),
);

export function changed(bytes: Buffer, change: ByteChange): Buffer {
  const at = Math.floor(change.at * bytes.length);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  switch (change.kind) {
    case 'set':
      return Buffer.concat([before, Buffer.from([change.byte]), after.subarray(1)]);
    case 'flip':
      return Buffer.concat([before, Buffer.from([(after[0] ?? 0) ^ (1 << change.bit)]), after.subarray(1)]);
    case 'cut':
      return Buffer.from(before);
    case 'drop':
      return Buffer.concat([before, after.subarray(change.length)]);
    case 'insert':
      return Buffer.concat([before, change.bytes, after]);
    case 'repeat':
      return Buffer.concat([before, after.subarray(0, change.length), after]);
  }
}

/** Applies a change to text with one byte per character. */
export const changedText = (text: string, change: ByteChange): string => changed(Buffer.from(text, 'latin1'), change).toString('latin1');
