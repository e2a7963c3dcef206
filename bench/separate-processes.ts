/** Measures the gateway and hr in separate processes: the cost of the HTTP call between them, and the throughput of several hr servers. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { openKeys } from '../src/identity/keys.ts';
import { SHARED_KEY } from '../tests/fresh-database.ts';
import { startRedis } from '../tests/services/redis.ts';
import { freePort } from '../tests/services/server-process.ts';
import { leftOut, type Line, started } from './lines.ts';
import { median, treeOf } from './load.ts';
import { load, type LoadTarget, ratio, summaryOf } from './loadgen.ts';
import { launch, type Product } from './product.ts';
import type { Company, Timing } from './sql.ts';
import { ourTargets, type Questions, warmUp } from './targets.ts';

export interface SeparateProcesses {
  readonly company: Company;
  readonly folder: string;
  readonly loadgen: string;
  readonly questions: Questions;
  /** The minimal handlers that the gateway is compared with. */
  readonly bare: readonly LoadTarget[];
  readonly timing: Timing;
}

export async function separateProcessLines({ company, folder, loadgen, questions, bare, timing }: SeparateProcesses): Promise<Line[]> {
  const redis = await started('Redis', startRedis);
  if (redis === undefined) return [];
  const database = company.postgres.pid;
  const first = join(folder, 'gateway');
  mkdirSync(first, { recursive: true });
  const keys = openKeys(first, { masterKey: SHARED_KEY });
  const common = { DATABASE_URL: company.postgres.url, REDIS_URL: redis.url, TAMSHAI_MASTER_KEY: SHARED_KEY };
  const own = { ...common, TAMSHAI_GATEWAY_PUBLIC_KEYS: JSON.stringify({ keys: [keys.gateway.current.publicJwk] }) };
  const port = await freePort();
  const base = `http://localhost:${port}`;
  const servers: Product[] = [];
  let gateway: Product | undefined;
  try {
    for (let n = 1; n <= Math.max(...timing.replicas); n++) {
      const data = join(folder, `hr${n}`);
      mkdirSync(data, { recursive: true });
      cpSync(join(first, 'keys.json'), join(data, 'keys.json'));
      servers.push(await launch(data, { ...own, TAMSHAI_INSTANCE: `hr${n}`, GATEWAY_PORT: String(port) }, ['serve', 'hr']));
    }
    const [hr] = servers;
    if (hr === undefined) return [];
    gateway = await launch(first, { ...common, HR_URL: hr.address, TAMSHAI_INSTANCE: 'gateway', GATEWAY_PORT: String(port) });
    const through = await ourTargets(
      'through the gateway',
      { address: base, keys, base, prefix: 'hr_', pids: [gateway.pid, hr.pid] },
      questions,
      database,
    );
    await load(loadgen, folder, through, warmUp({ ...timing, warmMs: 2 * timing.warmMs }));
    const results = await load(loadgen, folder, [...bare, ...through], { callers: 16, ...timing });
    const cpu = ({ srv_cpu_us }: { readonly srv_cpu_us: number }) => srv_cpu_us;
    const lines: Line[] = [
      {
        what: 'one row, hr in another process: CPU of gateway and hr × bare Go',
        goal: 2.2,
        ratio: ratio(results, 'one', 'through the gateway', 'bare Go', cpu),
        note: summaryOf(results, 'one', 'through the gateway'),
      },
      {
        what: 'page of 50, hr in another process: CPU of gateway and hr × bare Go',
        ratio: ratio(results, 'page', 'through the gateway', 'bare Go', cpu),
        note: summaryOf(results, 'page', 'through the gateway'),
      },
    ];
    const direct = await Promise.all(
      servers.map((server) =>
        ourTargets('hr', { address: server.address, keys, base, prefix: '', pids: [server.pid] }, questions, database),
      ),
    );
    await Promise.all(
      direct.map(([one]) =>
        load(loadgen, folder, [one as LoadTarget], { ...warmUp({ ...timing, warmMs: 2 * timing.warmMs }), callers: 4 }),
      ),
    );
    const stores = [...treeOf(database), redis.pid];
    const byCount = new Map<number, { rate: number; cpu: number }>();
    for (const count of [...timing.replicas, 1]) {
      byCount.set(
        count,
        await onCores(count, [...stores, ...servers.map(({ pid }) => pid)], () =>
          measureServers(
            loadgen,
            folder,
            direct.slice(0, count).map(([one]) => one as LoadTarget),
            timing,
          ),
        ),
      );
    }
    const alone = byCount.get(1);
    for (const count of timing.replicas) {
      const some = byCount.get(count);
      if (!some || !alone) continue;
      const cores = Math.min(count, CORES);
      lines.push({
        what: `calls a second: ${count} hr servers on ${cores} cores × one hr server on one core`,
        atLeast: count === 2 && cores === 2 ? 1.7 : undefined,
        ratio: some.rate / alone.rate,
        note:
          `${Math.round(some.rate)} a second, ${Math.round(some.cpu)} µs CPU per call; one server: ` +
          `${Math.round(alone.rate)} and ${Math.round(alone.cpu)} µs. The load generator and the stores run on the same cores`,
      });
    }
    return lines;
  } catch (error) {
    leftOut.push(`separate processes (${(error as Error).message.slice(0, 160)})`);
    return [];
  } finally {
    await gateway?.stop();
    for (const server of servers) await server.stop();
    await redis.stop();
  }
}

const CORES = availableParallelism();

/** Limits all processes, including the load generator, to `count` cores. A second core only helps if the first one is fully used. */
async function onCores<T>(count: number, pids: readonly number[], measure: () => Promise<T>): Promise<T> {
  const confine = (cores: number) => {
    for (const pid of [process.pid, ...pids]) {
      const { status } = spawnSync('taskset', ['--all-tasks', '--pid', '--cpu-list', `0-${cores - 1}`, String(pid)], { stdio: 'ignore' });
      if (status !== 0) throw new Error('taskset cannot give a process so many cores');
    }
  };
  confine(Math.min(count, CORES));
  try {
    return await measure();
  } finally {
    confine(CORES);
  }
}

/** Measures several servers at the same time, with about 16 callers in total. */
async function measureServers(
  loadgen: string,
  folder: string,
  targets: readonly LoadTarget[],
  { ms, rounds }: Timing,
): Promise<{ rate: number; cpu: number }> {
  const callers = Math.max(1, Math.floor(16 / targets.length));
  const all = await Promise.all(targets.map((target) => load(loadgen, folder, [target], { callers, ms, rounds })));
  const sums = Array.from({ length: rounds }, (_, round) => all.reduce((sum, results) => sum + (results[round]?.rps ?? 0), 0));
  return { rate: median(sums), cpu: median(all.flatMap((results) => results.map(({ srv_cpu_us }) => srv_cpu_us))) };
}
