/** The /ready endpoint of a domain server: it answers 503 in time when its store does not answer. */
import { expect, it, vi } from 'vitest';
import { allTools } from '../../src/server/registry.ts';
import { type DomainServer, domainRoutes } from '../../src/gateway/domain-server.ts';
import { createRestApp } from '../../src/transports/rest.ts';

vi.setConfig({ testTimeout: 10_000 });
const log = { info: () => {}, warn: () => {}, error: () => {} };
const never = () => new Promise<void>(() => {});

async function ready(ping: () => Promise<void>, itself: () => Promise<void> = async () => {}): Promise<number> {
  const { app } = createRestApp(log, []);
  const deps: Partial<DomainServer> = { server: 'tasks', registry: allTools(), backend: { ping } as never, ready: itself };
  domainRoutes(app, deps as DomainServer);
  try {
    return (await app.inject({ method: 'GET', url: '/ready' })).statusCode;
  } finally {
    await app.close();
  }
}

// The endpoint answers before the timeout of the probe, which would hold a connection.
it.each([
  ['answers', async () => {}, 200],
  ['refuses', () => Promise.reject(new Error('gone')), 503],
  ['never answers', never, 503],
] as const)('a store that %s gives the right status', async (_, ping, status) => {
  expect(await ready(ping)).toBe(status);
});
it('a process whose own check never answers gives 503', async () => {
  expect(await ready(async () => {}, never)).toBe(503);
});
