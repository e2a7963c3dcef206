/** Help text below a command's options, wrapped at the width of the terminal. */
import { widthOf, wrap } from './text.ts';

/** The parts of a command line. A quoted part is never split. */
const PART = /(?:'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"])+/g;

/** Wrapped lines end in a backslash, so that the user can paste the command into a shell. */
export function exampleLines(example: string, width: number): string[] {
  if (widthOf(example) + 2 <= width) return [`  ${example}`];
  const lines: string[] = [];
  let line = ' ';
  for (const part of example.match(PART) ?? []) {
    if (line.trim() !== '' && widthOf(line) + 1 + widthOf(part) + 2 > width) {
      lines.push(`${line} \\`);
      line = '   ';
    }
    line = `${line} ${part}`;
  }
  return [...lines, line];
}

export interface HelpText {
  readonly sentences?: readonly string[];
  readonly title?: string;
  readonly examples: readonly string[];
  readonly ending: string;
}

export function helpText({ sentences = [], title = 'Examples:', examples, ending }: HelpText, width: number): string {
  const notes = sentences.flatMap((sentence) => wrap(sentence, width));
  return [
    '',
    ...notes,
    ...(notes.length > 0 ? [''] : []),
    title,
    ...examples.flatMap((example) => exampleLines(example, width)),
    '',
    ending,
  ].join('\n');
}
