/** Cases for lists: every page size gives the same rows in the same order. A cursor is valid only for its own call and caller. */
import { randomUUID } from 'node:crypto';
import type { ListMetadata } from '../../declare/answer.ts';
import { HIDDEN } from '../../declare/display.ts';
import type { ListTool, Tool } from '../../declare/tool.ts';
import { codeOf, concurrently, type Property, propertiesOf, today } from '../tool-caller.ts';
import { fieldsFor } from './analyses.ts';
import { ensure, ensureEqual, inShort } from './expect.ts';
import { type ContractCase, nameOf, type Opened, readersOf, type Subject } from './subject.ts';

type Row = Readonly<Record<string, unknown>>;
interface Page {
  readonly rows: readonly Row[];
  readonly metadata: ListMetadata;
}

export function listCases(subject: Subject): ContractCase[] {
  const lists = subject.registry.tools.filter((tool): tool is ListTool => tool.kind === 'list');
  const pages = lists.flatMap((tool) => [
    { name: `${nameOf(tool)} gives the same rows with every page size`, run: () => checkPages(subject, tool) },
    { name: `${nameOf(tool)} accepts a cursor only for the same call of the same person`, run: () => checkCursors(subject, tool, lists) },
  ]);
  return [...pages, ...orderCases(subject)];
}

export function orderCases(subject: Subject): ContractCase[] {
  const lists = subject.registry.tools.filter((tool): tool is ListTool => tool.kind === 'list');
  return lists
    .filter((tool) => sortsOf(tool).length > 0)
    .map((tool) => ({ name: `${nameOf(tool)} pages through its rows in each order`, run: () => checkOrders(subject, tool) }));
}

async function pageOf({ caller }: Opened, tool: Tool, { as, input }: { readonly as: string; readonly input: Row }): Promise<Page> {
  const { answer } = await caller.call('rest', as, tool, input);
  ensure(answer.status === 'success', `${nameOf(tool)} for ${as} with ${inShort(input)}: expected rows, but got ${inShort(answer)}.`);
  return { rows: answer.data as Row[], metadata: answer.metadata as ListMetadata };
}

/** More rows would only take longer. */
const MOST_ROWS = 200;
async function walk(
  opened: Opened,
  tool: Tool,
  { as, size, sort }: { readonly as: string; readonly size: (page: number) => number; readonly sort?: string },
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let n = 0, cursor: string | undefined; n === 0 || (cursor !== undefined && rows.length < MOST_ROWS); n++) {
    const limit = size(n);
    const input = { limit, ...(sort !== undefined && { sort }), ...(cursor !== undefined && { cursor }) };
    const page = await pageOf(opened, tool, { as, input });
    checkMetadata(`${nameOf(tool)} for ${as} with limit ${limit}`, page, limit);
    rows.push(...page.rows);
    cursor = page.metadata.nextCursor;
  }
  return rows.slice(0, MOST_ROWS);
}

function checkMetadata(what: string, { rows, metadata }: Page, limit: number): void {
  const { hasMore, returnedCount, truncated, totalEstimate, totalCount, warning, hint, nextCursor } = metadata;
  const total = hasMore ? `${limit}+` : String(rows.length);
  ensureEqual(
    { returnedCount, truncated, totalEstimate, totalCount },
    { returnedCount: rows.length, truncated: hasMore, totalEstimate: total, totalCount: total },
    `${what}: the metadata`,
  );
  ensureEqual(
    [nextCursor, hint, warning].map((each) => each !== undefined),
    [hasMore, hasMore, hasMore],
    `${what}: cursor, hint and warning`,
  );
  ensure(!hasMore || rows.length === limit, `${what}: more rows follow, but the page has only ${rows.length}.`);
}

const SIZES: readonly ((page: number) => number)[] = [(n) => (n < 5 ? 1 : n < 8 ? 7 : 43), (n) => 1 + ((n * 17) % 50)];

async function checkPages(subject: Subject, tool: Tool): Promise<void> {
  const opened = await subject.begin();
  let most = 0;
  for (const username of await readersOf(subject, opened, tool)) {
    const rows = await opened.server.clock.stoppedFor(async () => {
      const large = await walk(opened, tool, { as: username, size: () => 50 });
      for (const size of SIZES)
        ensureEqual(await walk(opened, tool, { as: username, size }), large, `${nameOf(tool)} for ${username}: the rows in smaller pages`);
      return large;
    });
    most = Math.max(most, rows.length);
    const distinct = new Set(rows.map((row) => JSON.stringify(row)));
    ensure(distinct.size === rows.length, `${nameOf(tool)} for ${username}: ${rows.length - distinct.size} rows come twice.`);
    const { metadata } = await pageOf(opened, tool, { as: username, input: {} });
    ensureEqual(metadata.returnedCount, Math.min(rows.length, 50), `${nameOf(tool)} for ${username}: the number of rows without a limit`);
  }
  ensure(
    most > 1 || subject.callersOf(tool).length === 0,
    `${nameOf(tool)}: nobody sees more than ${most} rows, so paging is not exercised. Add sample rows.`,
  );
}

const sortsOf = ({ orders }: ListTool): string[] => (Object.keys(orders).length > 1 ? Object.keys(orders) : []);

async function checkOrders(subject: Subject, tool: ListTool): Promise<void> {
  const opened = await subject.begin();
  for (const username of await readersOf(subject, opened, tool)) {
    const { hidden } = fieldsFor(subject, tool, username);
    for (const sort of sortsOf(tool)) {
      const order = tool.orders[sort];
      const what = `${nameOf(tool)} for ${username} with sort ${sort}`;
      if (order === undefined || hidden.some(({ name }) => order.keys.includes(name))) {
        const code = codeOf((await opened.caller.call('rest', username, tool, { sort })).answer);
        ensure(code === 'FIELD_HIDDEN', `${what}: expected FIELD_HIDDEN, but got ${code}.`);
        continue;
      }
      const rows = await opened.server.clock.stoppedFor(async () => {
        const large = await walk(opened, tool, { as: username, size: () => 50, sort });
        for (const size of SIZES)
          ensureEqual(await walk(opened, tool, { as: username, size, sort }), large, `${what}: the rows in smaller pages`);
        return large;
      });
      const distinct = new Set(rows.map((row) => JSON.stringify(row)));
      ensure(distinct.size === rows.length, `${what}: ${rows.length - distinct.size} rows come twice.`);
      for (const [at, row] of rows.entries())
        ensure(at === 0 || compared(order, rows[at - 1] ?? {}, row) <= 0, `${what}: row ${at + 1} comes too late: ${inShort(row)}.`);
    }
  }
}

/** A row without a value counts as the lowest. */
function compared({ keys, direction }: ListTool['orders'][string], a: Row, b: Row): number {
  const valueOf = (row: Row, key: string) => (row[key] === HIDDEN || row[key] === undefined ? null : (row[key] as string | number | null));
  for (const key of keys) {
    const [one, other] = [valueOf(a, key), valueOf(b, key)];
    if (one !== other) return (other !== null && (one === null || one < other) ? -1 : 1) * (direction === 'asc' ? 1 : -1);
  }
  return 0;
}

/** A value that the field accepts. No row need have it. */
export function someValue({ type, format, enum: options, minimum, anyOf, properties }: Property): unknown {
  if (options) return options.at(-1);
  if (anyOf) return someValue(anyOf[0] ?? {});
  if (properties) return Object.fromEntries(Object.entries(properties).map(([key, inner]) => [key, someValue(inner)]));
  if (type === 'boolean') return true;
  if (type === 'array') return ['x'];
  if (type === 'integer' || type === 'number') return (minimum ?? 0) + 1;
  return format === 'uuid' ? randomUUID() : format === 'date' ? '2026-01-01' : 'x';
}

/** The value of an input in an example: a text can have a form that its schema does not publish. */
export const exampleOf = (tool: Tool, key: string, day: string): unknown =>
  tool.examples.map(({ input }) => (input(day) as Row)[key]).findLast((value) => value !== undefined);

async function checkCursors(subject: Subject, tool: Tool, lists: readonly Tool[]): Promise<void> {
  const opened = await subject.begin();
  const { caller } = opened;
  let as = '';
  let cursor = '';
  let first: Page | undefined;
  for (const username of await readersOf(subject, opened, tool)) {
    const page = await pageOf(opened, tool, { as: username, input: { limit: 1 } });
    if (page.metadata.nextCursor !== undefined) [as, cursor, first] = [username, page.metadata.nextCursor, page];
  }
  // Another case reports a list in which nobody has a second page.
  if (first === undefined) return;
  for (const endpoint of ['mcp', 'direct', 'direct-mcp'] as const) {
    const [here, there] = await Promise.all(
      (['rest', endpoint] as const).map(async (each) => (await caller.call(each, as, tool, { limit: 1, cursor })).answer),
    );
    const rows = (answer: unknown) => (answer as { data?: unknown }).data;
    ensureEqual(rows(there), rows(here), `${nameOf(tool)} for ${as}: the second page at ${endpoint}`);
  }
  ensure(/^[\w-]{40,2000}$/.test(cursor), `${nameOf(tool)} for ${as}: the cursor is not opaque: ${inShort(cursor)}.`);
  const readable = Buffer.from(cursor, 'base64url').toString('latin1');
  const values = Object.values(first.rows[0] ?? {}).filter((value): value is string => typeof value === 'string' && value.length > 5);
  ensureEqual(
    values.filter((value) => readable.includes(value)),
    [],
    `${nameOf(tool)} for ${as}: the values that the cursor reveals`,
  );

  const refusals: { readonly why: string; readonly user: string; readonly other?: Tool; readonly input: Row }[] = [
    ...damaged(cursor).map((text) => ({ why: `a damaged cursor (${text.slice(0, 20)}…)`, user: as, input: { cursor: text } })),
    ...propertiesOf(tool)
      .filter(([key]) => key !== 'limit' && key !== 'cursor' && key !== 'count')
      .map(([key, property]) => ({
        why: `another filter (${key})`,
        user: as,
        input: { cursor, [key]: exampleOf(tool, key, today(opened.server)) ?? someValue(property) },
      })),
    ...subject
      .callersOf(tool)
      .filter(({ username }) => username !== as)
      .map(({ username }) => ({ why: `the cursor of ${as}`, user: username, input: { cursor } })),
    ...lists
      .filter((other) => other !== tool && subject.callersOf(other).some(({ username }) => username === as))
      .map((other) => ({ why: `a cursor of ${nameOf(tool)}`, user: as, other, input: { cursor } })),
  ];
  await concurrently(refusals, async ({ why, user, other = tool, input }) => {
    const code = codeOf((await caller.call('rest', user, other, input)).answer);
    ensure(code === 'INVALID_CURSOR', `${nameOf(other)} for ${user} with ${why}: expected INVALID_CURSOR, but got ${code}.`);
  });
}

function damaged(cursor: string): string[] {
  const { length } = Buffer.from(cursor, 'base64url');
  const flipped = [0, 5, 12, 20, length - 17, length - 1].map((at) => {
    const bytes = Buffer.from(cursor, 'base64url');
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    return bytes.toString('base64url');
  });
  const guessed = ['', 'abc', '0', Buffer.from('{"last":1}').toString('base64'), 'A'.repeat(4000)];
  return [...flipped, cursor.slice(0, -1), cursor.slice(1), `${cursor}A`, cursor.repeat(2), ...guessed];
}
