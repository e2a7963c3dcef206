/** The /ready endpoint of a domain server: it answers 503 in time when its store does not answer. */
import { expect, it, vi } from 'vitest';
import { type DomainServer, createDomainRoutes } from '../../src/gateway/domain-server.ts';
import { createRestApp } from '../../src/transports/rest.ts';
import { builtIn } from '../registry.ts';

vi.setConfig({ testTimeout: 10_000 });
const log = { info: () => {}, warn: () => {}, error: () => {} };
const never = () => new Promise<void>(() => {});

async function ready(ping: () => Promise<void>, itself: () => Promise<void> = async () => {}): Promise<number> {
  const { app } = createRestApp(log, []);
  const deps: Partial<DomainServer> = { server: 'tasks', registry: builtIn, backend: { ping } as never, ready: itself };
  createDomainRoutes(app, deps as DomainServer);
  try {
    return (await app.inject({ method: 'GET', url: '/ready' })).statusCode;
  } finally {
    await app.close();
  }
}

// The endpoint answers even if the store does not, so that a probe does not wait for its own timeout.
it.each([
  ['200 if the store answers', async () => {}, 200],
  ['503 if the store refuses', () => Promise.reject(new Error('gone')), 503],
  ['503 if the store never answers', never, 503],
] as const)('/ready answers %s', async (_, ping, status) => {
  expect(await ready(ping)).toBe(status);
});
it('/ready answers 503 if the check of the process never answers', async () => {
  expect(await ready(async () => {}, never)).toBe(503);
});
