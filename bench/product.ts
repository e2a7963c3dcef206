/** Starts the built tamshai command in its own process, and creates requests for it. */
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { openKeys } from '../src/identity/keys.ts';
import { mintToken } from '../src/identity/mint.ts';
import { persona } from '../domains/sample-company/people.ts';
import { freePort } from '../tests/services/server-process.ts';
import { untilIdle, type Target } from './load.ts';
import { builtIn } from '../tests/registry.ts';

const root = process.cwd();
const SERVERS = ['gateway', ...builtIn.domains.map(({ name }) => name)];

export interface Product {
  /** The address of the gateway, or of the started domain server. */
  readonly address: string;
  readonly ports: Readonly<Record<string, number>>;
  readonly pid: number;
  readonly folder: string;
  /** The time from the start of the process until it is ready. */
  readonly readyMs: number;
  stop(): Promise<void>;
}

/** No benchmark reaches these limits, so it measures the work and not the limits. */
const UNLIMITED = { TAMSHAI_RATE_PER_MINUTE: '10000000', TAMSHAI_CONCURRENT_CALLS: '1000' };
const running = new Set<Product>();

export async function launch(
  folder: string,
  settings: Readonly<Record<string, string>> = {},
  args: readonly string[] = ['start'],
): Promise<Product> {
  const ports: Record<string, number> = {};
  for (const name of SERVERS) ports[name] = await freePort();
  const { DATABASE_URL: owned } = settings;
  const env = {
    PATH: process.env['PATH'],
    ...UNLIMITED,
    TAMSHAI_DATA: folder,
    TAMSHAI_LOG_LEVEL: 'error',
    ...Object.fromEntries(Object.entries(ports).map(([name, port]) => [`${name.toUpperCase()}_PORT`, String(port)])),
    ...settings,
  };
  if (owned !== undefined) {
    // Only the owner's login may migrate, and that login may not serve.
    spawnSync(process.execPath, [join(root, 'bin/tamshai.mjs'), 'migrate'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
    Object.assign(env, { DATABASE_URL: Object.assign(new URL(owned), { username: '', password: '' }).href });
  }
  const begun = performance.now();
  const child = spawn(process.execPath, [join(root, 'bin/tamshai.mjs'), ...args, '--json'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const over = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve());
    child.once('exit', (code) => reject(new Error(`the product ended with ${code}`)));
  });
  const own = args[0] === 'serve' ? (args[1] ?? 'gateway') : 'gateway';
  const product: Product = {
    address: `http://localhost:${ports[own]}`,
    ports,
    pid: child.pid ?? 0,
    folder,
    readyMs: performance.now() - begun,
    async stop() {
      running.delete(product);
      child.kill('SIGKILL');
      await over;
    },
  };
  running.add(product);
  await untilIdle(product.pid);
  return product;
}

export const stopAll = async (): Promise<void> => {
  for (const product of running) await product.stop();
};

export interface Asking {
  readonly name: string;
  readonly as: string;
  /** Replaces the employee id in the token, for example by the id of a manager of many people. */
  readonly employeeId?: string | undefined;
  readonly tool: string;
  readonly input: (n: number) => object;
  readonly check: (text: string) => boolean;
  readonly also?: readonly number[];
}

const tokenOf = (folder: string, base: string, audience: string, { as, employeeId }: Pick<Asking, 'as' | 'employeeId'>): Promise<string> =>
  mintToken(openKeys(folder), { ...persona(as), ...(employeeId !== undefined && { employeeId }) }, { base, audience });

export const mcpHeaders = (token: string, name: string) => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': name === '' ? 'tools/list' : 'tools/call',
  ...(name !== '' && { 'mcp-name': name }),
});
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
export const mcpBody = (id: number, name: string, args: object) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: name === '' ? 'tools/list' : 'tools/call',
    params: { ...(name !== '' && { name, arguments: args }), _meta: ENVELOPE },
  });

/** Calls a tool through the MCP endpoint of the gateway. */
export async function byMcp({ address, folder, pid }: Product, asking: Asking): Promise<Target> {
  const token = await tokenOf(folder, address, `${address}/mcp`, asking);
  const { name, tool, input, check } = asking;
  return {
    name,
    pid,
    check,
    also: asking.also,
    url: `${address}/mcp`,
    headers: mcpHeaders(token, tool),
    body: (n) => mcpBody(n, tool, input(n)),
  };
}

/** Calls a tool through the REST API of the gateway. `tool` is a qualified name such as `hr_get_employee`. */
export async function byRest({ address, folder, pid }: Product, asking: Asking): Promise<Target> {
  const token = await tokenOf(folder, address, `${address}/api`, asking);
  const { name, tool, input, check } = asking;
  return {
    name,
    pid,
    check,
    url: `${address}/api/tools/${tool.replace('_', '/')}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: (n) => JSON.stringify(input(n)),
  };
}

export const pick = <T>(from: readonly T[], n: number): T => from[n % from.length] as T;
export const succeeded = (text: string): boolean => text.includes('"status":"success"');
