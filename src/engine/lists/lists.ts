/** Runs list tools and reads the pages of resources: opens the cursor, queries the store, seals the next cursor. */
import type { Answer } from '../../declare/answer.ts';
import type { KeyPart } from './cursor.ts';
import { pageOf, splitInput, windowed } from './page.ts';
import { createCallContext } from '../access.ts';
import type { ReadyCall } from '../runtime.ts';
import type { Queries, StoreKind } from '../../declare/store-kinds.ts';
import type { ListTool, PagesTool } from '../../declare/tool.ts';

export async function listRows({ runtime, tool, session, store, input, now }: ReadyCall<ListTool>): Promise<Answer> {
  const asked = splitInput(input);
  const binding = { server: tool.domain.name, tool: tool.name, filters: asked.filters, person: session.person };
  const after = asked.cursor === undefined ? undefined : runtime.cursors.open(asked.cursor, binding);
  const { order, rows: source, show } = tool.page(input, createCallContext(session, now, {}));
  const window = { order, after, take: asked.limit + 1 };
  const found =
    'fetchAll' in source
      ? windowed(await store.read(session, (handles) => source.fetchAll(createCallContext(session, now, handles))), window)
      : await store.page(session, source.query as Queries[StoreKind], window, source.stored);
  const rows = found.map(show);
  const { plural, totals } = tool;
  const summary = totals && (await store.read(session, (handles) => totals.compute(input, createCallContext(session, now, handles))));
  const filterNames = Object.keys(tool.input.shape).filter((key) => key !== 'limit' && key !== 'cursor' && key !== 'sort');
  const nextCursor = (last: Readonly<Record<string, unknown>>) =>
    runtime.cursors.seal(
      order.keys.map((key) => last[key] as KeyPart),
      binding,
    );
  const page = pageOf(rows, asked, { filterNames, plural, nextCursor, summary, hoisted: totals?.hoisted ?? [] });
  return { status: 'success', ...page };
}

/** Reads one page of a resource. The cursor contains the transaction of the first page, and all pages show the data as of it. */
export async function readResourcePage({ runtime, tool, session, store, input, now }: ReadyCall<PagesTool>): Promise<Answer> {
  const asked = splitInput(input);
  const binding = { server: tool.domain.name, tool: tool.name, filters: asked.filters, person: session.person };
  const [asOf, after] = (asked.cursor === undefined ? [] : runtime.cursors.open(asked.cursor, binding)) as readonly number[];
  const found = await store.read(session, (handles) =>
    tool.part({ asOf, after, limit: asked.limit }, createCallContext(session, now, handles)),
  );
  const next = found.next === null ? null : runtime.cursors.seal([found.asOf, found.next], binding);
  return {
    status: 'success',
    data: { resource_uri: tool.name, as_of_tx_id: found.asOf, items: found.items, next_cursor: next },
  };
}
