/**
 * Runs `get_history`: the changes of one record, from the audit chains of the domain's store. The caller must see the record now, and gets
 * only the fields that they may see on it. Values of masked fields are not in the chains.
 */
import { z } from 'zod';
import type { Answer } from '../../declare/answer.ts';
import { dayIn } from '../../declare/company.ts';
import { Failure, toolFailure } from '../../declare/errors.ts';
import { HIDDEN, labelFor } from '../../declare/fields.ts';
import { filters } from '../../declare/filter.ts';
import type { Row } from '../../declare/rows.ts';
import type { Queries, StoreKind } from '../../declare/store-kinds.ts';
import { canWrite, type EffectTool, type HistoryTool, type ListTool, type ReadTool, type RecordType } from '../../declare/tool.ts';
import { createCallContext, opens, sessionFor, withNeeds } from '../access.ts';
import { auditKey, recordKey } from '../audit/keys.ts';
import { masksByField } from '../audit/recorder.ts';
import { pageOf, splitInput } from '../lists/page.ts';
import type { AuditQuery, AuditRecord, ChainedRecord } from '../ports.ts';
import type { ReadyCall } from '../runtime.ts';
import { rowIdIn } from './records.ts';
import type { HistoryEvent } from './tool.ts';

type Position = NonNullable<AuditQuery['before']>;

export async function readHistory(call: ReadyCall<HistoryTool>): Promise<Answer> {
  const { runtime, tool, session, store, input } = call;
  const asked = splitInput(input);
  const binding = { server: tool.domain.name, tool: tool.name, filters: asked.filters, person: session.person };
  const after = asked.cursor === undefined ? undefined : runtime.cursors.open(asked.cursor, binding);
  const record = tool.records.find(({ type }) => type === input['type']);
  const id = String(input['id']);
  const fields = record && (await visibleFields(call, record, id));
  if (record === undefined || fields === undefined) throw toolFailure('RECORD_NOT_FOUND', tool.errors);

  const view = createView(call, { key: `${record.type}/${id}`, fields });
  const query = { keys: [recordKey(record.type, id), auditKey('server', tool.domain.name)], limit: asked.limit + 1 };
  const positions = new Map<Row, Position>();
  let before: Position | undefined = after && { at: String(after[0]), chain: String(after[1]), n: Number(after[2]) };
  // Records that the caller may not see are left out, so one step can give less than a page.
  for (;;) {
    const found = await store.audit.newest({ ...query, before });
    for (const each of found) {
      const content = JSON.parse(each.body) as AuditRecord;
      before = positionOf(each, content);
      const event = view(content);
      if (event !== undefined) positions.set({ ...event }, before);
    }
    if (found.length < query.limit || positions.size > asked.limit) break;
  }
  const page = pageOf([...positions.keys()].slice(0, query.limit), asked, {
    filterNames: [],
    plural: 'changes',
    nextCursor: (last) => {
      const { at, chain, n } = positions.get(last) as Position;
      return runtime.cursors.seal([at, chain, n], binding);
    },
    summary: undefined,
    hoisted: [],
    count: undefined,
  });
  return { status: 'success', ...page };
}

const positionOf = ({ chain, n }: ChainedRecord, { at }: AuditRecord): Position => ({ at, chain, n });

/** The fields of the record that the caller sees; undefined if no tool shows the record to them. */
async function visibleFields(call: ReadyCall<HistoryTool>, { id: key, shownBy }: RecordType, id: string): Promise<Set<string> | undefined> {
  const { person, proof } = call.request.caller;
  for (const shower of shownBy.filter((each) => opens(each, person.roles))) {
    const session = withNeeds(call.runtime, shower, { session: sessionFor(shower, person, call.request.requestId), proof });
    const isShown =
      shower.kind === 'read' ? await readsOne(call, shower, { session, key, id }) : await listsOne(call, shower, { session, key, id });
    if (isShown) return new Set(fieldsOf(shower));
  }
  return undefined;
}
const fieldsOf = ({ output }: ReadTool | ListTool): string[] => {
  const row = output instanceof z.ZodArray ? output.element : output;
  return row instanceof z.ZodObject ? Object.keys(row.shape) : [];
};

type Session = ReadyCall['session'];

/** Whether the read answers for this id. Another id than the asked one, such as an alias, does not count. */
async function readsOne(
  { store, now }: ReadyCall<HistoryTool>,
  tool: ReadTool,
  { session, key, id }: { readonly session: Session; readonly key: string; readonly id: string },
): Promise<boolean> {
  const rowId = rowIdIn(tool, key);
  if (rowId !== undefined) {
    const all = await store.read(session, (handles) => tool.run(tool.input.parse({}), createCallContext(session, now, handles)));
    return (all as readonly Row[]).some((row) => String(row[rowId]) === id);
  }
  const parsed = tool.input.safeParse({ [key]: typedId(tool.input.shape[key] as z.ZodType | undefined, id) });
  if (!parsed.success || String(parsed.data[key]) !== id) return false;
  try {
    await store.read(session, (handles) => tool.run(parsed.data, createCallContext(session, now, handles)));
    return true;
  } catch (error) {
    if (error instanceof Failure && error.status === 404) return false;
    throw error;
  }
}

async function listsOne(
  { store, now }: ReadyCall<HistoryTool>,
  tool: ListTool,
  { session, key, id }: { readonly session: Session; readonly key: string; readonly id: string },
): Promise<boolean> {
  const rowId = rowIdIn(tool, key) ?? tool.rowId;
  const input = tool.input.parse({});
  const { order, rows, where } = tool.page(input, createCallContext(session, now, {}));
  if ('fetchAll' in rows) {
    const all = await store.read(session, (handles) => rows.fetchAll(createCallContext(session, now, handles)));
    return all.some((row) => String(row[rowId]) === id);
  }
  const schema = rows.stored.shape[rowId] as z.ZodType | undefined;
  const value = typedId(schema, id);
  if (value === undefined) return false;
  const isRecord = filters.where({ [rowId]: value });
  const condition = where === undefined ? isRecord : filters.all(where, isRecord);
  const window = { order, after: undefined, take: 1, where: condition };
  return (await store.page(session, rows.query as Queries[StoreKind], window, rows.stored)).length > 0;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** The id in the type of the field; undefined if the field cannot have this value. Each record has one spelling of its id. */
function typedId(schema: z.ZodType | undefined, id: string): string | number | undefined {
  const { type, format } = (schema === undefined ? {} : z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })) as {
    type?: string;
    format?: string;
  };
  if (type === 'integer' || type === 'number')
    return String(Number(id)) === id && Number.isSafeInteger(Number(id)) ? Number(id) : undefined;
  return format !== 'uuid' || UUID.test(id) ? id : undefined;
}

interface Viewed {
  readonly key: string;
  readonly fields: ReadonlySet<string>;
}
type Change = { readonly field: string; readonly from?: unknown; readonly to?: unknown };

/** Returns the function that shows an audit record to the caller; it returns undefined for a record that they may not see. */
function createView({ runtime, tool, session, now, request }: ReadyCall<HistoryTool>, { key, fields }: Viewed) {
  const { person } = request.caller;
  const today = dayIn(session.company.timeZone, now);
  const masks = masksByField(runtime.registry, tool.domain.name);
  const isMasked = ({ field }: Change) =>
    field.split('.').some((name) => [...(masks.get(name) ?? [])].some((mask) => !session.shows.includes(mask)));
  const writes = new Map<string, EffectTool | undefined>();
  const writeOf = (name: string) => {
    if (!writes.has(name)) {
      const found = runtime.registry.find(tool.domain.name, name);
      writes.set(name, found !== undefined && canWrite(found) ? found : undefined);
    }
    return writes.get(name);
  };

  return (content: AuditRecord): HistoryEvent | undefined => {
    if (content.decision !== 'approved' && content.decision !== 'allowed') return undefined;
    const { confidential } = content;
    const isOver = confidential?.until !== undefined && confidential.until <= today;
    if (confidential !== undefined && !isOver && !session.shows.includes(confidential.mask)) return undefined;
    const write = writeOf(content.tool);
    const mayWrite = write !== undefined && opens(write, person.roles);
    const own = content.touched?.find((each) => each.record === key);
    const all = (own?.changes ?? content.changes ?? []) as readonly Change[];
    const shown = all.filter(({ field }) => mayWrite || fields.has(field.split('.')[0] ?? ''));
    if (all.length > 0 && shown.length === 0) return undefined;
    // The other values of such a change, and its reason, can tell what the hidden value is.
    const hides = all.some(isMasked);
    const isOutside = !mayWrite && person.realm === 'customer';
    const by = isOutside ? tool.domain.title : content.username;
    return {
      at: content.at,
      asked_at: content.askedAt ?? content.at,
      tool: content.tool,
      title: write?.title ?? content.tool,
      effect: write?.effect ?? 'changes',
      requested_by: by,
      approved_by: content.decision === 'approved' ? by : null,
      changes: shown.map((change) => ({
        field: change.field,
        label: labelFor(change.field),
        from: hides || !('from' in change) ? HIDDEN : (change.from ?? null),
        to: hides || !('to' in change) ? HIDDEN : (change.to ?? null),
      })),
      reason: own !== undefined || isOutside || content.reason === undefined ? null : hides ? HIDDEN : content.reason,
    };
  };
}
