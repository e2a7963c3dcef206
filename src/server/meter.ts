/** Prometheus metrics: names, labels and help texts. The start creates the series of local tools, so that a call needs one lookup. */
import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Answer, CancelledAnswer } from '../declare/answer.ts';
import { type Counter, type Histogram, type Metrics, createMetrics } from '../engine/metrics.ts';
import type { Decision, PoolLoad } from '../engine/ports.ts';
import type { Registry } from '../engine/registry.ts';
import type { CompletedCall } from '../engine/runtime.ts';
import type { Tool } from '../declare/tool.ts';
import type { Config } from './config.ts';
import { version } from './package.ts';

export interface Meter {
  readonly metrics: Metrics;
  observe(done: CompletedCall): void;
  /** Counts a decided ticket. */
  decided(server: string, outcome: Answer | CancelledAnswer): void;
  rateLimited(caller: 'authenticated' | 'unauthenticated'): void;
  unauthenticated(server: string, surface: string): void;
  upstream(server: string, answer: Answer, ms: number): void;
  sessions(server: string, open: () => number): void;
  close(): void;
}

const DECISIONS: readonly Decision[] = ['allowed', 'refused', 'failed', 'pending', 'approved'];

/** Where the domains' stores are. */
export type StoreUrls = Pick<Config, 'databaseUrl' | 'mongodbUrl' | 'searchUrl'>;

/** The name of the database program. */
export function storeNameOf(config: StoreUrls, { name, store }: Pick<Tool['domain'], 'name' | 'store'>): string {
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

export function openMeter(config: StoreUrls, registry: Registry, local: readonly string[]): Meter {
  const metrics = createMetrics();
  const asked = (server: string, state: string) =>
    metrics.counter('tamshai_approvals_total', 'Approval requests, by state.', { server, state });
  const calls = (labels: Record<string, string>) =>
    metrics.counter('tamshai_calls_total', 'Tool calls and approved changes, by outcome.', labels);
  const series = new Map<Tool, ToolSeries>();
  function seriesOf(tool: Tool): ToolSeries {
    const known = series.get(tool);
    if (known) return known;
    const labels = { server: tool.domain.name, tool: tool.name, store: storeNameOf(config, tool.domain) };
    const possible = DECISIONS.filter((decision) => tool.kind === 'write' || (decision !== 'pending' && decision !== 'approved'));
    const made: ToolSeries = {
      by: Object.fromEntries(possible.map((outcome) => [outcome, calls({ ...labels, outcome })])),
      seconds: metrics.histogram('tamshai_call_duration_seconds', 'Duration of tool calls, including their audit record.', labels),
      rows: metrics.counter('tamshai_rows_total', 'Rows in answers.', labels),
      asked: tool.kind === 'write' ? asked(tool.domain.name, 'asked') : undefined,
    };
    series.set(tool, made);
    return made;
  }
  for (const tool of registry.tools) if (local.includes(tool.domain.name)) seriesOf(tool);
  const unknownTool = calls({ server: 'none', tool: 'none', store: 'none', outcome: 'refused' });
  const errors = (server: string, code: string) =>
    metrics.counter('tamshai_errors_total', 'Calls that ended in an error, by error code.', { server, code });
  const overLimit = (caller: string) =>
    metrics.counter('tamshai_rate_limited_total', 'Requests refused with 429, because the caller exceeded a limit.', { caller });
  const limited = {
    authenticated: overLimit('authenticated'),
    unauthenticated: overLimit('unauthenticated'),
  };
  const stop = readProcess(metrics);

  return {
    metrics,
    observe({ tool, decision, code, rows, ms }) {
      // Created on first use, because errors are rare.
      if (code !== null) errors(tool?.domain.name ?? 'none', code).add();
      if (!tool) return unknownTool.add();
      const own = seriesOf(tool);
      own.by[decision]?.add();
      own.seconds.observe(ms / 1000);
      if (rows > 0) own.rows.add(rows);
      if (decision === 'pending') own.asked?.add();
    },
    decided: (server, { status }) => asked(server, status === 'success' ? 'done' : status === 'cancelled' ? 'denied' : 'failed').add(),
    rateLimited: (caller) => limited[caller].add(),
    unauthenticated: (server, surface) =>
      metrics.counter('tamshai_unauthenticated_total', 'Requests without valid authentication.', { server, surface }).add(),
    upstream(server, answer, ms) {
      const outcome = answer.status !== 'error' ? 'answered' : answer.retryable ? 'failed' : 'refused';
      metrics
        .counter('tamshai_upstream_calls_total', 'Calls that the gateway forwarded to another process, by outcome.', { server, outcome })
        .add();
      metrics.histogram('tamshai_upstream_duration_seconds', 'Duration of forwarded calls.', { server }).observe(ms / 1000);
    },
    sessions: (server, open) =>
      metrics.read('gauge', { name: 'tamshai_mcp_sessions', help: 'Open MCP sessions.' }, () => [[{ server }, open()]]),
    close: stop,
  };
}

export function readPools({ metrics }: Meter, pools: () => readonly PoolLoad[]): void {
  metrics.read('gauge', { name: 'tamshai_pool_connections', help: 'Open connections to stores and other servers, by state.' }, () =>
    pools().flatMap(({ pool, open, idle }) => [[{ pool, state: 'busy' }, open - idle] as const, [{ pool, state: 'idle' }, idle] as const]),
  );
  metrics.read('gauge', { name: 'tamshai_pool_waiting', help: 'Requests that wait for a connection.' }, () =>
    pools().map(({ pool, waiting }) => [{ pool }, waiting] as const),
  );
}

/** Metrics of the process: memory, CPU and event loop. */
function readProcess(metrics: Metrics): () => void {
  const lag = monitorEventLoopDelay({ resolution: 20 });
  lag.enable();
  const gauge = (name: string, help: string, value: () => number) => metrics.read('gauge', { name, help }, () => [[{}, value()]]);
  metrics.read('gauge', { name: 'tamshai_build_info', help: 'Always 1, with the version of Tamshai and of Node as labels.' }, () => [
    [{ version, node: process.versions.node }, 1],
  ]);
  metrics.read('counter', { name: 'process_cpu_seconds_total', help: 'CPU time of this process.' }, () => {
    const { user, system } = process.cpuUsage();
    return [[{}, (user + system) / 1e6]];
  });
  gauge(
    'process_start_time_seconds',
    'Start time of this process, in seconds since 1970.',
    () => Math.round(performance.timeOrigin) / 1000,
  );
  gauge('process_resident_memory_bytes', 'Resident memory of this process.', () => process.memoryUsage.rss());
  metrics.read('gauge', { name: 'process_open_fds', help: 'Open files and sockets.' }, () => {
    try {
      return [[{}, readdirSync('/proc/self/fd').length]];
    } catch {
      return [];
    }
  });
  metrics.read('gauge', { name: 'nodejs_memory_bytes', help: 'Memory of Node, by part.' }, () => {
    const { heapUsed, heapTotal, external } = process.memoryUsage();
    return [
      [{ part: 'heap_used' }, heapUsed],
      [{ part: 'heap_total' }, heapTotal],
      [{ part: 'external' }, external],
    ];
  });
  metrics.read('counter', { name: 'tamshai_event_loop_active_seconds_total', help: 'Time in which the event loop was active.' }, () => [
    [{}, performance.eventLoopUtilization().active / 1000],
  ]);
  metrics.read('gauge', { name: 'tamshai_event_loop_lag_seconds', help: 'Delay of the event loop since the last scrape.' }, () => {
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
