/** The knowledge tools: store, find, change and undo. The caller's own entries change at once, those of others after an approval. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, PendingAnswer } from '../../src/declare/answer.ts';
import * as knowledge from '../../domains/knowledge/index.ts';
import { code, type Data, databases, openTestRuntime, person, type TestRuntime } from '../test-runtime.ts';

const [nina, marcus, sarah, frank] = ['nina.patel', 'marcus.johnson', 'sarah.kim', 'frank.davis'] as const;
const tools = Object.values(knowledge);

describe.each(databases)('knowledge on %s', (_name, database) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database, tools });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });
  const call = (who: string, tool: string, input: unknown = {}): Promise<Answer> => testRuntime.call(who, 'knowledge', tool, input);
  const data = (who: string, tool: string, input: unknown = {}): Promise<Data> => testRuntime.data(who, 'knowledge', tool, input);
  const ask = (who: string, tool: string, input: unknown): Promise<PendingAnswer> => testRuntime.ask(who, 'knowledge', tool, input);
  const approve = (who: string, { confirmationId }: PendingAnswer) => testRuntime.approve(who, confirmationId);
  const ids = (rows: Data) => rows.map((row) => row['id']);
  let counter = 0;
  const stored = async (who: string, more: Record<string, unknown> = {}) => {
    const topic = `Topic ${++counter}`;
    return data(who, 'store', { topic, content: `Content number ${counter}.`, ...more });
  };
  const now = async (id: unknown, kind: 'entry' | 'triple' = 'entry') => (await changesOf(id, kind)).at(0)?.['after'];
  const changesOf = async (id: unknown, kind: string) =>
    (await data(frank, 'history', { id })).flatMap((tx) =>
      (tx['changes'] as Data).filter((change) => change['id'] === id && change['kind'] === kind),
    );

  describe('every example', () => {
    const examples = tools.flatMap((tool) => tool.examples.map((example) => [`${tool.name}: ${example.question}`, tool, example] as const));
    test.each(examples)('%s', async (_ask, tool, { as, input, expects }) => {
      expect(code(await call(as, tool.name, input('2026-11-16')))).toBe(
        expects ?? (tool.kind === 'write' ? 'pending_confirmation' : 'success'),
      );
    });
    test('of a list returns at least one row', async () => {
      for (const tool of tools.filter(({ kind }) => kind === 'list')) {
        for (const { question, as, input } of tool.examples) {
          if ('mine' in input('2026-11-16')) continue;
          expect([question, (await data(as, tool.name, input('2026-11-16'))).length]).not.toEqual([question, 0]);
        }
      }
    });
  });

  test('customers are refused', async () => {
    for (const tool of tools)
      expect(code(await call('jane.smith@acme.example', tool.name, tool.examples[0]?.input('2026-11-16')))).toBe(
        'INSUFFICIENT_PERMISSIONS',
      );
  });

  describe('storing', () => {
    test('keeps every field, takes the author from the sign-in, and makes the entry searchable at once', async () => {
      const said = {
        topic: ' Lighthouse ',
        content: 'It blinks twice.',
        tags: ['Sea', 'sea ', 'LIGHT'],
        source: 'logbook',
        actor: 'the archivist',
        confidence: 0.4,
        valid_from: '2026-01-01',
        valid_to: '2026-12-31',
      };
      const entry = await data(marcus, 'store', said);
      expect(entry).toEqual({
        id: `e-${String(entry['tx_id'])}`,
        topic: 'Lighthouse',
        content: 'It blinks twice.',
        tags: ['sea', 'light'],
        source: 'logbook',
        actor: 'the archivist',
        confidence: 0.4,
        valid_from: '2026-01-01',
        valid_to: '2026-12-31',
        recorded_by: 'Marcus Johnson',
        recorded_at: expect.stringMatching(/Z$/),
        changed_by: 'Marcus Johnson',
        changed_at: entry['recorded_at'],
        tx_id: expect.any(Number),
        mine: true,
      });
      const [found] = await data(sarah, 'query', { query: 'lighthouse' });
      expect(found).toEqual({ ...entry, mine: false, score: expect.any(Number), via: null });
    });
    test.each([
      [{ topic: '', content: 'x' }, 'topic'],
      [{ topic: 'x', content: ' ' }, 'content'],
      [{ topic: 'x', content: 'x', confidence: 1.1 }, 'confidence'],
      [{ topic: 'x', content: 'x', valid_from: '2026-02-30' }, 'valid_from'],
      [{ topic: 'x', content: 'x', valid_from: '2026-02-02', valid_to: '2026-02-01' }, 'valid_to'],
      [{ topic: 'x\u202e', content: 'x' }, 'topic'],
      [{ topic: 'x', content: 'x', recorded_by: 'Eve Thompson' }, 'recorded_by'],
    ])('%j is refused with a message that names the field %s', async (input, field) => {
      const answer = await call(frank, 'store', input);
      expect(answer).toMatchObject({
        status: 'error',
        code: 'VALIDATION_ERROR',
        retryable: false,
        suggestedAction: expect.stringMatching(/\.$/),
      });
      expect(JSON.stringify(answer)).toContain(field);
    });
  });

  describe('changing', () => {
    test('the caller’s own entry changes at once, omitted fields stay, and the audit log has the values before and after', async () => {
      const { id } = await stored(nina, { source: 'a', tags: ['one'], valid_to: '2027-01-01' });
      const answer = await data(nina, 'update', { id, content: 'Better.', clear: ['source'], tags: ['two', 'three'] });
      expect(answer).toMatchObject({
        id,
        content: 'Better.',
        source: null,
        tags: ['two', 'three'],
        valid_to: '2027-01-01',
        recorded_by: 'Nina Patel',
        mine: true,
      });
      const [body] = await testRuntime.owner(
        'select body from knowledge.audit where body like \'%"update"%\' order by at desc, n desc limit 1',
      );
      expect(JSON.parse(String(body?.['body']))).toMatchObject({
        decision: 'allowed',
        tool: 'update',
        changes: expect.arrayContaining([
          { field: 'source', from: 'a', to: null },
          { field: 'tags', from: 'one', to: 'two, three' },
        ]),
      });
    });
    test('a colleague’s entry needs an approval, and the entry keeps its owner', async () => {
      const { id, topic } = await stored(nina);
      const card = await ask(marcus, 'update', { id, content: 'Marcus knows better.', confidence: 0.5, reason: 'Seen it' });
      expect(card.confirmationData).toMatchObject({
        summary: `Change “${String(topic)}”, which Nina Patel recorded`,
        reason: 'Seen it',
        changes: [
          { field: 'content', to: 'Marcus knows better.' },
          { field: 'confidence', label: 'Confidence (claimed)', from: 1, to: 0.5 },
        ],
      });
      expect(await now(id)).toMatchObject({ confidence: 1 });
      expect(await approve(marcus, card)).toMatchObject({
        status: 'success',
        data: { recorded_by: 'Nina Patel', changed_by: 'Marcus Johnson', mine: false },
      });
      expect(code(await call(nina, 'update', { id, content: 'Mine still.' }))).toBe('success');
      expect((await data(frank, 'history', { id })).map(({ action, by, reason }) => [action, by, reason])).toEqual([
        ['update', 'Nina Patel', null],
        ['update', 'Marcus Johnson', 'Seen it'],
        ['store', 'Nina Patel', null],
      ]);
    });
    test('an entry that changed after the card was shown is not written', async () => {
      const { id } = await stored(nina);
      const card = await ask(marcus, 'update', { id, topic: 'Something else' });
      await data(nina, 'update', { id, content: 'Changed meanwhile.' });
      expect(code(await approve(marcus, card))).toBe('CHANGED_SINCE_APPROVAL');
      const removed = await ask(marcus, 'update', { id, topic: 'Something else' });
      await data(nina, 'delete', { id });
      expect(code(await approve(marcus, removed))).toBe('CHANGED_SINCE_APPROVAL');
      expect(await now(id)).toBe(null);
    });
    test('to the same value, to an invalid period or of an unknown entry is refused', async () => {
      const { id, topic } = await stored(nina);
      expect(await call(nina, 'update', { id, topic })).toMatchObject({ code: 'NOTHING_TO_CHANGE' });
      expect(await call(nina, 'update', { id, valid_from: '2026-05-05' })).toMatchObject({ status: 'success' });
      expect(await call(nina, 'update', { id, valid_to: '2026-05-04' })).toMatchObject({ code: 'VALIDATION_ERROR' });
      expect(await call(nina, 'update', { id, source: 'x', clear: ['source'] })).toMatchObject({ code: 'VALIDATION_ERROR' });
      for (const missing of ['e-999999', 'e-0', 'e-01', 't-61', 'x', `e-${'9'.repeat(20)}`, "e-1' or true --"])
        expect([missing, await call(nina, 'update', { id: missing, topic: 'y' })]).toMatchObject([
          missing,
          { code: 'ENTRY_NOT_FOUND', suggestedAction: expect.stringContaining('query') },
        ]);
    });
  });

  describe('deleting', () => {
    test('an entry deletes the triples about it too, and undo restores all of them', async () => {
      const { id } = await stored(nina);
      const { triple } = await data(nina, 'relate', { subject: id, predicate: 'explains', object: 'harbour' });
      const before = [await now(id), await now((triple as Data)['id'], 'triple')];
      const gone = await data(nina, 'delete', { id });
      expect(gone).toMatchObject({ id, deleted: true, also_deleted: [(triple as Data)['id']] });
      expect(await data(frank, 'query_graph', { subject: String(id) })).toEqual([]);
      expect(code(await call(nina, 'delete', { id }))).toBe('ENTRY_NOT_FOUND');
      expect(await data(nina, 'undo', {})).toMatchObject({ undid: gone['tx_id'] });
      expect([await now(id), await now((triple as Data)['id'], 'triple')]).toEqual(before);
    });
    test('an entry needs an approval if a colleague related something to it', async () => {
      const { id } = await stored(nina);
      await data(marcus, 'relate', { subject: 'pier', predicate: `seen_in_${counter}`, object: id });
      const card = await ask(nina, 'delete', { id });
      expect(card.message).toMatch(/and the triple about it\? The history keeps it, and undo restores it\. Nothing has changed yet\.$/);
      expect(await approve(nina, card)).toMatchObject({ status: 'success' });
    });
    test('a triple needs an approval only if a colleague recorded it', async () => {
      const { triple } = await data(nina, 'relate', { subject: 'crane', predicate: 'stands_at', object: 'quay' });
      expect(code(await call(marcus, 'delete', { id: (triple as Data)['id'] }))).toBe('pending_confirmation');
      expect(await data(nina, 'delete', { id: (triple as Data)['id'] })).toMatchObject({ deleted: true, also_deleted: [] });
      expect(await data(nina, 'query_graph', { subject: 'crane' })).toEqual([]);
    });
  });

  describe('a query', () => {
    test('returns the entries of the specified example, the exact topic first', async () => {
      const rows = await data(marcus, 'query', { topic: 'deployment' });
      expect(rows.map(({ topic, content, confidence }) => ({ topic, content, confidence }))).toEqual([
        { topic: 'deployment', content: 'Use blue-green deploys for zero-downtime releases.', confidence: 0.92 },
        { topic: 'deployment rollback', content: 'Rollback within 5 min if error rate exceeds 1%.', confidence: 0.85 },
      ]);
    });
    test('finds entries by stems, by misspelt words, and one step along the graph, and names the triple of that step', async () => {
      expect((await data(frank, 'query', { query: 'deploying' }))[0]).toMatchObject({ id: 'e-1', via: null });
      expect((await data(frank, 'query', { query: 'kuberntes' }))[0]).toMatchObject({ topic: 'kubernetes upgrade' });
      expect(await data(frank, 'query', { query: 'resignation' })).toMatchObject([
        { topic: 'leaving the company', via: 'resignation described_in leaving the company' },
      ]);
      expect(await data(frank, 'query', { query: 'Übersee qwertz' })).toEqual([]);
      expect((await data(frank, 'query', { query: 'the of and %_\\ \' " ( & | :* !' })).length).toBe(0);
    });
    test('filters by tags, confidence and topic, also combined', async () => {
      expect((await data(frank, 'query', { tags: ['Security', 'email'] })).map(({ topic }) => topic)).toEqual(['phishing']);
      const sure = await data(frank, 'query', { tags: ['release'], min_confidence: 0.9 });
      expect(sure.map(({ topic }) => String(topic)).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
        'deployment',
        'release calendar',
        'staging environment',
      ]);
      expect(ids(await data(frank, 'query', { query: 'rollback', topic: 'calendar' }))).toEqual([]);
      expect(await data(frank, 'query', { topic: '%' })).toEqual([]);
    });
    test('omits entries that are not valid today, unless it asks for a day on which they are valid', async () => {
      const { id } = await stored(nina, { topic: 'tide', valid_from: '2026-12-01', valid_to: '2026-12-31' });
      const on = async (valid_on?: string) =>
        ids(await data(frank, 'query', { topic: 'tide', ...(valid_on && { valid_on }) })).includes(id);
      expect([await on(), await on('2026-11-30'), await on('2026-12-01'), await on('2026-12-31'), await on('2027-01-01')]).toEqual([
        false,
        false,
        true,
        true,
        false,
      ]);
      expect(await data(frank, 'query', { topic: 'office move' })).toEqual([]);
      expect((await data(frank, 'query', { topic: 'office move', valid_on: '2026-07-01' })).length).toBe(1);
    });
    test('with as_of returns the text, versions and relations that were recorded then', async () => {
      const { id, changed_at: first } = await stored(nina, { topic: 'estuary', content: 'Wide.', valid_from: '2020-01-01' });
      const { changed_at: second } = await data(nina, 'update', { id, content: 'Narrow.' });
      const { tx_id } = await data(nina, 'relate', { subject: 'delta', predicate: 'feeds', object: 'estuary' });
      const related = (await data(nina, 'history', {})).find((tx) => tx['tx_id'] === tx_id)?.['at'];
      await data(nina, 'delete', { id });
      await data(nina, 'undo', { tx_id });
      const contents = async (input: object) => (await data(frank, 'query', input)).map(({ content }) => content);
      expect(await contents({ query: 'estuary' })).toEqual([]);
      expect(await contents({ query: 'estuary', as_of: first })).toEqual(['Wide.']);
      expect(await contents({ query: 'estuary', as_of: second })).toEqual(['Narrow.']);
      expect(await contents({ query: 'delta', as_of: second })).toEqual([]);
      expect(await contents({ query: 'delta', as_of: related })).toEqual(['Narrow.']);
      expect((await data(frank, 'query_graph', { object: 'estuary', as_of: related })).length).toBe(1);
      expect(await data(frank, 'query_graph', { object: 'estuary' })).toEqual([]);
      expect(await contents({ query: 'narrow estuary', as_of: '2019-01-01' })).toEqual([]);
      expect(await contents({ topic: 'deployment rollback', as_of: '2026-10-22' })).toEqual([
        'Rollback within 15 min if error rate exceeds 1%.',
      ]);
      expect(await contents({ topic: 'deployment rollback', as_of: '2026-10-23' })).toEqual([
        'Rollback within 5 min if error rate exceeds 1%.',
      ]);
      expect(code(await call(frank, 'query', { as_of: 'yesterday' }))).toBe('VALIDATION_ERROR');
    });
    test('returns pages without duplicates or gaps while others write', async () => {
      const all = ids(await data(frank, 'query', { query: 'schedule release time off customers', limit: 50 }));
      expect(all.length).toBeGreaterThan(12);
      const seen: unknown[] = [];
      for (let cursor: string | undefined, more = true; more; ) {
        const answer = await call(frank, 'query', { query: 'schedule release time off customers', limit: 5, ...(cursor && { cursor }) });
        if (answer.status !== 'success') throw new Error(JSON.stringify(answer));
        seen.push(...ids(answer.data as Data));
        cursor = answer.metadata?.nextCursor;
        more = cursor !== undefined;
        await stored(nina, { topic: 'schedule' });
      }
      expect(seen.filter((id) => all.includes(id))).toEqual(all);
      expect(new Set(seen).size).toBe(seen.length);
    });
  });

  describe('relating', () => {
    test('compares names without case, hyphens and accents', async () => {
      expect(await data(marcus, 'relate', { subject: 'Billing Service', predicate: 'Depends-on', object: 'PAYMENTS_DB' })).toMatchObject({
        outcome: 'already_known',
        tx_id: null,
        triple: { id: 't-61' },
      });
      expect(ids(await data(frank, 'query_graph', { object: 'payments db' }))).toEqual(['t-61']);
      expect(ids(await data(frank, 'query_graph', { object: 'payments' }))).toContain('t-61');
      expect(ids(await data(frank, 'query_graph', { object: 'pay' }))).not.toContain('t-61');
      expect(ids(await data(frank, 'query_graph', { predicate: 'Depends on', subject: 'billing' }))).toEqual(['t-63', 't-61']);
    });
    test('answers a contradiction with the existing triple and the choices', async () => {
      const known = await data(nina, 'relate', { subject: 'ferry', predicate: 'owned_by', object: 'Harbour board' });
      const input = { subject: 'Ferry', predicate: 'owned by', object: 'The city' };
      expect(await call(marcus, 'relate', input)).toMatchObject({
        status: 'error',
        code: 'TRIPLE_CONFLICT',
        retryable: false,
        suggestedAction: expect.stringContaining('resolution'),
        details: {
          conflicts: [{ id: (known['triple'] as Data)['id'], object: 'Harbour board', recorded_by: 'Nina Patel' }],
          choices: [{ resolution: 'replace' }, { resolution: 'keep_both' }, { resolution: 'reject' }],
        },
      });
      const facts = async () => (await data(frank, 'query_graph', { subject: 'ferry' })).map(({ object }) => object);
      expect(await data(marcus, 'relate', { ...input, resolution: 'reject' })).toEqual({
        outcome: 'rejected',
        triple: null,
        replaced: [],
        tx_id: null,
      });
      expect(await facts()).toEqual(['Harbour board']);
      const card = await ask(nina, 'relate', { ...input, resolution: 'replace' });
      expect(card.message).toBe('Replace “ferry owned by Harbour board” by “Ferry owned by The city”? Nothing has changed yet.');
      expect(await facts()).toEqual(['Harbour board']);
      const done = await approve(nina, card);
      expect(done).toMatchObject({ status: 'success', data: { outcome: 'replaced', replaced: [(known['triple'] as Data)['id']] } });
      expect(await facts()).toEqual(['The city']);
      expect(await data(nina, 'undo', {})).toMatchObject({ changes: [{ kind: 'triple' }, { kind: 'triple' }] });
      expect(await facts()).toEqual(['Harbour board']);
      expect(await data(marcus, 'relate', { ...input, resolution: 'keep_both' })).toMatchObject({ outcome: 'kept_both' });
      expect((await facts()).map(String).toSorted((a, b) => (a < b ? -1 : 1))).toEqual(['Harbour board', 'The city']);
    });
    test('conflicts in the same period and with the opposite predicate, but not if the predicate allows several values', async () => {
      const captain = (object: string, valid_from: string, valid_to?: string) =>
        call(nina, 'relate', { subject: 'Mary Ann', predicate: 'captained_by', object, valid_from, ...(valid_to && { valid_to }) });
      expect(code(await captain('Ada', '2020-01-01', '2022-12-31'))).toBe('success');
      expect(code(await captain('Grace', '2023-01-01'))).toBe('success');
      expect(code(await captain('Joan', '2022-12-31', '2022-12-31'))).toBe('TRIPLE_CONFLICT');
      expect((await data(frank, 'query_graph', { subject: 'Mary Ann', valid_on: '2021-01-01' })).map(({ object }) => object)).toEqual([
        'Ada',
      ]);
      expect(code(await call(nina, 'relate', { subject: 'billing-service', predicate: 'not_depends_on', object: 'payments-db' }))).toBe(
        'TRIPLE_CONFLICT',
      );
      expect(await data(nina, 'relate', { subject: 'billing-service', predicate: 'depends_on', object: 'ledger' })).toMatchObject({
        outcome: 'recorded',
      });
    });
  });

  describe('undo', () => {
    test('restores every field exactly, is a change itself, and can be undone', async () => {
      const { id, tx_id: made } = await stored(sarah, {
        tags: ['a', 'b'],
        source: 's',
        actor: 'x',
        confidence: 0.123,
        valid_from: '2026-01-01',
      });
      const first = await now(id);
      const { tx_id: changed } = await data(sarah, 'update', {
        id,
        topic: 'Other',
        content: 'Other',
        tags: [],
        clear: ['source', 'actor', 'valid_from'],
        confidence: 1,
      });
      const second = await now(id);
      const { tx_id: undone } = await data(sarah, 'undo', { tx_id: changed });
      expect(await now(id)).toEqual(first);
      const { tx_id: redone } = await data(sarah, 'undo', { tx_id: undone });
      expect(await now(id)).toEqual(second);
      expect(
        (await data(frank, 'history', { id })).map(({ tx_id, action, undoes, undone_by }) => [tx_id, action, undoes, undone_by]),
      ).toEqual([
        [redone, 'undo', undone, null],
        [undone, 'undo', changed, redone],
        [changed, 'update', null, undone],
        [made, 'store', null, null],
      ]);
      await data(sarah, 'undo', { tx_id: redone });
      await data(sarah, 'undo', { tx_id: made });
      expect(await now(id)).toBe(null);
    });
    test('without a number, undoes the caller’s own changes, the last one first', async () => {
      const { id } = await stored(sarah);
      await data(sarah, 'update', { id, content: 'Second.' });
      await data(sarah, 'update', { id, content: 'Third.' });
      await stored(nina);
      for (const content of ['Second.', expect.stringMatching(/^Content number/)]) {
        await data(sarah, 'undo');
        expect(await now(id)).toMatchObject({ content });
      }
      await data(sarah, 'undo');
      expect(await now(id)).toBe(null);
    });
    test('is refused after later changes, which the answer names', async () => {
      const { id, tx_id } = await stored(sarah);
      const { tx_id: later } = await data(sarah, 'update', { id, content: 'Later.' });
      expect(await call(sarah, 'undo', { tx_id })).toMatchObject({
        code: 'CHANGED_LATER',
        details: { tx_id, later: [{ tx_id: later, action: 'update', by: 'Sarah Kim' }] },
        suggestedAction: expect.stringContaining('details.later'),
      });
      await data(sarah, 'undo', { tx_id: later });
      const { tx_id: related } = await data(nina, 'relate', { subject: `mole ${counter}`, predicate: `near_${counter}`, object: id });
      expect(await call(sarah, 'undo', { tx_id })).toMatchObject({
        code: 'CHANGED_LATER',
        details: { later: [{ tx_id: related, action: 'relate' }] },
      });
      const { tx_id: unrelated } = await data(nina, 'undo', { tx_id: related });
      const { tx_id: removed } = await data(sarah, 'delete', { id });
      expect(await call(nina, 'undo', { tx_id: unrelated })).toMatchObject({
        code: 'CHANGED_LATER',
        details: { later: [{ tx_id: removed }] },
      });
      expect(await call(sarah, 'undo', { tx_id: removed })).toMatchObject({ status: 'success' });
      expect(await call(nina, 'undo', { tx_id: unrelated })).toMatchObject({ status: 'success' });
    });
    test('of a colleague’s change needs approval, shows every field, and fails after later changes', async () => {
      const { id } = await stored(sarah);
      const { tx_id } = await data(sarah, 'update', { id, content: 'Wrong.' });
      const card = await ask(marcus, 'undo', { tx_id, reason: 'It was right before' });
      expect(card.confirmationData).toMatchObject({
        summary: `Undo change ${String(tx_id)} (update by Sarah Kim)`,
        reason: 'It was right before',
        changes: [
          { field: `${String(id)} content`, label: `${String(id)}: content`, from: 'Wrong.', to: expect.stringMatching(/^Content number/) },
        ],
      });
      const stale = await ask(frank, 'undo', { tx_id });
      expect(await approve(marcus, card)).toMatchObject({ status: 'success', data: { undid: tx_id } });
      expect(code(await approve(frank, stale))).toBe('CHANGED_SINCE_APPROVAL');
      expect(await now(id)).toMatchObject({ recorded_by: 'Sarah Kim', content: expect.stringMatching(/^Content number/) });
    });
    test('of the caller’s own change of a colleague’s entry needs approval too', async () => {
      const { id } = await stored(sarah);
      const done = await approve(marcus, await ask(marcus, 'update', { id, content: 'By Marcus.' }));
      const { tx_id } = (done as { data: { tx_id: number } }).data;
      expect(code(await call(marcus, 'undo', { tx_id }))).toBe('pending_confirmation');
      expect(code(await call(marcus, 'undo'))).toBe('pending_confirmation');
    });
    test('that is approved twice takes effect once', async () => {
      const { tx_id } = await stored(sarah);
      const card = await ask(marcus, 'undo', { tx_id });
      const [one, two] = await Promise.all([approve(marcus, card), approve(marcus, card)]);
      expect(one).toEqual(two);
      expect(one).toMatchObject({ status: 'success' });
      expect((await data(frank, 'history', { limit: 1 }))[0]).toMatchObject({ undoes: tx_id, by: 'Marcus Johnson' });
    });
  });

  test('a caller without an employee record can store entries, because the owner is the signed-in account', async () => {
    const guest = person('frank.davis', { employeeId: undefined });
    expect(await testRuntime.data(guest, 'knowledge', 'store', { topic: 'badge', content: 'Not linked.' })).toMatchObject({ mine: true });
  });
});
