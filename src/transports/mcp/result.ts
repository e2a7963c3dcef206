/** Builds tools/call results: a line of text, the embedded answer and the structured answer. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Answer } from '../../declare/answer.ts';
import type { Exchange } from './exchange.ts';
import type { McpOptions } from './options.ts';

type Formatting = Pick<McpOptions, 'describe' | 'embed' | 'log'>;

/** The text line. It contains the approval URL, since some clients show nothing else. */
function lineOf(formatting: Formatting, { name, args, requestId }: Exchange, answer: Answer): string {
  let line: string;
  try {
    line = formatting.describe(name, answer, args);
  } catch (error) {
    // The call may have written, so its answer is sent even without a summary.
    formatting.log.error({ requestId, tool: name, error }, 'summary of an answer failed');
    line = answer.status === 'success' ? 'Done.' : answer.message;
  }
  if (/[\r\n]/.test(line)) line = line.replace(/\s*[\r\n]+\s*/g, ' ');
  if (answer.status !== 'pending_confirmation') return line;
  const { approvalUrl } = answer.confirmationData;
  return line.includes(approvalUrl) ? line : `${line} Nothing is written until you approve it here: ${approvalUrl}`;
}

/** The embedded resource. `json` is the whole answer. */
function resourceOf(formatting: Formatting, { name, args, requestId }: Exchange, answer: Answer, json: string) {
  const other = formatting.embed?.(name, answer, args);
  return { uri: other?.uri ?? `tamshai://answers/${requestId}`, mimeType: 'application/json', text: other?.json ?? json };
}

/** The members of a tools/call result as JSON text, without `_meta`. Serialises the answer once. */
export function callInside(formatting: Formatting, exchange: Exchange, answer: Answer): string {
  const json = JSON.stringify(answer);
  const line = JSON.stringify(lineOf(formatting, exchange, answer));
  const resource = JSON.stringify(resourceOf(formatting, exchange, answer, json));
  const isError = answer.status === 'error' ? ',"isError":true' : '';
  return `"content":[{"type":"text","text":${line}},{"type":"resource","resource":${resource}}],"structuredContent":${json}${isError}`;
}

/** The same result as an object, for the SDK. */
export function callResult(formatting: Formatting, exchange: Exchange, answer: Answer): CallToolResult {
  return {
    content: [
      { type: 'text', text: lineOf(formatting, exchange, answer) },
      { type: 'resource', resource: resourceOf(formatting, exchange, answer, JSON.stringify(answer)) },
    ],
    structuredContent: { ...answer },
    ...(answer.status === 'error' && { isError: true }),
    _meta: { requestId: exchange.requestId },
  };
}
