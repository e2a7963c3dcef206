/** What a question's stream tells, one object each. Documented in docs/assistant.md; clients are built against it. */
import type { Answer, ConfirmationData } from '../core/answer.ts';
import type { ErrorAnswer } from '../core/errors.ts';

/** Why an answer ended: complete, or stopped by one of the limits, by the person, or by trouble. */
export type StopReason = 'done' | 'calls' | 'time' | 'tokens' | 'length' | 'cancelled' | 'error';

/** A server that does not answer at the moment. */
export interface MissingServer {
  readonly server: string;
  readonly title: string;
}

interface Call {
  /** The same in a call and its result. */
  readonly id: string;
  readonly server: string;
  readonly tool: string;
}

export type AssistantEvent =
  | {
      readonly type: 'start';
      readonly conversationId: string;
      readonly model: string;
      readonly requestId: string;
      /** Known before anything is asked of them: whatever of this person's comes from there is missing. */
      readonly unavailable?: readonly MissingServer[];
    }
  /** A piece of the answer, in Markdown; pieces are joined as they are. */
  | { readonly type: 'text'; readonly text: string }
  | ({
      readonly type: 'tool_call';
      readonly title: string;
      readonly kind: string;
      readonly input: Readonly<Record<string, unknown>>;
    } & Call)
  | ({
      readonly type: 'tool_result';
      readonly status: Answer['status'];
      readonly code?: string;
      readonly ms: number;
      readonly rows: number;
      readonly hasMore: boolean;
      /** Finds the call in the trail and in the log. */
      readonly requestId: string;
      /** It holds text that another person, or the outside, can have written. */
      readonly untrusted: boolean;
      readonly result: Answer;
    } & Call)
  /** A card. Which state it is in, and whether it exists at all, is known by GET /api/confirmations/<id> alone. */
  | {
      readonly type: 'pending_confirmation';
      readonly id: string;
      readonly confirmationId: string;
      readonly message: string;
      readonly confirmationData: ConfirmationData;
    }
  /** There is more: the same call with this cursor goes on. */
  | ({
      readonly type: 'pagination';
      readonly hasMore: true;
      readonly nextCursor?: string;
      readonly returnedCount: number;
      readonly totalEstimate: string;
      readonly warning?: string;
    } & Call)
  | { readonly type: 'service_unavailable'; readonly server: string; readonly title: string; readonly message: string }
  | ({ readonly type: 'error' } & Omit<ErrorAnswer, 'status'>)
  | {
      readonly type: 'stop';
      readonly reason: StopReason;
      readonly calls: number;
      readonly ms: number;
      readonly tokens: { readonly input: number; readonly output: number };
    };

export type Emit = (event: AssistantEvent) => void;
