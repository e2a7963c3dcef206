/** Rules about the source files: layers and their imports, import cycles, file length, code in strings, and one tool per file. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'vite';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The imports that each layer may have: our own layers and, where it matters, packages. */
const LAYERS: Readonly<Record<string, { ours: readonly string[]; packages?: readonly string[] }>> = {
  'index.ts': { ours: ['declare'], packages: ['zod'] },
  declare: { ours: [], packages: ['zod'] },
  domains: { ours: ['declare'], packages: ['node:crypto', 'zod'] },
  engine: { ours: ['declare'], packages: ['lru-cache', 'node:crypto', 'node:util', 'zod'] },
  derive: { ours: ['declare', 'engine'], packages: ['zod'] },
  storage: { ours: ['declare', 'engine'] },
  transports: { ours: ['declare', 'engine', 'derive'] },
  identity: { ours: ['declare', 'engine'] },
  assistant: { ours: ['declare', 'engine', 'derive'] },
  gateway: { ours: ['declare', 'engine', 'derive', 'transports', 'identity', 'assistant'] },
  server: { ours: ['declare', 'domains', 'engine', 'derive', 'storage', 'transports', 'identity', 'gateway', 'assistant'] },
  cli: { ours: ['declare', 'domains', 'engine', 'derive', 'storage', 'transports', 'identity', 'gateway', 'assistant', 'server'] },
  testing: {
    ours: ['domains', 'declare', 'engine', 'derive', 'storage', 'transports', 'identity', 'gateway', 'assistant', 'server'],
  },
};
/** Each database driver, and the folders or files that may import it. */
const DRIVERS: Readonly<Record<string, readonly string[]>> = {
  pg: ['storage', 'server'],
  'pg-copy-streams': ['storage'],
  ioredis: ['storage'],
  '@electric-sql/pglite': ['storage'],
  libsql: ['storage', 'server/folder.ts'],
  mongodb: ['storage'],
  mingo: ['storage'],
};

interface Source {
  readonly path: string;
  readonly file: string;
  readonly text: string;
  readonly imports: readonly string[];
}

const IMPORT = /^\s*(?:import|export)\b[^'"`;]*?\bfrom\s+['"]([^'"]+)['"]|^\s*import\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;
/** Paths without `src/`: `engine/pipeline.ts`, `domains/hr/domain.ts`. */
const layered = (path: string) =>
  path
    .split(sep)
    .join('/')
    .replace(/^src\//, '');
const sources: readonly Source[] = ['src', 'domains']
  .flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)))
  .filter((path) => /\.(?:[cm]?ts|tsx)$/.test(path))
  .toSorted()
  .map((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    const imports = [...text.matchAll(IMPORT)].map(([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? '');
    return { path: layered(path), file: path, text, imports };
  });

const layerOf = (path: string) => path.split('/')[0] ?? '';
/** The path of an imported file of ours, otherwise the name of the package. */
const target = ({ file }: Source, name: string) =>
  name.startsWith('.') ? layered(relative(ROOT, resolve(join(ROOT, dirname(file)), name))) : name;
const packageOf = (name: string) =>
  name.startsWith('node:')
    ? name
    : name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/');
const isOurs = (name: string) => name.startsWith('.');
const offences = (find: (source: Source) => readonly string[]) =>
  sources.flatMap((source) => find(source).map((what) => `${source.path}: ${what}`));

describe('the layers', () => {
  test('every file of src and domains is in a known layer', () => {
    expect(sources.length).toBeGreaterThan(20);
    expect(offences(({ path }) => (layerOf(path) in LAYERS ? [] : ['is in no layer']))).toEqual([]);
    expect(sources.find(({ path }) => path === 'engine/audit/chain.ts')?.imports).toContain('../ports.ts');
  });

  test('import only the layers below them', () => {
    const wrong = offences((source) => {
      const layer = layerOf(source.path);
      const { ours } = LAYERS[layer] ?? { ours: [] };
      return source.imports
        .filter(isOurs)
        .map((name) => target(source, name))
        .filter((file) => layerOf(file) !== layer && !ours.includes(layerOf(file)));
    });
    expect(wrong).toEqual([]);
  });

  test('every import follows LAYERS and DRIVERS', () => {
    const wrong = offences((source) => {
      const { packages } = LAYERS[layerOf(source.path)] ?? {};
      const named = source.imports.filter((name) => !isOurs(name)).map(packageOf);
      const foreign = named.filter((name) => packages !== undefined && !packages.includes(name));
      const drivers = named.filter((name) => DRIVERS[name]?.every((place) => !source.path.startsWith(place)));
      return [...foreign, ...drivers];
    });
    expect(wrong).toEqual([]);
  });

  /** Sample rows of one domain refer to those of another: an invoice names its approver. */
  const isSample = (path: string) => /^domains\/(?:[^/]+\/sample|sample-company)\//.test(path);

  test('domains do not import each other, except for sample rows', () => {
    const domainOf = (path: string) => path.split('/')[1];
    const wrong = offences((source) =>
      layerOf(source.path) !== 'domains' || source.path === 'domains/index.ts'
        ? []
        : source.imports
            .filter(isOurs)
            .map((name) => target(source, name))
            .filter((file) => layerOf(file) === 'domains' && domainOf(file) !== domainOf(source.path))
            .filter((file) => !(isSample(source.path) && isSample(file)) && !/^domains\/[^/]+\/exports\.ts$/.test(file)),
    );
    expect(wrong).toEqual([]);
  });

  test('only the configuration reads the environment', () => {
    const reads = /process\s*(?:\.|\?\.|\[\s*['"])\s*env\b|from\s+['"](?:node:)?process['"]|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b/;
    expect(offences(({ path, text }) => (path !== 'server/config.ts' && reads.test(text) ? ['reads the environment'] : []))).toEqual([]);
  });

  test('no file is longer than 400 lines', () => {
    expect(offences(({ text }) => (text.split('\n').length > 401 ? [`has ${text.split('\n').length - 1} lines`] : []))).toEqual([]);
  });
});

/** Finds the groups of files that import each other, directly or through others (Tarjan's algorithm). */
function importCycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string) => {
    const own = index.size;
    index.set(file, own);
    low.set(file, own);
    stack.push(file);
    for (const imported of graph.get(file) ?? []) {
      if (!index.has(imported)) visit(imported);
      if (stack.includes(imported)) low.set(file, Math.min(low.get(file) ?? own, low.get(imported) ?? own));
    }
    if (low.get(file) !== own) return;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1 || graph.get(file)?.includes(file)) cycles.push(group.toSorted());
  };
  for (const file of graph.keys()) if (!index.has(file)) visit(file);
  return cycles;
}

describe('imports', () => {
  const files = ['src', 'domains', 'web', 'bench', 'tests'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(?:[cm]?[jt]s|tsx)$/.test(path) && !path.split(sep).includes('node_modules'))
      .map((path) => join(folder, path)),
  );
  const known = new Set(files);
  const graph = new Map(
    files.map((file) => {
      const names = [...readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT)].map(
        ([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? '',
      );
      return [
        file,
        names
          .filter(isOurs)
          .map((name) => join(dirname(file), name))
          .filter((imported) => known.has(imported)),
      ] as const;
    }),
  );

  test('no import cycles, type imports included', () => {
    expect(graph.get(join('web', 'main.tsx'))).toContain(join('web', 'app.tsx'));
    expect(importCycles(graph).map((cycle) => cycle.join(' ↔ '))).toEqual([]);
  });

  test('the search finds a cycle of three files and a file that imports itself, and reports no other file', () => {
    const cyclic = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', ['a']],
      ['d', ['d']],
      ['e', ['a']],
    ]);
    expect(importCycles(cyclic)).toEqual([['d'], ['a', 'b', 'c']]);
  });
});

/** The text of every string and template in a syntax tree; `\0` stands for each `${…}`. */
function stringsIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { type, value, quasis = [] } = node as { type?: string; value?: unknown; quasis?: { value: { cooked: string } }[] };
  const own = type === 'TemplateLiteral' ? [quasis.map((quasi) => quasi.value.cooked).join('\0')] : [];
  const literal = type === 'Literal' && typeof value === 'string' ? [value] : [];
  return [...own, ...literal, ...Object.values(node).flatMap(stringsIn)];
}

/** Scripts and style sheets live in web/, where they are type-checked, linted and built. Inline ones would need a weaker policy, too. */
const CODE_IN_STRINGS: Readonly<Record<string, RegExp>> = {
  'a <script> with content': /<script(?![^>]*\ssrc=)[^>]*>|<script[^>]*>(?!<\/script>)/i,
  // The API reference inlines a built style sheet, which its policy allows by digest.
  'a <style> with content': /<style[^>]*>(?!\0<\/style>)/i,
  'an attribute with code': /\s(?:style|on[a-z]+)=["']/,
  'DOM calls':
    /\b(?:document|window|localStorage|sessionStorage|navigator|location|globalThis)\s*[.[]|\b(?:querySelector|addEventListener)\b/,
  JavaScript: /=>\s*[{(]|\bfunction\s*\w*\s*\(|^'use strict'/m,
  CSS: /(?:^|[\s,>}])[.#:*]?[\w[\]"=:.()-]+\s*\{\s*(?:--)?[a-z-]+\s*:\s*[^;{}]+;/m,
};
const codeIn = (text: string) => Object.keys(CODE_IN_STRINGS).filter((kind) => CODE_IN_STRINGS[kind]?.test(text));

describe('strings', () => {
  test('no string in src or domains contains JavaScript or CSS', () => {
    expect(offences(({ file, text }) => stringsIn(parseSync(file, text).program).flatMap(codeIn))).toEqual([]);
  });

  test.each([
    ['`<script>go()</script>`', 'a <script> with content'],
    ['`<script src="/x.js">go()</script>`', 'a <script> with content'],
    ['`<style>${reset} p { margin: 0 }</style>`', 'a <style> with content'],
    ['`<p onclick="go()">`', 'an attribute with code'],
    ['`const slot = document.body;`', 'DOM calls'],
    ["`slot.addEventListener('click', ${handler});`", 'DOM calls'],
    ['`const go = (x) => { return x; };`', 'JavaScript'],
    ["':root { color-scheme: light dark; }'", 'CSS'],
    ['`.btn:hover{--line:${colour};}`', 'CSS'],
  ])('the rule finds %s', (source, kind) => {
    expect(stringsIn(parseSync('example.ts', `export const text = ${source};`).program).flatMap(codeIn)).toContain(kind);
  });

  test.each(['`<script src="${path}"></script>`', '`<style>${style}</style>`', '`{"limit":1}`', "'Send { approved: true } as JSON.'"])(
    'the rule allows %s',
    (source) => {
      expect(stringsIn(parseSync('example.ts', `export const text = ${source};`).program).flatMap(codeIn)).toEqual([]);
    },
  );
});

const WIDTH = 140;
const WIDE_FOLDERS = ['src', 'domains', 'tests', 'bench', 'web', 'examples', 'templates', 'docs', 'sql', 'bin', 'deploy'];
const ROOT_PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'];
/** Generated, or applied to databases and therefore final: sql/reworded.json holds the digests of migrations. */
const MAY_BE_WIDE = /(?:^|\/)rights\.md$|^docs\/settings\.md$|^(?:domains\/\w+\/sql|sql\/platform)\/\d+_[a-z_]+\.sql$/;

/** The spans of a file in which the formatter breaks no line: regular expressions, and templates that contain expressions. */
function unbreakable(file: string, text: string): (readonly [number, number])[] {
  const spans = (node: unknown): (readonly [number, number])[] => {
    if (typeof node !== 'object' || node === null) return [];
    const { type, start, end, regex, expressions } = node as {
      type?: string;
      start: number;
      end: number;
      regex?: object;
      expressions?: object[];
    };
    if (type === 'Literal' && regex) return [[start, end]];
    if (type === 'TemplateLiteral' && expressions && expressions.length > 0) return [[start, end]];
    return Object.values(node).flatMap(spans);
  };
  return spans(parseSync(file, text).program);
}

function wideLines(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const lines = text.split('\n');
  if (!lines.some((line) => line.length > WIDTH)) return [];
  const spans = /\.(?:[cm]?[jt]s|tsx)$/.test(file) && !file.startsWith('templates') ? unbreakable(file, text) : [];
  let at = 0;
  return lines.flatMap((line, n) => {
    const begin = at;
    at += line.length + 1;
    const isTable = file.endsWith('.md') && line.trim().startsWith('|');
    const isHeld = spans.some(([start, end]) => start < begin + line.length && end >= begin + WIDTH - 2);
    return line.length <= WIDTH || isTable || isHeld ? [] : [`${file}:${n + 1}`];
  });
}

test('no line is wider than 140 columns, except regular expressions, templates with expressions and table rows', () => {
  const inFolders = WIDE_FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path).split(sep).join('/')),
  );
  const files = [...ROOT_PAGES, ...inFolders].filter(
    (file) => /\.(?:[cm]?[jt]s|tsx|css|md|sql|py|txt)$/.test(file) && !file.includes('node_modules') && !MAY_BE_WIDE.test(file),
  );
  expect(files.length).toBeGreaterThan(500);
  expect(files.flatMap(wideLines)).toEqual([]);
});

/** The names of the built-in domains, and of the folder of their sample company. */
const DOMAIN_NAMES: ReadonlySet<string> = new Set(
  readdirSync(join(ROOT, 'domains'), { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])),
);

/** Every place of a syntax tree that names a built-in domain: a whole string, an identifier, or an import of domains/. */
function domainsNamedIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const {
    type,
    value,
    name,
    quasis = [],
  } = node as {
    type?: string;
    value?: unknown;
    name?: unknown;
    quasis?: { value: { cooked: string } }[];
  };
  const text = type === 'TemplateLiteral' && quasis.length === 1 ? quasis[0]?.value.cooked : type === 'Literal' ? value : undefined;
  const asString = typeof text === 'string' && (DOMAIN_NAMES.has(text) || /(?:^|\/)domains\//.test(text)) ? [`'${text}'`] : [];
  const asName = type === 'Identifier' && typeof name === 'string' && DOMAIN_NAMES.has(name) ? [name] : [];
  return [...asString, ...asName, ...Object.values(node).flatMap(domainsNamedIn)];
}

/** Files of src that may name a built-in domain, and why. */
const MAY_NAME_DOMAINS: Readonly<Record<string, string>> = {
  'cli/registry.ts': 'without a configuration, a command works with the built-in domains',
  'testing/test-config.ts': 'sample: true means the built-in sample company',
  'assistant/offline/tokenise.ts': 'irregular words of English, such as "taxes"',
};

describe('the engine', () => {
  const naming = sources.filter(
    ({ file, path, text }) => layerOf(path) !== 'domains' && domainsNamedIn(parseSync(file, text).program).length > 0,
  );

  test('names no built-in domain, except in the listed files', () => {
    expect(DOMAIN_NAMES).toContain('hr');
    expect(naming.map(({ path }) => path)).toEqual(Object.keys(MAY_NAME_DOMAINS).toSorted());
  });

  test.each([
    ["export const server = 'hr';", "'hr'"],
    ['export const server = `hr`;', "'hr'"],
    ["import { x } from '../../domains/hr/domain.ts';", "'../../domains/hr/domain.ts'"],
    ["export const x = () => import('../domains/index.ts');", "'../domains/index.ts'"],
    ['export const { hr } = servers;', 'hr'],
    ['export const url = urls.finance;', 'finance'],
    ["export type Server = 'hr' | 'gateway';", "'hr'"],
  ])('the rule finds %s', (source, found) => {
    expect(domainsNamedIn(parseSync('example.ts', source).program)).toContain(found);
  });

  test.each(["export const text = 'Ask support for help.';", '/** hr */ export const n = 1;', 'export const hrs = `${1} hr`;'])(
    'the rule allows %s',
    (source) => {
      expect(domainsNamedIn(parseSync('example.ts', source).program)).toEqual([]);
    },
  );
});

describe('the tools', () => {
  const tools = sources.filter(({ path }) => /^domains\/[^/]+\/tools\//.test(path));
  /** The export of a tool whose name is a reserved word of JavaScript. */
  const kept: Readonly<Record<string, string>> = { delete: 'deleteItem' };
  const camel = (kebab: string) => kept[kebab] ?? kebab.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

  test.each(tools.map((tool) => [tool.path, tool] as const))('%s is one tool, named like its file', (path, { text }) => {
    const file = /\/tools\/([a-z0-9]+(?:-[a-z0-9]+)*)\.ts$/.exec(path)?.[1];
    expect(file).toBeDefined();
    const exported = [...text.matchAll(/^export\s+(?:const|function|class|type|interface|default|async function|\{|\*)\s*(\w*)/gm)].map(
      ([, name]) => name,
    );
    expect(exported).toEqual([camel(file ?? '')]);
    const names = [...text.matchAll(/^ {2}name: '([^']+)'/gm)].map(([, name]) => name);
    expect(names).toEqual([file?.replaceAll('-', '_')]);
  });

  test('no tool file is longer than 120 lines', () => {
    const long = tools.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 })).filter(({ lines }) => lines > 120);
    expect(long).toEqual([]);
  });

  test('each tool is exported by the index.ts of its domain', () => {
    const unlisted = tools.filter(({ path }) => {
      const index = sources.find((source) => source.path === `${path.split('/').slice(0, 2).join('/')}/index.ts`);
      return !index?.imports.includes(`./tools/${path.split('/').at(-1)}`);
    });
    expect(unlisted.map(({ path }) => path)).toEqual([]);
  });

  test('no domain runs SQL text by itself', () => {
    const raw = /\b(?:query|execute|unsafe|raw)\s*\(\s*[`'"]|\.(?:query|unsafe)\s*\(/;
    expect(offences(({ path, text }) => (layerOf(path) === 'domains' && raw.test(text) ? ['runs SQL as text'] : []))).toEqual([]);
  });
});
