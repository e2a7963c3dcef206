/** Runs the real command as a real process, without any settings of the test process. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openKeys } from '../../src/identity/keys.ts';
import { freePort } from '../services/server-process.ts';
import { fillFolder } from '../template.ts';
import { personas } from '../../domains/sample-company/people.ts';
import { type TestClient, connectTestClient } from '../../src/testing/test-client.ts';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const DOMAINS = builtIn.domains.map(({ name }) => name);
/** The command of the checkout; tests use the installed copy that `build` makes. */
export const CHECKOUT = join(ROOT, 'bin', 'tamshai.mjs');
let installed = CHECKOUT;
export const bin = (): string => installed;
/** A long limit, because other suites may keep the machine busy. */
export const DEADLINE_MS = 120_000;

export type Settings = Readonly<Record<string, string>>;

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly json: () => Record<string, unknown>;
}

/** Variables that are not passed on: our own settings, and those by which Node detects a terminal. With `CI` set, output has no colours. */
const FOREIGN =
  /^(?:TAMSHAI|OIDC|VITEST|GITHUB_|GITLAB_)|_(?:PORT|URL)$|^(?:NODE_ENV|NODE_OPTIONS|NO_COLOR|FORCE_COLOR|TEST|COLORTERM|CI|CI_NAME|TEAMCITY_VERSION|TMUX|TERM_PROGRAM)$/;
const homes: string[] = [];
const home = (): string => (homes[0] ??= folder('home'));
export const environment = (settings: Settings): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !FOREIGN.test(name))),
  TERM: 'xterm-256color',
  // The command gets its own home folder, so it finds only the running instances of its test.
  HOME: home(),
  ...settings,
});

const folders: string[] = [];
export function folder(name = 'command'): string {
  const path = mkdtempSync(join(tmpdir(), `tamshai-test-${name}-`));
  folders.push(path);
  return path;
}
export const removeFolders = (): void => {
  homes.length = 0;
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
};

/** Builds dist/ and copies it like an installed package, so the tests run the same code even if the sources change meanwhile. */
export function build(): void {
  const { status, stderr } = spawnSync(process.execPath, [CHECKOUT, '--version'], { encoding: 'utf8', env: environment({}) });
  if (status !== 0) throw new Error(stderr);
  const place = folder('package');
  for (const part of ['bin', 'dist', 'sql', 'domains', 'templates', 'models', 'docs', 'package.json'])
    cpSync(join(ROOT, part), join(place, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(place, 'node_modules'));
  installed = join(place, 'bin', 'tamshai.mjs');
}

export interface Running {
  readonly settings?: Settings;
  readonly input?: string;
  readonly cwd?: string;
  readonly program?: string;
}

/** Runs the command to its end, in its own session and thus without a controlling terminal. */
export function tamshai(args: readonly string[], { settings = {}, input = '', cwd = ROOT, program = bin() }: Running = {}): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...args], { cwd, env: environment(settings), detached: true, stdio: 'pipe' });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return ended(child);
}

/** Running child processes. They are killed when the tests end. */
const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

function ended(child: ChildProcess): Promise<Ended> {
  children.add(child);
  let [out, err] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (err += text));
  return new Promise((resolve) => {
    child.once('close', (code) => {
      children.delete(child);
      resolve({ code, out, err, json: () => JSON.parse(out) as Record<string, unknown> });
    });
  });
}

/** A data folder with a filled database, and its own ports. */
export async function prepared(more: Settings = {}): Promise<Settings> {
  const data = folder();
  await fillFolder(data, DOMAINS);
  return { TAMSHAI_DATA: data, ...(await freePorts()), ...more };
}

export async function freePorts(): Promise<Settings> {
  const names = ['gateway', ...DOMAINS].map((name) => name.toUpperCase());
  const ports = await Promise.all(names.map(() => freePort()));
  return Object.fromEntries(names.map((name, i) => [`${name}_PORT`, String(ports[i])]));
}

export interface TestServer {
  readonly settings: Settings;
  readonly child: ChildProcess;
  /** The line of JSON that the command printed when it was ready. */
  readonly ready: Record<string, unknown>;
  readonly base: string;
  readonly ended: Promise<Ended>;
  run(args: readonly string[], more?: Running): Promise<Ended>;
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

/** Starts `start --json` or another serving command, and waits for its line of JSON. Rejects if the command ends before. */
export async function testServer(
  settings: Settings,
  args: readonly string[] = ['start', '--json'],
  { cwd = ROOT, program = bin() }: Pick<Running, 'cwd' | 'program'> = {},
): Promise<TestServer> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: environment(settings),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const over = ended(child);
  const line = new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
  const first = await Promise.race([line, over.then(({ err }) => Promise.reject(new Error(err)))]);
  const ready = JSON.parse(first) as Record<string, unknown>;
  return {
    settings,
    child,
    ready,
    base: String(ready['base']),
    ended: over,
    run: (more, options) => tamshai(more, { ...options, settings: { ...settings, ...options?.settings } }),
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return over;
    },
  };
}

/** Calls the API directly, for the setup of a test: a command would start a process for each call. */
export const testClientOf = ({ settings, base, ready }: Pick<TestServer, 'settings' | 'base' | 'ready'>): TestClient =>
  connectTestClient({
    base,
    ports: ready['ports'] as Record<string, number>,
    keys: openKeys(settings['TAMSHAI_DATA'] ?? '', { masterKey: settings['TAMSHAI_MASTER_KEY'] }),
    people: personas,
  });

export function copyOf(data: string): string {
  const path = join(folder('copy'), 'data');
  cpSync(data, path, { recursive: true });
  return path;
}

/** Types into a pseudo-terminal once a text has appeared there; `after: null` types at once. */
export interface Typing {
  readonly after: string | null;
  readonly type: string;
  /** If given, types only once this file exists. */
  readonly file?: string;
}

const DRIVER = `
import fcntl, json, os, pty, select, signal, struct, sys, termios, time
spec = json.loads(sys.argv[1])
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 40, spec['columns'], 0, 0))
    if spec['stdin'] is not None: os.dup2(os.open(spec['stdin'], os.O_RDONLY), 0)
    if spec['stdout'] is not None: os.dup2(os.open(spec['stdout'], os.O_WRONLY | os.O_CREAT), 1)
    os.execvp(spec['argv'][0], spec['argv'])
out, steps, end = b'', spec['typing'], time.time() + spec['seconds']
while time.time() < end:
    if steps and (steps[0]['after'] is None or steps[0]['after'].encode() in out) and os.path.exists(steps[0].get('file', '/')):
        os.write(fd, steps.pop(0)['type'].encode())
    if select.select([fd], [], [], 0.05)[0]:
        try: data = os.read(fd, 65536)
        except OSError: break
        if not data: break
        out += data
else:
    os.kill(pid, signal.SIGKILL)
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(json.dumps({'screen': out.decode('utf8', 'replace').replace('\\r\\n', '\\n'), 'code': code}))
`;
import { builtIn } from '../registry.ts';

export interface AtTerminal {
  readonly settings?: Settings;
  readonly typing?: readonly Typing[];
  readonly columns?: number;
  readonly stdin?: string;
  readonly stdout?: string;
}

/** Runs the command with a controlling terminal, and types into it. */
export async function atTerminal(
  args: readonly string[],
  { settings = {}, typing = [], columns = 100, stdin, stdout }: AtTerminal = {},
): Promise<{ screen: string; code: number }> {
  const spec = { argv: [process.execPath, bin(), ...args], typing, columns, stdin: stdin ?? null, stdout: stdout ?? null, seconds: 110 };
  const child = spawn('python3', ['-c', DRIVER, JSON.stringify(spec)], {
    cwd: ROOT,
    env: environment(settings),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { out, err } = await ended(child);
  if (out === '') throw new Error(err);
  return JSON.parse(out) as { screen: string; code: number };
}
