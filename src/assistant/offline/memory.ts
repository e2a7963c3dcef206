/** Memory of one question: replays the answers of completed calls. Each turn starts over and stops at the first call without an answer. */
import type { Answer } from '../../declare/answer.ts';
import type { Message, ToolCall } from '../model.ts';

export interface CompletedCall {
  readonly call: ToolCall;
  readonly answer: Answer;
}
export interface Round {
  readonly text: string;
  readonly calls: readonly CompletedCall[];
}
export class CallRequired extends Error {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  constructor(tool: string, input: Readonly<Record<string, unknown>>) {
    super(tool);
    this.tool = tool;
    this.input = input;
  }
}

const MAX_ROUNDS = 8;

export function roundsOf(said: readonly Message[]): Round[] {
  const found: { text: string; calls: CompletedCall[] }[] = [];
  for (const each of said) {
    if (each.by === 'person') found.push({ text: each.text, calls: [] });
    else if (each.by === 'tool') found.at(-1)?.calls.push({ call: each.call, answer: each.answer });
  }
  return found.slice(-MAX_ROUNDS);
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
const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

export interface CallMemory {
  readonly size: number;
  call(tool: string, input: Readonly<Record<string, unknown>>): Answer;
}
export function createCallMemory(round: Round): CallMemory {
  return {
    size: round.calls.length,
    call(tool, input) {
      const made = round.calls.find(({ call }) => call.name === tool && isEqual(call.input, input));
      if (!made) throw new CallRequired(tool, input);
      return made.answer;
    },
  };
}
