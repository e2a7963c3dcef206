/** The schemas of the REST API, except tools: user, tool list, confirmations, audit records, conversations and assistant events. */
import { z } from 'zod';
import { chart } from '../declare/chart.ts';
import { confirmationData, errorAnswer, metadata, pendingAnswer } from './answers.ts';

const record = z.record(z.string(), z.unknown());

export const successAnswer = z.object({
  status: z.literal('success'),
  data: z.unknown(),
  metadata: metadata.extend({ summary: z.unknown().optional() }).loose().optional(),
});
export const answer = z.union([successAnswer, errorAnswer, pendingAnswer]);

export const user = z.object({
  userId: z.string().describe('The subject of the sign-in'),
  username: z.string(),
  name: z.string(),
  email: z.string(),
  realm: z.enum(['staff', 'customer']),
  employee_id: z.string().nullable(),
  organization_id: z.string().nullable(),
  roles: z.array(z.string()),
  assistant: z.object({ model: z.string() }),
  company: z.object({
    name: z.string(),
    timeZone: z.string().describe('IANA name; a day is a calendar day in this zone'),
    currency: z.string().describe('ISO 4217 code of all amounts'),
    fiscalYearStart: z
      .int()
      .describe('Month in which the fiscal year begins. The name of a fiscal year is the calendar year in which it ends'),
  }),
});

const mask = z.object({ field: z.string(), hides: z.string(), shownTo: z.array(z.string()), andOwner: z.boolean() });
const listField = z.object({
  name: z.string(),
  type: z.enum(['text', 'choice', 'flag', 'whole', 'number', 'money', 'day', 'time', 'id']),
  groups: z.boolean().describe('Whether an analysis can group by it; days and times in periods'),
  functions: z.array(z.string()).describe('The functions that an analysis can apply to it'),
  hidden: z.boolean().describe('Hidden from the caller on some rows, so not usable in conditions and figures'),
});
const tool = z.object({
  name: z.string(),
  qualifiedName: z.string(),
  title: z.string(),
  description: z.string(),
  kind: z.enum(['read', 'list', 'analyze', 'history', 'write', 'act']),
  plural: z.string().nullable(),
  needsApproval: z.boolean(),
  atOnceWhen: z.string().nullable(),
  roles: z.array(z.string()),
  inputSchema: record,
  outputSchema: record,
  annotations: z.looseObject({ destructiveHint: z.boolean(), readOnlyHint: z.boolean() }),
  examples: z.array(z.object({ ask: z.string(), input: record })),
  masked: z.array(mask),
  fields: z.array(listField).describe('The fields of a list that filters and analyses can use'),
  chart: chart.nullable(),
});
export const toolList = z.object({
  servers: z.array(z.object({ name: z.string(), title: z.string(), tools: z.array(tool) })),
  unavailable: z.array(z.object({ server: z.string(), title: z.string(), retryable: z.boolean() })),
});

export const confirmation = z.object({
  state: z.enum(['waiting', 'executing', 'done', 'denied', 'failed', 'expired']),
  confirmationId: z.uuid(),
  message: z.string(),
  confirmationData,
  decidedAt: z.string().optional(),
  requestId: z.string().optional(),
  result: z.unknown().optional(),
  error: errorAnswer.optional(),
});

export const auditRecord = z
  .object({
    chain: z.string(),
    n: z.int(),
    at: z.string(),
    username: z.string(),
    surface: z.string(),
    origin: z.string().describe('web, command, or the name of the MCP client'),
    server: z.string(),
    tool: z.string(),
    decision: z.string(),
    code: z.string().nullable(),
    ms: z.number(),
    rows: z.int(),
    requestId: z.string(),
    input: z.string().describe('Without secrets'),
    confirmationId: z.string().optional(),
    askedAt: z.string().optional().describe('When an approved change was asked for'),
    records: z.array(z.string()).optional().describe('The records that a write changed, as <type>/<id>'),
    changes: z.unknown().optional(),
    reason: z.string().optional(),
  })
  .loose();
export const sealedRecord = auditRecord.extend({ mac: z.string() });
const missing = z.array(z.string()).optional().describe('Processes that keep records of their own and did not answer');
export const auditVerdict = z.union([
  z.object({ ok: z.literal(true), chains: z.array(z.object({ chain: z.string(), count: z.int(), checkpointed: z.int() })), missing }),
  z.object({ ok: z.literal(false), chain: z.string(), n: z.int(), problem: z.string(), missing }),
]);

export const readiness = z.object({
  status: z.enum(['ready', 'not_ready']),
  servers: z
    .array(z.object({ server: z.string(), title: z.string(), state: z.enum(['ok', 'unavailable']) }))
    .optional()
    .describe('For signed-in staff'),
});

const stopReason = z.enum(['done', 'calls', 'time', 'tokens', 'length', 'cancelled', 'error']);
export const conversationSummary = z.object({ id: z.uuid(), title: z.string(), startedAt: z.string(), updatedAt: z.string() });
export const conversation = conversationSummary.extend({
  untrusted: z.boolean(),
  exchanges: z.array(
    z.object({
      at: z.string(),
      question: z.string(),
      stopped: stopReason,
      text: z.string(),
      calls: z.array(z.object({ id: z.string(), name: z.string(), input: record, status: z.string(), result: answer })),
    }),
  ),
});

const call = { id: z.string(), server: z.string(), tool: z.string() };
export const assistantEvent = z.union([
  z.object({
    type: z.literal('start'),
    conversationId: z.string(),
    model: z.string(),
    requestId: z.string(),
    unavailable: z.array(z.object({ server: z.string(), title: z.string() })).optional(),
  }),
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('tool_call'), ...call, title: z.string(), kind: z.string(), input: record }),
  z.object({
    type: z.literal('tool_result'),
    ...call,
    status: z.enum(['success', 'error', 'pending_confirmation']),
    code: z.string().optional(),
    ms: z.number(),
    rows: z.int(),
    hasMore: z.boolean(),
    requestId: z.string(),
    untrusted: z.boolean(),
    result: answer,
  }),
  z.object({ type: z.literal('pending_confirmation'), id: z.string(), confirmationId: z.string(), message: z.string(), confirmationData }),
  z.object({
    type: z.literal('pagination'),
    ...call,
    hasMore: z.literal(true),
    nextCursor: z.string().optional(),
    returnedCount: z.int(),
    totalEstimate: z.string(),
    warning: z.string().optional(),
  }),
  z.object({ type: z.literal('service_unavailable'), server: z.string(), title: z.string(), message: z.string() }),
  errorAnswer.omit({ status: true }).extend({ type: z.literal('error') }),
  z.object({
    type: z.literal('stop'),
    reason: stopReason,
    calls: z.int(),
    ms: z.number(),
    tokens: z.object({ input: z.int(), output: z.int() }),
  }),
]);
