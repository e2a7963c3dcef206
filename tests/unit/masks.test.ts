/** Masks are found inside every wrapper and at every depth, and a hidden value is published as `*** (Hidden)` there. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { recorder } from '../../src/engine/audit/recorder.ts';
import type { Caller } from '../../src/engine/caller.ts';
import { createRegistry } from '../../src/engine/registry.ts';
import { defineDomain } from '../../src/declare/define.ts';
import { HIDDEN, masked, sensitive, sensitiveFieldNames } from '../../src/declare/fields.ts';
import { maskedFields, maskOf } from '../../src/declare/masks.ts';
import type { Person } from '../../src/declare/people.ts';
import { asc } from '../../src/declare/order.ts';
import { answerParser, rowParser } from '../../src/declare/rows.ts';
import { describeMasks } from '../../src/gateway/listing.ts';

const pay = masked('pay', z.number());
const note = z.object({ kind: z.literal('note'), text: z.string() });
const raise = z.object({ kind: z.literal('raise'), amount: pay });
type Tree = { salary: number | string; reports: Tree[] };
const tree: z.ZodType<Tree> = z.lazy(() => z.object({ salary: pay, reports: z.array(tree) }));

/** Name, schema of the field, path of the mask, value without the hidden part, published value. */
const WRAPPED: readonly (readonly [string, z.ZodType, string, unknown, unknown])[] = [
  ['as it is', pay, 'field', null, HIDDEN],
  ['described', pay.describe('later'), 'field', null, HIDDEN],
  ['optional', pay.optional(), 'field', undefined, HIDDEN],
  ['nullable', pay.nullable(), 'field', null, HIDDEN],
  ['with a default', pay.default(7), 'field', undefined, HIDDEN],
  ['with a prefault', pay.prefault(7), 'field', undefined, HIDDEN],
  ['with a fallback', pay.catch(7), 'field', null, HIDDEN],
  ['read-only', pay.readonly(), 'field', null, HIDDEN],
  ['nullish and described', pay.nullish().describe('later'), 'field', null, HIDDEN],
  ['in a union', z.union([pay, z.null()]), 'field', null, HIDDEN],
  ['in an intersection', z.intersection(pay, z.unknown()), 'field', null, HIDDEN],
  ['before a transformation', pay.transform((value) => ({ value })), 'field', null, { value: HIDDEN }],
  ['after a preprocessing', z.preprocess((value) => value, pay), 'field', null, HIDDEN],
  ['behind a getter', z.lazy(() => pay), 'field', null, HIDDEN],
  ['in an object', z.object({ a: z.string(), b: pay }), 'field.b', { a: 'x', b: null }, { a: 'x', b: HIDDEN }],
  ['absent from an object', z.object({ b: pay.optional() }), 'field.b', {}, { b: HIDDEN }],
  ['in an optional object', z.object({ b: pay }).optional(), 'field.b', { b: null }, { b: HIDDEN }],
  ['in an absent object', z.object({ b: pay }).optional(), 'field.b', undefined, undefined],
  ['two objects deep', z.object({ b: z.object({ c: pay }) }), 'field.b.c', { b: { c: null } }, { b: { c: HIDDEN } }],
  ['in other keys', z.object({ a: z.string() }).catchall(pay), 'field.*', { a: 'x', b: null, c: 1 }, { a: 'x', b: HIDDEN, c: 1 }],
  ['in an array', z.array(pay), 'field[]', [1, null], [1, HIDDEN]],
  ['in rows', z.array(z.object({ b: pay })), 'field[].b', [{ b: 1 }, { b: null }], [{ b: 1 }, { b: HIDDEN }]],
  ['in a tuple', z.tuple([z.string(), pay]), 'field[]', ['x', null], ['x', HIDDEN]],
  ['in the rest of a tuple', z.tuple([z.string()], pay), 'field[]', ['x', 1, null], ['x', 1, HIDDEN]],
  ['in a record', z.record(z.string(), pay), 'field.*', { jan: 1, feb: null }, { jan: 1, feb: HIDDEN }],
  ['in an option', z.union([note, raise]), 'field.amount', { kind: 'raise', amount: null }, { kind: 'raise', amount: HIDDEN }],
  [
    'in another option',
    z.discriminatedUnion('kind', [raise, note]),
    'field.amount',
    { kind: 'note', text: 'x' },
    { kind: 'note', text: 'x' },
  ],
  ['inside a masked object', masked('all', z.object({ b: pay })), 'field.b', { b: null }, { b: HIDDEN }],
  [
    'in a recursive schema',
    tree,
    'field.salary',
    { salary: null, reports: [{ salary: null, reports: [] }] },
    { salary: HIDDEN, reports: [{ salary: HIDDEN, reports: [] }] },
  ],
];

const open = { everyone: { roles: ['employee'], sees: 'all rows' } } as const;
const domain = (masks?: Record<string, { hides: string; shownTo: readonly 'manager'[]; andOwner: boolean }>) =>
  defineDomain({
    name: 'toys',
    title: 'Toys',
    engine: 1,
    home: import.meta.url,
    port: 3999,
    store: 'sql',
    audiences: open,
    ...(masks && { masks }),
  });
const rule = { hides: 'pay', shownTo: ['manager'], andOwner: false } as const;
const toys = domain({ pay: rule, all: rule });
const described = { name: 'get_toy', title: 'Example', description: 'An example.', roles: ['employee'] as ['employee'] };

describe.each(WRAPPED)('a masked field %s', (_name, field, path, stored, published) => {
  const row = z.object({ id: z.string(), field });
  const given = stored === undefined ? { id: 'a' } : { id: 'a', field: stored };
  const expected = published === undefined ? { id: 'a' } : { id: 'a', field: published };

  test('is found, with its path', () => {
    expect(maskedFields(row)).toContainEqual({ path, mask: 'pay' });
    expect(maskedFields(z.array(row))).toContainEqual({ path, mask: 'pay' });
    if (path === 'field') expect(maskOf(field)).toBe('pay');
  });

  test('is published as hidden, in a row and in an answer', () => {
    const before = structuredClone(given);
    expect(rowParser(row)(given)).toEqual(expected);
    expect(answerParser(row)(given)).toEqual(expected);
    expect(answerParser(z.object({ rows: z.array(row) }))({ rows: [given] })).toEqual({ rows: [expected] });
    expect(given).toEqual(before);
  });

  test('is refused without a declaration of the mask, with tool and path', () => {
    const declare = (output: z.ZodType) =>
      domain({ all: rule }).read({ ...described, input: z.object({}), output, run: async () => ({}) as never });
    expect(() => declare(row)).toThrow(`toys.get_toy: ${path} has the mask`);
    expect(() => declare(z.object({ rows: z.array(row) }))).toThrow(`toys.get_toy: rows[].${path} has the mask`);
  });

  test('is listed with its path', () => {
    const tool = toys.read({ ...described, input: z.object({}), output: row, run: async () => ({}) as never });
    expect(describeMasks(tool)).toContainEqual({ field: path, ...rule });
  });
});

test('values that the caller may see are published as they are', () => {
  const row = z.object({ a: pay.nullable(), b: z.array(pay), c: z.object({ d: pay }).nullable() });
  for (const given of [
    { a: 1, b: [2], c: { d: 3 } },
    { a: 1, b: [], c: null },
  ])
    expect(rowParser(row)(given)).toEqual(given);
});

const list = { ...described, name: 'list_toys', plural: 'toys', input: z.object({}) };

test.each(WRAPPED.filter(([, , path]) => path === 'field'))('no list is ordered by a masked field %s', (_name, field) => {
  const declare = (item: z.ZodObject, stored = item) =>
    toys.list({
      ...list,
      item,
      order: asc('field', 'id') as never,
      present: { stored, show: (row: never) => row },
      find: (_, { sql }) => sql`select 1`,
    });
  const [open, hidden] = [z.object({ id: z.string(), field: z.string() }), z.object({ id: z.string(), field })];
  expect(() => declare(hidden)).toThrow('list_toys: ordered by the masked field field');
  expect(() => declare(open, hidden)).toThrow('list_toys: ordered by the masked field field');
  expect(() => declare(open)).not.toThrow();
});

test.each(['totals', 'present'])('an undeclared mask in the %s of a list is refused', (part) => {
  const item = z.object({ id: z.string() });
  const given =
    part === 'totals'
      ? { totals: z.object({ sum: pay }), computeTotals: async () => ({ sum: 1 }) }
      : { present: { stored: item.extend({ sum: pay.optional() }), show: ({ id }: { id: string }) => ({ id }) } };
  const declare = () => domain().list({ ...list, item, order: asc('id'), find: (_, { sql }) => sql`select 1`, ...(given as object) });
  expect(declare).toThrow("toys.list_toys: sum has the mask 'pay', which the domain does not declare");
});

test('the audit log leaves out masked values at any depth', () => {
  const output = z.object({ lines: z.array(z.object({ label: z.string(), figure: pay.optional() })), months: z.record(z.string(), pay) });
  const tool = toys.write({
    ...described,
    effect: 'changes',
    input: z.object({}),
    output,
    prepare: async () => ({ summary: '', subject: { label: '', id: '' }, changes: [] }),
    execute: async () => ({ lines: [], months: {} }),
  });
  const change = (field: string, to: unknown) => ({ field, label: field, from: null, to, format: 'text' as const });
  const changes = [
    change('figure', 4711),
    change('lines.figure', 4711),
    change('months', { jan: 4711 }),
    change('lines', [{ label: 'a', figure: 4711 }]),
    change('label', 'a'),
  ];
  const runtime = { registry: createRegistry([tool]), clock: { now: () => new Date(0) } };
  const person = { principal: 'p', username: 'u' } as Person;
  const request = {
    server: 'toys',
    tool: 'get_toy',
    input: {},
    surface: 'rest',
    requestId: 'r',
    caller: { person, origin: 'web' } as Caller,
  } as const;
  const record = recorder.wroteAtOnce(
    { runtime, request, tool, started: 0 },
    { status: 'success', data: null },
    {
      record: undefined,
      changes,
      touched: [],
      reason: null,
      confidential: undefined,
    },
  );
  expect(record.changes).toEqual([
    { field: 'figure' },
    { field: 'lines.figure' },
    { field: 'months' },
    { field: 'lines', from: null, to: [{ label: 'a', figure: HIDDEN }] },
    { field: 'label', from: null, to: 'a' },
  ]);
});

describe('a row that the store parsed with the schema of the answer', () => {
  let parses = 0;
  const row = z.object({
    id: z.string().refine(() => {
      parses++;
      return true;
    }),
    field: pay,
    inner: z.object({ list: z.array(z.string()) }),
  });
  const parsed = () => rowParser(row)({ id: 'a', field: null, inner: { list: ['x'] }, secret: 's' });

  test('is not parsed again', () => {
    const stored = parsed();
    parses = 0;
    expect(answerParser(row)(stored)).toBe(stored);
    expect(parses).toBe(0);
    expect(answerParser(row.pick({ id: true }))(stored)).toEqual({ id: 'a' });
    expect(parses).toBe(1);
  });

  test('cannot be changed, so no undeclared or unmasked value gets into the answer', () => {
    const stored: Record<string, unknown> = parsed();
    expect(() => (stored['secret'] = 's')).toThrow(TypeError);
    expect(() => (stored['field'] = 1)).toThrow(TypeError);
    expect(() => (stored['inner'] as { list: string[] }).list.push('y')).toThrow(TypeError);
  });

  test('is parsed again as a copy', () => {
    parses = 0;
    expect(answerParser(row)({ ...parsed(), secret: 's' })).toEqual({ id: 'a', field: HIDDEN, inner: { list: ['x'] } });
    expect(parses).toBe(2);
  });
});

test('sensitive inputs are found at any depth', () => {
  const secret = sensitive(z.string());
  const input = z.object({
    a: secret.optional().describe('later'),
    b: z.array(z.object({ c: secret })),
    d: z.union([secret, z.null()]),
    e: z.string(),
  });
  expect(sensitiveFieldNames(input)).toEqual(['a', 'c', 'd']);
});
