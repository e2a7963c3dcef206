/**
 * Reads the metadata of a Markdown file: front matter, title and lines of "Key: value". People write it by hand, so many spellings are
 * accepted.
 */
import { createLineClassifier, type LineType, withoutMark } from '../../src/declare/markdown.ts';

export interface Head {
  readonly title: string | undefined;
  /** Metadata by key, in lower case. */
  readonly metadata: ReadonlyMap<string, string>;
  /** The text without front matter. */
  readonly content: string;
  /** The beginning of the first paragraph. */
  readonly summary: string;
}

const MOST_HEAD_LINES = 60;
const MOST_VALUE = 300;
const MOST_SUMMARY = 400;

const KNOWN = new Map(
  Object.entries({
    status: 'status',
    component: 'components',
    components: 'components',
    topic: 'topics',
    topics: 'topics',
    tags: 'topics',
    when: 'when',
    date: 'when',
    version: 'versions',
    versions: 'versions',
    'applies to': 'versions',
    from: 'from',
    to: 'to',
    kind: 'kind',
    type: 'kind',
    title: 'title',
    lesson: 'lesson',
  }),
);

/** `- Component: core`, `**Date:** 2026-11-16`, `status: accepted`. */
const LINE = /^\s{0,3}(?:[-*+]\s+)?[*_]{0,2}([a-z][a-z ]{1,20})[*_]{0,2}\s?:[*_]{0,2}\s*(.*)$/i;

const unquoted = (value: string): string => value.trim().replace(/^(["'])(.*)\1$/, '$2');

function said(line: string): readonly [string, string] | undefined {
  const [, name = '', value = ''] = LINE.exec(line.slice(0, MOST_VALUE)) ?? [];
  const key = KNOWN.get(name.trim().toLowerCase());
  return key === undefined ? undefined : [key, unquoted(value)];
}

/** Reads the front matter: the lines between two `---` at the beginning. A list may follow its key. */
function frontMatter(lines: readonly string[]): { readonly metadata: Map<string, string>; readonly rest: readonly string[] } {
  const metadata = new Map<string, string>();
  const end = lines[0]?.trimEnd() === '---' ? lines.findIndex((line, at) => at > 0 && /^(?:---|\.\.\.)\s*$/.test(line)) : -1;
  if (end < 0) return { metadata, rest: lines };
  let open: string | undefined;
  for (const line of lines.slice(1, Math.min(end, MOST_HEAD_LINES))) {
    const item = /^\s*-\s+(.*)$/.exec(line.slice(0, MOST_VALUE))?.[1];
    const found = item === undefined ? said(line) : undefined;
    if (found !== undefined) metadata.set((open = found[0]), found[1]);
    else if (item !== undefined && open !== undefined) metadata.set(open, [metadata.get(open), unquoted(item)].filter(Boolean).join(', '));
    else if (/^\S/.test(line)) open = undefined;
  }
  return { metadata, rest: lines.slice(end + 1) };
}

const HEADING = /^#{1,6}\s+(.*?)\s*#*$/;

export function headOf(text: string): Head {
  const { metadata, rest } = frontMatter(
    text
      .replace(/^\ufeff/, '')
      .replace(/\r\n?/g, '\n')
      .split('\n'),
  );
  const first = rest.findIndex((line) => /^#\s+\S/.test(line));
  const title = metadata.get('title') ?? (first < 0 ? undefined : HEADING.exec(rest[first]?.slice(0, MOST_VALUE) ?? '')?.[1]);
  // Metadata lines come directly after the title. The first other line ends them.
  for (const line of rest.slice(first + 1, first + 1 + MOST_HEAD_LINES)) {
    const found = said(line);
    if (found !== undefined && !metadata.has(found[0])) metadata.set(...found);
    if (found === undefined && line.trim() !== '') break;
  }
  for (const [section, key] of [
    ['Status', 'status'],
    ['Date', 'when'],
    ['Lesson', 'lesson'],
  ] as const) {
    if (!metadata.has(key)) {
      const [paragraph = ''] = paragraphs(sectionOf(rest, section));
      if (paragraph !== '') metadata.set(key, cut(paragraph, MOST_SUMMARY));
    }
  }
  const lesson = paragraphs(rest).find((each) => /^lesson:\s/i.test(each));
  if (lesson !== undefined) metadata.set('lesson', cut(lesson.slice(7).trim(), MOST_SUMMARY));
  const [summary = ''] = paragraphs(rest.slice(first + 1));
  return { title, metadata, content: rest.join('\n').trim(), summary: cut(summary, MOST_SUMMARY) };
}

function sectionOf(lines: readonly string[], name: string): readonly string[] {
  const at = lines.findIndex((line) => /^#{2,3}\s/.test(line) && HEADING.exec(line)?.[1]?.toLowerCase() === name.toLowerCase());
  if (at < 0) return [];
  const end = lines.findIndex((line, i) => i > at && /^#{1,3}\s/.test(line));
  return lines.slice(at + 1, end < 0 ? undefined : end);
}

const PROSE: readonly LineType[] = ['text', 'bullet', 'ordered'];
/** Returns the prose without headings, code, tables, quotes, rules, comments and metadata. */
function paragraphs(lines: readonly string[]): string[] {
  const classify = createLineClassifier();
  const found: string[] = [];
  let open: string[] = [];
  const end = () => {
    if (open.length > 0) found.push(open.join(' ').replace(/\s+/g, ' ').trim());
    open = [];
  };
  for (const line of lines) {
    const type = classify(line);
    if (PROSE.includes(type) && !(open.length === 0 && isAbout(line))) open.push(type === 'bullet' ? withoutMark(line, type) : line);
    else end();
  }
  end();
  return found;
}
/** `Lesson: …` is prose, not metadata. */
const isAbout = (line: string): boolean => {
  const [key] = said(line) ?? [];
  return key !== undefined && key !== 'lesson';
};

export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = text.lastIndexOf(' ', most - 2);
  return `${text.slice(0, end > most / 2 ? end : most - 2).replace(/\p{Cs}$/u, '')} …`;
}
