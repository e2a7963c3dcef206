/** bin/tamshai.mjs: what it needs for building the web app in a checkout is a dependency of this package. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('the package whose presence decides whether the web app is built is a development dependency', () => {
  const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> };
  const lookedFor = [...read('bin/tamshai.mjs').matchAll(/'node_modules', '(?!\.bin)([^']+)'/g)].map(([, name]) => name ?? '');
  expect(lookedFor.length).toBeGreaterThan(0);
  for (const name of lookedFor) expect(Object.keys(devDependencies)).toContain(name);
});
