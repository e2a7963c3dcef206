/** At every start, the journey server indexes the current content of the folder in its own file. */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { start, type Tamshai } from '../../src/server/compose.ts';
import { folderOf } from '../../src/server/source-folder.ts';
import { packageFolder } from '../../src/server/package.ts';
import { joinOthers } from '../../src/server/sharing.ts';
import type { SuccessAnswer } from '../../src/declare/answer.ts';
import { call } from '../../src/engine/pipeline.ts';
import { openKeys } from '../../src/identity/keys.ts';
import { openSqliteKeyValue } from '../../src/storage/kv/sqlite.ts';
import { SHARED_KEY } from '../fresh-database.ts';
import { settingsFor } from '../test-server.ts';
import { person } from '../test-runtime.ts';
import { builtIn, readConfig } from '../registry.ts';

const root = mkdtempSync(join(tmpdir(), 'tamshai-journey-start-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let [n, data, folder] = [0, '', ''];
let running: Tamshai | undefined;
const logged: string[] = [];
beforeEach(() => {
  [data, folder] = [join(root, `data-${++n}`), join(root, `folder-${n}`)];
  mkdirSync(folder);
  logged.length = 0;
});
afterEach(async () => {
  await running?.close();
  running = undefined;
});

const write = (level: string) => (fields: object, message: string) => void logged.push(`${level} ${message} ${JSON.stringify(fields)}`);
const log = { info: write('info'), warn: write('warn'), error: write('error') };
async function started(settings: Record<string, string> = {}): Promise<void> {
  await running?.close();
  running = undefined;
  const environment = { ...settingsFor(data), TAMSHAI_JOURNEY_FOLDER: folder, ...settings };
  running = await start(readConfig(environment), { servers: ['journey'], log });
}
async function titles(query?: string): Promise<string[]> {
  if (!running) throw new Error('it does not run');
  const caller = {
    person: person('nina.patel'),
    token: { id: randomUUID(), client: 'test', issuedAt: 0, expiresAt: 0 },
    approves: 'nothing',
    origin: 'web',
  } as const;
  const answer = await call(running.modules.tools.runtime, {
    server: 'journey',
    tool: 'search_journey',
    input: query === undefined ? {} : { query },
    caller,
    surface: 'rest',
    requestId: randomUUID(),
  });
  return ((answer as SuccessAnswer).data as { title: string }[]).map(({ title }) => title).toSorted();
}
const put = (name: string, text: string) => writeFileSync(join(folder, name), text);

test('files that changed while the server was stopped are indexed at the next start', async () => {
  put('adr-0001-a.md', '# ADR 1: Apples\n\nFruit.\n');
  put('lesson-0001-b.md', '# Lesson: bananas\n\nFruit.\n');
  await started();
  expect(await titles()).toEqual(['Apples', 'Bananas']);
  await started();
  expect(await titles('fruit')).toEqual(['Apples', 'Bananas']);
  await running?.close();
  put('adr-0001-a.md', '# ADR 1: Apricots\n\nFruit.\n');
  put('pivot-0001-c.md', '# Pivot: to cherries\n\nFruit.\n');
  rmSync(join(folder, 'lesson-0001-b.md'));
  await started();
  expect(await titles('fruit')).toEqual(['Apricots', 'To cherries']);
  expect(logged.filter((line) => !line.startsWith('info'))).toEqual([]);
});

test('the journey uses its own file, even if other domains use database servers', async () => {
  put('a.md', '# Alone\n');
  const nowhere = {
    ELASTICSEARCH_URL: 'http://127.0.0.1:9',
    MONGODB_URL: 'mongodb://127.0.0.1:9',
    DATABASE_URL: 'postgres://127.0.0.1:9/x',
  };
  await started(nowhere);
  expect(await titles()).toEqual(['Alone']);
  expect([existsSync(join(data, 'journey.db')), existsSync(join(data, 'search.db'))]).toEqual([true, false]);
  for (const name of ['JOURNEY_ELASTICSEARCH_URL', 'JOURNEY_MONGODB_URL', 'JOURNEY_DATABASE_URL'])
    expect(() => readConfig({ [name]: 'http://127.0.0.1:9' })).toThrow(`There is no setting ${name}`);
});

test('a path that is not a folder makes the start fail with one sentence, before anything is created', async () => {
  put('file.md', '# x\n');
  for (const wrong of [join(folder, 'nothing'), join(folder, 'file.md')])
    await expect(started({ TAMSHAI_JOURNEY_FOLDER: wrong })).rejects.toMatchObject({
      name: 'ConfigProblem',
      message: `TAMSHAI_JOURNEY_FOLDER names ${wrong}, which is not a folder that can be read.`,
    });
  expect(existsSync(join(data, 'journey.db'))).toBe(false);
});

test('a damaged index does not stop the start, and is rebuilt with one log line', async () => {
  put('a.md', '# Whole\n');
  mkdirSync(data);
  writeFileSync(join(data, 'journey.db'), 'nothing that a database would be '.repeat(500));
  await started();
  expect(await titles()).toEqual(['Whole']);
  expect(logged.filter((line) => line.startsWith('warn'))).toEqual([expect.stringContaining('damaged')]);
});

test('several processes with one Redis may serve the journey, each with its own file', async () => {
  const kv = openSqliteKeyValue(':memory:');
  const local = builtIn.domains.filter(({ name }) => name === 'journey');
  for (const instance of ['one', 'two']) {
    const own = join(data, instance);
    mkdirSync(own, { recursive: true });
    const config = readConfig({
      ...settingsFor(own),
      REDIS_URL: 'redis://127.0.0.1:9',
      TAMSHAI_MASTER_KEY: SHARED_KEY,
      TAMSHAI_INSTANCE: instance,
    });
    await joinOthers(kv, openKeys(own, { masterKey: SHARED_KEY }), { config, withGateway: false, local, remote: [] });
  }
  await kv.close();
});

test('an installed package contains docs/journey, which is the default folder', () => {
  const { files } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as { files: string[] };
  expect(files).toContain('docs');
  const [journey] = builtIn.domains.filter(({ name }) => name === 'journey');
  expect(journey && folderOf(journey, { sourceFolder: () => undefined })?.path).toBe(join(packageFolder, 'docs', 'journey'));
});
