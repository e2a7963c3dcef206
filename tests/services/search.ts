/** Starts OpenSearch or Elasticsearch for the tests. */
import {
  chmodSync,
  cpSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type Account, freePort, Launched, output, ownFolder, programCache, type TestServer, unprivileged } from './server-process.ts';

interface Product {
  readonly title: string;
  readonly version: string;
  readonly group: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** The prefix of its environment variables. */
  readonly variable: string;
}

/** The default versions run on Java 17. OpenSearch 3 and Elasticsearch 9 need Java 21 in TAMSHAI_TEST_JAVA_HOME. */
const PRODUCTS = {
  opensearch: {
    title: 'OpenSearch',
    version: process.env.TAMSHAI_TEST_OPENSEARCH_VERSION || '2.19.6',
    group: 'org.opensearch',
    settings: {},
    variable: 'OPENSEARCH',
  },
  elasticsearch: {
    title: 'Elasticsearch',
    version: process.env.TAMSHAI_TEST_ELASTICSEARCH_VERSION || '8.19.21',
    group: 'org.elasticsearch',
    settings: { 'xpack.security.enabled': false },
    variable: 'ES',
  },
} as const satisfies Record<string, Product>;
export type SearchProduct = keyof typeof PRODUCTS;

/** The folder of the product, which Maven downloads once. It gets its final name only when it is complete. */
function homeOf(program: SearchProduct): string {
  const { title, version, group } = PRODUCTS[program];
  const home = join(programCache(), `${program}-${version}`);
  if (existsSync(home)) return home;
  const part = `${home}.part-${process.pid}`;
  mkdirSync(part, { recursive: true });
  try {
    const artifact = `${group}.distribution.integ-test-zip:${program}:${version}:zip`;
    output('mvn', ['-q', '-B', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${part}`]);
    const zip = readdirSync(part).find((name) => name.endsWith('.zip'));
    if (zip === undefined) throw new Error(`These tests need ${title} ${version}: Maven could not fetch it.`);
    output('python3', ['-m', 'zipfile', '-e', join(part, zip), part]);
    rmSync(join(part, zip));
    const [folder = ''] = readdirSync(part);
    output('chmod', ['-R', 'a+rX', part]);
    for (const name of readdirSync(join(part, folder, 'bin'))) chmodSync(join(part, folder, 'bin', name), 0o755);
    try {
      renameSync(join(part, folder), home);
    } catch (error) {
      // Another run has downloaded it meanwhile.
      if (!existsSync(home)) throw error;
    }
    return home;
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

function javaHome(): string {
  const given = process.env.TAMSHAI_TEST_JAVA_HOME || process.env.JAVA_HOME;
  if (given) return given;
  const found = output('which', ['java'])?.trim();
  if (!found) throw new Error('These tests need Java 17: install it (apt-get install openjdk-17-jre-headless) and run them again.');
  return dirname(dirname(realpathSync(found)));
}

function give(path: string, { uid, gid }: Account): void {
  if (uid === undefined || gid === undefined) return;
  chownSync(path, uid, gid);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) give(join(path, entry.name), { uid, gid });
    else chownSync(join(path, entry.name), uid, gid);
  }
}

/** Default options of the JVM that are removed: they choose another garbage collector, or write beside the program. */
const FOREIGN =
  /^#|^[\d:-]*-Xlog|gc\.log|-Xm[sx]|UseG1GC|G1Reserve|InitiatingHeap|ConcMark|CMS|incubator\.vector|HeapDump|ErrorFile|PrintGC|PrintTenuring|UseGCLog|GCLogFile/;
/** Options to start fast with little memory. Benchmarks use LARGE: they need the optimising compiler and more memory. */
const SMALL = ['-Xms512m', '-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
const LARGE = ['-Xms2g', '-Xmx2g', '-XX:+UseSerialGC'];

/** An empty server of one node on a random loopback port. */
export async function startSearch(program: SearchProduct, { large = false } = {}): Promise<TestServer & { readonly port: number }> {
  const { title, version, settings, variable }: Product = PRODUCTS[program];
  const home = homeOf(program);
  const java = javaHome();
  const account = unprivileged();
  const folder = ownFolder(program, account);
  const [port, transport] = [await freePort(), await freePort()];
  cpSync(join(home, 'config'), join(folder, 'config'), { recursive: true });
  for (const name of ['data', 'logs', 'tmp']) mkdirSync(join(folder, name));
  const all = {
    'cluster.name': 'tamshai-test',
    'discovery.type': 'single-node',
    'network.host': '127.0.0.1',
    'http.port': port,
    'transport.port': transport,
    'path.data': join(folder, 'data'),
    'path.logs': join(folder, 'logs'),
    'cluster.routing.allocation.disk.threshold_enabled': false,
    'action.auto_create_index': false,
    ...settings,
  };
  writeFileSync(
    join(folder, 'config', `${program}.yml`),
    Object.entries(all)
      .map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
      .join(''),
  );
  const options = join(folder, 'config', 'jvm.options');
  const kept = readFileSync(options, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !FOREIGN.test(line));
  writeFileSync(
    options,
    [...kept.map((line) => line.replace('-javaagent:agent/', `-javaagent:${home}/agent/`)), ...(large ? LARGE : SMALL), ''].join('\n'),
  );
  give(folder, account);
  const env = {
    JAVA_HOME: java,
    [`${variable}_JAVA_HOME`]: java,
    [`${variable}_PATH_CONF`]: join(folder, 'config'),
    [`${variable}_TMPDIR`]: join(folder, 'tmp'),
  };
  const server = new Launched(join(home, 'bin', program), [], folder, account, env);
  await server.listening(port, 240_000);
  const url = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + 60_000;
  // Not every distribution answers at its root path.
  for (let health = ''; health !== 'green' && health !== 'yellow'; ) {
    if (Date.now() > deadline) throw new Error(`${title} did not become ready.`);
    const answer = await fetch(`${url}/_cluster/health?wait_for_status=yellow&timeout=10s`).catch(() => undefined);
    health = answer?.ok ? ((await answer.json()) as { status: string }).status : '';
    if (health === '') await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return { url, port, version: `${title} ${version}`, pid: server.pid, stop: () => server.stop('SIGKILL') };
}
