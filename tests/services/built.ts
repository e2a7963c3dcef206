/** Builds dist/ for tests that need it: those of worker threads, of the command, and of the scripts and styles of pages. */
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The folder of the scripts and styles that Vite builds from web/. */
export const WEB_BUILD = join(root, 'dist', 'web');

const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const newestIn = (folders: readonly string[]): number =>
  Math.max(
    ...folders.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => changedAt(join(root, folder, path))),
    ),
  );

function run(program: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'node_modules', program), ...args], {
    cwd: root,
    encoding: 'utf8',
    // Vitest sets NODE_ENV to `test`, for which React's slower development version would be built.
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (status !== 0) throw new Error(`The build failed:\n${stdout}${stderr}`);
}

/** Builds if a source file is newer than the build, so no test runs old code. */
export function buildIfStale(): void {
  const stamps = { tsc: join(root, 'dist/.tsbuildinfo'), vite: join(WEB_BUILD, '.vite/manifest.json') };
  if (newestIn(['src', 'domains']) > changedAt(stamps.tsc)) {
    const started = new Date();
    run('typescript/bin/tsc', ['-p', 'tsconfig.build.json']);
    // The compiler does not rewrite this file if only phrases or SQL changed.
    utimesSync(stamps.tsc, started, started);
  }
  if (newestIn(['web']) > changedAt(stamps.vite)) run('vite/bin/vite.js', ['build', '-c', 'web/vite.config.ts']);
}
