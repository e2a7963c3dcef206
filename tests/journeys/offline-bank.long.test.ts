/** Paraphrased questions for the offline assistant (tests/questions/bank.jsonl), each with the expected call, figures and texts. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Message } from '../../src/assistant/model.ts';
import { type Asked, type AssistantHarness, openAssistantHarness } from '../assistant-harness.ts';

interface Question {
  readonly as: string;
  readonly turns: readonly string[];
  /** The expected last call of the last turn. If it is missing, only the text is checked. */
  readonly call?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  /** Whether the answer ends in an approval card. */
  readonly card?: boolean;
  readonly says?: readonly string[];
  readonly never?: readonly string[];
  /** Fields of the tool's answer whose figure must be in the text. */
  readonly figures?: readonly string[];
}
const bank = readFileSync(new URL('../questions/bank.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Question);

let harness: AssistantHarness;
beforeAll(async () => {
  harness = await openAssistantHarness();
}, 300_000);
afterAll(() => harness.close());

const plain = (text: string): string => text.replace(/[,\\*]/g, '');

function wrong({ call, input = {}, card = false, says = [], never = [], figures = [] }: Question, { text, calls }: Asked): string[] {
  const last = calls.at(-1);
  const data = last?.answer.status === 'success' ? (last.answer.data as Readonly<Record<string, unknown>>) : {};
  const waits = calls.some(({ answer }) => answer.status === 'pending_confirmation');
  return [
    call !== undefined && `${last?.server}.${last?.tool}` !== call && `called ${last?.server}.${last?.tool}`,
    ...Object.entries(input).map(
      ([key, value]) => JSON.stringify(last?.input[key]) !== JSON.stringify(value) && `${key} is ${JSON.stringify(last?.input[key])}`,
    ),
    waits !== card && (waits ? 'made a card' : 'made no card'),
    ...says.map((each) => !new RegExp(each).test(text) && `did not say ${each}: ${text.slice(0, 120)}`),
    ...never.map((each) => new RegExp(each).test(text) && `said ${each}`),
    ...figures.map(
      (key) => (typeof data[key] !== 'number' || !plain(text).includes(String(data[key]))) && `did not say ${key}: ${String(data[key])}`,
    ),
    /undefined|NaN|\[object Object\]/.test(text) && 'said what no person says',
  ].filter((each) => each !== false);
}

test('each question leads to the expected call and answer', { timeout: 300_000 }, async () => {
  const missed: string[] = [];
  const alone: number[] = [];
  for (const question of bank) {
    let asked: Asked | undefined;
    let said: readonly Message[] = [];
    for (const turn of question.turns) {
      const began = performance.now();
      asked = await harness.ask(question.as, turn, said);
      if (asked.calls.length === 0) alone.push(performance.now() - began);
      said = asked.said;
    }
    const faults = asked ? wrong(question, asked) : ['was not asked'];
    if (faults.length > 0) missed.push(`${question.as}> ${question.turns.join(' / ')} → ${faults.join('; ')}`);
  }
  // The durations are printed and not asserted, because they depend on the machine.
  process.stdout.write(`thinking without tools: ${alone.map((ms) => ms.toFixed(1)).join(', ')} ms\n`);
  expect(missed).toEqual([]);
});
