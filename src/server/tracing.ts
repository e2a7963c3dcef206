/**
 * Traces over OTLP/HTTP. Only a process with a trace endpoint loads this file, which wraps handlers, backends and stores. A span contains
 * names of servers and tools, request ids, numbers and codes, but no input, no person and no answer.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { request } from 'undici';
import type { Answer } from '../declare/answer.ts';
import type { Logger } from '../engine/ports.ts';
import type { Store } from '../engine/store.ts';
import type { StoreKind } from '../declare/store-kinds.ts';
import type { ToolBackend } from '../gateway/backends.ts';
import { requestId } from '../transports/request.ts';
import type { Handler } from './listen.ts';
import { version } from './package.ts';
import type { TracingSettings } from './tracing-settings.ts';

type Attributes = Readonly<Record<string, string | number | undefined>>;
const KIND = { internal: 1, server: 2, client: 3 } as const;

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
}

export interface Tracing {
  handler(server: string, inner: Handler): Handler;
  backend(server: string, inner: ToolBackend): ToolBackend;
  store(name: string, inner: Store<StoreKind>): Store<StoreKind>;
  /** The header for requests to other Tamshai servers: trace and current span. */
  headers(): Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const MOST_WAITING = 4_096;
const BATCH = 512;
const EVERY_MS = 2_000;
const PARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const attribute = ([key, value]: readonly [string, string | number]) => ({
  key,
  value: typeof value === 'string' ? { stringValue: value } : Number.isInteger(value) ? { intValue: value } : { doubleValue: value },
});
const attributesOf = (given: Attributes) =>
  Object.entries(given).flatMap(([key, value]) => (value === undefined ? [] : [attribute([key, value])]));

/** The first part of a path, without ids. */
const routeOf = (url = '/') => /^\/(?:api\/)?[a-z.-]*/.exec(url)?.[0] ?? '/';

export function openTracing({ endpoint, headers, service, resource, ratio, followsParent }: TracingSettings, log: Logger): Tracing {
  const current = new AsyncLocalStorage<Span>();
  let waiting: object[] = [];
  let lost = 0;
  let warned = Number.NEGATIVE_INFINITY;
  const about = attributesOf({
    ...resource,
    'service.name': service,
    'service.version': version,
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.name': 'tamshai',
  });
  const epoch = BigInt(Math.round(performance.timeOrigin * 1000)) * 1000n;
  const nanoseconds = (ms: number) => String(epoch + BigInt(Math.round(ms * 1e6)));

  async function send(): Promise<void> {
    while (waiting.length > 0) {
      const spans = waiting.slice(0, BATCH);
      waiting = waiting.slice(BATCH);
      const body = JSON.stringify({
        resourceSpans: [{ resource: { attributes: about }, scopeSpans: [{ scope: { name: 'tamshai', version }, spans }] }],
      });
      try {
        const reply = await request(endpoint, {
          method: 'POST',
          body,
          headers: { ...headers, 'content-type': 'application/json' },
          headersTimeout: 5_000,
          bodyTimeout: 5_000,
        });
        await reply.body.dump();
        if (reply.statusCode >= 300) throw new Error(String(reply.statusCode));
      } catch {
        lost += spans.length;
        if (performance.now() - warned < 60_000) continue;
        warned = performance.now();
        log.warn({ count: lost }, 'traces could not be sent to the collector and are lost');
      }
    }
  }
  let sending: Promise<void> = Promise.resolve();
  const flush = () => (sending = sending.then(send));
  const timer = setInterval(() => void flush(), EVERY_MS);
  timer.unref();

  function begin(parent: Span | undefined): Span {
    const traceId = parent?.traceId ?? randomBytes(16).toString('hex');
    const own = ratio >= 1 || Number.parseInt(traceId.slice(-8), 16) < ratio * 2 ** 32;
    return { traceId, spanId: randomBytes(8).toString('hex'), sampled: parent ? parent.sampled : own };
  }

  function end(
    span: Span,
    parent: Span | undefined,
    {
      name,
      kind,
      started,
      failed,
      attributes,
    }: {
      readonly name: string;
      readonly kind: number;
      readonly started: number;
      readonly failed: boolean;
      readonly attributes: Attributes;
    },
  ): void {
    if (!span.sampled || waiting.length >= MOST_WAITING) return;
    waiting.push({
      traceId: span.traceId,
      spanId: span.spanId,
      ...(parent && { parentSpanId: parent.spanId }),
      name,
      kind,
      startTimeUnixNano: nanoseconds(started),
      endTimeUnixNano: nanoseconds(performance.now()),
      attributes: attributesOf(attributes),
      status: failed ? { code: 2 } : {},
    });
    if (waiting.length >= BATCH) void flush();
  }

  async function withSpan<T>(
    name: string,
    kind: number,
    {
      attributes,
      work,
      result,
    }: {
      readonly attributes: Attributes;
      readonly work: () => Promise<T>;
      readonly result?: ((value: T) => Attributes & { readonly failed?: number }) | undefined;
    },
  ): Promise<T> {
    const parent = current.getStore();
    const span = begin(parent);
    const started = performance.now();
    try {
      const value = await current.run(span, work);
      const { failed, ...more } = result?.(value) ?? {};
      end(span, parent, { name, kind, started, failed: failed === 1, attributes: { ...attributes, ...more } });
      return value;
    } catch (error) {
      end(span, parent, {
        name,
        kind,
        started,
        failed: true,
        attributes: {
          ...attributes,
          'error.type': (error as { code?: string }).code ?? (error as Error).name,
        },
      });
      throw error;
    }
  }

  const outcome = (answer: Answer) => ({
    'tamshai.status': answer.status,
    'tamshai.code': answer.status === 'error' ? answer.code : undefined,
    failed: answer.status === 'error' && answer.retryable ? 1 : 0,
  });

  return {
    handler: (server, inner) => (req, res) => {
      const [, traceId = '', spanId = '', flags = ''] = PARENT.exec(String(req.headers['traceparent'] ?? '')) ?? [];
      const from = traceId === '' ? undefined : { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
      const span = begin(followsParent ? from : undefined);
      const started = performance.now();
      const route = routeOf(req.url);
      // The handler reads this header, so the span has the same request id.
      const id = requestId(req.headers);
      req.headers['x-request-id'] = id;
      res.once('close', () => {
        end(span, followsParent ? from : undefined, {
          name: `${req.method} ${route}`,
          kind: KIND.server,
          started,
          failed: res.statusCode >= 500,
          attributes: {
            'http.request.method': req.method,
            'http.route': route,
            'http.response.status_code': res.statusCode,
            'tamshai.server': server,
            'tamshai.request_id': id,
          },
        });
      });
      current.run(span, () => inner(req, res));
    },
    backend: (server, inner) => ({
      ...inner,
      call: (asked) =>
        withSpan(`${server}.${asked.tool.slice(0, 64)}`, KIND.internal, {
          attributes: {
            'tamshai.server': server,
            'tamshai.tool': asked.tool.slice(0, 64),
            'tamshai.surface': asked.surface,
            'tamshai.request_id': asked.requestId,
          },
          work: () => inner.call(asked),
          result: outcome,
        }),
      execute: (ticket, caller, requestId) =>
        withSpan(`${server}.${ticket.tool} execute`, KIND.internal, {
          attributes: { 'tamshai.server': server, 'tamshai.tool': ticket.tool, 'tamshai.request_id': requestId },
          work: () => inner.execute(ticket, caller, requestId),
          result: outcome,
        }),
    }),
    store: (name, inner) => {
      const spanned = (operation: string, domain: string) => ({
        name: `${name} ${operation}`,
        attributes: { 'db.system.name': name, 'db.operation.name': operation, 'db.namespace': domain },
      });
      const traced = <T>(operation: string, domain: string, work: () => Promise<T>) => {
        const { name: title, attributes } = spanned(operation, domain);
        return withSpan(title, KIND.client, { attributes, work });
      };
      return {
        ...inner,
        read: (who, body) => traced('read', who.domain, () => inner.read(who, body)),
        page: (who, query, window, item) => traced('page', who.domain, () => inner.page(who, query, window, item)),
        groups: (who, query, asked) => traced('groups', who.domain, () => inner.groups(who, query, asked)),
        executeOnce: (who, effect, body) => traced('once', who.domain, () => inner.executeOnce(who, effect, body)),
      };
    },
    headers() {
      const span = current.getStore();
      return span === undefined ? {} : { traceparent: `00-${span.traceId}-${span.spanId}-${span.sampled ? '01' : '00'}` };
    },
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}
