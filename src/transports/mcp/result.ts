import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Answer } from '../../core/answer.ts';
import type { Exchange } from './exchange.ts';
import type { McpOptions } from './options.ts';

type Wording = Pick<McpOptions, 'describe' | 'log'>;

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

const uriOf = ({ requestId }: Exchange) => `tamshai://answers/${requestId}`;

/** The inside of a tools/call result as JSON text, without `_meta`: the answer is serialised once and escaped once. */
export function callInside(wording: Wording, exchange: Exchange, answer: Answer): string {
  const json = JSON.stringify(answer);
  const line = JSON.stringify(lineOf(wording, exchange, answer));
  // A request id and hence the URI hold no character that JSON would escape.
  return `"content":[{"type":"text","text":${line}},{"type":"resource","resource":{"uri":"${uriOf(exchange)}","mimeType":"application/json","text":${JSON.stringify(json)}}}],"structuredContent":${json}${answer.status === 'error' ? ',"isError":true' : ''}`;
}

/** The same as an object, for the SDK. */
export function callResult(wording: Wording, exchange: Exchange, answer: Answer): CallToolResult {
  const text = JSON.stringify(answer);
  return {
    content: [
      { type: 'text', text: lineOf(wording, exchange, answer) },
      { type: 'resource', resource: { uri: uriOf(exchange), mimeType: 'application/json', text } },
    ],
    structuredContent: { ...answer },
    ...(answer.status === 'error' && { isError: true }),
    _meta: { requestId: exchange.requestId },
  };
}
