/** Reads the corpus of labelled questions (tests/questions/corpus/README.md) and checks its format. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';

export const PARTS = ['train', 'dev', 'test'] as const;
export const CLASSES = [
  'read',
  'write',
  'missing',
  'follow-up',
  'correction',
  'compare',
  'top',
  'count',
  'sum',
  'two-wishes',
  'negative',
  'dates',
  'only-asks',
  'who-may',
  'how-to',
  'what-if',
  'out-of-scope',
  'permission',
  'small-talk',
  'unfiltered',
  'hostile',
] as const;

const pattern = z.string().refine((text) => {
  try {
    return Boolean(new RegExp(text, 'i'));
  } catch {
    return false;
  }
}, 'must be a regular expression');
const toolName = z.string().regex(/^[a-z][a-z0-9]*\.[a-z][a-z0-9_]*$/, 'must be domain.tool');
const args = z.record(z.string(), z.unknown());
const expectation = z
  .strictObject({
    kind: z.enum(['call', 'card', 'decline', 'clarify', 'explain']),
    tools: z.array(z.union([toolName, z.array(toolName).min(2)])).default([]),
    args: z.union([args, z.array(args)]).optional(),
    says: z.array(pattern).default([]),
    never: z.array(pattern).default([]),
  })
  .refine(({ kind, tools }) => kind !== 'card' || tools.length > 0, 'a card needs its tool')
  .refine(({ args: given, tools }) => given === undefined || [given].flat().length === tools.length, 'args needs one object for each tool');
const question = z.strictObject({
  id: z.string().min(1),
  as: z.string().min(1),
  class: z.enum(CLASSES),
  turns: z.array(z.strictObject({ ask: z.string().min(1).max(4000), expect: expectation.optional() })).min(1),
});
const part = z.enum(PARTS);
const partsFile = z.strictObject({ authors: z.record(z.string(), part), styles: z.record(z.string(), part) });

export type Part = (typeof PARTS)[number];
export type Expectation = z.output<typeof expectation>;
export interface Question extends z.output<typeof question> {
  readonly author: string;
  readonly style: string;
  readonly part: Part;
  readonly file: string;
}
export interface Corpus {
  readonly questions: readonly Question[];
  /** What is wrong with the files, one sentence each. */
  readonly problems: readonly string[];
}

export const CORPUS_FOLDER = new URL('corpus/', import.meta.url);

export function readCorpus(folder: URL = CORPUS_FOLDER): Corpus {
  const partsPath = new URL('parts.json', folder);
  if (!existsSync(partsPath)) return { questions: [], problems: ['parts.json is missing'] };
  const { authors, styles } = partsFile.parse(JSON.parse(readFileSync(partsPath, 'utf8')));
  const questions: Question[] = [];
  const problems: string[] = [];
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.jsonl'))) {
    const [, author = '', style = ''] = /^([a-z0-9-]+)\.([a-z0-9-]+)\.jsonl$/.exec(file) ?? [];
    const own = authors[author];
    if (own === undefined || own !== styles[style]) {
      problems.push(`${file}: parts.json must name author "${author}" and style "${style}", both in the same part`);
      continue;
    }
    const ids = new Set<string>();
    for (const [at, line] of readFileSync(new URL(file, folder), 'utf8').split('\n').entries()) {
      if (line.trim() === '') continue;
      const where = `${file}:${at + 1}`;
      const read = readLine(line);
      if (typeof read === 'string') problems.push(`${where}: ${read}`);
      else if (ids.has(read.id)) problems.push(`${where}: the id ${read.id} is used twice`);
      else {
        ids.add(read.id);
        questions.push({ ...read, author, style, part: own, file });
      }
    }
  }
  return { questions, problems };
}

function readLine(line: string): z.output<typeof question> | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return 'is not JSON';
  }
  const parsed = question.safeParse(value);
  if (parsed.success) return parsed.data;
  return parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ');
}
