/** A company's project in a folder of its own, with the installed package. */
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { bin, environment, folder, ROOT, type Settings } from './command-support.ts';

const run = promisify(execFile);
/** A folder with the installed package, and what an author's project installs beside it. */
export function project(): string {
  const path = folder('own-project');
  mkdirSync(join(path, 'node_modules', '@types'), { recursive: true });
  symlinkSync(dirname(dirname(bin())), join(path, 'node_modules', 'tamshai'));
  for (const each of ['typescript', 'vitest', '@types/node'])
    symlinkSync(join(ROOT, 'node_modules', each), join(path, 'node_modules', each));
  return path;
}
const script = (path: string, program: string, args: readonly string[], settings: Settings = {}) =>
  run(process.execPath, [join(path, 'node_modules', program), ...args], {
    cwd: path,
    env: environment({ CI: 'true', NO_COLOR: '1', ...settings }),
  }).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => expect.fail(`${program} failed:\n${stdout}\n${stderr}`),
  );
export const compile = (path: string) => script(path, 'typescript/bin/tsc', ['-p', path]);
/** Runs the tests of a project, and returns what vitest prints. */
export const suite = (path: string, settings?: Settings) => script(path, 'vitest/vitest.mjs', ['run'], settings);
