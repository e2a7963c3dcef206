/** One short run of the built command: start, ask, approve, stop. All other tests of the command are in tests/command. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { build, DEADLINE_MS, prepared, removeFolders, testClientOf, type TestServer, testServer } from '../command/command-support.ts';

let running: TestServer;
beforeAll(async () => {
  build();
  running = await testServer(await prepared({ TAMSHAI_SCRIPTED_APPROVALS: '1' }));
}, DEADLINE_MS);
afterAll(async () => {
  await running?.stop();
  removeFolders();
});

test(
  'the command starts, answers a question, asks for approval of a change, makes the approved change, and stops',
  async () => {
    const balance = await running.run(['ask', 'What is my PTO balance?', '--as', 'marcus.johnson']);
    expect(balance).toMatchObject({ code: 0, out: expect.stringMatching(/\d/) });
    const raise = await running.run(['ask', "Increase Sarah Kim's salary to $141,000", '--as', 'alice.chen']);
    expect(raise).toMatchObject({ code: 3, out: expect.stringContaining('Needs your approval. Nothing has changed yet.') });
    const [, confirmationId = ''] = /\/approve\/([\w-]{36})/.exec(raise.out) ?? [];
    const client = testClientOf(running);
    const { body } = await client.decide('alice.chen', confirmationId, true);
    expect(body).toMatchObject({ status: 'success', data: { salary: 141_000 } });
    await client.leave();
    expect(await running.stop()).toMatchObject({ code: 0 });
  },
  DEADLINE_MS,
);
