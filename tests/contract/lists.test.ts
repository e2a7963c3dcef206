/** Every list is complete and without duplicates while rows change, and its cursors are bound to one query. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { audienceFor } from '../../src/engine/access.ts';
import type { ListMetadata } from '../../src/declare/answer.ts';
import { DEFAULT_COMPANY } from '../../src/declare/company.ts';
import { qualifiedName } from '../../src/engine/registry.ts';
import type { AnyDomain, ListTool, Tool } from '../../src/declare/tool.ts';
import { persona } from '../../domains/sample-company/people.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { exampleOf, someValue } from '../../src/testing/contract/lists.ts';
import { openTestServer } from '../test-server.ts';
import { churn, type Input, narrowed } from './arrange.ts';
import { codeOf, concurrently, type Endpoint, ToolCaller, propertiesOf, today, type Who } from '../../src/testing/tool-caller.ts';
import { byName, callersOf } from './calls.ts';
import { snapshot } from './restore.ts';
import { CUSTOMER_ROLES, rolesIn } from '../registry.ts';

let testServer: TestServer;
let toolCaller: ToolCaller;
let restore: (domain: AnyDomain) => Promise<void>;
beforeAll(async () => {
  testServer = await openTestServer();
  toolCaller = new ToolCaller(testServer);
  restore = await snapshot(testServer);
}, 120_000);
afterAll(() => testServer?.close());

type Row = Readonly<Record<string, unknown>>;
interface Page {
  readonly data: readonly Row[];
  readonly metadata: ListMetadata;
}
const lists = byName.flatMap(([name, tool]) => (tool.kind === 'list' ? [[name, tool] as const] : []));
/** One person for each audience that may call the tool. */
const callersFor = (tool: Tool) => [
  ...new Map(callersOf(tool).map(({ username, realm, roles }) => [audienceFor(tool, rolesIn(realm, roles)), username])).values(),
];

async function page(tool: Tool, who: string | Who, input: Input, endpoint: Endpoint = 'rest'): Promise<Page> {
  const { answer } = await toolCaller.call(endpoint, who, tool, input);
  if (answer.status !== 'success') throw new Error(`${tool.name}: ${JSON.stringify(answer)}`);
  return { data: answer.data as Row[], metadata: answer.metadata as ListMetadata };
}
/** All rows, in pages of `size`. `between` runs after every page. */
async function walk(tool: ListTool, as: string, size: (page: number) => number, between?: (page: number) => Promise<void>): Promise<Row[]> {
  const rows: Row[] = [];
  const part = narrowed[qualifiedName(tool)]?.(today(testServer)) ?? {};
  for (let n = 0, cursor: string | undefined; n === 0 || cursor !== undefined; n++) {
    const limit = size(n);
    const { data, metadata } = await page(tool, as, { ...part, limit, ...(cursor !== undefined && { cursor }) });
    describesItself(metadata, data.length, limit, tool, Object.keys(part));
    rows.push(...data);
    cursor = metadata.nextCursor;
    await between?.(n);
  }
  return rows;
}

function describesItself(metadata: ListMetadata, count: number, limit: number, tool: ListTool, used: readonly string[] = []): void {
  const { hasMore, returnedCount, truncated, totalEstimate, totalCount, warning, hint, nextCursor, summary: _, ...rest } = metadata;
  const more = Object.fromEntries(Object.entries(rest).filter(([key]) => !tool.totals?.hoisted.includes(key)));
  const total = hasMore ? `${limit}+` : String(count);
  expect({ returnedCount, truncated, totalEstimate, totalCount, more }).toEqual({
    returnedCount: count,
    truncated: hasMore,
    totalEstimate: total,
    totalCount: total,
    more: {},
  });
  expect([nextCursor !== undefined, hint !== undefined, warning !== undefined]).toEqual([hasMore, hasMore, hasMore]);
  if (!hasMore) return;
  expect(count).toBe(limit);
  expect(warning).toMatch(new RegExp(`^TRUNCATION WARNING: Only ${limit} of ${limit}\\+ records returned\\.`));
  for (const name of Object.keys(tool.ownInput.shape).filter((key) => !['limit', 'cursor', 'sort', ...used].includes(key)))
    expect(warning).toContain(name);
}

/** The field that identifies a row: the last one of the order. */
function keyOf(tool: ListTool): string {
  const context = {
    me: { ...persona('eve.thompson'), principal: '', organizationId: undefined, employeeId: randomUUID(), roles: new Set<never>() },
    audience: 'everyone',
    now: new Date(),
    today: '2026-11-16',
    company: DEFAULT_COMPANY,
    handles: {},
    needs: {},
  };
  const { order } = tool.page(tool.input.parse({}), { ...context, fail: (code) => expect.fail(code) });
  return order.keys.at(-1) ?? '';
}

it('every list has rows to page through', async () => {
  for (const [name, tool] of lists) {
    const sizes = await Promise.all(callersFor(tool).map(async (as) => (await page(tool, as, { limit: 1 })).metadata.hasMore));
    expect([name, sizes.some(Boolean)]).toEqual([name, true]);
  }
});

describe.each(lists)('%s', (_name, tool) => {
  it.each(callersFor(tool))('%s gets the same rows with every page size', async (as) => {
    const key = keyOf(tool);
    const all = await testServer.clock.stoppedFor(async () => {
      const large = await walk(tool, as, () => 50);
      for (const size of [(n: number) => (n < 5 ? 1 : n < 8 ? 7 : 43), (n: number) => 1 + ((n * 17) % 50)])
        expect(await walk(tool, as, size)).toEqual(large);
      return large;
    });
    expect(new Set(all.map((row) => row[key])).size).toBe(all.length);
    // Without a limit, a page has up to 50 rows.
    const { metadata } = await page(tool, as, narrowed[qualifiedName(tool)]?.(today(testServer)) ?? {});
    expect([metadata.returnedCount, metadata.hasMore]).toEqual([Math.min(all.length, 50), all.length > 50]);
  });

  // The widest audience is enough, because the audience does not change the order.
  it.each(callersFor(tool).slice(0, 1))('%s gets no row twice and misses no row that stays while others come and go', async (as) => {
    const move = churn[tool.domain.name];
    if (!move) expect.fail(`tests/contract/arrange.ts does not know how rows of ${tool.domain.name} come and go`);
    const key = keyOf(tool);
    const ids = (rows: readonly Row[]) => rows.map((row) => row[key]);
    try {
      const before = ids(await walk(tool, as, () => 50));
      const size = Math.max(1, Math.min(50, Math.ceil(before.length / 5)));
      const seen = ids(
        await walk(
          tool,
          as,
          () => size,
          async (n) => {
            await move(testServer, 2 * n);
            await move(testServer, 2 * n + 1);
          },
        ),
      );
      const after = new Set(ids(await walk(tool, as, () => 50)));
      expect(new Set(seen).size).toBe(seen.length);
      const stayed = before.filter((id) => after.has(id));
      // A list of more than twenty rows must have lost some, or the test proves nothing. Rows of a search index are not deleted.
      if (before.length > 20 && tool.domain.store !== 'search') expect(stayed.length).toBeLessThan(before.length);
      expect(stayed.filter((id) => !seen.includes(id))).toEqual([]);
    } finally {
      await restore(tool.domain);
    }
  });

  describe('its cursors', () => {
    let as = '';
    let cursor = '';
    let first: Page;
    beforeAll(async () => {
      for (const caller of callersFor(tool)) {
        const { metadata, ...rest } = await page(tool, caller, { limit: 1 });
        if (metadata.nextCursor === undefined) continue;
        [as, cursor, first] = [caller, metadata.nextCursor, { ...rest, metadata }];
      }
    });
    const used = async (given: unknown, { who = as as string | Who, input = {} as Input, other = tool } = {}) =>
      codeOf((await toolCaller.call('rest', who, other, { ...input, cursor: given })).answer);

    it('work at every endpoint', async () => {
      const pages = await Promise.all(
        (['rest', 'mcp', 'direct', 'direct-mcp'] as const).map((endpoint) => page(tool, as, { limit: 1, cursor }, endpoint)),
      );
      for (const { data } of pages) expect(data).toEqual(pages[0]?.data);
      expect(pages[0]?.data).not.toEqual(first.data);
    });
    it('are opaque, and differ each time', async () => {
      expect(cursor).toMatch(/^[\w-]{40,2000}$/);
      const again = (await page(tool, as, { limit: 1 })).metadata.nextCursor ?? '';
      expect(again).not.toBe(cursor);
      const values = Object.values(first.data[0] ?? {}).filter((value) => typeof value === 'string' && value.length > 3) as string[];
      expect(values.length).toBeGreaterThan(0);
      // One ciphertext may contain a value by chance, but hardly two.
      const readable = [cursor, again].map((each) => {
        const bytes = Buffer.from(each, 'base64url');
        return bytes.toString('latin1') + bytes.toString('utf8') + bytes.toString('utf16le');
      });
      const hidden = [...values, ...values.map((each) => each.replaceAll('-', '')), tool.name, as, '["', '":'];
      expect(hidden.filter((value) => readable.every((text) => text.includes(value)))).toEqual([]);
    });
    it('are refused when any part was changed', async () => {
      const flip = (at: number) => {
        const bytes = Buffer.from(cursor, 'base64url');
        bytes[at] = (bytes[at] ?? 0) ^ 1;
        return bytes.toString('base64url');
      };
      const { length } = Buffer.from(cursor, 'base64url');
      const damaged = [
        ...[0, 5, 11, 12, 20, length - 17, length - 16, length - 1].map(flip),
        cursor.slice(0, -1),
        cursor.slice(1),
        cursor.slice(0, 40),
        `${cursor}A`,
        `${cursor}=`,
        cursor.repeat(2),
        `${cursor} `,
      ];
      const refused = [
        ...damaged,
        '',
        'abc',
        'null',
        '0',
        Buffer.from('{"last":1}').toString('base64'),
        'A'.repeat(4000),
        Buffer.from(JSON.stringify(['a', 'b', 'c'])).toString('base64url'),
      ];
      const codes = await concurrently(refused, async (given) => [given.slice(0, 60), await used(given)]);
      expect(codes).toEqual(refused.map((given) => [given.slice(0, 60), 'INVALID_CURSOR']));
    });
    it('are refused with other filters', async () => {
      const fields = propertiesOf(tool).filter(([name]) => !['limit', 'cursor', 'count'].includes(name));
      await concurrently(fields, async ([key, property]) =>
        expect([key, await used(cursor, { input: { [key]: exampleOf(tool, key, today(testServer)) ?? someValue(property) } })]).toEqual([
          key,
          'INVALID_CURSOR',
        ]),
      );
    });
    it('are refused by every other list', async () => {
      const others = lists
        .map(([, each]) => each)
        .filter((each) => each !== tool && callersOf(each).some(({ username }) => username === as));
      await concurrently(others, async (other) =>
        expect([other.name, await used(cursor, { other })]).toEqual([other.name, 'INVALID_CURSOR']),
      );
      const auditLog = await testServer.send('GET', `/api/audit?cursor=${cursor}`, { token: await toolCaller.token(as) });
      expect([auditLog.status, codeOf(auditLog.body)]).toEqual([400, 'INVALID_CURSOR']);
    });
    it('are refused from another person, and from the same person with other roles', async () => {
      for (const { username } of callersOf(tool).filter((each) => each.username !== as))
        expect([username, await used(cursor, { who: username })]).toEqual([username, 'INVALID_CURSOR']);
      const { accounts } = testServer.tamshai.modules.identity;
      const { realm } = persona(as);
      const roles: string[] = [...persona(as).roles];
      const others = [
        [
          ...roles,
          ...(realm === 'customer'
            ? CUSTOMER_ROLES.filter((role) => !roles.includes(role))
            : [roles.includes('tax-read') ? 'payroll-read' : 'tax-read']),
        ],
        roles.filter((role) => role !== 'manager'),
      ].filter((set) => set.length !== roles.length && tool.roles.some((role) => rolesIn(realm, set).has(role)));
      expect(others.length).toBeGreaterThan(0);
      try {
        for (const set of others) {
          await accounts.setRoles(as, set);
          expect([set, await used(cursor, { who: { user: as, roles: set } })]).toEqual([set, 'INVALID_CURSOR']);
        }
      } finally {
        await accounts.setRoles(as, roles);
      }
      expect(await used(cursor)).toBe('success');
    });
  });
});
