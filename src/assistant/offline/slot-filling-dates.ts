/** Fills date slots, in the format that each slot expects. */
import { overlaps, type TextSpan, type Utterance } from './annotate.ts';
import { inNearestYear, type DateMention } from './dates.ts';
import { nameOf, namedFor } from './fiscal-dates.ts';
import type { IndexedTool } from './index-tools.ts';
import type { Slot } from './schema.ts';

const FUTURE = /\b(?:will|upcoming|coming|closing|close|due|plan(?:ned|s)?|next|future|expected)\b/i;

export function fillDates(
  entry: IndexedTool,
  utterance: Utterance,
  { input, used }: { input: Record<string, unknown>; used: TextSpan[] },
): void {
  const { today } = utterance;
  const whens = utterance.dates.filter((when) => !used.some((span) => overlaps(span, when)));
  // A period takes precedence over a single day.
  if (!entry.mutates) whens.sort((a, b) => specificity(b) - specificity(a));
  const [first, second] = whens;
  if (!first) return;
  const mark = (when: DateMention) => used.push({ text: '', start: when.start, end: when.end });
  const open = entry.slots.filter(({ key }) => !(key in input));
  const days = open.filter(({ kind }) => kind === 'date');
  const pairs = days
    .filter(({ edge }) => edge === 'from')
    .flatMap((from) => days.filter((to) => to.edge === 'to' && to.base === from.base).map((to) => ({ from, to })));
  const [pair] = pairs;
  const single = days.find((slot) => slot.edge === undefined);
  const month = open.find(({ kind }) => kind === 'month');
  const period = open.find(({ kind }) => kind === 'period');
  const year = open.find(({ kind }) => kind === 'year');
  const quarter = open.find(({ kind }) => kind === 'quarter');
  const units = open.find(({ kind }) => kind === 'units');
  const span = open.find(({ kind }) => kind === 'days');
  let done = false;

  if (units && first.count && first.count.of === units.key.replace(/s$/, '')) {
    input[units.key] = clamp(units, first.count.number);
    done = true;
  } else if (units?.key === 'months' && first.count?.of === 'year') {
    input[units.key] = clamp(units, first.count.number * 12);
    done = true;
  } else if (units?.key === 'months' && first.count?.of === 'quarter') {
    input[units.key] = clamp(units, first.count.number * 3);
    done = true;
  } else if (span) {
    input[span.key] = nearestSpan(span, first, today);
    done = true;
  } else if (pair && (pair.from.required || !single || first.from !== first.to || first.openEnd !== undefined)) {
    const when = inNearestYear(
      first,
      today,
      entry.mutates || FUTURE.test(utterance.text) || /clos|due/.test(pair.from.key) || pair.from.key.startsWith('start_date_'),
    );
    if (when.openEnd !== 'until') input[pair.from.key] = when.from;
    if (when.openEnd !== 'since' || entry.mutates) input[pair.to.key] = when.openEnd === 'since' ? when.from : when.to;
    done = true;
  } else if (month) {
    input[month.key] = inNearestYear(first, today, false).from.slice(0, 7);
    done = true;
  } else if (period) {
    const text = periodText(period, inNearestYear(first, today, FUTURE.test(utterance.text)), today);
    if (text !== undefined) {
      input[period.key] = text;
      done = true;
    }
  } else if (single) {
    const when = inNearestYear(first, today, entry.mutates);
    // For a period, a read takes the last day, or today within the period. A write takes the first day.
    input[single.key] = when.grain === 'day' || entry.mutates ? when.from : when.to > today && when.from <= today ? today : when.to;
    done = true;
  }
  const parted = quarter ?? year;
  if (!done && parted) {
    const when = inNearestYear(first, today, false);
    if (quarter && (first.grain === 'quarter' || (second?.grain ?? first.grain) === 'quarter')) {
      const of = first.grain === 'quarter' ? first : (second ?? first);
      input[quarter.key] = namedFor(of, quarter.schema).quarter;
      if (year) input[year.key] = namedFor(first === of ? (second?.grain === 'year' ? second : of) : first, year.schema).year;
    } else if (quarter && (first.grain === 'month' || first.grain === 'day')) {
      input[quarter.key] = namedFor(when, quarter.schema).quarter;
      if (year) input[year.key] = namedFor(when, year.schema).year;
    } else if (year) input[year.key] = namedFor(first.grain === 'quarter' ? first : when, year.schema).year;
    done = true;
    if (second) mark(second);
  } else if (year && first.grain === 'year' && !done) {
    input[year.key] = namedFor(first, year.schema).year;
    done = true;
  }
  if (done) mark(first);
}

const specificity = (when: DateMention): number =>
  when.openEnd !== undefined || when.count !== undefined ? 2 : when.grain !== 'day' || when.from !== when.to ? 1 : 0;
const clamp = ({ schema }: Slot, value: number): number => Math.min(Math.max(value, schema.minimum ?? value), schema.maximum ?? value);

function periodText({ schema, key }: Slot, when: DateMention, today: string): string | undefined {
  const description = schema.description ?? '';
  const takes = {
    month: /20\d\d-\d\d\b/.test(description),
    quarter: /Q\d/.test(description),
    year: /(?:\b20\d\d\b)(?!-)/.test(description.replace(/Q\d 20\d\d/g, '')),
  };
  const { year, quarter } = namedFor(when, schema);
  const months = { month: when.from.slice(0, 7), quarter: `${year}-Q${quarter}`, year: String(year) };
  if (when.grain === 'year' && takes.year) return months.year;
  if (when.grain === 'quarter' && takes.quarter) return months.quarter;
  if ((when.grain === 'month' || when.grain === 'day' || when.grain === 'week') && takes.month) return months.month;
  if (when.grain === 'year' && takes.quarter) return `${year}-Q${nameOf(today, schema.fiscalYearStart).quarter}`;
  if (takes.quarter) return months.quarter;
  return takes.year || key.includes('year') ? months.year : undefined;
}

function nearestSpan({ values }: Slot, when: DateMention, today: string): string | undefined {
  const days = Math.max(1, Math.round((Date.parse(when.to > today ? today : when.to) - Date.parse(when.from)) / 86_400_000) + 1);
  const wide = when.grain === 'week' ? 7 : when.grain === 'month' ? 30 : when.grain === 'quarter' ? 90 : when.count ? days - 1 : days;
  return [...values].sort((a, b) => Math.abs(Number.parseInt(a, 10) - wide) - Math.abs(Number.parseInt(b, 10) - wide))[0];
}
