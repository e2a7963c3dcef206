/** The agent loop: asks the model, makes its tool calls, and repeats until the model answers or a limit is reached. */
import type { Answer } from '../declare/answer.ts';
import type { Caller } from '../engine/caller.ts';
import { Failure, failure } from '../declare/errors.ts';
import type { Clock, Logger } from '../engine/ports.ts';
import type { Registry } from '../engine/registry.ts';
import type { CallRequest } from '../engine/runtime.ts';
import { canWrite, type Tool } from '../declare/tool.ts';
import { FIND_TOOLS, type Toolbox, tokensOf } from './toolbox.ts';
import { type Conversation, type Exchange, type StoredMessage, recallMessages } from './conversations.ts';
import type { Emit, MissingServer, StopReason } from './events.ts';
import { fenceAnswer, createMarker, stripInvisible } from './fence.ts';
import { instructionsFor } from './instructions.ts';
import type { Model, OfferedTool, Message, ToolCall } from './model.ts';
import { closingNotes, type CallOutcome, isUnavailable } from './closing-notes.ts';
import { holdsUntrustedText } from './untrusted-text.ts';

export interface QuestionLimits {
  readonly calls: number;
  readonly tickets: number;
  readonly seconds: number;
  readonly resultBytes: number;
  readonly textBytes: number;
  readonly tokens: number;
}
export const LIMITS: QuestionLimits = { calls: 12, tickets: 3, seconds: 60, resultBytes: 64 * 1024, textBytes: 64 * 1024, tokens: 120_000 };
/** Results of earlier questions are truncated to this size. */
const RECALLED_RESULT_BYTES = 4 * 1024;

export interface LoopDeps {
  readonly registry: Registry;
  readonly toolbox: Toolbox;
  readonly model: Model;
  readonly limits: QuestionLimits;
  readonly clock: Clock;
  readonly log: Logger;
  /** Calls a tool through the pipeline that every surface uses. */
  readonly call: (request: CallRequest) => Promise<Answer>;
  /** Records a call that the loop refuses before it reaches the pipeline. */
  readonly recordRefusal: (request: CallRequest, tool: Tool | undefined, code: string) => Promise<void>;
  /** Returns those servers that are known to be unavailable, without calling them. */
  readonly unavailable: (servers: ReadonlySet<string>) => readonly MissingServer[];
}
export interface Question {
  readonly text: string;
  readonly conversation: Conversation;
  readonly caller: Caller;
  readonly readOnly: boolean;
  readonly requestId: string;
  /** Aborted with a Failure if the caller can no longer be confirmed, and with any other reason if the client disconnected. */
  readonly signal: AbortSignal;
}

const APPROVAL_REASON = 'You are asked because this conversation contains text that someone else may have written.';

export async function answerQuestion(deps: LoopDeps, question: Question, emit: Emit): Promise<{ exchange: Exchange; untrusted: boolean }> {
  return new QuestionRun(deps, question, emit).run();
}

class Stopped extends Error {
  readonly reason: StopReason;
  constructor(reason: StopReason) {
    super(reason);
    this.reason = reason;
  }
}

class QuestionRun {
  readonly #deps: LoopDeps;
  readonly #question: Question;
  readonly #emit: Emit;
  readonly #marker = createMarker();
  readonly #allTools: readonly OfferedTool[];
  readonly #history: readonly Message[];
  readonly #unavailable: readonly MissingServer[];
  readonly #messages: Message[] = [];
  readonly #outcomes: CallOutcome[] = [];
  readonly #tickets = new Set<string>();
  readonly #tokens = { input: 0, output: 0 };
  readonly #stop = new AbortController();
  #tools: readonly OfferedTool[];
  #calls = 0;
  #text = '';
  #untrusted: boolean;

  constructor(deps: LoopDeps, question: Question, emit: Emit) {
    this.#deps = deps;
    this.#question = question;
    this.#emit = emit;
    const { conversation, caller, readOnly } = question;
    this.#untrusted = conversation.untrusted;
    this.#history = recallMessages(conversation, (answer) => fenceAnswer(answer, this.#marker, RECALLED_RESULT_BYTES));
    this.#allTools = deps.toolbox.offered(caller.person, readOnly);
    this.#unavailable = deps.unavailable(new Set(this.#allTools.map(({ tool }) => tool.domain.name)));
    this.#messages.push({ by: 'person', text: stripInvisible(question.text) });
    const last = conversation.exchanges.at(-1);
    const used = new Set(last?.said.flatMap((each) => (each.by === 'model' ? each.calls.map(({ name }) => name) : [])));
    this.#tools = deps.toolbox.select(`${question.text} ${last?.question ?? ''}`, this.#allTools, used);
  }

  async run(): Promise<{ exchange: Exchange; untrusted: boolean }> {
    const { limits, model, clock } = this.#deps;
    const { conversation, requestId, signal, text: asked } = this.#question;
    const began = performance.now();
    const at = clock.now().toISOString();
    const onAbort = () => this.#stop.abort(signal.reason instanceof Failure ? signal.reason : new Stopped('cancelled'));
    const timer = setTimeout(() => this.#stop.abort(new Stopped('time')), limits.seconds * 1000);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    const unavailable = this.#unavailable.map(({ server, title }) => ({ server, title }));
    this.#emit({
      type: 'start',
      conversationId: conversation.id,
      model: model.name,
      requestId,
      ...(unavailable.length > 0 && { unavailable }),
    });
    let reason: StopReason;
    try {
      reason = await this.#runTurns();
    } catch (error) {
      reason = this.#reportFailure(error);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      this.#stop.abort(new Stopped('cancelled'));
    }
    const rest = closingNotes(this.#text, this.#outcomes, { reason, limits });
    if (rest !== '') this.#emitText(this.#text.trim() === '' ? rest : `\n\n${rest}`);
    this.#emit({ type: 'stop', reason, calls: this.#calls, ms: Math.round(performance.now() - began), tokens: this.#tokens });
    return { exchange: { at, question: asked, said: this.#storedMessages(rest), stopped: reason }, untrusted: this.#untrusted };
  }

  async #runTurns(): Promise<StopReason> {
    for (;;) {
      const full = this.#calls >= this.#deps.limits.calls;
      const calls = await this.#askModel(full);
      if (full) return 'calls';
      if (calls.length === 0) return 'done';
      for (const call of calls) {
        const answer =
          this.#calls < this.#deps.limits.calls
            ? await this.#callTool(call)
            : failure('RATE_LIMITED', 'No more calls can be made for this question. Answer with what you have.').answer();
        this.#messages.push({ by: 'tool', call, answer, promptText: fenceAnswer(answer, this.#marker, this.#deps.limits.resultBytes) });
      }
    }
  }

  /** Runs one turn of the model. Without tools, the model can only answer from the results that it has. */
  async #askModel(withoutTools: boolean): Promise<readonly ToolCall[]> {
    const { model, clock, limits, registry } = this.#deps;
    const { caller, readOnly } = this.#question;
    const now = clock.now();
    const messages = [...this.#history, ...this.#messages];
    const estimate = tokensOf(messages.map((each) => (each.by === 'tool' ? each.promptText : each.text)).join(''));
    if (this.#tokensUsed() + estimate > limits.tokens) throw new Stopped('tokens');
    const turn = {
      person: caller.person,
      now,
      messages,
      instructions: instructionsFor(caller.person, now, {
        company: registry.company,
        marker: this.#marker,
        readOnly,
        missing: this.#unavailable,
      }),
      tools: withoutTools ? [] : this.#tools,
      allTools: withoutTools ? [] : this.#allTools,
    };
    const calls: ToolCall[] = [];
    let text = '';
    const steps = model.answer(turn, this.#stop.signal)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const came = await this.#unlessStopped(steps.next());
        if (came.done) break;
        const step = came.value;
        if (step.type === 'used') {
          this.#tokens.input += step.inputTokens;
          this.#tokens.output += step.outputTokens;
        } else if (step.type === 'call') {
          if (calls.length < limits.calls) calls.push(step.call);
        } else {
          const room = limits.textBytes - this.#text.length;
          text += step.text.slice(0, room);
          this.#emitText(step.text.slice(0, room));
          if (step.text.length > room) throw new Stopped('length');
        }
      }
    } finally {
      this.#messages.push({ by: 'model', text, calls: withoutTools ? [] : calls });
      // Not awaited, because a model that hangs never returns.
      void Promise.resolve(steps.return?.()).catch(() => {});
    }
    if (this.#tokensUsed() > limits.tokens) throw new Stopped('tokens');
    return calls;
  }

  async #callTool(call: ToolCall): Promise<Answer> {
    this.#calls += 1;
    if (call.name === FIND_TOOLS.name) return this.#findTools(call);
    const { caller, requestId: asked } = this.#question;
    const { server, name, tool } = this.#findTool(call.name);
    const requestId = `${asked.slice(0, 60)}-${this.#calls}`;
    const request: CallRequest = {
      server,
      tool: name,
      input: call.input,
      caller,
      surface: 'assistant',
      requestId,
      signal: this.#stop.signal,
      approvalBecause: this.#untrusted ? APPROVAL_REASON : undefined,
    };
    this.#emit({
      type: 'tool_call',
      id: call.id,
      server,
      tool: name,
      title: tool?.title ?? name,
      kind: tool?.kind ?? 'unknown',
      input: call.input,
    });
    const began = performance.now();
    const refusal = this.#refusal(tool);
    if (refusal) await this.#deps.recordRefusal(request, tool, refusal.code);
    const answer = refusal?.answer() ?? (await this.#unlessStopped(this.#deps.call(request)));
    const untrusted = holdsUntrustedText(tool, call.input, answer);
    this.#untrusted ||= untrusted;
    this.#outcomes.push({ server, tool, input: call.input, answer });
    this.#emitResult({ call, server, name, tool }, answer, { ms: Math.round(performance.now() - began), requestId, untrusted });
    return answer;
  }

  #emitResult(
    { call, server, name, tool }: { call: ToolCall; server: string; name: string; tool: Tool | undefined },
    answer: Answer,
    about: { ms: number; requestId: string; untrusted: boolean },
  ): void {
    const where = { id: call.id, server, tool: name };
    const metadata = answer.status === 'success' ? answer.metadata : undefined;
    const rows = answer.status !== 'success' ? 0 : Array.isArray(answer.data) ? answer.data.length : 1;
    this.#emit({
      type: 'tool_result',
      ...where,
      status: answer.status,
      ...(answer.status === 'error' && { code: answer.code }),
      ...about,
      rows,
      hasMore: metadata?.hasMore ?? false,
      result: answer,
    });
    if (metadata?.hasMore) {
      const { nextCursor, returnedCount, totalEstimate, warning } = metadata;
      this.#emit({
        type: 'pagination',
        ...where,
        hasMore: true,
        returnedCount,
        totalEstimate,
        ...(nextCursor !== undefined && { nextCursor }),
        ...(warning !== undefined && { warning }),
      });
    }
    if (answer.status === 'pending_confirmation') {
      const { confirmationId, message, confirmationData } = answer;
      this.#tickets.add(confirmationId);
      this.#emit({ type: 'pending_confirmation', id: call.id, confirmationId, message, confirmationData });
    }
    if (answer.status === 'error' && isUnavailable(answer))
      this.#emit({ type: 'service_unavailable', server, title: tool?.domain.title ?? server, message: answer.message });
  }

  #refusal(tool: Tool | undefined): Failure | undefined {
    if (!tool || !canWrite(tool)) return undefined;
    if (this.#question.readOnly)
      return failure('METHOD_NOT_ALLOWED', 'A question that is asked with GET can only read. Ask it with POST to change something.');
    const most = this.#deps.limits.tickets;
    if (this.#tickets.size >= most && (tool.kind === 'write' || this.#untrusted))
      return failure(
        'RATE_LIMITED',
        `${most} changes of this question already wait for approval. Decide them first, then ask for the others.`,
      );
    return undefined;
  }

  /** Finds a tool by its name or an alias. An unknown name goes to the pipeline, which refuses and records it. */
  #findTool(name: string): { server: string; name: string; tool: Tool | undefined } {
    const { registry } = this.#deps;
    for (const { name: server } of registry.domains) {
      const tool = name.startsWith(`${server}_`) ? registry.find(server, name.slice(server.length + 1)) : undefined;
      if (tool) return { server, name: tool.name, tool };
    }
    return { server: 'gateway', name: name.slice(0, 64), tool: undefined };
  }

  /** Searches only the tools that the person may use. */
  #findTools(call: ToolCall): Answer {
    const query = typeof call.input['query'] === 'string' ? call.input['query'] : '';
    const found = this.#deps.toolbox.find(query, this.#allTools);
    this.#tools = [...new Set([...found, ...this.#tools])];
    return { status: 'success', data: found.map(({ name, tool }) => ({ name, title: tool.title, description: tool.description })) };
  }

  #tokensUsed(): number {
    return this.#tokens.input + this.#tokens.output;
  }

  #emitText(text: string): void {
    if (text === '') return;
    this.#text += text;
    this.#emit({ type: 'text', text });
  }

  /** Rejects when the run stops. The work may still finish, but its result is dropped. */
  #unlessStopped<T>(work: Promise<T>): Promise<T> {
    const { signal } = this.#stop;
    return new Promise((resolve, reject) => {
      const stop = () => reject(signal.reason as Error);
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
      // The handler stays attached after a stop, because an unhandled rejection would end the process.
      work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    });
  }

  #reportFailure(error: unknown): StopReason {
    // Aborted work may fail with another error, so the abort reason takes precedence.
    const why: unknown = this.#stop.signal.aborted ? this.#stop.signal.reason : error;
    if (why instanceof Stopped) return why.reason;
    const { requestId } = this.#question;
    let refused = why;
    if (!(refused instanceof Failure)) {
      const { name, stack } = why as Error;
      this.#deps.log.error(
        {
          requestId,
          error: name,
          at: stack
            ?.split('\n')
            .filter((each) => each.startsWith('    at '))
            .slice(0, 6),
        },
        'unexpected failure',
      );
      refused = failure('INTERNAL_ERROR', `Something went wrong on our side. Request ${requestId}.`, { requestId });
    }
    const { status: _status, ...told } = (refused as Failure).answer();
    this.#emit({ type: 'error', ...told });
    return 'error';
  }

  /** The messages to store. Calls without an answer are left out, because LLM providers refuse them. */
  #storedMessages(closingText: string): StoredMessage[] {
    const answered = new Set(this.#messages.flatMap((each) => (each.by === 'tool' ? [each.call] : [])));
    const kept = this.#messages.map((each): StoredMessage => {
      if (each.by === 'tool') return { by: 'tool', call: each.call, answer: each.answer };
      return each.by === 'model' ? { ...each, calls: each.calls.filter((call) => answered.has(call)) } : each;
    });
    if (closingText === '') return kept;
    const last = kept.at(-1);
    return last?.by === 'model'
      ? [...kept.slice(0, -1), { ...last, text: `${last.text}\n\n${closingText}` }]
      : [...kept, { by: 'model', text: closingText, calls: [] }];
  }
}
