/** The cluster with tokens of a real Keycloak: people continue to work while processes are killed or Keycloak is down. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { build, DEADLINE_MS, removeFolders } from '../command/command-support.ts';
import { Person } from '../keycloak/pages.ts';
import { clientSettings, PASSWORD, realmOf } from '../keycloak/realms.ts';
import { type Keycloak, startKeycloak } from '../services/keycloak.ts';
import { freePort } from '../services/server-process.ts';
import type { TestClient } from '../../src/testing/test-client.ts';
import { type Cluster, clusterServers, openCluster } from './cluster.ts';
import { throughBrowser, tokensOf } from './signed-in.ts';
import { disturbedInTurn, killedInTurn, auditLogIsWhole } from './under-load.ts';
import { holds, type Untouched, untouched, working } from './working.ts';

const PEOPLE = 'sarah.kim marcus.johnson nina.patel frank.davis alice.chen eve.thompson carol.johnson dan.williams'.split(' ');

const servers = clusterServers();
describe.each(servers === undefined ? [] : [servers])('a cluster with Keycloak', (stores) => {
  let keycloak: Keycloak;
  let cluster: Cluster;
  let base: string;
  let left: Untouched;
  beforeAll(async () => {
    build();
    const port = await freePort();
    base = `http://localhost:${port}`;
    keycloak = await startKeycloak([programsOf(realmOf(base, 'tamshai-staff', PEOPLE)), realmOf(base, 'tamshai-customers', [])]);
    cluster = await openCluster(stores, { ...clientSettings(keycloak), TAMSHAI_SCRIPTED_APPROVALS: '0' }, port);
    const token = tokensOf(keycloak);
    for (const testClient of [cluster.front, ...cluster.gateways]) Object.assign(testClient, { token });
    Object.assign(cluster.front, { decide: throughBrowser(base) });
    await vi.waitFor(async () => expect((await cluster.front.send('GET', '/ready')).status).toBe(200), { timeout: 30_000, interval: 200 });
    left = await untouched(cluster);
  }, 6 * DEADLINE_MS);
  afterAll(async () => {
    await cluster?.close();
    await keycloak?.stop();
    removeFolders();
  }, DEADLINE_MS);

  /** A client with the password grant, which is not among the clients that we ship. */
  const programsOf = (realm: ReturnType<typeof realmOf>) => {
    const { clients, ...rest } = realm as typeof realm & { clients: { clientId: string }[] };
    const [web] = clients;
    const program = {
      ...web,
      clientId: 'tests',
      publicClient: true,
      standardFlowEnabled: false,
      directAccessGrantsEnabled: true,
      redirectUris: [],
      attributes: {},
    };
    // The lifetime of a token is longer than Keycloak is down.
    return { ...rest, accessTokenLifespan: 900, clients: [...clients, program] };
  };
  const own = (at: TestClient, token: string) => at.send('POST', '/api/tools/hr/get_time_off_balances', { token, body: {} });
  const signIn = async (user: string) => {
    const at = await new Person(user, PASSWORD).walk(`${base}/signin?realm=staff&to=/approvals`, `${base}/`);
    return [at.status, new URL(at.url).pathname];
  };

  it('each process is killed in turn', async () => killedInTurn(cluster, left), 10 * DEADLINE_MS);
  it('each connection is disturbed in turn', async () => disturbedInTurn(cluster, left), 15 * DEADLINE_MS);

  it(
    'while Keycloak is down, signed-in people continue to work and a sign-in gets 503. Sign-ins work again after its restart',
    async () => {
      const work = working(cluster, left);
      const token = await cluster.front.token('nina.patel');
      for (const gateway of cluster.gateways) expect((await own(gateway, token)).status).toBe(200);
      await keycloak.kill();
      const before = { reads: work.done.reads, tasks: work.done.acknowledged.size };
      await expect.poll(() => work.done.reads, { timeout: DEADLINE_MS }).toBeGreaterThan(before.reads + 50);
      await expect.poll(() => work.done.acknowledged.size, { timeout: DEADLINE_MS }).toBeGreaterThan(before.tasks + 10);
      // Longer than any process caches a verified person.
      await pause(12_000);
      for (const gateway of cluster.gateways) expect((await own(gateway, token)).status).toBe(200);

      // A process that starts now has none of Keycloak's keys: it answers that it cannot verify, not that the token is invalid.
      const gateway = cluster.node('gateway1');
      await gateway.kill();
      await gateway.start();
      const [first] = cluster.gateways;
      if (!first) throw new Error('no gateway');
      await expect.poll(async () => (await first.send('GET', '/health')).status, { timeout: 30_000 }).toBe(200);
      expect(await own(first, token)).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE', retryable: true } });
      const page = await first.send('GET', '/signin?realm=staff', { headers: { host: new URL(base).host } });
      expect([page.status, page.text.includes('<html')]).toEqual([503, true]);

      await keycloak.startAgain();
      await expect.poll(() => signIn('nina.patel').catch(String), { timeout: DEADLINE_MS, interval: 500 }).toEqual([200, '/approvals']);
      for (const each of cluster.gateways) await expect.poll(async () => (await own(each, token)).status, { timeout: 30_000 }).toBe(200);
      const raised = work.done.raised.size;
      await expect.poll(() => work.done.raised.size, { timeout: DEADLINE_MS }).toBeGreaterThan(raised);
      await work.stop();
      await holds(cluster, work);
    },
    10 * DEADLINE_MS,
  );

  it('the audit log of each process verifies', () => auditLogIsWhole(cluster), 4 * DEADLINE_MS);
});
