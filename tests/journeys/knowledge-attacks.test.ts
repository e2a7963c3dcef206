/** The knowledge tools with hostile input and concurrent changes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../../src/declare/answer.ts';
import * as knowledge from '../../domains/knowledge/index.ts';
import { code, type Data, databases, openTestRuntime, type TestRuntime } from '../test-runtime.ts';

const [nina, marcus, sarah, frank] = ['nina.patel', 'marcus.johnson', 'sarah.kim', 'frank.davis'] as const;

describe.each(databases)('knowledge on %s', (_name, database) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database, tools: Object.values(knowledge) });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });
  const call = (who: string, tool: string, input: unknown = {}): Promise<Answer> => testRuntime.call(who, 'knowledge', tool, input);
  const data = (who: string, tool: string, input: unknown = {}): Promise<Data> => testRuntime.data(who, 'knowledge', tool, input);
  let counter = 0;
  const stored = (who: string, more: Record<string, unknown> = {}) =>
    data(who, 'store', { topic: `Target ${++counter}`, content: `Content ${counter}.`, ...more });
  const versionsOf = async (id: unknown) =>
    testRuntime.owner('select tx_from::int, tx_to::int from knowledge.entries where entry_no = $1 order by 1', [String(id).slice(2)]);
  const codes = (answers: readonly Answer[]) => answers.map(code).toSorted();

  describe('concurrently', () => {
    test('one change is undone once, even if it is requested six times', async () => {
      for (let round = 0; round < 3; round++) {
        const { id, tx_id } = await stored(nina);
        const answers = await Promise.all(Array.from({ length: 6 }, () => call(nina, 'undo', { tx_id })));
        expect(codes(answers)).toEqual([...Array<string>(5).fill('CHANGED_LATER'), 'success']);
        const [done] = answers.filter(({ status }) => status === 'success') as { data: Data }[];
        for (const answer of answers.filter(({ status }) => status === 'error'))
          expect(answer).toMatchObject({ details: { later: [{ tx_id: done?.data['tx_id'], action: 'undo', by: 'Nina Patel' }] } });
        expect(await versionsOf(id)).toEqual([{ tx_from: tx_id, tx_to: done?.data['tx_id'] }]);
      }
    }, 60_000);

    test('of two approved undos of a colleague’s change, one takes effect and the other conflicts', async () => {
      const { id, tx_id } = await stored(nina);
      const tickets = await Promise.all(
        [marcus, sarah].map(async (who) => [who, (await testRuntime.ask(who, 'knowledge', 'undo', { tx_id })).confirmationId] as const),
      );
      const answers = await Promise.all(tickets.map(([who, ticket]) => testRuntime.approve(who, ticket)));
      expect(answers.map(code).toSorted()).toEqual(['CHANGED_SINCE_APPROVAL', 'success']);
      expect(await versionsOf(id)).toHaveLength(1);
    });

    test('changes, deletions and undos of one entry are serialised, and none is lost or duplicated', async () => {
      for (let round = 0; round < 3; round++) {
        const { id } = await stored(nina);
        const { tx_id } = await data(nina, 'update', { id, content: 'To be undone.' });
        const answers = await Promise.all([
          call(nina, 'undo', { tx_id }),
          call(nina, 'update', { id, content: 'At the same time.' }),
          call(nina, 'update', { id, tags: ['also'] }),
          call(nina, 'delete', { id }),
        ]);
        for (const answer of answers) expect(['success', 'CHANGED_LATER', 'ENTRY_NOT_FOUND']).toContain(code(answer));
        const versions = await versionsOf(id);
        // Each version ends where the next one begins, and each successful change adds one boundary.
        for (const [i, version] of versions.entries()) if (i > 0) expect(versions[i - 1]?.['tx_to']).toBe(version['tx_from']);
        const succeeded = answers.filter(({ status }) => status === 'success').length;
        const ends = new Set(versions.flatMap(({ tx_from, tx_to }) => [tx_from, tx_to]).filter((tx) => tx !== null));
        expect(ends.size).toBe(2 + succeeded);
      }
    }, 60_000);

    test('of three contradicting relations one is recorded, and the others get the conflict', async () => {
      for (let round = 0; round < 3; round++) {
        const subject = `lamp ${++counter}`;
        const answers = await Promise.all(
          [nina, marcus, sarah].map((who, n) => call(who, 'relate', { subject, predicate: 'owned_by', object: `owner ${n}` })),
        );
        expect(codes(answers)).toEqual(['TRIPLE_CONFLICT', 'TRIPLE_CONFLICT', 'success']);
        expect(await data(frank, 'query_graph', { subject })).toHaveLength(1);
      }
    }, 60_000);
  });

  describe('ownership', () => {
    test('of an entry stays with its owner when others change, delete or restore the entry', async () => {
      const { id } = await stored(nina);
      await testRuntime.done(marcus, 'knowledge', 'update', { id, content: 'By Marcus.' });
      expect(code(await call(marcus, 'update', { id, content: 'Again by Marcus.' }))).toBe('pending_confirmation');
      const gone = await testRuntime.done(marcus, 'knowledge', 'delete', { id });
      const { tx_id } = (gone as { data: { tx_id: number } }).data;
      // Marcus deleted the entry, but Nina owns it. Nina needs an approval too, because she did not make the change.
      expect(code(await call(marcus, 'undo', { tx_id }))).toBe('pending_confirmation');
      expect(code(await call(nina, 'undo', { tx_id }))).toBe('pending_confirmation');
      await testRuntime.done(sarah, 'knowledge', 'undo', { tx_id });
      expect(code(await call(sarah, 'update', { id, content: 'By Sarah.' }))).toBe('pending_confirmation');
      expect(await data(nina, 'update', { id, content: 'By Nina.' })).toMatchObject({ recorded_by: 'Nina Patel', mine: true });
    });

    test('is not enough to replace a triple or to undo a replacement without an approval', async () => {
      const subject = `buoy ${++counter}`;
      await data(nina, 'relate', { subject, predicate: 'owned_by', object: 'harbour' });
      const replacing = { subject, predicate: 'owned_by', object: 'coast guard', resolution: 'replace' };
      expect(code(await call(nina, 'relate', replacing))).toBe('pending_confirmation');
      const replaced = await testRuntime.done(marcus, 'knowledge', 'relate', replacing);
      const { tx_id } = (replaced as { data: { tx_id: number } }).data;
      expect(code(await call(marcus, 'undo', { tx_id }))).toBe('pending_confirmation');
      expect(await data(frank, 'query_graph', { subject })).toMatchObject([{ object: 'coast guard', mine: false }]);
    });

    test('cannot be set by an input key', async () => {
      const said = { topic: 'x', content: 'x' };
      for (const key of ['owner', 'recorded_by', 'recordedBy', 'recorded_at', 'principal', 'tx_id', 'id', 'mine', 'user_id'])
        expect([key, code(await call(frank, 'store', { ...said, [key]: 'eve' }))]).toEqual([key, 'VALIDATION_ERROR']);
    });
  });

  describe('restoring a triple', () => {
    const undo = (tx_id: unknown) => call(nina, 'undo', { tx_id });
    test('conflicts with a contradicting triple that was recorded later, and succeeds after that one is undone', async () => {
      const subject = `pier ${++counter}`;
      const first = await data(nina, 'relate', { subject, predicate: 'owned_by', object: 'town' });
      const gone = await data(nina, 'delete', { id: (first['triple'] as unknown as Data)['id'] });
      const second = await data(nina, 'relate', { subject, predicate: 'owned_by', object: 'county' });
      expect(await undo(gone['tx_id'])).toMatchObject({
        code: 'CHANGED_LATER',
        details: { later: [{ tx_id: second['tx_id'], action: 'relate', by: 'Nina Patel' }] },
      });
      expect(await data(frank, 'query_graph', { subject })).toMatchObject([{ object: 'county' }]);
      expect(code(await undo(second['tx_id']))).toBe('success');
      expect(code(await undo(gone['tx_id']))).toBe('success');
      expect(await data(frank, 'query_graph', { subject })).toMatchObject([{ object: 'town' }]);
    });
    test('conflicts with an equal triple that was recorded later', async () => {
      const subject = `crane ${++counter}`;
      const first = await data(nina, 'relate', { subject, predicate: 'lifts', object: 'boats' });
      const gone = await data(nina, 'delete', { id: (first['triple'] as unknown as Data)['id'] });
      const again = await data(nina, 'relate', { subject, predicate: 'lifts', object: 'boats' });
      expect(await undo(gone['tx_id'])).toMatchObject({ code: 'CHANGED_LATER', details: { later: [{ tx_id: again['tx_id'] }] } });
      expect(await data(frank, 'query_graph', { subject })).toHaveLength(1);
    });
    test('succeeds if the contradicting triple existed before the deletion: both are valid again', async () => {
      const subject = `dock ${++counter}`;
      const first = await data(nina, 'relate', { subject, predicate: 'owned_by', object: 'town' });
      await data(nina, 'relate', { subject, predicate: 'owned_by', object: 'county', resolution: 'keep_both' });
      const gone = await data(nina, 'delete', { id: (first['triple'] as unknown as Data)['id'] });
      expect(code(await undo(gone['tx_id']))).toBe('success');
      expect(await data(frank, 'query_graph', { subject })).toHaveLength(2);
    });
  });

  describe('timestamps and dates at the edge', () => {
    test.each([
      '2026-01-01T00:00:00+23:59',
      '2026-01-01T00:00:00-23:59',
      '2026-01-01T00:00:00+15:59',
      '0001-01-01',
      '0001-01-01T00:00:00Z',
      '9999-12-31',
      '9999-12-31T23:59:59.999999999Z',
      '9999-12-31T23:59:59-15:00',
      '2026-11-16T12:00:00.123456789Z',
    ])('as_of %s gives an answer or a validation error', async (as_of) => {
      for (const tool of ['query', 'query_graph']) {
        const answer = await call(frank, tool, { as_of, limit: 3 });
        expect([tool, code(answer)]).toEqual([tool, expect.stringMatching(/^(success|VALIDATION_ERROR)$/)]);
      }
      expect(code(await call(frank, 'query', { as_of, query: 'deployment' }))).toMatch(/^(success|VALIDATION_ERROR)$/);
    });
    test.each([
      '0000-01-01',
      '0000-01-01T00:00:00Z',
      '2026-02-30',
      '2026-13-01T00:00:00Z',
      '2026-01-01T25:00:00Z',
      '2026-01-01T00:00:60Z',
      'now',
      'infinity',
      '-infinity',
      'today',
    ])('%s is refused as a time and as a date', async (as_of) => {
      expect(code(await call(frank, 'query', { as_of }))).toBe('VALIDATION_ERROR');
      expect(code(await call(frank, 'query', { valid_on: as_of }))).toBe('VALIDATION_ERROR');
      expect(code(await call(frank, 'store', { topic: 'x', content: 'x', valid_from: as_of }))).toBe('VALIDATION_ERROR');
    });
    test('the same timestamp in another zone is equal, to the microsecond', async () => {
      const { id, recorded_at } = (await stored(nina)) as unknown as { id: string; recorded_at: string };
      const at = async (as_of: string) =>
        (await data(frank, 'query', { topic: `Target ${counter}`, as_of })).some((row) => row['id'] === id);
      const shifted = new Date(Date.parse(recorded_at) + 5.5 * 3_600_000).toISOString().slice(0, 19);
      const fraction = /\.\d+/.exec(recorded_at)?.[0] ?? '';
      expect([await at(recorded_at), await at(`${shifted}${fraction}+05:30`)]).toEqual([true, true]);
      const [row] = await testRuntime.owner(
        "select knowledge.iso(recorded_at - interval '1 microsecond') as before from knowledge.entries where entry_no = $1",
        [id.slice(2)],
      );
      expect(await at(String(row?.['before']))).toBe(false);
    });
  });

  describe('text', () => {
    test.each([
      "'; drop table knowledge.entries; --",
      '\\',
      '%',
      '_',
      '%%%___',
      "a & b | !c:* <-> 'd'",
      '((((((',
      '"',
      '$1 $2',
      '\\u0041',
      '[a-z]+.*?$',
      '🌊🌊🌊',
      `${'supercalifragilistic '.repeat(19)}`,
      Array.from({ length: 80 }, (_, n) => `w${n}x`).join(' '),
      'x'.repeat(400),
    ])('the search words %s succeed or are a validation error, and never match a topic or a tag', async (words) => {
      for (const input of [{ query: words }, { topic: words.slice(0, 120) }, { tags: [words.slice(0, 50)] }]) {
        const answer = await call(frank, 'query', input);
        expect([input, code(answer)]).toEqual([input, expect.stringMatching(/^(success|VALIDATION_ERROR)$/)]);
        if (!('query' in input) && answer.status === 'success') expect(answer.data).toEqual([]);
      }
      for (const input of [{ subject: words.slice(0, 200) }, { object: words.slice(0, 200) }, { predicate: words.slice(0, 60) }])
        expect([input, code(await call(frank, 'query_graph', input))]).toEqual([
          input,
          expect.stringMatching(/^(success|VALIDATION_ERROR)$/),
        ]);
      expect(code(await call(frank, 'history', { by: words.slice(0, 100) }))).toBe('success');
    });

    test('a wildcard in a name is matched literally', async () => {
      await data(nina, 'relate', { subject: '100% sure', predicate: 'a_b', object: 'under_score' });
      expect(await data(frank, 'query_graph', { predicate: 'a%b' }).catch(() => [])).toEqual([]);
      expect(await data(frank, 'query_graph', { subject: '100%' })).toHaveLength(1);
      expect(await data(frank, 'history', { by: 'N_na' })).toEqual([]);
      expect(await data(frank, 'history', { by: '%' })).toEqual([]);
    });

    test('the largest accepted text is stored, found, changed and undone completely', async () => {
      const wide = '㍿'.repeat(200);
      const content = Array.from({ length: 660 }, (_, n) => `w${n.toString(36)}x`)
        .join(' ')
        .slice(0, 4000);
      const tags = Array.from({ length: 20 }, (_, n) => `${'ŝ'.repeat(46)}${n}`);
      const entry = await data(nina, 'store', { topic: '한'.repeat(120), content, tags, source: 's'.repeat(200), actor: 'a'.repeat(100) });
      expect(entry).toMatchObject({ content, tags });
      expect((await data(frank, 'query', { query: 'wahx' }))[0]).toMatchObject({ id: entry['id'] });
      const related = await data(nina, 'relate', { subject: '한'.repeat(200), predicate: 'ü'.repeat(60), object: wide });
      expect(related).toMatchObject({ outcome: 'recorded' });
      await data(nina, 'relate', { subject: '𝅘𝅥𝅮'.repeat(33), predicate: 'plays', object: '𝅘𝅥𝅮'.repeat(33) });
      expect(code(await call(nina, 'undo', {}))).toBe('success');
      expect(code(await call(nina, 'store', { topic: 'x', content: 'x'.repeat(4001) }))).toBe('VALIDATION_ERROR');
      expect(code(await call(nina, 'relate', { subject: 'x'.repeat(201), predicate: 'p', object: 'o' }))).toBe('VALIDATION_ERROR');
      expect(code(await call(nina, 'store', { topic: 'x', content: 'x', tags: [...tags, 'one more'] }))).toBe('VALIDATION_ERROR');
    });

    test('one tag with a comma and two tags are different', async () => {
      const { id } = await stored(nina, { tags: ['a, b'] });
      expect(await data(nina, 'update', { id, tags: ['a', 'b'] })).toMatchObject({ tags: ['a', 'b'] });
      const card = await testRuntime.ask(marcus, 'knowledge', 'update', { id, tags: ['a, b'] });
      const [change] = card.confirmationData.changes;
      expect(change).toMatchObject({ field: 'tags' });
      expect(change?.from).not.toEqual(change?.to);
    });
  });

  describe('a search', () => {
    test('does not follow relations of a deleted entry', async () => {
      const word = `zephyrine${++counter}`;
      const name = `relay station ${counter}`;
      await data(nina, 'store', { topic: name, content: 'The neighbour.' });
      const { id } = await data(nina, 'store', { topic: word, content: `All about ${word}.`, tags: [`origin ${counter}`] });
      await data(nina, 'relate', { subject: `origin ${counter}`, predicate: 'feeds', object: name });
      const topics = async () => (await data(frank, 'query', { query: word })).map((row) => row['topic']);
      expect(await topics()).toEqual([word, name]);
      await data(nina, 'delete', { id });
      expect(await topics()).toEqual([]);
      await data(nina, 'undo', {});
      expect(await topics()).toEqual([word, name]);
    });

    test('does not follow an expired triple, except for a day on which it was valid', async () => {
      const [from, to] = [`kiosk${++counter}`, `canteen${counter}`];
      await data(nina, 'store', { topic: to, content: 'Soup on Mondays.' });
      await data(nina, 'relate', { subject: from, predicate: 'run_by', object: to, valid_to: '2026-01-31' });
      const found = async (more: object) => (await data(frank, 'query', { query: from, ...more })).map((row) => row['topic']);
      expect(await found({})).toEqual([]);
      expect(await found({ valid_on: '2026-01-15' })).toEqual([to]);
    });
  });
});
