/** Runs an analysis: figures over the rows of a list, with the rights of that list. */
import type { Answer } from '../../declare/answer.ts';
import { dayIn } from '../../declare/company.ts';
import { failure } from '../../declare/errors.ts';
import { filters } from '../../declare/filter.ts';
import type { ListField } from '../../declare/list-fields.ts';
import type { Queries, StoreKind } from '../../declare/store-kinds.ts';
import type { AnalyzeTool, ListTool } from '../../declare/tool.ts';
import { createCallContext, sessionFor, withNeeds } from '../access.ts';
import { isHidden, refuseHidden } from '../lists/hidden.ts';
import { parsePublished, publishedInput } from '../parse-input.ts';
import type { NeedingSession, ReadyCall } from '../runtime.ts';
import { answerOf, type Previous } from './answer.ts';
import { type Asking, type FigureGroup, type Figures, figuresOf, withinDays } from './figures.ts';
import { earlier, periodAt, type Range, rangeBefore } from './periods.ts';
import { isPeriod, type Question, resolveQuestion } from './question.ts';
import { NO_ROWS } from './tally.ts';

type Where = Readonly<Record<string, unknown>>;

/** The inputs of a list that page through its rows. */
const PAGING: readonly string[] = ['limit', 'cursor', 'sort', 'count'];
const MOST_HELPFUL = 5;

export async function analyze(call: ReadyCall<AnalyzeTool>): Promise<Answer> {
  const { tool, runtime, request, input } = call;
  const list = tool.lists.find(({ name }) => name === input['of']);
  if (list === undefined) throw failure('VALIDATION_ERROR', `of must be one of ${tool.lists.map(({ name }) => name).join(', ')}.`);
  const { person, proof } = request.caller;
  // The rights are those of the list, whatever the tool allowed.
  const session = withNeeds(runtime, list, { session: sessionFor(list, person, request.requestId), proof });
  const question = resolveQuestion(list, input, session);
  const where = publishedInput(list, input['where'], person);
  const paging = PAGING.find((name) => Object.hasOwn(where, name) && isPaging(list, name));
  if (paging !== undefined) throw failure('VALIDATION_ERROR', `where takes only filters, not ${paging}.`);
  const data = await new Analysis(call, { list, session, question, where }).answer();
  return { status: 'success', data };
}

const isPaging = ({ ownInput, input }: ListTool, name: string): boolean =>
  name === 'count' ? !Object.hasOwn(ownInput.shape, name) : Object.hasOwn(input.shape, name);

interface Resolved {
  readonly list: ListTool;
  readonly session: NeedingSession;
  readonly question: Question;
  readonly where: Where;
}

class Analysis {
  readonly #call: ReadyCall<AnalyzeTool>;
  readonly #resolved: Resolved;
  readonly #today: string;

  constructor(call: ReadyCall<AnalyzeTool>, resolved: Resolved) {
    this.#call = call;
    this.#resolved = resolved;
    this.#today = dayIn(resolved.session.company.timeZone, call.now);
  }

  async answer() {
    const { question, where, session } = this.#resolved;
    const { company } = session;
    // Refuses conditions on hidden fields before it checks anything else.
    const asking = this.#asking(where);
    const byPeriod = question.groupings.some(({ unit }) => unit !== undefined);
    if (question.compare === undefined || byPeriod) {
      const figures = await figuresOf(asking, question);
      const previous = question.compare && (await this.#previousPeriods(figures));
      return answerOf({ question, figures, previous, company, where });
    }
    const [field, range] = this.#comparedRange();
    const bounded = { ...where, [field.name]: range };
    const figures = await figuresOf(this.#asking(bounded), question);
    return answerOf({ question, figures, previous: await this.#previousRange(field, range), company, where: bounded });
  }

  /** The store's query for the rows that match the filters. With `only`, also limits one date field to a range. */
  #asking(where: Where, only?: { readonly field: ListField; readonly range: Range }): Asking {
    const { list, session } = this.#resolved;
    const { store, now } = this.#call;
    const page = list.page(parsePublished(list, where), createCallContext(session, now, {}));
    refuseHidden(page.compared, session);
    if ('fetchAll' in page.rows) throw new Error(`${list.name} has no query`);
    const days = only && withinDays(only.field, only.range, session.company);
    const conditions = [page.where, days].flatMap((each) => each ?? []);
    const [first] = conditions;
    return {
      store,
      session,
      query: page.rows.query as Queries[StoreKind],
      where: first && (conditions.length === 1 ? first : filters.all(...conditions)),
      today: this.#today,
      ranges: new Map([...this.#rangesIn(where), ...(only ? [[only.field.name, only.range] as const] : [])]),
      helpful: this.#helpful(where),
    };
  }

  /** The range that the filters set for each date field. */
  #rangesIn(where: Where): (readonly [string, Partial<Range>])[] {
    return this.#resolved.list.fields.filter(isPeriod).flatMap(({ name }) => {
      const range = Object.hasOwn(where, name) ? where[name] : undefined;
      return typeof range === 'object' && range !== null && !Array.isArray(range) ? [[name, range as Partial<Range>] as const] : [];
    });
  }

  #helpful(where: Where): string[] {
    const { list, session } = this.#resolved;
    const isFree = (field: ListField) =>
      Object.hasOwn(list.input.shape, field.name) && !Object.hasOwn(where, field.name) && !isHidden(field, session);
    return list.fields
      .filter((field) => isFree(field) && (field.groups || isPeriod(field)))
      .map(({ name }) => name)
      .slice(0, MOST_HELPFUL);
  }

  /** The only date range in `where`. The analysis compares it with an earlier range. */
  #comparedRange(): readonly [ListField, Range] {
    const { list, where } = this.#resolved;
    const dates = list.fields.filter(isPeriod).map(({ name }) => name);
    if (dates.length === 0) throw failure('VALIDATION_ERROR', `compare needs a date, and ${list.name} has none.`);
    const ranges = this.#rangesIn(where);
    const [found, ...others] = ranges;
    const [name, { from, to = this.#today }] = found ?? ['', {}];
    const field = list.fields.find((each) => each.name === name);
    if (field === undefined || from === undefined || others.length > 0)
      throw failure(
        'VALIDATION_ERROR',
        `compare needs one date with from and to in where, or a group over periods; the dates of ${list.name} are ${dates.join(', ')}.`,
      );
    if (from > to) throw failure('VALIDATION_ERROR', `compare needs a range of ${name} that has begun; give its end in where.`);
    return [field, { from, to }];
  }

  async #previousRange(field: ListField, range: Range): Promise<Previous> {
    const { question, where } = this.#resolved;
    const before = rangeBefore(range, question.compare ?? 'previous_period');
    const { [field.name]: _, ...others } = where;
    const figures = await figuresOf(this.#asking(others, { field, range: before }), question);
    return { ...previousOf(figures, range, before), hasTotals: true, tallyFor: byKeys(figures, (keys) => keys) };
  }

  /** Compares each period with the one before it, or with the same one a year before. */
  async #previousPeriods(figures: Figures): Promise<Previous | undefined> {
    const { question, where, session } = this.#resolved;
    const { compare = 'previous_period', groupings } = question;
    const at = groupings.findIndex(({ unit }) => unit !== undefined);
    const { field, unit = 'day' } = groupings[at] ?? {};
    if (field === undefined) return undefined;
    const periodOf = (label: unknown) =>
      figures.periods[at]?.find((period) => period.label === label) ?? (typeof label === 'string' ? { from: label, to: label } : undefined);
    const shown = figures.groups.flatMap(({ keys }) => periodOf(keys[at]) ?? []);
    const { from: givenFrom, to: givenTo } = new Map(this.#rangesIn(where)).get(field.name) ?? {};
    const first = shown.map(({ from }) => from).toSorted()[0];
    const last = shown
      .map(({ to }) => to)
      .toSorted()
      .at(-1);
    if (first === undefined || last === undefined) return undefined;
    const range = { from: givenFrom ?? first, to: givenTo ?? last };
    const before = { from: earlier(range.from, unit, compare), to: earlier(range.to, unit, compare) };
    const { [field.name]: given, ...others } = where;
    const isRange = givenFrom !== undefined || givenTo !== undefined;
    const asking = this.#asking(isRange || given === undefined ? others : where, { field, range: before });
    const previous = await figuresOf(asking, question);
    const { company } = session;
    const shifted = (keys: FigureGroup['keys']) =>
      keys.map((key, n) => {
        const period = n === at ? periodOf(key) : undefined;
        return period === undefined ? key : periodAt(earlier(period.from, unit, compare), unit, company).label;
      });
    return { ...previousOf(previous, range, before), hasTotals: false, tallyFor: byKeys(previous, shifted) };
  }
}

const previousOf = (figures: Figures, { from, to }: Range, before: Range) => ({
  figures,
  compared: { from, to, previous_from: before.from, previous_to: before.to },
});

function byKeys({ groups }: Figures, keysFor: (keys: FigureGroup['keys']) => FigureGroup['keys']): Previous['tallyFor'] {
  const tallies = new Map(groups.map(({ keys, tally }) => [JSON.stringify(keys), tally]));
  return ({ keys }) => tallies.get(JSON.stringify(keysFor(keys))) ?? NO_ROWS;
}
