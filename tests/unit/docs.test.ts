/** Documentation that a test can check: links, anchors, file paths and the names of settings. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { STANDARD_PORTS } from '../../src/app/config.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const markdownIn = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
const pages = [...markdownIn('.'), ...markdownIn('docs'), ...markdownIn('docs/journey')];
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const withoutCode = (text: string) => text.replace(/^ *```[\s\S]*?^ *```/gm, '').replace(/`[^`\n]*`/g, '');

/** As GitHub makes them: lower case, spaces to dashes, punctuation dropped. */
const anchorsOf = (text: string) =>
  new Set(
    [...text.replace(/^ *```[\s\S]*?^ *```/gm, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

function brokenLinks(page: string): string[] {
  const links = [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.flatMap((link) => {
    if (/^[a-z]+:/.test(link)) return [];
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : relative(root, join(root, dirname(page), path));
    if (!existsSync(join(root, target))) return [`${page}: ${link} does not exist`];
    const found = anchor === undefined || anchorsOf(read(target)).has(anchor);
    return found ? [] : [`${page}: ${link} has no such heading`];
  });
}

test('every link leads to a file, and to a heading that it has', () => {
  expect(pages).toContain('README.md');
  expect(pages.flatMap(brokenLinks)).toEqual([]);
});

test('every source file that a page names exists', () => {
  const named = pages
    .filter((page) => !page.startsWith('docs/journey/'))
    .flatMap((page) =>
      [...read(page).matchAll(/`((?:src|sql|tests|web|bin|deploy|contracts)\/[\w./-]+)`/g)].map(([, path = '']) => ({ page, path })),
    );
  expect(named.length).toBeGreaterThan(50);
  const isThere = (path: string) => existsSync(join(root, path)) || existsSync(join(root, `${path}.test.ts`));
  // The guide adds these files itself.
  const made = ['src/domains/hr/tools/list-work-anniversaries.ts', 'sql/hr/010_mentors.sql'];
  expect(named.filter(({ path }) => !made.includes(path) && !isThere(path))).toEqual([]);
});

test('docs/settings.md lists every setting, and nothing else', () => {
  const SETTING = /\b(?:(?:TAMSHAI|OIDC|OTEL|ANTHROPIC|LLM|OPS|GATEWAY|DATABASE|MONGODB|ELASTICSEARCH|REDIS)_[A-Z_]*[A-Z]|NODE_ENV)\b/g;
  const perDomain = Object.keys(STANDARD_PORTS)
    .filter((name) => name !== 'gateway')
    .flatMap((name) => [`${name.toUpperCase()}_PORT`, `${name.toUpperCase()}_URL`]);
  const declared = ['src/app/config.ts', 'src/app/tracing-settings.ts'].flatMap((file) =>
    [...read(file).matchAll(/^ {2}([A-Z][A-Z_]+):/gm)].map(([, name = '']) => name),
  );
  const settings = new Set([...declared, ...perDomain]);
  expect(settings.size).toBeGreaterThan(60);
  const firstColumn = read('docs/settings.md')
    .split('\n')
    .filter((row) => row.startsWith('| `'))
    .map((row) => row.split('|')[1] ?? '')
    .join();
  const documented = new Set([...firstColumn.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name));
  const ofOneStore = /^(?:HR|FINANCE|SALES|SUPPORT|PAYROLL|TAX|TASKS|KNOWLEDGE)_(?:DATABASE|MONGODB|ELASTICSEARCH)_URL$/;
  expect([...settings].filter((name) => !documented.has(name))).toEqual([]);
  expect([...documented].filter((name) => !settings.has(name) && !ofOneStore.test(name))).toEqual([]);
  const others = pages.filter((page) => !page.startsWith('docs/journey/') && page !== 'CHANGELOG.md');
  const mentioned = others.flatMap((page) => [...read(page).matchAll(SETTING)].map(([name]) => ({ page, name })));
  const isKnown = (name: string) => settings.has(name) || name.startsWith('TAMSHAI_TEST_');
  expect(mentioned.filter(({ name }) => !isKnown(name))).toEqual([]);
});
