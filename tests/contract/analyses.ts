/** Random analyses of every list for every sample person, compared with plain code over the rows that the person can list. */
import fc from 'fast-check';
import type { ListField } from '../../src/declare/list-fields.ts';
import type { AnalyzeTool, ListTool } from '../../src/declare/tool.ts';
import { qualifiedName } from '../../src/engine/registry.ts';
import {
  type AnalysisData,
  type AskedAnalysis,
  type AskedGroup,
  computed,
  ensureComputed,
  fieldsFor,
  askFigures,
  isByDays,
  isTooMuch,
  measuresOf,
} from '../../src/testing/contract/analyses.ts';
import { ensure, ensureEqual, inShort } from '../../src/testing/contract/expect.ts';
import { allRows, conditionsOn, type FieldCondition } from '../../src/testing/contract/list-rows.ts';
import { nameOf, type Opened, type Subject } from '../../src/testing/contract/subject.ts';
import { concurrently, today } from '../../src/testing/tool-caller.ts';
import { narrowed } from './arrange.ts';

type Row = Readonly<Record<string, unknown>>;

/** A list with the rows of one person. */
interface Source {
  readonly tool: AnalyzeTool;
  readonly list: ListTool;
  readonly as: string;
  readonly where: Row;
  readonly rows: readonly Row[];
  readonly fields: readonly ListField[];
}
interface RandomAnalysis extends AskedAnalysis {
  readonly source: Source;
  readonly conditions: readonly FieldCondition[];
  readonly sort: { readonly by: string; readonly order: 'asc' | 'desc' } | undefined;
}

const MOST_ROWS = 3_000;
const MOST_GROUPS = 1_000;

async function sourcesOf(subject: Subject, opened: Opened): Promise<Source[]> {
  const tools = subject.registry.tools.filter((tool): tool is AnalyzeTool => tool.kind === 'analyze');
  const wanted = tools.flatMap((tool) =>
    tool.lists.flatMap((list) => subject.callersOf(list).map(({ username }) => ({ tool, list, as: username }))),
  );
  const read = await concurrently(wanted, async ({ tool, list, as }) => {
    const where = narrowed[qualifiedName(list)]?.(today(opened.server)) ?? {};
    const rows = await allRows({ opened, tool: list, as }, { most: MOST_ROWS, where });
    const fields = fieldsFor(subject, list, as).visible;
    return rows === undefined ? [] : [{ tool, list, as, where, rows, fields }];
  });
  return read.flat();
}

const UNITS = ['day', 'week', 'month', 'quarter', 'year'] as const;
const isPeriod = ({ type }: ListField) => type === 'day' || type === 'time';

function analysisOf(source: Source): fc.Arbitrary<RandomAnalysis> {
  const { fields, list, rows } = source;
  const groups = fields
    .filter((field) => field.groups)
    .flatMap((field): AskedGroup[] => (isPeriod(field) ? UNITS.map((by) => ({ field: field.name, by })) : [{ field: field.name }]));
  const measures = measuresOf(fields);
  const conditions = fields.flatMap((field) => conditionsOn(field, rows, list));
  return fc
    .record({
      group_by: fc.uniqueArray(fc.constantFrom<AskedGroup | undefined>(...groups, undefined), {
        maxLength: 2,
        selector: (group) => group?.field,
      }),
      measures: fc.shuffledSubarray(measures, { minLength: 1, maxLength: Math.min(4, measures.length) }),
      conditions: fc.shuffledSubarray(conditions, { maxLength: Math.min(2, conditions.length) }),
      order: fc.constantFrom('asc', 'desc', undefined),
    })
    .map(({ group_by: by, measures, conditions: chosen, order }) => ({
      source,
      group_by: by.flatMap((group) => group ?? []),
      measures,
      conditions: chosen.filter(({ field }, at) => chosen.findIndex((other) => other.field === field) === at),
      sort: order && sortBy(measures[0], order),
    }));
}

function sortBy(measure: AskedAnalysis['measures'][number] | undefined, order: 'asc' | 'desc') {
  if (measure === undefined || measure === 'count') return { by: 'count', order };
  const [[fn, of] = ['', '']] = Object.entries(measure);
  return measure === undefined ? undefined : { by: `${fn}_${of}`, order };
}

async function check({ caller }: Opened, { source, conditions, group_by, measures, sort }: RandomAnalysis): Promise<void> {
  const { tool, list, as, rows } = source;
  const wanted = sort?.by === 'count' && !measures.includes('count') ? ['count' as const, ...measures] : measures;
  const asked = { group_by, measures: wanted };
  const where = { ...source.where, ...Object.fromEntries(conditions.map(({ field, value }) => [field.name, value])) };
  const matching = rows.filter((row) => conditions.every(({ field, matches }) => matches(row[field.name])));
  const expected = computed(list, asked, matching);
  const input = { of: list.name, where, ...asked, ...(sort && { sort }), limit: 200 };
  const what = `${nameOf(tool)} for ${as} with ${inShort(input)}`;
  const answer = await askFigures({ caller }, { tool, as, input });
  if (isTooMuch(answer) && (isByDays(asked) || expected.rows.length > MOST_GROUPS)) return;
  ensure(answer.status === 'success', `${what}: expected figures, but got ${inShort(answer)}.`);
  const data = answer.data as AnalysisData;
  ensureComputed(what, data, { expected, names: group_by.map((group) => (typeof group === 'string' ? group : group.field)) });
  if (sort !== undefined) checkOrder(what, data, sort, expected.rows);
}

/** The rows shown are the first of all groups in this order; groups without a value come last. */
function checkOrder(
  what: string,
  { rows }: AnalysisData,
  { by, order }: NonNullable<RandomAnalysis['sort']>,
  all: AnalysisData['rows'],
): void {
  const sign = order === 'asc' ? 1 : -1;
  const sorted = all
    .map((row) => row[by] ?? null)
    .toSorted((a, b) => (a === b ? 0 : a === null ? 1 : b === null ? -1 : a < b ? -sign : sign));
  ensureEqual(
    rows.map((row) => row[by] ?? null),
    sorted.slice(0, rows.length),
    `${what}: the order of the rows`,
  );
}

/** The seed is new for each run, and fast-check reports it with a failure. */
export async function checkRandomAnalyses(subject: Subject, runs: number): Promise<void> {
  const opened = await subject.begin();
  await opened.server.clock.stoppedFor(async () => {
    const sources = await sourcesOf(subject, opened);
    const analysis = fc.constantFrom(...sources).chain(analysisOf);
    await fc.assert(
      fc.asyncProperty(analysis, (asked) => check(opened, asked)),
      { numRuns: runs },
    );
  });
}
