/** Fuzz tests of readConfig: a random environment gives a configuration, or one sentence per problem without secrets and stack traces. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ConfigProblem } from '../../src/server/config.ts';
import { fuzz, hostileText } from './fuzz.ts';
import { readConfig, settings } from '../registry.ts';

const KEYS = settings.names;
const SECRET = 'pa55word-canary';

const value = fc.oneof(
  hostileText,
  fc.constantFrom(
    '0',
    '1',
    'true',
    ' ',
    '-1',
    '1e3',
    '0x10',
    '65536',
    '99999999999',
    'NaN',
    'Infinity',
    '127.0.0.1',
    '::1',
    '0.0.0.0',
    'localhost',
    'production',
  ),
  fc.constantFrom(
    ...['postgres', 'postgresql', 'mongodb', 'mongodb+srv', 'redis', 'rediss', 'http', 'https', 'file', 'javascript'].flatMap((scheme) => [
      `${scheme}://user:${SECRET}@localhost/db`,
      `${scheme}://user:${SECRET}@db.example:99999/db`,
      `${scheme}:${SECRET}`,
      `${scheme}://${SECRET}`,
      `${scheme}://[${SECRET}]/`,
      `${scheme}://localhost:1/?key=${SECRET}`,
    ]),
    SECRET,
    `${SECRET}\n${SECRET}`,
  ),
  hostileText.map((text) => `${text}${SECRET}`),
);
const environment = fc
  .array(
    fc.tuple(
      fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...KEYS) }, { weight: 1, arbitrary: hostileText.map((text) => `TAMSHAI_${text}`) }),
      value,
    ),
    {
      maxLength: 6,
    },
  )
  .map((pairs) => Object.fromEntries(pairs));

test('the configuration knows every fuzzed setting', () => {
  expect(KEYS.length).toBeGreaterThan(80);
  for (const key of KEYS) {
    try {
      readConfig({ [key]: 'x' });
    } catch (error) {
      expect((error as Error).message).not.toMatch(/There is no setting/);
    }
  }
});

fuzz('any environment gives a configuration, or messages without secrets', {
  input: environment,
  runs: 3_000,
  holds(env) {
    let message: string;
    try {
      const config = readConfig(env);
      expect(config.base).toMatch(/^https?:\/\//);
      return;
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigProblem);
      ({ message } = error as Error);
    }
    const named = Object.keys(env).some((key) => key.includes(SECRET));
    for (const line of message.split('\n')) {
      expect(line).toMatch(/^[A-Z].*\.$/);
      expect(line.length).toBeLessThan(400);
    }
    if (!named) expect(message).not.toContain(SECRET);
    expect(message).not.toMatch(/\bat \S+:\d+|undefined|\[object|Zod|TypeError/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a message must not contain control characters
    expect(message).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  },
});
