import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { LONGEST, STORELESS } from '../suites.ts';

const root = dirname(import.meta.dirname);
const pathOf = (name: string) => join(root, `${name}.test.ts`);

test('every file that a list of the runs names is there, once', () => {
  for (const names of [LONGEST, STORELESS]) {
    expect(names.filter((name) => !existsSync(pathOf(name)))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  }
});

/** How a file, or a helper beside it, gets to a store of the run. */
const KNOWS =
  /\bopenSite\b|\bstoresFor\b|\bonServers\b|\bTAMSHAI_TEST_\w+URL\b|\bfreshDatabase\b|\bsearchStores\b|\bdocumentDatabases\b|\bdatabases\b/;
const IMPORT = /^(?:import|export)\b[^;]*? from '(\.[^']+)';$/gm;
/** The file and those of tests/ that it imports; the worlds are on embedded stores unless they are told of another. */
function texts(path: string, seen = new Set<string>()): string[] {
  if (seen.has(path) || /\/(?:world|world-search|world-documents|site|template|fresh-database)\.ts$/.test(path)) return [];
  seen.add(path);
  const text = readFileSync(path, 'utf8');
  const further = [...text.matchAll(IMPORT)].map(([, from = '']) => join(dirname(path), from)).filter((each) => each.startsWith(root));
  return [text, ...further.flatMap((each) => texts(each, seen))];
}

test.each(STORELESS)('%s would not try anything else on servers', (name) => {
  expect(texts(pathOf(name)).filter((text) => KNOWS.test(text))).toEqual([]);
});
