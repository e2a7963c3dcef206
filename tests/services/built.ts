/** Builds dist/ for tests that need it: those of worker threads and of the command. */
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const changedAt = (path: string): number => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Builds if a source file is newer than the build, so no test runs old code. */
export function buildIfStale(): void {
  const sources = ['src', 'domains'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  );
  const newest = Math.max(...sources.map(changedAt));
  if (newest <= changedAt('dist/.tsbuildinfo')) return;
  const started = new Date();
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`The build failed:\n${stdout}`);
  // The compiler does not rewrite this file if only phrases or SQL changed.
  utimesSync(join(root, 'dist/.tsbuildinfo'), started, started);
}
