/** Every test file belongs to a tier of tests/run.mjs. Otherwise no command would run it. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { FILES } from '../../vitest.config.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PARTS: Readonly<Record<string, string>> = { '**/': '(?:.*/)?', '*': '[^/]*', '{': '(?:', '}': ')', ',': '|', '.': '\\.' };
const patternOf = (glob: string) => new RegExp(`^${glob.replace(/\*\*\/|[*{},.]/g, (part) => PARTS[part] ?? part)}$`);
const isIn = (file: string, globs: readonly string[]) => globs.some((glob) => patternOf(glob).test(file));

test('every test file belongs to a tier', () => {
  const files = readdirSync(join(ROOT, 'tests'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => `tests/${file}`);
  expect(files).toContain('tests/unit/tiers.test.ts');
  const tiers = Object.values(FILES);
  expect(files.filter((file) => !tiers.some(({ include, exclude = [] }) => isIn(file, include) && !isIn(file, exclude)))).toEqual([]);
});
