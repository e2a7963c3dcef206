/** Checks the documentation: links, anchors, file paths, names of settings and line length. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { settingsPage } from '../../src/server/settings-page.ts';
import { settings } from '../registry.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const markdownIn = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
const pages = [...markdownIn('.'), ...markdownIn('docs'), ...markdownIn('docs/journey')];
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const withoutCode = (text: string) => text.replace(/^ *```[\s\S]*?^ *```/gm, '').replace(/`[^`\n]*`/g, '');

/** Heading anchors as GitHub makes them: lower case, dashes for spaces, no punctuation. */
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

test('every link leads to an existing file and heading', () => {
  expect(pages).toContain('README.md');
  expect(pages.flatMap(brokenLinks)).toEqual([]);
});

test('every source file that a page names exists', () => {
  const named = pages
    .filter((page) => !page.startsWith('docs/journey/'))
    .flatMap((page) =>
      [...read(page).matchAll(/`((?:src|domains|sql|tests|web|bin|deploy|contracts)\/[\w./-]+)`/g)].map(([, path = '']) => ({
        page,
        path,
      })),
    );
  expect(named.length).toBeGreaterThan(50);
  const isThere = (path: string) => existsSync(join(root, path)) || existsSync(join(root, `${path}.test.ts`));
  // docs/adding-a-tool.md tells the reader to create these files.
  const made = [
    'domains/hr/tools/list-work-anniversaries.ts',
    'domains/hr/phrases/list-work-anniversaries.txt',
    'domains/hr/sql/010_mentors.sql',
  ];
  expect(named.filter(({ path }) => !made.includes(path) && !isThere(path))).toEqual([]);
});

describe('the walks of docs/architecture.md', () => {
  const walks = [...read('docs/architecture.md').matchAll(/^## One (?<name>read|write|start)\b.*\n(?<text>[\s\S]*?)(?=^## )/gm)].map(
    ({ groups }) => ({ name: groups?.['name'] ?? '', text: groups?.['text'] ?? '' }),
  );

  test.each(walks)('$name: one existing file in each numbered step, none twice, as many as the page says', ({ text }) => {
    const steps = text.split('\n').filter((line) => /^\d+\. /.test(line));
    const files = steps.map((step) => /^\d+\. `([^`]+)`/.exec(step)?.[1] ?? step);
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    expect(files.filter((file, at) => files.indexOf(file) !== at)).toEqual([]);
    expect(/through (\d+) (?:more )?files/.exec(text)?.[1]).toBe(String(files.length));
  });

  test('there is one of a read, a write and a start', () => expect(walks.map(({ name }) => name)).toEqual(['read', 'write', 'start']));
});

test('prose has at most 140 columns', () => {
  const isProse = (line: string) => !/^\s*\||^\s*<|^\s*!\[/.test(line);
  const long = pages.flatMap((page) =>
    read(page)
      .replace(/^ *```[\s\S]*?^ *```/gm, (code) => code.replace(/[^\n]+/g, ''))
      .split('\n')
      .flatMap((line, at) => (isProse(line) && [...line].length > 140 ? [`${page}:${at + 1}`] : [])),
  );
  expect(long).toEqual([]);
});

test('all pages except the history use the current terms', () => {
  const OLD = /\b(?:keepers?|strangers?|whoever|admission|hot leg|waiting room|models? of words|words of others|backroom)\b/i;
  const current = pages.filter((page) => !page.startsWith('docs/journey/') && page !== 'CHANGELOG.md');
  expect(current.length).toBeGreaterThan(15);
  expect(current.filter((page) => OLD.test(read(page)))).toEqual([]);
});

test('docs/settings.md is up to date', () => {
  const [path, text] = settingsPage(settings.groups);
  if (read(path) !== text) expect.fail(`${path} is not what src/server/settings.ts says; run: npm run contracts`);
});

test('docs/settings.md lists every setting that has an effect, with a default and a meaning', () => {
  const rows = read('docs/settings.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split(' | '));
  const listed = rows.flatMap(([names = '']) => [...names.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name));
  expect(listed.length).toBe(new Set(listed).size);
  const ofOneStore = /^(?:HR|FINANCE|SALES|SUPPORT|PAYROLL|TAX|TASKS|KNOWLEDGE)_(?:DATABASE|MONGODB|ELASTICSEARCH)_URL$/;
  expect(settings.names.filter((name) => !listed.includes(name) && !ofOneStore.test(name))).toEqual([]);
  expect(listed).toEqual(expect.arrayContaining(['HR_DATABASE_URL', 'SALES_MONGODB_URL', 'SUPPORT_ELASTICSEARCH_URL']));
  for (const [names, standard, meaning] of rows) expect(standard && meaning, names).toBeTruthy();
});

test('every setting that a page names exists', () => {
  const SETTING = /\b(?:(?:TAMSHAI|OIDC|OTEL|ANTHROPIC|LLM|OPS|GATEWAY|DATABASE|MONGODB|ELASTICSEARCH|REDIS)_[A-Z_]*[A-Z]|NODE_ENV)\b/g;
  const names = new Set(settings.names);
  expect(names.size).toBeGreaterThan(60);
  const others = pages.filter((page) => !page.startsWith('docs/journey/') && page !== 'CHANGELOG.md');
  const mentioned = others.flatMap((page) => [...read(page).matchAll(SETTING)].map(([name]) => ({ page, name })));
  expect(mentioned.filter(({ name }) => !names.has(name) && !name.startsWith('TAMSHAI_TEST_'))).toEqual([]);
});
