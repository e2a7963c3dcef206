/** The command as a process: help, wrong settings, start, stop and kill. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  bin,
  build,
  DOMAINS,
  environment,
  folder,
  freePorts,
  DEADLINE_MS,
  prepared,
  removeFolders,
  ROOT,
  type Settings,
  testServer,
  tamshai,
} from './command-support.ts';

vi.setConfig({ testTimeout: DEADLINE_MS, hookTimeout: 3 * DEADLINE_MS });

beforeAll(build);
afterAll(removeFolders);

const COMMANDS = ['start', 'serve', 'call', 'tools', 'token', 'seed', 'migrate', 'doctor', 'audit', 'keys', 'mcp', 'people', 'contracts'];
/** Checks that the output is one line with the error, without a stack trace. */
const oneSentence = (err: string) => {
  expect(err).toMatch(/^error {2}\S[^\n]*\n$/);
  expect(err).not.toMatch(/\bat .*\.[jt]s:\d+|node:|Error:|\u001b/);
};

describe('help', () => {
  test('names every command and the exit codes', async () => {
    const { code, out, err } = await tamshai(['--help']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    for (const name of COMMANDS) expect(out).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    expect(out).toContain('3  waits for a person to approve it');
    expect(out).not.toMatch(/--yes\b/);
  });

  test.each([...COMMANDS.map((name) => [name]), ['audit', 'verify']])('prints usage, examples and exit codes of %s %s', async (...args) => {
    const { code, out } = await tamshai([...args.filter((arg) => typeof arg === 'string'), '--help']);
    expect(code).toBe(0);
    expect(out).toContain(`Usage: tamshai ${args[0]}`);
    expect(out).toMatch(/Examples:\n {2}\S/);
    expect(out).toContain('Exit codes:');
  });

  test('no command, an unknown command or a wrong option exits with 2', async () => {
    expect(await tamshai([])).toMatchObject({ code: 2, out: '' });
    const misspelt = await tamshai(['strt']);
    expect(misspelt).toMatchObject({ code: 2, out: '' });
    expect(misspelt.err).toMatch(/^error {2}unknown command 'strt'\n\(Did you mean start\?\)\n/);
    expect(await tamshai(['call', 'hr'])).toMatchObject({ code: 2 });
    expect(await tamshai(['start', '--yes'])).toMatchObject({ code: 2 });
    expect(await tamshai(['call', 'hr', 'update_salary', '{}', '--as', 'alice.chen', '--yes'])).toMatchObject({ code: 2 });
  });

  test('prints its version, from any working directory', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(await tamshai(['--version'], { cwd: '/' })).toMatchObject({ code: 0, out: `${version}\n`, err: '' });
  });
});

describe('wrong settings', () => {
  const inNowhere = () => ({ TAMSHAI_DATA: join(folder(), 'never') });
  test.each<[string, Settings, RegExp]>([
    ['a setting that does not exist', { TAMSHAI_DATABASE: 'x' }, /There is no setting TAMSHAI_DATABASE/],
    ['a value that is not allowed', { TAMSHAI_LOG_LEVEL: 'loud' }, /TAMSHAI_LOG_LEVEL/],
    ['a port above 65535', { GATEWAY_PORT: '70000' }, /GATEWAY_PORT/],
    ['production without an issuer', { NODE_ENV: 'production' }, /set OIDC_ISSUER/],
    ['an address beyond this machine without an issuer', { TAMSHAI_HOST: '0.0.0.0' }, /only runs on this machine/],
    ['an issuer over plain http', { OIDC_ISSUER: 'http://people.example' }, /https/],
    [
      'an issuer with a password',
      { OIDC_ISSUER: 'http://u:canary-4711@localhost:8080' },
      /OIDC_ISSUER must not contain a name or a password/,
    ],
    [
      'the URL of a server with a password',
      { HR_URL: 'http://u:canary-4711@localhost:3101' },
      /HR_URL must not contain a name or a password/,
    ],
    [
      'the URL of a collector with a key',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318?key=canary-4711' },
      /must not contain a query/,
    ],
    ['a text that is no URL', { DATABASE_URL: 'canary-4711' }, /DATABASE_URL must be an address/],
  ])('%s', async (_, settings, says) => {
    const data = inNowhere();
    const { code, out, err } = await tamshai(['start'], { settings: { ...data, ...settings } });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    oneSentence(err);
    expect(err).toMatch(says);
    expect(err).not.toContain('canary-4711');
    expect(existsSync(data.TAMSHAI_DATA)).toBe(false);
  });

  test('a data folder that is a file, or below one', async () => {
    const file = join(folder(), 'file');
    writeFileSync(file, '');
    for (const data of [file, join(file, 'data')]) {
      const { code, err } = await tamshai(['start'], { settings: { TAMSHAI_DATA: data, ...(await freePorts()) } });
      expect(code).toBe(1);
      oneSentence(err);
      expect(err).toMatch(/The data folder .* cannot be written: .*file, not a folder/);
    }
  });

  test('a key file that others can read, or that is damaged', async () => {
    const data = folder();
    writeFileSync(join(data, 'keys.json'), '{}', { mode: 0o644 });
    const open = await tamshai(['start'], { settings: { TAMSHAI_DATA: data, ...(await freePorts()) } });
    expect(open).toMatchObject({ code: 1 });
    oneSentence(open.err);
    expect(open.err).toContain('chmod 600');
    const damaged = folder();
    writeFileSync(join(damaged, 'keys.json'), '{}', { mode: 0o600 });
    const broken = await tamshai(['token', 'alice.chen'], { settings: { TAMSHAI_DATA: damaged } });
    expect(broken).toMatchObject({ code: 1, out: '' });
    expect(broken.err).toMatch(/^error {2}.*damaged; restore it from a backup/);
  });

  test('a database or a Redis that does not answer never shows its password, at any log level', async () => {
    const [closed] = Object.values(await freePorts());
    const every = [['start'], ['doctor'], ['doctor', '--json']];
    const secrets: [Settings, string[][]][] = [
      [
        { DATABASE_URL: `postgres://app:canary-4711@127.0.0.1:${closed}/tamshai` },
        [...every, ['migrate'], ['seed', '--force', '--database', 'tamshai']],
      ],
      [{ HR_DATABASE_URL: `postgres://app:canary-4711@127.0.0.1:${closed}/tamshai` }, every],
      [{ REDIS_URL: `redis://:canary-4711@127.0.0.1:${closed}` }, every],
      [{ MONGODB_URL: `mongodb://app:canary-4711@127.0.0.1:${closed}/?serverSelectionTimeoutMS=500` }, [['serve', 'sales'], ['doctor']]],
      [{ ELASTICSEARCH_URL: `http://app:canary-4711@127.0.0.1:${closed}` }, [['serve', 'support'], ['doctor']]],
    ];
    const runs = secrets.map(async ([secret, commands]) => {
      const settings = { TAMSHAI_DATA: folder(), ...(await freePorts()), ...secret, TAMSHAI_LOG_LEVEL: 'debug' };
      for (const args of commands) {
        const { code, out, err } = await tamshai(args, { settings });
        expect(code, `${args.join(' ')} ${err}`).toBeGreaterThan(0);
        if (args[0] === 'doctor') expect(out).toContain('127.0.0.1'.slice(0, 'REDIS_URL' in secret ? 0 : 9));
        else oneSentence(err);
        expect(out + err).not.toContain('canary-4711');
      }
    });
    await Promise.all(runs);
  });
});

describe('before the first start', () => {
  const data = () => join(folder(), 'data');
  test.each([
    [['call', 'tasks', 'list_tasks', '--as', 'nina.patel']],
    [['tools', '--as', 'nina.patel']],
    [['token', 'nina.patel']],
    [['mcp', '--as', 'alice.chen']],
  ])('%j says that nothing was started, and creates no folder', async (args) => {
    const settings = { TAMSHAI_DATA: data() };
    const { code, out, err } = await tamshai(args, { settings });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    oneSentence(err);
    expect(err).toMatch(
      /Tamshai has not been started in \S+ yet; start it with npm start, or set TAMSHAI_DATA to the data folder of the running instance\./,
    );
    expect(existsSync(settings.TAMSHAI_DATA)).toBe(false);
  });

  test('audit verify says that there is no audit log', async () => {
    const { code, err } = await tamshai(['audit', 'verify'], { settings: { TAMSHAI_DATA: data() } });
    expect(code).toBe(1);
    expect(err).toMatch(/There is no audit log in/);
  });
});

describe('with an external issuer', () => {
  test.each([
    [['token', 'alice.chen']],
    [['call', 'hr', 'find_employees', '--as', 'alice.chen']],
    [['tools', '--as', 'alice.chen']],
    [['mcp', '--as', 'alice.chen']],
    [['seed']],
  ])('%j is refused, because it needs the built-in identity provider', async (args) => {
    const { code, out, err } = await tamshai(args, { settings: { TAMSHAI_DATA: folder(), OIDC_ISSUER: 'https://people.example' } });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    oneSentence(err);
    expect(err).toMatch(/built-in identity provider/);
  });
});

describe('start', () => {
  const taken: Server[] = [];
  afterAll(() => {
    for (const server of taken) server.close();
  });

  test('the first start prints what is ready and where, and all of it works', async () => {
    const settings: Settings = { TAMSHAI_DATA: join(folder(), 'data'), ...(await freePorts()) };
    const child = spawn(process.execPath, [bin(), 'start'], {
      cwd: ROOT,
      env: environment(settings),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    await new Promise<void>((resolve, reject) => {
      child.once('close', () => reject(new Error(err)));
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        out += text;
        if (out.includes('Started in')) resolve();
      });
    });
    const base = `http://localhost:${settings['GATEWAY_PORT']}`;
    expect(out).toMatch(/^Tamshai \S+ {3}first start in \S+\n\n/);
    for (const name of DOMAINS)
      expect(out).toMatch(new RegExp(`^ {2}ready {3}${name} +:${settings[`${name.toUpperCase()}_PORT`]} +\\d+ tools$`, 'm'));
    expect(out).toContain(`:${settings['GATEWAY_PORT']}`);
    expect(out).toContain(`all ${DOMAINS.length} answer`);
    expect(out).toContain(`  Web app   ${base}\n  MCP       ${base}/mcp\n  Try       npx tamshai call `);
    expect(out).toMatch(/Sign in as {2}eve\.thompson +Chief Executive Officer/);
    expect(out).toContain('  Development mode: anyone on this machine can sign in as anyone.');
    expect(out).toMatch(/ {2}Started in [\d.]+ m?s\. Ctrl\+C stops; your data stays\.\n$/);
    expect(out).not.toContain('\u001b');
    expect(out).not.toContain('SCRIPTED');
    expect(statSync(join(settings['TAMSHAI_DATA'] ?? '', 'keys.json')).mode & 0o777).toBe(0o600);
    const tried = /Try {7}npx tamshai (.*)\n/.exec(out)?.[1]?.split(' ') ?? [];
    expect(await tamshai(tried, { settings })).toMatchObject({ code: 0 });

    const gone = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
    child.kill('SIGINT');
    child.kill('SIGINT'); // npm forwards the signal of the terminal, so the process gets it twice
    expect(await gone).toBe(0);
    expect(err).toMatch(/Stopping…\nStopped\. Your data stays in/);
  });

  test('a second start prints one line of JSON, and has the data from before the kill', async () => {
    const settings = await prepared();
    const first = await testServer(settings);
    expect(first.ready).toMatchObject({
      status: 'ready',
      base: `http://localhost:${settings['GATEWAY_PORT']}`,
      mcp: `${first.base}/mcp`,
      dataFolder: settings['TAMSHAI_DATA'],
    });
    expect(Object.keys(first.ready['ports'] as object).sort()).toEqual(['gateway', ...DOMAINS].sort());
    const made = await first.run(['call', 'tasks', 'add_task', '{"title":"Survives a power cut"}', '--as', 'nina.patel', '--json']);
    expect(made.json()).toMatchObject({ status: 'success' });
    await first.stop('SIGKILL');

    const second = await testServer(settings);
    expect(second.ready['ms']).toEqual(expect.any(Number));
    const { out } = await second.run(['call', 'tasks', 'list_tasks', '--as', 'nina.patel']);
    expect(out).toContain('Survives a power cut');
    expect(await second.run(['audit', 'verify'])).toMatchObject({ code: 0 });
    const { code, out: all, err } = await second.stop('SIGTERM');
    expect({ code, lines: all.trim().split('\n').length, err }).toEqual({ code: 0, lines: 1, err: '' });
    expect(await second.run(['audit', 'verify'])).toMatchObject({ code: 0 });
  });

  test('a first start that was killed can be repeated', async () => {
    const settings: Settings = { TAMSHAI_DATA: join(folder(), 'data'), ...(await freePorts()) };
    const child = spawn(process.execPath, [bin(), 'start'], { cwd: ROOT, env: environment(settings), detached: true, stdio: 'ignore' });
    const database = join(settings['TAMSHAI_DATA'] ?? '', 'pg');
    while (child.exitCode === null && (!existsSync(database) || readdirSync(database).length < 5)) await setTimeout(5);
    expect(child.exitCode).toBeNull();
    child.kill('SIGKILL');
    const again = await testServer(settings);
    expect(await again.run(['call', 'hr', 'find_employees', '{"name":"Sarah Kim"}', '--as', 'frank.davis'])).toMatchObject({ code: 0 });
    await again.stop();
  });

  test('a second signal stops it at once', async () => {
    const running = await testServer(await prepared());
    const port = Number(running.settings['GATEWAY_PORT']);
    const halfway = connect(port, '127.0.0.1').on('error', () => {});
    halfway.write(
      `POST /api/tools/tasks/list_tasks HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: ` +
        `application/json\r\nContent-Length: 10\r\n\r\n{`,
    );
    await setTimeout(300);
    running.child.kill('SIGINT');
    await setTimeout(800);
    const began = performance.now();
    expect(await running.stop('SIGINT')).toMatchObject({ code: 130 });
    expect(performance.now() - began).toBeLessThan(20_000);
    halfway.destroy();
    const again = await testServer(running.settings);
    expect(await again.run(['audit', 'verify'])).toMatchObject({ code: 0 });
    await again.stop();
  });

  test('warns when programs may approve', async () => {
    const settings = await prepared({ TAMSHAI_SCRIPTED_APPROVALS: '1' });
    const running = tamshai(['start'], { settings: { ...settings, GATEWAY_PORT: String(await takePort(taken)) } });
    const { code, out, err } = await running;
    expect(out).toMatch(
      /^SCRIPTED APPROVALS ARE ON\. Programs on this machine can approve changes\.\nFor tests only\. Unset TAMSHAI_SCRIPTED_APPROVALS/,
    );
    expect(code).toBe(1);
    oneSentence(err);
    expect(err).toMatch(/^error {2}Port \d+ .*gateway.* in use/);
  });

  test('a taken port or folder ends it with one sentence, and does not disturb the running instance', async () => {
    const settings = await prepared();
    const running = await testServer(settings);
    const again = await tamshai(['start'], { settings: { ...settings, ...(await freePorts()) } });
    expect(again.code).toBe(1);
    oneSentence(again.err);
    expect(again.err).toMatch(
      /The data folder \S+ is in use by another Tamshai process; stop that one, or set TAMSHAI_DATA to another folder\./,
    );
    const seeded = await tamshai(['seed', '--force'], { settings });
    expect(seeded).toMatchObject({ code: 1, out: '' });
    expect(seeded.err).toMatch(/in use by another Tamshai process/);
    const other = folder();
    mkdirSync(join(other, 'x'));
    const port = await tamshai(['start'], { settings: { ...settings, TAMSHAI_DATA: other } });
    expect(port.code).toBe(1);
    oneSentence(port.err);
    expect(port.err).toMatch(/^error {2}Port \d+ for \w+ is already in use/);
    expect(await running.run(['call', 'tasks', 'list_tasks', '--as', 'nina.patel'])).toMatchObject({ code: 0 });
    await running.stop();
  });
});

describe('serve', () => {
  const others = DOMAINS.filter((name) => name !== 'hr');
  test('refuses an unknown server, and a gateway without the addresses of its remote servers', async () => {
    const settings = { TAMSHAI_DATA: join(folder(), 'data') };
    const unknown = await tamshai(['serve', 'payrol'], { settings });
    expect(unknown).toMatchObject({ code: 2, out: '' });
    oneSentence(unknown.err);
    const lost = await tamshai(['serve', 'gateway', 'hr'], { settings });
    expect(lost).toMatchObject({ code: 1, out: '' });
    oneSentence(lost.err);
    const [first = ''] = others;
    expect(lost.err).toContain(`set ${first.toUpperCase()}_URL, or serve it here as well: tamshai serve gateway hr ${others.join(' ')}\n`);
    expect(existsSync(settings.TAMSHAI_DATA)).toBe(false);
  });

  test('refuses settings that cannot work in separate processes with one sentence, before it creates anything', async () => {
    const data = join(folder(), 'data');
    const both = { TAMSHAI_DATA: data, REDIS_URL: 'redis://localhost:1', HR_URL: 'http://localhost:3101' };
    const { REDIS_URL: _, ...alone } = both;
    const gateway = ['serve', 'gateway', ...others];
    const [master, signing, open] = (await tamshai(['keys', 'new'])).out
      .trim()
      .split('\n')
      .map((line) => line.slice(line.indexOf('=') + 1));
    const cases: [string[], Record<string, string>, RegExp][] = [
      [gateway, alone, /^error {2}The gateway and hr run in separate processes .*; set REDIS_URL\.$/],
      [gateway, both, /^error {2}The gateway and hr run in separate processes .* set TAMSHAI_MASTER_KEY for both/],
      [['serve', 'hr'], both, /^error {2}hr runs in its own process .*; set TAMSHAI_GATEWAY_PUBLIC_KEYS/],
      [
        ['serve', 'hr'],
        { ...alone, TAMSHAI_GATEWAY_PUBLIC_KEYS: open ?? '' },
        /^error {2}Hr and the gateway run in separate processes .*; set REDIS_URL\.$/,
      ],
      [['serve', 'hr'], { ...both, TAMSHAI_GATEWAY_PUBLIC_KEYS: open ?? '' }, /; set TAMSHAI_MASTER_KEY for both/],
      [
        ['serve', 'hr'],
        { ...both, TAMSHAI_GATEWAY_KEY: signing ?? '', TAMSHAI_MASTER_KEY: master ?? '' },
        /^error {2}TAMSHAI_GATEWAY_KEY is only for the gateway; /,
      ],
    ];
    for (const [args, settings, says] of cases) {
      const { code, out, err } = await tamshai(args, { settings });
      expect([code, err.trim()]).toEqual([1, expect.stringMatching(says)]);
      if (!args.includes('gateway')) expect(out).not.toContain(signing ?? '?');
      oneSentence(err);
      expect(err).not.toContain(signing ?? '?');
    }
    expect(existsSync(data)).toBe(false);
  });

  test('serves one server alone, even if the settings contain the address of that server', async () => {
    const far = await prepared();
    const hr = await testServer({ ...far, HR_URL: `http://localhost:${far['HR_PORT']}` }, ['serve', 'hr', '--json']);
    expect(hr.ready['ports']).toEqual({ hr: Number(far['HR_PORT']) });
    expect(await hr.stop()).toMatchObject({ code: 0 });
  });
});

async function takePort(taken: Server[]): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  taken.push(server);
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
