/** The packed package in a project outside of the repository: its entry points, its types, and a domain of the project's own. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PackedProject, openPackedProject } from '../packed.ts';
import { freePort } from '../services/server-process.ts';
import { environment, removeFolders, ROOT, tamshai, testClientOf, type TestServer, testServer } from './command-support.ts';

const ROOMS = `import { asc, defineDomain, defineRoles, masked, z } from 'tamshai';

const roles = defineRoles({ 'rooms-read': { means: 'reads every room' } });
const domain = defineDomain({
  name: 'rooms',
  title: 'Rooms',
  engine: 1,
  home: import.meta.url,
  port: 3120,
  store: 'documents',
  roles,
  audiences: { everyone: { roles: ['employee', 'rooms-read'], sees: 'every room' } },
  collections: { rooms: { rows: { everyone: 'all' } } },
  masks: { rent: { hides: 'the rent', shownTo: ['rooms-read'], andOwner: false } },
});
const listRooms = domain.list({
  name: 'list_rooms',
  title: 'List rooms',
  description: 'Lists the rooms.',
  roles: ['employee'],
  plural: 'rooms',
  input: z.strictObject({}),
  item: z.object({ room: z.string(), rent: masked('rent', z.number()) }),
  order: asc('room'),
  find: (_input, { documents }) => documents.from('rooms'),
});
export const rooms = domain.install({
  tools: [listRooms],
  sample: { rows: () => [{ name: 'rooms', estimate: 1, documents: () => [{ _id: 'a', room: 'Aula', rent: null }] }] },
});
`;
const CONFIG = `import { defineConfig } from 'tamshai';
import { tasks } from 'tamshai/domains';
import { rooms } from './rooms/domain.ts';

export default defineConfig({ company: { name: 'Northwind GmbH', currency: 'EUR' }, domains: [tasks, rooms] });
`;

let project: PackedProject;
beforeAll(() => {
  project = openPackedProject({ 'tamshai.config.ts': CONFIG, 'rooms/domain.ts': ROOMS });
}, 300_000);
afterAll(() => {
  project.remove();
  removeFolders();
});

const run = (code: string) =>
  spawnSync(process.execPath, ['--input-type=module', '-e', code], { cwd: project.folder, encoding: 'utf8', env: environment({}) });

describe('the package', () => {
  test('contains what the command needs at run time, and no sources, tests or build state', () => {
    expect(project.files).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'bin/tamshai.mjs',
        'dist/src/index.d.ts',
        'dist/domains/index.d.ts',
        'dist/web/.vite/manifest.json',
        'domains/hr/sql/policies.sql',
        'domains/sales/phrases/list-opportunities.txt',
        'sql/reworded.json',
        'templates/domain/domain.ts',
        'docs/journey/adr-0001-declare-once.md',
      ]),
    );
    expect(
      project.files.filter((file) => /^(?:src|tests|web|node_modules)\b|\.tsbuildinfo$|\.map$|^(?!dist\/|templates\/).*\.ts$/.test(file)),
    ).toEqual(['contracts/api.d.ts']);
  });

  test('exports its three entry points, and the zod of its schemas', () => {
    const { stdout, stderr } = run(`
      const [{ defineDomain, z }, { hr }, { openTestServer }] = [
        await import('tamshai'), await import('tamshai/domains'), await import('tamshai/testing')];
      console.log(typeof defineDomain, hr.kind, typeof openTestServer, hr.tools[0].input instanceof z.ZodObject);`);
    expect({ stdout, stderr }).toEqual({ stdout: 'function installed function true\n', stderr: '' });
  });

  test.each([
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])('has types for module %s with moduleResolution %s, which find mistakes', (module, moduleResolution) => {
    const compilerOptions = {
      module,
      moduleResolution,
      target: 'es2023',
      strict: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      types: ['node'],
    };
    const check = (files: readonly string[]) => {
      project.write({ 'tsconfig.json': JSON.stringify({ compilerOptions, files }) });
      const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
      return spawnSync(process.execPath, [compiler, '-p', project.folder], { encoding: 'utf8' }).stdout;
    };
    expect(check(['tamshai.config.ts'])).toBe('');
    project.write({ 'rooms/mistake.ts': ROOMS.replace(`roles: ['employee', 'rooms-read']`, `roles: ['employee', 'rooms-raed']`) });
    expect(check(['rooms/mistake.ts'])).toMatch(/mistake\.ts\(\d+,\d+\): error TS2322: [^]*'"rooms-raed"' is not assignable/);
  });
});

describe('a project with a domain of its own', () => {
  let server: TestServer;
  let settings: Record<string, string>;
  beforeAll(async () => {
    const [gateway, own, other] = await Promise.all([freePort(), freePort(), freePort()]);
    settings = {
      TAMSHAI_DATA: join(project.folder, 'data'),
      GATEWAY_PORT: String(gateway),
      ROOMS_PORT: String(own),
      TASKS_PORT: String(other),
    };
    server = await testServer(settings, ['start', '--json'], { cwd: project.folder, program: project.program });
  }, 300_000);
  afterAll(async () => {
    await server.stop();
  });
  const tool = (args: readonly string[]) => tamshai(args, { cwd: project.folder, program: project.program, settings });

  test('is listed by the command', async () => {
    const { json } = await tool(['tools', '--json']);
    expect((json()['servers'] as { name: string }[]).map(({ name }) => name)).toEqual(['tasks', 'rooms']);
    expect((await tool(['tools', 'rooms', '--as', 'nina.patel'])).out).toContain('list_rooms');
  });

  test('answers over REST and MCP with its masks, and is in openapi.json', async () => {
    const rows = [{ room: 'Aula', rent: '*** (Hidden)' }];
    expect((await tool(['call', 'rooms', 'list_rooms', '--as', 'nina.patel', '--json'])).json()).toMatchObject({
      status: 'success',
      data: rows,
    });
    const client = testClientOf(server);
    const { result } = await client.rpc(await client.token('nina.patel', { mcp: true }), 'tools/call', {
      name: 'rooms_list_rooms',
      arguments: {},
    });
    expect(result).toMatchObject({ structuredContent: { status: 'success', data: rows } });
    const document = (await (await fetch(`${server.base}/openapi.json`)).json()) as { paths: object };
    expect(Object.keys(document.paths)).toContain('/api/tools/rooms/list_rooms');
    expect(JSON.stringify(document.paths)).not.toContain('/api/tools/hr/');
  });

  test('gets its own contracts', async () => {
    expect(await tool(['contracts'])).toMatchObject({ code: 0, err: '' });
    expect(readFileSync(join(project.folder, 'contracts', 'settings.md'), 'utf8')).toContain('ROOMS_PORT');
    expect(await tool(['contracts', '--check'])).toMatchObject({ code: 0 });
  });
});

describe.each(['20.19', '24', '26'])('Node %s', (version) => {
  /** The package `node` of npm has the program itself. */
  let node: string;
  beforeAll(() => {
    const { stdout, stderr } = spawnSync('npx', ['-y', '-p', `node@${version}`, 'node', '-p', 'process.execPath'], { encoding: 'utf8' });
    node = stdout.trim();
    expect(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout, stderr).toMatch(new RegExp(`^v${version}\\.`));
  }, 300_000);
  const run = (args: readonly string[]) =>
    spawnSync(node, [project.program, ...args], { cwd: project.folder, encoding: 'utf8', env: environment({}) });

  test.each(['tamshai.config.ts', 'conf.js', 'conf.mjs'])('loads %s', (file) => {
    project.write({ [file]: CONFIG });
    const { status, stdout, stderr } = run(['tools', '--json', '--config', file]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect((JSON.parse(stdout) as { servers: { name: string }[] }).servers.map(({ name }) => name)).toEqual(['tasks', 'rooms']);
  });

  test('reports a syntax error and an error while loading in one sentence with file and line', () => {
    project.write({
      'broken.ts': 'export const a = 1;\nexport default {{;\n',
      'throws.ts': `const sum: number = 1;\n\nthrow new Error(\`no \${sum}\`);\n`,
      'rooms/broken.ts': 'export const a: number = 1;\n\nexport const b = ;\n',
      'imports.ts': CONFIG.replace('./rooms/domain.ts', './rooms/broken.ts'),
    });
    const errors = ['broken.ts', 'throws.ts', 'imports.ts'].map((file) => run(['start', '--config', file]));
    expect(errors.map(({ status, stdout }) => [status, stdout])).toEqual(Array.from({ length: 3 }, () => [1, '']));
    const [syntax, thrown, imported] = errors.map(({ stderr }) => stderr);
    expect(syntax).toMatch(/^error {2}broken\.ts:2 has a syntax error: [^\n]+\n$/);
    expect(thrown).toBe('error  throws.ts:3 failed: no 1.\n');
    expect(imported).toMatch(/^error {2}rooms\/broken\.ts:3 has a syntax error: [^\n]+\n$/);
  });
});
