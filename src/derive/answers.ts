/** Derives the published JSON Schemas of a tool's input and answers. */
import { z } from 'zod';
import { type Company, DEFAULT_COMPANY, textFor } from '../declare/company.ts';
import { companyText, originOf, untrusted } from '../declare/fields.ts';
import { canWrite, type ListTool, type Tool } from '../declare/tool.ts';

/** The fixed date of generated examples. It keeps the contracts stable. */
export const EXAMPLE_DAY = '2026-11-16';

export const metadata = z.object({
  hasMore: z.boolean(),
  nextCursor: companyText.optional(),
  returnedCount: z.int(),
  totalEstimate: companyText,
  hint: companyText.optional(),
  truncated: z.boolean(),
  totalCount: companyText,
  count: z.int().optional().describe('The exact number of rows on all pages, if the input says so'),
  warning: companyText.optional(),
});

export const errorAnswer = z.object({
  status: z.literal('error'),
  code: z.string(),
  message: z.string(),
  suggestedAction: z.string(),
  retryable: z.boolean(),
  details: z.record(z.string(), z.unknown()).optional(),
});

export const confirmationData = z.object({
  action: z.string(),
  mcpServer: z.string(),
  userId: z.string(),
  timestamp: z.int(),
  expiresAt: z.string(),
  approvalUrl: z.string(),
  summary: z.string(),
  subject: z.object({ label: z.string(), id: z.string() }),
  changes: z.array(
    z.object({
      field: z.string(),
      label: z.string(),
      from: z.unknown(),
      to: z.unknown(),
      format: z.enum(['text', 'money', 'date', 'number', 'days']),
      currency: z.string().optional().describe('ISO 4217 code of an amount of money'),
    }),
  ),
  reason: z.string().nullable(),
  destructive: z.boolean(),
  origin: z.string(),
  because: z.string().optional(),
  afterwards: z.string().optional().describe('For a removal: whether and how it can be undone'),
});

export const pendingAnswer = z.object({
  status: z.literal('pending_confirmation'),
  confirmationId: z.uuid(),
  message: z.string(),
  confirmationData,
});

const metadataOf = ({ totals }: ListTool) => {
  if (!totals) return metadata;
  const { schema, hoisted } = totals;
  // A call with derived filters has no totals.
  const hoistedFields = Object.fromEntries(hoisted.map((key) => [key, (schema.shape[key] as z.ZodType).optional()]));
  return metadata.extend({ summary: schema.optional(), ...hoistedFields });
};

export const successOf = (tool: Tool) =>
  z.object({
    status: z.literal('success'),
    data: tool.output,
    ...(tool.kind === 'list' && { metadata: metadataOf(tool) }),
    ...(tool.kind === 'history' && { metadata }),
    ...(canWrite(tool) && { message: untrusted.optional().describe('What was done, in one sentence') }),
  });

/** The possible direct answers to a call. The result of an approved write (`resultOf`) comes later. */
export const answerOf = (tool: Tool) => {
  if (tool.kind !== 'write') return z.union([successOf(tool), errorAnswer]);
  return tool.atOnceWhen === undefined ? z.union([pendingAnswer, errorAnswer]) : z.union([successOf(tool), pendingAnswer, errorAnswer]);
};
export const resultOf = (tool: Tool) => z.union([successOf(tool), errorAnswer]);

type JsonSchema = Readonly<Record<string, unknown>>;
const schemaCache = new WeakMap<z.core.$ZodType, Map<string, JsonSchema>>();

/** Returns the JSON Schema without `$schema`. Cached, because every transport needs the same schemas at startup. */
export function jsonSchema(schema: z.core.$ZodType, io: 'input' | 'output', company: Company = DEFAULT_COMPANY): JsonSchema {
  const cached = schemaCache.get(schema) ?? new Map<string, JsonSchema>();
  const key = `${io} ${company.currency} ${company.fiscalYearStart}`;
  const known = cached.get(key) ?? createJsonSchema(schema, io, company);
  schemaCache.set(schema, cached.set(key, known));
  return known;
}
export const inputSchema = ({ input, company }: Tool): JsonSchema => jsonSchema(input, 'input', company);
export const outputSchema = ({ output, company }: Tool): JsonSchema => jsonSchema(output, 'output', company);

/** The JSON Schema of a tool's successful answer, with the declared `origin` of each text. The published schema leaves `origin` out. */
export function schemaWithOrigins(tool: Tool): Readonly<Record<string, unknown>> {
  const override = ({ zodSchema, jsonSchema: part }: { zodSchema: z.core.$ZodType; jsonSchema: Record<string, unknown> }) => {
    const origin = originOf(zodSchema);
    if (origin !== undefined) part['origin'] = origin;
  };
  return z.toJSONSchema(successOf(tool), { io: 'output', unrepresentable: 'any', override }) as Record<string, unknown>;
}

const TEXTS = ['title', 'description', 'unit'] as const;

function createJsonSchema(schema: z.core.$ZodType, io: 'input' | 'output', company: Company): Record<string, unknown> {
  const override = ({ jsonSchema: part }: { jsonSchema: Record<string, unknown> }) => {
    // The format is enough. The regular expression of an id costs an LLM about a hundred characters of context.
    if (part['format'] !== undefined) delete part['pattern'];
    if (part['fiscalYearStart'] !== undefined) {
      if (company.fiscalYearStart === 1) delete part['fiscalYearStart'];
      else part['fiscalYearStart'] = company.fiscalYearStart;
    }
    for (const key of TEXTS) if (typeof part[key] === 'string') part[key] = textFor(part[key], company);
  };
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override }) as Record<string, unknown>;
  return rest;
}
