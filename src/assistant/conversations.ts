/** Stores conversations, limited in size, number and age. Each key contains the principal, so people read only their own conversations. */
import { randomUUID } from 'node:crypto';
import type { Answer } from '../declare/answer.ts';
import { failure } from '../declare/errors.ts';
import type { Person } from '../declare/people.ts';
import type { Clock, KeyValue } from '../engine/ports.ts';
import type { StopReason } from './events.ts';
import { truncateAnswer, byteLength } from './fence.ts';
import type { Message, ToolCall } from './model.ts';

export type StoredMessage =
  | { readonly by: 'person'; readonly text: string }
  | { readonly by: 'model'; readonly text: string; readonly calls: readonly ToolCall[] }
  | { readonly by: 'tool'; readonly call: ToolCall; readonly answer: Answer };

/** A question, the messages that answered it, and why the answer stopped. */
export interface Exchange {
  readonly at: string;
  readonly question: string;
  readonly said: readonly StoredMessage[];
  readonly stopped: StopReason;
}
export interface Conversation {
  readonly id: string;
  readonly title: string;
  readonly startedAt: string;
  readonly updatedAt: string;
  /** True once a message contained untrusted text. From then on, every tool that writes needs an approval. */
  readonly untrusted: boolean;
  readonly exchanges: readonly Exchange[];
}
export type ConversationSummary = Pick<Conversation, 'id' | 'title' | 'startedAt' | 'updatedAt'>;

const RETENTION_SECONDS = 30 * 24 * 3600;
const MAX_CONVERSATIONS = 50;
const MAX_BYTES = 256 * 1024;
const MAX_RESULT_BYTES = 16 * 1024;
/** Longer than the time limit of a question. The lock expires, because a crashed process cannot release it. */
const LOCK_SECONDS = 75;
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Conversations stored without the `untrusted` field count as untrusted. */
const parse = (stored: string): Conversation => {
  const conversation = JSON.parse(stored) as Omit<Conversation, 'untrusted'> & Partial<Pick<Conversation, 'untrusted'>>;
  return { ...conversation, untrusted: conversation.untrusted ?? true };
};
const notFound = () => failure('NOT_FOUND', 'You have no conversation with this id. It may have been deleted or have expired.');
const summaryOf = ({ id, title, startedAt, updatedAt }: Conversation): ConversationSummary => ({ id, title, startedAt, updatedAt });

/** A conversation that is locked for one question. */
export interface OpenConversation {
  readonly conversation: Conversation;
  /** Stores the exchange, unless the conversation was erased meanwhile, and releases the lock. */
  close(exchange: Exchange | undefined, untrusted: boolean): Promise<void>;
}

export type Conversations = ReturnType<typeof createConversations>;

export function createConversations(kv: KeyValue, clock: Clock) {
  const key = ({ principal }: Person, id: string) => `conversation:${principal}:${id}`;
  const listKey = ({ principal }: Person) => `conversations:${principal}`;
  const busyKey = ({ principal }: Person, id: string) => `answering:${principal}:${id}`;
  const load = async (person: Person, id: string) => (ID.test(id) ? kv.get(key(person, id)) : undefined);

  async function updateList(
    person: Person,
    change: (list: readonly ConversationSummary[]) => readonly ConversationSummary[],
  ): Promise<void> {
    for (let attempt = 0; attempt < 50; attempt++) {
      const stored = await kv.get(listKey(person));
      const next = [...change(stored === undefined ? [] : (JSON.parse(stored) as ConversationSummary[]))].sort((a, b) =>
        a.updatedAt < b.updatedAt ? 1 : -1,
      );
      const kept = JSON.stringify(next.slice(0, MAX_CONVERSATIONS));
      if (
        !(stored === undefined
          ? await kv.add(listKey(person), kept, RETENTION_SECONDS)
          : await kv.swap(listKey(person), stored, kept, RETENTION_SECONDS))
      )
        continue;
      for (const { id } of next.slice(MAX_CONVERSATIONS)) await kv.delete(key(person, id));
      return;
    }
    throw failure('SERVICE_UNAVAILABLE', 'Another request is changing your conversations at this moment.');
  }

  return {
    async open(person: Person, id: string | undefined, question: string): Promise<OpenConversation> {
      const now = clock.now().toISOString();
      let stored = id === undefined ? undefined : await load(person, id);
      if (id !== undefined && stored === undefined) throw notFound();
      const fresh: Conversation = {
        id: randomUUID(),
        title: titleOf(question),
        startedAt: now,
        updatedAt: now,
        untrusted: false,
        exchanges: [],
      };
      let conversation = stored === undefined ? fresh : parse(stored);
      const at = conversation.id;
      if (!(await kv.add(busyKey(person, at), '1', LOCK_SECONDS)))
        throw failure('RATE_LIMITED', 'This conversation is still answering another question.', { retryAfterSeconds: 2 });
      try {
        if (stored === undefined) {
          stored = JSON.stringify(conversation);
          await kv.set(key(person, at), stored, RETENTION_SECONDS);
          await updateList(person, (list) => [summaryOf(conversation), ...list]);
        } else {
          // Another process may have stored an exchange before this question got the lock.
          stored = (await load(person, at)) ?? stored;
          conversation = parse(stored);
        }
      } catch (error) {
        await kv.delete(busyKey(person, at));
        throw error;
      }
      const before = stored;
      return {
        conversation,
        async close(exchange, untrusted) {
          try {
            if (!exchange) return;
            const next: Conversation = {
              ...conversation,
              updatedAt: exchange.at,
              untrusted: conversation.untrusted || untrusted,
              exchanges: dropOldest([...conversation.exchanges, withoutLargeResults(exchange)]),
            };
            if (!(await kv.swap(key(person, at), before, JSON.stringify(next), RETENTION_SECONDS))) return;
            await updateList(person, (list) => [summaryOf(next), ...list.filter((each) => each.id !== at)]);
          } finally {
            await kv.delete(busyKey(person, at));
          }
        },
      };
    },

    async list(person: Person): Promise<readonly ConversationSummary[]> {
      const stored = await kv.get(listKey(person));
      return stored === undefined ? [] : (JSON.parse(stored) as ConversationSummary[]);
    },

    async read(person: Person, id: string): Promise<Conversation> {
      const stored = await load(person, id);
      if (stored === undefined) throw notFound();
      return parse(stored);
    },

    async erase(person: Person, id: string): Promise<void> {
      if ((await load(person, id)) === undefined) throw notFound();
      await kv.delete(key(person, id));
      await updateList(person, (list) => list.filter((each) => each.id !== id));
    },
  };
}

const titleOf = (question: string) => {
  const line = question.replace(/\s+/g, ' ').trim();
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
};

/** Stored results only help to understand later questions, so large ones are truncated. */
const withoutLargeResults = (exchange: Exchange): Exchange => ({
  ...exchange,
  said: exchange.said.map((each) =>
    each.by === 'tool' ? { ...each, answer: truncateAnswer(each.answer, MAX_RESULT_BYTES).answer } : each,
  ),
});

/** Drops the oldest exchanges until the rest fits, but always keeps the last one. */
function dropOldest(exchanges: readonly Exchange[]): readonly Exchange[] {
  const sizes = exchanges.map((each) => byteLength(JSON.stringify(each)));
  let total = 0;
  let first = exchanges.length;
  while (first > 0 && (total += sizes[first - 1] ?? 0) <= MAX_BYTES) first -= 1;
  return exchanges.slice(Math.min(first, exchanges.length - 1));
}

/** Returns the earlier messages for the model. `format` fences their tool results with the marker of the current question. */
export const recallMessages = (conversation: Conversation, format: (answer: Answer) => string): Message[] =>
  conversation.exchanges.flatMap(({ said }) =>
    said.map((each): Message => (each.by === 'tool' ? { ...each, promptText: format(each.answer) } : each)),
  );
