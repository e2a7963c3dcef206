/** The command on a PostgreSQL server: migrate, seed, doctor, audit verify, knowledge. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { freshDatabase, SHARED_KEY } from '../fresh-database.ts';
import {
  atTerminal,
  build,
  DOMAINS,
  folder,
  freePorts,
  DEADLINE_MS,
  prepared,
  removeFolders,
  type Settings,
  testServer,
  tamshai,
  testClientOf,
} from './command-support.ts';

vi.setConfig({ testTimeout: DEADLINE_MS, hookTimeout: 3 * DEADLINE_MS });
const url = process.env['TAMSHAI_TEST_DATABASE_URL'] ?? '';

/** The knowledge export of an embedded installation. */
let exported: string;
beforeAll(async () => {
  build();
  const running = await testServer(await prepared());
  const client = testClientOf(running);
  await client.rest('frank.davis', 'knowledge', 'store', { topic: 'Ebb & flow', content: 'Twice a day.', tags: ['sea'] });
  await client.rest('frank.davis', 'knowledge', 'undo');
  await client.leave();
  await running.stop();
  exported = (await tamshai(['knowledge', 'export'], { settings: running.settings })).out;
});
afterAll(removeFolders);

test('migrates, replaces the company only if its database is named, runs doctor and verifies the audit log', {
  timeout: 3 * DEADLINE_MS,
}, async () => {
  const data = folder();
  const database = await freshDatabase(url, DOMAINS, SHARED_KEY, data);
  const name = new URL(database.url).pathname.slice(1);
  const settings: Settings = { TAMSHAI_DATA: data, DATABASE_URL: database.url, TAMSHAI_MASTER_KEY: SHARED_KEY, ...(await freePorts()) };
  const owning: Settings = { ...settings, DATABASE_URL: database.ownerUrl };
  const run = (...args: string[]) => tamshai(args, { settings });
  const asOwner = (...args: string[]) => tamshai(args, { settings: owning });
  try {
    expect((await asOwner('migrate')).out).toMatch(/ is up to date\.\n$/);
    expect((await asOwner('seed')).err).toMatch(/^error {2}\S+ has data already \(500 rows in hr\.employees\)/);
    expect(await asOwner('seed', '--force')).toMatchObject({ code: 3 });
    expect(await asOwner('seed', '--force', '--database', 'postgres')).toMatchObject({ code: 2 });
    const asked = { after: 'to go on: ', type: `${name}\n` };
    expect(await atTerminal(['seed', '--force', '--employees', '600'], { settings: owning, typing: [asked] })).toMatchObject({ code: 0 });
    const refused = await asOwner('start');
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.err).toMatch(/^error {2}The login postgres of PostgreSQL at [^\n]+ is a superuser[^\n]+"tamshai migrate"[^\n]+\.\n$/m);
    expect((await asOwner('doctor')).out.replace(/\s+/g, ' ')).toMatch(/ fail The login postgres of PostgreSQL at .+ is a superuser/);
    const running = await testServer(settings);
    expect(await running.run(['call', 'tasks', 'add_task', '{"title":"On a server"}', '--as', 'nina.patel'])).toMatchObject({
      code: 0,
    });
    const verified = await running.run(['audit', 'verify']);
    expect(verified.out).toMatch(/^ {2}ok {6}tasks-main +1 record$/m);
    await running.stop();
    const { code, out } = await run('doctor');
    expect(out).toMatch(/^ {2}ok {6}PostgreSQL at 127\.0\.0\.1:\d+\/\S+, version \d+/m);
    expect(out).toMatch(/Row security: forced on \d+ tables/);
    expect(code).toBe(0);
    await database.owner.query('alter table hr.pay disable row level security');
    expect((await run('doctor')).out).toMatch(/^ {2}fail {4}Row security is not forced on hr\.pay\.$/m);
    await database.owner.query("delete from tamshai.migrations where name like '%policies%'");
    const behind = (await run('doctor')).out.replace(/\s+/g, ' ');
    expect(behind).toMatch(/ fail PostgreSQL at [^ ]+: \d+ schema files? not applied yet .+ run tamshai migrate with the owner's login/);
  } finally {
    await database.drop();
  }
});

test('knowledge is exported and imported while the server is in use, and the import needs the owner', async () => {
  const data = folder();
  // With the tasks domain alone there is no sample knowledge.
  const database = await freshDatabase(url, ['tasks'], SHARED_KEY, data);
  const settings: Settings = { TAMSHAI_DATA: data, DATABASE_URL: database.url, TAMSHAI_MASTER_KEY: SHARED_KEY, ...(await freePorts()) };
  const owning: Settings = { ...settings, DATABASE_URL: database.ownerUrl };
  try {
    expect(await tamshai(['knowledge', 'import', '-'], { settings: owning, input: exported })).toMatchObject({ code: 0, err: '' });
    expect(await tamshai(['migrate'], { settings: owning })).toMatchObject({ code: 0 });
    const running = await testServer(settings);
    expect((await tamshai(['knowledge', 'export'], { settings })).out).toBe(exported);
    expect(await running.run(['call', 'knowledge', 'undo', '{"tx_id":95}', '--as', 'frank.davis', '--json'])).toMatchObject({ code: 0 });
    expect((await tamshai(['knowledge', 'export'], { settings })).out.split('\n')).toHaveLength(99);
    await running.stop();
    expect(await tamshai(['knowledge', 'import', '-'], { settings: owning, input: exported })).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /^error {2}There is knowledge in 127\.0\.0\.1:\d+\/\S+ already \(96 changes\); import needs an empty knowledge base\.\n$/,
      ),
    });
    await database.owner.query('truncate knowledge.head, knowledge.transactions, knowledge.entries, knowledge.triples');
    await database.owner.query("create role knowledge_other login password 'other'");
    const other = new URL(database.url);
    [other.username, other.password] = ['knowledge_other', 'other'];
    expect(
      await tamshai(['knowledge', 'import', '-'], { settings: { ...settings, DATABASE_URL: other.href }, input: exported }),
    ).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^error {2}[^\n]+owner[^\n]+\n$/),
    });
  } finally {
    await database.owner.query('drop role if exists knowledge_other');
    await database.drop();
  }
});
