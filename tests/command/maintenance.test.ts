/** Maintenance commands: audit verify, doctor, seed, migrate and contracts. */
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openSqliteKeyValue } from '../../src/storage/kv/sqlite.ts';
import { openPglite } from '../../src/storage/sql/pglite.ts';
import {
  atTerminal,
  bin,
  build,
  copyOf,
  folder,
  freePorts,
  DEADLINE_MS,
  prepared,
  removeFolders,
  ROOT,
  type Settings,
  testServer,
  tamshai,
  testClientOf,
} from './command-support.ts';

vi.setConfig({ testTimeout: DEADLINE_MS, hookTimeout: 3 * DEADLINE_MS });
/** A stopped installation with its own audit log: some calls, and changes in a domain's store. */
let stopped: Settings;
beforeAll(async () => {
  build();
  const running = await testServer(await prepared());
  const client = testClientOf(running);
  for (const title of ['One', 'Two', 'Three']) await client.rest('sarah.kim', 'tasks', 'add_task', { title });
  for (let i = 0; i < 4; i++) await client.rest('sarah.kim', 'tasks', 'list_tasks');
  await client.leave();
  await running.stop();
  stopped = running.settings;
});
afterAll(removeFolders);

const dataOf = (settings: Settings) => settings['TAMSHAI_DATA'] ?? '';
const copied = (more: Settings = {}): Settings => ({ ...stopped, TAMSHAI_DATA: copyOf(dataOf(stopped)), ...more });

function inCalls(settings: Settings, ...statements: string[]): void {
  const db = new Database(join(dataOf(settings), 'audit.db'));
  for (const statement of statements) db.exec(statement);
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}
async function inStore(settings: Settings, statement: string): Promise<void> {
  const database = await openPglite(join(dataOf(settings), 'pg'));
  await database.owner.query(statement);
  await database.close();
}

describe('audit verify', () => {
  test('verifies the chains in the stores themselves', async () => {
    const { code, out, err } = await tamshai(['audit', 'verify'], { settings: stopped });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^ {2}ok {6}calls-main +4 records$/m);
    expect(out).toMatch(/^ {2}ok {6}tasks-main +3 records$/m);
    expect(out).toMatch(/^2 chains, 7 records verified in [\d.]+ m?s\.\n$/m);
    const json = await tamshai(['audit', 'verify', '--json'], { settings: stopped });
    expect(json.json()).toMatchObject({ ok: true, unseen: [], asked: false });
  });

  test.each<[string, string[], RegExp]>([
    [
      'a changed record',
      ["update records set body = replace(body, 'sarah.kim', 'eve.thompson') where n = 2"],
      /^ {2}broken {2}calls-main +at record #2: The record is not as it was written\.$/m,
    ],
    ['a missing record', ['delete from records where n = 2'], /^ {2}broken {2}calls-main +at record #2: /m],
    ['a cut end', ['delete from records where n > 2'], /^ {2}broken {2}calls-main +at record #3: .*cut/m],
    ['no records at all', ['delete from records'], /^ {2}broken {2}calls-main +at record #1: The whole chain is missing\.$/m],
    [
      'records of another chain',
      ["insert into records (chain, n, body, mac) select 'calls-other', n, body, mac from records"],
      /^ {2}broken {2}calls-other +at record #1: /m,
    ],
  ])('reports %s, with the chain and the first bad record', async (_, statements, prints) => {
    const settings = copied();
    inCalls(settings, ...statements);
    const { code, out } = await tamshai(['audit', 'verify'], { settings });
    expect(out).toMatch(prints);
    expect(out).toMatch(/^ {2}ok {6}tasks-main +3 records$/m);
    expect(out).toMatch(/^1 of \d chains is broken\. Records before calls-\w+ #\d are verified\.\n$/m);
    expect(code).toBe(1);
  });

  test("reports a record that is missing in a domain's own store", async () => {
    const settings = copied();
    await inStore(settings, 'delete from tasks.audit where n = 3');
    const { code, out } = await tamshai(['audit', 'verify'], { settings });
    expect(out).toMatch(/^ {2}broken {2}tasks-main +at record #3: .*missing/m);
    expect(out).toMatch(/^ {2}ok {6}calls-main/m);
    expect(code).toBe(1);
    const json = await tamshai(['audit', 'verify', '--json'], { settings });
    expect(json).toMatchObject({ code: 1 });
    expect(json.json()).toMatchObject({ ok: false });
    expect(await tamshai(['doctor'], { settings })).toMatchObject({ code: 1 });
  });

  test('reports missing checkpoints of calls and of a domain, also after a restart', async () => {
    const settings = copied(await freePorts());
    rmSync(join(dataOf(settings), 'checkpoints.jsonl'));
    const kv = openSqliteKeyValue(join(dataOf(settings), 'gateway.db'));
    for (const key of ['audit:chains', 'audit:checkpoint:calls-main', 'audit:checkpoint:tasks-main']) await kv.delete(key);
    await kv.close();
    inCalls(settings, 'delete from records where n > 2');
    await inStore(settings, 'delete from tasks.audit where n = 3');
    const missing = (chain: string) =>
      new RegExp(`^ {2}broken {2}${chain}.*[Cc]heckpoints were removed.*Restore checkpoints.jsonl from a backup`, 'm');
    const stoppedAt = await tamshai(['audit', 'verify'], { settings });
    expect(stoppedAt.out).toMatch(missing('calls-main'));
    expect(stoppedAt.out).toMatch(missing('tasks-main'));
    expect(stoppedAt.code).toBe(1);
    const running = await testServer(settings);
    const client = testClientOf(running);
    await client.rest('sarah.kim', 'tasks', 'add_task', { title: 'Four' });
    const asked = await running.run(['audit', 'verify']);
    expect(asked.out).toMatch(missing('calls-main'));
    await client.leave();
    await running.stop();
    const after = await tamshai(['audit', 'verify'], { settings });
    expect(after.out).toMatch(missing('calls-main'));
    expect(after.out).toMatch(missing('tasks-main'));
  });

  test('cannot verify without the key', async () => {
    const settings = copied();
    renameSync(join(dataOf(settings), 'keys.json'), join(dataOf(settings), 'keys.away'));
    const { code, out, err } = await tamshai(['audit', 'verify'], { settings });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^error {2}The audit log cannot be verified without its key/);
    expect(existsSync(join(dataOf(settings), 'keys.json'))).toBe(false);
  });

  test('the running gateway verifies, and chains of another process are reported as unseen', async () => {
    const settings = copied(await freePorts());
    const running = await testServer(settings);
    const { code, out } = await running.run(['audit', 'verify']);
    expect(code).toBe(0);
    expect(out).toMatch(/verified in [\d.]+ m?s by the running gateway\.\n$/);
    await running.stop();
    const alone = await testServer(settings, ['serve', 'hr', '--json']);
    const seen = await alone.run(['audit', 'verify']);
    expect(seen.code).toBe(5);
    expect(seen.out).toMatch(/^ {2}ok {6}calls-main/m);
    expect(seen.out).toMatch(/^ {2}unseen {2}tasks +in the database of the running process/m);
    await alone.stop();
  });
});

describe('doctor', () => {
  test('reports a healthy installation, and checks its database', async () => {
    const { code, out, err } = await tamshai(['doctor'], { settings: stopped });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(
      /^Checks\n {2}ok {6}Node \d+\.\d+\.\d+, at least 20\.19 is needed\n {2}ok {6}Data folder \S+, writable, not locked\n/,
    );
    expect(out).toMatch(/^ {2}ok {6}Keys: valid/m);
    expect(out).toMatch(/^ {2}ok {6}Ports \d.* are free, loopback only$/m);
    expect(out).toMatch(/^ {2}ok {6}Row security: forced on \d+ tables; no login can bypass it$/m);
    expect(out).toMatch(/^ {2}ok {6}Audit: 2 chains, 7 records verified/m);
    expect(out).toMatch(/\n1 warning\.\n$/);
    const json = await tamshai(['doctor', '--json'], { settings: stopped });
    expect(json.json()).toMatchObject({ ok: true });
  });

  test('creates nothing where nothing exists yet', async () => {
    const data = join(folder(), 'data');
    const { code, out } = await tamshai(['doctor'], { settings: { TAMSHAI_DATA: data, ...(await freePorts()) } });
    expect(code).toBe(0);
    expect(out).toContain('does not exist yet; the first start creates it');
    expect(existsSync(data)).toBe(false);
  });

  test('names problems and remedies: gaps in row security and a taken port', async () => {
    const settings = copied(await freePorts());
    await inStore(
      settings,
      'alter table hr.pay no force row level security; create view hr.leak as select * ' +
        'from hr.pay; grant select on hr.leak to public; alter role hr_self bypassrls',
    );
    const port = createServer().listen(Number(settings['HR_PORT']), '127.0.0.1');
    const { code, out } = await tamshai(['doctor'], { settings });
    port.close();
    expect(code).toBe(1);
    expect(out).toMatch(/^ {2}fail {4}Port \d+ \(hr\) is taken by another program\n {10}Fix {2}stop it, or set HR_PORT$/m);
    expect(out).toMatch(/^ {2}fail {4}Row security is not forced on hr\.pay\.\n {10}Fix {2}/m);
    expect(out).toMatch(/^ {2}fail {4}These views return all rows that their owner may see: hr\.leak\.$/m);
    expect(out).toMatch(/^ {2}fail {4}Everyone may use hr\.leak\.$/m);
    expect(out).toMatch(/^ {2}fail {4}These logins could bypass row security: hr_self\.$/m);
    expect(out).toMatch(
      /^ {2}fail {4}Somebody changed the policies or grants of hr after they were applied; tamshai migrate restores them\.$/m,
    );
    expect(out).toMatch(/\n6 problems, 1 warning\.\n$/);
  });

  test('continues with the other checks if a setting or a folder is wrong', async () => {
    const file = join(folder(), 'file');
    writeFileSync(file, '');
    const settings = { TAMSHAI_DATA: file, ...(await freePorts()) };
    const { code, out } = await tamshai(['doctor'], { settings });
    expect(code).toBe(1);
    expect(out).toMatch(/^ {2}fail {4}The data folder .* it is a file, not a folder\.\n {10}Fix {2}choose another folder/m);
    expect(await tamshai(['doctor'], { settings: { ...settings, TAMSHAI_LOG_LEVEL: 'loud' } })).toMatchObject({ code: 1 });
    const issuer = await tamshai(['doctor'], {
      settings: { TAMSHAI_DATA: folder(), OIDC_ISSUER: `http://localhost:${settings['GATEWAY_PORT' as never]}` },
    });
    expect(issuer.out).toMatch(/^ {2}fail {4}OIDC_ISSUER at localhost:\d+ does not return its discovery document$/m);
  });
});

describe('seed', () => {
  test('keeps an existing company, and replaces it only with the option', async () => {
    const settings = copied();
    const refused = await tamshai(['seed'], { settings });
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(/^error {2}\S+ has data already \(500 rows in hr\.employees\); --force replaces all rows of hr, .*\.\n$/);
    const { code, out, err } = await tamshai(['seed', '--force', '--employees', '700'], { settings });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^The sample company has 700 employees now\. It took [\d.]+ m?s\.\n$/);
    // Earlier audit records stay.
    expect(await tamshai(['audit', 'verify'], { settings })).toMatchObject({ code: 0 });
    const again = await tamshai(['seed'], { settings });
    expect(again.err).toContain('700 rows in hr.employees');
    const running = await testServer({ ...settings, ...(await freePorts()) });
    const { data } = (
      await running.run(['call', 'hr', 'find_employees', '{"name":"Sarah Kim"}', '--as', 'frank.davis', '--json'])
    ).json() as { data: unknown[] };
    expect(data).toHaveLength(1);
    await running.stop();
  });

  test('fills a new folder, with a progress bar in a terminal', async () => {
    const settings = { TAMSHAI_DATA: join(folder(), 'data'), ...(await freePorts()) };
    const { screen, code } = await atTerminal(['seed', '--employees', '100'], { settings });
    expect(code).toBe(0);
    expect(screen).toMatch(/Writing sample data {5}.*█{24}.* {2}done {3}[\d.]+ m?s\n/);
    expect(screen).toContain('has 100 employees now');
  });

  test.each(['0', '99', '1000001', '1e3x', '12.5'])('refuses %s employees', async (employees) => {
    const settings = { TAMSHAI_DATA: join(folder(), 'data') };
    const { code, err } = await tamshai(['seed', '--employees', employees], { settings });
    expect(code).toBe(2);
    expect(err).toMatch(/^error {2}--employees must be a whole number from 100 to 1,000,000\.\n$/);
    expect(existsSync(settings.TAMSHAI_DATA)).toBe(false);
  });
});

describe('migrate', () => {
  test('migrates a folder once', async () => {
    const settings = { TAMSHAI_DATA: join(folder(), 'data') };
    const first = await tamshai(['migrate'], { settings });
    expect(first).toMatchObject({ code: 0, err: '' });
    for (const domain of ['hr', 'tasks']) expect(first.out).toContain(`  applied  ${domain}/001_tables.sql\n`);
    const second = await tamshai(['migrate'], { settings });
    expect(second.out).toMatch(/^\S+ is up to date\.\n$/);
  });
});

describe('an installed package', () => {
  test('builds nothing, and writes and checks its contracts', async () => {
    const place = dirname(dirname(bin()));
    const stale = await tamshai(['contracts', '--check']);
    expect(stale.code).toBe(1);
    expect(stale.err).toMatch(/^ {2}differs {2}contracts\/openapi\.json$/m);
    expect(await tamshai(['contracts'])).toMatchObject({ code: 0, err: '' });
    expect(readFileSync(join(place, 'contracts', 'roles.md'), 'utf8')).toContain('update_salary');
    const fresh = await tamshai(['contracts', '--check'], { cwd: '/' });
    expect(fresh).toMatchObject({ code: 0, err: '' });
    expect(fresh.out).toMatch(/^The generated files are up to date: \d+ files\.\n$/);
    writeFileSync(join(place, 'docs', 'settings.md'), '# Settings\n');
    expect((await tamshai(['contracts', '--check'])).err).toMatch(/^ {2}differs {2}docs\/settings\.md$/m);
    mkdirSync(join(place, 'contracts', 'tools', 'old'), { recursive: true });
    writeFileSync(join(place, 'contracts', 'tools', 'old', 'gone.json'), '{}');
    expect(await tamshai(['contracts', '--check'])).toMatchObject({ code: 1 });
    await tamshai(['contracts']);
    expect(existsSync(join(place, 'contracts', 'tools', 'old', 'gone.json'))).toBe(false);
  });
});

describe('a checkout', () => {
  test('builds itself when needed, once for any number of processes, and reports it on standard error only', async () => {
    const place = join(folder(), 'checkout');
    for (const part of [join('src', 'cli'), 'domains']) mkdirSync(join(place, part), { recursive: true });
    for (const part of ['bin', 'package.json', 'tsconfig.json', 'tsconfig.build.json'])
      cpSync(join(ROOT, part), join(place, part), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(place, 'node_modules'));
    const source = join(place, 'src', 'cli', 'main.ts');
    const program = join(place, 'bin', 'tamshai.mjs');
    const prints = (text: string) =>
      writeFileSync(
        source,
        `export async function main(args: string[]): Promise<void> {\n  console.log(${JSON.stringify(text)}, ...args);\n}\n`,
      );
    const run = () => tamshai(['x'], { program, cwd: '/' });

    prints('first');
    const both = await Promise.all([run(), run()]);
    expect(both.map(({ out }) => out)).toEqual(['first x\n', 'first x\n']);
    expect(both.map(({ err }) => err).sort()).toEqual(['', 'Building…\n']);
    expect(await run()).toMatchObject({ code: 0, out: 'first x\n', err: '' });
    prints('second');
    expect(await run()).toMatchObject({ code: 0, out: 'second x\n', err: 'Building…\n' });
    // A process that died while building does not block the next one.
    prints('third');
    writeFileSync(join(place, 'dist', '.building'), '999999999');
    utimesSync(join(place, 'dist', '.building'), 0, 0);
    expect(await run()).toMatchObject({ code: 0, out: 'third x\n' });
    writeFileSync(source, 'export const main: number = "no";\n');
    const broken = await run();
    expect(broken).toMatchObject({ code: 1, out: '' });
    expect(broken.err).toMatch(/^Building…\nerror {2}The build failed\.\nsrc\/cli\/main\.ts/);
    prints('fourth');
    expect(await run()).toMatchObject({ code: 0, out: 'fourth x\n' });
  });
});
