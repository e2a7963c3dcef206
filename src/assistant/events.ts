/** The events that stream the answer to a question. They are a public contract, documented in docs/assistant.md. */
import type { Answer, ConfirmationData } from '../declare/answer.ts';
import type { ErrorAnswer } from '../declare/errors.ts';

/** Why an answer ended: complete, stopped by a limit, cancelled by the user, or failed. */
export type StopReason = 'done' | 'calls' | 'time' | 'tokens' | 'length' | 'cancelled' | 'error';

export interface MissingServer {
  readonly server: string;
  readonly title: string;
}

interface Call {
  /** The id of the call. Its result and its approval card carry the same id. */
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
      /** Servers that are known to be unavailable when the question starts. The answer lacks their data. */
      readonly unavailable?: readonly MissingServer[];
    }
  /** A part of the answer, in Markdown. Clients concatenate the parts. */
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
      /** Identifies the call in the audit log and in the server log. */
      readonly requestId: string;
      /** The result contains text that somebody else may have written. */
      readonly untrusted: boolean;
      readonly result: Answer;
    } & Call)
  /** An approval card that waits. GET /api/confirmations/<id> returns its current state. */
  | {
      readonly type: 'pending_confirmation';
      readonly id: string;
      readonly confirmationId: string;
      readonly message: string;
      readonly confirmationData: ConfirmationData;
    }
  /** The list has more rows. The same call with `nextCursor` returns the next page. */
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
