/** The state that the steps of slot filling share. */
import type { Amount } from './amounts.ts';
import type { NamedEntity, TextSpan, ContentWord } from './annotate.ts';
import type { IndexedTool } from './index-tools.ts';
import type { Slot } from './schema.ts';

/** A record that the utterance names or describes, to be resolved to an id. */
export interface Reference {
  readonly slot: Slot;
  readonly names: readonly NamedEntity[];
  /** The words that describe it, if it has no name. */
  readonly words: readonly string[];
}
export interface FilledSlots {
  readonly entry: IndexedTool;
  readonly input: Record<string, unknown>;
  readonly references: Reference[];
  /** Required slots without a value. */
  missing: Slot[];
  readonly used: TextSpan[];
  /** Those of `used` that name a state; they are words of the tool, too. */
  readonly states: TextSpan[];
  /** Words that neither the tool nor a value explains. */
  readonly unexplained: ContentWord[];
}

export type SetSlot = (slot: Slot, value: unknown, at?: TextSpan) => void;
export type IsFree = (span: TextSpan | NamedEntity | Amount) => boolean;
