/** `GET /metrics` for Prometheus: open to loopback, to the scraper's key and to staff. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { failure } from '../declare/errors.ts';
import type { Metrics } from '../engine/metrics.ts';
import { bearer } from '../identity/verify.ts';
import { type Authenticate, counted, isLocal, type OnUnauthenticated } from './access.ts';

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Returns a function that checks whether a request has the scraper's key. */
export function createScraperCheck(key: string | undefined): (req: IncomingMessage) => boolean {
  const expected = key === undefined ? undefined : digest(key);
  return ({ headers }) => {
    const given = expected && bearer(headers.authorization);
    return expected !== undefined && given !== undefined && timingSafeEqual(expected, digest(given));
  };
}

export interface MetricsRoute {
  readonly metrics: Metrics;
  /** Set on a domain's own port, which serves only the metrics of that domain. */
  readonly server?: string | undefined;
  readonly key: string | undefined;
  readonly authenticate: Authenticate;
  readonly onUnauthenticated: OnUnauthenticated;
}

export function createMetricsRoute(app: FastifyInstance, { metrics, server, key, authenticate, onUnauthenticated }: MetricsRoute): void {
  const hasKey = createScraperCheck(key);
  app.get('/metrics', async (req, reply) => {
    if (!isLocal(req.raw) && !hasKey(req.raw)) {
      const { person } = await counted(req.raw, onUnauthenticated, () => authenticate(req.raw));
      if (person.realm !== 'staff') throw failure('INSUFFICIENT_PERMISSIONS', 'This is for members of staff.');
    }
    return reply.type(METRICS_TYPE).send(metrics.text(server));
  });
}
