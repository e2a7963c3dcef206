// Runs the test tiers: node tests/run.mjs <tier> [--retry-once] [arguments of vitest]. CONTRIBUTING.md lists the tiers; vitest.config.ts
// says which files each of them includes.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const STORES = 'postgres,redis,mongo,opensearch';
const CHECKS = { types: 'check', lint: 'lint', format: 'format:check' };
const SERVERS = { TAMSHAI_TEST_STORES: 'servers', TAMSHAI_TEST_SERVERS: `${STORES},elasticsearch,toxiproxy` };
const CLUSTER = { TAMSHAI_TEST_STORES: 'servers', TAMSHAI_TEST_SERVERS: STORES, TAMSHAI_TEST_SHAPE: 'cluster' };

/** Each tier is a sequence of vitest runs. `files` names globs of vitest.config.ts; by default those of the tier. */
const TIERS = {
  embedded: [{ env: {} }],
  long: [{ env: {} }],
  servers: [{ env: SERVERS }],
  browser: [{ env: {} }],
  fuzz: [{ env: {} }],
  clients: [{ env: {} }],
  keycloak: [{ env: {} }],
  // Which statement a kill interrupts is a matter of chance, hence several rounds.
  crash: [{}, {}, {}, SERVERS, SERVERS].map((env) => ({ env })),
  cluster: [
    { files: 'contract', env: CLUSTER },
    { files: 'cluster', env: SERVERS, args: ['--no-file-parallelism'] },
    { files: 'keycloak', env: CLUSTER },
  ],
};
const ALL = ['embedded', 'long', 'servers', 'browser'];

const [tier = '', ...options] = process.argv.slice(2);
const mayRetry = options.includes('--retry-once');
const filters = options.filter((option) => option !== '--retry-once');
if (tier !== 'all' && !Object.hasOwn(TIERS, tier)) {
  console.error(`Name a tier: ${[...Object.keys(TIERS), 'all'].join(', ')}.`);
  process.exit(2);
}

const seconds = (started) => `${((performance.now() - started) / 1000).toFixed(1)} s`;
let passed = 0;
const problems = [];
const unsteady = [];
const times = [];

const ended = (child) => new Promise((resolve) => child.on('close', (status) => resolve(status)));

/** Runs one npm script. Its output is shown only if it fails. */
async function check(name, script) {
  const started = performance.now();
  const child = spawn('npm', ['run', '--silent', script], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => output.push(part));
  const isGood = (await ended(child)) === 0;
  console.log(`${isGood ? '✓' : '✗'} ${name} (${seconds(started)})`);
  if (!isGood) {
    process.stdout.write(Buffer.concat(output));
    problems.push(name);
  }
  return isGood;
}

/** Runs vitest once. A file that cannot be loaded and an error outside any test count as failures. */
async function vitest(files, env, args) {
  const folder = mkdtempSync(join(tmpdir(), 'tamshai-test-report-'));
  const report = join(folder, 'report.json');
  const program = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const child = spawn(process.execPath, [program, 'run', ...reporters, ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, TAMSHAI_TEST_STORES: 'embedded', ...env, TAMSHAI_TEST_FILES: files },
  });
  const status = await ended(child);
  const result = { passed: 0, failures: [] };
  try {
    const { numPassedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
    result.passed = numPassedTests;
    for (const { name, status: state, assertionResults } of testResults) {
      const file = relative(root, name);
      const bad = assertionResults.filter((test) => test.status === 'failed');
      const good = assertionResults.filter((test) => test.status === 'passed').length;
      for (const { fullName } of bad) result.failures.push({ file, good, what: `${file}: ${fullName.trim()}` });
      if (state === 'failed' && bad.length === 0) result.failures.push({ file, good, what: `${file} could not be run` });
    }
  } catch {
    result.failures.push({ what: 'vitest ended without a report' });
  }
  if (status !== 0 && result.failures.length === 0) result.failures.push({ what: 'an error outside the tests; see above' });
  rmSync(folder, { recursive: true, force: true });
  return result;
}

// With --retry-once, at most this many failed files run a second time.
const FEW = 4;
async function suite(files, env, args) {
  const first = await vitest(files, env, args);
  const again = [...new Set(first.failures.map(({ file }) => file))];
  const isRetried = mayRetry && again.length > 0 && again.length <= FEW && !again.includes(undefined);
  if (!isRetried) {
    passed += first.passed;
    problems.push(...first.failures.map(({ what }) => what));
    return;
  }
  const second = await vitest(files, env, ['--no-file-parallelism', ...again]);
  const counted = new Map(first.failures.map(({ file, good }) => [file, good]));
  passed += first.passed - [...counted.values()].reduce((sum, good) => sum + good, 0) + second.passed;
  const remaining = second.failures.map(({ what }) => what);
  problems.push(...remaining);
  unsteady.push(...first.failures.map(({ what }) => what).filter((what) => !remaining.includes(what)));
}

const started = performance.now();
const isBuilt = await check('build', 'build');
times.push(['build', seconds(started)]);
// The other checks run beside the tests, which often wait.
const checks = tier === 'embedded' || tier === 'all' ? Object.entries(CHECKS) : [];
const checked = Promise.all(checks.map(([name, script]) => check(name, script)));
if (isBuilt)
  for (const name of tier === 'all' ? ALL : [tier]) {
    const begun = performance.now();
    if (tier === 'all') console.log(`\n== ${name}`);
    for (const { files = name, env, args = [] } of TIERS[name]) await suite(files, env, [...args, ...filters]);
    times.push([name, seconds(begun)]);
  }
await checked;

if (problems.length > 0) console.log(`\nFailed:\n${problems.map((problem) => `  ✗ ${problem}`).join('\n')}`);
if (unsteady.length > 0) console.log(`\nPassed only when run again:\n${unsteady.map((what) => `  ↻ ${what}`).join('\n')}`);
console.log(`\n${[...times, ['in all', seconds(started)]].map(([name, time]) => `${time.padStart(9)}  ${name}`).join('\n')}`);
console.log(`\n${passed} passed, ${problems.length} failed`);
process.exitCode = problems.length === 0 && passed > 0 ? 0 : 1;
