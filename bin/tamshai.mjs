#!/usr/bin/env node
// Runs the command. In a checkout it brings dist/ up to date first; an installed package has no src/ and nothing to build.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [src, web, dist] = [join(root, 'src'), join(root, 'web'), join(root, 'dist')];
const stamp = join(dist, '.built');
const webStamp = join(dist, 'web', '.vite', 'manifest.json');
const lock = join(dist, '.building');

const timeOf = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Folders too: a file that was removed leaves its trace in the folder's own time. */
function newest(folder) {
  let time = timeOf(folder);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    time = Math.max(time, entry.isDirectory() ? newest(path) : timeOf(path));
  }
  return time;
}

const isStale = () => !existsSync(join(dist, 'app', 'cli.js')) || timeOf(stamp) < newest(src);
/** Where the packages that build it are not installed, the plain pages do. */
const isWebStale = () => existsSync(web) && existsSync(join(root, 'node_modules', '@tailwindcss', 'vite')) && timeOf(webStamp) < newest(web);

const isAlive = (pid) => {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};

/** 0 where nobody is named, also when the file has gone in this very moment. */
function holderOf() {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch {
    return 0;
  }
}

/** Two commands at once must not both write dist/: one builds, the other waits for it. */
function enter() {
  mkdirSync(dist, { recursive: true });
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      const holder = holderOf();
      // A moment old and still empty: its maker is about to write its number.
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
  // The compiler leaves unchanged files alone, so only this one tells when dist/ was right: as of the build's beginning, since
  // whatever changed during it has to be built the next time.
  writeFileSync(built, '', { flag: 'a' });
  utimesSync(built, started / 1000, started / 1000);
}

function fail(message) {
  rmSync(lock, { force: true });
  process.stderr.write(`error  ${message}\n`);
  process.exit(1);
}

if (existsSync(src) && (isStale() || isWebStale())) {
  enter();
  if (isStale()) build('', 'tsc', ['-p', join(root, 'tsconfig.build.json')], stamp);
  if (isWebStale()) build(' the web app', 'vite', ['build', '-c', join(web, 'vite.config.ts')], webStamp);
  rmSync(lock, { force: true });
}

const { main } = await import(new URL('../dist/app/cli.js', import.meta.url).href);
await main(process.argv.slice(2));
