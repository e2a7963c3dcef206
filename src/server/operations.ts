/**
 * The operations port: /health, /ready and /metrics for probes and scrapers. It accepts any Host header, because probes use the IP address
 * of a process; the other ports refuse unknown hosts.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Metrics } from '../engine/metrics.ts';
import { failure } from '../declare/errors.ts';
import { isLocal } from '../gateway/access.ts';
import { METRICS_TYPE, createScraperCheck } from '../gateway/metrics-route.ts';
import { sendFailure } from '../transports/request.ts';
import type { Handler } from './listen.ts';

export interface Operations {
  readonly metrics: Metrics;
  readonly key: string | undefined;
  /** Rejects while this process must not get requests. */
  readonly ready: () => Promise<void>;
}

export function createOperations({ metrics, key, ready }: Operations): Handler {
  const hasKey = createScraperCheck(key);
  const send = (res: ServerResponse, status: number, { type, body }: { readonly type: string; readonly body: string }) => {
    res.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    res.end(body);
  };
  const answer = async (req: IncomingMessage, res: ServerResponse) => {
    if (req.headers.origin !== undefined)
      return sendFailure(res, failure('FORBIDDEN_ORIGIN', 'Pages of other sites may not call this server.'));
    if (req.method !== 'GET') return sendFailure(res, failure('METHOD_NOT_ALLOWED', 'Only GET is supported here.'));
    if (req.url === '/health') return send(res, 200, { type: 'application/json', body: '{"status":"ok"}' });
    if (req.url === '/ready') {
      const isReady = await ready().then(
        () => true,
        () => false,
      );
      return send(res, isReady ? 200 : 503, { type: 'application/json', body: `{"status":"${isReady ? 'ready' : 'not_ready'}"}` });
    }
    if (req.url !== '/metrics') return sendFailure(res, failure('NOT_FOUND', 'There is nothing at this address.'));
    if (isLocal(req) || hasKey(req)) return send(res, 200, { type: METRICS_TYPE, body: metrics.text() });
    return sendFailure(res, failure('UNAUTHENTICATED', 'Metrics need the key in TAMSHAI_METRICS_KEY.'));
  };
  return (req, res) => void answer(req, res).catch(() => res.destroy());
}
