/** The frame of one question: its intent, its slots and its result. Later questions refer to it. */
import type { Answer } from '../../core/answer.ts';
import type { Reading } from './annotate.ts';
import type { Entry } from './index-tools.ts';
import type { Row, Shown } from './rows.ts';
import type { Slot } from './schema.ts';

/** What came of a question, for the answer and for the questions after it. */
export interface Frame {
  readonly reading: Reading;
  readonly entry: Entry | undefined;
  readonly input: Readonly<Record<string, unknown>>;
  readonly shown: readonly Shown[];
  readonly result: Result;
}
export type Result =
  | {
      readonly type: 'answered';
      readonly entry: Entry;
      readonly input: Readonly<Record<string, unknown>>;
      readonly answer: Answer;
      readonly about: Row | undefined;
      readonly called: string;
      readonly others?: readonly Row[];
      readonly unplaced?: readonly string[];
      readonly among?: { readonly entry: Entry; readonly count: number } | undefined;
    }
  | {
      readonly type: 'which';
      readonly slot: Slot;
      readonly rows: readonly Row[];
      readonly source: Entry;
      readonly entry: Entry;
      readonly called: string;
      readonly all: boolean;
    }
  | { readonly type: 'missing'; readonly slot: Slot; readonly entry: Entry }
  | {
      readonly type: 'unknown';
      readonly called: string;
      readonly entry: Entry;
      readonly finder: Entry | undefined;
      readonly answer: Answer | undefined;
      readonly wrong: number;
    }
  | { readonly type: 'refused'; readonly entry: Entry; readonly roles: boolean; readonly others?: boolean }
  | { readonly type: 'lost'; readonly near: readonly Entry[]; readonly order: boolean };

export interface Past {
  readonly shown: readonly Shown[];
  readonly reading: Reading | undefined;
  readonly entry: Entry | undefined;
}
export interface Wish {
  /** Values given in answer to a question of ours. */
  readonly forced?: Readonly<Record<string, unknown>>;
  /** The tool that was talked of. */
  readonly entry?: Entry | undefined;
}
