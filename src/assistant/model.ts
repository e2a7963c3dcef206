/** The interface between the assistant's loop and a model: the offline model or an LLM. */
import type { Answer } from '../declare/answer.ts';
import type { Person } from '../declare/people.ts';
import type { Tool } from '../declare/tool.ts';

export interface OfferedTool {
  /** The name with its server as prefix: `hr_list_employees`. */
  readonly name: string;
  readonly tool: Tool;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}
export type Message =
  | { readonly by: 'person'; readonly text: string }
  | { readonly by: 'model'; readonly text: string; readonly calls: readonly ToolCall[] }
  /** `promptText` is the answer for an LLM: fenced and truncated. */
  | { readonly by: 'tool'; readonly call: ToolCall; readonly answer: Answer; readonly promptText: string };

export interface Turn {
  readonly person: Person;
  readonly now: Date;
  /** The system prompt for an LLM. */
  readonly instructions: string;
  readonly messages: readonly Message[];
  /** The tools relevant to the question. `allTools` contains every tool that the person may use. */
  readonly tools: readonly OfferedTool[];
  readonly allTools: readonly OfferedTool[];
}
export type Step =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly call: ToolCall }
  | { readonly type: 'used'; readonly inputTokens: number; readonly outputTokens: number };

export interface Model {
  /** Reported in the `start` event. */
  readonly name: string;
  /** Streams one turn of text and tool calls. A turn without calls is the last one. */
  answer(turn: Turn, signal: AbortSignal): AsyncIterable<Step>;
  warm?(): void;
  close?(): Promise<void>;
}
