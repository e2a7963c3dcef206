/** Cases for the filters that follow from the fields of a list's rows, and for the exact count. */
import type { ListMetadata } from '../../declare/answer.ts';
import { dayIn } from '../../declare/company.ts';
import type { ListField } from '../../declare/list-fields.ts';
import type { ListTool } from '../../declare/tool.ts';
import { audienceFor } from '../../engine/access.ts';
import { codeOf, concurrently } from '../tool-caller.ts';
import { ensure, ensureEqual, inShort } from './expect.ts';
import { type ContractCase, nameOf, type Opened, readersOf, type Subject } from './subject.ts';

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

interface Reader {
  readonly opened: Opened;
  readonly tool: ListTool;
  readonly as: string;
}
interface Page {
  readonly rows: readonly Row[];
  readonly metadata: ListMetadata;
}
async function pageOf({ opened, tool, as }: Reader, input: Row): Promise<Page> {
  const { answer } = await opened.caller.call('rest', as, tool, input);
  ensure(answer.status === 'success', `${nameOf(tool)} for ${as} with ${inShort(input)}: expected rows, but got ${inShort(answer)}.`);
  return { rows: answer.data as Row[], metadata: answer.metadata as ListMetadata };
}

const MOST_ROWS = 600;
/** All rows of the list; undefined if there are too many. */
async function allRows(reader: Reader): Promise<readonly Row[] | undefined> {
  const rows: Row[] = [];
  for (let cursor: string | undefined, n = 0; n === 0 || cursor !== undefined; n++) {
    const page = await pageOf(reader, { ...(cursor !== undefined && { cursor }) });
    rows.push(...page.rows);
    cursor = page.metadata.nextCursor;
    if (rows.length > MOST_ROWS) return undefined;
  }
  return rows;
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
        tool.fields.flatMap((field) => filtersFor(field, rows, tool)),
        (filter) => checkFilter(subject, { ...reader, rows }, filter),
      );
    });
  }
}

interface FilterCase {
  readonly field: ListField;
  readonly input: Row;
  matches(value: unknown): boolean;
}

async function checkFilter(
  subject: Subject,
  reader: Reader & { readonly rows: readonly Row[] },
  { field, input, matches }: FilterCase,
): Promise<void> {
  const { opened, tool, as, rows } = reader;
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

/** Filters made of values that rows have, so that each filter separates some rows from others. */
function filtersFor(field: ListField, rows: readonly Row[], tool: ListTool): FilterCase[] {
  const { name, type } = field;
  const declared = tool.input.shape[name] as { safeParse(value: unknown): { success: boolean } } | undefined;
  const accepts = (value: unknown) => declared?.safeParse(value).success === true;
  const { timeZone } = tool.company;
  const plain = (value: unknown) => (type === 'time' && typeof value === 'string' ? dayIn(timeZone, new Date(value)) : value);
  const values = [
    ...new Set(
      rows
        .map((row) => row[name])
        .filter((value) => value !== null && value !== undefined)
        .map(plain),
    ),
  ] as (string | number)[];
  values.sort((a, b) => (a < b ? -1 : 1));
  const [middle, last] = [values[Math.floor(values.length / 2)], values.at(-1)];
  if (middle === undefined || last === undefined) return [];
  const cases: FilterCase[] = [];
  const add = (value: unknown, matches: (value: string | number) => boolean, absent = false) => {
    if (!accepts(value)) return;
    cases.push({
      field,
      input: { [name]: value },
      matches: (each) => (each === null || each === undefined ? absent : matches(plain(each) as string)),
    });
  };
  if (type === 'day' || type === 'time' || type === 'money' || type === 'number' || type === 'whole') {
    add({ from: middle }, (each) => each >= middle);
    add({ to: middle }, (each) => each <= middle);
    add({ from: middle, to: middle }, (each) => each === middle);
  } else if (type === 'flag') add(true, (each) => (each as unknown) === true);
  else if (type !== 'id') {
    add([middle], (each) => each === middle);
    add([middle, last], (each) => each === middle || each === last);
    if (field.nullable) add([middle, null], (each) => each === middle, true);
  }
  return cases;
}
