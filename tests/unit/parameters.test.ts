/** Functions take at most three positional parameters, and then one object. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'vite';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MOST = 3;

/** Functions that may have more, by file: ports, public API, functions that a library calls, and handlers of one MCP request. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  'src/cli/commands/call.ts': ['call'],
  'src/cli/main.ts': ['createProgram'],
  'src/declare/documents.ts': ['many', 'groups', 'change', 'changeMany', 'remove'],
  'src/declare/search.ts': ['many', 'groups', 'change'],
  'src/engine/ports.ts': ['swap', 'acquire'],
  'src/engine/store.ts': ['page'],
  'src/identity/embedded/provider.ts': ['serve'],
  'src/storage/audit/checkpoints.ts': ['checkpoint'],
  'src/storage/kv/redis.ts': ['swapValue', 'acquireLease'],
  'src/storage/search/embedded-file.ts': ['insert'],
  'src/storage/search/server-client.ts': ['call'],
  'src/storage/search/server-effects.ts': ['executeOnce'],
  'src/testing/test-client.ts': ['rest', 'direct', 'ask', 'rpc'],
  'src/testing/tool-caller.ts': ['call'],
  'src/transports/mcp/handler.ts': ['record', 'recordUnperformed', 'streamSession', 'listen', 'answer', 'toModern', 'toSession'],
};

interface Parameter {
  readonly type: string;
  readonly left?: Parameter;
  readonly typeAnnotation?: object | null;
}
interface Declared {
  readonly type?: string;
  readonly params?: readonly Parameter[];
  readonly id?: { readonly name?: string } | null;
  readonly key?: { readonly name?: string };
  readonly value?: unknown;
}
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression', 'TSMethodSignature']);
const isObject = ({ type, left }: Parameter): boolean => type === 'ObjectPattern' || (left !== undefined && isObject(left));

/** The names of functions with too many parameters. An implementation of a port has no type annotations, so only the port counts. */
function tooMany(node: unknown, name = 'anonymous'): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { type = '', params = [], id, key } = node as Declared;
  const own = id?.name ?? key?.name ?? name;
  const positional = params.filter((each, at) => at < params.length - 1 || (!isObject(each) && each.type !== 'RestElement'));
  const isTyped = params.some((each) => Boolean((each.left ?? each).typeAnnotation));
  const found = FUNCTIONS.has(type) && isTyped && positional.length > MOST ? [own] : [];
  return [...found, ...Object.values(node).flatMap((inner) => tooMany(inner, own))];
}

const namesIn = (text: string, file = 'example.ts'): string[] => tooMany(parseSync(file, text).program);

test('every function takes at most three positional parameters, except the listed ones', () => {
  const files = ['src', 'domains', 'web'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path).split(sep).join('/')),
  );
  // A call of a function in sample data is a row of a table.
  const sources = files.filter((file) => /\.tsx?$/.test(file) && !/\/sample(?:-company)?\//.test(file));
  const found = sources.flatMap((file) => {
    const names = namesIn(readFileSync(join(ROOT, file), 'utf8'), file);
    return names.length === 0 ? [] : [[file, names] as const];
  });
  expect(sources.length).toBeGreaterThan(400);
  expect(Object.fromEntries(found)).toEqual(MORE);
});

test.each([
  ['function go(a: number, b: number, c: number, d: number) {}', ['go']],
  ['const go = (a: number, b: number, c: number, d = 1) => a;', ['go']],
  ['interface Port { go(a: number, b: number, c: number, d: number): void }', ['go']],
  ['class Port { go(a: number, b: number, c: number, d: number): void {} }', ['go']],
  ['function go(a: number, b: number, c: number, { d }: { d: number }) {}', []],
  ['function go(a: number, b: number, c: number, ...more: number[]) {}', []],
  ['const port: Port = { go: (a, b, c, d) => a };', []],
])('the rule checks %s', (source, names) => {
  expect(namesIn(source)).toEqual(names);
});
