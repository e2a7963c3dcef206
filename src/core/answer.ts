import type { ErrorAnswer } from './errors.ts';

/** Every tool, on every surface, answers one of these. */
export type Answer = SuccessAnswer | ErrorAnswer | PendingAnswer;

export interface SuccessAnswer {
  readonly status: 'success';
  readonly data: unknown;
  readonly metadata?: ListMetadata;
}

export interface ListMetadata {
  hasMore: boolean;
  nextCursor?: string;
  returnedCount: number;
  totalEstimate: string;
  hint?: string;
  truncated: boolean;
  totalCount: string;
  warning?: string;
  summary?: unknown;
  /** What a list lifts out of its summary. */
  [lifted: string]: unknown;
}

export interface PendingAnswer {
  readonly status: 'pending_confirmation';
  readonly confirmationId: string;
  readonly message: string;
  readonly confirmationData: ConfirmationData;
}

/** All that an approval card needs. Built from the store, never from a model's words. */
export interface ConfirmationData {
  readonly action: string;
  readonly mcpServer: string;
  readonly userId: string;
  readonly timestamp: number;
  readonly expiresAt: string;
  /** The page on which the person decides. It holds the id and nothing else. */
  readonly approvalUrl: string;
  readonly summary: string;
  readonly subject: { readonly label: string; readonly id: string };
  readonly changes: readonly CardChange[];
  readonly reason: string | null;
  readonly destructive: boolean;
  /** Through what it was asked: web, command, or the MCP client's name. */
  readonly origin: string;
  /** Why a person is asked about something that otherwise happens at once. */
  readonly because?: string | undefined;
}

export interface CardChange {
  readonly field: string;
  readonly label: string;
  readonly from: unknown;
  readonly to: unknown;
  readonly format: 'text' | 'money' | 'date' | 'number' | 'days';
}

/** What the endpoint that decides answers, beside the tool's own answer. */
export interface CancelledAnswer {
  readonly status: 'cancelled';
  readonly confirmationId: string;
  readonly message: string;
}
