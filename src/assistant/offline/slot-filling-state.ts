/** The shared state of the slot-filling steps. */
import type { Amount } from './amounts.ts';
import type { ContentWord, NamedEntity, TextSpan, Utterance } from './annotate.ts';
import type { IndexedTool, ToolIndex } from './index-tools.ts';
import type { Slot } from './schema.ts';

/** A record that the utterance names or describes. A later step resolves the reference to an id. */
export interface Reference {
  readonly slot: Slot;
  readonly names: readonly NamedEntity[];
  /** The words that describe the record, if the utterance does not name the record. */
  readonly words: readonly string[];
}
export interface FilledSlots {
  readonly entry: IndexedTool;
  readonly input: Record<string, unknown>;
  readonly references: Reference[];
  /** Required slots without a value. */
  missing: Slot[];
  readonly used: TextSpan[];
  /** The spans in `used` that name a state. They also count as words of the tool. */
  readonly states: TextSpan[];
  /** Words that neither the tool nor a value explains. */
  readonly unexplained: ContentWord[];
}

type SetSlot = (slot: Slot, value: unknown, at?: TextSpan) => void;
type IsFree = (span: TextSpan | NamedEntity | Amount) => boolean;
export interface SlotFilling {
  readonly index: ToolIndex;
  readonly entry: IndexedTool;
  readonly utterance: Utterance;
  readonly filled: FilledSlots;
  readonly set: SetSlot;
  readonly free: IsFree;
}
