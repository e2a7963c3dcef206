/** Write tools with `atOnceWhen` write at once if the change concerns only the caller, and otherwise need an approval. */
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { defineDomain } from '../../src/declare/define.ts';
import { answerOf } from '../../src/derive/answers.ts';
import { toolReference } from '../../src/derive/docs.ts';
import { mcpTool } from '../../src/derive/mcp.ts';
import { openapi } from '../../src/derive/openapi.ts';
import { createRegistry } from '../../src/engine/registry.ts';
import { code, databases, openTestRuntime, type TestRuntime } from '../test-runtime.ts';

const spec = {
  name: 'tasks',
  title: 'Notes on a board',
  engine: 1,
  home: import.meta.url,
  port: 3108,
  store: 'sql',
  audiences: { self: { roles: ['employee'], sees: 'the board' } },
} as const;
const board = defineDomain({ ...spec, actsAtOnce: 'A note concerns nobody but its author.' });
const careful = defineDomain(spec);

let prepared: boolean[] = [];
/** The results of `own` in successive calls of `prepare`; the last one repeats. */
let plans: readonly boolean[] = [];
const row = z.object({ id: z.int(), title: z.string() });
const definition = {
  title: 'Pin a note',
  description: 'Pins a note to the board.',
  roles: ['employee'],
  effect: 'removes',
  input: z.object({ title: z.string() }),
  output: row,
} as const;
const phases = {
  async prepare({ title }: { title: string }) {
    const own = plans[Math.min(prepared.length, plans.length - 1)] ?? false;
    prepared.push(own);
    return {
      summary: `Pin ${title}`,
      subject: { label: title, id: title },
      changes: [{ field: 'title', from: null, to: title }],
      own,
      afterwards: 'It can be pinned again.',
    };
  },
};
const pin = board.write({
  ...definition,
  ...phases,
  name: 'pin',
  atOnceWhen: 'the note is your own',
  execute: ({ title }, { sql, me }) =>
    sql.change(
      row,
      sql`insert into tasks.tasks (principal, id, title) select ${me.principal}, count(*)::int + 1, ${title} from tasks.tasks
        returning id, title`,
    ),
});
const always = board.write({ ...definition, ...phases, name: 'always_asks', execute: async () => expect.fail('it was not approved') });

test('a tool can write at once only in a domain that declares why', () => {
  const undeclared = { ...definition, ...phases, name: 'pin', atOnceWhen: 'it rains', execute: async () => ({ id: 1, title: '' }) };
  expect(() => careful.write(undeclared)).toThrow('does not say why');
  expectTypeOf<Parameters<typeof board.write>[0]>().toHaveProperty('atOnceWhen');
  expectTypeOf<Parameters<typeof careful.write>[0]>().not.toHaveProperty('atOnceWhen');
});

test('the published description says when the tool writes at once', () => {
  const all = createRegistry([pin, always]);
  const { description, outputSchema } = mcpTool(pin, false);
  expect(description).toBe(
    'Pins a note to the board. Happens at once when the note is your own; otherwise nothing is changed by the call itself: it ' +
      'answers pending_confirmation with a link where the person approves.',
  );
  expect(outputSchema).toMatchObject({ properties: { status: { enum: ['success', 'error', 'pending_confirmation'] } } });
  expect(mcpTool(always, false).description).toMatch(/^Pins a note to the board\. Nothing is changed by the call itself/);
  const done = { status: 'success', data: { id: 1, title: 'Tea' } };
  expect(answerOf(pin).safeParse(done).success).toBe(true);
  expect(answerOf(always).safeParse(done).success).toBe(false);
  const { paths } = openapi(all, '1') as { paths: Record<string, { post: { responses: Record<number, { description: string }> } }> };
  expect(paths['/api/tools/tasks/pin']?.post.responses[200]).toMatchObject({
    description: 'Done when the note is your own, else waits for approval',
    content: { 'application/json': { schema: { anyOf: [{ type: 'object' }, { $ref: '#/components/schemas/Pending' }] } } },
  });
  expect(toolReference(all)).toContain('*Writes at once when the note is your own, else after a person approves.*');
});

describe.each(databases)('a write tool on %s', (_name, database) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database, tools: [pin, always] });
    await testRuntime.owner('delete from tasks.tasks');
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });
  const call = (own: readonly boolean[], title: string, tool = 'pin') => {
    prepared = [];
    plans = own;
    return testRuntime.call('frank.davis', 'tasks', tool, { title });
  };
  const pinned = async () => (await testRuntime.owner('select title from tasks.tasks order by id')).map(({ title }) => title);
  const auditLog = async () =>
    (await testRuntime.owner('select body from tasks.audit order by at, n')).map(
      ({ body }) => JSON.parse(String(body)) as Record<string, unknown>,
    );
  const calls = () => testRuntime.runtime.audit.newest({ limit: 50 });

  test("writes the caller's own data at once, after it prepared the change again in the transaction, and records it", async () => {
    expect(await call([true], 'Tea')).toEqual({
      status: 'success',
      data: { id: 1, title: 'Tea' },
      message: expect.stringMatching(/^[A-Z].*\.$/) as string,
    });
    expect(prepared).toEqual([true, true]);
    expect(await pinned()).toEqual(['Tea']);
    expect(await auditLog()).toMatchObject([
      { tool: 'pin', decision: 'allowed', username: 'frank.davis', rows: 1, changes: [{ field: 'title', from: null, to: 'Tea' }] },
    ]);
    expect(await calls()).toEqual([]);
    expect(await testRuntime.owner('select * from tasks.effects')).toEqual([]);
  });

  test('waits for an approval if the change concerns others, and the answer says what can be done afterwards', async () => {
    const asked = await call([false], 'Coffee');
    expect(asked).toMatchObject({
      status: 'pending_confirmation',
      message: 'Pin Coffee? It can be pinned again. Nothing has changed yet.',
      confirmationData: { afterwards: 'It can be pinned again.' },
    });
    expect(await pinned()).toEqual(['Tea']);
    expect((await calls()).length).toBe(1);
    if (asked.status !== 'pending_confirmation') throw new Error('no card');
    expect(await testRuntime.approve('frank.davis', asked.confirmationId)).toMatchObject({ status: 'success', data: { title: 'Coffee' } });
    expect(await pinned()).toEqual(['Tea', 'Coffee']);
    expect((await auditLog()).at(-1)).toMatchObject({ decision: 'approved', confirmationId: asked.confirmationId });
  });

  test('writes nothing if the row changed its owner between the two preparations', async () => {
    expect(code(await call([true, false], 'Milk'))).toBe('CHANGED_SINCE_APPROVAL');
    expect(await pinned()).toEqual(['Tea', 'Coffee']);
    expect((await auditLog()).length).toBe(2);
  });

  test('without `atOnceWhen` never writes at once', async () => {
    expect(code(await call([true], 'Sugar', 'always_asks'))).toBe('pending_confirmation');
    expect(await pinned()).toEqual(['Tea', 'Coffee']);
  });
});
