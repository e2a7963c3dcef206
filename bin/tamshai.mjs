#!/usr/bin/env node
// Runs the tamshai command. In a checkout, it first rebuilds dist/ if a source file is newer.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [src, domains, web, dist] = ['src', 'domains', 'web', 'dist'].map((folder) => join(root, folder));
const stamp = join(dist, '.built');
const webStamp = join(dist, 'web', '.vite', 'manifest.json');
const lock = join(dist, '.building');

const timeOf = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** The newest modification time in a folder. Folders count, because a removed file changes only its folder. */
function newest(folder) {
  let time = timeOf(folder);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    time = Math.max(time, entry.isDirectory() ? newest(path) : timeOf(path));
  }
  return time;
}

const isStale = () => !existsSync(join(dist, 'src', 'cli', 'main.js')) || timeOf(stamp) < Math.max(newest(src), newest(domains));
/** `npm ci --omit=dev` installs no vite, so web/ cannot be built. The gateway then serves pages without style and script. */
const isWebStale = () => existsSync(web) && existsSync(join(root, 'node_modules', 'vite')) && timeOf(webStamp) < newest(web);

const isAlive = (pid) => {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};

/** Returns 0 if the lock file is empty or missing. */
function lockHolder() {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch {
    return 0;
  }
}

/** Only one command builds dist/ at a time. Another one waits. */
function takeLock() {
  mkdirSync(dist, { recursive: true });
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      const holder = lockHolder();
      // A new lock file may not contain a process id yet, so it is valid for two seconds.
      if (!isAlive(holder) && Date.now() - timeOf(lock) > 2_000) rmSync(lock, { force: true });
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    }
  }
}

function build(what, program, args, built) {
  const started = Date.now();
  process.stderr.write(`Building${what}…\n`);
  const compiler = join(root, 'node_modules', '.bin', process.platform === 'win32' ? `${program}.cmd` : program);
  if (!existsSync(compiler)) fail('The compiler is not installed; run npm install first.');
  const { status, stdout, stderr } = spawnSync(compiler, args, { cwd: root, encoding: 'utf8', shell: process.platform === 'win32' });
  if (status !== 0) fail(`The build failed.\n${stdout ?? ''}${stderr ?? ''}`.trimEnd());
  // The compiler does not rewrite unchanged files, so this stamp records the start of the build. A source may change during the build.
  writeFileSync(built, '', { flag: 'a' });
  utimesSync(built, started / 1000, started / 1000);
}

function fail(message) {
  rmSync(lock, { force: true });
  process.stderr.write(`error  ${message}\n`);
  process.exit(1);
}

if (existsSync(src) && (isStale() || isWebStale())) {
  takeLock();
  if (isStale()) build('', 'tsc', ['-p', join(root, 'tsconfig.build.json')], stamp);
  if (isWebStale()) build(' the web app', 'vite', ['build', '-c', join(web, 'vite.config.ts')], webStamp);
  rmSync(lock, { force: true });
}

const { main } = await import(new URL('../dist/src/cli/main.js', import.meta.url).href);
await main(process.argv.slice(2));
