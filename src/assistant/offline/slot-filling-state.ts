/** The state that the steps of slot filling share. */
import type { Amount } from './amounts.ts';
import type { Name, Piece, Word } from './annotate.ts';
import type { Entry } from './index-tools.ts';
import type { Slot } from './schema.ts';

/** Something that was named, and has to become an id. */
export interface Mention {
  readonly slot: Slot;
  readonly names: readonly Name[];
  /** The words that describe it, where it has no name. */
  readonly words: readonly string[];
}
export interface Filled {
  readonly entry: Entry;
  readonly input: Record<string, unknown>;
  readonly mentions: Mention[];
  /** Required, and nowhere to be found. */
  missing: Slot[];
  readonly used: Piece[];
  /** Those of them that are words of the tool itself: the name of a state. */
  readonly states: Piece[];
  /** Words that neither the tool nor a value accounts for. */
  readonly left: Word[];
}

export type Set_ = (slot: Slot, value: unknown, at?: Piece) => void;
export type Free = (span: Piece | Name | Amount) => boolean;
