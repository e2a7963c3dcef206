/** The offline model works on the longest questions without blocking other requests. */
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { personas } from '../../domains/sample-company/people.ts';
import { longQuestions } from '../long-questions.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';

let testServer: TestServer;
beforeAll(async () => {
  testServer = await openTestServer();
}, 400_000);
afterAll(() => testServer.close());

/** Resolves to the whole answer. Calls `onStart` for each chunk, so the first call marks the start of the answer. */
async function send(user: string, query: string, onStart: () => void): Promise<string> {
  const response = await request(`${testServer.address()}/api/query`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await testServer.token(user)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  let raw = '';
  for await (const piece of response.body as AsyncIterable<Buffer>) {
    raw += piece.toString();
    onStart();
  }
  return raw;
}

test('health checks are answered while ten people wait for the answers to the longest questions', async () => {
  const people = personas.filter(({ realm }) => realm === 'staff').slice(0, 10);
  expect(people).toHaveLength(10);
  const questions = longQuestions();
  const started = new Set<number>();
  let answered = 0;
  const answers = people.map(async ({ username }, at) => {
    const raw = await send(username, questions[at % questions.length] ?? '', () => started.add(at));
    answered += 1;
    return raw;
  });
  await expect.poll(() => started.size).toBe(people.length);
  for (let check = 0; check < 5; check += 1) expect((await testServer.send<object>('GET', '/health')).status).toBe(200);
  // On the event loop, most answers would have ended before the last one starts.
  expect(answered).toBeLessThan(people.length / 2);
  for (const raw of await Promise.all(answers)) expect(raw).toContain('"reason":"done"');
});
