/** Plans an analysis for questions about figures: counts, averages and totals by a field or a period. */
import { overlaps, type Utterance } from './annotate.ts';
import type { TurnContext } from './context.ts';
import type { AnalysisDeclaration } from './declarations.ts';
import type { IndexedTool } from './index-tools.ts';
import { rankTools } from './rank.ts';
import { fillSlots } from './slot-filling.ts';
import { areSynonyms, conceptsOfWord } from './thesaurus.ts';
import { stem } from './tokenise.ts';

type Field = AnalysisDeclaration['fields'][number];
type Measure = 'count' | Readonly<Record<string, string>>;
export interface AnalysisPlan {
  readonly tool: string;
  readonly entry: IndexedTool;
  readonly input: Readonly<Record<string, unknown>>;
  /** Conditions of the question that the list cannot take. */
  readonly leftOut: readonly string[];
}

const FUNCTIONS: readonly (readonly [fn: string, words: RegExp])[] = [
  ['avg', /\b(?:average|averages|avg|mean|on average)\b/i],
  ['median', /\bmedian\b/i],
  ['sum', /\b(?:totals?|sums?|altogether|combined|how much)\b/i],
  ['count', /\b(?:how many|numbers? of|counts?(?: of)?|head ?counts?)\b/i],
];
const GROUP =
  /\b(?:by|per|for each|for every|in each|in every|of each|broken down by|split by|grouped by|across(?: all)?)\s+(?:the |each )?([\p{L} -]{2,40})/iu;
const WHICH =
  /^(?:which|what) ([\p{L} -]{2,30}?) (?:has|have|got|with|pays?|spends?|earns?|makes?|submits?|is|are)\b.*?\b(most|highest|largest|biggest|fewest|lowest|smallest|least)\b/iu;
const LEAST = /^(?:fewest|lowest|smallest|least)$/i;
const UNITS: Readonly<Record<string, string>> = {
  day: 'day',
  daily: 'day',
  week: 'week',
  weekly: 'week',
  month: 'month',
  monthly: 'month',
  quarter: 'quarter',
  quarterly: 'quarter',
  year: 'year',
  yearly: 'year',
};
const TOP = /\btop (\d{1,2})\b/i;

const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}+/gu) ?? [];
const isAlike = (a: string, b: string): boolean => stem(a) === stem(b) || areSynonyms(a, b);
const VAGUE = new Set(['amount', 'total', 'name', 'number', 'id', 'date', 'at', 'code', 'type', 'percent']);
const partsOf = (field: Field): string[] => {
  const parts = field.name.split('_');
  const clear = parts.filter((part) => !VAGUE.has(part));
  return clear.length > 0 ? clear : parts;
};
/** How exactly the words name the field: its own words count more than synonyms. */
function match(field: Field, words: readonly string[]): number {
  const parts = partsOf(field);
  const exact = parts.filter((part) => words.some((word) => stem(word) === stem(part))).length;
  const alike = parts.filter((part) => words.some((word) => isAlike(word, part))).length;
  return alike < parts.length ? 0 : exact + alike;
}
function best(fields: readonly Field[], words: readonly string[]): Field | undefined {
  const found = fields.map((field) => ({ field, fit: match(field, words) })).filter(({ fit }) => fit > 0);
  return found.sort((a, b) => b.fit - a.fit || partsOf(a.field).length - partsOf(b.field).length)[0]?.field;
}

interface Reading {
  readonly fn: string;
  readonly group: readonly string[];
  readonly unit: string | undefined;
  readonly order: 'asc' | 'desc' | undefined;
}
/** "The largest budget" is a maximum, "the most people" a count, and "spends the most" a total. */
function superlativeOf(text: string, word: string): string {
  if (/^(?:highest|largest|biggest)$/i.test(word)) return 'max';
  if (/^(?:lowest|smallest)$/i.test(word)) return 'min';
  return /\b(?:pays?|spends?|earns?|makes?)\b/i.test(text) ? 'sum' : 'count';
}
function read({ text }: Utterance): Reading | undefined {
  const which = WHICH.exec(text);
  const by = GROUP.exec(text);
  const fn = FUNCTIONS.find(([, words]) => words.test(text))?.[0];
  const group = wordsOf(which?.[1] ?? by?.[1] ?? '').slice(0, 3);
  const unit = by ? UNITS[group[0]?.replace(/s$/, '') ?? ''] : undefined;
  if (fn === undefined && which === null) return undefined;
  if (group.length === 0 && fn !== 'avg' && fn !== 'median') return undefined;
  return {
    fn: fn ?? superlativeOf(which?.[0] ?? '', which?.[2] ?? ''),
    group,
    unit,
    order: which ? (LEAST.test(which[2] ?? '') ? 'asc' : 'desc') : undefined,
  };
}

function namesRows(entry: IndexedTool, utterance: Utterance): boolean {
  const noun = (entry.tool.plural ?? '').split(' ').at(-1) ?? '';
  const ideas = conceptsOfWord(noun);
  return utterance.words.some(({ stem: each, concepts }) => each === stem(noun) || ideas.some((concept) => concepts.includes(concept)));
}

interface Candidate {
  readonly analysis: AnalysisDeclaration;
  readonly entry: IndexedTool;
  readonly group: Field | undefined;
  readonly measure: Measure;
  readonly namesRows: boolean;
}
function candidateOf(
  analysis: AnalysisDeclaration,
  entry: IndexedTool,
  { reading, utterance }: { reading: Reading; utterance: Utterance },
): Candidate | undefined {
  const { fn, group: words, unit } = reading;
  const { fields } = analysis;
  const group =
    unit === undefined
      ? (best(
          fields.filter(({ groups }) => groups),
          words.slice(0, 2),
        ) ??
        best(
          fields.filter(({ groups }) => groups),
          words.slice(0, 1),
        ))
      : fields.find(({ type, groups, name }) => groups && (type === 'day' || (fn === 'count' && name === 'created_at')));
  if (words.length > 0 && !group) return undefined;
  const rows = namesRows(entry, utterance);
  const said = utterance.words.map(({ token }) => token.word).filter((word) => !words.includes(word));
  const measured = best(
    fields.filter(({ measures }) => measures),
    said,
  );
  if (fn === 'count') return rows ? { analysis, entry, group, measure: 'count', namesRows: rows } : undefined;
  if (!measured) return undefined;
  return { analysis, entry, group, measure: { [fn]: measured.name }, namesRows: rows };
}

const nameOf = (measure: Measure): string =>
  measure === 'count'
    ? 'count'
    : Object.entries(measure)
        .map(([fn, field]) => `${fn}_${field}`)
        .join();
const PAGING = new Set(['limit', 'cursor', 'sort', 'count']);

/** Undefined if the question asks for no figures, or for those of no list that the person may see. */
export function planAnalysis(context: TurnContext, utterance: Utterance): AnalysisPlan | undefined {
  const reading = read(utterance);
  if (!reading) return undefined;
  const { index, allowed } = context;
  const found = index.analyses.flatMap((analysis) => {
    const entry = allowed.get(analysis.list);
    return entry ? (candidateOf(analysis, entry, { reading, utterance }) ?? []) : [];
  });
  const order = new Map(
    rankTools(
      index,
      utterance,
      found.map(({ entry }) => entry),
    ).map(({ entry, score }) => [entry, score]),
  );
  const [chosen] = found.sort((a, b) => Number(b.namesRows) - Number(a.namesRows) || (order.get(b.entry) ?? 0) - (order.get(a.entry) ?? 0));
  if (!chosen) return undefined;
  const { analysis, entry, group, measure } = chosen;
  const filled = fillSlots(index, entry, utterance);
  const where = Object.fromEntries(
    Object.entries(filled.input).filter(
      ([key]) => !PAGING.has(key) && key !== group?.name && entry.slots.some((slot) => slot.key === key && slot.kind !== 'query'),
    ),
  );
  const limit = Number(TOP.exec(utterance.text)?.[1] ?? 0);
  const input = {
    of: analysis.name,
    ...(group && { group_by: [reading.unit === undefined ? group.name : { field: group.name, by: reading.unit }] }),
    measures: [measure],
    ...(group && reading.unit === undefined && { sort: { by: nameOf(measure), order: reading.order ?? 'desc' } }),
    ...(limit > 0 && group && { limit }),
    ...(Object.keys(where).length > 0 && { where }),
  };
  const leftOut = [...utterance.amounts, ...utterance.dates]
    .filter((span) => !filled.used.some((piece) => overlaps(piece, span)))
    .filter((span) => !(limit > 0 && utterance.text.slice(span.start, span.end).trim() === String(limit)))
    .map(({ start, end }) => utterance.text.slice(start, end));
  return { tool: analysis.tool, entry, input, leftOut };
}
