/** The decision service: a person approves or denies a ticket, and its domain executes it once. */
import type { Answer, CancelledAnswer, ConfirmationData } from '../../declare/answer.ts';
import { type TicketStore, notFound, type Ticket } from './tickets.ts';
import { type Caller, mayDecide } from '../caller.ts';
import { type ErrorAnswer, Failure, failure } from '../../declare/errors.ts';
import type { Person } from '../../declare/people.ts';

/** Executes the tickets of a domain, in this process or in another one. */
export interface Backend {
  execute(ticket: Ticket, caller: Caller, requestId: string): Promise<Answer>;
  findResult(ticket: Ticket, person: Person): Promise<Answer | undefined>;
}

export interface DecisionServiceOptions {
  readonly tickets: TicketStore;
  readonly backend: (server: string) => Backend;
  /** Reads the person's current roles, because a token can contain old roles. */
  readonly refresh: (caller: Caller) => Promise<Caller>;
  /** Marks a token that may approve one ticket as used. */
  readonly spend: (caller: Caller) => Promise<void>;
  readonly failpoint: (name: string) => void;
  /** Called with the outcome of each decided ticket, for metrics. */
  readonly decided?: (server: string, outcome: Answer | CancelledAnswer) => void;
}

export interface TicketDecision {
  readonly approved: boolean;
  readonly caller: Caller;
  readonly requestId: string;
}

export interface ConfirmationView {
  readonly state: Ticket['state'] | 'expired';
  readonly confirmationId: string;
  readonly message: string;
  readonly confirmationData: ConfirmationData;
  readonly decidedAt?: string;
  readonly requestId?: string;
  readonly result?: Answer;
  readonly error?: ErrorAnswer;
}

export type DecisionService = ReturnType<typeof createDecisionService>;

const viewOf = ({
  id,
  message,
  card,
  state,
  expired,
  decidedAt,
  requestId,
  answer,
}: Ticket & { readonly expired: boolean }): ConfirmationView => ({
  state: expired ? 'expired' : state,
  confirmationId: id,
  message,
  confirmationData: card,
  ...(decidedAt !== undefined && { decidedAt }),
  ...(requestId !== undefined && { requestId }),
  ...(state === 'done' && answer && { result: answer as Answer }),
  ...(state === 'failed' && answer && { error: answer as ErrorAnswer }),
});

export function createDecisionService({ tickets, backend, refresh, spend, failpoint, decided }: DecisionServiceOptions) {
  /** Concurrent decisions on one ticket in this process share one execution. */
  const running = new Map<string, Promise<Answer>>();

  async function executeClaimed(ticket: Ticket, caller: Caller, requestId: string): Promise<Answer> {
    const server = backend(ticket.server);
    let answer: Answer;
    try {
      const present = await refresh(caller);
      if (tickets.mayExecute(ticket)) answer = await server.execute(ticket, present, requestId);
      else answer = (await server.findResult(ticket, present.person)) ?? notFound().answer();
    } catch (error) {
      // After a retryable failure or a 401, the ticket stays claimed, so that the person can try again. Every other failure is final.
      if (!(error instanceof Failure) || error.retryable || error.status === 401) throw error;
      answer = error.answer();
    }
    await tickets.finish(ticket.id, { state: answer.status === 'success' ? 'done' : 'failed', answer, requestId });
    decided?.(ticket.server, answer);
    failpoint('before-answer');
    return answer;
  }

  return {
    async decide(id: string, { approved, caller, requestId }: TicketDecision): Promise<Answer | CancelledAnswer> {
      if (!mayDecide(caller, id)) throw failure('PERSON_REQUIRED', 'Only a person can decide this, in the browser or in a terminal.');
      const waiting = await tickets.find(id, caller.person);
      if (waiting.answer !== undefined && (waiting.state === 'denied') !== approved) return waiting.answer;
      // The ticket store can lose a claim, so the domain's store is asked whether the change happened.
      const done = waiting.state === 'waiting' && !approved ? await backend(waiting.server).findResult(waiting, caller.person) : undefined;
      if (done) throw failure('ALREADY_DECIDED', 'This was approved before.', { state: 'done' });
      await spend(caller);
      const { ticket, again } = await tickets.decide(id, caller.person, approved);
      if (ticket.answer !== undefined) {
        if (!again) decided?.(ticket.server, ticket.answer);
        return ticket.answer;
      }
      const current = running.get(id) ?? executeClaimed(ticket, caller, requestId).finally(() => running.delete(id));
      running.set(id, current);
      return current;
    },

    async view(id: string, person: Person): Promise<ConfirmationView> {
      const ticket = await tickets.find(id, person);
      let { state, answer } = ticket;
      // A process can stop after the effect and before `finish`. The domain's store then has the result.
      if (state === 'executing') {
        const result = await backend(ticket.server).findResult(ticket, person);
        if (result) {
          [state, answer] = ['done', result];
          await tickets.finish(id, { state: 'done', answer: result });
        }
      }
      return viewOf({ ...ticket, state, ...(answer && { answer }) });
    },

    /** The tickets that were decided or expired in the last day. */
    async decidedBy(person: Person): Promise<ConfirmationView[]> {
      return (await tickets.decided(person.principal)).map(viewOf);
    },

    async waiting(person: Person): Promise<ConfirmationView[]> {
      const waiting = await tickets.waiting(person.principal);
      return waiting.map(({ id, message, card, state }) => ({ state, confirmationId: id, message, confirmationData: card }));
    },
  };
}
