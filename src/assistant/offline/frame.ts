/** The frame of a question: its intent, its slots and its result. Later questions refer to it. */
import type { Answer } from '../../declare/answer.ts';
import type { Utterance } from './annotate.ts';
import type { IndexedTool } from './index-tools.ts';
import type { Row, ShownRows } from './rows.ts';
import type { Slot } from './schema.ts';
import type { SentenceType } from './sentence-type.ts';

export interface Frame {
  readonly utterance: Utterance;
  readonly entry: IndexedTool | undefined;
  readonly input: Readonly<Record<string, unknown>>;
  readonly shown: readonly ShownRows[];
  readonly result: IntentResult;
}
export type IntentResult =
  | {
      readonly type: 'answered';
      readonly entry: IndexedTool;
      readonly input: Readonly<Record<string, unknown>>;
      readonly answer: Answer;
      readonly about: Row | undefined;
      readonly called: string;
      readonly others?: readonly Row[];
      readonly unplaced?: readonly string[];
      readonly among?: { readonly entry: IndexedTool; readonly count: number } | undefined;
    }
  | {
      readonly type: 'ambiguous';
      readonly slot: Slot;
      readonly rows: readonly Row[];
      readonly source: IndexedTool;
      readonly entry: IndexedTool;
      readonly called: string;
      readonly all: boolean;
    }
  | { readonly type: 'missing-slot'; readonly slot: Slot; readonly entry: IndexedTool }
  | {
      readonly type: 'not-found';
      readonly called: string;
      readonly entry: IndexedTool;
      readonly finder: IndexedTool | undefined;
      readonly answer: Answer | undefined;
      readonly wrong: number;
    }
  | { readonly type: 'refused'; readonly entry: IndexedTool; readonly roles: boolean; readonly others?: boolean }
  | { readonly type: 'figures'; readonly entry: IndexedTool; readonly answer: Answer; readonly leftOut: readonly string[] }
  | { readonly type: 'rules'; readonly entry: IndexedTool; readonly asked: SentenceType }
  | { readonly type: 'left-alone'; readonly asked: SentenceType; readonly entry: IndexedTool }
  | { readonly type: 'no-intent'; readonly near: readonly IndexedTool[]; readonly order: boolean };

export interface PreviousTurn {
  readonly shown: readonly ShownRows[];
  readonly utterance: Utterance | undefined;
  readonly entry: IndexedTool | undefined;
}
export interface IntentHints {
  /** Slot values from the user's reply to a question of the assistant. */
  readonly forced?: Readonly<Record<string, unknown>>;
  /** The tool of the previous turn. */
  readonly entry?: IndexedTool | undefined;
}
