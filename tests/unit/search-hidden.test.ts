/** A hidden field of a search collection hides everything inside it: searching, filters, orders, groups and highlights. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { EVERY, filters } from '../../src/declare/filter.ts';
import type { Person } from '../../src/declare/people.ts';
import { field, figure, type SearchCollection, type SearchReader } from '../../src/declare/search.ts';
import type { SearchBackend } from '../../src/storage/search/backend.ts';
import { openEmbeddedSearch } from '../../src/storage/search/embedded.ts';
import { storeOn } from '../ports/search-test-store.ts';

const cases: SearchCollection<'staff' | 'team'> = {
  key: 'case_id',
  fields: { title: field.text(1), 'notes.body': field.text(1), 'notes.author': field.word },
  rows: { staff: 'all', team: 'all' },
  hides: { team: ['notes'] },
};
const shown = z.object({
  case_id: z.string(),
  notes: z.array(z.object({ body: z.string() })).nullable(),
  highlights: z.record(z.string(), z.array(z.string())),
});

let folder = '';
let backend: SearchBackend;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tamshai-hidden-'));
  backend = openEmbeddedSearch(join(folder, 'search.db'), { name: 'cases', collections: { cases } });
  await backend.loader.fill(
    'cases',
    [{ case_id: 'a', title: 'Zebra crossing', notes: [{ body: 'The zebra is a secret', author: 'eve' }] }],
    () => {},
  );
});
afterAll(async () => {
  await backend.close();
  await rm(folder, { recursive: true, force: true });
});

const person = { principal: 'staff:x', sub: 'x', roles: new Set(['employee']) } as unknown as Person;
const as = <T>(audience: string, body: (search: SearchReader) => Promise<T>): Promise<T> =>
  storeOn(backend, 'cases-test').read({ domain: 'cases', audience, person, shows: [] } as never, ({ search }) =>
    body(search as SearchReader),
  );

test('a person who may see the notes finds and reads them', async () => {
  const [row] = await as('staff', (search) => search.many(shown, 'cases', EVERY, { words: 'secret' }));
  expect(row?.notes).toEqual([{ body: 'The zebra is a secret' }]);
  expect(row?.highlights['notes.body']?.join()).toContain('secret');
});

test('a person who may not see the notes finds no row by their text, and gets no highlight of them', async () => {
  expect(await as('team', (search) => search.many(shown, 'cases', EVERY, { words: 'secret' }))).toEqual([]);
  const [row] = await as('team', (search) => search.many(shown, 'cases', EVERY, { words: 'zebra' }));
  expect([row?.notes, Object.keys(row?.highlights ?? {})]).toEqual([null, ['title']]);
});

test('a filter or a group by a field inside is refused', async () => {
  const refused = /cases cannot be queried by notes\.author/;
  await expect(as('team', (search) => search.count('cases', filters.where({ 'notes.author': 'eve' })))).rejects.toThrow(refused);
  await expect(
    as('team', (search) =>
      search.groups(z.object({ n: z.int() }), 'cases', EVERY, { by: ['notes.author'], figures: { n: figure.count() } }),
    ),
  ).rejects.toThrow(refused);
});
