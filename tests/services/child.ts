/** Starts a TypeScript module as a child process of the tests. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const RUNNER = fileURLToPath(new URL('./run-ts.mjs', import.meta.url));

export interface Child {
  readonly process: ChildProcess;
  /** The next line that the child prints. Rejects if the child ends before it prints one. */
  line(): Promise<string>;
  /** Resolves when the child has ended, with its exit code and output. */
  readonly ended: Promise<{ code: number | null; out: string; err: string }>;
}

/** Starts the module with these arguments. The child ends with this process. */
export function startChild(file: URL, ...args: string[]): Child {
  const child = spawn(process.execPath, [RUNNER, fileURLToPath(file), ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  process.once('exit', () => child.kill('SIGKILL'));
  const lines: string[] = [];
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const reader = createInterface({ input: child.stdout }).on('line', (text) => lines.push(text));
  let taken = 0;
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, out: lines.join('\n'), err }));
  return {
    process: child,
    ended,
    async line() {
      while (lines.length <= taken) {
        const what = await Promise.race([once(reader, 'line').then(() => 'line'), ended.then(() => 'end')]);
        if (what === 'end' && lines.length <= taken) throw new Error(`The child ended before it printed a line: ${err}`);
      }
      return lines[taken++] ?? '';
    },
  };
}
