/** Fuzz tests of the offline model: for any question it answers with text or a tool call, and never throws. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Message } from '../../src/assistant/model.ts';
import { type AssistantHarness, openAssistantHarness } from '../assistant-harness.ts';
import { fuzz, hostileText } from './fuzz.ts';

let harness: AssistantHarness;
beforeAll(async () => {
  harness = await openAssistantHarness();
}, 300_000);
afterAll(() => harness?.close());

const bank = readFileSync(new URL('../questions/bank.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .flatMap((line) => (JSON.parse(line) as { turns: string[] }).turns);
const WORDS = [...new Set(bank.flatMap((question) => question.split(/\s+/)))];
const DATES = [
  'today',
  'tomorrow',
  'next friday',
  'the last 0 months',
  'the last 99999999999 years',
  'Q9 2026',
  'Q1 of 0000',
  'February 30',
  '31 December 9999',
  '2026-02-30',
  'from 31 to 1 November',
  'since the beginning of time',
  'two million years ago',
  'the month before',
  '-1 days ago',
];
const AMOUNTS = [
  '$1e400',
  '-$0.00',
  '1,2,3,4',
  '$1.5M',
  '99999999999999999999',
  '€0,5',
  '5k',
  '0x10',
  '1/0',
  'between 5 and 3',
  'top 0',
  'top 1e9',
  'half of ∞',
  '½',
  '٣',
];

const question = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .array(fc.oneof(fc.constantFrom(...WORDS), fc.constantFrom(...DATES), fc.constantFrom(...AMOUNTS), hostileText), { maxLength: 12 })
      .map((all) => all.join(' ')),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...bank), hostileText, fc.constantFrom(...DATES, ...AMOUNTS))
      .map(([asked, text, when]) => `${asked} ${when} ${text}`),
  },
  { weight: 1, arbitrary: hostileText },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...WORDS, '(', '-', '$', '1', ' ', '\n', 'and '), fc.integer({ min: 2, max: 400 }))
      .map(([word, times]) => `${word} `.repeat(times)),
  },
);
const PEOPLE = ['eve.thompson', 'marcus.johnson', 'nina.patel', 'alice.chen', 'bob.martinez'];

fuzz('any question is answered, alone or in a conversation', {
  input: fc.record({ who: fc.constantFrom(...PEOPLE), turns: fc.array(question, { minLength: 1, maxLength: 3 }) }),
  runs: 80,
  seconds: 20,
  async holds({ who, turns }) {
    let said: readonly Message[] = [];
    for (const turn of turns) {
      const asked = await harness.ask(who, turn, said);
      expect(asked.text.trim()).not.toBe('');
      expect(asked.text).not.toMatch(/\bundefined\b|\bNaN\b|\[object Object\]/);
      for (const { answer, tool, input } of asked.calls) {
        const code = answer.status === 'error' ? answer.code : answer.status;
        expect([tool, input, code]).not.toEqual([tool, input, expect.stringMatching(/INTERNAL_ERROR|DATABASE_ERROR|TIMEOUT/)]);
      }
      said = asked.said;
    }
    expect(harness.testRuntime.problems).toEqual([]);
  },
});
