/** Starts Keycloak for the tests. */
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Account, freePort, Launched, output, ownFolder, programCache, type TestServer, unprivileged } from './server-process.ts';

const VERSION = '26.7.3';

/** The folder of Keycloak, which is downloaded and built once. That takes half a minute, so Keycloak is started on request only. */
function home(): string {
  const place = join(programCache(), `keycloak-${VERSION}`);
  if (existsSync(join(place, '.built'))) return place;
  const part = `${place}.part-${process.pid}`;
  mkdirSync(part, { recursive: true });
  try {
    output('mvn', [
      '-q',
      '-B',
      'dependency:copy',
      `-Dartifact=org.keycloak:keycloak-quarkus-dist:${VERSION}:zip`,
      `-DoutputDirectory=${part}`,
    ]);
    const zip = readdirSync(part).find((name) => name.endsWith('.zip'));
    if (zip === undefined) throw new Error(`These tests need Keycloak ${VERSION}: Maven could not fetch it.`);
    output('python3', ['-m', 'zipfile', '-e', join(part, zip), part]);
    rmSync(join(part, zip));
    const [folder = ''] = readdirSync(part);
    output('chmod', ['755', join(part, folder, 'bin', 'kc.sh')]);
    output(join(part, folder, 'bin', 'kc.sh'), ['build', '--db=dev-file', '--health-enabled=true', '--features=cimd,resource-indicators']);
    output('chmod', ['-R', 'a+rX', part]);
    writeFileSync(join(part, folder, '.built'), '');
    rmSync(place, { recursive: true, force: true });
    renameSync(join(part, folder), place);
    return place;
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

function give(path: string, { uid, gid }: Account): void {
  if (uid === undefined || gid === undefined) return;
  chownSync(path, uid, gid);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) give(join(path, entry.name), { uid, gid });
    else chownSync(join(path, entry.name), uid, gid);
  }
}

export interface Keycloak extends TestServer {
  /** Sends a request as the administrator, and returns the body or the id of the new object. */
  admin<T = unknown>(method: string, path: string, body?: unknown): Promise<T>;
  kill(): Promise<void>;
  /** Restarts it at the same address, with its data. */
  startAgain(): Promise<void>;
}

const ADMIN = { username: 'admin', password: 'admin-password' };

export const adminOf =
  (url: string) =>
  async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const grant = new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', ...ADMIN });
    const signedIn = await fetch(`${url}/realms/master/protocol/openid-connect/token`, { method: 'POST', body: grant });
    const { access_token: token } = (await signedIn.json()) as { access_token: string };
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${url}/admin/realms${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
    return (text === '' ? answer.headers.get('location')?.split('/').pop() : JSON.parse(text)) as T;
  };

/** A separate Keycloak with these realms, on a random loopback port, with its data in one temporary folder. */
export async function startKeycloak(realms: readonly { readonly realm: string }[]): Promise<Keycloak> {
  const built = home();
  const account = unprivileged();
  const folder = ownFolder('keycloak', account);
  const [port, management] = [await freePort(), await freePort()];
  // Uses links, because other runs share the built folder.
  for (const part of ['lib', 'conf', 'providers', 'themes', 'bin']) symlinkSync(join(built, part), join(folder, part));
  mkdirSync(join(folder, 'data', 'import'), { recursive: true });
  for (const realm of realms) writeFileSync(join(folder, 'data', 'import', `${realm.realm}-realm.json`), JSON.stringify(realm));
  give(join(folder, 'data'), account);
  const url = `http://localhost:${port}`;
  const opens = ['java.util', 'java.util.concurrent', 'java.security', 'java.lang'].map(
    (name) => `--add-opens=java.base/${name}=ALL-UNNAMED`,
  );
  const java = [
    '-Xms64m',
    '-Xmx384m',
    '-XX:+UseSerialGC',
    '-XX:TieredStopAtLevel=1',
    ...opens,
    `-Dkc.home.dir=${folder}`,
    `-Djboss.server.config.dir=${folder}/conf`,
    `-Djava.io.tmpdir=${folder}`,
    '-Djava.util.logging.manager=org.jboss.logmanager.LogManager',
    '-Dpicocli.disable.closures=true',
    '-Djava.util.concurrent.ForkJoinPool.common.threadFactory=io.quarkus.bootstrap.forkjoin.QuarkusForkJoinWorkerThreadFactory',
    '-cp',
    `${folder}/lib/quarkus-run.jar`,
    'io.quarkus.bootstrap.runner.QuarkusEntryPoint',
    'start',
    '--optimized',
    '--http-enabled=true',
    '--http-host=127.0.0.1',
    `--http-port=${port}`,
    `--http-management-port=${management}`,
    `--hostname=${url}`,
    '--import-realm',
    '--cache=local',
  ];
  const launch = async (): Promise<Launched> => {
    const server = new Launched('java', java, folder, account, {
      KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN.username,
      KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
    });
    await server.listening(port, 300_000);
    const deadline = Date.now() + 400_000;
    while (
      !(await fetch(`http://127.0.0.1:${management}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      if (Date.now() > deadline)
        throw new Error(`Keycloak did not become ready:\n${readFileSync(join(folder, 'server.log'), 'utf8').slice(-3000)}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    return server;
  };
  let server = await launch();
  return {
    url,
    version: `Keycloak ${VERSION}`,
    pid: server.pid,
    stop: () => server.stop('SIGKILL'),
    admin: adminOf(url),
    kill: () => server.kill(),
    async startAgain() {
      server = await launch();
    },
  };
}
