/** OpenTelemetry traces as a collector receives them, and the settings of tracing. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTracing } from '../../src/server/tracing.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';
import { readConfig } from '../registry.ts';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { key: string; value: { stringValue?: string; intValue?: number } }[];
  readonly status: { code?: number };
}
interface Export {
  readonly resourceSpans: readonly { resource: { attributes: Span['attributes'] }; scopeSpans: readonly { spans: readonly Span[] }[] }[];
}

const received: { path: string | undefined; headers: IncomingHttpHeaders; text: string }[] = [];
const collector = createServer((req, res) => {
  let text = '';
  req.on('data', (part: Buffer) => void (text += part.toString()));
  req.on('end', () => {
    received.push({ path: req.url, headers: req.headers, text });
    res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
});
let endpoint = '';
let testServer: TestServer;
beforeAll(async () => {
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  testServer = await openTestServer({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=s%20ecret',
    OTEL_SERVICE_NAME: 'desk',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  });
});
afterAll(async () => {
  await testServer.close();
  collector.close();
});

const all = () =>
  received.flatMap(({ text }) =>
    (JSON.parse(text) as Export).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  );
async function trace(traceId: string, least: number): Promise<Span[]> {
  for (;;) {
    const found = all().filter((span) => span.traceId === traceId);
    if (found.length >= least) return found;
    await new Promise((again) => setTimeout(again, 100));
  }
}
const valueOf = (span: Span | undefined, key: string) => {
  const found = span?.attributes.find((attribute) => attribute.key === key)?.value;
  return found?.stringValue ?? found?.intValue;
};

describe('with a traces endpoint', () => {
  test.each([
    ['hr', 'find_employees', 'frank.davis'],
    ['sales', 'list_opportunities', 'carol.johnson'],
    ['support', 'search_tickets', 'dan.williams'],
  ])('a call of %s %s is one trace with spans for the request, the tool and the store', async (server, tool, user) => {
    const traceId = Buffer.from(`${server}-${tool}`.padEnd(16).slice(0, 16)).toString('hex');
    const parent = 'b7ad6b7169203331';
    const reply = await testServer.send('POST', `/api/tools/${server}/${tool}`, {
      token: await testServer.token(user),
      body: { limit: 2 },
      headers: { traceparent: `00-${traceId}-${parent}-01`, 'x-request-id': `trace-${server}` },
    });
    expect(reply.status).toBe(200);
    const spans = await trace(traceId, 3);
    const request = spans.find(({ kind }) => kind === 2);
    const call = spans.find(({ kind }) => kind === 1);
    const stores = spans.filter(({ kind }) => kind === 3);
    expect([
      request?.name,
      request?.parentSpanId,
      valueOf(request, 'http.response.status_code'),
      valueOf(request, 'tamshai.request_id'),
    ]).toEqual(['POST /api/tools', parent, 200, `trace-${server}`]);
    expect([call?.name, call?.parentSpanId, valueOf(call, 'tamshai.status'), valueOf(call, 'tamshai.request_id')]).toEqual([
      `${server}.${tool}`,
      request?.spanId,
      'success',
      `trace-${server}`,
    ]);
    // Before the call, sign-in asks hr for the person's employment. The request has a span for it.
    const [ofCall, others] = [true, false].map((isOfCall) =>
      stores.filter(({ parentSpanId }) => (parentSpanId === call?.spanId) === isOfCall),
    );
    expect(ofCall?.length).toBeGreaterThan(0);
    for (const span of others ?? []) expect(span.parentSpanId).toBe(request?.spanId);
    for (const { startTimeUnixNano, endTimeUnixNano, spanId } of spans) {
      expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
      expect(Math.abs(Number(BigInt(startTimeUnixNano) / 1_000_000n) - Date.now())).toBeLessThan(600_000);
      expect(spanId).toMatch(/^[0-9a-f]{16}$/);
    }
    const [first] = received;
    expect([first?.path, first?.headers['api-key'], first?.headers['content-type']]).toEqual(['/v1/traces', 's ecret', 'application/json']);
    const about = (JSON.parse(first?.text ?? '') as Export).resourceSpans[0]?.resource.attributes ?? [];
    expect(about).toEqual(
      expect.arrayContaining([
        { key: 'service.name', value: { stringValue: 'desk' } },
        { key: 'deployment.environment.name', value: { stringValue: 'test' } },
      ]),
    );
  });

  test('spans contain neither text of the caller nor a person, and an unsampled trace is not exported', async () => {
    const canary = 'zebra-canary';
    const kept = 'c'.repeat(32);
    const dropped = 'd'.repeat(32);
    const token = await testServer.token('alice.chen');
    await testServer.send('POST', '/api/tools/hr/list_employees', {
      token,
      body: { name: canary },
      headers: { traceparent: `00-${dropped}-b7ad6b7169203331-00` },
    });
    await testServer.send('GET', `/api/confirmations/${canary}?q=${canary}`, {
      token,
      headers: { traceparent: `00-${'e'.repeat(32)}-b7ad6b7169203331-01` },
    });
    await testServer.send('POST', '/api/tools/hr/list_employees', {
      token,
      body: { name: canary },
      headers: { traceparent: `00-${kept}-b7ad6b7169203331-01` },
    });
    await trace(kept, 3);
    const text = received.map((each) => each.text).join();
    expect(text).not.toMatch(/zebra|alice|eyJ/);
    expect(text).not.toContain(dropped);
  });
});

describe('the OTEL variables', () => {
  const tracing = (settings: Record<string, string>) => readConfig({ TAMSHAI_DATA: 'x', ...settings }).tracing;
  test('without an endpoint, or with traces turned off, there is no exporter', () => {
    expect(tracing({})).toBeUndefined();
    expect(tracing({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
    expect(tracing({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_TRACES_EXPORTER: 'none' })).toBeUndefined();
  });
  test('the traces endpoint is used unchanged, and /v1/traces is appended to the common endpoint', () => {
    expect(tracing({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' })?.endpoint).toBe('http://c:4318/v1/traces');
    expect(tracing({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c:4318/own', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://d' })?.endpoint).toBe(
      'http://c:4318/own',
    );
    expect(
      tracing({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' }),
    ).toMatchObject({ ratio: 0.25, followsParent: false });
  });
  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'c:4318'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
  ])('%s=%s makes the start fail', (name, value) => {
    expect(() => tracing({ [name]: value })).toThrow(name);
  });
});

test('an unreachable collector causes a warning, and no failed call', async () => {
  const warned: string[] = [];
  const gone = openTracing(
    { endpoint: 'http://127.0.0.1:9/v1/traces', headers: {}, service: 's', resource: {}, ratio: 1, followsParent: true },
    { info: () => {}, warn: (_fields, message) => void warned.push(message), error: () => {} },
  );
  const inner = { call: async () => ({ status: 'success' as const, data: 1 }) };
  const backend = gone.backend('hr', inner as never);
  for (let i = 0; i < 3; i++)
    expect(await backend.call({ tool: 'x', surface: 'rest', requestId: 'r' } as never)).toEqual({ status: 'success', data: 1 });
  await gone.close();
  expect(warned).toEqual(['traces could not be sent to the collector and are lost']);
});
