/** Asks an MCP client to show the approval page of a pending change: with requestState (2026-07-28) or an elicitation (2025-11-25). */
import { setTimeout as pause } from 'node:timers/promises';
import { type InputRequiredResult, inputRequired, type ServerContext } from '@modelcontextprotocol/server';
import type { Answer, PendingAnswer } from '../../declare/answer.ts';
import { failure } from '../../declare/errors.ts';
import type { Exchange } from './exchange.ts';
import type { McpLimits, McpOptions } from './options.ts';
import { openState, type StateBinding, sealState } from './seal.ts';
import type { Streams } from './streams.ts';
import type { TicketView, ToolCall } from './tool-call.ts';

const POLL_MS = 1_000;

export interface ApprovalOptions {
  readonly limits: McpLimits;
  readonly streams: Streams;
  /** Aborted when this process begins to stop. */
  readonly retiring: AbortSignal;
}

/** The state of the ticket decides the answer. An "accept" of the client only ends the wait. */
export class Approval {
  readonly #options: McpOptions;
  readonly #limits: McpLimits;
  readonly #streams: Streams;
  readonly #retiring: AbortSignal;

  constructor(options: McpOptions, { limits, streams, retiring }: ApprovalOptions) {
    this.#options = options;
    this.#limits = limits;
    this.#streams = streams;
    this.#retiring = retiring;
  }

  /** 2026-07-28: the client shows the page, then repeats its request with the sealed state. */
  request(exchange: Exchange, pending: PendingAnswer): InputRequiredResult {
    const { stateKey, clock } = this.#options;
    const expiresAt = clock.now().getTime() + this.#limits.approvalMs;
    return inputRequired({
      inputRequests: { approval: inputRequired.elicitUrl({ message: pending.message, url: pending.confirmationData.approvalUrl }) },
      requestState: sealState(stateKey, bindingOf(exchange, exchange.name, exchange.args), {
        confirmationId: pending.confirmationId,
        expiresAt,
      }),
    });
  }

  /** Answers the repeated request; undefined if the state was not sealed for this person, tool and input. */
  async resume(exchange: Exchange, { name, args }: Pick<ToolCall, 'name' | 'args'>, sealed: string): Promise<Answer | undefined> {
    const { stateKey, clock } = this.#options;
    const state = openState(stateKey, bindingOf(exchange, name, args), sealed);
    if (state === undefined) return undefined;
    exchange.name = name;
    const view = await this.#pollTicket(exchange, state.confirmationId);
    // After the deadline a pending ticket counts as expired. A decided ticket is still answered.
    if (state.expiresAt < clock.now().getTime() && isOpen(view)) return answerFor({ state: 'expired' });
    return answerFor(view);
  }

  /** 2025-11-25: the client shows the page during the call. If that fails, the change stays pending. */
  async elicit(exchange: Exchange, pending: PendingAnswer, context: ServerContext): Promise<Answer> {
    const release = await this.#streams.take(exchange.caller).catch(() => undefined);
    if (release === undefined) return pending;
    const { confirmationId, message, confirmationData } = pending;
    const over = new AbortController();
    const signal = AbortSignal.any([exchange.signal, over.signal, this.#retiring]);
    try {
      const answered = context.mcpReq.elicitInput(
        { mode: 'url', message, url: confirmationData.approvalUrl, elicitationId: confirmationId },
        { relatedRequestId: context.mcpReq.id, timeout: this.#limits.approvalMs, signal },
      );
      // The decision also ends the wait, because the client's response can reach another replica or never come.
      await Promise.race([answered, this.#decided(exchange, confirmationId, signal)]);
      return answerFor(await this.#pollTicket(exchange, confirmationId));
    } catch {
      return pending;
    } finally {
      over.abort();
      release();
    }
  }

  async #decided({ caller }: Exchange, confirmationId: string, signal: AbortSignal): Promise<void> {
    do await pause(POLL_MS, undefined, { signal });
    while (isOpen(await this.#options.ticket(confirmationId, caller)));
  }

  async #pollTicket(exchange: Exchange, confirmationId: string): Promise<TicketView> {
    const { clock } = this.#options;
    const until = clock.now().getTime() + this.#limits.settleMs;
    for (;;) {
      const view = await this.#options.ticket(confirmationId, exchange.caller);
      if (!isOpen(view) || clock.now().getTime() >= until || exchange.signal.aborted) return view;
      await pause(POLL_MS);
    }
  }
}

const bindingOf = ({ caller }: Exchange, tool: string, args: unknown): StateBinding => ({ principal: caller.person.principal, tool, args });
const isOpen = ({ state }: TicketView) => state === 'waiting' || state === 'executing';

function answerFor(view: TicketView): Answer {
  if ('answer' in view) return view.answer;
  if (view.state === 'denied') return failure('ALREADY_DECIDED', 'The person denied this change; nothing was written.').answer();
  return failure('CONFIRMATION_NOT_FOUND', 'Confirmation not found or expired.').answer();
}
