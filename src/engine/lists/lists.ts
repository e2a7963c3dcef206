/** Runs list tools and reads the pages of resources: opens the cursor, queries the store, seals the next cursor. */
import type { Answer } from '../../declare/answer.ts';
import { failure } from '../../declare/errors.ts';
import type { Filter } from '../../declare/filter.ts';
import type { Row } from '../../declare/rows.ts';
import type { CallSession, Store } from '../store.ts';
import { refuseHidden } from './hidden.ts';
import { keysOf, withoutNulls } from './keyset.ts';
import { pageOf, splitInput, windowed } from './page.ts';
import { createCallContext } from '../access.ts';
import type { ReadyCall } from '../runtime.ts';
import type { Queries, StoreKind } from '../../declare/store-kinds.ts';
import type { ListTool, PagesTool } from '../../declare/tool.ts';

export async function listRows({ runtime, tool, session, store, input, now }: ReadyCall<ListTool>): Promise<Answer> {
  const asked = splitInput(input);
  const binding = { server: tool.domain.name, tool: tool.name, filters: asked.filters, person: session.person };
  const after = asked.cursor === undefined ? undefined : runtime.cursors.open(asked.cursor, binding);
  const { order, rows: source, where, compared, show } = tool.page(input, createCallContext(session, now, {}));
  refuseHidden(compared, session);
  const window = { order, after, take: asked.limit + 1, where };
  let found: Row[];
  let count: number | undefined;
  if ('fetchAll' in source) {
    const all = await store.read(session, (handles) => source.fetchAll(createCallContext(session, now, handles)));
    found = windowed(all, window);
    if (asked.count) count = all.length;
  } else {
    const query = source.query as Queries[StoreKind];
    found = await store.page(session, query, withoutNulls(window), source.stored);
    // If the first page is also the last one, it contains all rows, so they need not be counted again.
    if (asked.count)
      count = after === undefined && found.length <= asked.limit ? found.length : await countRows(store, session, { query, where });
  }
  const { plural, totals } = tool;
  // The tool computes its totals from its own inputs only. With derived filters, these totals would include rows outside of the list.
  const summary =
    totals && where === undefined
      ? await store.read(session, (handles) => totals.compute(input, createCallContext(session, now, handles)))
      : undefined;
  const filterNames = Object.keys(tool.ownInput.shape).filter((key) => key !== 'limit' && key !== 'cursor' && key !== 'sort');
  const nextCursor = (last: Row) => runtime.cursors.seal(keysOf(order, last), binding);
  const page = pageOf(found.map(show), asked, {
    filterNames,
    plural,
    nextCursor,
    summary,
    hoisted: summary === undefined ? [] : (totals?.hoisted ?? []),
    count,
  });
  return { status: 'success', ...page };
}

/** The exact number of rows under the caller's rights. */
async function countRows(store: Store<StoreKind>, session: CallSession, { query, where }: Counted): Promise<number> {
  if (store.groups === undefined) throw failure('SERVICE_UNAVAILABLE', 'This store cannot count.');
  const [group] = await store.groups(session, query, { where, by: [], measures: [{ of: 'count' }], most: 1 });
  return Number(group?.values[0] ?? 0);
}
interface Counted {
  readonly query: Queries[StoreKind];
  readonly where: Filter | undefined;
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
