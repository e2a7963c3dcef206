/** Starts toxiproxy, a TCP proxy that injects faults, for the tests. */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, Launched, output, ownFolder, programCache, type TestServer, unprivileged } from './server-process.ts';

const VERSION = '2.12.0';

/** The path of toxiproxy, which Go builds once. Its folder gets its final name only when it is complete. */
function program(): string {
  const home = join(programCache(), `toxiproxy-${VERSION}`);
  if (existsSync(home)) return join(home, 'server');
  const part = `${home}.part-${process.pid}`;
  mkdirSync(part, { recursive: true });
  try {
    output('go', ['install', `github.com/Shopify/toxiproxy/v2/cmd/server@v${VERSION}`], { env: { ...process.env, GOBIN: part } });
    if (!existsSync(join(part, 'server'))) throw new Error('These tests need toxiproxy, which Go builds: install Go and run them again.');
    output('chmod', ['-R', 'a+rX', part]);
    if (!existsSync(home)) renameSync(part, home);
    return join(home, 'server');
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

/** A toxiproxy without proxies, on a random loopback port. */
export async function startToxiproxy(): Promise<TestServer> {
  // This runs before the first `await`, because a build blocks the process and other servers could miss their deadline.
  const toxiproxy = program();
  const account = unprivileged();
  const folder = ownFolder('toxiproxy', account);
  const port = await freePort();
  const server = new Launched(toxiproxy, ['-host', '127.0.0.1', '-port', String(port)], folder, account);
  await server.listening(port);
  return { url: `http://127.0.0.1:${port}`, version: `toxiproxy ${VERSION}`, pid: server.pid, stop: () => server.stop('SIGKILL') };
}

export type Toxic =
  | { readonly type: 'latency'; readonly attributes: { readonly latency: number } }
  | {
      readonly type: 'slicer';
      readonly attributes: { readonly average_size: number; readonly size_variation: number; readonly delay: number };
    }
  | { readonly type: 'bandwidth'; readonly attributes: { readonly rate: number } }
  | { readonly type: 'limit_data'; readonly attributes: { readonly bytes: number } }
  | { readonly type: 'reset_peer' | 'timeout'; readonly attributes: { readonly timeout: number } };

export interface ToxicLink {
  readonly port: number;
  /** Toxics change only the server's answers. Requests always arrive. */
  poison(toxic: Toxic): Promise<void>;
  /** Refuses connections, and closes open ones. */
  down(): Promise<void>;
  /** Removes all toxics. */
  well(): Promise<void>;
  close(): Promise<void>;
}

/** A proxy in front of a server that already runs. */
export async function toxicLink(url: string, name: string, to: { readonly hostname: string; readonly port: string }): Promise<ToxicLink> {
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    const reply = await fetch(url + path, {
      method,
      headers: { 'user-agent': 'tamshai', 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!reply.ok) throw new Error(`toxiproxy answered ${reply.status} to ${path}`);
    return reply.status === 204 ? undefined : reply.json();
  };
  const { listen } = (await ask('POST', '/proxies', {
    name,
    listen: '127.0.0.1:0',
    upstream: `${to.hostname}:${to.port}`,
    enabled: true,
  })) as { listen: string };
  const path = `/proxies/${name}`;
  let poisoned = false;
  return {
    port: Number(listen.split(':')[1]),
    async poison(toxic) {
      await ask('POST', `${path}/toxics`, { name: 'toxic', stream: 'downstream', ...toxic });
      poisoned = true;
    },
    down: async () => void (await ask('POST', path, { enabled: false })),
    async well() {
      if (poisoned) await ask('DELETE', `${path}/toxics/toxic`);
      poisoned = false;
      await ask('POST', path, { enabled: true });
    },
    close: async () => void (await ask('DELETE', path)),
  };
}
