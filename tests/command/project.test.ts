/** A project of one's own: tamshai.config.ts is found, loaded and validated, and only by commands of the operator. */
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bin, build, CHECKOUT, folder, removeFolders, tamshai } from './command-support.ts';

beforeAll(build, 240_000);
afterAll(removeFolders);

/** A small domain on documents. */
const domainText = ({ name = 'desk', port = 3120, role = 'employee', tool = 'list_desks', engine = 1, more = '' } = {}): string => `
import { asc, defineContract, defineDomain, z } from 'tamshai';
const ledger = (id: string, version: number) => defineContract(id, version, { sum: { input: z.strictObject({}), output: z.number() } });
const domain = defineDomain({
  name: '${name}', title: 'Desks', engine: ${engine}, home: import.meta.url, port: ${port}, store: 'documents',
  audiences: { everyone: { roles: ['${role}'], sees: 'every desk' } },
  collections: { desks: { rows: { everyone: 'all' } } }, ${more}
} as never);
export const installed = domain.install({
  tools: [domain.list({
    name: '${tool}', title: 'Desks', description: 'Lists the desks.', roles: ['employee'], plural: 'desks',
    input: z.strictObject({}), item: z.object({ desk: z.string() }), order: asc('desk'), find: (_input, { documents }) => documents.from('desks'),
  })],
});
`;
const CONFIG = `import { defineConfig } from 'tamshai';
import { tasks } from 'tamshai/domains';
import { installed as desk } from './desk.ts';
const domains: readonly (typeof desk)[] = [tasks, desk];
export default defineConfig({ company: { name: 'Northwind GmbH', currency: 'EUR' }, domains });
`;
const JAVASCRIPT = CONFIG.replace(/: readonly.*?\[\] =/, ' =');

type Files = Readonly<Record<string, string>>;
const STANDARD: Files = { 'package.json': '{ "type": "module" }', 'tamshai.config.ts': CONFIG, 'desk.ts': domainText() };
/** A project whose node_modules/tamshai is the installed package. */
function project(files: Files = {}): string {
  const path = folder('project');
  mkdirSync(join(path, 'node_modules'));
  symlinkSync(dirname(dirname(bin())), join(path, 'node_modules', 'tamshai'));
  for (const [name, text] of Object.entries({ ...STANDARD, ...files })) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    if (text !== '') writeFileSync(join(path, name), text);
  }
  return path;
}
const serversOf = (listed: Record<string, unknown>) => (listed['servers'] as { name: string }[]).map(({ name }) => name);

describe('a configuration file', () => {
  test.each([
    ['in TypeScript', {}],
    ['in a package without a type', { 'package.json': '{}' }],
    ['in a CommonJS package', { 'package.json': '{ "type": "commonjs" }' }],
    ['in JavaScript', { 'tamshai.config.ts': '', 'tamshai.config.js': JAVASCRIPT }],
    ['with the extension .mjs', { 'tamshai.config.ts': '', 'tamshai.config.mjs': JAVASCRIPT }],
  ])('%s decides which domains exist', async (_name, files: Files) => {
    const { code, err, json } = await tamshai(['tools', '--json'], { cwd: project(files) });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(serversOf(json())).toEqual(['tasks', 'desk']);
  });

  test('is named by --config, or by TAMSHAI_CONFIG', async () => {
    const cwd = project({ 'tamshai.config.ts': '', 'conf/one.ts': CONFIG.replace('./desk.ts', '../desk.ts') });
    for (const [args, settings] of [
      [['--config', 'conf/one.ts'], {}],
      [[], { TAMSHAI_CONFIG: 'conf/one.ts' }],
    ] as const) {
      const { err, json } = await tamshai(['tools', '--json', ...args], { cwd, settings });
      expect(err).toBe('');
      expect(serversOf(json())).toEqual(['tasks', 'desk']);
    }
    expect(await tamshai(['tools', '--config', 'two.ts'], { cwd })).toMatchObject({
      code: 1,
      err: 'error  There is no configuration file two.ts; correct --config or TAMSHAI_CONFIG.\n',
    });
  });

  test('is loaded by commands of the operator only, not by client commands, help and version', async () => {
    const cwd = project({ 'tamshai.config.ts': `import { writeFileSync } from 'node:fs';\nwriteFileSync('executed', '');\n${CONFIG}` });
    const clients = [
      ['--help'],
      ['start', '--help'],
      ['desk', 'export', '--help'],
      ['help', 'import'],
      ['--version'],
      ['keys', 'new'],
      ['ask', 'hello', '--as', 'nina.patel'],
      ['call', 'tasks', 'list_tasks', '--as', 'nina.patel'],
      ['tools', '--as', 'nina.patel'],
      ['tools', 'tasks', 'list_tasks', '--as', 'nina.patel'],
      ['token', 'nina.patel'],
      ['token', 'nina.patel', '--server', 'tasks'],
      ['mcp', '--as', 'nina.patel', '--servers', 'tasks'],
    ];
    for (const args of clients) {
      await tamshai(args, { cwd });
      expect({ args, executed: existsSync(join(cwd, 'executed')) }).toEqual({ args, executed: false });
    }
    await tamshai(['tools'], { cwd });
    expect(existsSync(join(cwd, 'executed'))).toBe(true);
  });
});

/** What is wrong, the files, and the sentence. tests/unit/project.test.ts has the rules about the values. */
const REFUSED: readonly (readonly [string, Files, string])[] = [
  ['a syntax error', { 'tamshai.config.ts': 'export const a = 1;\nexport default {{;\n' }, 'tamshai.config.ts:2 has a syntax error: '],
  ['a syntax error of a domain', { 'desk.ts': 'export const = 1;\n' }, 'desk.ts:1 has a syntax error: '],
  ['an error while loading', { 'desk.ts': `\n\nthrow new Error('no luck.');\n` }, 'desk.ts:3 failed: no luck.\n'],
  ['an import of nothing', { 'desk.ts': `import 'nowhere';\n` }, 'tamshai.config.ts cannot be loaded: Cannot find '],
  [
    'two files',
    { 'tamshai.config.mjs': 'export default {};' },
    'This folder has tamshai.config.ts and tamshai.config.mjs; remove one of them.\n',
  ],
  ['no default export', { 'tamshai.config.ts': 'export const a = 1;\n' }, 'tamshai.config.ts has no default export; '],
  [
    'a name of the engine',
    { 'desk.ts': domainText({ name: 'tamshai' }) },
    'The domain tamshai (desk.ts) needs another name: tamshai is reserved.\n',
  ],
  [
    'no identifier as its name',
    { 'desk.ts': domainText({ name: 'my-desk' }) },
    'The domain my-desk (desk.ts) needs another name: 2 to 20 ',
  ],
  [
    'no identifier as the name of a tool',
    { 'desk.ts': domainText({ tool: 'list desks' }) },
    'The tool "list desks" of desk (desk.ts) needs ',
  ],
  ['an unknown key', { 'tamshai.config.ts': CONFIG.replace(' domains }', ' domain: domains }') }, 'has the unknown key "domain"; '],
  [
    'an underscore in its name',
    { 'desk.ts': domainText({ name: 'my_desk' }) },
    'needs another name: 2 to 20 lower-case letters and digits, ',
  ],
  [
    'an invisible character',
    { 'desk.ts': domainText().replace('Lists the desks.', 'Lists\u200b the desks.') },
    'The tool list_desks of desk (desk.ts) has the invisible or control character U+200B in a text; remove it.',
  ],
  ['a name twice', { 'desk.ts': domainText({ name: 'tasks' }) }, 'Two domains have the name tasks ('],
  ['a role that nobody declares', { 'desk.ts': domainText({ role: 'employe' }) }, 'the role "employe", which nobody declares; '],
  [
    'a need that nobody provides',
    { 'desk.ts': domainText({ more: `needs: { sums: ledger('ledger', 1) }` }) },
    'The domain desk (desk.ts) needs ledger v1, which no domain provides; ',
  ],
  [
    'a contract of another version',
    {
      'desk.ts': domainText({ more: `needs: { people: ledger('employment', 9) }` }),
      'tamshai.config.ts': CONFIG.replaceAll('tasks', 'hr'),
    },
    'The domain desk (desk.ts) needs employment v9, but hr (',
  ],
  ['another engine', { 'desk.ts': domainText({ engine: 2 }) }, 'The domain desk (desk.ts) is written for engine 2, and this is engine 1; '],
  ['a port twice', { 'desk.ts': domainText({ port: 3108 }) }, ' have the same port 3108; declare another one, or set DESK_PORT.\n'],
];

describe('a configuration is refused with one sentence, no port is opened, and no data is touched', () => {
  /** Another program has the port: a start that tried to open it would say so, and not what is wrong with the configuration. */
  const other = createServer();
  let port: number;
  beforeAll(async () => {
    port = await new Promise((resolve) => other.listen(0, () => resolve((other.address() as AddressInfo).port)));
  });
  afterAll(() => void other.close());

  test.each(REFUSED)('%s', async (_what, files, sentence) => {
    const cwd = project(files);
    const before = readdirSync(cwd, { recursive: true });
    const { code, out, err } = await tamshai(['start'], { cwd, settings: { GATEWAY_PORT: String(port) } });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(sentence);
    expect(err).toMatch(/^error {2}[^\n]+\n$/);
    expect(err).not.toContain(cwd);
    expect(readdirSync(cwd, { recursive: true })).toEqual(before);
  });

  test('the line of an error is also found outside of the folder of the configuration, and in a folder with a space', async () => {
    const config = CONFIG.replace('./desk.ts', '../my desk/desk.ts');
    const wrong = { 'tamshai.config.ts': '', 'conf/one.ts': config };
    for (const [text, sentence] of [
      ['export const a = 1;\nexport const = 1;\n', /^error {2}\.\.\/my desk\/desk\.ts:2 has a syntax error: /],
      [`\n\nthrow new Error('no luck.');\n`, /^error {2}\.\.\/my desk\/desk\.ts:3 failed: no luck\.\n$/],
    ] as const) {
      const { code, err } = await tamshai(['start', '--config', 'conf/one.ts'], { cwd: project({ ...wrong, 'my desk/desk.ts': text }) });
      expect(code).toBe(1);
      expect(err).toMatch(sentence);
    }
  });

  test('a domain with the port of the gateway', async () => {
    const settings = { GATEWAY_PORT: String(port) };
    expect(await tamshai(['start'], { cwd: project({ 'desk.ts': domainText({ port }) }), settings })).toMatchObject({
      code: 1,
      err: `error  gateway and desk (desk.ts) have the same port ${port}; declare another one, or set DESK_PORT.\n`,
    });
  });

  test('the environment can move one of two equal ports, and a misspelt setting of an own domain is refused', async () => {
    const cwd = project({ 'desk.ts': domainText({ port: 3108 }) });
    const moved = await tamshai(['doctor', '--json'], { cwd, settings: { DESK_PORT: '0' } });
    expect(moved.out).not.toContain('same port');
    const odd = await tamshai(['start'], { cwd: project(), settings: { TAMSHAI_DESK_PORT: '1' } });
    expect(odd).toMatchObject({ code: 1, err: 'error  There is no setting TAMSHAI_DESK_PORT; docs/settings.md lists all settings.\n' });
  });
});

test('contracts/ with the report of the public API is up to date', async () => {
  expect(await tamshai(['contracts', '--check'], { program: CHECKOUT })).toMatchObject({ code: 0, err: '' });
});
