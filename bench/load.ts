/** Sends calls and measures their latency and the CPU time of the servers. */
import { readdirSync, readFileSync } from 'node:fs';
import { Pool } from 'undici';

export interface Target {
  readonly name: string;
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  /** The body of the nth request. Each request reads another row, so a cache of one row does not help. */
  readonly body?: (n: number) => string;
  readonly path?: (n: number) => string;
  readonly pid: number;
  /** More processes whose CPU time is added. */
  readonly also?: readonly number[] | undefined;
  readonly check: (text: string) => boolean;
}

export interface Cost {
  readonly calls: number;
  /** CPU time of the server processes per call. */
  readonly cpuMicros: number;
  /** CPU time of the database processes per call. */
  readonly databaseMicros: number;
  readonly p50: number;
  readonly p99: number;
}

const TICK_MICROS = 10_000;
const statOf = (pid: number) => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
};
const cpuOf = (pid: number): number => {
  try {
    const fields = statOf(pid);
    return ((fields[11] ?? 0) + (fields[12] ?? 0)) * TICK_MICROS;
  } catch {
    return 0;
  }
};
const LOOK_MS = 200;
/** Waits until the process is idle, because a new process still loads and compiles code. */
export async function untilIdle(pid: number): Promise<void> {
  for (let left = 100; left > 0; left--) {
    const before = cpuOf(pid);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    if (cpuOf(pid) - before <= TICK_MICROS) return;
  }
}
/** The process and its running children. */
export const treeOf = (root: number): number[] => [
  root,
  ...readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== root && parentOf(pid) === root),
];
/** The CPU time of a process, its children and its exited children. */
export const cpuOfTree = (root: number): number => {
  const fields = statOf(root);
  return treeOf(root).reduce((sum, pid) => sum + cpuOf(pid), ((fields[13] ?? 0) + (fields[14] ?? 0)) * TICK_MICROS);
};
const parentOf = (pid: number): number => {
  try {
    return statOf(pid)[1] ?? 0;
  } catch {
    return 0;
  }
};

export async function measure(
  target: Target,
  options: { readonly callers: number; readonly ms: number; readonly database?: number | undefined },
): Promise<Cost> {
  const { origin, pathname, search } = new URL(target.url);
  const pool = new Pool(origin, { connections: options.callers, pipelining: 1 });
  const times: number[] = [];
  let sent = 0;
  const processes = [target.pid, ...(target.also ?? [])];
  const cpuOfAll = () => processes.reduce((sum, pid) => sum + cpuOf(pid), 0);
  const cpu = cpuOfAll();
  const database = options.database === undefined ? 0 : cpuOfTree(options.database);
  const end = performance.now() + options.ms;
  const caller = async () => {
    while (performance.now() < end) {
      const n = sent++;
      const begun = performance.now();
      const response = await pool.request({
        path: target.path?.(n) ?? pathname + search,
        method: target.method ?? 'POST',
        headers: target.headers ?? {},
        body: target.body?.(n) ?? null,
      });
      const text = await response.body.text();
      times.push(performance.now() - begun);
      if (response.statusCode !== 200 || (n % 50 === 0 && !target.check(text)))
        throw new Error(`${target.name}: ${response.statusCode} ${text.slice(0, 300)}`);
    }
  };
  await Promise.all(Array.from({ length: options.callers }, caller));
  const used = cpuOfAll() - cpu;
  const usedByDatabase = options.database === undefined ? 0 : cpuOfTree(options.database) - database;
  await pool.close();
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return {
    calls: times.length,
    cpuMicros: used / times.length,
    databaseMicros: usedByDatabase / times.length,
    p50: at(0.5),
    p99: at(0.99),
  };
}

export const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Targets take turns in each round, so other load on the machine affects all of them equally. */
export async function compare(
  targets: readonly Target[],
  options: { readonly callers: number; readonly ms: number; readonly rounds: number; readonly database?: number | undefined },
): Promise<Map<string, Cost>> {
  const rounds = new Map<string, Cost[]>(targets.map(({ name }) => [name, []]));
  for (const target of targets) await measure(target, { ...options, ms: options.ms * 2 });
  for (let round = 0; round < options.rounds; round++)
    for (const target of targets) rounds.get(target.name)?.push(await measure(target, options));
  return new Map(
    [...rounds].map(([name, costs]) => [
      name,
      {
        calls: costs.reduce((sum, { calls }) => sum + calls, 0),
        cpuMicros: median(costs.map((cost) => cost.cpuMicros)),
        databaseMicros: median(costs.map((cost) => cost.databaseMicros)),
        p50: median(costs.map((cost) => cost.p50)),
        p99: median(costs.map((cost) => cost.p99)),
      },
    ]),
  );
}
