/** `tamshai ask`: output for people, output for programs, and the approval card in a terminal. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { AssistantEvent } from '../../src/assistant/events.ts';
import { atTerminal, build, DEADLINE_MS, prepared, removeFolders, type TestServer, testServer } from './command-support.ts';

vi.setConfig({ testTimeout: DEADLINE_MS, hookTimeout: 3 * DEADLINE_MS });
let running: TestServer;
beforeAll(async () => {
  build();
  running = await testServer(await prepared({ TAMSHAI_RATE_PER_MINUTE: '1000' }));
});
afterAll(async () => {
  await running?.stop();
  removeFolders();
});
const ask = (question: string, as: string, ...more: string[]) => running.run(['ask', question, '--as', as, ...more]);
const RAISE = "Increase Sarah Kim's salary to $141,000";

describe('ask', () => {
  test('prints the answer on standard output, and tools and follow-up commands on standard error', async () => {
    const { code, out, err } = await ask('What is my PTO balance?', 'marcus.johnson');
    expect(code).toBe(0);
    expect(out).toMatch(/\d/);
    expect(out).not.toMatch(/\u001b|\*\*|\|---/);
    expect(err).toMatch(/^hr\.get_time_off_balances {2}1 row {2}\d+ m?s$/m);
    const [, id = ''] = /--conversation ([\w-]{36})$/m.exec(err) ?? [];
    expect((await ask('What is my PTO balance?', 'marcus.johnson', '--conversation', id)).code).toBe(0);
    const foreign = await ask('What did he ask?', 'frank.davis', '--conversation', id);
    expect(foreign).toMatchObject({ code: 4, out: '' });
    expect(foreign.err).toContain('You have no conversation with this id.');
  });

  test('prints each event as one line of JSON for programs', async () => {
    const { code, out, err } = await ask('What is my PTO balance?', 'marcus.johnson', '--json');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const events = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as AssistantEvent);
    expect(events[0]).toMatchObject({ type: 'start', model: 'offline' });
    expect(events.at(-1)).toMatchObject({ type: 'stop', reason: 'done' });
    const at = (type: AssistantEvent['type']) => events.findIndex((event) => event.type === type);
    expect([at('tool_call'), at('tool_result'), at('text')]).toEqual([at('tool_call'), at('tool_call') + 1, at('tool_call') + 2]);
  });

  test('a change without a terminal prints its link and exits with 3', async () => {
    const { code, out } = await ask(RAISE, 'alice.chen');
    expect(code).toBe(3);
    expect(out).toMatch(
      /Needs your approval\. Nothing has changed yet\.\n.*\nOpen http:\/\/localhost:\d+\/approve\/[\w-]{36} within \d:\d\d\./,
    );
    expect((await ask(RAISE, 'alice.chen', '--json')).code).toBe(3);
  });

  test('a change in a terminal shows the card and asks', async () => {
    const typing = [{ after: 'Approve? Type yes to approve, no to deny: ', type: 'no\n' }];
    const { screen, code } = await atTerminal(['ask', RAISE, '--as', 'alice.chen'], { settings: running.settings, typing, columns: 80 });
    expect(screen).toContain('waits for you');
    expect(screen).toContain('AFTER APPROVAL');
    expect(screen).toContain('Denied by you.');
    expect(code).toBe(6);
  });

  test('a table fits the width of the terminal', async () => {
    const { screen, code } = await atTerminal(['ask', 'Who works in Legal?', '--as', 'alice.chen'], {
      settings: running.settings,
      typing: [],
      columns: 60,
    });
    expect(code).toBe(0);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape sequences of the terminal
    const lines = screen.replace(/\u001b\[[\d;?]*[A-Za-z]/g, '').split(/\r?\n/);
    expect(lines.some((line) => line.includes('Legal'))).toBe(true);
    const answer = lines.filter((line) => !line.startsWith('Go on with'));
    expect(answer.filter((line) => [...line].length > 60)).toEqual([]);
  });

  test('prints its own usage errors', async () => {
    expect(await running.run(['ask', 'hi'])).toMatchObject({ code: 2, err: expect.stringContaining('--as') as string });
    expect((await ask('x'.repeat(4001), 'frank.davis')).code).toBe(2);
    const away = await running.run(['ask', 'hi', '--as', 'frank.davis'], { settings: { GATEWAY_PORT: '9' } });
    expect(away).toMatchObject({ code: 5, err: expect.stringContaining('does not answer') as string });
  });
});
