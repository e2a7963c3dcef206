/** The assistant: answers questions as a stream of events and stores the conversations. */
import type { Conversations } from './conversations.ts';
import type { AssistantEvent } from './events.ts';
import { answerQuestion, type LoopDeps, type Question } from './loop.ts';

export interface Assistant {
  readonly model: string;
  readonly conversations: Conversations;
  /**
   * Opens the conversation with this id, or creates one without an id. Rejects if the conversation is unknown or busy. The returned
   * function answers the question and emits its events.
   */
  open(
    asked: Omit<Question, 'conversation' | 'signal'>,
    conversationId: string | undefined,
  ): Promise<(emit: (event: AssistantEvent) => void, signal: AbortSignal) => Promise<void>>;
  warm(): void;
  close(): Promise<void>;
}

export function createAssistant(deps: LoopDeps, conversations: Conversations): Assistant {
  return {
    model: deps.model.name,
    conversations,
    async open(asked, conversationId) {
      const opened = await conversations.open(asked.caller.person, conversationId, asked.text);
      return async (emit, signal) => {
        let outcome: Awaited<ReturnType<typeof answerQuestion>> | undefined;
        // `stop` is emitted after the exchange is stored, so that the client's next question can refer to it.
        let end: AssistantEvent | undefined;
        try {
          outcome = await answerQuestion(deps, { ...asked, conversation: opened.conversation, signal }, (event) => {
            if (event.type === 'stop') end = event;
            else emit(event);
          });
        } finally {
          await opened.close(outcome?.exchange, outcome?.untrusted ?? false);
        }
        if (end) emit(end);
      };
    },
    warm() {
      deps.model.warm?.();
      void deps.toolbox.warm();
    },
    close: async () => deps.model.close?.(),
  };
}
