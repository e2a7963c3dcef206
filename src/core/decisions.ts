/** A person's decision on a waiting change: claimed here, carried out once by the domain that asked. */
import type { Answer, CancelledAnswer, ConfirmationData } from './answer.ts';
import { type TicketStore, notFound, type Ticket } from './tickets.ts';
import { type Caller, mayDecide } from './caller.ts';
import { type ErrorAnswer, Failure, failure } from './errors.ts';
import type { Person } from './people.ts';

/** Where a domain's tools run: in this process, or behind an address. */
export interface Backend {
  execute(ticket: Ticket, caller: Caller, requestId: string): Promise<Answer>;
  findResult(ticket: Ticket, person: Person): Promise<Answer | undefined>;
}

export interface DecisionServiceOptions {
  readonly tickets: TicketStore;
  readonly backend: (server: string) => Backend;
  /** The person's present state, read again now: an old token's roles decide nothing. */
  readonly refresh: (caller: Caller) => Promise<Caller>;
  /** A right that is good for one ticket is good once. */
  readonly spend: (caller: Caller) => Promise<void>;
  readonly failpoint: (name: string) => void;
  /** Hears once of what became of each ticket that a person decided. */
  readonly decided?: (server: string, outcome: Answer | CancelledAnswer) => void;
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

export function createDecisionService({ tickets: approvals, backend, refresh, spend, failpoint, decided }: DecisionServiceOptions) {
  /** Twenty clicks at once in one process are one piece of work. */
  const running = new Map<string, Promise<Answer>>();

  async function carryOut(ticket: Ticket, caller: Caller, requestId: string): Promise<Answer> {
    const server = backend(ticket.server);
    let answer: Answer;
    try {
      const present = await refresh(caller);
      if (approvals.mayExecute(ticket)) answer = await server.execute(ticket, present, requestId);
      else answer = (await server.findResult(ticket, present.person)) ?? notFound().answer();
    } catch (error) {
      // Trouble that may pass leaves the ticket claimed, so that pressing again settles it; a rule's no is final.
      if (!(error instanceof Failure) || error.retryable || error.status === 401) throw error;
      answer = error.answer();
    }
    await approvals.finish(ticket.id, answer.status === 'success' ? 'done' : 'failed', answer, requestId);
    decided?.(ticket.server, answer);
    failpoint('before-answer');
    return answer;
  }

  return {
    async decide(id: string, approved: boolean, caller: Caller, requestId: string): Promise<Answer | CancelledAnswer> {
      if (!mayDecide(caller, id)) throw failure('PERSON_REQUIRED', 'Only a person can decide this, in the browser or at a terminal.');
      const waiting = await approvals.find(id, caller.person);
      if (waiting.answer !== undefined && (waiting.state === 'denied') !== approved) return waiting.answer;
      // The waiting room may have lost a claim; then the domain's store still knows.
      const done = waiting.state === 'waiting' && !approved ? await backend(waiting.server).findResult(waiting, caller.person) : undefined;
      if (done) throw failure('ALREADY_DECIDED', 'This was approved before.', { state: 'done' });
      await spend(caller);
      const { ticket, again } = await approvals.decide(id, caller.person, approved);
      if (ticket.answer !== undefined) {
        if (!again) decided?.(ticket.server, ticket.answer);
        return ticket.answer;
      }
      const current = running.get(id) ?? carryOut(ticket, caller, requestId).finally(() => running.delete(id));
      running.set(id, current);
      return current;
    },

    async view(id: string, person: Person): Promise<ConfirmationView> {
      const ticket = await approvals.find(id, person);
      let { state, answer } = ticket;
      // A process may have died between the effect and its note here.
      if (state === 'executing') {
        const result = await backend(ticket.server).findResult(ticket, person);
        if (result) {
          [state, answer] = ['done', result];
          await approvals.finish(id, 'done', result);
        }
      }
      return viewOf({ ...ticket, state, ...(answer && { answer }) });
    },

    /** What was decided, or ran out, in the last day. */
    async decidedBy(person: Person): Promise<ConfirmationView[]> {
      return (await approvals.decided(person.principal)).map(viewOf);
    },

    async waiting(person: Person): Promise<ConfirmationView[]> {
      const tickets = await approvals.waiting(person.principal);
      return tickets.map(({ id, message, card, state }) => ({ state, confirmationId: id, message, confirmationData: card }));
    },
  };
}
