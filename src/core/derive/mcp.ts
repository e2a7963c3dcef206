/** How a tool is listed by MCP. */
import { qualifiedName } from '../registry.ts';
import type { Tool } from '../tool.ts';
import { jsonSchema } from './answers.ts';

export interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Record<string, unknown>;
  readonly outputSchema: Record<string, unknown>;
  readonly annotations: { readonly title: string; readonly readOnlyHint: boolean; readonly destructiveHint: boolean; readonly idempotentHint: boolean; readonly openWorldHint: false };
}

const WAITS = ' Nothing is changed by the call itself: it answers pending_confirmation with a link where the person approves.';
const waitsUnless = (own: string | undefined) =>
  own === undefined ? WAITS : ` Happens at once when ${own}; otherwise nothing is changed by the call itself: it answers pending_confirmation with a link where the person approves.`;

export function mcpTool(tool: Tool, qualified: boolean): McpTool {
  return {
    name: qualified ? qualifiedName(tool) : tool.name,
    title: tool.title,
    description: tool.description + (tool.kind === 'write' ? waitsUnless(tool.atOnceWhen) : ''),
    inputSchema: jsonSchema(tool.input, 'input'),
    outputSchema: outputSchema(tool),
    annotations: {
      title: tool.title,
      readOnlyHint: tool.kind === 'read' || tool.kind === 'list',
      destructiveHint: tool.effect === 'changes' || tool.effect === 'removes',
      idempotentHint: tool.effect !== 'adds',
      openWorldHint: false,
    },
  };
}

/** One flat object in place of a union of three: clients demand an object here, and a model pays for every word. */
function outputSchema(tool: Tool): Record<string, unknown> {
  const text = { type: 'string' };
  const waits = tool.kind === 'write';
  const answer = {
    data: jsonSchema(tool.output, 'output'),
    ...(tool.kind === 'list' && { metadata: { type: 'object' } }),
    // A client that opens the approval page by itself gets the write's own result in the end.
    ...(waits && { confirmationId: text, confirmationData: { type: 'object' } }),
  };
  return {
    type: 'object',
    properties: { status: { enum: ['success', 'error', ...(waits ? ['pending_confirmation'] : [])] }, ...answer, code: text, message: text, suggestedAction: text, retryable: { type: 'boolean' } },
    required: ['status'],
  };
}

/** One line for a client that shows text only. */
export function describeAnswer(tool: Tool | undefined, answer: { readonly status: string; readonly data?: unknown; readonly metadata?: { readonly hasMore: boolean; readonly warning?: string }; readonly message?: string; readonly suggestedAction?: string; readonly confirmationData?: { readonly approvalUrl: string } }, asked: unknown = {}): string {
  if (answer.status === 'error') return `${answer.message ?? ''} ${answer.suggestedAction ?? ''}`.trim();
  if (answer.status === 'pending_confirmation') return `${answer.message ?? ''} To decide, open ${answer.confirmationData?.approvalUrl ?? ''}`;
  const says = tool?.says(answer.data, typeof asked === 'object' && asked !== null ? { ...asked } : {}) ?? 'Done';
  return answer.metadata?.warning ? `${says.replace(/\.$/, '')}. ${answer.metadata.warning}` : says;
}
