// npm test: builds, checks, lints, and runs every suite on the embedded stores, beside a real PostgreSQL where npm's binary runs.
// npm run test:browser: runs the pages in a real Chromium, at /usr/bin/chromium or where TAMSHAI_TEST_CHROMIUM says.
// TAMSHAI_TEST_KEYCLOAK=1 npx vitest run tests/keycloak: signs in at a real Keycloak, which takes long to fetch, build and start.
// npm run test:servers: runs the suites that know stores against real servers (PostgreSQL, Redis, MongoDB, OpenSearch, Elasticsearch), then
// everything of test:cluster; the better part of an hour on two cores. With --stores only the former.
// npm run test:cluster: a site is three gateways, two hr servers and the other domains behind a balancer: the whole contract suite against
// that;
// then the same under load, restarted, given new keys, killed, with every way between them disturbed; then with a real Keycloak as the
// issuer, which is
// killed as well.
// npm run test:fuzz: random inputs for everything that takes bytes of others, with one fixed seed, bounded in count and time.
// TAMSHAI_TEST_FUZZ_SEED and
// TAMSHAI_TEST_FUZZ_RUNS (of each property) change that.
// npm run test:night: fuzz, crashes, clients of others, schemathesis, Keycloak, soak and cluster, one after the other; see tests/night.mjs.
// npm run test:soak: ten minutes of steady load, with what the process holds on to.
// TAMSHAI_TEST_ELASTICSEARCH_VERSION=9.5.3 TAMSHAI_TEST_OPENSEARCH_VERSION=3.8.0 TAMSHAI_TEST_JAVA_HOME=<Java 21> npm run test:servers --
// tests/ports/search:
//   the newest search servers, which were tried and pass.
// Further arguments go to vitest: npm test -- tests/unit
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cluster = process.argv.includes('--cluster');
const servers = process.argv.includes('--servers');
const browser = process.argv.includes('--browser');
const onlyStores = process.argv.includes('--stores');
/** Runs on the embedded stores that are asked for by name: the setting that includes their files, and where these are. */
const BY_NAME = {
  '--fuzz': { env: { TAMSHAI_TEST_FUZZ: '1' }, paths: ['tests/fuzz'] },
  '--clients': { env: { TAMSHAI_TEST_CLIENTS: '1' }, paths: ['tests/clients', 'tests/conformance'] },
  '--keycloak': { env: { TAMSHAI_TEST_KEYCLOAK: '1' }, paths: ['tests/keycloak'] },
  // Several times: where a process ends is a matter of chance.
  '--crashes': {
    env: { TAMSHAI_TEST_SERVERS: 'postgres' },
    paths: ['tests/contract/crash', 'tests/journeys/store-faults', 'tests/ports/documents-faults', 'tests/ports/search-faults'],
    times: 5,
  },
};
const byName = Object.keys(BY_NAME).find((name) => process.argv.includes(name));
const MODES = ['--cluster', '--servers', '--stores', '--browser', ...Object.keys(BY_NAME)];
const filters = process.argv.slice(2).filter((argument) => !MODES.includes(argument));

const seconds = (started) => `${((performance.now() - started) / 1000).toFixed(1)} s`;
let passed = 0;
let failed = 0;
const problems = [];
const unsteady = [];

/** A step that is not a test itself. Quiet when all is well. */
function step(name, script) {
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', script], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 });
  if (status === 0) {
    console.log(`✓ ${name} (${seconds(started)})`);
    return true;
  }
  console.log(`✗ ${name} (${seconds(started)})\n${stdout}${stderr}`);
  problems.push(name);
  failed++;
  return false;
}

/** Runs vitest. A file that cannot be loaded, or an error outside any test, is a failure as well. */
function run(env, args) {
  const folder = mkdtempSync(join(tmpdir(), 'tamshai-test-report-'));
  const report = join(folder, 'report.json');
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...args],
    {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...env },
    },
  );
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
  if (status !== 0 && result.failures.length === 0) result.failures.push({ what: 'something failed outside the tests; see above' });
  rmSync(folder, { recursive: true, force: true });
  return result;
}

/** A few files that failed are run once more, alone: what passes then is counted, and named as unsteady. Many failures are no chance. */
const FEW = 4;
function suites(env, paths) {
  const first = run(env, paths);
  const files = [...new Set(first.failures.map(({ file }) => file))];
  const again =
    files.length > 0 && files.length <= FEW && !files.includes(undefined) ? run(env, ['--no-file-parallelism', ...files]) : undefined;
  if (again === undefined) {
    passed += first.passed;
    failed += first.failures.length;
    problems.push(...first.failures.map(({ what }) => what));
    return;
  }
  const counted = new Map(first.failures.map(({ file, good }) => [file, good]));
  passed += first.passed - [...counted.values()].reduce((sum, good) => sum + good, 0) + again.passed;
  failed += again.failures.length;
  problems.push(...again.failures.map(({ what }) => what));
  unsteady.push(...first.failures.map(({ what }) => what).filter((what) => !problems.includes(what)));
}

const STORES = 'postgres,redis,mongo,opensearch';
/** The command is tested as it is installed, on stores of its own: once is enough. */
const ONCE = '--exclude=tests/journeys/command*';
const onStores = (paths, more = {}) =>
  suites({ TAMSHAI_TEST_STORES: 'servers', TAMSHAI_TEST_SERVERS: `${STORES},elasticsearch,toxiproxy`, ...more }, [...paths, ONCE]);
const KEYCLOAK = { TAMSHAI_TEST_KEYCLOAK: '1' };
/** What starts its own processes has one shape. */
const asCluster = (paths) =>
  suites(
    {
      TAMSHAI_TEST_STORES: 'servers',
      TAMSHAI_TEST_SERVERS: STORES,
      TAMSHAI_TEST_SHAPE: 'cluster',
      ...(paths.includes('tests/keycloak') && KEYCLOAK),
    },
    [...paths, ONCE, '--exclude=tests/contract/{crash,contracts}.test.ts'],
  );

const started = performance.now();
if (step('build', 'build')) {
  if (servers || cluster) {
    if (servers) onStores(filters.length > 0 ? filters : ['tests/ports', 'tests/contract', 'tests/journeys']);
    if (cluster && filters.length > 0) asCluster(filters);
    else if (filters.length === 0 && !onlyStores) {
      asCluster(['tests/contract']);
      onStores(['tests/cluster']);
      onStores(['tests/cluster/keycloak'], KEYCLOAK);
      asCluster(['tests/keycloak']);
    }
  } else if (byName !== undefined) {
    const { env, paths, times = 1 } = BY_NAME[byName];
    for (let n = 0; n < times; n++) suites({ TAMSHAI_TEST_STORES: 'embedded', ...env }, filters.length > 0 ? filters : paths);
  } else if (browser) {
    suites({ TAMSHAI_TEST_STORES: 'embedded', TAMSHAI_TEST_BROWSER: '1' }, filters.length > 0 ? filters : ['tests/browser']);
  } else {
    step('types', 'check');
    step('lint', 'lint');
    suites({ TAMSHAI_TEST_STORES: 'embedded', TAMSHAI_TEST_SERVERS: 'postgres' }, filters);
  }
}

if (problems.length > 0) console.log(`\nWhat failed:\n${problems.map((problem) => `  ✗ ${problem}`).join('\n')}`);
if (unsteady.length > 0) console.log(`\nPassed only when run again:\n${unsteady.map((what) => `  ↻ ${what}`).join('\n')}`);
console.log(
  `\n${failed === 0 ? 'All is well' : 'Not all is well'}, after ${seconds(started)}${servers || cluster ? ', on real servers' : ''}.`,
);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
