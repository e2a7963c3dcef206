/** package.json lists the packages that bin/tamshai.mjs needs to build the web app in a checkout. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('every package that bin/tamshai.mjs looks for is a development dependency', () => {
  const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> };
  const lookedFor = [...read('bin/tamshai.mjs').matchAll(/'node_modules', '(?!\.bin)([^']+)'/g)].map(([, name]) => name ?? '');
  expect(lookedFor.length).toBeGreaterThan(0);
  for (const name of lookedFor) expect(Object.keys(devDependencies)).toContain(name);
});
