/** The type errors that authors of tools make: each file in tests/mistakes fails to compile, with a message that says what is wrong. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'tests', 'mistakes');
const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));

/** File name → the compiler's messages about it. */
const messages = new Map<string, string[]>();
beforeAll(() => {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { cwd: root, encoding: 'utf8' });
  let current: string[] | undefined;
  for (const line of stdout.split('\n')) {
    const found = /^(\S+)\(\d+,\d+\): error TS\d+: (.*)$/.exec(line);
    if (found === null) {
      if (current !== undefined && line !== '') current[current.length - 1] += `\n${line}`;
      continue;
    }
    const [, path = '', message = ''] = found;
    current = messages.get(path) ?? [];
    current.push(message);
    messages.set(path, current);
  }
});

test.each(files)('%s does not compile, and the first message says why', (name) => {
  const expected = /^\/\/ tsc: (.*)$/m.exec(readFileSync(join(folder, name), 'utf8'))?.[1];
  expect(expected).toBeDefined();
  expect(messages.get(`tests/mistakes/${name}`)?.[0]).toContain(expected);
});

test('only the files in tests/mistakes fail to compile', () => {
  expect([...messages.keys()].filter((path) => !path.startsWith('tests/mistakes/'))).toEqual([]);
});
