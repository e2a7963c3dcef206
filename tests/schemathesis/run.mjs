// npm run test:api: runs schemathesis on /openapi.json of a running product. It finds 5xx responses and responses that are not declared.
// It starts Tamshai in a temporary folder and exits with schemathesis's exit code. Further arguments go to schemathesis.
// SCHEMATHESIS is the path of the program; without it, pip installs it once in the cache folder of the tests.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const VERSION = '4.32.5';
const here = dirname(fileURLToPath(import.meta.url));
const command = join(here, '..', '..', 'bin', 'tamshai.mjs');

function program() {
  if (process.env.SCHEMATHESIS) return process.env.SCHEMATHESIS;
  const venv = join(process.env.TAMSHAI_TEST_CACHE || join(homedir(), '.cache', 'tamshai-test'), `schemathesis-${VERSION}`);
  const found = join(venv, 'bin', 'schemathesis');
  if (existsSync(found)) return found;
  const made = [
    ['python3', '-m', 'venv', venv],
    [join(venv, 'bin', 'pip'), '-q', 'install', `schemathesis==${VERSION}`],
  ].every(([run, ...args]) => spawnSync(run, args, { stdio: 'inherit' }).status === 0);
  if (!made) throw new Error('schemathesis could not be installed with pip.');
  return found;
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(String(port)));
    });
  });

const schemathesis = program();
const data = mkdtempSync(join(tmpdir(), 'tamshai-api-'));
const names = ['GATEWAY', 'HR', 'FINANCE', 'SALES', 'SUPPORT', 'JOURNEY', 'PAYROLL', 'TAX', 'TASKS', 'KNOWLEDGE'];
const ports = Object.fromEntries(await Promise.all(names.map(async (name) => [`${name}_PORT`, await freePort()])));
const settings = {
  ...process.env,
  ...ports,
  TAMSHAI_DATA: data,
  TAMSHAI_SCRIPTED_APPROVALS: '1',
  TAMSHAI_RATE_PER_MINUTE: '1000000',
  TAMSHAI_CONCURRENT_CALLS: '100',
};
const running = spawn(process.execPath, [command, 'start', '--json'], { env: settings, stdio: ['ignore', 'pipe', 'inherit'] });
try {
  const ready = await new Promise((resolve, reject) => {
    createInterface({ input: running.stdout }).once('line', resolve);
    running.once('exit', () => reject(new Error('Tamshai did not start.')));
  });
  const { base } = JSON.parse(ready);
  const checks = [
    'not_a_server_error',
    'status_code_conformance',
    'content_type_conformance',
    'response_schema_conformance',
    'response_headers_conformance',
    'unsupported_method',
  ];
  const asked = process.argv.slice(2);
  const args = [
    'run',
    `${base}/openapi.json`,
    '--checks',
    checks.join(),
    '--phases',
    'examples,coverage,fuzzing',
    '--warnings',
    'off',
    '--continue-on-failure',
    // One endpoint verifies the whole audit log, which grows with every request of this run.
    '--request-timeout',
    '120',
    '--suppress-health-check',
    'all',
    '-n',
    '10',
    ...asked,
  ];
  const signIn = {
    SCHEMATHESIS_HOOKS: 'hooks',
    PYTHONPATH: here,
    SIGN_IN_NODE: process.execPath,
    SIGN_IN_COMMAND: command,
    SIGN_IN_AS: 'eve.thompson',
    SIGN_IN_OPTIONS: '--approve',
  };
  const ran = spawn(schemathesis, args, { env: { ...settings, ...signIn }, cwd: data, stdio: 'inherit' });
  process.exitCode = await new Promise((resolve) => ran.once('exit', (code) => resolve(code ?? 1)));
} finally {
  running.kill('SIGTERM');
  await new Promise((resolve) => (running.exitCode === null && running.signalCode === null ? running.once('exit', resolve) : resolve()));
  rmSync(data, { recursive: true, force: true });
}
