/** `tamshai call`: output for people, output for programs, and the approval card in a terminal. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Answer, PendingAnswer } from '../../src/declare/answer.ts';
import { persona } from '../../domains/sample-company/people.ts';
import type { TestClient } from '../../src/testing/test-client.ts';
import {
  atTerminal,
  build,
  folder,
  DEADLINE_MS,
  prepared,
  removeFolders,
  type TestServer,
  testServer,
  tamshai,
  testClientOf,
} from './command-support.ts';

vi.setConfig({ testTimeout: DEADLINE_MS, hookTimeout: 3 * DEADLINE_MS });
let running: TestServer;
let testClient: TestClient;
beforeAll(async () => {
  build();
  running = await testServer(await prepared({ TAMSHAI_RATE_PER_MINUTE: '1000' }));
  testClient = testClientOf(running);
});
afterAll(async () => {
  await testClient?.leave();
  await running?.stop();
  removeFolders();
});

const idOf = (username: string) => persona(username).employeeId ?? '';
const call = (tool: string, input: object, as: string, ...more: string[]) =>
  running.run(['call', ...tool.split('.'), JSON.stringify(input), '--as', as, ...more]);
const post = async (path: string, token: string, body: unknown, port = running.base) => {
  const answer = await request(`${port}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });
  return { status: answer.statusCode, body: (await answer.body.json()) as Answer };
};

describe('call, for people', () => {
  test('prints fields and a table, with numbers aligned right', async () => {
    const { code, out, err } = await running.run(['call', 'hr', 'get_time_off_balances', '--as', 'marcus.johnson']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^success {2}\d+ m?s {2}\S+\n\n {2}Employee id {3}0e0/);
    expect(out).toMatch(/^ {4}TYPE CODE +TYPE NAME +ENTITLEMENT +USED +PENDING +CARRYOVER +AVAILABLE$/m);
    expect(out).toMatch(/^ {4}VACATION +Vacation +\d+(?:\.\d)?(?: +\d+(?:\.\d)?){4}$/m);
    expect(out).not.toContain('\u001b');
  });

  test('writes money with $ and says what is hidden', async () => {
    const input = { employee_id: idOf('sarah.kim') };
    expect((await call('hr.get_employee', input, 'alice.chen')).out).toMatch(/^ {2}Salary +\$112,000$/m);
    const { out } = await call('hr.get_employee', input, 'nina.patel');
    expect(out).toMatch(/^ {2}Salary +hidden$/m);
    expect(out).not.toContain('112,000');
  });

  test('says when a list is incomplete, and prints a command for the next page that works', async () => {
    const { code, out } = await call('hr.find_employees', { department: 'Engineering', limit: 2 }, 'frank.davis');
    expect(code).toBe(0);
    expect(out).toMatch(/^success {2}2\+ rows {2}/);
    expect(out).toMatch(
      /^Incomplete: the first 2 of more than 2\. Totals that you compute from these rows are incomplete\. Narrow by name/m,
    );
    const [, input = ''] = /^More {2}tamshai call hr find_employees '(.*)' --as frank\.davis$/m.exec(out) ?? [];
    const next = await running.run(['call', 'hr', 'find_employees', input, '--as', 'frank.davis', '--json']);
    expect(next.json()).toMatchObject({ status: 'success', metadata: { returnedCount: 2 } });
    const empty = await call('hr.find_employees', { name: 'Nobody Has This Name' }, 'frank.davis');
    expect(empty.out).toMatch(/^success {2}0 rows .*\n\n {2}No \w+\.\n$/);
  });

  test('prints the error, its hint and an exit code for scripts', async () => {
    const refused = await call('hr.list_employees', {}, 'frank.davis');
    expect(refused).toMatchObject({ code: 4, out: '' });
    expect(refused.err).toMatch(/^INSUFFICIENT_PERMISSIONS {2}\S.*\n[^]*^Try {2}\S/m);
    expect(refused.err).toContain('hr-read');
    expect(await call('hr.get_employee', { employee_id: idOf('eve.thompson') }, 'frank.davis')).toMatchObject({ code: 4 });
    expect(await call('hr.find_employees', { nme: 'Kim' }, 'frank.davis')).toMatchObject({ code: 2 });
    expect(await call('hr.find_employees', { cursor: 'AAAA' }, 'frank.davis')).toMatchObject({ code: 2 });
    const unknown = await call('hr.find_employes', {}, 'frank.davis');
    expect(unknown).toMatchObject({ code: 4, out: '' });
    expect(unknown.err).toContain('Try  tamshai tools --as frank.davis');
    const unchanged = await call('hr.update_salary', { employee_id: idOf('sarah.kim'), new_salary: 112_000 }, 'alice.chen');
    expect(unchanged).toMatchObject({ code: 1 });
    expect(unchanged.err).toMatch(/^SALARY_UNCHANGED {2}/);
  });

  test('requires a JSON object and --as', async () => {
    for (const bad of ['{name:Kim}', '[]', '"x"', '1', '']) {
      const { code, out, err } = await running.run(['call', 'hr', 'find_employees', bad, '--as', 'frank.davis']);
      expect({ code, out }, bad).toEqual({ code: 2, out: '' });
      expect(err).toMatch(/^error {2}The input .*JSON/);
    }
    const nobody = await running.run(['call', 'hr', 'find_employees', '{}']);
    expect(nobody.code).toBe(2);
    expect(nobody.err).toMatch(/^error {2}Say who is calling with --as: .*alice\.chen/);
    const outsider = await running.run(['call', 'hr', 'find_employees', '{}', '--as', 'alice']);
    expect(outsider.code).toBe(2);
    expect(outsider.err).toMatch(/There is no sample person "alice"; did you mean alice\.chen\?/);
  });

  test('reads the input from standard input and sends it unchanged', async () => {
    const { code, out } = await running.run(['call', 'tasks', 'add_task', '-', '--as', 'sarah.kim'], {
      input: '{"title":"Aus der Röhre"}',
    });
    expect(code).toBe(0);
    expect(out).toContain('Aus der Röhre');
    const twice = await running.run(['call', 'hr', 'find_employees', '{"employee_id":1,"name":"\\ud800"}', '--as', 'sarah.kim']);
    expect(twice.code).toBe(2);
  });

  test('reports when nothing or another server answers', async () => {
    const closed = await running.run(['call', 'tasks', 'list_tasks', '--as', 'nina.patel'], { settings: { GATEWAY_PORT: '9' } });
    expect(closed).toMatchObject({
      code: 5,
      out: '',
      err: 'error  Tamshai does not answer at http://localhost:9; start it with npm start.\n',
    });
    // The hr server refuses the token, which is for another address.
    const other = await running.run(['call', 'tasks', 'list_tasks', '--as', 'nina.patel'], {
      settings: { GATEWAY_PORT: String(running.settings['HR_PORT']) },
    });
    expect(other.code).toBeGreaterThan(3);
    const foreign = await tamshai(['call', 'tasks', 'list_tasks', '--as', 'nina.patel'], {
      settings: { ...running.settings, TAMSHAI_DATA: await foreignFolder() },
    });
    expect(foreign).toMatchObject({ code: 4, out: '' });
    expect(foreign.err).toMatch(/^UNAUTHENTICATED {2}[^]*TAMSHAI_DATA/);
  });
});

/** A data folder with the keys of another installation. */
async function foreignFolder(): Promise<string> {
  const data = folder();
  const { openKeys } = await import('../../src/identity/keys.ts');
  openKeys(data);
  return data;
}

describe('call, for programs', () => {
  test('prints the whole answer as one line of JSON, errors and cards too', async () => {
    const good = await call('hr.find_employees', { name: 'Sarah Kim' }, 'frank.davis', '--json');
    expect(good).toMatchObject({ code: 0, err: '' });
    expect(good.out.trim().split('\n')).toHaveLength(1);
    expect(good.json()).toMatchObject({ status: 'success', metadata: { hasMore: false } });
    const bad = await call('hr.list_employees', {}, 'frank.davis', '--json');
    expect(bad).toMatchObject({ code: 4, err: '' });
    expect(bad.json()).toMatchObject({ status: 'error', code: 'INSUFFICIENT_PERMISSIONS' });
    const card = await call('hr.update_salary', { employee_id: idOf('frank.davis'), new_salary: 61_000 }, 'alice.chen', '--json');
    expect(card).toMatchObject({ code: 3, err: '' });
    expect(card.json()).toMatchObject({ status: 'pending_confirmation', confirmationData: { origin: 'command' } });
  });
});

describe('tools', () => {
  test('prints the input of one tool with an example call, and lists the servers for an unknown one', async () => {
    const one = await tamshai(['tools', 'finance', 'pay_invoice'], { settings: { TAMSHAI_DATA: '/nowhere' } });
    expect(one.out).toMatch(/invoice_id +uuid, required/);
    expect(one.out).toMatch(/tamshai call finance pay_invoice '\{.*\}' --as bob\.martinez/);
    const none = await tamshai(['tools', 'hrr', 'list_employees'], { settings: { TAMSHAI_DATA: '/nowhere' } });
    expect(none.code).toBe(2);
    expect(none.err).toMatch(/no server "hrr"; there are hr, /);
  });

  test('lists all tools without a running gateway, and with --as the tools of one person', async () => {
    const all = await tamshai(['tools'], { settings: { TAMSHAI_DATA: '/nowhere' } });
    expect(all).toMatchObject({ code: 0, err: '' });
    expect(all.out).toMatch(/^hr {2}.*\n\n {2}TOOL/);
    expect(all.out).toMatch(/^ {2}update_salary +needs approval +Change a salary$/m);
    const own = await running.run(['tools', '--as', 'frank.davis']);
    expect(own.code).toBe(0);
    expect(own.out).toContain('find_employees');
    expect(own.out).not.toContain('update_salary');
    const one = await running.run(['tools', 'hr', 'find_employees', '--as', 'frank.davis']);
    expect(one).toMatchObject({ code: 0, err: '' });
    expect(one.out).toMatch(/tamshai call hr find_employees '\{.*\}' --as frank\.davis/);
    const closed = await running.run(['tools', 'hr', 'update_salary', '--as', 'frank.davis']);
    expect(closed).toMatchObject({ code: 2, err: expect.stringMatching(/^error {2}There is no tool "update_salary" on hr; there are /) });
    const json = await running.run(['tools', '--as', 'frank.davis', '--json']);
    const { servers } = json.json() as { servers: { name: string; tools: { name: string }[] }[] };
    expect(servers.find(({ name }) => name === 'tasks')?.tools.map(({ name }) => name)).toContain('add_task');
  });
});

describe('token', () => {
  const bare = async (...args: string[]) => (await running.run(['token', ...args])).out.trim();

  test('is printed alone, is short-lived and valid for one address', async () => {
    const { code, out, err } = await running.run(['token', 'alice.chen']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const claims = decodeJwt(out.trim());
    expect(claims).toMatchObject({ aud: `${running.base}/api`, preferred_username: 'alice.chen' });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(300);
    expect(claims).not.toHaveProperty('tamshai_approve');
    expect(await post('/api/tools/tasks/list_tasks', out.trim(), {})).toMatchObject({ status: 200 });
    expect(await post('/api/tools/tasks/list_tasks', await bare('alice.chen', '--mcp'), {})).toMatchObject({ status: 401 });
    const direct = await bare('alice.chen', '--server', 'hr');
    expect(await post('/tools/find_employees', direct, {}, `http://localhost:${running.settings['HR_PORT']}`)).toMatchObject({
      status: 200,
    });
    expect(await post('/api/tools/tasks/list_tasks', direct, {})).toMatchObject({ status: 401 });
    expect(decodeJwt(await bare('alice.chen', '--server', 'hr', '--mcp')).aud).toBe(`http://localhost:${running.settings['HR_PORT']}/mcp`);
  });

  test('cannot approve unless the server runs with TAMSHAI_SCRIPTED_APPROVALS', async () => {
    const refused = await running.run(['token', 'alice.chen', '--approve']);
    expect(refused).toMatchObject({ code: 4, out: '' });
    expect(refused.err).toMatch(/^error {2}.*TAMSHAI_SCRIPTED_APPROVALS=1/);
    // The command's own environment does not change settings of the running server.
    const forced = await running.run(['token', 'alice.chen', '--approve'], { settings: { TAMSHAI_SCRIPTED_APPROVALS: '1' } });
    const card = (
      await call('hr.update_salary', { employee_id: idOf('frank.davis'), new_salary: 62_000 }, 'alice.chen', '--json')
    ).json() as unknown as PendingAnswer;
    expect(await post(`/api/confirm/${card.confirmationId}`, forced.out.trim(), { approved: true })).toMatchObject({
      status: 403,
      body: { code: 'PERSON_REQUIRED' },
    });
    expect(await running.run(['token', 'alice.chen', '--approve', '--mcp'])).toMatchObject({ code: 2, out: '' });
    expect(await running.run(['token', 'alice.chen', '--server', 'nowhere'])).toMatchObject({ code: 2, out: '' });
    expect(await running.run(['token', 'nobody'])).toMatchObject({ code: 2, out: '' });
  });

  test('approves if the server allows scripted approvals', async () => {
    const scripted = await testServer(await prepared({ TAMSHAI_SCRIPTED_APPROVALS: '1' }));
    const asked = await scripted.run([
      'call',
      'hr',
      'update_salary',
      JSON.stringify({ employee_id: idOf('sarah.kim'), new_salary: 118_000 }),
      '--as',
      'alice.chen',
      '--json',
    ]);
    const { confirmationId } = asked.json() as unknown as PendingAnswer;
    const right = (await scripted.run(['token', 'alice.chen', '--approve'])).out.trim();
    expect(await post(`/api/confirm/${confirmationId}`, right, { approved: true }, scripted.base)).toMatchObject({
      status: 200,
      body: { status: 'success' },
    });
    await scripted.stop();
  });
});

describe('a change', () => {
  const raise = (salary: number, who = 'marcus.johnson') => [
    'call',
    'hr',
    'update_salary',
    JSON.stringify({ employee_id: idOf(who), new_salary: salary, reason: 'Good year' }),
    '--as',
    'alice.chen',
  ];
  const salaryOf = async (who = 'marcus.johnson') => {
    const { body } = await testClient.rest('alice.chen', 'hr', 'get_employee', { employee_id: idOf(who) });
    return (body as unknown as { data: { salary: number } }).data.salary;
  };
  const asked = 'Approve? Type yes to approve, no to deny: ';
  const answering = (type: string) => ({ settings: running.settings, typing: [{ after: asked, type }] });

  test('without a terminal stays pending, and prints its link', async () => {
    const before = await salaryOf();
    const { code, out } = await running.run(raise(140_001), { input: 'yes\nyes\n' });
    expect(code).toBe(3);
    expect(out).toMatch(
      /^Needs your approval\. Nothing has changed yet\.\nChange the salary of Marcus Johnson\nOpen http:\/\/localhost:\d+\/approve\/[0-9a-f-]{36} within [45]:\d\d\.\n$/,
    );
    expect(await salaryOf()).toBe(before);
  });

  test('shows its card in a terminal, and the word "yes" approves it', async () => {
    const { screen, code } = await atTerminal(raise(140_002), answering('yes\n'));
    expect(screen).toMatch(/Needs your approval.*expires in [45]:\d\d/);
    expect(screen).toContain('Change the salary of Marcus Johnson. Nothing has changed yet.');
    expect(screen).toMatch(/Salary +\$\d[\d,.]* +\$140,002/);
    expect(screen).toContain('Good year');
    expect(screen).toContain('Alice Chen (alice.chen)');
    expect(screen).toContain(idOf('marcus.johnson'));
    expect(screen).toMatch(/Done\..* is now \$140,002\.\nRequest \S+\n$/);
    expect(code).toBe(0);
    expect(await salaryOf()).toBe(140_002);
  });

  test('reads the decision from the terminal, not from a pipe', async () => {
    const [stdin, stdout] = [join(folder(), 'in'), join(folder(), 'out')];
    writeFileSync(stdin, 'no\nno\n');
    const { screen, code } = await atTerminal(raise(140_003), { ...answering('YES \n'), stdin, stdout });
    expect(screen).toContain('$140,003');
    expect(code).toBe(0);
    expect(readFileSync(stdout, 'utf8')).toMatch(/^Done\. .*\nRequest \S+\n$/);
    expect(await salaryOf()).toBe(140_003);
  });

  test('"no" denies it', async () => {
    const { screen, code } = await atTerminal(raise(140_004), answering('no\n'));
    expect(screen).toMatch(/Denied by you\..* stays \$140,003\. Nothing was changed\.\n$/);
    expect(code).toBe(6);
    expect(await salaryOf()).toBe(140_003);
  });

  test.each(['y\n', '\n', 'yes please\n', 'approve\n', '\u0004'])('%j is no decision: the change stays pending', async (type) => {
    const { screen, code } = await atTerminal(raise(140_005), answering(type));
    expect(screen).toMatch(/Nothing has changed yet\. The change still waits for your decision\.\nOpen http:\S+ within [45]:\d\d\.\n$/);
    expect(code).toBe(3);
    expect(await salaryOf()).toBe(140_003);
  });

  test('input typed before the card appears is no decision', async () => {
    const typing = [
      { after: null, type: 'yes\nyes\n' },
      { after: asked, type: 'later\n' },
    ];
    const { code } = await atTerminal(raise(140_006), { settings: running.settings, typing });
    expect(code).toBe(3);
    expect(await salaryOf()).toBe(140_003);
  });

  test('never asks with --json, with or without a terminal', async () => {
    const { screen, code } = await atTerminal([...raise(140_007), '--json'], { settings: running.settings });
    expect(code).toBe(3);
    expect(screen).not.toContain('Approve?');
    expect(JSON.parse(screen)).toMatchObject({ status: 'pending_confirmation' });
  });

  test('that conflicts with a later change is not executed', async () => {
    const file = join(folder(), 'now');
    const late = atTerminal(raise(65_008, 'frank.davis'), {
      settings: running.settings,
      typing: [{ after: asked, type: 'yes\n', file }],
    });
    const token = (await running.run(['token', 'alice.chen'])).out.trim();
    const waiting = async () =>
      (await (await request(`${running.base}/api/confirmations`, { headers: { authorization: `Bearer ${token}` } })).body.text()).includes(
        '65008',
      );
    while (!(await waiting())) await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await atTerminal(raise(65_009, 'frank.davis'), answering('yes\n'))).code).toBe(0);
    writeFileSync(file, '');
    const { screen, code } = await late;
    expect(screen).toMatch(/Not applied: changed since you looked\. Nothing was written\. Look at the new values before you decide\.\n$/);
    expect(code).toBe(6);
    expect(await salaryOf('frank.davis')).toBe(65_009);
  });
});

describe('a terminal', () => {
  test('gets colours, and none with NO_COLOR', async () => {
    const args = ['call', 'hr', 'find_employees', '{"name":"Sarah Kim"}', '--as', 'frank.davis'];
    const colourful = await atTerminal(args, { settings: running.settings });
    expect(colourful.screen).toContain('\u001b[32msuccess\u001b[39m');
    for (const off of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      const { screen, code } = await atTerminal(args, { settings: { ...running.settings, ...off } });
      expect(code).toBe(0);
      expect(screen).not.toContain('\u001b');
    }
    const json = await atTerminal([...args, '--json'], { settings: running.settings });
    expect(json.screen).not.toContain('\u001b');
  });

  test('that is narrow gets records instead of a table', async () => {
    const args = ['call', 'hr', 'find_employees', '{"name":"Sarah Kim"}', '--as', 'frank.davis'];
    const wide = await atTerminal(args, { settings: { ...running.settings, NO_COLOR: '1' }, columns: 250 });
    expect(wide.screen).toMatch(/^ {2}EMPLOYEE ID +NAME/m);
    const { screen } = await atTerminal(args, { settings: { ...running.settings, NO_COLOR: '1' }, columns: 70 });
    expect(screen).toMatch(/^ {2}Employee id +0e0[\w-]+\n {2}Name +Sarah Kim$/m);
    for (const line of screen.split('\n').slice(1)) expect(line.length).toBeLessThanOrEqual(70);
  });
});
