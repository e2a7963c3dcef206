/** Words a list of rows as an answer. */
import type { ListMetadata } from '../../declare/answer.ts';
import { HIDDEN } from '../../declare/display.ts';
import type { Utterance } from './annotate.ts';
import type { IntentResult } from './frame.ts';
import { type IndexedTool, rowOf } from './index-tools.ts';
import { stripPoliteness } from './rank.ts';
import {
  requestedFields,
  describeFields,
  explainHidden,
  lowerFirst,
  pluralOf,
  type ResponseContext,
  bold,
  displayName,
  WHY,
} from './respond-fields.ts';
import { unmatchedWords, nameOf, type Row } from './rows.ts';
import { isId, type Schema, unwrapUnion } from './schema.ts';
import { currencyOf, formatAmount } from '../../declare/money.ts';
import { escapeMarkdown, fieldLabel, renderTable, formatValue } from './table.ts';

const HOW_MANY = /\bhow many\b|\bnumber of\b|\bcount\b|\bheadcount\b/i;
const YES_NO_QUESTION = /^(?:is|are|do|does|did|have|has|was|were|any)\b/i;
const STATE_QUESTION =
  /^(?:is|are|was|were|has|have|did|does) my\b|\b(?:status|state) of\b|\bwhere (?:does|do) .+ stand\b|\b(?:gone|go|went|goes) through\b/i;

export function describeRows(
  context: ResponseContext,
  { entry, input }: IntentResult & { type: 'answered' },
  { found, list, utterance }: { found: readonly Row[]; list: ListMetadata | undefined; utterance: Utterance },
): string {
  const what = pluralOf(entry);
  const shape = entry.tool.kind === 'list' ? entry.rowSchema : rowOf(entry.tool.output);
  const summary = (list?.summary ?? {}) as Row;
  const told = describeTotals(entry, summary, utterance);
  if (found.length === 0)
    return `${YES_NO_QUESTION.test(utterance.text) ? 'No. ' : ''}There are ${HOW_MANY.test(utterance.text) ? '0' : 'no'} matching ${what}${told ? `. ${told}` : '.'}`.trim();
  const more = list?.hasMore === true;
  const counted = list?.count ?? (typeof summary['count'] === 'number' ? summary['count'] : undefined);
  const total = counted ?? (more ? undefined : found.length);
  const number = total === undefined ? `more than ${found.length}` : String(total);
  const noun = total === 1 ? singular(what) : what;
  const head = HOW_MANY.test(utterance.text)
    ? `There ${total === 1 ? 'is' : 'are'} ${number} ${noun}.`
    : `${YES_NO_QUESTION.test(utterance.text) && /^(?:any|are there|is there|do we have|are we|have we)\b/i.test(utterance.text) ? 'Yes: ' : ''}${more ? `The first ${found.length} of ${counted ?? list?.totalCount ?? `${found.length}+`} ${what}` : `${found.length} ${found.length === 1 ? singular(what) : what}`}:`;
  const wanted = [...new Set([...fieldsOfOrder(shape, input['sort']), ...requestedFields(shape, utterance)])];
  const extreme = findExtreme(shape, found, utterance);
  const secret = explainHidden(context, entry, { found, wanted });
  const rest = more
    ? `\n\nThis is not all: say "show more" for the next ` +
      `${found.length === 1 ? 'one' : found.length}, or narrow it down${suggestFilters(entry)}.`
    : '';
  const doubt = isAmbiguousName(found, utterance, entry) ? '\n\nWhich one do you mean?' : '';
  const texts = found.length <= 3 ? quoteTexts(shape, found) : quoteClosest(entry, shape, { found, input });
  const doubtful = texts === '' ? '' : warnOfUnmatchedWords(entry, found, input);
  const answer = extreme ? '' : describeRequestedFields(shape, found, { utterance, input });
  const first = extreme
    ? `${more ? `Of the first ${found.length}, the` : 'The'} ${extreme.word} is ${displayName(extreme.row) || 'this one'}: ${lowerFirst(fieldLabel(extreme.key))} ${bold(formatValue(extreme.row[extreme.key], shape.properties?.[extreme.key], extreme.key))}.\n\n`
    : '';
  return `${doubtful}${answer ? `${answer}\n\n` : ''}${first}${head.replace(/:$/, told ? '.' : ':')}${told ? ` ${told}` : ''}${secret ? ` ${secret}` : ''}\n\n${found.length > 3 && texts ? `${texts}\n\n` : ''}${(found.length <= 3 ? texts : '') || renderTable(shape, extreme ? extreme.sorted : found, { wanted: extreme ? [extreme.key, ...wanted] : wanted })}${rest}${doubt}`;
}
/** The fields that an order such as highest_revenue names. */
const fieldsOfOrder = ({ properties = {} }: Schema, order: unknown): string[] =>
  typeof order !== 'string'
    ? []
    : Object.keys(properties).filter((key) => order.split('_').some((part) => part !== 'name' && key.split('_').includes(part)));

/** Answers a question about fields before the table: per row for a few rows, as counts per state for many. */
function describeRequestedFields(
  shape: Schema,
  found: readonly Row[],
  { utterance, input }: { utterance: Utterance; input: Readonly<Record<string, unknown>> },
): string {
  const text = stripPoliteness(utterance.text);
  const state = Object.keys(shape.properties ?? {}).find((key) => /(?:^|_)status$/.test(key) && unwrapUnion(shape.properties?.[key]).enum);
  const stands = state !== undefined && !(state in input) && STATE_QUESTION.test(text) ? [state] : [];
  if (stands.length > 0 && state !== undefined && found.length > 3) {
    const counts = new Map<string, number>();
    for (const row of found)
      counts.set(
        formatValue(row[state], shape.properties?.[state], state),
        (counts.get(formatValue(row[state], shape.properties?.[state], state)) ?? 0) + 1,
      );
    return `Of these, ${[...counts].map(([each, count]) => `${count} ${count === 1 ? 'is' : 'are'} ${bold(each)}`).join(', ')}.`;
  }
  const keys = [
    ...new Set([
      ...(WHY.test(text) || /^(?:whats?|what's|who|when|where|which|is|does|did|has|how)\b/i.test(text)
        ? requestedFields(shape, utterance)
        : []),
      ...stands,
    ]),
  ];
  if (keys.length === 0 || found.length > 3) return '';
  return found
    .flatMap((row) => {
      const own = keys.filter(
        (key) =>
          !isId(key) &&
          row[key] !== null &&
          row[key] !== undefined &&
          row[key] !== HIDDEN &&
          typeof row[key] !== 'object' &&
          row[key] !== nameOf(row),
      );
      return own.length > 0 ? [describeFields(shape, row, own)] : [];
    })
    .join(' ');
}
/** Superlatives, with the kind of field to compare and the sort direction. */
const EXTREMES: readonly [RegExp, 'figure' | 'day', 1 | -1][] = [
  [/\b(biggest|largest|highest|most (?:expensive|valuable))\b/i, 'figure', -1],
  [/\b(smallest|lowest|cheapest)\b/i, 'figure', 1],
  [/\b(newest|latest|most recent)\b/i, 'day', -1],
  [/\b(oldest|earliest)\b/i, 'day', 1],
];
function findExtreme(
  shape: Schema,
  found: readonly Row[],
  utterance: Utterance,
): { word: string; row: Row; key: string; sorted: readonly Row[] } | undefined {
  if (found.length < 2) return undefined;
  for (const [pattern, by, sign] of EXTREMES) {
    const word = pattern.exec(utterance.text)?.[1];
    if (word === undefined) continue;
    const named = requestedFields(shape, utterance);
    const fits = (key: string): boolean => {
      const own = unwrapUnion(shape.properties?.[key]);
      return (
        found.some((row) => row[key] !== null && row[key] !== HIDDEN && row[key] !== undefined) &&
        (by === 'figure'
          ? currencyOf(own.unit) !== undefined || (named.includes(key) && typeof found[0]?.[key] === 'number')
          : own.format === 'date' || own.format === 'date-time')
      );
    };
    const keys = Object.keys(shape.properties ?? {}).filter(fits);
    const key = keys.find((each) => named.includes(each)) ?? keys[0];
    if (key === undefined) return undefined;
    // With hidden values, the maximum and the minimum are unknown.
    if (found.some((each) => each[key] === HIDDEN)) return undefined;
    const size = (each: Row): number => (by === 'figure' ? Number(each[key]) : Date.parse(String(each[key])));
    const has = (each: Row): boolean => each[key] !== null && each[key] !== undefined;
    const sorted = [...found.filter(has).sort((a, b) => sign * (size(a) - size(b)) || 0), ...found.filter((each) => !has(each))];
    const [row] = sorted;
    return row ? { word: word.toLowerCase(), row, key, sorted } : undefined;
  }
  return undefined;
}
function quoteTexts(shape: Schema, found: readonly Row[]): string {
  const text = (row: Row | undefined, key: string): string => (typeof row?.[key] === 'string' ? row[key] : '');
  const keys = Object.entries(shape.properties ?? {})
    .filter(([, schema]) => schema.untrusted === true || unwrapUnion(schema).untrusted === true)
    .map(([each]) => each);
  const [key] = keys
    .filter((each) => found.every((row) => text(row, each).length > 40))
    .sort((a, b) => text(found[0], b).length - text(found[0], a).length);
  return key === undefined
    ? ''
    : found.map((row) => `- **${displayName(row)}**: ${escapeMarkdown(text(row, key)).slice(0, 1200)}`).join('\n');
}
function quoteClosest(
  entry: IndexedTool,
  shape: Schema,
  { found, input }: { found: readonly Row[]; input: Readonly<Record<string, unknown>> },
): string {
  if (!entry.tool.lastResort || !entry.slots.some(({ kind, key }) => kind === 'query' && key in input)) return '';
  const text = quoteTexts(shape, found.slice(0, 1));
  return text === '' ? '' : `The closest is:\n\n${text}`;
}
/** Warns if the best search result lacks words of the query. */
function warnOfUnmatchedWords(entry: IndexedTool, found: readonly Row[], input: Readonly<Record<string, unknown>>): string {
  const missed = unmatchedWords(entry, found[0], input);
  return missed.length === 0
    ? ''
    : `I found nothing that mentions ${missed.map((word) => `"${escapeMarkdown(word)}"`).join(' and ')}, so this ` +
        `may not be what you mean.\n\n`;
}
const singular = (words: string): string =>
  words
    .replace(/ies$/, 'y')
    .replace(/people$/, 'person')
    .replace(/([^s])s$/, '$1');
const suggestFilters = (entry: IndexedTool): string => {
  const keys = entry.slots
    .filter(({ kind }) => ['choice', 'name', 'date', 'amount'].includes(kind))
    .map(({ base }) => base.replaceAll('_', ' '));
  return keys.length > 0 ? `, for example by ${[...new Set(keys)].slice(0, 3).join(', ')}` : '';
};
/** True if a possessive name, such as "Sarah's", matched several rows. */
const isAmbiguousName = (found: readonly Row[], utterance: Utterance, entry: IndexedTool): boolean =>
  found.length > 1 &&
  found.length <= 8 &&
  utterance.names.length === 1 &&
  utterance.names[0]?.possessive === true &&
  entry.slots.some(({ key }) => key === 'name');

function describeTotals(entry: IndexedTool, summary: Row, utterance: Utterance): string {
  const parts = Object.entries(summary)
    .filter(([key, given]) => given !== null && key !== 'count' && entry.tool.summary.includes(key))
    .map(([key, given]) => {
      const text =
        typeof given === 'number' && !isCount(key) ? formatAmount(given, entry.tool.currency, 2) : formatValue(given, undefined, key);
      return `${lowerFirst(fieldLabel(key))} ${text}`;
    });
  if (parts.length === 0) return '';
  const lead = utterance.dates.length > 0 || parts.length > 1 ? 'In all: ' : '';
  return `${lead === '' ? parts.join(', ').replace(/^./, (letter) => letter.toUpperCase()) : `${lead}${parts.join(', ')}`}.`;
}
const isCount = (key: string): boolean => /count|filed|open$|number/.test(key);
