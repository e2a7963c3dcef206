/** Other wordings of examples: the files phrases/<tool>.txt, their slots and their mistakes. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineDomain } from '../../src/declare/define.ts';
import { createRegistry } from '../../src/engine/registry.ts';
import { assetFolder } from '../../src/server/assets.ts';
import { ConfigProblem } from '../../src/server/config.ts';
import { packageFolder } from '../../src/server/package.ts';
import { readPhrases } from '../../src/server/phrases.ts';
import { builtIn } from '../registry.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tamshai-phrases-'));
  mkdirSync(join(home, 'phrases'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function read(text: string, name = 'find-animals.txt') {
  writeFileSync(join(home, 'phrases', name), text);
  const zoo = defineDomain({
    name: 'zoo',
    title: 'Zoo',
    engine: 1,
    home: pathToFileURL(join(home, 'domain.ts')).href,
    port: 3999,
    store: 'sql',
    audiences: { everyone: { roles: ['employee'], sees: 'every animal' } },
  });
  const findAnimals = zoo.read({
    name: 'find_animals',
    title: 'Animals',
    description: 'Animals by name.',
    roles: ['employee'],
    input: z.object({ name: z.string(), limit: z.int().optional(), tags: z.array(z.string()).optional() }),
    output: z.object({}),
    examples: [
      { question: 'Where is Bruno?', as: 'frank.davis', input: { name: 'Bruno', limit: 5, tags: ['bear'] } },
      { question: 'Who is Momo?', as: 'frank.davis', input: { name: 'Momo' } },
    ],
    run: async () => ({}),
  });
  return readPhrases(createRegistry([findAnimals]));
}
const line = (number: number, name = 'find-animals.txt') => `Line ${number} of ${join(home, 'phrases', name)}`;

describe('a file of phrases', () => {
  test('binds each phrase to the example in the heading above it, and fills the slots from its input', () => {
    const phrases = read("## Where is Bruno?\nFind {name}\n{limit} places of {name}'s\n\n## Who is Momo?\r\n  Tell me about {name}\r\n");
    expect([...(phrases.get('zoo_find_animals') ?? [])]).toEqual([
      ['Where is Bruno?', ['Find Bruno', "5 places of Bruno's"]],
      ['Who is Momo?', ['Tell me about Momo']],
    ]);
  });

  test.each([
    ['a heading that is no question of the tool', '## Where is Bruno?\nFind {name}\n\n## Where is Baloo?\nFind Baloo\n', 4],
    ['a phrase above the first heading', 'Find Bruno\n## Where is Bruno?\nFind {name}\n', 1],
    ['an empty phrase', '## Where is Bruno?\nFind {name}\n \nLook for {name}\n', 3],
    ['an empty phrase under its heading', '## Where is Bruno?\n\nFind {name}\n', 2],
    ['a slot that the input does not have', '## Who is Momo?\nFind {name}\nFind {species}\n', 3],
    ['a slot without a name', '## Who is Momo?\nFind {}\n', 2],
    ['a slot that another example has', '## Who is Momo?\n{limit} places\n', 2],
    ['a slot that is a list', '## Where is Bruno?\nFind a {tags}\n', 2],
    ['a slot that every object has', '## Where is Bruno?\nFind a {constructor}\n', 2],
  ])('fails with its file and line for %s', (_what, text, number) => {
    expect(() => read(text)).toThrow(ConfigProblem);
    expect(() => read(text)).toThrow(line(number));
  });

  test.each(['find-animal.txt', 'find_animals.txt', 'find-animals.md'])('fails for %s, which is the name of no tool', (name) => {
    expect(() => read('## Where is Bruno?\nFind {name}\n', name)).toThrow(ConfigProblem);
    expect(() => read('## Where is Bruno?\nFind {name}\n', name)).toThrow(join(home, 'phrases', name));
  });
});

test('the files of the nine domains have no mistake', () => {
  const phrases = readPhrases(builtIn);
  expect(new Set([...phrases.keys()].map((name) => name.split('_')[0])).size).toBe(builtIn.domains.length);
  expect(phrases.get('hr_find_employees')?.get('Who is Priya?')).toContain('Do we have a Priya?');
});

test.each(['domains/hr/domain.ts', 'dist/domains/hr/domain.js'])('the folders of a domain are found from %s', (file) => {
  const at = { home: pathToFileURL(join(packageFolder, file)).href };
  expect(assetFolder(at, 'phrases')).toBe(join(packageFolder, 'domains/hr/phrases'));
  expect(assetFolder(at, 'sql')).toBe(join(packageFolder, 'domains/hr/sql'));
  expect(assetFolder(at, 'no-such-folder')).toBeUndefined();
});
