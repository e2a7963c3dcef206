/** The answers of tools: success, error, or a pending confirmation. They are the same on every surface. */
import type { ErrorAnswer } from './errors.ts';

export type Answer = SuccessAnswer | ErrorAnswer | PendingAnswer;

export interface SuccessAnswer {
  readonly status: 'success';
  readonly data: unknown;
  /** After a write: what was done, in one sentence. */
  readonly message?: string;
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
  /** The exact number of rows on all pages, if the input says `count: true`. */
  count?: number;
  warning?: string;
  summary?: unknown;
  /** Keys of the summary that the tool declares as `hoisted`. */
  [hoisted: string]: unknown;
}

export interface PendingAnswer {
  readonly status: 'pending_confirmation';
  readonly confirmationId: string;
  readonly message: string;
  readonly confirmationData: ConfirmationData;
}

/** The content of an approval card: `prepare` builds it from the store's rows and from the input of the call. */
export interface ConfirmationData {
  readonly action: string;
  readonly mcpServer: string;
  readonly userId: string;
  readonly timestamp: number;
  readonly expiresAt: string;
  /** The URL of the approval page. It contains the confirmation id and no other data of the change. */
  readonly approvalUrl: string;
  readonly summary: string;
  readonly subject: { readonly label: string; readonly id: string };
  readonly changes: readonly CardChange[];
  readonly reason: string | null;
  readonly destructive: boolean;
  /** Where the request came from: web, command, or the name of the MCP client. */
  readonly origin: string;
  /** Why this change needs an approval although its tool normally writes at once. */
  readonly because?: string | undefined;
  /** For a removal: whether and how it can be undone, as a sentence. */
  readonly afterwards?: string | undefined;
}

export interface CardChange {
  readonly field: string;
  readonly label: string;
  readonly from: unknown;
  readonly to: unknown;
  readonly format: 'text' | 'money' | 'date' | 'number' | 'days';
  /** The ISO 4217 code of an amount of money. */
  readonly currency?: string;
}

/** The answer to a denied confirmation. */
export interface CancelledAnswer {
  readonly status: 'cancelled';
  readonly confirmationId: string;
  readonly message: string;
}
