/** The assistant loop in the whole product, with a scripted model: events, limits and the notes that the loop itself adds. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ask, of, question, results, scripted } from '../assistant-events.ts';
import { canWrite } from '../../src/declare/tool.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';

const model = scripted();
let testServer: TestServer;
beforeAll(async () => {
  testServer = await openTestServer({}, { model });
}, 120_000);
afterAll(() => testServer.close());
beforeEach(() => {
  model.turns = [];
  model.signals = [];
});

/** Makes the model call one tool and then answer with this text. */
const callThenSay = (call: string, input: Record<string, unknown>, say: string) => {
  model.next = (turn) => (results(turn).length === 0 ? [{ call, input }] : [say]);
};

const SARAH = '0e000000-0000-4000-8000-000000000008';

describe('a question', () => {
  test('is answered with the documented events in their order, one JSON object each', async () => {
    callThenSay('tasks_list_tasks', {}, 'You have\n\ndata: [DONE]\n\nno tasks.');
    const answer = await ask(testServer, 'marcus.johnson', 'what is on my list?');
    expect(answer.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.events.map(({ type }) => type)).toEqual(['start', 'tool_call', 'tool_result', 'text', 'stop']);
    expect(answer.done).toBe(true);
    expect(answer.text).toBe('You have\n\ndata: [DONE]\n\nno tasks.');
    expect(answer.events[0]).toMatchObject({ type: 'start', model: 'scripted', requestId: answer.headers['x-request-id'] });
    expect(answer.events[1]).toMatchObject({ server: 'tasks', tool: 'list_tasks', title: 'My tasks', kind: 'read', input: {} });
    expect(answer.events[2]).toMatchObject({
      server: 'tasks',
      tool: 'list_tasks',
      status: 'success',
      hasMore: false,
      untrusted: false,
      result: { status: 'success' },
    });
    expect(answer.events[4]).toMatchObject({ reason: 'done', calls: 1 });
  });

  test('records its calls with the surface "assistant"', async () => {
    callThenSay('hr_find_employees', { name: 'Kim' }, 'Found.');
    const answer = await ask(testServer, 'frank.davis', 'who is Kim?');
    const [result] = of(answer, 'tool_result');
    const { body } = await testServer.send<{ data: { requestId: string; surface: string; tool: string; origin: string }[] }>(
      'GET',
      '/api/audit',
      { token: await testServer.token('frank.davis') },
    );
    expect(body.data.find(({ requestId }) => requestId === result?.requestId)).toMatchObject({
      surface: 'assistant',
      tool: 'find_employees',
    });
  });

  test.each([
    ['no question', {}],
    ['an empty question', { query: '   ' }],
    ['a question that is too long', { query: 'x'.repeat(4001) }],
    ['a question that is not text', { query: { $ne: null } }],
    ['an unknown key', { query: 'hi', user_id: 'x' }],
  ])('%s is refused before the stream begins', async (_, body) => {
    const { status, body: answer } = await testServer.send('POST', '/api/query', { token: await testServer.token('frank.davis'), body });
    expect(status).toBe(400);
    expect(answer).toMatchObject({ status: 'error', code: 'VALIDATION_ERROR' });
    expect(model.turns).toEqual([]);
  });

  test('needs a sign-in with a token for the API', async () => {
    expect((await testServer.send('POST', '/api/query', { body: { query: 'hi' } })).status).toBe(401);
    expect(await ask(testServer, 'frank.davis', 'hi', { mcp: true })).toMatchObject({ status: 401, refused: { code: 'UNAUTHENTICATED' } });
  });
});

describe('limits', () => {
  test('end tool calls after twelve, and the model answers without tools', async () => {
    model.next = (turn) => (turn.allTools.length === 0 ? ['This is it.'] : [{ call: 'tasks_list_tasks' }]);
    const answer = await ask(testServer, 'nina.patel', 'loop for ever');
    expect(of(answer, 'tool_call')).toHaveLength(12);
    expect(of(answer, 'stop')).toMatchObject([{ reason: 'calls', calls: 12 }]);
    expect(answer.text).toBe('This is it.\n\nI stopped after 12 look-ups. This is what I have; ask for a smaller part to go on.');
  });

  test('count the calls of a single turn too', async () => {
    model.next = (turn) => (results(turn).length === 0 ? Array.from({ length: 40 }, () => ({ call: 'tasks_list_tasks' })) : ['Enough.']);
    const answer = await ask(testServer, 'nina.patel', 'everything at once');
    expect(of(answer, 'tool_call')).toHaveLength(12);
    expect(of(answer, 'stop')).toMatchObject([{ reason: 'calls' }]);
  });

  test('allow three pending changes, and refuse and record further ones', async () => {
    const salaries = [151_001, 151_002, 151_003, 151_004, 151_005];
    model.next = (turn) =>
      results(turn).length === 0
        ? salaries.map((new_salary) => ({
            call: 'hr_update_salary',
            input: { employee_id: SARAH, new_salary, outside_band_reason: 'Kept from leaving' },
          }))
        : ['All raises have been approved.'];
    const answer = await ask(testServer, 'alice.chen', 'raise and raise');
    expect(of(answer, 'pending_confirmation')).toHaveLength(3);
    expect(of(answer, 'tool_result').map(({ status, code }) => code ?? status)).toEqual([
      ...Array<string>(3).fill('pending_confirmation'),
      'RATE_LIMITED',
      'RATE_LIMITED',
    ]);
    expect(answer.text).toContain('Nothing has changed yet: they wait for your approval on the cards.');
    const { body } = await testServer.send<{ data: { requestId: string; decision: string }[] }>('GET', '/api/audit', {
      token: await testServer.token('alice.chen'),
    });
    const refused = of(answer, 'tool_result')[4]?.requestId;
    expect(body.data.find(({ requestId }) => requestId === refused)).toMatchObject({
      decision: 'refused',
      code: 'RATE_LIMITED',
      surface: 'assistant',
    });
  });

  test('truncate an endless answer, and the answer says so', async () => {
    model.next = async function* () {
      for (let n = 0; n < 10_000; n++) yield 'x'.repeat(1024);
    };
    const answer = await ask(testServer, 'nina.patel', 'talk for ever');
    expect(answer.text.length).toBeLessThan(66_000);
    expect(of(answer, 'stop')).toMatchObject([{ reason: 'length' }]);
    expect(answer.text).toContain('the answer grew too long');
    expect(model.signals[0]?.aborted).toBe(true);
  });

  test('stop the answer at the token limit, and the answer says so', async () => {
    model.next = (turn) => [
      { type: 'used', inputTokens: 100_000, outputTokens: 1 },
      ...(results(turn).length < 4 ? [{ call: 'tasks_list_tasks' }] : []),
    ];
    const answer = await ask(testServer, 'nina.patel', 'spend');
    expect(of(answer, 'stop')).toMatchObject([{ reason: 'tokens', calls: 1, tokens: { input: 200_000, output: 2 } }]);
    expect(answer.text).toContain('grew too large');
  });

  test('give the model at most 64 kB of a result, and the person all 50 rows', async () => {
    callThenSay('hr_list_employees', {}, 'There are more than 50.');
    const answer = await ask(testServer, 'alice.chen', 'everyone');
    expect(of(answer, 'tool_result')).toMatchObject([{ rows: 50, hasMore: true }]);
    const shown = results(model.turns[1] ?? expect.fail())[0]?.promptText ?? '';
    expect(Buffer.byteLength(shown)).toBeLessThan(66_000);
  });
});

describe('the notes of the loop', () => {
  test('call a truncated list incomplete, even if the model does not', async () => {
    callThenSay('hr_list_employees', { department: 'Engineering' }, 'Here they are.');
    const answer = await ask(testServer, 'alice.chen', 'list engineering');
    expect(of(answer, 'pagination')).toMatchObject([
      { server: 'hr', tool: 'list_employees', hasMore: true, returnedCount: 50, totalEstimate: '50+' },
    ]);
    expect(answer.text).toMatch(
      /Incomplete: the first 50 of more than 50 employees\. Totals and rankings cover only these rows\. Narrow by /,
    );
  });

  test('are omitted if the list was read to its end or the model says how many rows it shows', async () => {
    model.next = (turn) => {
      const last = results(turn).at(-1)?.answer;
      if (last === undefined) return [{ call: 'hr_list_employees', input: { department: 'Engineering' } }];
      const cursor = last.status === 'success' ? last.metadata?.nextCursor : undefined;
      return cursor === undefined ? ['These are all.'] : [{ call: 'hr_list_employees', input: { department: 'Engineering', cursor } }];
    };
    expect((await ask(testServer, 'alice.chen', 'list engineering')).text).toBe('These are all.');
    callThenSay('hr_list_employees', { limit: 5 }, 'The top 5 by name.');
    expect((await ask(testServer, 'alice.chen', 'top 5')).text).toBe('The top 5 by name.');
  });

  test('say that nothing has changed yet if a write waits for approval, even if the model claims otherwise', async () => {
    callThenSay('hr_update_salary', { employee_id: SARAH, new_salary: 131_000 }, 'Done! I have updated the salary.');
    const answer = await ask(testServer, 'alice.chen', 'raise Sarah');
    const [card] = of(answer, 'pending_confirmation');
    expect(card).toMatchObject({
      message: expect.stringContaining('Nothing has changed yet.') as string,
      confirmationData: { origin: 'command', action: 'update_salary' },
    });
    expect(answer.text).toContain('Nothing has changed yet: it waits for your approval on the card.');
    expect(
      (await testServer.send('GET', `/api/confirmations/${card?.confirmationId}`, { token: await testServer.token('alice.chen') })).body,
    ).toMatchObject({ data: { state: 'waiting' } });
  });

  test('say that nothing was changed if the model reports a refused change as done', async () => {
    callThenSay('hr_update_salary', { employee_id: SARAH, new_salary: 131_000 }, 'I have updated the salary.');
    const answer = await ask(testServer, 'frank.davis', 'raise Sarah');
    expect(of(answer, 'tool_result')).toMatchObject([{ status: 'error', code: 'INSUFFICIENT_PERMISSIONS' }]);
    expect(answer.text).toContain('Nothing was changed in this answer.');
  });

  test('a call of an unknown or forbidden tool is refused and recorded', async () => {
    model.next = (turn) =>
      results(turn).length === 0
        ? [{ call: 'delete_everything' }, { call: 'hr_delete_employee', input: { employee_id: SARAH, reason: 'because' } }]
        : ['No.'];
    const answer = await ask(testServer, 'frank.davis', 'delete everything');
    expect(of(answer, 'tool_result').map(({ code }) => code)).toEqual(['TOOL_NOT_FOUND', 'INSUFFICIENT_PERMISSIONS']);
    const { body } = await testServer.send<{ data: { requestId: string; decision: string }[] }>('GET', '/api/audit', {
      token: await testServer.token('frank.davis'),
    });
    for (const { requestId } of of(answer, 'tool_result'))
      expect(body.data.find((each) => each.requestId === requestId)).toMatchObject({ decision: 'refused' });
  });

  test('a failing model ends the answer with our error message', async () => {
    model.next = () => {
      throw new Error('secret words of a driver');
    };
    const answer = await ask(testServer, 'frank.davis', 'hi');
    expect(answer.raw).not.toContain('secret');
    expect(of(answer, 'error')).toMatchObject([{ code: 'INTERNAL_ERROR', retryable: true }]);
    expect(of(answer, 'stop')).toMatchObject([{ reason: 'error' }]);
    expect(answer.done).toBe(true);
    expect(testServer.logged.join('\n')).not.toContain('secret words');
  });
});

describe('GET /api/query', () => {
  test('allows only tools that read, even if the model calls another one', async () => {
    model.next = (turn) =>
      results(turn).length === 0
        ? [
            { call: 'tasks_add_task', input: { title: 'by a link' } },
            { call: 'hr_update_salary', input: { employee_id: SARAH, new_salary: 140_000 } },
          ]
        : ['No.'];
    const answer = await ask(testServer, 'alice.chen', 'do something', { get: true });
    expect(of(answer, 'tool_result').map(({ code }) => code)).toEqual(['METHOD_NOT_ALLOWED', 'METHOD_NOT_ALLOWED']);
    expect(model.turns[0]?.allTools.every(({ tool }) => !canWrite(tool))).toBe(true);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect((await testServer.rest('alice.chen', 'tasks', 'list_tasks')).text).not.toContain('by a link');
  });

  test('accepts the token only in the header, and never logs the question', async () => {
    model.next = () => ['Hello.'];
    const token = await testServer.token('alice.chen');
    for (const name of ['access_token', 'token']) {
      expect((await testServer.send('GET', `/api/query?query=canary-question&${name}=${token}`)).status).toBe(401);
      expect((await testServer.send('GET', `/api/query?query=canary-question&${name}=${token}`, { token })).status).toBe(401);
    }
    expect((await ask(testServer, 'alice.chen', 'canary-question', { get: true })).text).toBe('Hello.');
    expect(testServer.logged.join('\n')).not.toContain('canary-question');
  });
});

test('the prompt contains the question, the person and their own tools, and no secret', async () => {
  model.next = () => ['Hello.'];
  await ask(testServer, 'frank.davis', 'how many days off do I have left?');
  const [turn] = model.turns;
  expect(question(turn ?? expect.fail()).text).toBe('how many days off do I have left?');
  expect(turn?.allTools.map(({ tool }) => tool.roles.some((role) => role === 'employee'))).not.toContain(false);
  expect(turn?.tools.map(({ name }) => name)).toContain('hr_get_time_off_balances');
  expect(turn?.instructions).toContain('Frank Davis');
  expect(turn?.instructions).not.toMatch(/Bearer|eyJ|sub\b.*0e0/);
});
