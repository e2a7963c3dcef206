/** Follows docs/adding-a-domain.md: runs its commands, and compiles and tests its code. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { build, DEADLINE_MS, removeFolders, ROOT, tamshai } from './command-support.ts';
import { compile, project, suite } from './project-support.ts';

vi.setConfig({ testTimeout: 4 * DEADLINE_MS, hookTimeout: 3 * DEADLINE_MS });
beforeAll(build);
afterAll(removeFolders);

const page = readFileSync(join(ROOT, 'docs', 'adding-a-domain.md'), 'utf8');
/** The code blocks that begin with a comment with a file name; `(add)` after the name means: at the end of the file. */
const blocks = [...page.matchAll(/```(?:ts|sql)\n(?:\/\/|--) (rooms\/\S+\.(?:ts|sql))( \(add\))?\n([^]*?)```/g)].map(
  ([, file = '', add, text = '']) => ({
    file,
    adds: add !== undefined,
    text,
  }),
);

test('from an empty folder to a domain with a mask that passes the contract suite', async () => {
  const path = project();
  execFileSync('npm', ['init', '-y'], { cwd: path });
  const { code, err } = await tamshai(['new', 'domain', 'rooms'], { cwd: path });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  for (const [, file = ''] of page.matchAll(/^\| `([\w./]+)` \|/gm)) expect([file, existsSync(join(path, file))]).toEqual([file, true]);

  expect(blocks.map(({ file }) => file)).toEqual([
    'rooms/sql/002_prices.sql',
    'rooms/sql/policies.sql',
    'rooms/domain.ts',
    'rooms/tools/list-items.ts',
    'rooms/sample/index.ts',
  ]);
  for (const { file, adds, text } of blocks) (adds ? appendFileSync : writeFileSync)(join(path, file), text);
  expect(JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))).toMatchObject({ scripts: { test: 'vitest run' } });
  await compile(path);
  rmSync(join(path, 'rooms', 'rights.md'), { force: true });
  expect(await suite(path)).toMatch(/Tests\s+\d{2,} passed/);
  expect(readFileSync(join(path, 'rooms', 'rights.md'), 'utf8')).toContain('price hides what an item costs');
});
