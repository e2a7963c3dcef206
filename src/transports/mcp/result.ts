import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Answer } from '../../core/answer.ts';
import type { Exchange } from './exchange.ts';
import type { McpOptions } from './options.ts';

type Wording = Pick<McpOptions, 'describe' | 'embed' | 'log'>;

/** The line above the data. Whoever shows nothing else still shows where a waiting change is decided. */
function lineOf(wording: Wording, { name, args, requestId }: Exchange, answer: Answer): string {
  let line: string;
  try {
    line = wording.describe(name, answer, args);
  } catch (error) {
    // The call has happened; its answer is worth more than its summary.
    wording.log.error({ requestId, tool: name, error }, 'an answer could not be summarised');
    line = answer.status === 'success' ? 'Done.' : answer.message;
  }
  if (/[\r\n]/.test(line)) line = line.replace(/\s*[\r\n]+\s*/g, ' ');
  if (answer.status !== 'pending_confirmation') return line;
  const { approvalUrl } = answer.confirmationData;
  return line.includes(approvalUrl) ? line : `${line} Nothing is written until you approve it here: ${approvalUrl}`;
}

/** What stands under the line. `json` is the whole answer. */
function resourceOf(wording: Wording, { name, args, requestId }: Exchange, answer: Answer, json: string) {
  const other = wording.embed?.(name, answer, args);
  return { uri: other?.uri ?? `tamshai://answers/${requestId}`, mimeType: 'application/json', text: other?.json ?? json };
}

/** The inside of a tools/call result as JSON text, without `_meta`: the answer is serialised once. */
export function callInside(wording: Wording, exchange: Exchange, answer: Answer): string {
  const json = JSON.stringify(answer);
  const line = JSON.stringify(lineOf(wording, exchange, answer));
  const resource = JSON.stringify(resourceOf(wording, exchange, answer, json));
  return `"content":[{"type":"text","text":${line}},{"type":"resource","resource":${resource}}],"structuredContent":${json}${answer.status === 'error' ? ',"isError":true' : ''}`;
}

/** The same as an object, for the SDK. */
export function callResult(wording: Wording, exchange: Exchange, answer: Answer): CallToolResult {
  return {
    content: [
      { type: 'text', text: lineOf(wording, exchange, answer) },
      { type: 'resource', resource: resourceOf(wording, exchange, answer, JSON.stringify(answer)) },
    ],
    structuredContent: { ...answer },
    ...(answer.status === 'error' && { isError: true }),
    _meta: { requestId: exchange.requestId },
  };
}
