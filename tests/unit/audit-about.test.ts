/** Audit federation: pages and verifications cover all processes, and name the processes that did not answer. */
import { expect, test } from 'vitest';
import { instanceOf } from '../../src/server/chains.ts';
import { createCursors } from '../../src/engine/lists/cursor.ts';
import type { Person } from '../../src/declare/people.ts';
import { type OtherParts, createAuditReader, type AuditAnswer, createAuditPart } from '../../src/gateway/audit-log.ts';

const eve = { principal: 'staff:eve', realm: 'staff', roles: new Set(['executive']) } as unknown as Person;
const record = (chain: string, n: number, second: number, principal = 'staff:eve') => ({
  chain,
  n,
  mac: 'm',
  body: JSON.stringify({ at: `2026-05-05T10:00:0${second}Z`, principal, tool: `${chain} ${n}` }),
});
const of = (...records: AuditAnswer['records']): AuditAnswer => ({ records });
const others = (answers: Record<string, AuditAnswer>, known: string[], written: Record<string, number> = {}): OtherParts => ({
  ask: async () => new Map(Object.entries(answers)),
  known: async () => known,
  checkpoints: async () => Object.entries(written).map(([chain, count]) => ({ chain, count, mac: '', at: '', signature: '' })),
  instanceOf: instanceOf,
});
const made = (own: AuditAnswer, rest?: OtherParts) =>
  createAuditReader({ instance: 'gateway-1', own: async () => own, others: rest, cursors: createCursors([Buffer.alloc(32, 1)]) });
const names = (data: readonly object[]) => data.map((each) => (each as { tool: string }).tool);

test('a single process returns all records', async () => {
  const { about, data } = await made(of(record('calls-a', 1, 1))).page(eve, { limit: 50 });
  expect([about, names(data)]).toEqual([{ recordedBy: ['gateway-1'], missing: [] }, ['calls-a 1']]);
});

test('the newest records come first, and a record that two processes return appears once', async () => {
  const rest = others(
    { hr1: of(record('hr-hr1', 1, 3), record('calls-hr1', 1, 2)), hr2: of(record('hr-hr1', 1, 3), record('calls-hr2', 7, 5)) },
    ['gateway-1', 'hr1', 'hr2'],
  );
  const all = made(of(record('calls-g', 4, 4), record('calls-g', 3, 1)), rest);
  const { data, hasMore, nextCursor, about } = await all.page(eve, { limit: 3 });
  expect(names(data)).toEqual(['calls-hr2 7', 'calls-g 4', 'hr-hr1 1']);
  expect([hasMore, typeof nextCursor, about]).toEqual([true, 'string', { recordedBy: ['gateway-1', 'hr1', 'hr2'], missing: [] }]);
});

test('a page names the processes that hold records and did not answer', async () => {
  const { about } = await made(of(), others({ hr1: of() }, ['gateway-1', 'gateway-2', 'hr1', 'tax'])).page(eve, { limit: 50 });
  expect(about).toMatchObject({ recordedBy: ['gateway-1', 'hr1'], missing: ['gateway-2', 'tax'] });
  expect(about.warning).toContain('gateway-2, tax did not answer, and each process keeps its own records');
});

test('the access rule also applies to records that another process returns', async () => {
  const frank = { ...eve, principal: 'staff:frank', roles: new Set(['employee']) } as unknown as Person;
  const rest = others({ hr1: of(record('calls-hr1', 1, 1)) }, ['hr1']);
  await expect(made(of(), rest).record(frank, 'calls-hr1', 1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await made(of(), rest).record(eve, 'calls-hr1', 1)).toMatchObject({ chain: 'calls-hr1', n: 1, mac: 'm' });
});

const good = (chain: string, count: number): AuditAnswer => ({
  records: [],
  verdict: { ok: true, chains: [{ chain, count, checkpointed: count }] },
});

test('one broken chain fails the verification, which also names a process that did not answer', async () => {
  const bad: AuditAnswer = { records: [], verdict: { ok: false, chain: 'calls-hr1', n: 3, problem: 'The record is missing.' } };
  expect(
    await made(good('calls-g', 2), others({ hr1: good('hr-hr1', 1), hr2: good('hr-hr1', 2) }, ['hr1', 'hr2', 'rest'])).verify(eve),
  ).toEqual({
    ok: true,
    chains: [
      { chain: 'calls-g', count: 2, checkpointed: 2 },
      { chain: 'hr-hr1', count: 2, checkpointed: 2 },
    ],
    missing: ['rest'],
  });
  expect(await made(good('calls-g', 2), others({ hr1: bad }, ['hr1'])).verify(eve)).toEqual(bad.verdict);
});

test('the verification fails if a process reports a chain as shorter than its known length', async () => {
  const said = (answers: Record<string, AuditAnswer>, written: Record<string, number>, known = ['hr1', 'hr2']) =>
    made(good('calls-g', 2), others(answers, known, written)).verify(eve);
  const both = { hr1: good('calls-hr1', 5), hr2: good('hr-hr1', 3) };
  expect(await said(both, { 'calls-hr1': 5, 'hr-hr1': 2, 'calls-g': 2 })).toMatchObject({ ok: true });
  // The reported chain is shorter than its checkpoint.
  expect(await said(both, { 'calls-hr1': 6 })).toMatchObject({ ok: false, chain: 'calls-hr1', n: 6 });
  expect(await said(both, { 'hr-hr1': 4 })).toMatchObject({ ok: false, chain: 'hr-hr1', n: 4 });
  // The process does not report one of its chains.
  expect(await said(both, { 'calls-hr1.2': 1 })).toMatchObject({ ok: false, chain: 'calls-hr1.2', n: 1 });
  // The chains of a process that is down cannot be reported by another one.
  expect(await said(both, { 'calls-rest': 9, 'sales-rest': 9 }, ['hr1', 'hr2', 'rest'])).toMatchObject({ ok: true, missing: ['rest'] });
});

test('a verification that starts during another one covers records that were written in between', async () => {
  let length = 5;
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let walks = 0;
  const own = createAuditPart([], async () => {
    const count = length;
    if (++walks === 1) await held;
    return { ok: true, chains: [{ chain: 'calls-gateway-1', count, checkpointed: count }] };
  });
  const rest: OtherParts = {
    ...others({}, []),
    checkpoints: async () => [{ chain: 'calls-gateway-1', count: length, mac: '', at: '', signature: '' }],
  };
  const all = createAuditReader({ instance: 'gateway-1', own, others: rest, cursors: createCursors([Buffer.alloc(32, 1)]) });
  const aMoment = () => new Promise((resolve) => setImmediate(resolve));
  const first = all.verify(eve);
  await aMoment();
  length = 6;
  const second = all.verify(eve);
  await aMoment();
  letGo();
  expect(await first).toMatchObject({ ok: true });
  expect(await second).toMatchObject({ ok: true, chains: [{ count: 6 }] });
});
