/** Checks the assumptions of our prepared statements about the PostgreSQL driver: the installed version, and the messages that it sends. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type EmbeddedDatabase, openPglite } from '../../src/storage/sql/pglite.ts';
import { Prepared, REVIEWED_DRIVER } from '../../src/storage/sql/prepared.ts';

const FILE = 'src/storage/sql/prepared.ts';
const fromPg = createRequire(createRequire(import.meta.url).resolve('pg/package.json'));
/** Finds package.json above the entry file, because not every package exports it. */
function installed(name: string): string {
  let folder = dirname(fromPg.resolve(name));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
}

test.each(Object.entries(REVIEWED_DRIVER))('%s %s is the version that was reviewed', (name, reviewed) => {
  const sentence =
    `${name} ${installed(name)} is installed, but ${FILE} was reviewed against ${reviewed}: ` +
    'check the assumptions listed there against the new version, then change REVIEWED_DRIVER.';
  expect(installed(name), sentence).toBe(reviewed);
});

test('no other file uses the internals of the driver', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const users = files
    .map((path) => `src/${path}`)
    .filter((path) => /\bpg\.(?:Query|Connection)\b|\.connection\.stream\b/.test(readFileSync(join(root, path), 'utf8')));
  expect(users).toEqual([FILE]);
});

let database: EmbeddedDatabase;
let prepared: Prepared;
let sent: Buffer[];
beforeAll(async () => {
  database = await openPglite();
  prepared = new Prepared(database.owner);
  const write = prepared.stream._write;
  prepared.stream._write = function (chunk: Buffer, encoding, done) {
    sent.push(Buffer.from(chunk));
    write.call(this, chunk, encoding, done);
  };
});
beforeEach(() => {
  sent = [];
});
afterAll(() => database.close());

/** The type letters of the messages that were sent, in order. */
function messages(): string {
  const bytes = Buffer.concat(sent);
  let letters = '';
  for (let at = 0; at < bytes.length; at += 1 + bytes.readInt32BE(at + 1)) letters += String.fromCharCode(bytes[at] ?? 0);
  return letters;
}

test('a statement is parsed and described the first time, and only bound and executed after that', async () => {
  const ask = (n: number) => prepared.query('twice', 'select $1::int as n, null::text as none', [n]);
  expect(await ask(1)).toEqual([{ n: 1, none: null }]);
  expect(messages(), 'Parse, Bind, Describe, Execute, Sync').toBe('PBDES');
  sent = [];
  expect(await ask(2)).toEqual([{ n: 2, none: null }]);
  expect(messages(), 'Bind, Execute, Sync').toBe('BES');
});

test('statements sent without waiting are answered in order, each with its own rows', async () => {
  const ask = (n: number) => prepared.query('many', 'select i from generate_series(1, $1::int) i', [n]);
  await ask(1);
  const answers = await Promise.all([3, 0, 2].map(ask));
  expect(answers.map((rows) => rows.length)).toEqual([3, 0, 2]);
});

test('a database error rejects its own statement and none after it, also when both are sent without waiting', async () => {
  const ask = (n: number) => prepared.query('divide', 'select 6 / $1::int as n', [n]);
  await expect(ask(0)).rejects.toMatchObject({ code: '22012' });
  expect(await ask(2)).toEqual([{ n: 3 }]);
  const [failed, next] = await Promise.allSettled([ask(0), ask(3)]);
  expect(failed).toMatchObject({ status: 'rejected', reason: { code: '22012' } });
  expect(next).toEqual({ status: 'fulfilled', value: [{ n: 2 }] });
});
