/** The CLI as a new user runs it in a second terminal, without settings, while the server uses other ports and another data folder. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  build,
  environment,
  folder,
  DEADLINE_MS,
  prepared,
  removeFolders,
  type TestServer,
  testServer,
  tamshai,
} from './command-support.ts';

vi.setConfig({ testTimeout: DEADLINE_MS, hookTimeout: 3 * DEADLINE_MS });

let running: TestServer;
beforeAll(async () => {
  build();
  running = await testServer(await prepared());
});
afterAll(async () => {
  await running?.stop();
  removeFolders();
});

describe('from another terminal, without the settings of the first', () => {
  test.each([
    [['call', 'hr', 'get_time_off_balances', '--as', 'marcus.johnson']],
    [['ask', 'What is my PTO balance?', '--as', 'marcus.johnson']],
    [['tools', 'hr', '--as', 'marcus.johnson']],
    [['token', 'marcus.johnson']],
    [['audit', 'verify']],
  ])('%j finds the running instance', async (args) => {
    const { code, err } = await tamshai(args);
    expect({ code, err: err.replace(/^Go on with.*\n|^[a-z]+\.[a-z_]+ .*\n/gm, '') }).toEqual({ code: 0, err: '' });
  });

  test('a token is issued for the running address', async () => {
    const { out } = await tamshai(['token', 'marcus.johnson', '--json', '--server', 'hr', '--mcp']);
    expect(JSON.parse(out)).toMatchObject({ audience: `http://localhost:${running.settings['HR_PORT']}/mcp` });
  });

  test('in another folder the command fails, and names the folder that it searched', async () => {
    const { code, err } = await tamshai(['token', 'marcus.johnson'], { cwd: folder() });
    expect(code).toBe(1);
    expect(err).toMatch(/has not been started in \.\/data yet/);
  });
});

describe('a name that is nearly right', () => {
  test.each([
    [['call', 'hr', 'list_employee', '--as', 'nina.patel'], 4, 'Did you mean list_employees?'],
    [['call', 'hrr', 'list_employees', '--as', 'nina.patel'], 4, 'Did you mean hr?'],
    [['tools', 'finanse'], 2, 'Did you mean finance?'],
    [['tools', 'hr', 'list_employee'], 2, 'Did you mean list_employees?'],
    [['serve', 'gatway'], 2, 'Did you mean gateway?'],
    [['token', 'marcus.johnson', '--server', 'taks'], 2, 'Did you mean tasks?'],
    [['mcp', '--as', 'nina.patel', '--servers', 'hr,taks'], 2, 'Did you mean tasks?'],
    [['tools', '--jsn'], 2, '(Did you mean --json?)'],
  ] as const)('%j', async (args, code, says) => {
    const ended = await tamshai(args);
    expect(ended.err).toContain(says);
    expect(ended.code).toBe(code);
  });
});

describe('the person to act as', () => {
  test.each([[['ask', 'hello']], [['call', 'hr', 'list_employees']], [['mcp']]])('%j asks for --as and names some people', async (args) => {
    const { code, out, err } = await tamshai(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^error {2}.* --as: .*nina\.patel.*"tamshai people" lists all\.\n$/);
  });

  test('people lists them with their roles and sign-in links', async () => {
    const { code, out } = await tamshai(['people'], { cwd: folder() });
    expect(code).toBe(0);
    expect(out).toMatch(/USERNAME +NAME +TITLE +CAN +REALM/);
    expect(out).toMatch(/^alice\.chen +Alice Chen +VP of Human Resources +read and change hr; lead a team +staff$/m);
    expect(out).toMatch(/^bob\.developer@acme\.example +Bob Developer .* customer$/m);
    const { out: json } = await tamshai(['people', '--json'], { cwd: folder() });
    const { people } = JSON.parse(json) as { people: { username: string; roles: string[] }[] };
    expect(people).toHaveLength(17);
    expect(people.find(({ username }) => username === 'alice.chen')).toMatchObject({
      roles: expect.arrayContaining(['hr-read', 'hr-write', 'manager']) as string[],
      realm: 'staff',
    });
  });

  test('people fails with an external issuer, and says why', async () => {
    const { code, out, err } = await tamshai(['people'], { settings: { OIDC_ISSUER: 'https://people.example' } });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^error {2}Sample people exist with the built-in identity provider only; .*\n$/);
  });
});

test('after a stop no instance is found', async () => {
  const home = environment({})['HOME'] ?? '';
  expect(readdirSync(join(home, '.tamshai', 'instances'))).toHaveLength(1);
  await running.stop();
  expect(readdirSync(join(home, '.tamshai', 'instances'))).toEqual([]);
});
