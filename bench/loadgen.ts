/** Builds and runs the load generator. It is a Go program, because Go needs little CPU time. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from './load.ts';

const here = join(process.cwd(), 'bench/peers');

/** Throws if Go or its packages are not available. */
export function buildPeers(folder: string): { readonly loadgen: string; readonly bareGo: string } {
  mkdirSync(folder, { recursive: true });
  const built = (name: string) => {
    const program = join(folder, name);
    const { status, stderr, error } = spawnSync('go', ['build', '-o', program, '.'], { cwd: join(here, name), encoding: 'utf8' });
    if (status !== 0) throw new Error(`go build: ${error?.message ?? stderr}`);
    return program;
  };
  return { loadgen: built('loadgen'), bareGo: built('bare-go') };
}

export interface Result {
  readonly name: string;
  readonly group: string;
  readonly round: number;
  readonly ok: number;
  readonly bad: number;
  readonly rps: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly srv_cpu_us: number;
  readonly db_cpu_us: number;
  readonly first_bad?: string;
}

export interface LoadTarget {
  readonly name: string;
  readonly group: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  readonly vars: string;
  readonly expect: readonly string[];
  readonly pids: readonly number[];
  readonly db_pids: readonly number[];
}

export function load(
  program: string,
  folder: string,
  targets: readonly LoadTarget[],
  { callers, ms, rounds }: { readonly callers: number; readonly ms: number; readonly rounds: number },
): Promise<Result[]> {
  const mark = `${process.hrtime.bigint()}`;
  const [config, out] = [join(folder, `targets-${mark}.json`), join(folder, `results-${mark}.jsonl`)];
  writeFileSync(config, JSON.stringify({ targets }));
  const args = [
    '-config',
    config,
    '-out',
    out,
    '-conc',
    String(callers),
    '-rounds',
    String(rounds),
    '-dur',
    `${ms}ms`,
    '-warm',
    `${Math.round(ms / 3)}ms`,
  ];
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += String(chunk);
    });
    child.once('exit', (code) => {
      if (code !== 0) return reject(new Error(`the load generator ended with ${code}: ${stderr.slice(-300)}`));
      const results = readFileSync(out, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Result);
      const bad = results.find((each) => each.bad > 0 || each.ok === 0);
      if (bad)
        return reject(new Error(`${bad.name}: ${bad.bad} of ${bad.bad + bad.ok} answers were wrong: ${bad.first_bad ?? ''}`.slice(0, 400)));
      resolve(results);
    });
  });
}

/** The median of the ratios of all rounds. */
export function ratio(results: readonly Result[], group: string, name: string, reference: string, of: (result: Result) => number): number {
  const rounds = new Map(results.filter((each) => each.group === group && each.name === reference).map((each) => [each.round, of(each)]));
  return median(
    results.filter((each) => each.group === group && each.name === name).map((each) => of(each) / (rounds.get(each.round) ?? Number.NaN)),
  );
}
export const middle = (results: readonly Result[], group: string, name: string, of: (result: Result) => number) =>
  median(results.filter((each) => each.group === group && each.name === name).map(of));
export const summaryOf = (results: readonly Result[], group: string, name: string) => {
  const of = (key: (result: Result) => number) => middle(results, group, name, key);
  return (
    `${Math.round(of((r) => r.srv_cpu_us))} µs CPU + ${Math.round(of((r) => r.db_cpu_us))} in the database, ` +
    `${Math.round(of((r) => r.rps))} a second, p50 ${of((r) => r.p50_ms).toFixed(1)} ms, p99 ${of((r) => r.p99_ms).toFixed(1)} ms`
  );
};
