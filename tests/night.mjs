// npm run test:night: the long runs, one after the other, each with its own time and limit; goes on where one failed.
// npm run test:night -- --only fuzz,soak: a part of them. Ends with the sum of all tests.
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** Other inputs each night, and the same for everyone who repeats it: the day is the seed. */
const seed = process.env.TAMSHAI_TEST_FUZZ_SEED || new Date().toISOString().slice(0, 10).replaceAll('-', '');

/** Name → what it runs, and after how many minutes it is ended. */
const STEPS = {
  fuzz: { run: ['tests/run.mjs', '--fuzz'], minutes: 30, env: { TAMSHAI_TEST_FUZZ_SEED: seed } },
  crashes: { run: ['tests/run.mjs', '--crashes'], minutes: 45 },
  clients: { run: ['tests/run.mjs', '--clients'], minutes: 30 },
  api: { run: ['tests/schemathesis/run.mjs'], minutes: 30 },
  keycloak: { run: ['tests/run.mjs', '--keycloak'], minutes: 30 },
  soak: { run: ['tests/soak/run.mjs'], minutes: 20 },
  cluster: { run: ['tests/run.mjs', '--cluster'], minutes: 120 },
};

const [option, list] = process.argv.slice(2);
const chosen = option === undefined ? Object.keys(STEPS) : (list ?? '').split(',');
const unknown = chosen.filter((name) => !Object.hasOwn(STEPS, name));
if ((option !== undefined && option !== '--only') || unknown.length > 0) {
  console.error(`Use --only with some of ${Object.keys(STEPS).join(', ')}, separated by commas.`);
  process.exit(2);
}

/** Runs one step in a process group of its own, so that its limit ends all that it started. */
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
  // A step that says that all passed and still ends with an error has failed.
  failed += isGood ? bad : Math.max(1, bad);
  const seconds = String(Math.round((performance.now() - started) / 1000)).padStart(6);
  times.push(`${seconds} s  ${name}${isGood ? '' : isLate ? `: ended after ${STEPS[name].minutes} minutes` : ': failed'}`);
}
console.log(`\n== Time\n${times.join('\n')}\n`);
if (chosen.includes('fuzz')) console.log(`Fuzz seed: ${seed}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
