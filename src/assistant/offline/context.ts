/** The context that every step of a dialogue receives. */
import type { Asker } from './asker.ts';
import type { IndexedTool, ToolIndex } from './index-tools.ts';
import type { CallMemory } from './memory.ts';
import type { SentenceReading } from './sentence-type.ts';

export interface DialogueContext {
  readonly index: ToolIndex;
  readonly person: Asker;
  readonly today: string;
  readonly allowed: ReadonlyMap<string, IndexedTool>;
}
export interface TurnContext {
  readonly index: ToolIndex;
  readonly person: Asker;
  readonly today: string;
  readonly allowed: ReadonlyMap<string, IndexedTool>;
  readonly memory: CallMemory;
  /** What the whole question does. Only an order or a wish may lead to a change. */
  readonly sentence: SentenceReading;
}
