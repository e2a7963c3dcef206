/** The calls that were made for a question. Thinking starts over with each answer, and stops at the first call that is not made yet. */
import type { Answer } from '../../core/answer.ts';
import type { Said, ToolCall } from '../model.ts';

export interface Made {
  readonly call: ToolCall;
  readonly answer: Answer;
}
export interface Round {
  readonly text: string;
  readonly made: readonly Made[];
}
/** Thrown where thinking cannot go on without an answer. */
export class Needs extends Error {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  constructor(tool: string, input: Readonly<Record<string, unknown>>) {
    super(tool);
    this.tool = tool;
    this.input = input;
  }
}

/** How far back a conversation is understood. */
const ROUNDS = 8;

export function rounds(said: readonly Said[]): Round[] {
  const found: { text: string; made: Made[] }[] = [];
  for (const each of said) {
    if (each.by === 'person') found.push({ text: each.text, made: [] });
    else if (each.by === 'tool') found.at(-1)?.made.push({ call: each.call, answer: each.answer });
  }
  return found.slice(-ROUNDS);
}

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : value !== null && typeof value === 'object'
      ? Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, inner]) => [key, sorted(inner)]),
        )
      : value;
const same = (a: unknown, b: unknown): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

export interface Memory {
  readonly size: number;
  ask(tool: string, input: Readonly<Record<string, unknown>>): Answer;
}
export function memory(round: Round): Memory {
  return {
    size: round.made.length,
    ask(tool, input) {
      const made = round.made.find(({ call }) => call.name === tool && same(call.input, input));
      if (!made) throw new Needs(tool, input);
      return made.answer;
    },
  };
}
