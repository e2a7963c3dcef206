/** Prometheus metrics: what they count, who may read them, and whether the dashboard queries existing ones. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMetrics } from '../../src/engine/metrics.ts';
import { parseMetrics, type Sample, total } from '../prometheus.ts';
import { promtool } from '../services/promtool.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';
import { onServers } from '../stores.ts';

const KEY = 'a-key-for-the-scraper';
const ELSEWHERE = { 'x-forwarded-for': '203.0.113.9' };

let testServer: TestServer;
let opsPort = 0;
beforeAll(async () => {
  testServer = await openTestServer({ TAMSHAI_METRICS_KEY: KEY, OPS_PORT: '0', TAMSHAI_RATE_PER_MINUTE: '25' });
  opsPort = testServer.tamshai.ports['ops'] ?? 0;
});
afterAll(() => testServer.close());

const scrape = async (server?: string): Promise<Sample[]> => {
  const { status, text, headers } = await testServer.send('GET', '/metrics', { server });
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  return parseMetrics(text);
};

/** Sends a request to the operations port with a Host header of another machine, as a probe does. */
const ops = (path: string, { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {}) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const req = httpRequest({ host: '127.0.0.1', port: opsPort, path, method, headers: { host: '10.1.2.3:9100', ...headers } }, (res) => {
      let text = '';
      res.on('data', (part: Buffer) => void (text += part.toString()));
      res.on('end', () => resolve({ status: res.statusCode ?? 0, text }));
    });
    req.on('error', reject).end();
  });

describe('the metrics', () => {
  test('count each call by server, tool, store and outcome, with its rows and its duration', async () => {
    const before = await scrape();
    await testServer.rest('alice.chen', 'hr', 'list_employees', { limit: 7 });
    await testServer.rest('frank.davis', 'hr', 'list_employees', {});
    await testServer.rest('alice.chen', 'hr', 'list_employees', { limit: 99 });
    await testServer.rest('carol.johnson', 'sales', 'list_deals', { limit: 3 });
    const after = await scrape();
    const more = (name: string, labels: Record<string, string>) => total(after, name, labels) - total(before, name, labels);
    const hr = { server: 'hr', tool: 'list_employees' };
    expect(more('tamshai_calls_total', { ...hr, outcome: 'allowed' })).toBe(1);
    expect(more('tamshai_calls_total', { ...hr, outcome: 'refused' })).toBe(2);
    expect(more('tamshai_rows_total', hr)).toBe(7);
    expect(more('tamshai_call_duration_seconds_count', hr)).toBe(3);
    expect(total(after, 'tamshai_call_duration_seconds_sum', hr)).toBeGreaterThan(0);
    expect(more('tamshai_errors_total', { server: 'hr', code: 'INSUFFICIENT_PERMISSIONS' })).toBe(1);
    expect(more('tamshai_errors_total', { server: 'hr', code: 'VALIDATION_ERROR' })).toBe(1);
    // An alias counts as the same tool.
    expect(more('tamshai_rows_total', { server: 'sales', tool: 'list_opportunities' })).toBe(3);
    // The journey always uses its own SQLite file.
    const stores = new Set(after.filter(({ name }) => name === 'tamshai_calls_total').map(({ labels }) => labels['store']));
    expect(stores).toEqual(
      new Set(onServers ? ['postgresql', 'mongodb', 'elasticsearch', 'sqlite', 'none'] : ['pglite', 'sqlite', 'none']),
    );
  });

  test('count approvals by outcome, each once', async () => {
    const before = await scrape();
    const states = async () => {
      const now = await scrape();
      return Object.fromEntries(
        ['asked', 'done', 'denied', 'failed'].map((state) => [
          state,
          total(now, 'tamshai_approvals_total', { server: 'hr', state }) -
            total(before, 'tamshai_approvals_total', { server: 'hr', state }),
        ]),
      );
    };
    const found = await testServer.rest('alice.chen', 'hr', 'list_employees', {
      department: 'Engineering',
      job_title: 'Engineer',
      limit: 2,
    });
    const [one, two] = (found.body as unknown as { data: { employee_id: string; salary: number }[] }).data;
    const first = await testServer.ask('alice.chen', 'hr', 'update_salary', {
      employee_id: one?.employee_id,
      new_salary: 123_456,
      outside_band_reason: 'A rare case',
    });
    const second = await testServer.ask('alice.chen', 'hr', 'update_salary', {
      employee_id: two?.employee_id,
      new_salary: 123_456,
      outside_band_reason: 'A rare case',
    });
    expect(await states()).toEqual({ asked: 2, done: 0, denied: 0, failed: 0 });
    await Promise.all([1, 2, 3].map(() => testServer.decide('alice.chen', first.confirmationId, true)));
    await testServer.decide('alice.chen', second.confirmationId, false);
    await testServer.decide('alice.chen', second.confirmationId, false);
    expect(await states()).toEqual({ asked: 2, done: 1, denied: 1, failed: 0 });
    expect(total(await scrape(), 'tamshai_calls_total', { tool: 'update_salary', outcome: 'approved' })).toBe(1);
  });

  test('count rate-limited and unauthenticated requests', async () => {
    const before = await scrape();
    const answers = await Promise.all(Array.from({ length: 60 }, () => testServer.rest('dan.williams', 'support', 'get_sla_summary')));
    const refused = answers.filter(({ status }) => status === 429).length;
    await testServer.send('POST', '/api/tools/hr/list_employees', { body: {}, token: 'nonsense' });
    const after = await scrape();
    expect(refused).toBeGreaterThan(0);
    expect(
      total(after, 'tamshai_rate_limited_total', { caller: 'authenticated' }) -
        total(before, 'tamshai_rate_limited_total', { caller: 'authenticated' }),
    ).toBe(refused);
    const unauthenticated = (samples: Sample[]) => total(samples, 'tamshai_unauthenticated_total', { server: 'gateway', surface: 'rest' });
    expect(unauthenticated(after) - unauthenticated(before)).toBe(1);
  });

  test('contain no text of a caller in their labels', async () => {
    await testServer.rest('alice.chen', 'hr', 'no_such_tool_xyzzy', { secret: 'canary' });
    await testServer.rest('alice.chen', 'xyzzy', 'list_employees', {});
    const { text } = await testServer.send('GET', '/metrics');
    expect(text).not.toMatch(/xyzzy|canary|alice|203\.0/);
    expect(total(parseMetrics(text), 'tamshai_calls_total', { server: 'none' })).toBeGreaterThan(0);
  });

  test('contain memory, start time and event loop of the process', async () => {
    const samples = await scrape();
    expect(total(samples, 'process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
    expect(total(samples, 'process_start_time_seconds')).toBeLessThan(Date.now() / 1000);
    expect(total(samples, 'tamshai_event_loop_active_seconds_total')).toBeGreaterThan(0);
    expect(samples.filter(({ name }) => name === 'tamshai_event_loop_lag_seconds').map(({ labels }) => labels['at'])).toEqual([
      'p50',
      'p99',
      'max',
    ]);
    if (onServers) expect(total(samples, 'tamshai_pool_connections')).toBeGreaterThan(0);
  });

  test('at the port of a domain server cover only that domain', async () => {
    const servers = new Set((await scrape('hr')).flatMap(({ labels }) => labels['server'] ?? []));
    expect(servers).toEqual(new Set(['hr']));
  });
});

describe('who may read the metrics', () => {
  const from = (token?: string, server?: string) => testServer.send('GET', '/metrics', { token, server, headers: ELSEWHERE });
  test.each(['gateway', 'hr'])('a request from another host needs the metrics key or the token of an employee: %s', async (server) => {
    const options = server === 'gateway' ? {} : { server };
    expect((await from(undefined, server)).status).toBe(401);
    expect((await from(`${KEY}x`, server)).status).toBe(401);
    expect((await from(await testServer.token('frank.davis', { ...options, mcp: true }), server)).status).toBe(401);
    expect((await from(await testServer.token('jane.smith@acme.example', options), server)).status).toBe(403);
    expect((await from(await testServer.token('frank.davis', options), server)).status).toBe(200);
    expect((await from(KEY, server)).status).toBe(200);
  });

  test('the operations port accepts any host, and has exactly three paths', async () => {
    expect(await ops('/health')).toEqual({ status: 200, text: '{"status":"ok"}' });
    expect(await ops('/ready')).toEqual({ status: 200, text: '{"status":"ready"}' });
    expect((await ops('/metrics')).status).toBe(200);
    expect((await ops('/metrics', { headers: ELSEWHERE })).status).toBe(401);
    expect((await ops('/metrics', { headers: { ...ELSEWHERE, authorization: `Bearer ${KEY}` } })).status).toBe(200);
    expect((await ops('/metrics', { headers: { origin: 'http://evil.example' } })).status).toBe(403);
    expect((await ops('/health', { method: 'POST' })).status).toBe(405);
    for (const path of ['/api/user/info', '/mcp', '/', '/openapi.json', '/metrics?x']) expect((await ops(path)).status).toBe(404);
  });
});

describe('the format', () => {
  test('the metrics are valid Prometheus text', async () => {
    const { text } = await testServer.send('GET', '/metrics');
    parseMetrics(text);
    if (!onServers) return expect(text).toContain('# TYPE tamshai_calls_total counter');
    const { status, stdout, stderr } = spawnSync(promtool(), ['check', 'metrics'], { input: text, encoding: 'utf8' });
    return expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: '' });
  });

  test('quotes, backslashes and line breaks in a label are escaped', () => {
    const metrics = createMetrics();
    metrics.counter('a_total', 'Some.', { is: 'a"b\\c\nd' }).add();
    expect(metrics.text()).toBe('# HELP a_total Some.\n# TYPE a_total counter\na_total{is="a\\"b\\\\c\\nd"} 1\n');
    expect(() => metrics.counter('a_total', 'Other.')).toThrow('registered twice');
  });
});

describe('the dashboard', () => {
  const board = JSON.parse(readFileSync(new URL('../../deploy/grafana/tamshai.json', import.meta.url), 'utf8')) as {
    panels: { title: string; targets: { expr: string }[]; gridPos: { x: number; w: number } }[];
    templating: { list: { query: string }[] };
  };
  const asked = [
    ...board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...board.templating.list.map(({ query }) => query),
  ];

  test('queries every metric, and only existing metrics and labels', async () => {
    // Adds metrics that only a process with remote servers or connection pools has.
    const upstream = createMetrics();
    upstream.counter('tamshai_upstream_calls_total', '-', { server: 'hr', outcome: 'answered' });
    upstream.histogram('tamshai_upstream_duration_seconds', '-', { server: 'hr' }).observe(1);
    upstream.read('gauge', { name: 'tamshai_pool_connections', help: '-' }, () => [[{ pool: 'a', state: 'idle' }, 1]]);
    upstream.read('gauge', { name: 'tamshai_pool_waiting', help: '-' }, () => [[{ pool: 'a' }, 1]]);
    const labels = new Map<string, Set<string>>();
    for (const sample of [...(await scrape()), ...parseMetrics(upstream.text())]) {
      const known = labels.get(sample.name) ?? new Set(['job', 'instance']);
      for (const label of Object.keys(sample.labels)) known.add(label);
      labels.set(sample.name, known);
    }
    const used = new Set<string>();
    for (const expr of asked) {
      const names = [...expr.matchAll(/\b((?:tamshai|process|nodejs)_\w+)\b/g)].map(([, name = '']) => name);
      for (const name of names) {
        used.add(name);
        expect(labels.has(name), `${name} in ${expr}`).toBe(true);
      }
      const by = [...expr.matchAll(/by \(([^)]*)\)/g), ...expr.matchAll(/\{(\w+)=~/g)].flatMap(([, list = '']) => list.split(/,\s*/));
      for (const label of by)
        expect(
          names.some((name) => labels.get(name)?.has(label)),
          `${label} in ${expr}`,
        ).toBe(true);
    }
    // No metric is missing on the dashboard.
    const families = [...labels.keys()].filter((name) => !/_(sum|count)$/.test(name));
    expect(families.filter((name) => !used.has(name))).toEqual([]);
  });
});
