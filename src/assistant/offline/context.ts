/** The context that every step of a dialogue receives. */
import type { Asker } from './asker.ts';
import type { IndexedTool, ToolIndex } from './index-tools.ts';
import type { CallMemory } from './memory.ts';

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
}
