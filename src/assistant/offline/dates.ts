/** Finds dates and periods in a text, relative to today. */
import { type Grain, makeDay, MONTHS, dateParts, addDays, addUnits, type DateRange, periodOf, WEEKDAYS } from './calendar.ts';
import { inFiscalYear, type PeriodNames, yearsLater } from './fiscal-dates.ts';
import { fold } from './tokenise.ts';

export interface DateMention extends DateRange {
  readonly start: number;
  readonly end: number;
  /** The granularity: "last month" is a month, "21 to 23 December" is days. */
  readonly grain: Grain;
  /** "since …" has no end, "until …" has no beginning. */
  readonly openEnd: 'since' | 'until' | undefined;
  readonly count: { readonly of: Grain; readonly number: number } | undefined;
  /** True if the text names no year. The date may then lie in the previous or the next year. */
  readonly anyYear: boolean;
  /** The fiscal and calendar names of a quarter or year, if the two years differ. */
  readonly names: PeriodNames | undefined;
}

const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|' +
  'sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\b\\.?';
const DATE = '(\\d{1,2})(?:st|nd|rd|th)?';
const YEAR = '((?:19|20)\\d\\d)';
const UNIT = '(day|week|month|quarter|year|fiscal year|fy|financial year|calendar year)';
const NUMBER = '(\\d{1,3}|a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirty|sixty|ninety|couple of|few)';
const WEEKDAY = '(sunday|monday|tuesday|wednesday|thursday|friday|saturday)';
const NUMBERS: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  thirty: 30,
  sixty: 60,
  ninety: 90,
  'couple of': 2,
  few: 3,
};
interface NamedDay {
  readonly first: string;
  readonly last: string;
  readonly month: string;
  readonly year: undefined;
}
const namedDay = (date: number, month: string): NamedDay => ({ first: String(date), last: String(date), month, year: undefined });
const NAMED_DAYS: Readonly<Record<string, NamedDay>> = {
  'christmas eve': namedDay(24, 'december'),
  christmas: namedDay(25, 'december'),
  xmas: namedDay(25, 'december'),
  'boxing day': namedDay(26, 'december'),
  "new year's eve": namedDay(31, 'december'),
  "new year's": namedDay(1, 'january'),
  "valentine's": namedDay(14, 'february'),
  'independence day': namedDay(4, 'july'),
  halloween: namedDay(31, 'october'),
};
const ORDINALS = ['first', 'second', 'third', 'fourth'];

const monthIndex = (name: string): number => MONTHS.findIndex((month) => month.startsWith(name.slice(0, 3)));
const count = (text: string): number => NUMBERS[text] ?? Number(text);
const grainOf = (unit: string): Grain => (/year|fy/.test(unit) ? 'year' : (unit.replace(/s$/, '') as Grain));
/** "last" is -1, "this" 0, "next" 1. */
const shiftOf = (word: string): number =>
  /last|previous|past|prior|preceding/.test(word) ? -1 : /next|coming|following|upcoming/.test(word) ? 1 : 0;

type FoundPeriod = DateRange & { grain: Grain; count?: DateMention['count']; anyYear?: boolean; openEnd?: DateMention['openEnd'] };
interface Pattern {
  readonly pattern: RegExp;
  readonly after?: boolean;
  read(match: RegExpExecArray, today: string, base: DateRange & { grain: Grain }): FoundPeriod | undefined;
}
const singleDay = (day: string): FoundPeriod => ({ from: day, to: day, grain: 'day' });
const wholePeriod = (day: string, grain: Grain, shift = 0): FoundPeriod => ({ ...periodOf(day, grain, shift), grain });
const group = (match: RegExpExecArray, at: number): string => match[at] ?? '';
const existingDay = (year: number, month: number, date: number): string | undefined =>
  date >= 1 && date <= dateParts(makeDay(year, month + 1, 0)).date ? makeDay(year, month, date) : undefined;

/** Longer patterns come before the shorter ones that they contain. */
const PATTERNS: readonly Pattern[] = [
  { pattern: /\b(\d{4})-(\d\d)-(\d\d)\b/, read: (m) => exactDay(Number(m[1]), Number(m[2]) - 1, Number(m[3])) },
  { pattern: /\b(\d{1,2})\/(\d{1,2})\/(\d{4})\b/, read: (m) => exactDay(Number(m[3]), Number(m[1]) - 1, Number(m[2])) },
  { pattern: /\b(20\d\d)[- ]?q([1-4])\b/, read: (m) => wholePeriod(makeDay(Number(m[1]), Number(m[2]) * 3 - 3, 1), 'quarter') },
  {
    pattern: /\bq([1-4])(?:,? of)?,?[ -]?(?:fy ?)?((?:19|20)\d\d)\b/,
    read: (m) => wholePeriod(makeDay(Number(m[2]), Number(m[1]) * 3 - 3, 1), 'quarter'),
  },
  { pattern: /\b(20\d\d)-(0[1-9]|1[0-2])\b(?!-)/, read: (m) => wholePeriod(makeDay(Number(m[1]), Number(m[2]) - 1, 1), 'month') },
  // Several days of one month: 21 to 23 December, December 21-23, the 7th to the 9th of December.
  {
    pattern: new RegExp(`\\b(?:the )?${DATE} ?(?:to|-|until|till|through|and) ?(?:the )?${DATE} (?:of )?${MONTH}(?:,? ${YEAR}\\b)?`),
    read: (m, today) => daysOfMonth({ first: m[1], last: m[2], month: group(m, 3), year: m[4], today }),
  },
  {
    pattern: new RegExp(
      `\\b${MONTH} (?:the )?${DATE} ?(?:to|-|until|till|through|and) ?(?:the )?${DATE}\\b(?! ?(?:of ` +
        `)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))(?:,? ${YEAR}\\b)?`,
    ),
    read: (m, today) => daysOfMonth({ first: m[2], last: m[3], month: group(m, 1), year: m[4], today }),
  },
  {
    pattern: new RegExp(`\\b(?:the )?${DATE} (?:of )?${MONTH}(?:,? (?:of )?${YEAR}\\b)?`),
    read: (m, today) => daysOfMonth({ first: m[1], last: m[1], month: group(m, 2), year: m[3], today }),
  },
  {
    pattern: new RegExp(`\\b${MONTH} (?:the )?${DATE}\\b(?!\\d|[.,]\\d|k\\b)(?:,? (?:of )?${YEAR}\\b)?`),
    read: (m, today) => daysOfMonth({ first: m[2], last: m[2], month: group(m, 1), year: m[3], today }),
  },
  {
    pattern: new RegExp(`\\b${MONTH},? (?:of )?(?:(last|this|next) year|${YEAR}\\b)`),
    read: (m, today) =>
      wholePeriod(makeDay(m[3] ? Number(m[3]) : dateParts(today).year + shiftOf(group(m, 2)), monthIndex(group(m, 1)), 1), 'month'),
  },
  {
    pattern: new RegExp(`\\b(last|this|next) ${MONTH}`),
    read: (m, today) => nearestMonth(monthIndex(group(m, 2)), today, shiftOf(group(m, 1))),
  },
  {
    pattern:
      /\b(?:q([1-4])|(first|second|third|fourth|last) quarter)(?:,? (?:of|in))?(?: the)? (this|last|next|previous) (?:fiscal |financial )?year\b/,
    read: (m, today) => quarterPeriod(m, dateParts(today).year + shiftOf(group(m, 3))),
  },
  {
    pattern: /\b(?:the )?(?:(first|second|third|fourth) quarter)(?:,? (?:of|in))? ((?:19|20)\d\d)\b/,
    read: (m) => wholePeriod(makeDay(Number(m[2]), ORDINALS.indexOf(group(m, 1)) * 3, 1), 'quarter'),
  },
  {
    pattern: /\bq([1-4])\b|\b(first|second|third|fourth) quarter\b/,
    read: (m, today) => ({ ...quarterPeriod(m, dateParts(today).year), anyYear: true }),
  },
  {
    pattern:
      /\b(beginning|start|end|close) of (?:the )?(this |last |next |previous |current |coming )?(?:fiscal |calendar |financial )?(week|month|quarter|year)\b/,
    read: (m, today) => edgeOf(/end|close/.test(group(m, 1)), wholePeriod(today, grainOf(group(m, 3)), shiftOf(group(m, 2)))),
  },
  {
    pattern: /\b(?:the )?(first|1st|last)(?: day)? of (?:the )?(this |last |next |previous |current |coming )?(month|quarter|year)\b/,
    read: (m, today) => edgeOf(m[1] === 'last', wholePeriod(today, grainOf(group(m, 3)), shiftOf(group(m, 2)))),
  },
  {
    pattern: new RegExp(`\\b(beginning|start|end) of ${YEAR}\\b`),
    read: (m) => edgeOf(m[1] === 'end', wholePeriod(makeDay(Number(m[2]), 0, 1), 'year')),
  },
  {
    pattern: new RegExp(`\\b(beginning|start|end) of ${MONTH}`),
    read: (m, today) => edgeOf(m[1] === 'end', nearestMonth(monthIndex(group(m, 2)), today, 0)),
  },
  {
    pattern: /\b(?:year to date|ytd|so far this year|this year so far)\b/,
    read: (_, today) => ({ ...wholePeriod(today, 'year'), to: today, openEnd: 'since' }),
  },
  {
    pattern: /\b(?:month to date|mtd|so far this month)\b/,
    read: (_, today) => ({ ...wholePeriod(today, 'month'), to: today, openEnd: 'since' }),
  },
  { pattern: /\bday after tomorrow\b/, read: (_, today) => singleDay(addDays(today, 2)) },
  { pattern: /\bday before yesterday\b/, read: (_, today) => singleDay(addDays(today, -2)) },
  {
    pattern: /\b(?:the )?(next|following|previous|preceding) one\b|\b(?:the )?one (before|after)\b/,
    after: true,
    read: (m, _, base) => adjacentPeriod(base, base.grain, /next|following|after/.test(m[0]) ? 1 : -1),
  },
  { pattern: new RegExp(`\\b${UNIT} before last\\b`), read: (m, today) => wholePeriod(today, grainOf(group(m, 1)), -2) },
  {
    pattern: new RegExp(`\\b(?:the )?(?:${UNIT} (before|after)|(previous|preceding|following) ${UNIT})\\b(?! that\\b)`),
    read: (m, _, base) => adjacentPeriod(base, grainOf(m[1] ?? group(m, 4)), m[2] === 'after' || m[3] === 'following' ? 1 : -1),
  },
  {
    pattern: new RegExp(`\\b(?:${WEEKDAY} (?:to|until|till|through|-) )?${WEEKDAY},? (this|next|last) week\\b`),
    read: (m, today) => weekdaysOf({ first: m[1], last: group(m, 2), shift: shiftOf(group(m, 3)), today }),
  },
  {
    pattern: new RegExp(`\\b(this|next|last) week,? (?:on |from )?(?:${WEEKDAY} (?:to|until|till|through|-) )?${WEEKDAY}\\b`),
    read: (m, today) => weekdaysOf({ first: m[2], last: group(m, 3), shift: shiftOf(group(m, 1)), today }),
  },
  {
    pattern: new RegExp(`\\b(last|past|previous|next|coming|following) ${NUMBER} ${UNIT}s?\\b`),
    read: (m, today) => countedPeriod(today, { shift: shiftOf(group(m, 1)), number: count(group(m, 2)), grain: grainOf(group(m, 3)) }),
  },
  {
    pattern: new RegExp(`\\b(?:over|for|in|within|during) (?:the )?(?:last |past )?${NUMBER} ${UNIT}s\\b(?! (?:ago|from now|time))`),
    read: (m, today) => countedPeriod(today, { shift: -1, number: count(group(m, 1)), grain: grainOf(group(m, 2)) }),
  },
  { pattern: new RegExp(`\\b${NUMBER} ${UNIT}s? ago\\b`), read: (m, today) => ago(today, -count(group(m, 1)), grainOf(group(m, 2))) },
  {
    pattern: new RegExp(`\\bin ${NUMBER} ${UNIT}s?(?:' time)?\\b`),
    read: (m, today) => singleDay(addUnits(today, grainOf(group(m, 2)), count(group(m, 1)))),
  },
  {
    pattern: new RegExp(`\\b(this|current|last|previous|past|next|coming) ${UNIT}\\b`),
    read: (m, today) => wholePeriod(today, grainOf(group(m, 2)), shiftOf(group(m, 1))),
  },
  { pattern: /\bweek(?:'s)? (?:of|beginning) today\b/, read: (_, today) => wholePeriod(today, 'week') },
  {
    pattern: new RegExp(`\\b(${Object.keys(NAMED_DAYS).join('|')})(?: day)?\\b`),
    read: (m, today) => daysOfMonth({ ...(NAMED_DAYS[group(m, 1)] ?? namedDay(0, 'january')), today }),
  },
  { pattern: /\b(today|tonight|this (?:morning|afternoon|evening))\b/, read: (_, today) => singleDay(today) },
  { pattern: /\b(tomorrow)\b/, read: (_, today) => singleDay(addDays(today, 1)) },
  { pattern: /\b(yesterday)\b/, read: (_, today) => singleDay(addDays(today, -1)) },
  {
    pattern: /\b(?:(this|next|last|coming|on|past) )?(sunday|monday|tuesday|wednesday|thursday|friday|saturday)\b(?:,? (next) week\b)?/,
    read: (m, today) => weekdayOf(m, today),
  },
  {
    pattern: /\b(?:fiscal(?: year)?|fy|financial year|calendar year|tax year|year) ?((?:19|20)\d\d)\b/,
    read: (m) => wholePeriod(makeDay(Number(m[1]), 0, 1), 'year'),
  },
  { pattern: /\bfy ?'?(\d\d)\b/, read: (m) => wholePeriod(makeDay(2000 + Number(m[1]), 0, 1), 'year') },
  {
    pattern: /(?<![$€£\d.,-])\b((?:19|20)\d\d)\b(?![.,]?\d|-\w| ?(?:dollars|usd|euro|k\b|eur))/,
    read: (m) => wholePeriod(makeDay(Number(m[1]), 0, 1), 'year'),
  },
  { pattern: /\b(?:the )(\d{1,2})(?:st|nd|rd|th)\b/, read: (m, today) => comingDate(Number(m[1]), today) },
  { pattern: new RegExp(`\\b${MONTH}`), read: (m, today) => nearestMonth(monthIndex(group(m, 1)), today, 0) },
];

function exactDay(year: number, month: number, date: number): FoundPeriod | undefined {
  const day = month >= 0 && month < 12 ? existingDay(year, month, date) : undefined;
  return day === undefined ? undefined : singleDay(day);
}
function daysOfMonth({
  first,
  last,
  month,
  year,
  today,
}: {
  first: string | undefined;
  last: string | undefined;
  month: string;
  year: string | undefined;
  today: string;
}): FoundPeriod | undefined {
  const in_ = year === undefined ? dateParts(today).year : Number(year);
  const from = existingDay(in_, monthIndex(month), Number(first));
  const to = existingDay(in_, monthIndex(month), Number(last));
  return from === undefined || to === undefined || to < from ? undefined : { from, to, grain: 'day', anyYear: year === undefined };
}
const nearestMonth = (month: number, today: string, shift: number): FoundPeriod => {
  const { year, month: now } = dateParts(today);
  const in_ = shift < 0 && month >= now ? year - 1 : shift > 0 && month <= now ? year + 1 : year;
  return { ...wholePeriod(makeDay(in_, month, 1), 'month'), anyYear: shift === 0 };
};
const quarterPeriod = (match: RegExpExecArray, year: number): FoundPeriod => {
  const number = match[1] ? Number(match[1]) : match[2] === 'last' ? 4 : ORDINALS.indexOf(group(match, 2)) + 1;
  return wholePeriod(makeDay(year, number * 3 - 3, 1), 'quarter');
};
const edgeOf = (atEnd: boolean, span: FoundPeriod): FoundPeriod => ({
  ...singleDay(atEnd ? span.to : span.from),
  ...(span.anyYear && { anyYear: true }),
});
const adjacentPeriod = (base: DateRange & { grain: Grain }, grain: Grain, shift: number): FoundPeriod =>
  wholePeriod(base.from, grain, shift);
function countedPeriod(today: string, { shift, number, grain }: { shift: number; number: number; grain: Grain }): FoundPeriod {
  const of = { of: grain, number };
  return shift < 0
    ? { from: addUnits(today, grain, -number), to: today, grain: 'day', count: of, openEnd: 'since' }
    : { from: today, to: addUnits(today, grain, number), grain: 'day', count: of };
}
const ago = (today: string, number: number, grain: Grain): FoundPeriod =>
  grain === 'day' || grain === 'week' ? singleDay(addUnits(today, grain, number)) : wholePeriod(today, grain, number);
function weekdayOf(match: RegExpExecArray, today: string): FoundPeriod {
  const wanted = WEEKDAYS.indexOf(group(match, 2));
  const ahead = (wanted - dateParts(today).weekday + 7) % 7 || 7;
  if (match[1] === 'last' || match[1] === 'past') return singleDay(addDays(today, ahead - 7 === 0 ? -7 : ahead - 7));
  // "Next" refers to the coming week: on a Monday, "next Friday" is eleven days away.
  if (match[1] === 'next' || match[3]) return singleDay(addDays(periodOf(today, 'week', 1).from, (wanted + 6) % 7));
  return singleDay(addDays(today, ahead));
}
function weekdaysOf({ first, last, shift, today }: { first: string | undefined; last: string; shift: number; today: string }): FoundPeriod {
  const monday = periodOf(today, 'week', shift).from;
  const day = (name: string) => addDays(monday, (WEEKDAYS.indexOf(name) + 6) % 7);
  return { from: day(first ?? last), to: day(last), grain: 'day' };
}
function comingDate(date: number, today: string): FoundPeriod | undefined {
  const { year, month, date: now } = dateParts(today);
  const day = existingDay(year, date >= now ? month : month + 1, date);
  return day === undefined ? undefined : singleDay(day);
}

const OPEN_END_WORD =
  /\b(since|from|starting(?: from| on)?|as of|after|beginning|until|till|through|up to|by|before|no later than|to)(?: the)? $/;
const RANGE_WORD = /^,? ?(?:to|until|till|through|and|-|up to) ?(?:the )?$/;

export function findDates(
  text: string,
  today: string,
  { base, fiscalYearStart = 1 }: { base?: (DateRange & { grain: Grain }) | undefined; fiscalYearStart?: number | undefined } = {},
): DateMention[] {
  let rest = fold(text);
  // Folding can change the length of the text. Then only the case is lowered, because positions must stay valid.
  if (rest.length !== text.length) rest = text.toLowerCase();
  const found: DateMention[] = [];
  const around = base ?? { ...periodOf(today, 'month'), grain: 'month' as const };
  for (const { pattern, read } of PATTERNS.filter(({ after }) => !after || base !== undefined)) {
    for (let left = 8; left > 0; left -= 1) {
      const match = pattern.exec(rest);
      if (!match) break;
      const meant = isMonthVerb(match[0], text, match.index) ? undefined : read(match, today, around);
      if (meant)
        found.push({
          openEnd: undefined,
          count: undefined,
          anyYear: false,
          names: undefined,
          ...(fiscalYearStart === 1 ? meant : inFiscalYear(meant, match[0], { today, fiscalYearStart })),
          start: match.index,
          end: match.index + match[0].length,
        });
      rest = rest.slice(0, match.index) + '\u0000'.repeat(match[0].length) + rest.slice(match.index + match[0].length);
    }
  }
  found.sort((a, b) => a.start - b.start);
  return joinRanges(
    found.map((when) => withOpenEnd(when, text)),
    text,
  );
}

/** "may" and "march" are months only after a word such as "in" or "last", or with a capital letter inside the text. */
const isMonthVerb = (match: string, text: string, at: number): boolean =>
  /^(?:may|mar|march|sept?|dec|jan|nov|oct|apr|jun|jul|aug|feb)$/.test(match) &&
  !/\b(?:in|of|for|since|until|by|last|this|next|during|to|from|and|before|after) $/i.test(text.slice(Math.max(0, at - 8), at)) &&
  !(/^\p{Lu}/u.test(text.slice(at)) && at > 0);

function withOpenEnd(when: DateMention, text: string): DateMention {
  if (when.openEnd !== undefined) return when;
  const word = OPEN_END_WORD.exec(fold(text.slice(Math.max(0, when.start - 24), when.start)))?.[1];
  if (word === undefined) return when;
  // "From last quarter" means within the quarter. "From 1 May" means since that day.
  if (word === 'from' && (when.grain !== 'day' || when.from !== when.to)) return when;
  if (/^(?:since|from|starting|after|beginning)/.test(word)) return { ...when, openEnd: 'since' };
  if (/^(?:until|till|through|up to|by|before|no later)/.test(word))
    return {
      ...when,
      openEnd: 'until',
      ...(word === 'before' && !/^(?:end|close)\b/i.test(text.slice(when.start, when.end)) && { to: addDays(when.from, -1) }),
    };
  return when;
}

/** Joins two dates to one range: "from 28 December to 4 January". */
function joinRanges(found: readonly DateMention[], text: string): DateMention[] {
  const result: DateMention[] = [];
  for (const when of found) {
    const last = result.at(-1);
    if (
      last &&
      last.grain !== 'year' &&
      RANGE_WORD.test(fold(text.slice(last.end, when.start))) &&
      last.count === undefined &&
      when.count === undefined
    ) {
      let to = when.to;
      if (to < last.from && when.anyYear) to = addUnits(to, 'year', 1);
      if (to >= last.from) {
        result[result.length - 1] = {
          ...last,
          to,
          end: when.end,
          openEnd: undefined,
          grain: last.grain === when.grain ? last.grain : 'day',
          anyYear: last.anyYear && when.anyYear,
          names: undefined,
        };
        continue;
      }
    }
    result.push(when);
  }
  return result;
}

/** Only for dates without a year. With `ahead`, a past date moves one year forward. Otherwise, a future date moves one year back. */
export function inNearestYear(when: DateMention, today: string, ahead: boolean): DateMention {
  if (!when.anyYear) return when;
  if (ahead && when.to < today) return shiftYears(when, 1);
  if (!ahead && when.from > today) return shiftYears(when, -1);
  return when;
}
function shiftYears(when: DateMention, years: number): DateMention {
  const [from, names] = [addUnits(when.from, 'year', years), yearsLater(when.names, years)];
  if (when.grain === 'day') return { ...when, from, to: addUnits(when.to, 'year', years) };
  return { ...when, names, from, to: addDays(addUnits(addDays(when.to, 1), 'year', years), -1) };
}
