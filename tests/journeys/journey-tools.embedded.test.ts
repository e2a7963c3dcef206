/** The journey tools and resources: their answers, who may call them, and how they treat hostile text. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageFolder, version } from '../../src/server/package.ts';
import type { Answer, SuccessAnswer } from '../../src/declare/answer.ts';
import * as journey from '../../domains/journey/index.ts';
import { rowOf } from '../../domains/journey/record.ts';
import * as resources from '../../domains/journey/resources.ts';
import { personas } from '../../domains/sample-company/people.ts';
import { code, openTestRuntime, person, type TestRuntime } from '../test-runtime.ts';
import { CUSTOMER_ROLES, STAFF_ROLES } from '../registry.ts';

const folder = join(packageFolder, 'docs', 'journey');
const files = readdirSync(folder).filter((name) => name.endsWith('.md'));
const count = (prefix: string) => files.filter((name) => name.startsWith(prefix)).length;
const NINA = 'nina.patel';

let testRuntime: TestRuntime;
beforeAll(async () => {
  testRuntime = await openTestRuntime({ tools: Object.values(journey), resourcesAndPrompts: Object.values(resources) });
}, 120_000);
afterAll(async () => {
  await testRuntime?.close();
  expect(testRuntime?.problems).toEqual([]);
});

type Rows = Record<string, unknown>[];
const rows = async (tool: string, input: object = {}) => (await testRuntime.data(NINA, 'journey', tool, input)) as unknown as Rows;
const one = async (tool: string, input: object = {}) =>
  (await testRuntime.data(NINA, 'journey', tool, input)) as unknown as Record<string, unknown>;
const read = (uri: string, input: object, who: Parameters<TestRuntime['call']>[0] = NINA) => testRuntime.call(who, 'journey', uri, input);
const text = async (uri: string, input: object) => {
  const answer = await read(uri, input);
  if (answer.status !== 'success') throw new Error(JSON.stringify(answer));
  return String(answer.data);
};

test('every example gives its declared answer', async () => {
  for (const tool of Object.values(journey))
    for (const { question, as, input, expects } of tool.examples)
      expect([question, code(await testRuntime.call(as, 'journey', tool.name, input('2026-11-16')))]).toEqual([
        question,
        expects ?? 'success',
      ]);
});

test('every example without a declared error returns data', async () => {
  for (const tool of Object.values(journey)) {
    for (const { question, as, input, expects } of tool.examples) {
      if (expects !== undefined) continue;
      const { data } = (await testRuntime.call(as, 'journey', tool.name, input('2026-11-16'))) as SuccessAnswer;
      expect([question, Array.isArray(data) ? data.length : Object.keys(data as object).length]).toEqual([
        question,
        expect.toSatisfy((n: number) => n > 0),
      ]);
    }
  }
});

test('each file in docs/journey declares its kind, component and date, and no two of a kind have the same number', () => {
  const all = files.map((name) => rowOf(name, readFileSync(join(folder, name), 'utf8')));
  for (const { record_id, kind, when, day, components, topics, versions, from, to } of all) {
    expect([record_id, when, day]).toEqual([record_id, expect.any(String), expect.stringMatching(/^\d{4}-\d{2}/)]);
    expect([record_id, kind === 'note', components.length > 0]).toEqual([record_id, false, true]);
    if (kind === 'failure' || kind === 'lesson') expect([record_id, topics.length > 0]).toEqual([record_id, true]);
    if (kind === 'pivot') expect([record_id, from, to]).toEqual([record_id, expect.any(String), expect.any(String)]);
    if (kind === 'recovery') expect([record_id, versions.length > 0]).toEqual([record_id, true]);
  }
  const numbers = all.map(({ kind, number }) => `${kind} ${number}`);
  expect(numbers.filter((each, at) => numbers.indexOf(each) !== at)).toEqual([]);
});

describe('lookup_adr', () => {
  test.each([
    'ADR-0004',
    'adr-0004',
    'ADR 4',
    'adr4',
    '4',
    '004',
    ' 4 ',
    '#4',
    'ADR_0004',
    'adr-0004-a-closure-table-for-managers',
    'adr-0004-a-closure-table-for-managers.md',
  ])('knows ADR 4 as %s', async (adr_id) => {
    const adr = await one('lookup_adr', { adr_id });
    expect(adr).toMatchObject({
      adr_id: 'ADR-0004',
      status: 'accepted',
      when: 'November 2026',
      components: ['hr'],
      uri: 'journey://decisions/ADR-0004',
    });
    expect(adr['content']).toBe(readFileSync(join(folder, 'adr-0004-a-closure-table-for-managers.md'), 'utf8').trim());
  });
  test('finds every recorded decision by its number', async () => {
    expect(count('adr-')).toBeGreaterThanOrEqual(10);
    for (const name of files.filter((each) => each.startsWith('adr-'))) {
      const adr = await one('lookup_adr', { adr_id: name.slice(4, 8) });
      expect([adr['record_id'], adr['title']]).toEqual([name.slice(0, -3), expect.stringMatching(/^[A-Z].+[^.]$/)]);
    }
  });
  test.each([
    '9999',
    '0',
    '-4',
    '4.5',
    '4e0',
    '../../keys',
    '..%2f..%2fkeys.json',
    '/etc/passwd',
    'failure-0001',
    'adr',
    '*',
    '%',
    "4' or '1'='1",
    '{"$ne":null}',
    '٤',
    '4'.repeat(100),
  ])('knows no ADR called %s', async (adr_id) => {
    const answer = await testRuntime.call(NINA, 'journey', 'lookup_adr', { adr_id });
    expect(answer).toEqual({
      status: 'error',
      code: 'ADR_NOT_FOUND',
      message: 'ADR not found.',
      suggestedAction: expect.stringContaining('search_journey'),
      retryable: false,
      details: { adr_id },
    });
  });
  test.each([4, null, '', ['4'], { $gt: '' }, 'x'.repeat(121), '4\u0000', '\u202e4'])('refuses %j as an id', async (adr_id) => {
    expect(code(await testRuntime.call(NINA, 'journey', 'lookup_adr', { adr_id }))).toBe('VALIDATION_ERROR');
  });
});

describe('query_failures', () => {
  test('finds failures by topic, the best match first, with the lesson', async () => {
    const [best] = await rows('query_failures', { topic: 'row level security' });
    expect(best).toMatchObject({
      record_id: 'failure-0003-the-write-that-read-nothing',
      title: 'An update without a condition passed the row policy',
      lesson: expect.stringMatching(/^Row level/),
    });
    expect(best?.['content']).toContain('policies for reading');
    expect((await rows('query_failures', { topic: 'sqlite' })).map(({ record_id }) => record_id)).toContain(
      'failure-0002-the-file-that-lost-its-locks',
    );
  });
  test('tolerates a typo, returns only failures, and returns all failures if no topic is given', async () => {
    expect((await rows('query_failures', { topic: 'databse conections' }))[0]).toMatchObject({
      record_id: 'failure-0001-the-connection-that-stayed-refused',
    });
    const all = await rows('query_failures');
    expect(all.length).toBe(count('failure-'));
    for (const { record_id } of all) expect(record_id).toMatch(/^failure-/);
  });
  test('returns an empty list for an unknown topic', async () => {
    expect(await testRuntime.call(NINA, 'journey', 'query_failures', { topic: 'zeppelin xylophone' })).toMatchObject({
      status: 'success',
      data: [],
      metadata: { returnedCount: 0, hasMore: false },
    });
  });
});

describe('search_journey', () => {
  test('finds records of all kinds, filters by kind, and highlights matches', async () => {
    const found = await rows('search_journey', { query: 'PGlite' });
    expect(found.length).toBeGreaterThan(0);
    expect(JSON.stringify(found[0]?.['highlights'])).toContain('<em>PGlite</em>');
    expect((await rows('search_journey', { query: 'score words' }))[0]).toMatchObject({
      record_id: 'adr-0011-words-are-scored-by-us',
      kind: 'decision',
    });
    for (const kind of ['decision', 'failure', 'pivot', 'lesson', 'recovery'] as const) {
      const own = await rows('search_journey', { kind });
      expect([kind, own.length > 1, new Set(own.map((row) => row['kind']))]).toEqual([kind, true, new Set([kind])]);
    }
  });
  test('returns every record once over all pages', async () => {
    const seen: string[] = [];
    for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
      const { data, metadata } = (await testRuntime.call(NINA, 'journey', 'search_journey', {
        limit: 7,
        ...(cursor !== undefined && { cursor }),
      })) as SuccessAnswer;
      seen.push(...(data as Rows).map(({ record_id }) => String(record_id)));
      cursor = metadata?.nextCursor;
    }
    expect(seen.toSorted()).toEqual(files.map((name) => name.slice(0, -3)).toSorted());
  });
  test.each([
    '"',
    '*',
    'title:x',
    'a OR b NOT c',
    'NEAR(a b)',
    '^adr',
    'c0 : x',
    '"unbalanced',
    '{c0 c1}: x',
    'a AND',
    '(',
    "'; drop table journey_records; --",
    '%',
    '\\',
    '🦆',
    '-',
    'x'.repeat(400),
    'lorem '.repeat(60),
  ])('accepts %j as search words', async (query) => {
    expect(code(await testRuntime.call(NINA, 'journey', 'search_journey', { query }))).toBe('success');
  });
  test('refuses a query over 400 characters, and undeclared keys', async () => {
    expect(code(await testRuntime.call(NINA, 'journey', 'search_journey', { query: 'x'.repeat(401) }))).toBe('VALIDATION_ERROR');
    expect(code(await testRuntime.call(NINA, 'journey', 'search_journey', { query: 'x', path: '/etc' }))).toBe('VALIDATION_ERROR');
  });
});

describe('get_context and list_pivots', () => {
  test('get_context summarises the whole journey', async () => {
    const { timeline, related_topics, summary } = await one('get_context');
    expect((timeline as Rows).length).toBe(Math.min(30, files.length));
    expect(related_topics).toContain('storage');
    expect(summary).toContain(`${count('adr-')} decisions`);
    expect(summary).toContain(`${count('recovery-')} recovery notes`);
  });
  test('get_context is restricted to a topic, and empty for an unknown one', async () => {
    const { timeline, related_topics, summary } = await one('get_context', { topic: 'approvals' });
    expect((timeline as Rows).map(({ record_id }) => record_id)).toContain('adr-0003-prepare-runs-twice');
    expect(related_topics).not.toContain('approvals');
    expect(summary).toMatch(/^About “approvals”: \d+ decisions/);
    expect(await one('get_context', { topic: 'zeppelin xylophone' })).toEqual({
      timeline: [],
      related_topics: [],
      summary: 'Nothing is recorded about “zeppelin xylophone”.',
    });
  });
  test('pivots name the state before and after, and the component', async () => {
    const { pivots, by_component, total } = await one('list_pivots');
    expect([total, (pivots as Rows).length]).toEqual([count('pivot-'), count('pivot-')]);
    for (const pivot of pivots as Rows)
      expect([pivot['record_id'], pivot['from'], pivot['to']]).toEqual([pivot['record_id'], expect.any(String), expect.any(String)]);
    const inTests = (by_component as Record<string, string[]>)['tests'];
    expect(inTests?.toSorted()).toEqual(['pivot-0004-each-suite-once-on-each-store', 'pivot-0005-a-test-that-fails-once-is-named']);
  });
});

describe('the resources', () => {
  test('each resource returns the content of the records', async () => {
    expect(await text('journey://decisions/{adr-id}', { adr_id: '3' })).toBe(
      readFileSync(join(folder, 'adr-0003-prepare-runs-twice.md'), 'utf8').trim(),
    );
    const failures = await text('journey://failures/{topic}', { topic: 'sqlite' });
    expect(failures).toMatch(/^# Failures: sqlite\n\n## Failure: /);
    expect(failures).toContain('closing a SQLite file released its locks');
    expect(await text('journey://failures/{topic}', { topic: 'failure-0006-the-word-that-was-crowded-out' })).toContain('two hundred');
    const evolution = await text('journey://evolution/{component}', { component: 'storage' });
    expect(evolution).toMatch(/^# Evolution: storage\n\n## November 2026\n/);
    expect(evolution).toContain('(journey://decisions/ADR-0002)');
    const lessons = await text('journey://lessons', {});
    expect(lessons).toContain('## Lesson: tests must not depend on chance or on the clock');
    expect(lessons).toContain('## Learned from failures');
    for (const asked of [version, 'latest', '0.1'])
      expect(await text('journey://phoenix/{version}', { version: asked })).toContain('## Recovery: after a kill');
  });
  test('the URI of a search result leads to that record', async () => {
    const found = await rows('search_journey', { limit: 50 });
    for (const { uri, title } of found) {
      const [, where = '', what] = /^journey:\/\/([a-z]+)(?:\/(.+))?$/.exec(String(uri)) ?? [];
      const pattern = Object.values(resources).find((each) => each.name === where);
      const page = await text(
        pattern?.uri ?? '',
        pattern?.variables[0] === undefined ? {} : { [pattern.variables[0].replaceAll('-', '_')]: decodeURIComponent(what ?? '') },
      );
      expect([uri, page.toLowerCase().replaceAll('\\', '')]).toEqual([uri, expect.stringContaining(String(title).toLowerCase())]);
    }
  });
  test.each([
    ['journey://failures/{topic}', { topic: 'zeppelin' }, 'FAILURES_NOT_FOUND'],
    ['journey://failures/{topic}', { topic: '../../zeppelin' }, 'FAILURES_NOT_FOUND'],
    ['journey://failures/{topic}', { topic: '...' }, 'FAILURES_NOT_FOUND'],
    ['journey://decisions/{adr-id}', { adr_id: '../../x' }, 'ADR_NOT_FOUND'],
    ['journey://decisions/{adr-id}', { adr_id: 'failure-0001-the-connection-that-stayed-refused' }, 'ADR_NOT_FOUND'],
    ['journey://evolution/{component}', { component: '%2e%2e' }, 'COMPONENT_NOT_FOUND'],
    ['journey://evolution/{component}', { component: '__proto__' }, 'COMPONENT_NOT_FOUND'],
    ['journey://phoenix/{version}', { version: '99' }, 'VERSION_NOT_FOUND'],
    ['journey://phoenix/{version}', { version: '' }, 'VALIDATION_ERROR'],
    ['journey://phoenix/{version}', { version: 'v'.repeat(121) }, 'VALIDATION_ERROR'],
    ['journey://decisions/{adr-id}', { adr_id: '3', path: '/etc' }, 'VALIDATION_ERROR'],
  ] as const)('%s with %j answers %s', async (uri, input, expected) => {
    expect(code(await read(uri, input))).toBe(expected);
  });
  test('arguments are completed', async () => {
    const completing = async (uri: string, argument: string, value: string) =>
      (await testRuntime.call(NINA, 'journey', `${uri}#${argument}`, { value })) as SuccessAnswer;
    expect((await completing('journey://decisions/{adr-id}', 'adr_id', '11')).data).toEqual(['ADR-0011']);
    expect((await completing('journey://failures/{topic}', 'topic', 'row')).data).toEqual(['row-level-security']);
    expect((await completing('journey://evolution/{component}', 'component', 'stor')).data).toEqual(['storage']);
    expect((await completing('journey://phoenix/{version}', 'version', '')).data).toEqual([version, 'latest']);
  });
});

describe('access', () => {
  const everything = [
    ...Object.values(journey).map(({ name, examples }) => [name, examples[0]?.input('2026-11-16') ?? {}] as const),
    ...Object.values(resources).map(
      ({ uri, variables }) => [uri, Object.fromEntries(variables.map((each) => [each.replaceAll('-', '_'), '1']))] as const,
    ),
  ];
  const refused = (answer: Answer) => [code(answer), 'data' in answer];
  test('is open to every member of staff, and refused to customers', async () => {
    for (const { username, realm } of personas)
      for (const [name, input] of everything) {
        const answer = await testRuntime.call(username, 'journey', name, input);
        if (realm === 'customer') expect([username, name, ...refused(answer)]).toEqual([username, name, 'INSUFFICIENT_PERMISSIONS', false]);
        else expect([username, name, code(answer)]).not.toEqual([username, name, 'INSUFFICIENT_PERMISSIONS']);
      }
  });
  test('is refused without a role of the staff, and to customers even if their token has such roles', async () => {
    for (const [name, input] of everything) {
      expect(
        refused(
          await testRuntime.call(person('jane.smith@acme.example', { roles: [...STAFF_ROLES, ...CUSTOMER_ROLES] }), 'journey', name, input),
        ),
      ).toEqual(['INSUFFICIENT_PERMISSIONS', false]);
      expect(refused(await testRuntime.call(person('frank.davis', { roles: [] }), 'journey', name, input))).toEqual([
        'INSUFFICIENT_PERMISSIONS',
        false,
      ]);
    }
  });
});
