/** Every mutant of `npm run mutants` matches exactly one place in the sources, and names tests that exist. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { locate } from '../mutants/locate.mjs';
import { MUTANTS } from '../mutants/mutants.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const files = readdirSync(`${root}/tests`, { recursive: true }).map((name) => `tests/${String(name)}`);

test('there are at least thirty mutants with unique names', () => {
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
  expect(MUTANTS.length).toBeGreaterThanOrEqual(30);
});

test.each(MUTANTS)('$area: $name', ({ find, tests }) => {
  expect(locate(root, find).file).toMatch(/^(src|domains|sql)\//);
  expect(
    tests.filter((name) => !files.some((file) => ['', '.embedded', '.http'].some((suffix) => file === `${name}${suffix}.test.ts`))),
  ).toEqual([]);
});
