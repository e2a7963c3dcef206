/**
 * The ticket store: changes that wait for an approval. The domain's store commits the result of a change together with the effect. So a
 * lost ticket store loses pending requests, but no results.
 */
import { createHash, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Answer, CancelledAnswer, ConfirmationData } from '../../declare/answer.ts';
import { failure } from '../../declare/errors.ts';
import type { Person } from '../../declare/people.ts';
import type { Clock, KeyValue } from '../ports.ts';
import type { Input } from '../../declare/tool.ts';

export const EXPIRES_AFTER_SECONDS = 300;
const RETENTION_SECONDS = 24 * 3600;
/** A claimed ticket can still be executed for this time after its expiry, because a process can stop after the approval. */
const CLAIM_GRACE_MS = 30_000;
const MAX_WAITING = 20;
/** How many recent tickets a person can list. */
const MAX_RECENT = 40;
const DENIALS = { most: 2, seconds: 600 };
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export type TicketState = 'waiting' | 'executing' | 'done' | 'denied' | 'failed';

export interface Ticket {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly principal: string;
  /** The principals who may decide: only the requester. */
  readonly deciders: readonly string[];
  readonly askedAt: string;
  readonly expiresAt: string;
  readonly input: Input;
  readonly message: string;
  readonly card: ConfirmationData;
  /** The versions of the rows that the card was built from. */
  readonly versions: readonly string[];
  readonly state: TicketState;
  readonly decidedAt?: string;
  readonly answer?: Answer | CancelledAnswer;
  /** The id of the request that decided the ticket, as in the log and the audit log. */
  readonly requestId?: string;
}

export interface TicketOutcome {
  readonly state: 'done' | 'failed';
  readonly answer: Answer;
  readonly requestId?: string;
}

interface WaitingEntry {
  readonly id: string;
  readonly digest: string;
  readonly expiresAt: string;
}

export type NewTicket = Pick<Ticket, 'server' | 'tool' | 'input' | 'message' | 'versions'> & {
  readonly person: Person;
  readonly card: (id: string, expiresAt: string) => ConfirmationData;
  readonly askedAt: Date;
};

export const notFound = () =>
  failure(
    'CONFIRMATION_NOT_FOUND',
    'Confirmation not found or expired. A confirmation waits for five minutes; please retry the operation.',
  );
const notYours = () => failure('USER_MISMATCH', 'This change waits for someone else. You can only approve your own confirmations.');

export type TicketStore = ReturnType<typeof createTicketStore>;

export function createTicketStore(kv: KeyValue, clock: Clock) {
  const key = (id: string) => `pending:${id}`;
  const digestOf = (server: string, tool: string, input: Input) =>
    createHash('sha256')
      .update(JSON.stringify([server, tool, input]))
      .digest('base64url')
      .slice(0, 22);
  const parse = (text: string) => JSON.parse(text) as Ticket;

  /** Updates a person's list of waiting tickets by compare-and-swap. */
  async function updateWaiting(principal: string, change: (list: readonly WaitingEntry[]) => readonly WaitingEntry[]): Promise<void> {
    const at = `waiting:${principal}`;
    for (let attempt = 0; attempt < 50; attempt++) {
      const stored = await kv.get(at);
      const now = clock.now().toISOString();
      const list = (stored === undefined ? [] : (JSON.parse(stored) as WaitingEntry[])).filter(({ expiresAt }) => expiresAt > now);
      const next = JSON.stringify(change(list));
      if (stored === undefined ? await kv.add(at, next, RETENTION_SECONDS) : await kv.swap(at, stored, next, RETENTION_SECONDS)) return;
    }
    throw failure('SERVICE_UNAVAILABLE', 'Too many changes are requested at once.');
  }

  /** Adds a ticket to the person's recent ones, the newest first. */
  async function addRecent(principal: string, id: string): Promise<void> {
    const at = `asked:${principal}`;
    for (let attempt = 0; attempt < 50; attempt++) {
      const stored = await kv.get(at);
      const next = JSON.stringify([id, ...(stored === undefined ? [] : (JSON.parse(stored) as string[]))].slice(0, MAX_RECENT));
      if (stored === undefined ? await kv.add(at, next, RETENTION_SECONDS) : await kv.swap(at, stored, next, RETENTION_SECONDS)) return;
    }
  }

  async function load(id: string): Promise<{ ticket: Ticket; stored: string } | undefined> {
    const stored = ID.test(id) ? await kv.get(key(id)) : undefined;
    return stored === undefined ? undefined : { ticket: parse(stored), stored };
  }

  const expired = ({ state, expiresAt }: Ticket) => state === 'waiting' && expiresAt <= clock.now().toISOString();

  /** Updates a ticket by compare-and-swap; false if it has changed since it was read. */
  const move = (from: { ticket: Ticket; stored: string }, to: Partial<Ticket>) =>
    kv.swap(key(from.ticket.id), from.stored, JSON.stringify({ ...from.ticket, ...to }), RETENTION_SECONDS);

  return {
    /** Creates a ticket. If a ticket for the same change with the same card and row versions already waits, returns that ticket. */
    async ask(asked: NewTicket): Promise<Ticket> {
      const { principal } = asked.person;
      const digest = digestOf(asked.server, asked.tool, asked.input);
      const denials = Number((await kv.get(`denials:${principal}:${digest}`)) ?? 0);
      if (denials >= DENIALS.most)
        throw failure('RATE_LIMITED', 'You denied this change twice in the last ten minutes. It cannot be requested again for a while.', {
          retryAfterSeconds: DENIALS.seconds,
        });
      const id = randomUUID();
      const expiresAt = new Date(asked.askedAt.getTime() + EXPIRES_AFTER_SECONDS * 1000).toISOString();
      const card = asked.card(id, expiresAt);
      const same = await this.waitingFor(principal, digest);
      if (same && isDeepStrictEqual(comparableCard(same.card), comparableCard(card)) && isDeepStrictEqual(same.versions, asked.versions))
        return same;
      const ticket: Ticket = {
        id,
        server: asked.server,
        tool: asked.tool,
        principal,
        deciders: [principal],
        askedAt: asked.askedAt.toISOString(),
        expiresAt,
        input: asked.input,
        message: asked.message,
        card,
        versions: asked.versions,
        state: 'waiting',
      };
      await updateWaiting(principal, (list) => {
        const others = list.filter((each) => each.digest !== digest);
        if (others.length >= MAX_WAITING)
          throw failure('RATE_LIMITED', `${MAX_WAITING} changes already wait for you. Decide some of them first.`);
        return [...others, { id, digest, expiresAt }];
      });
      await kv.set(key(id), JSON.stringify(ticket), RETENTION_SECONDS);
      await addRecent(principal, id);
      return ticket;
    },

    async waitingFor(principal: string, digest: string): Promise<Ticket | undefined> {
      const stored = await kv.get(`waiting:${principal}`);
      const found = stored === undefined ? undefined : (JSON.parse(stored) as WaitingEntry[]).find((each) => each.digest === digest);
      const held = found && (await load(found.id));
      return held && held.ticket.state === 'waiting' && !expired(held.ticket) ? held.ticket : undefined;
    },

    /** The tickets that wait for a person, the oldest first. */
    async waiting(principal: string): Promise<Ticket[]> {
      const stored = await kv.get(`waiting:${principal}`);
      const list = stored === undefined ? [] : (JSON.parse(stored) as WaitingEntry[]);
      const tickets = await Promise.all(list.map(({ id }) => load(id)));
      return tickets.flatMap((held) => (held && held.ticket.state === 'waiting' && !expired(held.ticket) ? [held.ticket] : []));
    },

    /** A person's decided and expired tickets of the last day, the newest first. */
    async decided(principal: string): Promise<(Ticket & { readonly expired: boolean })[]> {
      const stored = await kv.get(`asked:${principal}`);
      const tickets = await Promise.all((stored === undefined ? [] : (JSON.parse(stored) as string[])).map((id) => load(id)));
      return tickets.flatMap((held) =>
        held && (held.ticket.state !== 'waiting' || expired(held.ticket)) ? [{ ...held.ticket, expired: expired(held.ticket) }] : [],
      );
    },

    /** Returns the ticket to a person who may decide it. Any other person gets USER_MISMATCH. */
    async find(id: string, person: Person): Promise<Ticket & { readonly expired: boolean }> {
      const held = await load(id);
      if (!held) throw notFound();
      if (!held.ticket.deciders.includes(person.principal)) throw notYours();
      return { ...held.ticket, expired: expired(held.ticket) };
    },

    /** Claims a ticket for one decision. `again` is true if the same decision was made before; it may not have been executed. */
    async decide(id: string, person: Person, approved: boolean): Promise<{ ticket: Ticket; again: boolean }> {
      for (let attempt = 0; attempt < 50; attempt++) {
        const held = await load(id);
        if (!held) throw notFound();
        const { ticket } = held;
        if (!ticket.deciders.includes(person.principal)) throw notYours();
        if (expired(ticket)) throw notFound();
        if (ticket.state === 'waiting') {
          const decidedAt = clock.now().toISOString();
          const answer: CancelledAnswer = {
            status: 'cancelled',
            confirmationId: id,
            message: 'Action cancelled by user. Nothing was changed.',
          };
          const next: Partial<Ticket> = approved ? { state: 'executing', decidedAt } : { state: 'denied', decidedAt, answer };
          if (!(await move(held, next))) continue;
          if (!approved) {
            const at = `denials:${person.principal}:${digestOf(ticket.server, ticket.tool, ticket.input)}`;
            await kv.set(at, String(Number((await kv.get(at)) ?? 0) + 1), DENIALS.seconds);
          }
          await updateWaiting(person.principal, (list) => list.filter((each) => each.id !== id));
          return { ticket: { ...ticket, ...next }, again: false };
        }
        if ((ticket.state === 'denied') === approved)
          throw failure(
            'ALREADY_DECIDED',
            ticket.state === 'denied' ? 'This was denied before. Nothing was changed.' : 'This was approved before.',
            { state: ticket.state },
          );
        return { ticket, again: true };
      }
      throw failure('SERVICE_UNAVAILABLE', 'Another process is deciding this confirmation at this moment.');
    },

    /** Whether a claimed ticket may still be executed. */
    mayExecute: (ticket: Ticket) => clock.now().getTime() <= new Date(ticket.expiresAt).getTime() + CLAIM_GRACE_MS,

    /** Stores the outcome, unless the ticket already has one. */
    async finish(id: string, { state, answer, requestId }: TicketOutcome): Promise<void> {
      for (let attempt = 0; attempt < 50; attempt++) {
        const held = await load(id);
        if (
          !held ||
          held.ticket.state !== 'executing' ||
          (await move(held, { state, answer, ...(requestId !== undefined && { requestId }) }))
        )
          return;
      }
    },
  };
}

/** The fields of a card that must be the same when the ticket is executed. */
export const comparableCard = ({ action, mcpServer, userId, summary, subject, changes, reason }: ConfirmationData) => ({
  action,
  mcpServer,
  userId,
  summary,
  subject,
  changes,
  reason,
});
