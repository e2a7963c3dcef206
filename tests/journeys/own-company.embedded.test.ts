/** A configuration with own domains and an own sample company, started with its embedded stores. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { request } from 'undici';
import { finance, hr, knowledge, sampleCompany, tasks } from '../../domains/index.ts';
import type { Installed } from '../../src/declare/install.ts';
import { type SampleCompany, sampleContext } from '../../src/declare/sample.ts';
import { defineSampleCompany } from '../../src/declare/sample-company.ts';
import { registryOf } from '../../src/engine/registry.ts';
import { openKeys } from '../../src/identity/keys.ts';
import { mintToken } from '../../src/identity/mint.ts';
import { start } from '../../src/server/compose.ts';
import { readConfig } from '../../src/server/config.ts';
import { sampleCollections, sampleTables } from '../../src/server/sample.ts';
import { searchFile } from '../../src/server/search.ts';
import { folderOf } from '../../src/server/source-folder.ts';
import { nordwind } from '../own-company/company.ts';
import { handbook } from '../own-company/handbook/domain.ts';
import { notices } from '../own-company/notices/domain.ts';
import { rooms, roomsSample } from '../own-company/rooms/domain.ts';
import { vehicles } from '../own-company/vehicles/domain.ts';
import { authUrl, Browser, pkce } from '../unit/embedded-support.ts';

type Row = Record<string, unknown>;
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serve(
  domains: readonly Installed[],
  sample: SampleCompany | undefined,
  { folder, settings = {} }: { folder?: string; settings?: Record<string, string> } = {},
) {
  const data = folder ?? (await mkdtemp(join(tmpdir(), 'tamshai-own-company-')));
  if (folder === undefined) closing.push(() => rm(data, { recursive: true, force: true }));
  const registry = registryOf(domains, sample);
  const names = ['gateway', ...registry.domains.map(({ name }) => name)];
  const ports = Object.fromEntries(names.map((name) => [`${name.toUpperCase()}_PORT`, '0']));
  const config = readConfig(registry, { environment: { ...ports, TAMSHAI_DATA: data, TAMSHAI_LOG_LEVEL: 'silent', ...settings } });
  const tamshai = await start(config, { servers: names });
  let open = true;
  const close = async () => {
    if (open) await tamshai.close();
    open = false;
  };
  closing.push(close);
  const { base } = tamshai;
  const keys = openKeys(data, {});
  /** Calls a tool as a person of this company, or of another one. */
  const call = async (username: string, path: string, input: object = {}, people = registry.people) => {
    const person = people.find((each) => each.username === username);
    if (person === undefined) throw new Error(`no person ${username}`);
    const token = await mintToken(keys, person, { base, audience: `${base}/api` });
    const reply = await request(`${base}/api/tools/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
    const answer = (await reply.body.json()) as { status: string; data: Row[] };
    if (answer.status !== 'success' && people === registry.people) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return { status: reply.statusCode, data: answer.data };
  };
  /** The page on which a person chooses who they are. */
  const picker = async () => {
    const browser = new Browser();
    return (await browser.follow(await browser.go(authUrl(base, pkce().challenge)), base)).body;
  };
  return { registry, data, call, picker, close };
}

describe('an own sample company', () => {
  test('hr, tasks and knowledge have rows about its people, and own domains on every kind of store have theirs', async () => {
    const { call, picker, registry, data, close } = await serve([hr, tasks, knowledge, finance, rooms, vehicles, notices], nordwind);

    expect(registry.people.map(({ username, roles }) => [username, roles])).toEqual([
      ['katrin.vogt', ['employee', 'manager', 'executive']],
      // No installed domain declares sales-write.
      ['joerg.petersen', ['employee', 'manager', 'hr-read', 'hr-write']],
      ['anke.brandt', ['employee', 'manager']],
      ['lukas.weiss', ['employee']],
    ]);
    const page = await picker();
    expect(page).toContain('Jörg Petersen');
    expect(page).not.toContain('Alice Chen');

    const everyone = (await call('joerg.petersen', 'hr/list_employees', { limit: 50 })).data;
    expect(everyone).toHaveLength(12);
    expect(everyone.find(({ last_name }) => last_name === 'Petersen')).toMatchObject({
      first_name: 'Jörg',
      email: 'joerg.petersen@nordwind.example',
      department: 'Personal',
      manager_name: 'Katrin Vogt',
      hire_date: '2015-09-01',
      phone: '+49 421 555 0102',
      home_address: 'Am Wall 12, 28195 Bremen',
    });
    const team = (await call('anke.brandt', 'hr/list_employees', { limit: 50 })).data.map(({ last_name }) => String(last_name));
    expect(team.toSorted()).toEqual(['Krüger', 'Scholz', 'Schröder', 'Weiß', 'Yilmaz']);
    expect((await call('lukas.weiss', 'hr/get_time_off_balances')).data).not.toEqual([]);
    expect((await call('lukas.weiss', 'tasks/list_tasks')).data).toHaveLength(3);
    const known = (await call('lukas.weiss', 'knowledge/query', { query: 'remote work' })).data as unknown as { entries?: Row[] } & Row[];
    expect(JSON.stringify(known)).toMatch(/Katrin Vogt|Jörg Petersen|Anke Brandt|Lukas Weiß/);
    expect(JSON.stringify(known)).not.toMatch(/Alice Chen/);

    expect((await call('lukas.weiss', 'rooms/list_rooms', { limit: 50 })).data).toHaveLength(12);
    expect((await call('lukas.weiss', 'vehicles/list_vehicles')).data.map(({ driver }) => driver)).toContain('Anke Brandt');
    expect((await call('lukas.weiss', 'notices/search_notices', { query: 'canteen' })).data).toEqual([
      { notice_id: 'n1', text: 'The canteen opens at eleven' },
    ]);
    // The sample of finance is about the built-in company only.
    expect((await call('katrin.vogt', 'finance/list_invoices')).data).toEqual([]);

    // A second start leaves the rows alone.
    await close();
    const again = await serve([hr, tasks, knowledge, finance, rooms, vehicles, notices], nordwind, { folder: data });
    expect((await again.call('joerg.petersen', 'hr/list_employees', { limit: 50 })).data).toHaveLength(12);
    expect((await again.call('lukas.weiss', 'rooms/list_rooms', { limit: 50 })).data).toHaveLength(12);
  }, 240_000);
});

describe('a domain that is made from a folder', () => {
  test('has a row for each file of the folder that its setting names, in a file of its own', async () => {
    const pages = await mkdtemp(join(tmpdir(), 'tamshai-handbook-'));
    closing.push(() => rm(pages, { recursive: true, force: true }));
    await writeFile(join(pages, 'travel.md'), 'Book trains early.');
    const settings = { TAMSHAI_HANDBOOK_FOLDER: pages };
    const { call, data, close } = await serve([hr, handbook, notices], nordwind, { settings });
    expect((await call('lukas.weiss', 'handbook/search_handbook')).data).toEqual([{ page_id: 'travel', text: 'Book trains early.' }]);
    expect((await call('lukas.weiss', 'notices/search_notices')).data).toHaveLength(2);
    expect(existsSync(join(data, 'handbook.db'))).toBe(true);
    await close();
    await rm(join(pages, 'travel.md'));
    await writeFile(join(pages, 'pets.md'), 'Dogs stay at home.');
    const again = await serve([hr, handbook, notices], nordwind, { folder: data, settings });
    expect((await again.call('lukas.weiss', 'handbook/search_handbook', { query: 'dogs' })).data).toEqual([
      { page_id: 'pets', text: 'Dogs stay at home.' },
    ]);
    expect((await again.call('lukas.weiss', 'handbook/search_handbook')).data).toHaveLength(1);
    await again.close();
    const wrong = { TAMSHAI_HANDBOOK_FOLDER: join(pages, 'pets.md') };
    await expect(serve([hr, handbook, notices], nordwind, { folder: data, settings: wrong })).rejects.toThrow(
      /^TAMSHAI_HANDBOOK_FOLDER names .* which is not a folder that can be read\.$/,
    );
  }, 120_000);

  test('cannot use a file of the engine, or another kind of store', () => {
    const { domain } = handbook;
    expect(() => searchFile({ dataFolder: 'data' }, { ...domain, name: 'audit' })).toThrow('cannot be called audit');
    expect(() => folderOf({ ...domain, store: 'sql' }, { sourceFolder: () => undefined })).toThrow('only domains on search');
  });
});

describe('no sample company', () => {
  test('there are no rows, nobody can sign in, and a token of a built-in person is refused', async () => {
    const { call, picker, registry } = await serve([hr, tasks, rooms, vehicles, notices], undefined);
    expect(registry.people).toEqual([]);
    const page = await picker();
    expect(page).toContain('Nobody can sign in here');
    for (const { name } of sampleCompany.people) expect(page).not.toContain(name);
    expect((await call('alice.chen', 'hr/list_employees', {}, sampleCompany.people)).status).toBe(401);
  }, 240_000);

  test('no store has a row', async () => {
    const { registry, data, close } = await serve([hr, tasks, rooms, vehicles, notices], undefined);
    await close();
    // A later start with a company fills only empty stores, so its rows prove that they were empty.
    const options = { registry, employees: 500, today: new Date() };
    for (const domain of ['hr', 'tasks', 'rooms']) expect(await sampleTables(domain, options)).toEqual([]);
    for (const domain of ['vehicles', 'notices']) expect(await sampleCollections(domain, options)).toEqual([]);
    const later = await serve([hr, tasks, rooms, vehicles, notices], nordwind, { folder: data });
    expect((await later.call('joerg.petersen', 'hr/list_employees', { limit: 50 })).data).toHaveLength(12);
    expect((await later.call('lukas.weiss', 'rooms/list_rooms', { limit: 50 })).data).toHaveLength(12);
  }, 240_000);
});

describe('a wrong sample is refused', () => {
  const options = (sample: Installed['sample'], domain: Installed) => ({
    registry: registryOf([{ ...domain, sample }], nordwind),
    employees: 12,
    today: new Date(),
  });
  const [table] = roomsSample(sampleContext(nordwind, { employees: 12, today: new Date() }));

  test.each([
    ['a table of another domain', { name: 'hr.employees' }],
    ['a table without a schema', { name: 'rooms' }],
    ['text that is no name', { name: 'rooms.rooms; drop table hr.pay' }],
    ['text that is no column', { columns: ['room_id) select 1; --'] }],
  ])('%s', async (_, change) => {
    const rows = () => [{ ...table, ...change }] as never;
    await expect(sampleTables('rooms', options({ rows }, rooms))).rejects.toThrow(/^The sample of rooms cannot fill /);
  });

  test('documents for an SQL domain, tables for a search domain, and an unknown collection', async () => {
    const documents = { name: 'rooms.rooms', estimate: 0, documents: () => [] };
    await expect(sampleTables('rooms', options({ rows: () => [documents] }, rooms))).rejects.toThrow(/must return tables/);
    await expect(sampleCollections('notices', options({ rows: () => [table] as never }, notices))).rejects.toThrow(
      /must return collections/,
    );
    await expect(sampleCollections('notices', options({ rows: () => [documents] }, notices))).rejects.toThrow(
      /not a collection of the domain/,
    );
  });

  test('an employee without a manager in the list, a day that is no day, and a username twice', () => {
    const one = { username: 'a', first: 'A', last: 'B', department: 'D', title: 'T', location: 'L', hired: '2020-01-01', salary: 1 };
    const of = (...employees: (typeof one & { manager?: string })[]) => defineSampleCompany({ emailDomain: 'x.example', employees });
    expect(() => of({ ...one, manager: 'b' }, { ...one, username: 'b' })).toThrow('the manager b must come earlier');
    expect(() => of({ ...one, hired: '1. 1. 2020' })).toThrow('hired must be a day');
    expect(() => of(one, one)).toThrow('two employees with the username a');
  });
});
