/** Cases for analyses: each figure equals what plain code computes from the rows that the caller can list. */
import type { Answer } from '../../declare/answer.ts';
import { dayIn } from '../../declare/company.ts';
import { fiscalQuarterOf, fiscalYearOf } from '../../declare/fiscal.ts';
import type { ListField } from '../../declare/list-fields.ts';
import type { AnalyzeTool, ListTool } from '../../declare/tool.ts';
import { audienceFor } from '../../engine/access.ts';
import { codeOf, concurrently } from '../tool-caller.ts';
import { ensure, ensureEqual, inShort } from './expect.ts';
import { allRows } from './list-rows.ts';
import { type ContractCase, nameOf, type Opened, readersOf, type Subject } from './subject.ts';

type Value = string | number | boolean | null;
type Row = Readonly<Record<string, unknown>>;
type Unit = 'day' | 'week' | 'month' | 'quarter' | 'year';
type Measure = 'count' | Readonly<Record<string, string>>;
export interface AskedGroup {
  readonly field: string;
  readonly by?: Unit;
}
export interface AskedAnalysis {
  readonly group_by: readonly (string | AskedGroup)[];
  readonly measures: readonly Measure[];
}
/** The parts of an answer that the rows determine. */
export interface Computed {
  readonly rows: readonly Readonly<Record<string, Value>>[];
  readonly totals: Readonly<Record<string, Value>>;
}

const UNITS: readonly Unit[] = ['day', 'week', 'month', 'quarter', 'year'];
const isPeriod = ({ type }: ListField) => type === 'day' || type === 'time';
const DAY_MS = 86_400_000;

/** The ISO week, counted in Thursdays. */
function weekOf(day: string): string {
  const at = Date.parse(`${day}T00:00:00Z`);
  const thursday = at + (3 - ((new Date(at).getUTCDay() + 6) % 7)) * DAY_MS;
  const year = new Date(thursday).getUTCFullYear();
  return `${year}-W${String(Math.floor((thursday - Date.UTC(year, 0, 1)) / (7 * DAY_MS)) + 1).padStart(2, '0')}`;
}

type Calendar = ListTool['company'];
function periodOf(day: string, unit: Unit, company: Calendar): string {
  if (unit === 'day') return day;
  if (unit === 'week') return weekOf(day);
  if (unit === 'month') return day.slice(0, 7);
  const year = String(fiscalYearOf(day, company)).padStart(4, '0');
  return unit === 'year' ? year : `${year}-Q${fiscalQuarterOf(day, company)}`;
}

/** The value of a field as an analysis shows it. */
function shownValue(field: ListField, row: Row, company: Calendar): Value {
  const value = (row[field.name] ?? null) as Value;
  return value !== null && field.type === 'time' ? dayIn(company.timeZone, new Date(String(value))) : value;
}

/** Half a unit of the last place is rounded up. */
const rounded = (value: number, places: number) => Math.round(value * 10 ** places) / 10 ** places + 0;
/** The sum in units of the last place. */
const units = (values: readonly number[], places: number) => values.reduce((all, value) => all + Math.round(value * 10 ** places), 0);
const placesOf = ({ type }: ListField) => (type === 'money' ? 2 : type === 'whole' ? 0 : 4);

function measureOf(
  list: ListTool,
  measure: Measure,
  { rows, all }: { readonly rows: readonly Row[]; readonly all: readonly Row[] },
): [string, Value] {
  if (measure === 'count') return ['count', rows.length];
  const [[fn, of] = ['', '']] = Object.entries(measure);
  const field = list.fields.find(({ name }) => name === of.replace(/^sum_(?=.)/, fn === 'share' ? '' : 'sum_'));
  if (fn === 'share') {
    if (field === undefined) return ['share_count', all.length === 0 ? null : rounded(rows.length / all.length, 4)];
    const total = (some: readonly Row[]) => measureOf(list, { sum: field.name }, { rows: some, all })[1] as number | null;
    const [part, whole] = [total(rows), total(all)];
    return [`share_sum_${field.name}`, part === null || whole === null || whole === 0 ? null : rounded(part / whole, 4)];
  }
  if (field === undefined) throw new Error(`${list.name} has no field ${of}`);
  const values = rows.map((row) => shownValue(field, row, list.company)).filter((value) => value !== null);
  const name = `${fn}_${of}`;
  if (fn === 'distinct') return [name, new Set(values).size];
  if (values.length === 0) return [name, null];
  const sorted = (values as (string | number)[]).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  if (fn === 'min' || fn === 'max') return [name, (fn === 'min' ? sorted[0] : sorted.at(-1)) ?? null];
  const numbers = sorted as number[];
  const places = field.type === 'money' ? 2 : 4;
  const own = placesOf(field);
  if (fn === 'sum') return [name, units(numbers, own) / 10 ** own];
  if (fn === 'avg') return [name, rounded((units(numbers, own) / numbers.length) * 10 ** (places - own), 0) / 10 ** places];
  const middle = [numbers[(numbers.length - 1) >> 1] ?? 0, numbers[numbers.length >> 1] ?? 0];
  return [name, rounded((units(middle, own) / 2) * 10 ** (places - own), 0) / 10 ** places];
}

/** What an analysis must answer, computed from all rows. */
export function computed(list: ListTool, asked: AskedAnalysis, all: readonly Row[]): Computed {
  const keys = asked.group_by.map((each) => {
    const { field: name, by } = typeof each === 'string' ? { field: each } : each;
    const field = list.fields.find((known) => known.name === name);
    if (field === undefined) throw new Error(`${list.name} has no field ${name}`);
    return {
      name,
      of(row: Row): Value {
        const value = shownValue(field, row, list.company);
        return value !== null && isPeriod(field) ? periodOf(String(value), by ?? 'day', list.company) : value;
      },
    };
  });
  const groups = new Map<string, Row[]>();
  for (const row of all) {
    const key = JSON.stringify(keys.map(({ of }) => of(row)));
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const measured = (rows: readonly Row[]) => asked.measures.map((measure) => measureOf(list, measure, { rows, all }));
  const rows = [...groups].map(([key, own]) =>
    Object.fromEntries([...(JSON.parse(key) as Value[]).map((value, at) => [keys[at]?.name ?? '', value] as const), ...measured(own)]),
  );
  const totals = Object.fromEntries(measured(all));
  return { rows: keys.length === 0 ? [totals] : rows, totals };
}

export interface AnalysisData {
  readonly rows: readonly Readonly<Record<string, Value>>[];
  readonly totals?: Readonly<Record<string, Value>>;
  readonly group_count: number;
  readonly opens: readonly ({ readonly tool: string; readonly input: Row } | null)[];
}

/** Throws if the answer differs from what plain code computes. Ignores the order of the rows. */
export function ensureComputed(
  what: string,
  data: AnalysisData,
  { expected, names }: { readonly expected: Computed; readonly names: readonly string[] },
): void {
  const keyOf = (row: Readonly<Record<string, Value>>) => JSON.stringify(names.map((name) => row[name] ?? null));
  ensureEqual(data.group_count, expected.rows.length, `${what}: the number of groups`);
  const byKey = new Map(expected.rows.map((row) => [keyOf(row), row]));
  ensureEqual(data.rows.length, Math.min(200, expected.rows.length), `${what}: the number of rows`);
  for (const row of data.rows) ensureSame(`${what}: the group ${keyOf(row)}`, row, byKey.get(keyOf(row)));
  if (data.totals !== undefined) ensureSame(`${what}: the totals`, data.totals, expected.totals);
}

function ensureSame(what: string, found: Row, expected: Row | undefined): void {
  ensure(expected !== undefined, `${what} has no rows.`);
  ensureEqual(Object.keys(found).toSorted(), Object.keys(expected).toSorted(), `${what}: the columns`);
  for (const [name, value] of Object.entries(found)) ensureEqual(value, expected[name], `${what}: ${name}`);
}

/** The analyses that the fields of a list allow to this person: every group, period and measure at least once. */
export function analysesOf(fields: readonly ListField[]): AskedAnalysis[] {
  const groups = fields
    .filter((field) => field.groups)
    .flatMap((field): AskedGroup[] => (isPeriod(field) ? UNITS.map((by) => ({ field: field.name, by })) : [{ field: field.name }]));
  const measures = measuresOf(fields);
  return [
    { group_by: [], measures: measures.slice(0, MOST_MEASURES) },
    ...groups.map((group, at) => ({
      group_by: [
        group,
        ...groups
          .slice(at + 1)
          .filter(({ field }) => field !== group.field)
          .slice(0, at % 2),
      ],
      measures: [measures[0] ?? 'count', ...measures.slice(1 + ((at * 3) % Math.max(1, measures.length - 1))).slice(0, 3)],
    })),
  ];
}
export const MOST_MEASURES = 8;

/** Every measure that these fields allow. */
export const measuresOf = (fields: readonly ListField[]): Measure[] => [
  'count',
  { share: 'count' },
  ...fields.flatMap((field): Measure[] => {
    const { name } = field;
    if (field.measures)
      return [...['sum', 'avg', 'median', 'min', 'max', 'distinct'].map((fn) => ({ [fn]: name })), { share: `sum_${name}` }];
    const limits = isPeriod(field) ? [{ min: name }, { max: name }] : [];
    return field.groups && field.type !== 'time' ? [...limits, { distinct: name }] : limits;
  }),
];

/** The fields of a list that this person may see on every row, and the others. */
export function fieldsFor(subject: Pick<Subject, 'people' | 'rolesOf'>, list: ListTool, username: string) {
  const person = subject.people.find((each) => each.username === username);
  const roles = person === undefined ? new Set<string>() : subject.rolesOf(person);
  const audience = audienceFor(list, roles as never) ?? '';
  const { masks = {} } = list.domain;
  const isHidden = ({ mask, hiddenFrom }: ListField) =>
    (mask !== undefined && masks[mask]?.shownTo.some((role) => (roles as ReadonlySet<string>).has(role)) !== true) ||
    hiddenFrom.includes(audience);
  return { visible: list.fields.filter((field) => !isHidden(field)), hidden: list.fields.filter(isHidden) };
}

export function analysisCases(subject: Subject): ContractCase[] {
  const tools = subject.registry.tools.filter((tool): tool is AnalyzeTool => tool.kind === 'analyze');
  return tools.flatMap((tool) =>
    tool.lists.flatMap((list) => [
      { name: `${nameOf(tool)} of ${list.name} equals the rows that the caller can list`, run: () => checkFigures(subject, tool, list) },
      { name: `${nameOf(tool)} of ${list.name} refuses whoever may not use the list`, run: () => checkRights(subject, tool, list) },
      ...(list.fields.some(({ mask, hiddenFrom }) => mask !== undefined || hiddenFrom.length > 0)
        ? [{ name: `${nameOf(tool)} of ${list.name} refuses every use of a hidden field`, run: () => checkHidden(subject, tool, list) }]
        : []),
    ]),
  );
}

const TRIES = 3;
/** Asks again where the answer says so: a busy search server can need longer than the deadline. */
export async function askFigures(
  { caller }: Pick<Opened, 'caller'>,
  { tool, as, input }: { readonly tool: AnalyzeTool; readonly as: string; readonly input: Row },
): Promise<Answer> {
  for (let left = TRIES; ; left -= 1) {
    const { answer } = await caller.call('rest', as, tool, input);
    if (answer.status !== 'error' || !answer.retryable || left === 1) return answer;
  }
}
/** Figures by two kinds of days can be more groups than the engine computes, or than a search server computes in time. */
export const isTooMuch = (answer: Answer): boolean => ['TOO_MANY_GROUPS', 'TIMEOUT'].includes(codeOf(answer));

interface Asking {
  readonly opened: Opened;
  readonly tool: AnalyzeTool;
  readonly as: string;
}
async function analysed({ opened, tool, as }: Asking, input: Row, { mayBeTooMany }: { mayBeTooMany: boolean }) {
  const answer = await askFigures(opened, { tool, as, input });
  if (mayBeTooMany && isTooMuch(answer)) return undefined;
  ensure(answer.status === 'success', `${nameOf(tool)} for ${as} with ${inShort(input)}: expected figures, but got ${inShort(answer)}.`);
  return answer.data as AnalysisData;
}

const namesOf = ({ group_by: by }: AskedAnalysis) => by.map((each) => (typeof each === 'string' ? each : each.field));

/** With more groups than this, the engine refuses the question. */
const MOST_GROUPS = 1_000;
/** The limit also counts days and weeks without rows, so there can be more periods than groups. */
export const isByDays = ({ group_by: by }: AskedAnalysis): boolean =>
  by.some((each) => typeof each !== 'string' && (each.by === 'day' || each.by === 'week'));
const isAnswerable = ({ rows }: Computed) => rows.length <= MOST_GROUPS;

async function checkFigures(subject: Subject, tool: AnalyzeTool, list: ListTool): Promise<void> {
  const opened = await subject.begin();
  for (const as of await readersOf(subject, opened, list)) {
    const asking = { opened, tool, as };
    await opened.server.clock.stoppedFor(async () => {
      const rows = await allRows({ opened, tool: list, as });
      if (rows === undefined) return;
      const analyses = analysesOf(fieldsFor(subject, list, as).visible);
      await concurrently(analyses, async (asked) => {
        const expected = computed(list, asked, rows);
        if (!isAnswerable(expected)) return;
        const input = { of: list.name, ...asked, limit: 200 };
        const what = `${nameOf(tool)} for ${as} with ${inShort(input)}`;
        const data = await analysed(asking, input, { mayBeTooMany: isByDays(asked) });
        if (data === undefined) return;
        ensureComputed(what, data, { expected, names: namesOf(asked) });
        await checkOpens(what, { ...asking, list }, data);
      });
    });
  }
}

/** A figure opens as many rows as it counts. */
async function checkOpens(
  what: string,
  { opened, list, as }: Asking & { readonly list: ListTool },
  { rows, opens }: AnalysisData,
): Promise<void> {
  ensureEqual(opens.length, rows.length, `${what}: the number of calls that open rows`);
  for (const at of new Set([0, rows.length - 1])) {
    const [row, open] = [rows[at], opens[at]];
    if (row === undefined || open === null || open === undefined) continue;
    const { answer } = await opened.caller.call('rest', as, list, { ...open.input, limit: 1, count: true });
    ensure(answer.status === 'success', `${what}: ${inShort(open)} answers ${inShort(answer)}.`);
    ensureEqual(
      (answer.metadata as { count?: number } | undefined)?.count,
      row['count'],
      `${what}: the number of rows of ${inShort(open)}`,
    );
  }
}

async function checkRights(subject: Subject, tool: AnalyzeTool, list: ListTool): Promise<void> {
  const opened = await subject.begin();
  for (const { username } of subject.people) {
    const [direct, figures] = await Promise.all([
      opened.caller.call('rest', username, list, { limit: 1 }),
      opened.caller.call('rest', username, tool, { of: list.name }),
    ]);
    if (direct.answer.status === 'success')
      ensure(figures.answer.status === 'success', `${nameOf(tool)} for ${username}: expected figures, but got ${inShort(figures.answer)}.`);
    else ensureEqual(figures.answer, direct.answer, `${nameOf(tool)} of ${list.name} for ${username}`);
  }
}

async function checkHidden(subject: Subject, tool: AnalyzeTool, list: ListTool): Promise<void> {
  const opened = await subject.begin();
  for (const { username: as } of subject.callersOf(list)) {
    const uses = fieldsFor(subject, list, as).hidden.flatMap(({ name }): Row[] => [
      { group_by: [name] },
      { group_by: [{ field: name, by: 'month' }] },
      ...['distinct', 'sum', 'avg', 'median', 'min', 'max'].map((fn) => ({ measures: [{ [fn]: name }] })),
      { measures: [{ share: `sum_${name}` }] },
      { measures: ['count', { avg: name }], sort: { by: `avg_${name}` } },
      ...(Object.hasOwn(list.input.shape, name)
        ? [{ where: { [name]: { from: 1 } } }, { where: { [name]: { to: 1 } }, compare: 'previous_year' }]
        : []),
    ]);
    await concurrently(uses, async (use) => {
      const { answer } = await opened.caller.call('rest', as, tool, { of: list.name, ...use });
      const code = codeOf(answer);
      ensure(code === 'FIELD_HIDDEN', `${nameOf(tool)} for ${as} with ${inShort(use)}: expected FIELD_HIDDEN, but got ${code}.`);
    });
  }
}
