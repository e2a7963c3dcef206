/** people.json of a data folder, which commands read without loading the configuration. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { required } from '../../src/cli/commands/person.ts';
import { readSamplePeople, writeSamplePeople } from '../../src/server/sample-people.ts';
import { builtIn as registry } from '../../src/cli/registry.ts';

const folder = mkdtempSync(join(tmpdir(), 'tamshai-test-people-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('what a start wrote is read again', () => {
  writeSamplePeople(folder, registry);
  const found = readSamplePeople(folder);
  expect(found?.people.map(({ username }) => username)).toEqual(registry.people.map(({ username }) => username));
  expect(found?.featured.length).toBeGreaterThan(1);
});

test('no control character of a planted file reaches the terminal', () => {
  writeSamplePeople(folder, registry);
  const file = join(folder, 'people.json');
  const { people, featured } = JSON.parse(readFileSync(file, 'utf8')) as {
    people: { username: string; name: string; title: string }[];
    featured: string[];
  };
  const planted = { ...people[0], username: 'eve\u001b[2J', name: 'Eve\u202e', title: 'Chief\u0007' };
  writeFileSync(file, JSON.stringify({ people: [planted, ...people.slice(1)], featured: ['eve\u001b[2J', ...featured] }));
  expect(readSamplePeople(folder)?.people[0]).toMatchObject({ username: 'eve[2J', name: 'Eve', title: 'Chief' });
  expect(() => required(undefined, 'asks', { dataFolder: folder })).toThrow(/^Say who asks with --as: eve\[2J, /);
});
