/** One authenticated MCP request and its result. The fast path and the SDK share it, so that its tool is called at most once. */
import type { ServerResponse } from 'node:http';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Answer } from '../../declare/answer.ts';
import type { Caller } from '../../engine/caller.ts';
import { Failure, failure } from '../../declare/errors.ts';
import type { Logger } from '../../engine/ports.ts';
import type { ToolCall } from './tool-call.ts';

interface ExchangeOptions {
  call(call: ToolCall): Promise<Answer> | undefined;
  readonly log: Logger;
}

/** If the fast path leaves the response to the SDK after the call, the SDK gets the same answer. */
export class Exchange implements ToolCall {
  readonly caller: Caller;
  readonly servers: ReadonlySet<string> | undefined;
  readonly requestId: string;
  name = '';
  args: unknown;
  clientName: string | undefined;
  /** The 2025 session of the request. `local` is set if the session is in this process. */
  session: { readonly id: string; readonly local?: { readonly progress: Map<string, unknown> } } | undefined;
  readonly #options: ExchangeOptions;
  readonly #res: ServerResponse;
  #answer: Promise<Answer> | undefined;
  #performed = false;
  #abort: AbortController | undefined;

  constructor(
    options: ExchangeOptions,
    res: ServerResponse,
    { caller, servers, requestId }: { caller: Caller; servers: ReadonlySet<string> | undefined; requestId: string },
  ) {
    this.#options = options;
    this.#res = res;
    this.caller = caller;
    this.servers = servers;
    this.requestId = requestId;
  }

  /** True after the first `perform`, even for an unknown tool. */
  get performed(): boolean {
    return this.#performed;
  }

  /** Calls the tool, or returns the answer of the first call. Undefined if there is no such tool. The promise never rejects. */
  perform(name: string, args: unknown): Promise<Answer> | undefined {
    if (this.#answer !== undefined) return this.#answer;
    this.#performed = true;
    this.name = name;
    this.args = args;
    try {
      this.#answer = this.#options.call(this)?.catch((thrown: unknown) => this.#unexpected(thrown));
    } catch (thrown) {
      this.#answer = Promise.resolve(this.#unexpected(thrown));
    }
    return this.#answer;
  }

  /** Creates the signal when code first reads it, because most calls end earlier. */
  get signal(): AbortSignal {
    return this.#controller().signal;
  }

  /** Called when the client cancels the request without closing the connection. */
  cancel(): void {
    this.#controller().abort();
  }

  #controller(): AbortController {
    if (this.#abort !== undefined) return this.#abort;
    const abort = new AbortController();
    const onClose = () => {
      if (!this.#res.writableFinished) abort.abort();
    };
    if (this.#res.destroyed) onClose();
    else this.#res.once('close', onClose);
    this.#abort = abort;
    return abort;
  }

  #unexpected(thrown: unknown): Answer {
    if (thrown instanceof Failure) return thrown.answer();
    const { requestId } = this;
    this.#options.log.error({ requestId, tool: this.name, error: thrown }, 'tool call failed unexpectedly');
    return failure('INTERNAL_ERROR', 'Something went wrong on our side.', { requestId }).answer();
  }
}

interface Formatting {
  describe(name: string, answer: Answer, asked: unknown): string;
  embed?(name: string, answer: Answer, asked: unknown): { readonly uri: string; readonly json: string } | undefined;
  readonly log: Logger;
}

/** The line of text. It must contain the approval URL, because some clients show nothing else. */
function lineOf(formatting: Formatting, { name, args, requestId }: Exchange, answer: Answer): string {
  let line: string;
  try {
    line = formatting.describe(name, answer, args);
  } catch (error) {
    // The call may have written, so its answer must reach the client.
    formatting.log.error({ requestId, tool: name, error }, 'summary of an answer failed');
    line = answer.status === 'success' ? 'Done.' : answer.message;
  }
  if (/[\r\n]/.test(line)) line = line.replace(/\s*[\r\n]+\s*/g, ' ');
  if (answer.status !== 'pending_confirmation') return line;
  const { approvalUrl } = answer.confirmationData;
  return line.includes(approvalUrl) ? line : `${line} Nothing is written until you approve it here: ${approvalUrl}`;
}

/** The embedded resource. `json` is the whole answer. */
function resourceOf(
  formatting: Formatting,
  { name, args, requestId }: Exchange,
  { answer, json }: { readonly answer: Answer; readonly json: string },
) {
  const other = formatting.embed?.(name, answer, args);
  return { uri: other?.uri ?? `tamshai://answers/${requestId}`, mimeType: 'application/json', text: other?.json ?? json };
}

/** The members of a tools/call result as JSON text, without `_meta`. It serialises the answer only once. */
export function callInside(formatting: Formatting, exchange: Exchange, answer: Answer): string {
  const json = JSON.stringify(answer);
  const line = JSON.stringify(lineOf(formatting, exchange, answer));
  const resource = JSON.stringify(resourceOf(formatting, exchange, { answer, json }));
  const isError = answer.status === 'error' ? ',"isError":true' : '';
  return `"content":[{"type":"text","text":${line}},{"type":"resource","resource":${resource}}],"structuredContent":${json}${isError}`;
}

/** The same result as an object, for the SDK. */
export function callResult(formatting: Formatting, exchange: Exchange, answer: Answer): CallToolResult {
  return {
    content: [
      { type: 'text', text: lineOf(formatting, exchange, answer) },
      { type: 'resource', resource: resourceOf(formatting, exchange, { answer, json: JSON.stringify(answer) }) },
    ],
    structuredContent: { ...answer },
    ...(answer.status === 'error' && { isError: true }),
    _meta: { requestId: exchange.requestId },
  };
}
