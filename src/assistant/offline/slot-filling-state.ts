/** The state that the steps of slot filling share. */
import type { Amount } from './amounts.ts';
import type { NamedEntity, TextSpan, ContentWord } from './annotate.ts';
import type { IndexedTool } from './index-tools.ts';
import type { Slot } from './schema.ts';

/** Something that was named, and has to become an id. */
export interface Reference {
  readonly slot: Slot;
  readonly names: readonly NamedEntity[];
  /** The words that describe it, where it has no name. */
  readonly words: readonly string[];
}
export interface FilledSlots {
  readonly entry: IndexedTool;
  readonly input: Record<string, unknown>;
  readonly references: Reference[];
  /** Required, and nowhere to be found. */
  missing: Slot[];
  readonly used: TextSpan[];
  /** Those of them that are words of the tool itself: the name of a state. */
  readonly states: TextSpan[];
  /** Words that neither the tool nor a value accounts for. */
  readonly unexplained: ContentWord[];
}

export type SetSlot = (slot: Slot, value: unknown, at?: TextSpan) => void;
export type IsFree = (span: TextSpan | NamedEntity | Amount) => boolean;
