/** Command output: results go to standard output, messages and progress to standard error. */
import type { Look } from '../terminal/data.ts';
import { type Progress, progressOn, silent } from '../terminal/progress.ts';
import { type Style, showsColour, styleOf } from '../terminal/style.ts';

export interface Console {
  /** True for one JSON value on standard output, without colours and prompts. */
  readonly json: boolean;
  readonly look: Look;
  readonly errors: Style;
  readonly progress: Progress;
  out(...lines: readonly string[]): void;
  err(...lines: readonly string[]): void;
  value(value: unknown): void;
}

const writerTo = (stream: NodeJS.WriteStream) => (lines: readonly string[]) => {
  if (lines.length > 0) stream.write(`${lines.join('\n')}\n`);
};

export function openConsole(json = false): Console {
  const { stdout, stderr } = process;
  const [out, err] = [writerTo(stdout), writerTo(stderr)];
  const errors = styleOf(!json && showsColour(stderr));
  return {
    json,
    look: {
      style: styleOf(!json && showsColour(stdout)),
      width: stdout.isTTY ? Math.max(40, stdout.columns || 80) : Number.POSITIVE_INFINITY,
    },
    errors,
    progress: json ? silent : progressOn(stderr, errors),
    out: (...lines) => out(lines),
    err: (...lines) => err(lines),
    value: (value) => out([JSON.stringify(value)]),
  };
}
