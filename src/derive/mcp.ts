/** Converts tools and answers to MCP. */
import type { Answer } from '../declare/answer.ts';
import { snakeCase } from '../declare/display.ts';
import { qualifiedName } from '../engine/registry.ts';
import { effectOf, type ListTool, type Tool } from '../declare/tool.ts';
import { inputSchema, outputSchema } from './answers.ts';

export interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Record<string, unknown>;
  readonly outputSchema: Record<string, unknown>;
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: false;
  };
}

const WAITS = ' Nothing is changed by the call itself: it answers pending_confirmation with a link where the person approves.';
const waitsUnless = (own: string | undefined) =>
  own === undefined
    ? WAITS
    : ` Happens at once when ${own}; otherwise nothing is changed by the call itself: it answers pending_confirmation with a ` +
      'link where the person approves.';

export function mcpTool(tool: Tool, qualified: boolean): McpTool {
  const effect = effectOf(tool);
  return {
    name: qualified ? qualifiedName(tool) : tool.name,
    title: tool.title,
    description: tool.description + (tool.kind === 'write' ? waitsUnless(tool.atOnceWhen) : ''),
    inputSchema: inputSchema(tool),
    outputSchema: answerSchema(tool),
    annotations: {
      title: tool.title,
      readOnlyHint: effect === undefined,
      destructiveHint: effect === 'changes' || effect === 'removes',
      idempotentHint: effect !== 'adds',
      openWorldHint: false,
    },
  };
}

/** The short form of a tool for `tools/list`, because an LLM reads the whole list. It omits value limits, which the server checks. */
export function listedTool(
  tool: Tool,
  qualified: boolean,
): Omit<McpTool, 'annotations'> & { readonly annotations: Omit<McpTool['annotations'], 'title' | 'openWorldHint'> } {
  const {
    inputSchema,
    annotations: { title: _title, openWorldHint: _open, ...annotations },
    ...listed
  } = mcpTool(tool, qualified);
  const { data } = (listed.outputSchema as { properties: { data: Schema } }).properties;
  const status = { enum: tool.kind === 'write' ? ['success', 'pending_confirmation', 'error'] : ['success', 'error'] };
  return {
    ...listed,
    ...(tool.kind === 'list' && derivedNote(tool) !== '' && { description: listed.description + derivedNote(tool) }),
    inputSchema: brief(tool.kind === 'list' ? withShortFilters(tool, inputSchema) : inputSchema),
    outputSchema: { type: 'object', properties: { status, data: outlined(data) }, required: ['status'] },
    annotations,
  };
}

type Schema = Readonly<Record<string, unknown>>;
const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);
const LIMITS: ReadonlySet<string> = new Set([
  'minLength',
  'maxLength',
  'maxItems',
  'minItems',
  'pattern',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'unit',
  'additionalProperties',
]);
const FEW = 3;

/** The description of the filters that `withShortFilters` shortens, once per tool. */
const derivedNote = ({ fields }: ListTool): string => (fields.length === 0 ? '' : ' Filters: value, list of values or { from, to }.');

/** Shortens the filters that follow from the fields of the rows. They have one form in all lists, and an LLM pays for each token. */
function withShortFilters(tool: ListTool, schema: Schema): Schema {
  const own = inputSchema({ ...tool, input: tool.ownInput })['properties'] as Schema;
  // Filters by an exact text are left out: the web app uses them to open the rows of a figure, and an LLM uses the tool's own inputs.
  const isText = (name: string) => tool.fields.some((field) => field.name === name && field.type === 'text');
  const names = Object.keys(schema['properties'] as Schema).filter((name) => Object.hasOwn(own, name) || !isText(name));
  return { ...schema, properties: Object.fromEntries(names.map((name) => [name, own[name] ?? {}])) };
}

function brief(schema: Schema): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (LIMITS.has(key)) continue;
    if (key === 'properties' && isSchema(value))
      kept[key] = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, isSchema(each) ? brief(each) : each]));
    else if (key === 'examples' && Array.isArray(value)) kept[key] = value.slice(0, FEW);
    else if (key === 'anyOf' && Array.isArray(value)) kept[key] = value.map((each: unknown) => (isSchema(each) ? brief(each) : each));
    else kept[key] = isSchema(value) ? brief(value) : value;
  }
  return kept;
}

function outlined({ type, items, required }: Schema): Record<string, unknown> {
  return {
    ...(type !== undefined && required === undefined && { type }),
    ...(required !== undefined && { required }),
    ...(isSchema(items) && { items: outlined(items) }),
  };
}

/** One flat object for all answers, because clients require an object and an LLM pays for each token. */
function answerSchema(tool: Tool): Record<string, unknown> {
  const text = { type: 'string' };
  const waits = tool.kind === 'write';
  const answer = {
    data: outputSchema(tool),
    ...((tool.kind === 'list' || tool.kind === 'history') && { metadata: { type: 'object' } }),
    ...(waits && { confirmationId: text, confirmationData: { type: 'object' } }),
  };
  return {
    type: 'object',
    properties: {
      status: { enum: ['success', 'error', ...(waits ? ['pending_confirmation'] : [])] },
      ...answer,
      code: text,
      message: text,
      suggestedAction: text,
      retryable: { type: 'boolean' },
    },
    required: ['status'],
  };
}

/** Returns the rows as a page of their resource. The URI contains the input. Undefined if the tool has no resource. */
export function embeddedAnswer(
  tool: Tool | undefined,
  answer: Answer,
  asked: unknown,
): { readonly uri: string; readonly json: string } | undefined {
  if (tool?.kind !== 'list' || tool.resource === undefined || answer.status !== 'success') return undefined;
  const given = Object.entries(typeof asked === 'object' && asked !== null ? asked : {}).flatMap(([key, value]) =>
    [value].flat().map((each) => [snakeCase(key), String(each)] as [string, string]),
  );
  const query = new URLSearchParams(given).toString();
  const { status, data: items, metadata } = answer;
  return {
    uri: `${tool.resource}${query && `?${query}`}`,
    json: JSON.stringify({ items, next_cursor: metadata?.nextCursor ?? null, status, metadata }),
  };
}

const ended = (sentence: string) => (sentence === '' || /[.!?]$/.test(sentence) ? sentence : `${sentence}.`);

/** One line of text for clients that ignore structured content. */
export function describeAnswer(
  tool: Tool | undefined,
  answer: {
    readonly status: string;
    readonly data?: unknown;
    readonly metadata?: { readonly hasMore: boolean; readonly warning?: string };
    readonly message?: string;
    readonly suggestedAction?: string;
    readonly confirmationData?: { readonly approvalUrl: string };
  },
  asked: unknown = {},
): string {
  if (answer.status === 'error') return `${ended(answer.message ?? '')} ${answer.suggestedAction ?? ''}`.trim();
  if (answer.status === 'pending_confirmation')
    return `${answer.message ?? ''} To decide, open ${answer.confirmationData?.approvalUrl ?? ''}`;
  const asGiven = typeof asked === 'object' && asked !== null ? { ...asked } : {};
  const summary = answer.message ?? tool?.summary(answer.data, asGiven) ?? 'Done';
  return answer.metadata?.warning ? `${summary.replace(/\.$/, '')}. ${answer.metadata.warning}` : summary;
}
