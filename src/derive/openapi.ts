/** Generates the OpenAPI 3.1 document of the REST API from the declarations. */
import { z } from 'zod';
import { toolFailure } from '../declare/errors.ts';
import type { Registry } from '../engine/registry.ts';
import type { Tool } from '../declare/tool.ts';
import { confirmationData, EXAMPLE_DAY, errorAnswer, inputSchema, jsonSchema, metadata, pendingAnswer, successOf } from './answers.ts';
import { auditFilters } from '../engine/audit/filters.ts';
import { historyEvent } from '../engine/history/tool.ts';
import { memoize, nextTurn } from '../engine/turns.ts';
import {
  answer,
  assistantEvent,
  auditRecord,
  auditVerdict,
  confirmation,
  conversation,
  conversationSummary,
  readiness,
  sealedRecord,
  successAnswer,
  toolList,
  user,
} from './shapes.ts';

type Json = Record<string, unknown>;
const json = (schema: Json, examples?: Json) => ({ 'application/json': { schema, ...(examples && { examples }) } });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const failureResponse = (description: string) => ({ description, content: json(ref('Error')) });

/** The schema name of an event: `tool_call` becomes AssistantToolCallEvent. */
const eventName = (type: string) => `Assistant${type.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`;
const [auditIntact, auditDamaged] = auditVerdict.options;

/**
 * The named schemas of the document and of the generated types. All members of a union need a name, because client generators lose members
 * without one.
 */
const SHAPES = {
  Error: errorAnswer,
  Pending: pendingAnswer,
  Success: successAnswer,
  Answer: answer,
  Confirmation: confirmation,
  User: user,
  ToolList: toolList,
  AuditRecord: auditRecord,
  SealedRecord: sealedRecord,
  AuditVerdict: auditVerdict,
  Readiness: readiness,
  ConversationSummary: conversationSummary,
  Conversation: conversation,
  AssistantEvent: assistantEvent,
  ConfirmationData: confirmationData,
  AuditIntact: auditIntact,
  AuditDamaged: auditDamaged,
} satisfies Readonly<Record<string, z.ZodType>>;

export function namedShapes(): Json {
  const events = assistantEvent.options.map((event): [string, z.ZodType] => [eventName(event.shape.type.value), event]);
  const whole = [...Object.entries(SHAPES), ...events].map(([name, shape]) => [name, jsonSchema(shape, 'output')] as const);
  const names = new Map(whole.map(([name, schema]) => [JSON.stringify(schema), name]));
  const withReferences = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(withReferences);
    if (typeof part !== 'object' || part === null) return part;
    const name = names.get(JSON.stringify(part));
    return name === undefined ? withReferencesInside(part) : ref(name);
  };
  const withReferencesInside = (schema: object): Json =>
    Object.fromEntries(Object.entries(schema).map(([key, value]: [string, unknown]) => [key, withReferences(value)]));
  return Object.fromEntries(whole.map(([name, schema]) => [name, withReferencesInside(schema)]));
}

const COMMON_FAILURES: Json = {
  400: failureResponse('VALIDATION_ERROR, INVALID_CURSOR: the input does not match its schema, or the cursor is not valid'),
  401: failureResponse('UNAUTHENTICATED: the token is missing, or not valid for this audience'),
  403: failureResponse('INSUFFICIENT_PERMISSIONS, IDENTITY_NOT_LINKED, SEPARATION_OF_DUTIES or a similar code: you may not do this'),
  404: failureResponse('It does not exist, or you may not see it; the answer is the same'),
  409: failureResponse('The current state of the data does not allow this'),
  413: failureResponse('PAYLOAD_TOO_LARGE'),
  415: failureResponse('UNSUPPORTED_MEDIA_TYPE'),
  429: failureResponse('RATE_LIMITED: wait for Retry-After seconds'),
  500: failureResponse('INTERNAL_ERROR, with a request id'),
  503: failureResponse('SERVICE_UNAVAILABLE, DATABASE_ERROR: try again in a moment'),
  504: failureResponse('TIMEOUT'),
};

const COMMON_RESPONSES: Json = Object.fromEntries(
  Object.keys(COMMON_FAILURES).map((status) => [status, { $ref: `#/components/responses/${status}` }]),
);

const successes = new WeakMap<Tool, Json>();
/** Cached, because the schema of a write appears twice. */
function successSchema(tool: Tool): Json {
  const schema = successes.get(tool) ?? jsonSchema(successOf(tool), 'output', tool.company);
  successes.set(tool, schema);
  return schema;
}

function answered(tool: Tool): Json {
  const success = successSchema(tool);
  if (tool.kind !== 'write') return { description: tool.title, content: json(success) };
  if (tool.atOnceWhen === undefined) return { description: 'Waits for approval', content: json(ref('Pending')) };
  return { description: `Done when ${tool.atOnceWhen}, else waits for approval`, content: json({ anyOf: [success, ref('Pending')] }) };
}

function toolPath(tool: Tool): [string, Json] {
  const byStatus = new Map<string, string[]>();
  for (const code of Object.keys(tool.errors)) {
    const { status, suggestedAction } = toolFailure(code, tool.errors);
    byStatus.set(String(status), [...(byStatus.get(String(status)) ?? []), `${code}: ${suggestedAction}`]);
  }
  const own = [...byStatus].map(([status, texts]) => [status, failureResponse(texts.join(' '))]);
  const examples = Object.fromEntries(tool.examples.map(({ question, input }) => [question, { value: input(EXAMPLE_DAY) }]));
  return [
    `/api/tools/${tool.domain.name}/${tool.name}`,
    {
      post: {
        operationId: `${tool.domain.name}_${tool.name}`,
        summary: tool.title,
        description: `${tool.description}\n\nFor: ${tool.roles.join(', ')}.`,
        tags: [tool.domain.name],
        'x-kind': tool.kind,
        requestBody: { required: true, content: json(inputSchema(tool), tool.examples.length > 0 ? examples : undefined) },
        responses: { 200: answered(tool), ...COMMON_RESPONSES, ...(Object.fromEntries(own) as Json) },
      },
    },
  ];
}

const cancelled = z.object({ status: z.literal('cancelled'), confirmationId: z.uuid(), message: z.string() });
const historyPage = z.object({ status: z.literal('success'), data: z.array(historyEvent), metadata });
const auditPage = z.object({
  status: z.literal('success'),
  data: z.array(auditRecord),
  metadata: z.object({
    hasMore: z.boolean(),
    returnedCount: z.int(),
    nextCursor: z.string().optional(),
    recordedBy: z.array(z.string()).optional().describe('For staff: the processes whose records are included'),
    missing: z.array(z.string()).optional().describe('For staff: processes that keep records of their own and did not answer'),
    warning: z.string().optional().describe('Present if records of some processes are missing'),
  }),
});
const idParameter = { name: 'confirmationId', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } };

const operation = (summary: string, schema: Json, more: Json = {}) => ({
  summary,
  responses: { 200: { description: summary, content: json(schema) }, ...COMMON_RESPONSES },
  ...more,
});
const succeeded = (name: keyof typeof SHAPES, list = false): Json => ({
  type: 'object',
  properties: { status: { const: 'success' }, data: list ? { type: 'array', items: ref(name) } : ref(name) },
  required: ['status', 'data'],
  additionalProperties: false,
});
const success = (data: z.ZodType) => jsonSchema(z.object({ status: z.literal('success'), data }), 'output');

const STREAM =
  'Answers with server-sent events, each `data: {json}` with a `type`: start, text, tool_call, tool_result, pending_confirmation, ' +
  'pagination, service_unavailable, error, stop; then `data: [DONE]`.';
const ASKED = { type: 'string', minLength: 1, maxLength: 4000 };
const CONVERSATION = {
  type: 'string',
  format: 'uuid',
  description: 'The conversation of yours to continue; without it, a new one begins',
};
const conversationParameter = { name: 'conversationId', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } };
const question = (summary: string, operationId: string, more: Json) => ({
  operationId,
  summary,
  tags: ['assistant'],
  ...more,
  responses: {
    200: {
      description: 'The answer as a stream of events',
      content: {
        'text/event-stream': {
          schema: { description: 'Each event is a line "data: " with an AssistantEvent; the last one is "data: [DONE]".' },
        },
      },
    },
    ...COMMON_RESPONSES,
  },
});

function gatewayPaths(registry: Registry): Json {
  const results = registry.tools.filter(({ kind }) => kind === 'write').map(successSchema);
  return {
    '/api/confirm/{confirmationId}': {
      post: operation(
        'Approve or deny a waiting change',
        { anyOf: [...results, jsonSchema(cancelled, 'output')] },
        {
          operationId: 'confirm',
          tags: ['approvals'],
          description:
            'Only a signed-in person can do this, in a browser session or with the command in a terminal. An approval ' +
            'executes the stored input once.',
          parameters: [idParameter],
          requestBody: {
            required: true,
            content: json({
              type: 'object',
              properties: { approved: { type: 'boolean' } },
              required: ['approved'],
              additionalProperties: false,
            }),
          },
        },
      ),
    },
    '/api/confirmations': {
      get: operation('What waits for me, or what I decided in the last day', succeeded('Confirmation', true), {
        operationId: 'confirmations',
        tags: ['approvals'],
        parameters: [{ name: 'decided', in: 'query', schema: { enum: ['true', 'false'] } }],
      }),
    },
    '/api/confirmations/{confirmationId}': {
      get: operation('One change that I asked for, also after the decision', succeeded('Confirmation'), {
        operationId: 'confirmation',
        tags: ['approvals'],
        parameters: [idParameter],
      }),
    },
    '/api/query': {
      post: question('Ask the assistant', 'askAssistant', {
        description: `${STREAM} Changes wait for an approval, except those of tools that write at once.`,
        requestBody: {
          required: true,
          content: json({
            type: 'object',
            properties: { query: ASKED, conversationId: CONVERSATION },
            required: ['query'],
            additionalProperties: false,
          }),
        },
      }),
      get: question('Ask the assistant for something to read', 'readWithAssistant', {
        description: `${STREAM} Only tools that read are used, and only a token in the Authorization header counts.`,
        parameters: [
          { name: 'query', in: 'query', required: true, schema: ASKED },
          { name: 'conversationId', in: 'query', schema: CONVERSATION },
        ],
      }),
    },
    '/api/conversations': {
      get: operation('My conversations, the newest first', succeeded('ConversationSummary', true), {
        operationId: 'conversations',
        tags: ['assistant'],
      }),
    },
    '/api/conversations/{conversationId}': {
      get: operation('One conversation of mine, question by question', succeeded('Conversation'), {
        operationId: 'conversation',
        tags: ['assistant'],
        parameters: [conversationParameter],
      }),
      delete: operation('Erase a conversation of mine', success(z.object({ id: z.uuid(), erased: z.literal(true) })), {
        operationId: 'eraseConversation',
        tags: ['assistant'],
        parameters: [conversationParameter],
      }),
    },
    '/api/user/info': {
      get: operation('Who am I', succeeded('User'), { operationId: 'userInfo', tags: ['user'] }),
    },
    '/api/user/mcp-tools': {
      get: operation('Which tools may I use', succeeded('ToolList'), { operationId: 'userTools', tags: ['user'] }),
    },
    '/api/history/{server}/{type}/{id}': {
      get: operation('Who changed a record, and what: the newest change first', jsonSchema(historyPage, 'output'), {
        operationId: 'history',
        tags: ['audit'],
        parameters: [
          ...['server', 'type', 'id'].map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 50 } },
          { name: 'cursor', in: 'query', schema: { type: 'string' } },
        ],
      }),
    },
    '/api/audit': {
      get: operation('The audit log, newest first: executives see all records, others only their own', jsonSchema(auditPage, 'output'), {
        operationId: 'audit',
        tags: ['audit'],
        parameters: [
          ...Object.entries(jsonSchema(auditFilters, 'input')['properties'] as Json).map(([name, schema]) => ({
            name,
            in: 'query',
            schema,
          })),
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 50 } },
          { name: 'cursor', in: 'query', schema: { type: 'string' } },
        ],
      }),
    },
    '/api/audit/{chain}/{n}': {
      get: operation('One record of the audit log', succeeded('SealedRecord'), {
        operationId: 'auditRecord',
        tags: ['audit'],
        parameters: [
          { name: 'chain', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'n', in: 'path', required: true, schema: { type: 'integer' } },
        ],
      }),
    },
    '/api/audit/verify': {
      get: operation('Verify the whole audit log (executives)', succeeded('AuditVerdict'), {
        operationId: 'auditVerify',
        tags: ['audit'],
      }),
    },
    '/health': {
      get: {
        operationId: 'health',
        tags: ['operations'],
        summary: 'The process is alive',
        security: [],
        responses: {
          200: { description: 'Alive', content: json({ type: 'object', properties: { status: { const: 'ok' } }, required: ['status'] }) },
        },
      },
    },
    '/ready': {
      get: {
        operationId: 'ready',
        tags: ['operations'],
        summary: 'All needed stores answer',
        security: [],
        responses: {
          200: { description: 'Ready', content: json(ref('Readiness')) },
          503: { description: 'Not ready', content: json(ref('Readiness')) },
        },
      },
    },
  };
}

export function openapi(registry: Registry, version: string): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tamshai',
      version,
      description:
        'Every tool as a plain HTTP call. Send a token for the `/api` audience; each answer is one of success, ' +
        'error and pending_confirmation.',
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags: [
      ...registry.domains.map(({ name, title }) => ({ name, description: title })),
      { name: 'assistant' },
      { name: 'approvals' },
      { name: 'user' },
      { name: 'audit' },
      { name: 'operations' },
    ],
    paths: { ...Object.fromEntries(registry.tools.map(toolPath)), ...gatewayPaths(registry) },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      responses: COMMON_FAILURES,
      schemas: namedShapes(),
    },
  };
}

/** Creates the document at the first call. It handles one tool per turn of the event loop, so that other requests need not wait. */
export function openapiDocument(registry: Registry, version: string): () => Promise<Buffer> {
  return memoize(async () => {
    for (const tool of registry.tools) {
      toolPath(tool);
      await nextTurn();
    }
    const document = openapi(registry, version);
    await nextTurn();
    return Buffer.from(JSON.stringify(document));
  });
}
