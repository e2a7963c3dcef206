/** Questions in words that no declaration has, with the call that each must lead to. Most of them, not all: people ask as they like. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Said } from '../../src/assistant/model.ts';
import { type Desk, openDesk } from '../desk.ts';

interface Question {
  readonly as: string;
  readonly turns: readonly string[];
  /** The last call of the last turn; null where nothing may be called. */
  readonly call: string | null;
  readonly input: Readonly<Record<string, unknown>>;
  readonly card: boolean;
}
const FLOOR = 0.9;
const bank = readFileSync(new URL('../questions/bank.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Question);

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
}, 300_000);
afterAll(() => desk.close());

test('most of what people ask leads to the call it should', { timeout: 300_000 }, async () => {
  const missed: string[] = [];
  for (const { as, turns, call, input, card } of bank) {
    let said: readonly Said[] = [];
    let last: Awaited<ReturnType<Desk['ask']>>['calls'][number] | undefined;
    for (const turn of turns) {
      const asked = await desk.ask(as, turn, said);
      said = asked.said;
      last = asked.calls.at(-1);
      expect(asked.text, turn).not.toMatch(/undefined|NaN|\[object Object\]/);
      expect(asked.text.trim(), turn).not.toBe('');
    }
    const made = last ? `${last.server}.${last.tool}` : null;
    const given = Object.entries(input).every(([key, value]) => JSON.stringify(last?.input[key]) === JSON.stringify(value));
    if (made !== call || !given || (last?.answer.status === 'pending_confirmation') !== card)
      missed.push(`${as}> ${turns.join(' / ')} → ${made} ${JSON.stringify(last?.input)}`);
  }
  const score = (bank.length - missed.length) / bank.length;
  process.stdout.write(
    `${bank.length - missed.length} of ${bank.length} questions were understood\n${missed.map((line) => `  ${line}\n`).join('')}`,
  );
  expect(score).toBeGreaterThanOrEqual(FLOOR);
});
