/** A client that disconnects right after its question does not crash the process. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { createToolbox } from '../../src/assistant/toolbox.ts';
import type { AssistantEvent } from '../../src/assistant/events.ts';
import { answerQuestion, LIMITS } from '../../src/assistant/loop.ts';
import type { Model } from '../../src/assistant/model.ts';
import { person } from '../assistant-events.ts';
import { builtIn } from '../registry.ts';

const registry = builtIn;
const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
afterEach(() => process.off('unhandledRejection', note));

/** A model that checks its signal before it begins. */
const model: Model = {
  name: 'careful',
  async *answer(_turn, signal) {
    signal.throwIfAborted();
    yield { type: 'text', text: 'Too late.' };
  },
};

test('a question that was aborted before the model starts ends as cancelled, without an unhandled rejection', async () => {
  process.on('unhandledRejection', note);
  const events: AssistantEvent[] = [];
  const { exchange } = await answerQuestion(
    {
      registry,
      toolbox: createToolbox(registry),
      model,
      limits: LIMITS,
      clock: { now: () => new Date() },
      log: { info: () => {}, warn: () => {}, error: () => {} },
      call: async () => expect.fail('nothing is called'),
      recordRefusal: async () => {},
      unavailable: () => [],
    },
    {
      text: 'Who am I?',
      conversation: { id: 'c', title: '', startedAt: '', updatedAt: '', untrusted: false, exchanges: [] },
      caller: { person, token: { id: 't', client: 'c', issuedAt: 0, expiresAt: 0 }, approves: 'nothing', origin: 'web' },
      readOnly: false,
      requestId: 'r',
      signal: AbortSignal.abort(),
    },
    (event) => void events.push(event),
  );
  // Node reports an unhandled rejection only after the current turn of the event loop.
  await pause(20);
  expect(unhandled).toEqual([]);
  expect([exchange.stopped, events.at(-1)]).toMatchObject(['cancelled', { type: 'stop', reason: 'cancelled' }]);
});
