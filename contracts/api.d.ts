/** Generated from openapi.json by `npm run contracts`. */
export type Error = {
  readonly status: "error";
  readonly code: string;
  readonly message: string;
  readonly suggestedAction: string;
  readonly retryable: boolean;
  readonly details?: Readonly<Record<string, unknown>>;
};
export type Pending = {
  readonly status: "pending_confirmation";
  readonly confirmationId: string;
  readonly message: string;
  readonly confirmationData: ConfirmationData;
};
export type Success = {
  readonly status: "success";
  readonly data: unknown;
  readonly metadata?: {
    readonly hasMore: boolean;
    readonly nextCursor?: string;
    readonly returnedCount: number;
    readonly totalEstimate: string;
    readonly hint?: string;
    readonly truncated: boolean;
    readonly totalCount: string;
    readonly count?: number;
    readonly warning?: string;
    readonly summary?: unknown;
    readonly [further: string]: unknown;
  };
};
export type Answer = Success | Error | Pending;
export type Confirmation = {
  readonly state: "waiting" | "executing" | "done" | "denied" | "failed" | "expired";
  readonly confirmationId: string;
  readonly message: string;
  readonly confirmationData: ConfirmationData;
  readonly decidedAt?: string;
  readonly requestId?: string;
  readonly result?: unknown;
  readonly error?: Error;
};
export type User = {
  readonly userId: string;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly realm: "staff" | "customer";
  readonly employee_id: string | null;
  readonly organization_id: string | null;
  readonly roles: readonly string[];
  readonly assistant: {
    readonly model: string;
  };
  readonly company: {
    readonly name: string;
    readonly timeZone: string;
    readonly currency: string;
    readonly fiscalYearStart: number;
  };
};
export type ToolList = {
  readonly servers: readonly ({
    readonly name: string;
    readonly title: string;
    readonly tools: readonly ({
      readonly name: string;
      readonly qualifiedName: string;
      readonly title: string;
      readonly description: string;
      readonly kind: "read" | "list" | "analyze" | "history" | "write" | "act";
      readonly plural: string | null;
      readonly needsApproval: boolean;
      readonly atOnceWhen: string | null;
      readonly roles: readonly string[];
      readonly inputSchema: Readonly<Record<string, unknown>>;
      readonly outputSchema: Readonly<Record<string, unknown>>;
      readonly annotations: {
        readonly destructiveHint: boolean;
        readonly readOnlyHint: boolean;
        readonly [further: string]: unknown;
      };
      readonly examples: readonly {
        readonly ask: string;
        readonly input: Readonly<Record<string, unknown>>;
      }[];
      readonly masked: readonly {
        readonly field: string;
        readonly hides: string;
        readonly shownTo: readonly string[];
        readonly andOwner: boolean;
      }[];
      readonly fields: readonly ({
        readonly name: string;
        readonly type: "text" | "choice" | "flag" | "whole" | "number" | "money" | "day" | "time" | "id";
        readonly groups: boolean;
        readonly functions: readonly string[];
        readonly hidden: boolean;
      })[];
      readonly chart: {
        readonly kind: "parts";
        readonly title: string;
        readonly rows?: string;
        readonly label: string;
        readonly part: {
          readonly field: string;
          readonly label: string;
        };
        readonly whole: {
          readonly field: string;
          readonly label: string;
        };
        readonly scale: "each" | "all";
        readonly count?: {
          readonly field: string;
          readonly label: string;
        };
        readonly pace?: {
          readonly field: string;
          readonly label: string;
        };
      } | {
        readonly kind: "stack";
        readonly title: string;
        readonly rows?: string;
        readonly label: string;
        readonly parts: readonly ({
          readonly field: string;
          readonly label: string;
          readonly look: "good" | "warn" | "bad";
        })[];
      } | {
        readonly kind: "waterfall";
        readonly title: string;
        readonly start: {
          readonly field: string;
          readonly label: string;
        };
        readonly steps: readonly {
          readonly field: string;
          readonly label: string;
          readonly adds: boolean;
        }[];
        readonly end: {
          readonly field: string;
          readonly label: string;
        };
      } | null;
    })[];
  })[];
  readonly unavailable: readonly {
    readonly server: string;
    readonly title: string;
    readonly retryable: boolean;
  }[];
};
export type AuditRecord = {
  readonly chain: string;
  readonly n: number;
  readonly at: string;
  readonly username: string;
  readonly surface: string;
  readonly origin: string;
  readonly server: string;
  readonly tool: string;
  readonly decision: string;
  readonly code: string | null;
  readonly ms: number;
  readonly rows: number;
  readonly requestId: string;
  readonly input: string;
  readonly confirmationId?: string;
  readonly askedAt?: string;
  readonly records?: readonly string[];
  readonly changes?: unknown;
  readonly reason?: string;
  readonly [further: string]: unknown;
};
export type SealedRecord = {
  readonly chain: string;
  readonly n: number;
  readonly at: string;
  readonly username: string;
  readonly surface: string;
  readonly origin: string;
  readonly server: string;
  readonly tool: string;
  readonly decision: string;
  readonly code: string | null;
  readonly ms: number;
  readonly rows: number;
  readonly requestId: string;
  readonly input: string;
  readonly confirmationId?: string;
  readonly askedAt?: string;
  readonly records?: readonly string[];
  readonly changes?: unknown;
  readonly reason?: string;
  readonly mac: string;
  readonly [further: string]: unknown;
};
export type AuditVerdict = AuditIntact | AuditDamaged;
export type Readiness = {
  readonly status: "ready" | "not_ready";
  readonly servers?: readonly ({
    readonly server: string;
    readonly title: string;
    readonly state: "ok" | "unavailable";
  })[];
};
export type ConversationSummary = {
  readonly id: string;
  readonly title: string;
  readonly startedAt: string;
  readonly updatedAt: string;
};
export type Conversation = {
  readonly id: string;
  readonly title: string;
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly untrusted: boolean;
  readonly exchanges: readonly ({
    readonly at: string;
    readonly question: string;
    readonly stopped: "done" | "calls" | "time" | "tokens" | "length" | "cancelled" | "error";
    readonly text: string;
    readonly calls: readonly {
      readonly id: string;
      readonly name: string;
      readonly input: Readonly<Record<string, unknown>>;
      readonly status: string;
      readonly result: Answer;
    }[];
  })[];
};
export type AssistantEvent = AssistantStartEvent | AssistantTextEvent | AssistantToolCallEvent | AssistantToolResultEvent | AssistantPendingConfirmationEvent | AssistantPaginationEvent | AssistantServiceUnavailableEvent | AssistantErrorEvent | AssistantStopEvent;
export type ConfirmationData = {
  readonly action: string;
  readonly mcpServer: string;
  readonly userId: string;
  readonly timestamp: number;
  readonly expiresAt: string;
  readonly approvalUrl: string;
  readonly summary: string;
  readonly subject: {
    readonly label: string;
    readonly id: string;
  };
  readonly changes: readonly ({
    readonly field: string;
    readonly label: string;
    readonly from: unknown;
    readonly to: unknown;
    readonly format: "text" | "money" | "date" | "number" | "days";
    readonly currency?: string;
  })[];
  readonly reason: string | null;
  readonly destructive: boolean;
  readonly origin: string;
  readonly because?: string;
  readonly afterwards?: string;
};
export type AuditIntact = {
  readonly ok: true;
  readonly chains: readonly {
    readonly chain: string;
    readonly count: number;
    readonly checkpointed: number;
  }[];
  readonly missing?: readonly string[];
};
export type AuditDamaged = {
  readonly ok: false;
  readonly chain: string;
  readonly n: number;
  readonly problem: string;
  readonly missing?: readonly string[];
};
export type AssistantStartEvent = {
  readonly type: "start";
  readonly conversationId: string;
  readonly model: string;
  readonly requestId: string;
  readonly unavailable?: readonly {
    readonly server: string;
    readonly title: string;
  }[];
};
export type AssistantTextEvent = {
  readonly type: "text";
  readonly text: string;
};
export type AssistantToolCallEvent = {
  readonly type: "tool_call";
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly title: string;
  readonly kind: string;
  readonly input: Readonly<Record<string, unknown>>;
};
export type AssistantToolResultEvent = {
  readonly type: "tool_result";
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly status: "success" | "error" | "pending_confirmation";
  readonly code?: string;
  readonly ms: number;
  readonly rows: number;
  readonly hasMore: boolean;
  readonly requestId: string;
  readonly untrusted: boolean;
  readonly result: Answer;
};
export type AssistantPendingConfirmationEvent = {
  readonly type: "pending_confirmation";
  readonly id: string;
  readonly confirmationId: string;
  readonly message: string;
  readonly confirmationData: ConfirmationData;
};
export type AssistantPaginationEvent = {
  readonly type: "pagination";
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly hasMore: true;
  readonly nextCursor?: string;
  readonly returnedCount: number;
  readonly totalEstimate: string;
  readonly warning?: string;
};
export type AssistantServiceUnavailableEvent = {
  readonly type: "service_unavailable";
  readonly server: string;
  readonly title: string;
  readonly message: string;
};
export type AssistantErrorEvent = {
  readonly code: string;
  readonly message: string;
  readonly suggestedAction: string;
  readonly retryable: boolean;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly type: "error";
};
export type AssistantStopEvent = {
  readonly type: "stop";
  readonly reason: "done" | "calls" | "time" | "tokens" | "length" | "cancelled" | "error";
  readonly calls: number;
  readonly ms: number;
  readonly tokens: {
    readonly input: number;
    readonly output: number;
  };
};
