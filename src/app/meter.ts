/** What is counted, by which names. Each tool's series stand before the first call; a call finds its own by one look-up. */
import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Answer, CancelledAnswer } from '../core/answer.ts';
import { type Counter, type Histogram, type Metrics, openMetrics } from '../core/metrics.ts';
import type { Decision, PoolLoad } from '../core/ports.ts';
import type { Registry } from '../core/registry.ts';
import type { Done } from '../core/run.ts';
import type { Tool } from '../core/tool.ts';
import type { Config } from './config.ts';
import { version } from './package.ts';

export interface Meter {
  readonly metrics: Metrics;
  observe(done: Done): void;
  /** What became of a ticket, by a person's decision. */
  decided(server: string, outcome: Answer | CancelledAnswer): void;
  rateLimited(who: 'person' | 'stranger'): void;
  unauthenticated(server: string, surface: string): void;
  upstream(server: string, answer: Answer, ms: number): void;
  sessions(server: string, open: () => number): void;
  close(): void;
}

const DECISIONS: readonly Decision[] = ['allowed', 'refused', 'failed', 'pending', 'approved'];

/** By the name of the program that keeps the rows, as an operator knows it. */
export function storeNameOf(config: Config, { name, store }: Pick<Tool['domain'], 'name' | 'store'>): string {
  if (store === 'sql') return config.databaseUrl(name) === undefined ? 'pglite' : 'postgresql';
  const url = store === 'documents' ? config.mongodbUrl(name) : config.searchUrl(name);
  return url === undefined ? 'sqlite' : url.startsWith('mongodb') ? 'mongodb' : 'elasticsearch';
}

interface ToolSeries {
  readonly by: Readonly<Partial<Record<Decision, Counter>>>;
  readonly seconds: Histogram;
  readonly rows: Counter;
  readonly asked: Counter | undefined;
}

export function openMeter(config: Config, registry: Registry, local: readonly string[]): Meter {
  const metrics = openMetrics();
  const asked = (server: string, state: string) =>
    metrics.counter('tamshai_approvals_total', 'Changes that waited for a person, by what became of them.', { server, state });
  const calls = (labels: Record<string, string>) =>
    metrics.counter('tamshai_calls_total', 'Tool calls, and approved changes, by their outcome.', labels);
  const series = new Map<Tool, ToolSeries>();
  function seriesOf(tool: Tool): ToolSeries {
    const known = series.get(tool);
    if (known) return known;
    const labels = { server: tool.domain.name, tool: tool.name, store: storeNameOf(config, tool.domain) };
    const possible = DECISIONS.filter((decision) => tool.kind === 'write' || (decision !== 'pending' && decision !== 'approved'));
    const made: ToolSeries = {
      by: Object.fromEntries(possible.map((outcome) => [outcome, calls({ ...labels, outcome })])),
      seconds: metrics.histogram(
        'tamshai_call_duration_seconds',
        'How long tool calls took, until they were answered and on record.',
        labels,
      ),
      rows: metrics.counter('tamshai_rows_total', 'Rows that were answered with.', labels),
      asked: tool.kind === 'write' ? asked(tool.domain.name, 'asked') : undefined,
    };
    series.set(tool, made);
    return made;
  }
  for (const tool of registry.tools) if (local.includes(tool.domain.name)) seriesOf(tool);
  const unknownTool = calls({ server: 'none', tool: 'none', store: 'none', outcome: 'refused' });
  const errors = (server: string, code: string) =>
    metrics.counter('tamshai_errors_total', 'Calls that ended in an error, by its code.', { server, code });
  const limited = {
    person: metrics.counter('tamshai_rate_limited_total', 'Calls refused because there were too many.', { who: 'person' }),
    stranger: metrics.counter('tamshai_rate_limited_total', 'Calls refused because there were too many.', { who: 'stranger' }),
  };
  const stop = readProcess(metrics);

  return {
    metrics,
    observe({ tool, decision, code, rows, ms }) {
      // Codes are few and errors are rare: these series are made when they are first needed.
      if (code !== null) errors(tool?.domain.name ?? 'none', code).add();
      if (!tool) return unknownTool.add();
      const own = seriesOf(tool);
      own.by[decision]?.add();
      own.seconds.observe(ms / 1000);
      if (rows > 0) own.rows.add(rows);
      if (decision === 'pending') own.asked?.add();
    },
    decided: (server, { status }) => asked(server, status === 'success' ? 'done' : status === 'cancelled' ? 'denied' : 'failed').add(),
    rateLimited: (who) => limited[who].add(),
    unauthenticated: (server, surface) =>
      metrics.counter('tamshai_unauthenticated_total', 'Calls without a valid sign-in.', { server, surface }).add(),
    upstream(server, answer, ms) {
      const outcome = answer.status !== 'error' ? 'answered' : answer.retryable ? 'failed' : 'refused';
      metrics.counter('tamshai_upstream_calls_total', 'Calls that were handed on to another process.', { server, outcome }).add();
      metrics.histogram('tamshai_upstream_duration_seconds', 'How long another process took to answer.', { server }).observe(ms / 1000);
    },
    sessions: (server, open) =>
      metrics.read('gauge', 'tamshai_mcp_sessions', 'Open sessions of MCP clients that keep one.', () => [[{ server }, open()]]),
    close: stop,
  };
}

export function readPools({ metrics }: Meter, pools: () => readonly PoolLoad[]): void {
  metrics.read('gauge', 'tamshai_pool_connections', 'Open connections to stores and other servers.', () =>
    pools().flatMap(({ pool, open, idle }) => [[{ pool, state: 'busy' }, open - idle] as const, [{ pool, state: 'idle' }, idle] as const]),
  );
  metrics.read('gauge', 'tamshai_pool_waiting', 'Work that waits for a connection, or for its turn on one.', () =>
    pools().map(({ pool, waiting }) => [{ pool }, waiting] as const),
  );
}

/** Memory, time, and how long the event loop kept others waiting. */
function readProcess(metrics: Metrics): () => void {
  const lag = monitorEventLoopDelay({ resolution: 20 });
  lag.enable();
  const gauge = (name: string, help: string, value: () => number) => metrics.read('gauge', name, help, () => [[{}, value()]]);
  metrics.read('gauge', 'tamshai_build_info', 'Always 1; says what runs here.', () => [[{ version, node: process.versions.node }, 1]]);
  metrics.read('counter', 'process_cpu_seconds_total', 'Processor time of this process.', () => {
    const { user, system } = process.cpuUsage();
    return [[{}, (user + system) / 1e6]];
  });
  gauge('process_start_time_seconds', 'When this process began, in seconds since 1970.', () => Math.round(performance.timeOrigin) / 1000);
  gauge('process_resident_memory_bytes', 'Memory that this process holds.', () => process.memoryUsage.rss());
  metrics.read('gauge', 'process_open_fds', 'Open files and sockets.', () => {
    try {
      return [[{}, readdirSync('/proc/self/fd').length]];
    } catch {
      return [];
    }
  });
  metrics.read('gauge', 'nodejs_memory_bytes', "Memory inside the process, as Node's own account has it.", () => {
    const { heapUsed, heapTotal, external } = process.memoryUsage();
    return [
      [{ part: 'heap_used' }, heapUsed],
      [{ part: 'heap_total' }, heapTotal],
      [{ part: 'external' }, external],
    ];
  });
  metrics.read('counter', 'tamshai_event_loop_active_seconds_total', 'Time in which the event loop was at work.', () => [
    [{}, performance.eventLoopUtilization().active / 1000],
  ]);
  metrics.read('gauge', 'tamshai_event_loop_lag_seconds', 'How late timers were since this was last read.', () => {
    const seconds = (ns: number) => (Number.isFinite(ns) ? Math.max(0, ns) / 1e9 : 0);
    const readings = [
      [{ at: 'p50' }, seconds(lag.percentile(50))],
      [{ at: 'p99' }, seconds(lag.percentile(99))],
      [{ at: 'max' }, seconds(lag.max)],
    ] as const;
    lag.reset();
    return readings;
  });
  return () => void lag.disable();
}
