/** Cases for the filters that follow from the fields of a list's rows, and for the exact count. */
import type { ListTool } from '../../declare/tool.ts';
import { audienceFor } from '../../engine/access.ts';
import { codeOf, concurrently } from '../tool-caller.ts';
import { ensure, ensureEqual, inShort } from './expect.ts';
import { allRows, conditionsOn, type FieldCondition, MOST_ROWS, pageOf, type Reader } from './list-rows.ts';
import { type ContractCase, nameOf, readersOf, type Subject } from './subject.ts';

type Row = Readonly<Record<string, unknown>>;

export function filterCases(subject: Subject): ContractCase[] {
  const lists = subject.registry.tools.filter((tool): tool is ListTool => tool.kind === 'list');
  return lists.flatMap((tool) => [
    { name: `${nameOf(tool)} counts all rows that the caller may see`, run: () => checkCount(subject, tool) },
    ...(tool.fields.length === 0
      ? []
      : [{ name: `${nameOf(tool)} filters by each field of its rows that the caller may see`, run: () => checkFilters(subject, tool) }]),
  ]);
}

async function checkCount(subject: Subject, tool: ListTool): Promise<void> {
  const opened = await subject.begin();
  for (const as of await readersOf(subject, opened, tool)) {
    const reader = { opened, tool, as };
    const what = `${nameOf(tool)} for ${as} with count`;
    const [rows, { metadata }] = await opened.server.clock.stoppedFor(async () => [
      await allRows(reader),
      await pageOf(reader, { limit: 1, count: true }),
    ]);
    if (rows === undefined) ensure((metadata.count ?? 0) > MOST_ROWS, `${what}: ${metadata.count} instead of more than ${MOST_ROWS}.`);
    else ensureEqual([metadata.count, metadata.totalCount], [rows.length, String(rows.length)], what);
  }
}

async function checkFilters(subject: Subject, tool: ListTool): Promise<void> {
  const opened = await subject.begin();
  for (const as of await readersOf(subject, opened, tool)) {
    const reader = { opened, tool, as };
    await opened.server.clock.stoppedFor(async () => {
      const rows = await allRows(reader);
      if (rows === undefined) return;
      await concurrently(
        tool.fields.flatMap((field) => conditionsOn(field, rows, tool)),
        (filter) => checkFilter(subject, { ...reader, rows }, filter),
      );
    });
  }
}

async function checkFilter(
  subject: Subject,
  reader: Reader & { readonly rows: readonly Row[] },
  { field, value, matches }: FieldCondition,
): Promise<void> {
  const { opened, tool, as, rows } = reader;
  const input = { [field.name]: value };
  const what = `${nameOf(tool)} for ${as} with ${inShort(input)}`;
  const person = subject.people.find(({ username }) => username === as);
  const roles = person && subject.rolesOf(person);
  const audience = roles && audienceFor(tool, roles);
  const { masks = {} } = tool.domain;
  const isMasked = field.mask !== undefined && !masks[field.mask]?.shownTo.some((role) => roles?.has(role));
  if (isMasked || field.hiddenFrom.includes(audience ?? '')) {
    const code = codeOf((await opened.caller.call('rest', as, tool, input)).answer);
    return ensure(code === 'FIELD_HIDDEN', `${what}: expected FIELD_HIDDEN, but got ${code}.`);
  }
  const page = await pageOf(reader, { ...input, count: true });
  const expected = rows.filter((row) => matches(row[field.name]));
  ensureEqual(page.metadata.count, expected.length, `${what}: the count`);
  ensureEqual(page.rows, expected.slice(0, 50), `${what}: the rows`);
}
