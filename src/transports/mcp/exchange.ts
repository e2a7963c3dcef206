import type { ServerResponse } from 'node:http';
import type { Answer } from '../../core/answer.ts';
import type { Caller } from '../../core/caller.ts';
import { Failure, failure } from '../../core/errors.ts';
import type { Logger } from '../../core/ports.ts';
import type { ToolCall } from './tool-call.ts';

interface Rules {
  call(call: ToolCall): Promise<Answer> | undefined;
  readonly log: Logger;
}

/**
 * One HTTP request of one caller, whichever leg answers it. A tool is run at most once in it: the hot leg may find out only
 * afterwards that the SDK has to give the answer, and the SDK then finds the answer here.
 */
export class Exchange implements ToolCall {
  readonly caller: Caller;
  readonly servers: ReadonlySet<string> | undefined;
  readonly requestId: string;
  name = '';
  args: unknown;
  clientName: string | undefined;
  /** The 2025 session that it belongs to; where it is at home, with what is known of its subscriptions. */
  session: { readonly id: string; readonly home?: { readonly progress: Map<string, unknown> } } | undefined;
  readonly #rules: Rules;
  readonly #res: ServerResponse;
  #answer: Promise<Answer> | undefined;
  #performed = false;
  #abort: AbortController | undefined;

  constructor(rules: Rules, res: ServerResponse, who: { caller: Caller; servers: ReadonlySet<string> | undefined; requestId: string }) {
    this.#rules = rules;
    this.#res = res;
    this.caller = who.caller;
    this.servers = who.servers;
    this.requestId = who.requestId;
  }

  /** Whether a tool was asked for, there or not. */
  get performed(): boolean {
    return this.#performed;
  }

  /** Undefined when there is no such tool. Never rejects. */
  perform(name: string, args: unknown): Promise<Answer> | undefined {
    if (this.#answer !== undefined) return this.#answer;
    this.#performed = true;
    this.name = name;
    this.args = args;
    try {
      this.#answer = this.#rules.call(this)?.catch((thrown: unknown) => this.#broken(thrown));
    } catch (thrown) {
      this.#answer = Promise.resolve(this.#broken(thrown));
    }
    return this.#answer;
  }

  /** Made on demand: most calls are over before anyone would look. */
  get signal(): AbortSignal {
    return this.#controller().signal;
  }

  /** The client took the request back without closing the connection. */
  cancel(): void {
    this.#controller().abort();
  }

  #controller(): AbortController {
    if (this.#abort !== undefined) return this.#abort;
    const abort = new AbortController();
    const gone = () => {
      if (!this.#res.writableFinished) abort.abort();
    };
    if (this.#res.destroyed) gone();
    else this.#res.once('close', gone);
    this.#abort = abort;
    return abort;
  }

  #broken(thrown: unknown): Answer {
    if (thrown instanceof Failure) return thrown.answer();
    const { requestId } = this;
    this.#rules.log.error({ requestId, tool: this.name, error: thrown }, 'a tool call broke');
    return failure('INTERNAL_ERROR', 'Something went wrong on our side.', { requestId }).answer();
  }
}
