/** Help below a command's options, broken at spaces to the width of the terminal. */
import { widthOf, wrap } from './text.ts';

/** Parts of a command line: a quoted part stays whole. */
const PART = /(?:'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"])+/g;

/** A shell takes the lines for one: each but the last ends in a backslash. */
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
  const told = sentences.flatMap((sentence) => wrap(sentence, width));
  return [
    '',
    ...told,
    ...(told.length > 0 ? [''] : []),
    title,
    ...examples.flatMap((example) => exampleLines(example, width)),
    '',
    ending,
  ].join('\n');
}
