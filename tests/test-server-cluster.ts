/** A cluster with the interface of one test server: three gateways, two hr servers and the other domains behind a load balancer. */
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { start, type Starting, type Tamshai } from '../src/server/compose.ts';
import { gatewayJwks } from '../src/identity/gateway-keys.ts';
import { openKeys } from '../src/identity/keys.ts';
import { startBalancer } from './services/balancer.ts';
import { freePort } from './services/server-process.ts';
import { builtIn, readConfig } from './registry.ts';

const OTHERS = builtIn.domains.map(({ name }) => name).filter((name) => name !== 'hr');
const freePorts = (count: number) => Promise.all(Array.from({ length: count }, () => freePort()));
const named = (name: string, what: 'PORT' | 'URL') => `${name.toUpperCase()}_${what}`;
const here = (port: number | undefined) => `http://localhost:${port}`;

export interface InProcess {
  /** Stands for all processes: its drain and close apply to each of them. */
  readonly tamshai: Tamshai;
  /** The data folders of the processes. */
  readonly folders: readonly string[];
}

/** `folder` becomes the data folder of the process that serves all domains except hr. */
export async function startCluster(
  folder: string,
  environment: Readonly<Record<string, string>>,
  parts: Omit<Starting, 'servers'>,
): Promise<InProcess> {
  if (!environment['REDIS_URL'] || !environment['DATABASE_URL'] || !environment['MONGODB_URL'] || !environment['ELASTICSEARCH_URL'])
    throw new Error('Several processes need the real stores: npm run test:cluster starts them.');
  const keys = openKeys(folder, { masterKey: environment['TAMSHAI_MASTER_KEY'] });
  // If a test sets GATEWAY_PORT, it already uses the gateway's address, so the load balancer gets that port.
  const front = Number(environment['GATEWAY_PORT']) || (await freePort());
  const hr = await freePort();
  const [gateways, hrs, others] = [await freePorts(3), await freePorts(2), await freePorts(OTHERS.length)];
  const ports = { gateway: front, hr, ...Object.fromEntries(OTHERS.map((name, n) => [name, others[n] ?? 0])) };
  const common = {
    ...environment,
    TAMSHAI_PUBLIC_URL: here(front),
    ...Object.fromEntries(Object.entries(ports).flatMap(([name, port]) => (name === 'gateway' ? [] : [[named(name, 'URL'), here(port)]]))),
  };
  const folders: string[] = [];
  const running: Tamshai[] = [];
  const closing: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const each of closing.splice(0).reverse()) await each();
  };
  const node = async (instance: string, servers: readonly string[], data: string, own: Readonly<Record<string, string>>) => {
    mkdirSync(data, { recursive: true });
    // All processes need the same keys of the embedded identity provider, which are in the data folder.
    if (!existsSync(join(data, 'keys.json'))) cpSync(join(folder, 'keys.json'), join(data, 'keys.json'));
    const config = readConfig({ ...common, ...own, TAMSHAI_DATA: data, TAMSHAI_INSTANCE: instance });
    // Like `tamshai serve`: domains that this process serves have no remote address.
    const remoteUrl = (domain: string) => (servers.includes(domain) ? undefined : config.remoteUrl(domain));
    const made = await start({ ...config, remoteUrl }, { ...parts, servers });
    folders.push(data);
    running.push(made);
    closing.push(() => made.close());
    return made;
  };
  const beside = (instance: string) => {
    const data = `${folder}-${instance}`;
    closing.push(() => rm(data, { recursive: true, force: true }));
    return data;
  };
  const believed = { TAMSHAI_GATEWAY_PUBLIC_KEYS: JSON.stringify(gatewayJwks(keys)) };
  const own = Object.fromEntries(OTHERS.map((name) => [named(name, 'PORT'), String(ports[name as keyof typeof ports])]));
  try {
    const balancer = await startBalancer([
      { name: 'gateways', port: front, servers: gateways },
      { name: 'hr', port: hr, servers: hrs },
    ]);
    closing.push(() => balancer.stop());
    const behind = [];
    for (const [n, port] of hrs.entries())
      behind.push(await node(`hr${n + 1}`, ['hr'], beside(`hr${n + 1}`), { ...believed, HR_PORT: String(port) }));
    behind.push(await node('rest', OTHERS, folder, { ...believed, ...own }));
    for (const [n, port] of gateways.entries())
      await node(`gateway${n + 1}`, ['gateway'], beside(`gateway${n + 1}`), { GATEWAY_PORT: String(port) });
    const first = running.at(-1);
    if (!first) throw new Error('no gateway');
    // Each process holds the records of its own calls; any server of a domain can read the chain of that domain's store.
    const [hr1, , rest] = behind;
    const logs = running.map(({ modules }) => modules.tools.runtime.audit);
    const chains = [hr1, rest].flatMap(
      (each) => each?.modules.audit.sources.filter((source) => !logs.includes(source as (typeof logs)[number])) ?? [],
    );
    await balanced(front, hr);
    return {
      folders,
      tamshai: {
        ...first,
        ports,
        modules: { ...first.modules, audit: { ...first.modules.audit, sources: [...logs, ...chains] } },
        drain: async (ms) => void (await Promise.all(running.map((each) => each.drain(ms)))),
        close,
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Waits until the load balancer, which started before the servers, considers them healthy and forwards requests. */
async function balanced(...ports: readonly number[]): Promise<void> {
  const until = Date.now() + 60_000;
  for (const port of ports)
    for (let well = 0; well < 6; ) {
      const { status } = await fetch(`${here(port)}/ready`).catch(() => ({ status: 0 }));
      well = status === 200 ? well + 1 : 0;
      if (Date.now() > until) throw new Error('the load balancer forwards no requests');
      if (status !== 200) await new Promise((resolve) => setTimeout(resolve, 100));
    }
}
