/** Indexing of the journey folder: only changed files are written to the index, and only plain Markdown files within limits. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { folderOf, indexFolder, repairIndex } from '../../src/server/source-folder.ts';
import type { Logger } from '../../src/engine/ports.ts';
import * as journey from '../../domains/journey/index.ts';
import { rowOf } from '../../domains/journey/record.ts';
import { readMarkdown } from '../../src/storage/markdown-folder.ts';
import type { SearchBackend } from '../../src/storage/search/backend.ts';
import { openEmbeddedSearch } from '../../src/storage/search/embedded.ts';
import type { SearchDomain } from '../../src/storage/search/shape.ts';
import { openSqlite } from '../../src/storage/sqlite-file.ts';

const root = mkdtempSync(join(tmpdir(), 'tamshai-journey-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let [n, folder, file] = [0, '', ''];
const logged: { at: unknown; reason: unknown }[] = [];
const log: Logger = { info: () => {}, warn: (fields) => void logged.push(fields as never), error: () => {} };
beforeEach(() => {
  folder = join(root, `folder-${++n}`);
  file = join(root, `${n}.db`);
  mkdirSync(folder);
  logged.length = 0;
});

const [tool] = Object.values(journey);
const domain = { name: tool?.domain.name, collections: tool?.domain.collections } as unknown as SearchDomain;
const source = () => {
  const found = tool && folderOf(tool.domain, { sourceFolder: () => folder });
  if (!found) throw new Error('no folder');
  return found;
};
const put = (path: string, text: string | Buffer) => {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
};
/** Opens the index, updates it and closes it, as a start of the product does. */
async function start() {
  const backend = openEmbeddedSearch(file, domain);
  try {
    return { ...(await indexFolder(source(), backend, log)), ids: ids() };
  } finally {
    await backend.close();
  }
}
function ids(): string[] {
  const db = openSqlite(file);
  try {
    return (db.prepare('select id from journey_records order by id').all() as { id: string }[]).map(({ id }) => id);
  } finally {
    db.close();
  }
}
const wordsOf = (word: string): number => {
  const db = openSqlite(file);
  try {
    return Number(
      (db.prepare('select count(*) as n from journey_records_words where journey_records_words match ?').get(word) as { n: number }).n,
    );
  } finally {
    db.close();
  }
};

describe('at the next start', () => {
  test('only new and changed files are written to the index, and deleted files are removed', async () => {
    put('adr-0001-first.md', '# ADR 1: First\n\nAbout zebras.\n');
    put('lesson-0001-one.md', '# Lesson: one\n\nAbout yaks.\n');
    expect(await start()).toEqual({ records: 2, written: 2, removed: 0, ids: ['adr-0001-first', 'lesson-0001-one'] });
    expect(await start()).toMatchObject({ records: 2, written: 0, removed: 0 });
    put('adr-0001-first.md', '# ADR 1: First\n\nAbout walruses.\n');
    put('failure-0001-new.md', '# Failure: new\n\nAbout vipers.\n');
    expect(await start()).toMatchObject({ written: 2, removed: 0 });
    expect([wordsOf('zebra'), wordsOf('walruse OR walrus'), wordsOf('yak')]).toEqual([0, 1, 1]);
    rmSync(join(folder, 'lesson-0001-one.md'));
    expect(await start()).toEqual({ records: 2, written: 0, removed: 1, ids: ['adr-0001-first', 'failure-0001-new'] });
    expect(wordsOf('yak')).toBe(0);
  });
  test('a file with the same text is not indexed again, and a renamed file replaces its old record', async () => {
    put('a.md', '# A\n\nSame.\n');
    await start();
    put('a.md', '# A\n\nSame.\n');
    expect(await start()).toMatchObject({ written: 0 });
    renameSync(join(folder, 'a.md'), join(folder, 'b.md'));
    expect(await start()).toEqual({ records: 1, written: 1, removed: 1, ids: ['b'] });
  });
  test('another folder replaces the first, and an empty one empties the index', async () => {
    put('a.md', '# A\n');
    await start();
    folder = join(root, 'another');
    mkdirSync(folder);
    put('z.md', '# Z\n');
    expect((await start()).ids).toEqual(['z']);
    folder = join(root, 'empty');
    mkdirSync(folder);
    expect(await start()).toEqual({ records: 0, written: 0, removed: 1, ids: [] });
  });
  test('two processes that start concurrently on one index write each record once', async () => {
    for (let i = 0; i < 40; i++) put(`adr-${1000 + i}-x.md`, `# ADR ${1000 + i}: x\n\nWords ${i}.\n`);
    const backends: SearchBackend[] = [openEmbeddedSearch(file, domain), openEmbeddedSearch(file, domain)];
    const both = await Promise.all(backends.map((backend) => indexFolder(source(), backend, log)));
    for (const backend of backends) await backend.close();
    expect(both.map(({ written }) => written).toSorted((a, b) => a - b)).toEqual([0, 40]);
    expect([ids().length, wordsOf('word')]).toEqual([40, 40]);
  });
  test('a damaged index is rebuilt, and an intact one is kept', async () => {
    put('a.md', '# A\n');
    await start();
    for (const broken of ['not a database at all, but long enough to be looked at'.repeat(100), '']) {
      for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
      writeFileSync(file, broken);
      repairIndex({ name: 'journey' }, file, log);
      expect((await start()).ids).toEqual(['a']);
    }
    const db = openSqlite(file);
    db.exec("insert into journey__audit values ('journey-main', 1, '{}', 'mac', '2026-11-16', 'x')");
    db.close();
    repairIndex({ name: 'journey' }, file, log);
    const sound = openSqlite(file);
    expect(sound.prepare('select count(*) as n from journey__audit').get()).toMatchObject({ n: 1 });
    sound.close();
  });
});

describe('the index skips', () => {
  const reasons = () => Object.fromEntries(logged.map(({ at, reason }) => [at, reason]));
  test('symbolic links to files and folders, with a log line for each file', async () => {
    writeFileSync(join(root, 'secret.md'), '# Secret\n\nkeys\n');
    mkdirSync(join(root, 'outside'), { recursive: true });
    writeFileSync(join(root, 'outside', 'x.md'), '# Outside\n');
    put('good.md', '# Good\n');
    symlinkSync(join(root, 'secret.md'), join(folder, 'link.md'));
    symlinkSync('good.md', join(folder, 'inside.md'));
    symlinkSync(join(root, 'outside'), join(folder, 'deep'));
    symlinkSync('/dev/zero', join(folder, 'endless.md'));
    expect((await start()).ids).toEqual(['good']);
    expect(reasons()).toEqual({ 'link.md': 'it is a link', 'inside.md': 'it is a link', 'endless.md': 'it is a link' });
  });
  test('named pipes, with a log line', async () => {
    put('good.md', '# Good\n');
    execFileSync('mkfifo', [join(folder, 'pipe.md')]);
    expect((await start()).ids).toEqual(['good']);
    expect(reasons()).toEqual({ 'pipe.md': 'it is not a plain file' });
  });
  test('files that are hidden, in node_modules or not Markdown, without a log line', async () => {
    for (const name of ['.env', '.hidden.md', 'keys.json', 'a.md.txt', 'b.markdown', 'md', '.git/x.md', 'node_modules/p/readme.md'])
      put(name, '# No\n');
    mkdirSync(join(folder, 'folder.md'));
    put('sub/deeper/ok.MD', '# Yes\n');
    expect((await start()).ids).toEqual(['sub/deeper/ok']);
    expect(logged).toEqual([]);
  });
  test('files that are too large, not text or have an unprintable name, with a log line each', async () => {
    put('huge.md', Buffer.alloc(1_000_001, 'x'));
    put('largest.md', Buffer.alloc(1_000_000, 'x'));
    put('binary.md', Buffer.from([0x23, 0x20, 0x41, 0, 1, 2, 3]));
    put('odd\u202ename.md', '# Odd\n');
    put('line\nbreak.md', '# Odd\n');
    put('good.md', '# Good\n');
    expect((await start()).ids).toEqual(['good', 'largest']);
    expect(Object.values(reasons()).map(String).toSorted()).toEqual([
      'it is not text',
      'it is too large',
      'its name cannot be shown',
      'its name cannot be shown',
    ]);
  });
  test('unreadable files', async () => {
    put('closed.md', '# Closed\n');
    put('good.md', '# Good\n');
    chmodSync(join(folder, 'closed.md'), 0o000);
    const { ids: there } = await start();
    // Root can read the file despite its permissions.
    expect(there).toEqual(process.getuid?.() === 0 ? ['closed', 'good'] : ['good']);
    chmodSync(join(folder, 'closed.md'), 0o600);
    expect((await start()).ids).toEqual(['closed', 'good']);
  });
  test('files beyond the limits of number, size and depth', async () => {
    for (let i = 0; i < 12; i++) put(`n${10 + i}.md`, `# ${i}\n${'x'.repeat(100)}\n`);
    const left: string[] = [];
    const read = (bounds: Partial<Parameters<typeof readMarkdown>[2] & object>) => {
      left.length = 0;
      return readMarkdown(folder, (path) => left.push(path), { files: 100, bytesOfOne: 1000, bytesOfAll: 100_000, depth: 3, ...bounds });
    };
    expect([(await read({ files: 5 })).length, left]).toEqual([5, ['n15.md']]);
    expect((await read({ bytesOfAll: 500 })).length).toBe(4);
    expect(left.length).toBe(8);
    put('a/b/c/d/e.md', '# deep\n');
    expect((await read({})).map(({ path }) => path)).not.toContain('a/b/c/d/e.md');
  });
});

describe('the parsed record', () => {
  test.each([
    [
      'adr-0007-x.md',
      '# ADR 7: Title here\n\n- Status: accepted, November 2026\n- Component: a, B c\n\n## Why\n\nFirst prose.\n',
      {
        kind: 'decision',
        number: 7,
        title: 'Title here',
        status: 'accepted',
        when: 'November 2026',
        day: '2026-11',
        components: ['a', 'B c'],
        component_keys: ['a', 'b-c'],
        summary: 'First prose.',
        uri: 'journey://decisions/ADR-0007',
      },
    ],
    [
      '0003-use-tables.md',
      '# 3. Use tables\n\nDate: 2020-02-01\n\n## Status\n\nSuperseded by 9\n\n## Context\n\nWe had none.\n',
      {
        kind: 'decision',
        number: 3,
        title: 'Use tables',
        status: 'superseded by 9',
        day: '2020-02-01',
        uri: 'journey://decisions/ADR-0003',
      },
    ],
    [
      'x.md',
      '---\ntitle: "From front matter"\nkind: lesson\ntags: [one, two]\ndate: 16 Nov 2026\n---\n\nText.\n',
      { kind: 'lesson', title: 'From front matter', topics: ['one', 'two'], day: '2026-11-16', content: 'Text.' },
    ],
    [
      'y.md',
      '---\ntype: Incident\ntags:\n  - red\n  - "blue"\nother: 1\n---\n# Boom\n',
      { kind: 'failure', title: 'Boom', topics: ['red', 'blue'], uri: 'journey://failures/y' },
    ],
    [
      'decisions/use-postgres.md',
      'No heading at all.\n',
      {
        kind: 'decision',
        number: null,
        title: 'Use postgres',
        summary: 'No heading at all.',
        uri: 'journey://decisions/decisions-use-postgres',
      },
    ],
    [
      'phoenix-2.md',
      '# Phoenix: again\r\n\r\n**Applies to:** 2.0, 2.1\r\n\r\nDo this.\r\n',
      { kind: 'recovery', title: 'Again', versions: ['2.0', '2.1'], summary: 'Do this.', uri: 'journey://phoenix/2.0' },
    ],
    [
      'README.md',
      '\ufeff# Readme\n\n```\n# not a heading\n```\n\n> quote\n\n| a |\n\nProse: with a colon.\n',
      { kind: 'note', number: null, title: 'Readme', summary: 'Prose: with a colon.', uri: null },
    ],
    ['empty.md', '', { kind: 'note', title: 'Empty', summary: '', content: '' }],
    ['broken.md', '---\nnever: ends\n# x\n[[[', { kind: 'note', title: 'X' }],
    ['adr-0001.md', '# ADR 1\n', { kind: 'decision', number: 1, title: 'ADR 1' }],
    [
      'failure-1.md',
      '# Failure: x\n\n- Date: sometime\n\nIt broke.\n\nLesson: look twice\nbefore that.\n',
      { day: '', when: 'sometime', lesson: 'Look twice before that.' },
    ],
  ])('of %s has the right fields', (path, text, expected) => {
    expect(rowOf(path, text)).toMatchObject(expected);
  });
  test('of a hostile file is bounded, and parsing is fast and does not throw', () => {
    const nasty = [
      '#'.repeat(100_000),
      `# ${'adr '.repeat(100_000)}`,
      `---\n${'- a\n'.repeat(100_000)}---\n`,
      `status: ${' '.repeat(500_000)}x`,
      `# t\n\n${'*'.repeat(500_000)}`,
      `# \ud83d${'\ud83d\ude00'.repeat(5_000)}`,
      `${'- component: \ud83d\ude00,'.repeat(10_000)}\n`,
      '```\n'.repeat(100_001),
      `# x\n\n${'word '.repeat(190_000)}`,
      '__proto__: x\nconstructor: y\n',
    ];
    const began = performance.now();
    for (const text of nasty) {
      const row = rowOf('adr-0001-x.md', text);
      expect([row.title.length <= 200, row.summary.length <= 400, row.components.length <= 12]).toEqual([true, true, true]);
    }
    // A backtracking regular expression would take minutes.
    expect(performance.now() - began).toBeLessThan(60_000);
  });
});
