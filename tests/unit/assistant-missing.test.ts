/** The assistant with an unavailable server: it always names the server, and answers the rest of the question. */
import { expect, test } from 'vitest';
import type { AssistantEvent, MissingServer } from '../../src/assistant/events.ts';
import { createToolbox } from '../../src/assistant/toolbox.ts';
import { answerQuestion, LIMITS, type LoopDeps } from '../../src/assistant/loop.ts';
import { failure } from '../../src/declare/errors.ts';
import { person, results, scripted } from '../assistant-events.ts';
import { builtIn } from '../registry.ts';

const registry = builtIn;
const silent = { info: () => {}, warn: () => {}, error: () => {} };

/** Asks a question while the server tax is unavailable; the model answers with the text `text`. */
async function ask(text: string, limits: Partial<LoopDeps['limits']> = {}, hangs = false, away: readonly MissingServer[] = []) {
  const events: AssistantEvent[] = [];
  const model = scripted((turn) =>
    results(turn).length === 0 ? [{ call: 'tax_list_annual_filings' }, { call: 'hr_find_employees' }] : [text],
  );
  const deps: LoopDeps = {
    registry,
    toolbox: createToolbox(registry),
    model,
    limits: { ...LIMITS, ...limits },
    clock: { now: () => new Date() },
    log: silent,
    call: async ({ server }) => {
      if (hangs) await new Promise(() => {});
      return server === 'tax' ? failure('SERVICE_UNAVAILABLE', 'Tax does not answer.').answer() : { status: 'success', data: [] };
    },
    recordRefusal: async () => {},
    unavailable: (servers) => away.filter(({ server }) => servers.has(server)),
  };
  const conversation = { id: 'c', title: '', startedAt: '', updatedAt: '', untrusted: false, exchanges: [] };
  const caller = { person, token: { id: 't', client: 'c', issuedAt: 0, expiresAt: 0 }, approves: 'nothing' as const, origin: 'web' };
  await answerQuestion(
    deps,
    { text: 'filings and people', conversation, caller, readOnly: false, requestId: 'r', signal: new AbortController().signal },
    (event) => void events.push(event),
  );
  return { events, turns: model.turns, text: events.map((event) => (event.type === 'text' ? event.text : '')).join('') };
}

test('the assistant names an unavailable server, and answers the rest of the question', async () => {
  const { events, text } = await ask('Nobody was found.');
  expect(events.filter(({ type }) => type === 'service_unavailable')).toEqual([
    {
      type: 'service_unavailable',
      server: 'tax',
      title: registry.find('tax', 'list_annual_filings')?.domain.title,
      message: 'Tax does not answer.',
    },
  ]);
  expect(events.flatMap((event) => (event.type === 'tool_result' ? [event.status] : []))).toEqual(['error', 'success']);
  expect(text).toMatch(/^Nobody was found\.\n\n\S.* does not answer\. .+ is missing here; the other results are included\.$/);
});

test("the start event and the model's instructions name a server that is already known to be unavailable", async () => {
  const tax = { server: 'tax', title: 'Tax' };
  const { events, turns } = await ask('Nobody was found.', {}, false, [tax, { server: 'elsewhere', title: 'Not theirs' }]);
  expect(events[0]).toMatchObject({ type: 'start', unavailable: [tax] });
  expect(turns[0]?.instructions).toContain('these do not answer: Tax.');
  const whole = await ask('Nobody was found.');
  expect(whole.events[0]).not.toHaveProperty('unavailable');
  expect(whole.turns[0]?.instructions).not.toContain('do not answer');
});

test("the assistant adds no note about an unavailable server if the model's text already names it", async () => {
  const title = registry.find('tax', 'list_annual_filings')?.domain.title ?? '';
  const said = `${title} does not answer, so the filings are missing.`;
  expect((await ask(said)).text).toBe(said);
});

test('the deadline stops the answer with a message, even when a tool hangs', async () => {
  const { events, text } = await ask('Nobody was found.', { seconds: 0 }, true);
  expect(text).toContain('I stopped after 0 seconds.');
  expect(events.at(-1)).toMatchObject({ type: 'stop', reason: 'time' });
});
