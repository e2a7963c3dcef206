/** What a write declares about its effect: the plan of an approval card, and the types of records that have a history. */
import type { CardChange } from './answer.ts';

/** One line of an approval card. */
export type Change = Pick<CardChange, 'field' | 'from' | 'to'> & Partial<CardChange>;
/** What the approver sees. `prepare` builds it at the request and again at the execution; if the two cards differ, nothing is written. */
export interface Plan {
  /** What will happen, as one sentence without a full stop. */
  readonly summary: string;
  readonly subject: { readonly label: string; readonly id: string };
  readonly changes: readonly Change[];
  readonly reason?: string | null | undefined;
  /** True if the condition in `atOnceWhen` holds. The tool then writes at once, unless the request sets `approvalBecause`. */
  readonly own?: boolean;
  /** For a removal: a sentence that says whether and how it can be undone. By default, the data stays but no tool can restore it. */
  readonly afterwards?: string;
  /** What was done, as a sentence. By default, `summary` of the tool, or the sentence of the plan in the past tense. */
  readonly done?: string;
  /** Other records of the domain that change with it. Each gets these changes in its own history. */
  readonly touches?: readonly Touched[];
  /** Only callers who see this mask find the change in the history of the record; from the day `until` on, all find it. */
  readonly confidential?: { readonly mask: string; readonly until?: string };
}
export interface Touched {
  /** A type of records, as in `records` of the domain. */
  readonly type: string;
  readonly id: string;
  readonly changes?: readonly Change[];
}
export type Effect = 'adds' | 'changes' | 'removes';

export interface RecordSpec {
  /** The name of the record's id in the inputs of the domain's tools. */
  readonly id: string;
  /** The reads and lists that show a record of this type. A caller who sees the record there sees its history. */
  readonly shownBy?: readonly string[];
}
