/** Stored conversations: who may read them, how they are erased, and what stops an answer. */
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Conversation, ConversationSummary } from '../../src/assistant/conversations.ts';
import { ask, heard, of, results, scripted } from '../assistant-events.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';

const model = scripted();
let testServer: TestServer;
beforeAll(async () => {
  testServer = await openTestServer({}, { model });
}, 400_000);
afterAll(() => testServer.close());

const list = async (user: string) =>
  (await testServer.send<{ data: ConversationSummary[] }>('GET', '/api/conversations', { token: await testServer.token(user) })).body.data;
const read = async (user: string, id: string) =>
  testServer.send<{ data: Conversation & { exchanges: { text: string; calls: { name: string }[] }[] }; code?: string }>(
    'GET',
    `/api/conversations/${id}`,
    { token: await testServer.token(user) },
  );
const erase = async (user: string, id: string) =>
  testServer.send('DELETE', `/api/conversations/${id}`, { token: await testServer.token(user) });
const answerWith = (text: string) => void (model.next = () => [text]);
/** A model that writes something and then waits until it is stopped. */
const hangs = () => {
  model.next = async function* () {
    yield 'Let me think. ';
    await new Promise(() => {});
  };
};
/** Asks a question and waits for the first text, but not for the end of the stream. */
async function begin(user: string, query: string, conversationId?: string) {
  const gone = new AbortController();
  const response = await request(`${testServer.address()}/api/query`, {
    method: 'POST',
    signal: gone.signal,
    body: JSON.stringify({ query, conversationId }),
    headers: { authorization: `Bearer ${await testServer.token(user)}`, 'content-type': 'application/json' },
  });
  let raw = '';
  const reading = (async () => {
    for await (const piece of response.body as AsyncIterable<Buffer>) raw += piece.toString();
  })().catch(() => {});
  await expect.poll(() => raw).toContain('Let me think');
  return {
    leave: () => gone.abort(),
    heard: async () => (await reading, heard(response.statusCode, response.headers, raw)),
    now: () => heard(response.statusCode, response.headers, raw),
  };
}

describe('a conversation', () => {
  test('is stored, and can be continued, listed and read by the person who began it', async () => {
    model.next = (turn) =>
      results(turn).length === 0 ? [{ call: 'hr_find_employees', input: { name: 'Kim' } }] : ['Sarah Kim is an engineer.'];
    const first = await ask(testServer, 'frank.davis', 'who is Kim?');
    answerWith('In Engineering.');
    model.turns = [];
    const second = await ask(testServer, 'frank.davis', 'and where?', { conversationId: first.conversationId });
    expect(second.conversationId).toBe(first.conversationId);
    expect(model.turns[0]?.messages.map((each) => (each.by === 'tool' ? each.call.name : each.text))).toEqual([
      'who is Kim?',
      '',
      'hr_find_employees',
      'Sarah Kim is an engineer.',
      'and where?',
    ]);
    expect((await list('frank.davis'))[0]).toMatchObject({ id: first.conversationId, title: 'who is Kim?' });
    const { body } = await read('frank.davis', first.conversationId);
    expect(body.data.exchanges).toMatchObject([
      {
        question: 'who is Kim?',
        text: 'Sarah Kim is an engineer.',
        stopped: 'done',
        calls: [{ name: 'hr_find_employees', status: 'success' }],
      },
      { question: 'and where?', text: 'In Engineering.', stopped: 'done', calls: [] },
    ]);
  });

  test('of another person is not found: it cannot be continued, read, erased or listed', async () => {
    answerWith('Hello.');
    const { conversationId } = await ask(testServer, 'marcus.johnson', 'my own matter');
    const foreign = await ask(testServer, 'frank.davis', 'what did Marcus ask?', { conversationId });
    const unknown = await ask(testServer, 'frank.davis', 'what did Marcus ask?', {
      conversationId: '5a30afd7-8491-4efb-999a-3a48de271441',
    });
    expect(foreign).toMatchObject({ status: 404, refused: { code: 'NOT_FOUND' } });
    expect(foreign.raw).toBe(unknown.raw);
    expect((await ask(testServer, 'eve.thompson', 'I may see everything', { conversationId })).status).toBe(404);
    for (const id of [conversationId, '../x', `${conversationId}:x`]) {
      expect((await read('frank.davis', encodeURIComponent(id))).status).toBe(404);
      expect((await erase('frank.davis', encodeURIComponent(id))).status).toBe(404);
    }
    expect((await list('frank.davis')).map(({ id }) => id)).not.toContain(conversationId);
    expect((await read('marcus.johnson', conversationId)).status).toBe(200);
  });

  test('is erased permanently, even while a question in it is being answered', async () => {
    answerWith('Hello.');
    const { conversationId } = await ask(testServer, 'nina.patel', 'forget this');
    expect((await erase('nina.patel', conversationId)).body).toMatchObject({
      status: 'success',
      data: { id: conversationId, erased: true },
    });
    expect((await read('nina.patel', conversationId)).status).toBe(404);
    expect((await erase('nina.patel', conversationId)).status).toBe(404);
    let finish = () => {};
    const held = new Promise<void>((resolve) => void (finish = resolve));
    model.next = async function* () {
      yield 'Let me think. ';
      await held;
    };
    const answering = await begin('nina.patel', 'still going');
    const id = answering.now().conversationId;
    expect((await erase('nina.patel', id)).status).toBe(200);
    finish();
    expect((await answering.heard()).done).toBe(true);
    expect((await read('nina.patel', id)).status).toBe(404);
    expect((await list('nina.patel')).map((each) => each.id)).not.toContain(id);
  });

  test('is encrypted in the store', async () => {
    answerWith('Hello.');
    await ask(testServer, 'sarah.kim', 'canary-in-the-store');
    const values: unknown[] = [];
    const { kv } = testServer.tamshai.modules;
    const me = (
      await testServer.send<{ data: { username: string } }>('GET', '/api/user/info', { token: await testServer.token('sarah.kim') })
    ).body.data;
    expect(me.username).toBe('sarah.kim');
    const [{ id } = { id: '' }] = await list('sarah.kim');
    const { person } = model.turns.at(-1) ?? expect.fail();
    for (const key of [`conversation:${person.principal}:${id}`, `conversations:${person.principal}`]) values.push(await kv.get(key));
    expect(values.filter((value) => typeof value === 'string' && value.length > 0)).toHaveLength(2);
    expect(values.join()).not.toContain('canary');
  });

  test('answers one question at a time', async () => {
    hangs();
    const first = await begin('bob.martinez', 'slow');
    const again = await ask(testServer, 'bob.martinez', 'and?', { conversationId: first.now().conversationId });
    expect(again).toMatchObject({ status: 429, refused: { code: 'RATE_LIMITED' } });
    first.leave();
    await expect
      .poll(
        async () => (
          answerWith('Here.'), (await ask(testServer, 'bob.martinez', 'and?', { conversationId: first.now().conversationId })).text
        ),
      )
      .toBe('Here.');
  });
});

describe('an answer stops', () => {
  test('when the client disconnects: the model and its calls are aborted', async () => {
    hangs();
    model.signals = [];
    const answering = await begin('carol.johnson', 'think');
    expect(model.signals[0]?.aborted).toBe(false);
    answering.leave();
    await expect.poll(() => model.signals[0]?.aborted).toBe(true);
    const id = answering.now().conversationId;
    await expect
      .poll(async () => (await read('carol.johnson', id)).body.data.exchanges[0])
      .toMatchObject({ stopped: 'cancelled', text: 'Let me think. ' });
  });

  test('when the person is disabled, with our error message', async () => {
    hangs();
    const answering = await begin('paula.reyes', 'think');
    const { sub } = model.turns.at(-1)?.person ?? expect.fail();
    await testServer.owner(`update hr.employees set active = false, terminated_at = now() where employee_id = $1`, [sub]);
    const answer = await answering.heard();
    expect(of(answer, 'error')[0]?.code).toMatch(/UNAUTHENTICATED|INSUFFICIENT_PERMISSIONS|IDENTITY_NOT_LINKED/);
    expect(of(answer, 'stop')).toMatchObject([{ reason: 'error' }]);
    expect(answer.done).toBe(true);
  });

  test('before it begins, if six answers of the person are already running', async () => {
    hangs();
    const open = [];
    for (let n = 0; n < 6; n++) open.push(await begin('tom.becker', `question ${n}`));
    expect(await ask(testServer, 'tom.becker', 'one more')).toMatchObject({ status: 429, refused: { code: 'RATE_LIMITED' } });
    for (const each of open) each.leave();
    answerWith('Here.');
    await expect.poll(async () => (await ask(testServer, 'tom.becker', 'now?')).text).toBe('Here.');
  });
});

test('the server reports which model answers', async () => {
  const { body } = await testServer.send('GET', '/api/user/info', { token: await testServer.token('frank.davis') });
  expect(body).toMatchObject({ data: { assistant: { model: 'scripted' } } });
});
