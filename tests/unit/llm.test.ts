/** LLM clients against test servers with the real wire formats: streaming, fragmented tool calls and failures. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfigProblem } from '../../src/server/config.ts';
import { createToolbox } from '../../src/assistant/toolbox.ts';
import type { Model, Message, Step, Turn } from '../../src/assistant/model.ts';
import { type LlmSettings, createLlm } from '../../src/assistant/models/llm.ts';
import { person } from '../assistant-events.ts';
import { builtIn, readConfig } from '../registry.ts';

const KEY = 'sk-canary-4f1d';
const every = createToolbox(builtIn).offered(person, false);
const find = (name: string) => every.find((each) => each.name === name) ?? expect.fail(name);
const turn = (said: readonly Message[] = [{ by: 'person', text: 'Who is Kim?' }]): Turn => ({
  person,
  now: new Date(),
  instructions: 'Be brief.',
  messages: said,
  tools: [find('hr_find_employees')],
  allTools: every,
});

type Handler = (req: IncomingMessage, res: ServerResponse, body: string, attempt: number) => void;
let server: Server;
let handler: Handler;
let asked: { headers: IncomingMessage['headers']; url: string; body: Record<string, unknown> }[];
let logged: string[];
let gone: number;
const log = {
  info: () => {},
  warn: (fields: object, message: string) => void logged.push(JSON.stringify({ ...fields, message })),
  error: () => {},
};
beforeEach(async () => {
  asked = [];
  logged = [];
  gone = 0;
  server = createServer((req, res) => {
    let body = '';
    req.on('data', (chunk: Buffer) => void (body += chunk.toString()));
    res.on('close', () => void (res.writableEnded || gone++));
    req.on('end', () => {
      asked.push({ headers: req.headers, url: req.url ?? '', body: JSON.parse(body) as Record<string, unknown> });
      handler(req, res, body, asked.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
const base = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;

/** Builds the same responses in both wire formats. */
interface Wire {
  readonly settings: () => LlmSettings;
  readonly path: string;
  readonly text: (...pieces: string[]) => string[];
  readonly calls: (...calls: { id: string; name: string; pieces: string[] }[]) => string[];
  readonly end: () => string[];
  readonly trouble: string;
}
const event = (type: string, fields: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'stub', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const wires: Record<string, Wire> = {
  anthropic: {
    settings: () => ({ kind: 'anthropic', apiKey: KEY, model: 'claude-stub', baseUrl: base() }),
    path: '/v1/messages',
    text: (...pieces) => [
      event('message_start', {
        message: {
          id: 'm1',
          type: 'message',
          role: 'assistant',
          model: 'claude-stub',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 31, output_tokens: 1 },
        },
      }),
      event('ping', {}),
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      ...pieces.map((text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
      event('content_block_stop', { index: 0 }),
    ],
    calls: (...calls) =>
      calls.flatMap(({ id, name, pieces }, n) => [
        event('content_block_start', { index: n + 1, content_block: { type: 'tool_use', id, name, input: {} } }),
        ...pieces.map((partial_json) => event('content_block_delta', { index: n + 1, delta: { type: 'input_json_delta', partial_json } })),
        event('content_block_stop', { index: n + 1 }),
      ]),
    end: () => [
      event('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 12 } }),
      event('message_stop', {}),
    ],
    trouble: event('error', { error: { type: 'overloaded_error', message: `canary words ${KEY}` } }),
  },
  openai: {
    settings: () => ({ kind: 'openai', apiKey: KEY, model: 'stub', baseUrl: base() }),
    path: '/v1/chat/completions',
    text: (...pieces) => [chunk({ role: 'assistant', content: '' }), ...pieces.map((content) => chunk({ content }))],
    calls: (...calls) =>
      calls.flatMap(({ id, name, pieces }, index) => [
        chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
        ...pieces.map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
    end: () => [
      chunk({}, 'stop'),
      `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'stub', choices: [], usage: { prompt_tokens: 31, completion_tokens: 12, total_tokens: 43 } })}\n\n`,
      'data: [DONE]\n\n',
    ],
    trouble: `data: ${JSON.stringify({ error: { message: `canary words ${KEY}`, type: 'server_error', code: 500 } })}\n\n`,
  },
};

const streams =
  (...pieces: string[]): Handler =>
  (_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.end(pieces.join(''));
  };
const refuses =
  (status: number, headers: Record<string, string> = {}) =>
  (res: ServerResponse) => {
    res.writeHead(status, { 'content-type': 'application/json', ...headers });
    res.end(JSON.stringify({ type: 'error', error: { type: 'x', message: `canary words ${KEY}` } }));
  };
async function all(model: Model, given = turn(), signal = new AbortController().signal): Promise<Step[]> {
  const steps: Step[] = [];
  for await (const step of model.answer(given, signal)) steps.push(step);
  return steps;
}
const textIn = (steps: readonly Step[]) => steps.map((step) => (step.type === 'text' ? step.text : '')).join('');

describe.each(Object.entries(wires))('%s', (_, wire) => {
  const model = () => createLlm(wire.settings(), log);

  test('streams text, assembles tool calls from fragments, and reports the token usage', async () => {
    handler = streams(
      ...wire.text('Let me ', 'look.'),
      ...wire.calls(
        { id: 'call_a', name: 'hr_find_employees', pieces: ['{"na', 'me":"K', 'im"}'] },
        { id: 'call_b', name: 'hr_find_employees', pieces: ['{"name":"', 'Lee"}'] },
      ),
      ...wire.end(),
    );
    const steps = await all(model());
    expect(textIn(steps)).toBe('Let me look.');
    expect(steps.flatMap((step) => (step.type === 'call' ? [step.call] : []))).toEqual([
      { id: 'call_a', name: 'hr_find_employees', input: { name: 'Kim' } },
      { id: 'call_b', name: 'hr_find_employees', input: { name: 'Lee' } },
    ]);
    expect(steps.find(({ type }) => type === 'used')).toEqual({ type: 'used', inputTokens: 31, outputTokens: 12 });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.url).toBe(wire.path);
    expect(JSON.stringify(asked[0]?.headers)).toContain(KEY);
    const tools = JSON.stringify(asked[0]?.body['tools']);
    expect(tools).toContain('hr_find_employees');
    expect(tools).toContain('find_tools');
    expect(tools).not.toContain('hr_update_salary');
    expect(asked[0]?.body).toMatchObject({ stream: true });
  });

  test('yields text before the response is complete', async () => {
    let finish = () => {};
    handler = (_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(wire.text('First ').join(''));
      finish = () => res.end(wire.end().join(''));
    };
    const steps = model().answer(turn(), new AbortController().signal)[Symbol.asyncIterator]();
    expect((await steps.next()).value).toEqual({ type: 'text', text: 'First ' });
    finish();
    while (!(await steps.next()).done);
  });

  test('sends the conversation, with the results of its tool calls', async () => {
    handler = streams(...wire.text('Sarah Kim.'), ...wire.end());
    const call = { id: 'call_1', name: 'hr_find_employees', input: { name: 'Kim' } };
    const answer = { status: 'success' as const, data: [] };
    await all(
      model(),
      turn([
        { by: 'person', text: 'Who is Kim?' },
        { by: 'model', text: '', calls: [call] },
        { by: 'tool', call, answer, promptText: 'data x begins {} data x ends' },
        { by: 'model', text: 'Nobody.', calls: [] },
        { by: 'person', text: 'And now?' },
      ]),
    );
    const sent = JSON.stringify(asked[0]?.body);
    for (const piece of ['Be brief.', 'Who is Kim?', 'call_1', 'data x begins {} data x ends', 'Nobody.', 'And now?'])
      expect(sent).toContain(piece);
  });

  test.each([429, 529])('retries after the status %d, with the delay of Retry-After', async (status) => {
    handler = (req, res, body, attempt) =>
      attempt < 3 ? refuses(status, { 'retry-after': '0' })(res) : streams(...wire.text('Here.'), ...wire.end())(req, res, body, attempt);
    expect(textIn(await all(model()))).toBe('Here.');
    expect(asked).toHaveLength(3);
  });

  test.each([429, 529, 500, 401, 400])(
    'if every response is %d, the error is SERVICE_UNAVAILABLE, without the text of the provider',
    async (status) => {
      handler = (_req, res) => refuses(status, { 'retry-after': '0' })(res);
      await expect(all(model())).rejects.toMatchObject({ name: 'Failure', code: 'SERVICE_UNAVAILABLE', retryable: true });
      const message = await all(model()).catch((error: Error) => `${error.message} ${JSON.stringify(error)}`);
      expect(message).not.toMatch(/canary|127\.0\.0\.1/);
      expect(logged.join()).not.toMatch(/canary|127\.0\.0\.1/);
      expect(logged.join()).toContain(String(status));
    },
  );

  test('after an error in the stream the received text is kept, and the request is not retried', async () => {
    handler = streams(...wire.text('The answer is '), wire.trouble);
    const steps: Step[] = [];
    const reading = (async () => {
      for await (const step of model().answer(turn(), new AbortController().signal)) steps.push(step);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(textIn(steps)).toBe('The answer is ');
    expect(asked).toHaveLength(1);
    expect(logged.join()).not.toContain('canary');
  });

  test('a broken connection is an error, not the end of an answer', async () => {
    handler = (_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(wire.text('Half ').join(''), () => res.destroy());
    };
    await expect(all(model())).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  test.each(['before it answers', 'in the middle'])('when the server hangs %s, an abort closes the connection', async (when) => {
    const stop = new AbortController();
    handler = (_req, res) => {
      if (when === 'in the middle') {
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        res.write(wire.text('Half ').join(''));
      }
      setTimeout(() => stop.abort(new Error('enough')), 30);
    };
    await expect(all(model(), turn(), stop.signal)).rejects.toThrow();
    await expect.poll(() => gone).toBe(1);
  });

  test('an endless response is cut off', async () => {
    const piece = wire.text('x'.repeat(64 * 1024)).find(({ length }) => length > 64 * 1024) ?? '';
    handler = (_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(wire.text('x').join(''));
      const more = () => {
        while (!res.destroyed && res.write(piece));
        if (!res.destroyed) res.once('drain', more);
      };
      more();
    };
    await expect(all(model())).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await expect.poll(() => gone).toBe(1);
  });

  test('a redirect is not followed, so that the key is sent to one address only', async () => {
    handler = (_req, res) => {
      res.writeHead(307, { location: `${base()}/elsewhere` });
      res.end();
    };
    await expect(all(model())).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(asked.filter(({ url }) => url.includes('elsewhere'))).toEqual([]);
  });

  test('an input of a tool call that is not a JSON object becomes an empty object', async () => {
    handler = streams(...wire.text(''), ...wire.calls({ id: 'call_a', name: 'hr_find_employees', pieces: ['[1,', '2]'] }), ...wire.end());
    expect((await all(model())).find(({ type }) => type === 'call')).toMatchObject({ call: { input: {} } });
  });

  test.each([
    ['longer than 262,144 characters', `{"name":"${'x'.repeat(270_000)}"}`],
    ['too deep to be serialised', `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`],
  ])('an input of a tool call that is %s becomes an empty object', async (_what, text) => {
    handler = streams(...wire.text(''), ...wire.calls({ id: 'call_a', name: 'hr_find_employees', pieces: [text] }), ...wire.end());
    expect((await all(model())).find(({ type }) => type === 'call')).toEqual({
      type: 'call',
      call: { id: 'call_a', name: 'hr_find_employees', input: {} },
    });
  });
});

describe('the choice of the model', () => {
  const modelFor = (environment: Record<string, string>) => readConfig(environment).model;
  test('depends on the settings: no LLM, Claude or an OpenAI-compatible endpoint', () => {
    expect(modelFor({})).toBeUndefined();
    expect(modelFor({ ANTHROPIC_API_KEY: KEY })).toMatchObject({ kind: 'anthropic', apiKey: KEY });
    expect(modelFor({ LLM_BASE_URL: 'http://localhost:11434/v1', LLM_MODEL: 'llama' })).toEqual({
      kind: 'openai',
      apiKey: undefined,
      model: 'llama',
      baseUrl: 'http://localhost:11434/v1',
    });
  });
  test.each([
    [{ LLM_BASE_URL: 'http://llm.example/v1', LLM_MODEL: 'x' }, 'LLM_BASE_URL must use https'],
    [{ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: 'http://10.0.0.7/v1' }, 'ANTHROPIC_BASE_URL must use https'],
    [{ LLM_BASE_URL: `https://me:${KEY}@llm.example/v1`, LLM_MODEL: 'x' }, 'LLM_BASE_URL must not contain'],
    [{ LLM_BASE_URL: 'https://llm.example/v1' }, 'needs LLM_MODEL'],
  ])('refuses %o', (environment, says) => {
    expect(() => modelFor(environment)).toThrow(ConfigProblem);
    expect(() => modelFor(environment)).toThrow(says);
    try {
      modelFor(environment);
    } catch (error) {
      expect((error as Error).message).not.toContain(KEY);
    }
  });
});
