/** Converts a Markdown file of the journey into a row: kind, topic and date. */
import { cut, headOf } from './markdown.ts';

export const kinds = ['decision', 'failure', 'pivot', 'lesson', 'recovery', 'note'] as const;
export type Kind = (typeof kinds)[number];

/** Increase this number if the conversion changes. Then every file is indexed again. */
export const READING = 1;

export interface JourneyRow {
  readonly record_id: string;
  /** `record_id` as a URI segment. */
  readonly key: string;
  readonly kind: Kind;
  readonly number: number | null;
  readonly title: string;
  readonly status: string | null;
  readonly when: string | null;
  /** The known part of the date (2026-11 for November 2026); empty if unknown. */
  readonly day: string;
  readonly components: readonly string[];
  readonly topics: readonly string[];
  readonly component_keys: readonly string[];
  readonly topic_keys: readonly string[];
  readonly versions: readonly string[];
  readonly from: string | null;
  readonly to: string | null;
  readonly lesson: string | null;
  readonly summary: string;
  readonly content: string;
  readonly uri: string | null;
}

/** The kind of a record by the beginning of its file name, folder or title. */
const BEGINS: readonly (readonly [Kind, RegExp])[] = [
  ['decision', /^(?:adrs?|decisions?|madr)(?![a-z])/i],
  ['failure', /^(?:failures?|incidents?|post-?mortems?)(?![a-z])/i],
  ['pivot', /^pivots?(?![a-z])/i],
  ['lesson', /^(?:lessons?|learnings?)(?![a-z])/i],
  ['recovery', /^(?:recover(?:y|ies)|phoenix|runbooks?)(?![a-z])/i],
];
const kindBy = (text: string | undefined): Kind | undefined =>
  text === undefined ? undefined : BEGINS.find(([, begins]) => begins.test(text.trim()))?.[0];

/** Matches "ADR 4: ", "Failure: " and "3. ". */
const TITLE_PREFIX =
  /^(?:(?:adr|decision|failure|incident|post-?mortem|pivot|lesson|recovery|phoenix|runbook)s?[\s_#-]*(\d{1,6})?\s*(?::|\.|–|—|-)\s+|(\d{1,6})\.\s+)/i;
const FILE_NUMBER = /^(?:[a-z]+[-_ ]?)?(\d{1,6})(?![a-z0-9])/i;

/** Makes a URI segment: `Row security` becomes `row-security`. */
export const keyOf = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}.]+/gu, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 80)
    .replace(/\p{Cs}/gu, '');

const MOST_NAMES = 12;
const namesIn = (value: string | undefined): string[] =>
  [
    ...new Set(
      (value ?? '')
        .replace(/^\[|\]$/g, '')
        .split(/[,;]/)
        .map((each) => cut(each.trim().replace(/^["']|["']$/g, ''), 60)),
    ),
  ]
    .filter((each) => each !== '')
    .slice(0, MOST_NAMES);

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** Parses `2026-11-16`, `16 November 2026`, `Nov 16, 2026`, `November 2026` and `2026`. */
export function dayIn(text: string): string {
  const iso = /\b(\d{4})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?)?\b/.exec(text);
  if (iso?.[2] !== undefined) return iso[0];
  const month = MONTHS.findIndex((each) => new RegExp(`\\b${each}`, 'i').test(text)) + 1;
  const [year] = /\b\d{4}\b/.exec(text) ?? [];
  if (year === undefined) return '';
  if (month === 0) return year;
  const [, day] = /\b(\d{1,2})\b/.exec(text.replace(year, '')) ?? [];
  const parts = [year, String(month).padStart(2, '0')];
  if (day !== undefined && Number(day) >= 1 && Number(day) <= 31) parts.push(day.padStart(2, '0'));
  return parts.join('-');
}

const begun = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const adrName = (number: number): string => `ADR-${String(number).padStart(4, '0')}`;

/** `path` is relative to the folder, with `/` as separator. It only names the record. */
export function rowOf(path: string, text: string): JourneyRow {
  const { title: heading, metadata, content, summary } = headOf(text);
  const record_id = path.replace(/\.md$/i, '');
  const parts = record_id.split('/');
  const file = parts.at(-1) ?? record_id;
  const kind =
    kindBy(metadata.get('kind')) ??
    kindBy(file) ??
    kindBy(heading) ??
    parts.slice(0, -1).map(kindBy).findLast(Boolean) ??
    (/^\d{3,6}[-_]/.test(file) ? 'decision' : 'note');
  const [prefix = '', inTitle, leading] = TITLE_PREFIX.exec(heading ?? '') ?? [];
  const numbered = FILE_NUMBER.exec(file)?.[1] ?? inTitle ?? (kind === 'decision' ? leading : undefined);
  // A status such as "accepted, November 2026" contains a date.
  const [status = '', ...dated] = (metadata.get('status') ?? '').split(/[,;(]/);
  const when =
    metadata.get('when') ??
    (dated
      .join(',')
      .replace(/\)\s*$/, '')
      .trim() ||
      undefined);
  const [components, topics] = [namesIn(metadata.get('components')), namesIn(metadata.get('topics'))];
  const versions = namesIn(metadata.get('versions'))
    .map(keyOf)
    .filter((each) => each !== '');
  const row = {
    record_id,
    key: keyOf(record_id),
    kind,
    number: numbered === undefined ? null : Number(numbered),
    title: cut(begun((heading ?? '').slice(prefix.length).trim() || file.replace(/[-_]+/g, ' ')), 200),
    status: cut(status.trim().toLowerCase(), 60) || null,
    when: when === undefined || when === '' ? null : cut(when, 60),
    day: dayIn(when ?? ''),
    components,
    topics,
    component_keys: components.map(keyOf),
    topic_keys: topics.map(keyOf),
    versions,
    from: metadata.get('from') || null,
    to: metadata.get('to') || null,
    lesson: begun(metadata.get('lesson') ?? '') || null,
    summary,
    content,
  };
  return { ...row, uri: addressOf(row) };
}

/** The URI where clients read the record; a note has none. */
function addressOf({ kind, number, key, component_keys, versions }: Omit<JourneyRow, 'uri'>): string | null {
  const at = (...segments: string[]) => `journey://${segments.map(encodeURIComponent).join('/')}`;
  switch (kind) {
    case 'decision':
      return at('decisions', number === null ? key : adrName(number));
    case 'failure':
      return at('failures', key);
    case 'pivot':
      return component_keys[0] === undefined ? null : at('evolution', component_keys[0]);
    case 'lesson':
      return 'journey://lessons';
    case 'recovery':
      return at('phoenix', versions[0] ?? 'latest');
    case 'note':
      return null;
  }
}
