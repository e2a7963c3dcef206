/** Reads the rows that a person can list, for cases that compare them with filters and figures. */
import type { ListMetadata } from '../../declare/answer.ts';
import { dayIn } from '../../declare/company.ts';
import type { ListField } from '../../declare/list-fields.ts';
import type { ListTool } from '../../declare/tool.ts';
import { ensure, inShort } from './expect.ts';
import { nameOf, type Opened } from './subject.ts';

type Row = Readonly<Record<string, unknown>>;

export interface Reader {
  readonly opened: Opened;
  readonly tool: ListTool;
  readonly as: string;
}
export interface Page {
  readonly rows: readonly Row[];
  readonly metadata: ListMetadata;
}
export async function pageOf({ opened, tool, as }: Reader, input: Row): Promise<Page> {
  const { answer } = await opened.caller.call('rest', as, tool, input);
  ensure(answer.status === 'success', `${nameOf(tool)} for ${as} with ${inShort(input)}: expected rows, but got ${inShort(answer)}.`);
  return { rows: answer.data as Row[], metadata: answer.metadata as ListMetadata };
}

export const MOST_ROWS = 600;
/** All rows of the list; undefined if there are too many. */
export async function allRows(
  reader: Reader,
  { most = MOST_ROWS, where = {} }: { readonly most?: number; readonly where?: Row } = {},
): Promise<readonly Row[] | undefined> {
  const rows: Row[] = [];
  for (let cursor: string | undefined, n = 0; n === 0 || cursor !== undefined; n++) {
    const page = await pageOf(reader, { ...where, ...(cursor !== undefined && { cursor }) });
    rows.push(...page.rows);
    cursor = page.metadata.nextCursor;
    if (rows.length > most) return undefined;
  }
  return rows;
}

export interface FieldCondition {
  readonly field: ListField;
  /** The input of the list for this field. */
  readonly value: unknown;
  matches(value: unknown): boolean;
}

/** Filters made of values that rows have, so that each filter separates some rows from others. */
export function conditionsOn(field: ListField, rows: readonly Row[], tool: ListTool): FieldCondition[] {
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
  const cases: FieldCondition[] = [];
  const add = (value: unknown, matches: (value: string | number) => boolean, absent = false) => {
    if (!accepts(value)) return;
    cases.push({
      field,
      value,
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
