/** Starts HAProxy as the load balancer of the tests. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, Launched, output, ownFolder, type TestServer, unprivileged } from './server-process.ts';

export interface Balanced {
  readonly name: string;
  /** The port of the load balancer. It is chosen before the start, because the servers behind it must know it. */
  readonly port: number;
  /** The public port of the servers, if another proxy is in front of this one. */
  readonly known?: number;
  readonly servers: readonly number[];
}

const CONFIGURATION = fileURLToPath(new URL('../../deploy/haproxy/haproxy.cfg', import.meta.url));

/** HAProxy with the defaults that our docs recommend, in front of servers on this machine. */
export async function startBalancer(all: readonly Balanced[]): Promise<TestServer> {
  if (output('haproxy', ['-v']) === undefined && output('/usr/sbin/haproxy', ['-v']) === undefined)
    throw new Error('These tests need haproxy: install it (apt-get install haproxy) and run them again.');
  const account = unprivileged('haproxy');
  const folder = ownFolder('haproxy', account);
  const file = join(folder, 'haproxy.cfg');
  const text = readFileSync(CONFIGURATION, 'utf8');
  const defaults = text.slice(0, text.indexOf('\nfrontend '));
  const own = all.flatMap(({ name, port, known = port, servers }) => [
    `frontend ${name}_front`,
    `  bind 127.0.0.1:${port}`,
    `  bind [::1]:${port}`,
    `  default_backend ${name}`,
    `backend ${name}`,
    '  balance roundrobin',
    '  option httpchk',
    `  http-check send meth GET uri /ready ver HTTP/1.1 hdr Host localhost:${known}`,
    ...servers.map((each, n) => `  server s${n} 127.0.0.1:${each}`),
  ]);
  writeFileSync(file, `${defaults}\n${own.join('\n')}\n`);
  const server = new Launched(
    output('haproxy', ['-v']) === undefined ? '/usr/sbin/haproxy' : 'haproxy',
    ['-db', '-f', file],
    folder,
    account,
  );
  const [first] = all;
  await server.listening(first?.port ?? (await freePort()));
  const version = /version (\S+?)(?:-|\s)/.exec(output('haproxy', ['-v']) ?? output('/usr/sbin/haproxy', ['-v']) ?? '')?.[1] ?? '';
  return { url: `http://localhost:${first?.port}`, version: `HAProxy ${version}`, pid: server.pid, stop: () => server.stop('SIGKILL') };
}
