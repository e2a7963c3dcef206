/** Renders records as Markdown pages, for resources. */
import { createLineClassifier } from '../../src/declare/markdown.ts';
import { cut } from './markdown.ts';
import type { Whole } from './schemas.ts';
import { byTime } from './format.ts';

/** The longest page, in characters. A page counts the records that do not fit. */
const MOST_CHARACTERS = 200_000;

/** Moves headings one level down, because the page has its own title. */
function deeper(content: string): string {
  const classify = createLineClassifier();
  return content
    .split('\n')
    .map((line) => (classify(line) === 'heading' ? line.replace(/^(#{1,5})(?=\s)/, '#$1') : line))
    .join('\n');
}

export function pageOf(title: string, rows: readonly Whole[], more: string): string {
  const parts = [`# ${plainLine(title)}`];
  let length = 0;
  for (const [at, { content }] of rows.entries()) {
    const text = deeper(content);
    if ((length += text.length) > MOST_CHARACTERS && at > 0) {
      parts.push(`${rows.length - at} more: ${more}`);
      break;
    }
    parts.push(text);
  }
  return `${parts.join('\n\n')}\n`;
}

const plainLine = (text: string): string => text.replace(/[[\]\\`*_<>]/g, '\\$&');
const linked = ({ title, uri }: Pick<Whole, 'title' | 'uri'>): string =>
  uri === null ? plainLine(title) : `[${plainLine(title)}](${uri})`;

/** Lists the records of a component, oldest first. */
export function evolutionOf(component: string, rows: readonly Whole[]): string {
  const lines = [`# Evolution: ${plainLine(component)}`];
  let when: string | null | undefined;
  for (const row of rows.toSorted(byTime).toReversed()) {
    if (row.when !== when) lines.push('', `## ${row.when === null ? 'At an unknown time' : plainLine(row.when)}`, '');
    when = row.when;
    lines.push(`- ${row.kind}: ${linked(row)}. ${cut(row.summary, 300)}`);
  }
  return `${lines.join('\n')}\n`;
}

export function lessonsOf(lessons: readonly Whole[], failures: readonly Whole[]): string {
  const learned = failures.filter(({ lesson }) => lesson !== null).map((row) => `- ${row.lesson} (${linked(row)})`);
  const page = pageOf('Lessons', lessons.toSorted(byTime), 'search_journey finds them, with kind "lesson".');
  return learned.length === 0 ? page : `${page}\n## Learned from failures\n\n${learned.join('\n')}\n`;
}

const fits = (one: string, other: string): boolean => one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);
const byVersion = new Intl.Collator('en', { numeric: true });
export const LATEST = 'latest';

export const versionsIn = (rows: readonly Whole[]): string[] =>
  [...new Set(rows.flatMap(({ versions }) => versions))].toSorted(byVersion.compare).toReversed();

/** The notes for a version, or undefined if no note names it. A note without versions applies to all versions. */
export function notesFor(version: string, rows: readonly Whole[]): readonly Whole[] | undefined {
  const known = versionsIn(rows);
  const wanted = version === LATEST ? known[0] : version;
  if (wanted !== undefined && !known.some((each) => fits(each, wanted))) return undefined;
  return rows.filter(({ versions }) => versions.length === 0 || (wanted !== undefined && versions.some((each) => fits(each, wanted))));
}
