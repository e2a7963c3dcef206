/** Projects of companies with the installed package: the example, and a domain that `tamshai new domain` writes. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { build, DEADLINE_MS, removeFolders, ROOT, tamshai } from './command-support.ts';
import { compile, project, suite } from './project-support.ts';

vi.setConfig({ testTimeout: 4 * DEADLINE_MS, hookTimeout: 3 * DEADLINE_MS });
beforeAll(build);
afterAll(removeFolders);

describe('the example project', () => {
  test('compiles, and passes the contract suite and its own tests', async () => {
    const path = project();
    cpSync(join(ROOT, 'examples', 'facilities'), path, { recursive: true });
    await compile(path);
    expect(await suite(path)).toMatch(/Tests\s+\d{2,} passed/);
    // The suite compares the rights with the committed files, and writes a missing file.
    for (const name of ['facilities', 'fleet'])
      expect(readFileSync(join(path, name, 'rights.md'), 'utf8')).toBe(
        readFileSync(join(ROOT, 'examples', 'facilities', name, 'rights.md'), 'utf8'),
      );
  });
});

describe('tamshai new domain', () => {
  test('writes a project that compiles, is served and passes the contract suite', async () => {
    const path = project();
    const { code, out, err } = await tamshai(['new', 'domain', 'rooms'], { cwd: path });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('Start it    npx tamshai start');
    await compile(path);
    const listed = await tamshai(['tools', 'rooms', '--json'], { cwd: path });
    expect({ code: listed.code, err: listed.err }).toEqual({ code: 0, err: '' });
    expect(listed.out).toContain('rename_item');
    expect(await suite(path)).toMatch(/Tests\s+\d{2,} passed/);
  });

  test('completes the package.json of npm init, and keeps what the user wrote in another', async () => {
    const path = project();
    const file = join(path, 'package.json');
    const own = { name: 'mine', scripts: { test: 'node --test' }, devDependencies: { vitest: '4.0.0' } };
    const initial = { name: 'mine', type: 'commonjs', scripts: { test: 'echo "Error: no test specified" && exit 1' } };
    const completed = async (before: object, name: string): Promise<object> => {
      writeFileSync(file, JSON.stringify(before));
      rmSync(join(path, 'tamshai.config.ts'), { force: true });
      const { code, out } = await tamshai(['new', 'domain', name], { cwd: path });
      expect([code, out]).toEqual([0, expect.stringContaining('package.json (completed)')]);
      return JSON.parse(readFileSync(file, 'utf8')) as object;
    };
    const added = { typescript: expect.any(String) as string, '@types/node': expect.any(String) as string };
    expect(await completed(initial, 'rooms')).toMatchObject({
      type: 'module',
      scripts: { test: 'vitest run', start: 'tamshai start' },
      dependencies: { tamshai: expect.any(String) as string },
      devDependencies: { vitest: expect.any(String) as string, ...added },
    });
    expect(await completed(own, 'desks')).toMatchObject({
      scripts: { test: 'node --test' },
      devDependencies: { vitest: '4.0.0', ...added },
    });
    writeFileSync(file, '{');
    rmSync(join(path, 'tamshai.config.ts'));
    const { code, err } = await tamshai(['new', 'domain', 'cars'], { cwd: path });
    expect({ code, err }).toEqual({ code: 1, err: 'error  package.json is not valid JSON; correct it, or remove it.\n' });
    expect(existsSync(join(path, 'cars'))).toBe(false);
  });

  test('in a project with a configuration, says what to add to it', async () => {
    const path = project();
    cpSync(join(ROOT, 'examples', 'facilities'), path, { recursive: true });
    const before = readFileSync(join(path, 'tamshai.config.ts'), 'utf8');
    const { code, out } = await tamshai(['new', 'domain', 'parking'], { cwd: path });
    expect(code).toBe(0);
    expect(out).toContain("import { parking } from './parking/index.ts';");
    expect(readFileSync(join(path, 'tamshai.config.ts'), 'utf8')).toBe(before);
    // Ports 3120 and 3121 belong to facilities and fleet, and the examples name people of this company.
    expect(readFileSync(join(path, 'parking', 'domain.ts'), 'utf8')).toContain('port: 3122');
    expect(readFileSync(join(path, 'parking', 'tools', 'list-items.ts'), 'utf8')).toContain("as: 'greta.vogel'");
  });

  test.each([
    ['Rooms', /needs another name: 2 to 20 lower-case letters and digits/],
    ['a_b', /needs another name/],
    ['../x', /needs another name/],
    ['tamshai', /tamshai is reserved/],
    ['class', /TypeScript cannot export a constant of this name/],
    ['domain', /TypeScript cannot export a constant of this name/],
    ['order', /order is a reserved word of SQL/],
    ['hr', /A domain hr exists already; choose another name\./],
  ])('refuses the name %s', async (name, sentence) => {
    const path = project();
    const { code, err } = await tamshai(['new', 'domain', name], { cwd: path });
    expect({ code, isNamed: sentence.test(err) }).toEqual({ code: 1, isNamed: true });
    expect(existsSync(join(path, 'tamshai.config.ts'))).toBe(false);
  });

  test('does not write into an existing folder', async () => {
    const path = project();
    mkdirSync(join(path, 'rooms'));
    const { code, err } = await tamshai(['new', 'domain', 'rooms'], { cwd: path });
    expect({ code, err }).toEqual({ code: 1, err: 'error  The folder rooms exists already; choose another name, or remove the folder.\n' });
  });
});
