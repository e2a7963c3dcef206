/** Builds a turn (a question with its answer) from events or from a stored conversation. */
import type { Answer, AssistantEvent, Conversation, ErrorAnswer, StopReason } from './contract.ts';

export interface ToolUse {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly answer?: Answer;
  readonly ms?: number;
  readonly rows?: number;
  readonly hasMore?: boolean;
  readonly requestId?: string;
  readonly untrusted?: boolean;
  /** True for a stored conversation. The result may be truncated. */
  readonly stored?: boolean;
}
export interface Turn {
  readonly key: string;
  readonly question: string;
  readonly text: string;
  readonly uses: readonly ToolUse[];
  readonly down: readonly { readonly server: string; readonly title: string; readonly message: string }[];
  readonly error?: Omit<ErrorAnswer, 'status'>;
  readonly requestId?: string;
  readonly state: 'answering' | 'done' | 'stopped' | 'broken' | 'local';
  readonly reason?: StopReason;
  readonly brokeAt?: string;
}

export const newTurn = (question: string): Turn => ({
  key: crypto.randomUUID(),
  question,
  text: '',
  uses: [],
  down: [],
  state: 'answering',
});

const changed = (uses: readonly ToolUse[], id: string, change: Partial<ToolUse>): readonly ToolUse[] =>
  uses.map((use) => (use.id === id ? { ...use, ...change } : use));

export function applyEvent(turn: Turn, event: AssistantEvent): Turn {
  switch (event.type) {
    case 'start':
      return { ...turn, requestId: event.requestId };
    case 'text':
      return { ...turn, text: turn.text + event.text };
    case 'tool_call':
      return { ...turn, uses: [...turn.uses, { id: event.id, server: event.server, tool: event.tool, input: event.input }] };
    case 'tool_result': {
      const { id, ms, rows, hasMore, requestId, untrusted, result } = event;
      return { ...turn, uses: changed(turn.uses, id, { answer: result, ms, rows, hasMore, requestId, untrusted }) };
    }
    case 'service_unavailable':
      return { ...turn, down: [...turn.down.filter(({ server }) => server !== event.server), event] };
    case 'error':
      return { ...turn, error: event };
    case 'stop':
      return { ...turn, reason: event.reason, state: event.reason === 'cancelled' ? 'stopped' : 'done' };
    // The tool_result before this event already contains the card and the cursor.
    case 'pending_confirmation':
    case 'pagination':
      return turn;
    default:
      return turn;
  }
}

/** Converts a stored conversation. Stored tool names begin with the name of the server. */
export function turnsOf({ id, exchanges }: Conversation, servers: readonly string[]): Turn[] {
  return exchanges.map(({ question, text, calls, stopped }, index) => {
    const uses = calls.map(({ id: call, name, input, result }): ToolUse => {
      const server = servers.find((each) => name.startsWith(`${each}_`)) ?? '';
      const list = result.status === 'success' && Array.isArray(result.data) ? result.data : undefined;
      return {
        id: call,
        server,
        tool: server === '' ? name : name.slice(server.length + 1),
        input,
        answer: result,
        stored: true,
        ...(list && { rows: list.length, hasMore: result.status === 'success' && result.metadata?.hasMore === true }),
      };
    });
    return { key: `${id} ${index}`, question, text, uses, down: [], state: stopped === 'cancelled' ? 'stopped' : 'done', reason: stopped };
  });
}

/** The ids of the approval cards in these turns, newest last, including decided ones. */
export const cardsOf = (turns: readonly Turn[]): string[] =>
  turns.flatMap(({ uses }) => uses.flatMap(({ answer }) => (answer?.status === 'pending_confirmation' ? [answer.confirmationId] : [])));
