/** Declarations of MCP resources and prompts: URIs, variables, and checks when they are declared. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineDomain } from '../../src/declare/define.ts';
import { createRegistry } from '../../src/engine/registry.ts';

const notes = defineDomain({
  name: 'notes',
  title: 'Notes',
  engine: 1,
  home: import.meta.url,
  port: 0,
  store: 'sql',
  audiences: { staff: { roles: ['employee'], sees: 'all' } },
});
const words = { title: 'A note', description: 'One note.', version: 1, roles: ['employee'] } as const;
const note = notes.resource({
  ...words,
  uri: 'notes://days/{day-of-year}',
  name: 'day',
  input: z.object({ day_of_year: z.string() }),
  text: async () => '# x',
});
const find = notes.read({
  name: 'find',
  title: 'Find',
  description: 'Finds.',
  roles: ['employee'],
  input: z.object({}),
  output: z.string(),
  run: async () => '',
});
const begin = notes.prompt({
  name: 'begin-a-note',
  title: 'Begin',
  description: 'Begins.',
  roles: ['employee'],
  arguments: z.object({ topic: z.string() }),
  tools: [find],
  render: ({ topic }, { tool }) => `Call ${tool(find)} for ${topic}.`,
});

test('a resource is found by its URI template and has the variables of the template', () => {
  const all = createRegistry([find], [note, begin]);
  expect(note).toMatchObject({ variables: ['day-of-year'], mimeType: 'text/markdown', paged: false });
  expect(all.find('notes', 'notes://days/{day-of-year}')).toBe(all.resources[0]?.tool);
  expect(all.find('notes', 'prompts/begin-a-note')).toBe(all.prompts[0]?.tool);
  expect(all.tools.map(({ name }) => name)).toEqual([find.name]);
  expect(all.domains).toEqual([notes.spec]);
});

test('an inconsistent declaration is refused', () => {
  const text = async () => '';
  const uri = (address: string) => notes.resource({ ...words, uri: address, name: 'day', input: z.object({}), text });
  for (const address of ['other://days', 'notes://Days', 'notes://days?x=1', 'notes://days/../x', 'notes://', 'notes://days/{x}'])
    expect(() => uri(address), address).toThrow();
  expect(() => notes.resource({ ...words, version: 0, uri: 'notes://days', name: 'day', input: z.object({}), text })).toThrow('version');
  // @ts-expect-error the input does not describe the variable of the URI
  expect(() => notes.resource({ ...words, uri: 'notes://days/{day}', name: 'day', input: z.object({ dya: z.string() }), text })).toThrow(
    'variables',
  );
  expect(() => createRegistry([], [note, note])).toThrow('declared twice');
  expect(() => notes.feed({ resources: [note], roles: ['employee'], alike: true, last: async () => 0, after: async () => [] })).toThrow(
    'whose URI has no variables',
  );
});
