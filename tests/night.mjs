// Runs the long suites one after the other, each with a time limit: node tests/night.mjs [--only fuzz,soak]. See CONTRIBUTING.md.
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** The date is the seed, so each night has other inputs and can be repeated. */
const seed = process.env.TAMSHAI_TEST_FUZZ_SEED || new Date().toISOString().slice(0, 10).replaceAll('-', '');

/** What each step runs, and after how many minutes it is killed. */
const STEPS = {
  fuzz: { run: ['tests/run.mjs', 'fuzz'], minutes: 30, env: { TAMSHAI_TEST_FUZZ_SEED: seed } },
  crash: { run: ['tests/run.mjs', 'crash'], minutes: 60 },
  clients: { run: ['tests/run.mjs', 'clients'], minutes: 30 },
  api: { run: ['tests/schemathesis/run.mjs'], minutes: 30 },
  keycloak: { run: ['tests/run.mjs', 'keycloak'], minutes: 30 },
  soak: { run: ['tests/soak/run.mjs'], minutes: 20 },
  cluster: { run: ['tests/run.mjs', 'cluster'], minutes: 120 },
};

const [option, list] = process.argv.slice(2);
const chosen = option === undefined ? Object.keys(STEPS) : (list ?? '').split(',');
const unknown = chosen.filter((name) => !Object.hasOwn(STEPS, name));
if ((option !== undefined && option !== '--only') || unknown.length > 0) {
  console.error(`Use --only with some of ${Object.keys(STEPS).join(', ')}, separated by commas.`);
  process.exit(2);
}

/** Runs a step in its own process group, so that the time limit kills all of its children. */
function run({ run: args, minutes, env = {} }) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let end = '';
    let isLate = false;
    const kill = (signal) => {
      try {
        process.kill(-Number(child.pid), signal);
      } catch {
        // It ended by itself.
      }
    };
    const limit = setTimeout(() => {
      isLate = true;
      kill('SIGTERM');
      setTimeout(() => kill('SIGKILL'), 20_000).unref();
    }, minutes * 60_000);
    child.stdout.on('data', (part) => {
      process.stdout.write(part);
      end = (end + part).slice(-4_000);
    });
    child.on('close', (status) => {
      clearTimeout(limit);
      resolve({ isGood: status === 0 && !isLate, isLate, last: end.trimEnd().split('\n').at(-1) ?? '' });
    });
  });
}

let passed = 0;
let failed = 0;
const times = [];
for (const name of chosen) {
  console.log(`\n== ${name}`);
  const started = performance.now();
  const { isGood, isLate, last } = await run(STEPS[name]);
  const sum = /^(\d+) passed, (\d+) failed$/.exec(last);
  const bad = sum ? Number(sum[2]) : 0;
  passed += sum ? Number(sum[1]) : isGood ? 1 : 0;
  // A step that reports no failure but exits with an error has failed.
  failed += isGood ? bad : Math.max(1, bad);
  const seconds = String(Math.round((performance.now() - started) / 1000)).padStart(6);
  times.push(`${seconds} s  ${name}${isGood ? '' : isLate ? `: killed after ${STEPS[name].minutes} minutes` : ': failed'}`);
}
console.log(`\n== Time\n${times.join('\n')}\n`);
if (chosen.includes('fuzz')) console.log(`Fuzz seed: ${seed}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
