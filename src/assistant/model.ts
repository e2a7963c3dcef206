/** What the assistant's loop and a model say to each other, whichever model it is. */
import type { Answer } from '../core/answer.ts';
import type { Person } from '../core/people.ts';
import type { Tool } from '../core/tool.ts';

/** A tool that this person may use, as it is offered to the model. */
export interface OfferedTool {
  /** With its server in front: `hr_list_employees`. */
  readonly name: string;
  readonly tool: Tool;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}
/** What was said so far, oldest first. */
export type Message =
  | { readonly by: 'person'; readonly text: string }
  | { readonly by: 'model'; readonly text: string; readonly calls: readonly ToolCall[] }
  /** `shown` is the answer as a model of words may read it: fenced and cut to size. */
  | { readonly by: 'tool'; readonly call: ToolCall; readonly answer: Answer; readonly promptText: string };

export interface Turn {
  readonly person: Person;
  readonly now: Date;
  /** How to behave, for a model of words. */
  readonly instructions: string;
  readonly messages: readonly Message[];
  /** What matters for the question; `every` has all that the person may use. */
  readonly tools: readonly OfferedTool[];
  readonly allTools: readonly OfferedTool[];
}
export type Step =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly call: ToolCall }
  | { readonly type: 'used'; readonly inputTokens: number; readonly outputTokens: number };

export interface Model {
  /** Said in the `start` event. */
  readonly name: string;
  /**
   * One turn: text as it grows, and the calls it wants made. It is asked again with their answers; without a call, its answer is complete.
   */
  answer(turn: Turn, signal: AbortSignal): AsyncIterable<Step>;
  /** Prepares the first answer, where that takes a while. */
  warm?(): void;
  close?(): Promise<void>;
}
