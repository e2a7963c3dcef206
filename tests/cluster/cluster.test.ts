/** A cluster behind a load balancer on real stores: all processes give the same answers, also while processes are stopped and killed. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Answer } from '../../src/declare/answer.ts';
import { createRevocations } from '../../src/identity/revocation.ts';
import { opens } from '../../src/engine/access.ts';
import { persona, personas } from '../../domains/sample-company/people.ts';
import { openRedisKeyValue } from '../../src/storage/kv/redis.ts';
import { type Cluster, clusterServers, openCluster } from './cluster.ts';
import { ToolCaller } from '../../src/testing/tool-caller.ts';
import { byName, ready } from '../contract/calls.ts';
import { askFor, effectsOf, writes } from '../contract/writes.ts';
import type { TestClient } from '../../src/testing/test-client.ts';
import { disturbedInTurn, killedInTurn, auditLogIsWhole } from './under-load.ts';
import { holds, type Untouched, untouched, working } from './working.ts';
import { build, folder, DEADLINE_MS, removeFolders, tamshai } from '../command/command-support.ts';
import { rolesIn } from '../registry.ts';

const servers = clusterServers();
describe.each(servers === undefined ? [] : [servers])('a cluster', (stores) => {
  let cluster: Cluster;
  let front: TestClient;
  let left: Untouched | undefined;
  beforeAll(async () => {
    build();
    cluster = await openCluster(stores);
    ({ front } = cluster);
    await vi.waitFor(async () => expect((await front.send('GET', '/ready')).status).toBe(200), { timeout: 30_000, interval: 200 });
  }, 4 * DEADLINE_MS);
  afterAll(async () => {
    await cluster?.close();
    removeFolders();
  }, DEADLINE_MS);

  const at = (n: number): TestClient => cluster.gateways[n % 3] as TestClient;
  const employeeId = (user: string) => persona(user).employeeId ?? '';

  it.each(byName.filter(([, { kind }]) => kind === 'read' || kind === 'list'))('%s answers on every surface', async (_name, tool) => {
    const toolCaller = new ToolCaller(front);
    const { as, input } = await ready(front, tool);
    for (const endpoint of ['rest', 'mcp', 'direct', 'direct-mcp'] as const) {
      const { answer, text } = await toolCaller.call(endpoint, as, tool, input);
      expect([endpoint, answer?.status, answer?.status === 'success' ? '' : text]).toEqual([endpoint, 'success', '']);
    }
  });

  const refused = ({ status, body }: { status: number; body: Answer }) =>
    body?.status === 'error' ? [status, body.code, typeof body.suggestedAction, typeof body.retryable] : [status, body?.status];
  it.each(byName)('%s refuses callers without a token or a role, and undeclared input', async (_name, tool) => {
    const { name, domain } = tool;
    const { as, input } = await ready(front, tool);
    const path = `/api/tools/${domain.name}/${name}`;
    expect(refused(await front.send('POST', path, { body: input }))).toEqual([401, 'UNAUTHENTICATED', 'string', 'boolean']);
    expect(refused(await front.rest(as, domain.name, name, { ...input, no_such_key: 1 }))).toEqual([
      400,
      'VALIDATION_ERROR',
      'string',
      'boolean',
    ]);
    const outsider = personas.find(({ realm, roles }) => !opens(tool, rolesIn(realm, roles)));
    if (outsider)
      for (const answer of [
        await front.rest(outsider.username, domain.name, name, input),
        await front.direct(outsider.username, domain.name, name, input),
      ])
        expect(refused(answer)).toEqual([403, 'INSUFFICIENT_PERMISSIONS', 'string', 'boolean']);
  });

  it.each(writes)('%s: only the requester can decide, and a denial counts at every gateway', async (_name, tool) => {
    const { as, ticket } = await askFor(at(0), tool);
    const other = as === 'eve.thompson' ? 'alice.chen' : 'eve.thompson';
    expect((await at(1).decide(other, ticket.confirmationId, true)).status).toBe(403);
    expect((await at(2).decide(as, ticket.confirmationId, false)).body).toMatchObject({ status: 'cancelled' });
    expect((await at(1).decide(as, ticket.confirmationId, true)).status).toBe(409);
    expect(await effectsOf(cluster.behind, tool, ticket.confirmationId)).toMatchObject({ effects: 0 });
  });

  const oneOfEach = [...new Map(writes.map(([name, tool]) => [tool.domain.name, [name, tool] as const])).values()];
  it.each(oneOfEach)('%s: requested at one gateway, approved twenty times, at all gateways, and executed once', async (_name, tool) => {
    const asked = await askFor(at(0), tool);
    // The approval link names the public address, whichever process made the ticket.
    expect(asked.ticket.confirmationData.approvalUrl).toBe(
      `${cluster.node('hr1').settings['TAMSHAI_PUBLIC_URL']}/approve/${asked.ticket.confirmationId}`,
    );
    expect(await at(1).ask(asked.as, tool.domain.name, tool.name, asked.input)).toEqual(asked.ticket);
    const replies = await Promise.all(Array.from({ length: 20 }, (_, n) => at(n).decide(asked.as, asked.ticket.confirmationId, true)));
    for (const { status, text } of replies) expect([status, text]).toEqual([200, replies[0]?.text]);
    expect(await effectsOf(cluster.behind, tool, asked.ticket.confirmationId)).toEqual({ effects: 1, records: 1 });
  });

  it('a cursor from one hr server is valid at the other', async () => {
    const seen = new Set<string>();
    let cursor: string | undefined;
    for (let page = 0; page < 6; page++) {
      const { body } = await at(page).rest('eve.thompson', 'hr', 'list_employees', { limit: 20, ...(cursor && { cursor }) });
      const { data, metadata } = body as { data: { employee_id: string }[]; metadata: { nextCursor?: string } };
      for (const { employee_id } of data) seen.add(employee_id);
      cursor = metadata.nextCursor;
    }
    expect(seen.size).toBe(120);
  });

  it('a session of a legacy client is valid at every gateway', async () => {
    for (const era of ['legacy', 'modern'] as const) {
      const client = await front.mcp('nina.patel', { era });
      for (let n = 0; n < 9; n++) {
        const { structuredContent } = await client.callTool({ name: 'hr_get_time_off_balances', arguments: {} });
        expect((structuredContent as Answer).status).toBe('success');
      }
      expect((await client.listTools()).tools.length).toBeGreaterThan(10);
    }
  });

  it('a sign-out at one gateway is a sign-out at all of them', async () => {
    const token = await front.token('tom.becker');
    const look = (n: number) => at(n).send('GET', '/api/user/info', { token });
    for (const n of [0, 1, 2]) expect((await look(n)).status).toBe(200);
    const kv = await openRedisKeyValue(cluster.node('hr1').settings['REDIS_URL'] ?? '');
    await createRevocations(kv).revokePerson('staff', employeeId('tom.becker'));
    await kv.close();
    for (const n of [0, 1, 2]) await expect.poll(async () => (await look(n)).status, { timeout: 12_000, interval: 500 }).toBe(401);
  });

  it('finance has a copy of all people of hr, which runs in another process', async () => {
    const { body } = await front.rest('bob.martinez', 'finance', 'list_expense_reports', { limit: 5 });
    expect(body.status).toBe('success');
    const [row] = await cluster.behind.owner('select count(*)::int as n from finance.people');
    expect(row?.['n']).toBe(500);
  });

  it('a customer is served by the process of the support domain', async () => {
    const { body } = await front.rest('jane.smith@acme.example', 'support', 'customer_list_tickets', { limit: 5 });
    expect(body).toMatchObject({ status: 'success' });
  });

  it(
    'in a rolling restart of the gateways and hr servers, no call fails',
    async () => {
      const work = working(cluster, (left ??= await untouched(cluster)));
      for (const { name } of cluster.nodes.filter(({ name }) => name !== 'rest')) {
        await cluster.node(name).restart();
      }
      await work.stop();
      expect([...work.done.errors]).toEqual([]);
      await holds(cluster, work);
    },
    10 * DEADLINE_MS,
  );

  it(
    "the gateways' key is changed while people work, and no call fails",
    async () => {
      const work = working(cluster, (left ??= await untouched(cluster)));
      const rotated = await tamshai(['keys', 'rotate', '--json'], { settings: cluster.node('gateway1').settings });
      const { servers: both, gateways, then } = rotated.json() as Record<'servers' | 'gateways' | 'then', object>;
      cluster.believe(both);
      // A server rereads the file every five seconds.
      await new Promise((resolve) => setTimeout(resolve, 6_000));
      for (const name of ['gateway1', 'gateway2', 'gateway3']) {
        await cluster.node(name).restart({ TAMSHAI_GATEWAY_KEY: JSON.stringify(gateways) });
      }
      cluster.believe(then);
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      await work.stop();
      expect([...work.done.errors]).toEqual([]);
      await holds(cluster, work);
    },
    10 * DEADLINE_MS,
  );

  it(
    'each process is killed in turn: no confirmed change is lost or made twice, and nobody gets data of others',
    async () => killedInTurn(cluster, (left ??= await untouched(cluster))),
    10 * DEADLINE_MS,
  );

  it(
    'each connection is disturbed in turn: slow, in small pieces, silent, reset, cut in the middle, refused',
    async () => disturbedInTurn(cluster, (left ??= await untouched(cluster))),
    15 * DEADLINE_MS,
  );

  it(
    'if a process is killed, only its tools fail, tools/list names the unavailable server, and its tools work again after its restart',
    async () => {
      await cluster.node('rest').kill();
      const missing = await front.rest('nina.patel', 'tasks', 'list_tasks');
      expect([missing.status, missing.body]).toEqual([
        503,
        expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', retryable: true, details: { server: 'tasks' } }),
      ]);
      expect((await front.rest('nina.patel', 'hr', 'get_time_off_balances')).status).toBe(200);
      expect((await front.send('GET', '/ready')).status).toBe(200);
      for (let n = 0; n < 24; n++) await front.rest('nina.patel', 'tasks', 'list_tasks');
      const token = await front.token('nina.patel', { mcp: true });
      const listed = await front.rpc<{ tools: object[]; _meta: Record<string, unknown> }>(token, 'tools/list');
      expect(listed.result?._meta['tamshai/unavailable']).toEqual([
        { server: 'tasks', title: expect.any(String) as string, retryable: true },
      ]);
      await cluster.node('rest').start();
      await expect.poll(async () => (await front.rest('nina.patel', 'tasks', 'list_tasks')).status, { timeout: 30_000 }).toBe(200);
    },
    4 * DEADLINE_MS,
  );

  it('every gateway returns the same audit log, and its verification succeeds', async () => {
    const names = cluster.nodes.map(({ name }) => name).toSorted();
    for (const n of [0, 1, 2]) {
      const token = await front.token('eve.thompson');
      const { body: page } = await at(n).send<{ metadata: object }>('GET', '/api/audit?limit=50', { token });
      expect(page.metadata).toMatchObject({ recordedBy: names, missing: [] });
      const { body } = await at(n).send<{ data: { ok: boolean; chains: { chain: string }[] } }>('GET', '/api/audit/verify', { token });
      expect(body.data).not.toHaveProperty('missing');
      expect([body.data.ok, body.data.chains.map(({ chain }) => chain)]).toEqual([
        true,
        expect.arrayContaining([...names.map((name) => `calls-${name}`), 'hr-hr1', 'hr-hr2', 'sales-rest']),
      ]);
    }
  });

  it('the verification of each process’s audit log succeeds', () => auditLogIsWhole(cluster), 4 * DEADLINE_MS);

  it(
    'a process with another master key, or with the name of a running process, does not join',
    async () => {
      const settings = { ...cluster.node('gateway1').settings, GATEWAY_PORT: '0' };
      const other = (more: Record<string, string>) => tamshai(['serve', 'gateway'], { settings: { ...settings, ...more } });
      const foreign = Buffer.from('another brown key of other suite').toString('base64url');
      expect(await other({ TAMSHAI_DATA: folder(), TAMSHAI_MASTER_KEY: foreign, TAMSHAI_INSTANCE: 'other' })).toMatchObject({
        code: 1,
        err: expect.stringMatching(/have another master key; set TAMSHAI_MASTER_KEY to the same/) as string,
      });
      const looked = await tamshai(['doctor', '--json'], {
        settings: { ...settings, TAMSHAI_DATA: folder(), TAMSHAI_MASTER_KEY: foreign, TAMSHAI_INSTANCE: 'other' },
      });
      expect([looked.code, looked.out]).toEqual([1, expect.stringContaining('Other processes on this Redis have another master key')]);
      expect(await other({ TAMSHAI_DATA: folder() })).toMatchObject({
        code: 1,
        err: expect.stringMatching(/is called gateway1 on this Redis; set TAMSHAI_INSTANCE/) as string,
      });
    },
    2 * DEADLINE_MS,
  );
});
