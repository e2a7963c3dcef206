/** Hostile analyses and list inputs on each kind of store: refused with a code, without a text of a driver, and without other rows. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SuccessAnswer } from '../../src/declare/answer.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';

type Row = Readonly<Record<string, unknown>>;
let server: TestServer;
beforeAll(async () => void (server = await openTestServer()), 120_000);
afterAll(() => server?.close());

/** A list on each kind of store, with somebody who may use it. */
const LISTS = [
  { as: 'alice.chen', domain: 'hr', of: 'list_employees', text: 'department', number: 'salary', day: 'hire_date' },
  { as: 'carol.johnson', domain: 'sales', of: 'list_opportunities', text: 'stage', number: 'value', day: 'close_date' },
  { as: 'dan.williams', domain: 'support', of: 'search_tickets', text: 'priority', number: undefined, day: 'created_at' },
] as const;
type List = (typeof LISTS)[number];

async function analyze({ as, domain, of }: List, input: Row | string) {
  const token = await server.token(as);
  const body = typeof input === 'string' ? input : JSON.stringify({ of, ...input });
  const { body: answer } = await server.send<SuccessAnswer | { code: string; message: string }>('POST', `/api/tools/${domain}/analyze`, {
    token,
    body: JSON.parse(body) as Row,
  });
  return answer;
}
async function codeOf(list: List, input: Row | string): Promise<string | undefined> {
  const answer = await analyze(list, input);
  const text = JSON.stringify(answer);
  expect(text).not.toMatch(/syntax error|column ".*" does not exist|SQLITE|Mongo|illegal_argument|pg_|stack|at .*\.ts:/i);
  return (answer as { code?: string }).code;
}

const INJECTIONS = [
  '"; drop table hr.employees; --',
  "department' or '1'='1",
  'department) from hr.pay; select (1',
  '$where',
  'f.pay',
  'department.x',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'department\u0000',
  'DEPARTMENT',
  ' department',
  '_id',
  'row_version',
  'search_name',
  'x'.repeat(80),
];

describe.each(LISTS.map((list) => [`${list.domain} ${list.of}`, list] as const))('%s', (_, list) => {
  test.each(INJECTIONS)('the field %j is no group, measure, filter or order', async (field) => {
    for (const use of [
      { group_by: [field] },
      { group_by: [list.text, { field, by: 'month' }] },
      { measures: [{ sum: field }] },
      { measures: [{ share: `sum_${field}` }] },
      { measures: ['count'], sort: { by: field } },
      { where: { [field]: 'x' } },
    ])
      expect([use, await codeOf(list, use)]).toEqual([use, 'VALIDATION_ERROR']);
  });

  test('prototype keys in JSON are refused', async () => {
    for (const text of ['{"__proto__": {"admin": true}}', '{"constructor": {"prototype": {}}}'])
      expect(await codeOf(list, `{"of": "${list.of}", "where": ${text}}`)).toBe('VALIDATION_ERROR');
    expect(await codeOf(list, `{"of": "${list.of}", "measures": [{"__proto__": "${list.text}"}]}`)).toBe('VALIDATION_ERROR');
    expect(({} as Row)['admin']).toBeUndefined();
  });

  const wrong: readonly (readonly [string, Row])[] = [
    ['1,000 measures', { measures: Array.from({ length: 1_000 }, () => 'count') }],
    ['no measure', { measures: [] }],
    ['a measure with two functions', { measures: [{ min: list.day, max: list.day }] }],
    ['three groups', { group_by: [list.text, { field: list.day, by: 'year' }, list.text] }],
    ['a group twice', { group_by: [list.text, list.text] }],
    ['a limit of zero', { limit: 0 }],
    ['a negative limit', { limit: -1 }],
    ['a limit that is no whole number', { limit: 1.5 }],
    ['a limit above 200', { limit: 201 }],
    ['an unknown period', { group_by: [{ field: list.day, by: 'decade' }] }],
    ['a period of a text', { group_by: [{ field: list.text, by: 'month' }] }],
    ['a sum of a text', { measures: [{ sum: list.text }] }],
    ['a sum of days', { measures: [{ sum: list.day }] }],
    ['10,000 values', { where: { [list.text]: Array.from({ length: 10_000 }, (_each, n) => `v${n}`) } }],
    ['no value', { where: { [list.text]: [] } }],
    ['a range the wrong way', { where: { [list.day]: { from: '2026-02-01', to: '2026-01-01' } } }],
    ['a range without limits', { where: { [list.day]: {} } }],
    ['a day that does not exist', { where: { [list.day]: { from: '2026-02-30' } } }],
    ['a condition of a store', { where: { [list.day]: { $gt: '2026-01-01' } } }],
    ['1,000 conditions', { where: Object.fromEntries(Array.from({ length: 1_000 }, (_each, n) => [`f${n}`, n])) }],
    ['a limit in where', { where: { limit: 1 } }],
    ['a cursor in where', { where: { cursor: 'x' } }],
    ['a count in where', { where: { count: true } }],
    ['an order in where', { where: { sort: 'name' } }],
    ['a comparison without a date', { compare: 'previous_year' }],
    ['an unknown comparison', { where: { [list.day]: { from: '2026-01-01' } }, compare: 'next_year' }],
    ['another list', { of: 'list_pay_stubs' }],
    ['an unknown key', { having: 'count > 1' }],
  ];
  test.each(wrong)('%s is refused', async (_name, input) => expect(await codeOf(list, input)).toBe('VALIDATION_ERROR'));

  test('a share of nothing is null, and a group limit keeps the totals of all groups', async () => {
    const none = (await analyze(list, {
      where: { [list.day]: { from: '1900-01-01', to: '1900-01-02' } },
      measures: ['count', { share: 'count' }],
    })) as SuccessAnswer;
    expect(none.data).toMatchObject({ rows: [{ count: 0, share_count: null }] });
    const all = (await analyze(list, { group_by: [list.text] })) as SuccessAnswer;
    const two = (await analyze(list, { group_by: [list.text], limit: 2 })) as SuccessAnswer;
    const { rows, totals, group_count } = all.data as { rows: Row[]; totals: Row; group_count: number };
    expect(two.data).toMatchObject({ rows: rows.slice(0, 2), totals, group_count });
    expect(rows.reduce((sum, row) => sum + Number(row['count']), 0)).toBe(totals['count']);
  });
});

test('a cursor of one order is refused in another', async () => {
  const list = async (input: Row) => (await server.rest('alice.chen', 'hr', 'list_employees', input)).body;
  const { metadata } = (await list({ sort: 'newest', limit: 1 })) as SuccessAnswer;
  const cursor = metadata?.nextCursor;
  expect(await list({ sort: 'newest', limit: 1, cursor })).toMatchObject({ status: 'success' });
  for (const input of [
    { cursor },
    { sort: 'name', cursor },
    { sort: 'highest_salary', cursor },
    { sort: 'newest', department: 'HR', cursor },
  ])
    expect(await list(input)).toMatchObject({ code: 'INVALID_CURSOR' });
  expect(await list({ sort: '__proto__' })).toMatchObject({ code: 'VALIDATION_ERROR' });
});
