// npm run mutants: breaks each named behaviour in a copy of the project and runs its tests, which must fail.
// npm run mutants -- cursor: only those whose area or name contains the word. Exits with 1 if a behaviour was broken and no test failed.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { locate } from './locate.mjs';
import { MUTANTS } from './mutants.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const [word = ''] = process.argv.slice(2);
const chosen = MUTANTS.filter(({ area, name }) => `${area} ${name}`.includes(word));
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');

// In a copy, so that an interrupted run leaves no broken behaviour behind.
const folder = mkdtempSync(join(tmpdir(), 'tamshai-mutants-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
process.on('SIGINT', () => process.exit(130));
const LEFT_OUT = new Set(['.git', 'data', 'node_modules']);
for (const name of readdirSync(root)) if (!LEFT_OUT.has(name)) cpSync(join(root, name), join(folder, name), { recursive: true });
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));

/** The name of the first test that fails; undefined if none does, or if the run ends without a report, such as after a failed build. */
function failedTest(tests) {
  const report = join(folder, 'mutant-report.json');
  rmSync(report, { force: true });
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [vitest, 'run', '--bail=1', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...tests],
    { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28, env: { ...process.env, TAMSHAI_TEST_STORES: 'embedded', NO_COLOR: '1' } },
  );
  try {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
    const failed = testResults.flatMap(({ name, assertionResults }) =>
      assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => `${relative(folder, name)}: ${fullName.trim()}`),
    );
    // A file whose set-up failed ran no test, so it says nothing about the behaviour.
    for (const { name, status, message } of testResults.filter(({ assertionResults }) => assertionResults.length === 0))
      if (failed.length === 0 && status === 'failed') console.log(`  ${relative(folder, name)} could not be run: ${message.slice(0, 500)}`);
    return failed[0];
  } catch {
    console.log(`${stdout}${stderr}`.slice(-2_000));
    return undefined;
  }
}

const rows = [];
for (const { area, name, find, replace, tests } of chosen) {
  const { file, start, end } = locate(root, find);
  const text = readFileSync(join(root, file), 'utf8');
  writeFileSync(join(folder, file), text.slice(0, start) + replace + text.slice(end));
  const started = performance.now();
  const by = failedTest(tests);
  writeFileSync(join(folder, file), text);
  const seconds = Math.round((performance.now() - started) / 1000);
  rows.push(by);
  console.log(`${by === undefined ? '✗' : '✓'} ${area}: ${name} (${file}, ${seconds} s)${by === undefined ? '' : `\n    ${by}`}`);
}
const missed = rows.filter((by) => by === undefined).length;
console.log(`\n${rows.length - missed} passed, ${missed} failed`);
process.exitCode = missed === 0 && rows.length > 0 ? 0 : 1;
