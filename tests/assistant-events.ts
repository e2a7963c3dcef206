/** Sends questions to the assistant over HTTP, with a scripted model. */
import { request } from 'undici';
import type { AssistantEvent } from '../src/assistant/events.ts';
import type { Model, Step, Turn } from '../src/assistant/model.ts';
import type { ErrorAnswer } from '../src/declare/errors.ts';
import type { Person } from '../src/declare/people.ts';
import type { TokenOptions, TestClient } from '../src/testing/test-client.ts';
import { rolesIn } from './registry.ts';

/** The user of tests that do not sign in. */
export const person: Person = {
  principal: 'p',
  sub: 's',
  realm: 'staff',
  username: 'eve.thompson',
  name: 'Eve',
  email: 'eve@tamshai.example',
  employeeId: undefined,
  organizationId: undefined,
  roles: rolesIn('staff', ['employee', 'executive', 'manager']),
};

export interface Heard {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly events: AssistantEvent[];
  readonly text: string;
  readonly raw: string;
  /** Whether the stream sent its end event. */
  readonly done: boolean;
  readonly conversationId: string;
  /** The error, if the request was refused and no stream began. */
  readonly refused: ErrorAnswer | undefined;
}
export interface Asking extends TokenOptions {
  readonly conversationId?: string | undefined;
  readonly get?: boolean;
  readonly signal?: AbortSignal;
}

export function heard(status: number, headers: Heard['headers'], raw: string): Heard {
  const data = raw.split('\n\n').flatMap((block) => (block.startsWith('data: ') ? [block.slice(6)] : []));
  const events = status === 200 ? data.filter((each) => each !== '[DONE]').map((each) => JSON.parse(each) as AssistantEvent) : [];
  const text = events.map((event) => (event.type === 'text' ? event.text : '')).join('');
  const start = events.find((event) => event.type === 'start');
  return {
    status,
    headers,
    events,
    text,
    raw,
    done: data.at(-1) === '[DONE]',
    conversationId: start?.conversationId ?? '',
    refused: status === 200 ? undefined : (JSON.parse(raw) as ErrorAnswer),
  };
}

export async function ask(
  testServer: TestClient,
  user: string,
  query: string,
  { conversationId, get = false, signal, ...options }: Asking = {},
): Promise<Heard> {
  const headers = { authorization: `Bearer ${await testServer.token(user, options)}` };
  const parameters = new URLSearchParams({ query, ...(conversationId !== undefined && { conversationId }) });
  const response = get
    ? await request(`${testServer.address()}/api/query?${parameters}`, { headers, signal })
    : await request(`${testServer.address()}/api/query`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ query, conversationId }),
        signal,
      });
  return heard(response.statusCode, response.headers, await response.body.text());
}

export const of = <T extends AssistantEvent['type']>({ events }: Heard, type: T) =>
  events.filter((event): event is Extract<AssistantEvent, { type: T }> => event.type === type);

export type Scripted = Step | Promise<Step> | { readonly call: string; readonly input?: Record<string, unknown> } | string;

/** A scripted model: each turn it answers and calls what `next` returns. `turns` holds all its requests. */
export interface ScriptedModel extends Model {
  turns: Turn[];
  signals: AbortSignal[];
  next: (turn: Turn) => Iterable<Scripted> | AsyncIterable<Scripted>;
}

export function scripted(next: ScriptedModel['next'] = () => []): ScriptedModel {
  let calls = 0;
  const model: ScriptedModel = {
    name: 'scripted',
    turns: [],
    signals: [],
    next,
    async *answer(turn, signal) {
      model.turns.push(turn);
      model.signals.push(signal);
      for await (const each of model.next(turn)) {
        if (typeof each === 'string') yield { type: 'text', text: each };
        else if ('type' in each) yield each;
        else yield { type: 'call', call: { id: `call-${++calls}`, name: each.call, input: each.input ?? {} } };
      }
    },
  };
  return model;
}

/** The tool results of the current question that the model has seen so far. */
export const results = (turn: Turn) => {
  const asked = turn.messages.findLastIndex(({ by }) => by === 'person');
  return turn.messages.slice(asked).flatMap((each) => (each.by === 'tool' ? [each] : []));
};
export const question = (turn: Turn) => turn.messages.findLast(({ by }) => by === 'person') as { readonly text: string };
