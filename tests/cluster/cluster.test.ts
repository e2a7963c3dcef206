/**
 * Three gateways, two hr servers and a process for the other domains behind a balancer, on real stores: whichever process answers, it is
 * one product. Then processes end, in order and by force, while people work.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Answer } from '../../src/core/answer.ts';
import { revocations } from '../../src/identity/revocation.ts';
import { persona } from '../../src/sample/people.ts';
import { openRedisKeyValue } from '../../src/storage/kv/redis.ts';
import { type Cluster, clusterServers, openCluster } from './cluster.ts';
import { byName, Doors, ready } from '../contract/calls.ts';
import { askFor, effectsOf, writes } from '../contract/writes.ts';
import type { Reply, Visitor } from '../visitor.ts';
import { build, folder, PATIENCE_MS, removeFolders, tamshai } from '../journeys/command-support.ts';

const servers = clusterServers();
describe.each(servers === undefined ? [] : [servers])('a cluster', (stores) => {
  let cluster: Cluster;
  let front: Visitor;
  beforeAll(async () => {
    build();
    cluster = await openCluster(stores);
    ({ front } = cluster);
    await vi.waitFor(async () => expect((await front.send('GET', '/ready')).status).toBe(200), { timeout: 30_000, interval: 200 });
  }, 4 * PATIENCE_MS);
  afterAll(async () => {
    await cluster?.close();
    removeFolders();
  }, PATIENCE_MS);

  const at = (n: number): Visitor => cluster.gateways[n % 3] as Visitor;
  const employeeId = (user: string) => persona(user).employeeId ?? '';

  it.each(byName.filter(([, { kind }]) => kind === 'read' || kind === 'list'))('%s answers on every surface', async (_name, tool) => {
    const doors = new Doors(front);
    const { as, input } = await ready(front, tool);
    for (const door of ['rest', 'mcp', 'direct', 'direct-mcp'] as const) {
      const { answer, text } = await doors.call(door, as, tool, input);
      expect([door, answer?.status, answer?.status === 'success' ? '' : text]).toEqual([door, 'success', '']);
    }
  });

  const oneOfEach = [...new Map(writes.map(([name, tool]) => [tool.domain.name, [name, tool] as const])).values()];
  it.each(oneOfEach)('%s: asked through one gateway, approved twenty times through all, done once', async (_name, tool) => {
    const asked = await askFor(at(0), tool);
    // The page to decide on is where people are, whoever made the ticket.
    expect(asked.ticket.confirmationData.approvalUrl).toBe(
      `${cluster.node('hr1').settings['TAMSHAI_PUBLIC_URL']}/approve/${asked.ticket.confirmationId}`,
    );
    expect(await at(1).ask(asked.as, tool.domain.name, tool.name, asked.input)).toEqual(asked.ticket);
    const replies = await Promise.all(Array.from({ length: 20 }, (_, n) => at(n).decide(asked.as, asked.ticket.confirmationId, true)));
    for (const { status, text } of replies) expect([status, text]).toEqual([200, replies[0]?.text]);
    expect(await effectsOf(cluster.behind, tool, asked.ticket.confirmationId)).toEqual({ effects: 1, records: 1 });
  });

  it('a cursor of one server opens at the other, and a page from anywhere goes on where it was', async () => {
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

  it('a session of an old client lives on at every gateway', async () => {
    for (const era of ['legacy', 'modern'] as const) {
      const client = await front.mcp('nina.patel', { era });
      for (let n = 0; n < 9; n++) {
        const { structuredContent } = await client.callTool({ name: 'hr_get_time_off_balances', arguments: {} });
        expect((structuredContent as Answer).status).toBe('success');
      }
      expect((await client.listTools()).tools.length).toBeGreaterThan(10);
    }
  });

  it('a sign-in that is ended at one gateway is over at all of them', async () => {
    const token = await front.token('tom.becker');
    const look = (n: number) => at(n).send('GET', '/api/user/info', { token });
    for (const n of [0, 1, 2]) expect((await look(n)).status).toBe(200);
    const kv = await openRedisKeyValue(cluster.node('hr1').settings['REDIS_URL'] ?? '');
    await revocations(kv).revokePerson('staff', employeeId('tom.becker'));
    await kv.close();
    for (const n of [0, 1, 2]) await expect.poll(async () => (await look(n)).status, { timeout: 12_000, interval: 500 }).toBe(401);
  });

  it('who only keeps a copy of people hears from hr in another process', async () => {
    const { body } = await front.rest('bob.martinez', 'finance', 'list_expense_reports', { limit: 5 });
    expect(body.status).toBe('success');
    const [row] = await cluster.behind.owner('select count(*)::int as n from finance.people');
    expect(row?.['n']).toBe(500);
  });

  it('a customer is served by the process that has support, and sees the own organisation only', async () => {
    const { body } = await front.rest('jane.smith@acme.example', 'support', 'customer_list_tickets', { limit: 5 });
    expect(body).toMatchObject({ status: 'success' });
  });

  /** What people do all the time, and what came of it. */
  function working() {
    const done = {
      reads: 0,
      acknowledged: new Set<string>(),
      unsure: new Set<string>(),
      raised: new Map<string, number>(),
      errors: new Map<string, number>(),
    };
    const wrong: string[] = [];
    /** Each round of work knows its own tasks again. */
    const round = `cluster ${randomUUID()}`;
    let going = true;
    const count = (what: string) => void done.errors.set(what, (done.errors.get(what) ?? 0) + 1);
    const note = ({ status, body, text }: Reply<Answer | { status: string }>): { retry: boolean } => {
      const answer = body as Answer | undefined;
      if (answer?.status !== 'error') return { retry: false };
      count(`${status} ${answer.code} ${answer.message}`);
      const { code, message, suggestedAction, retryable } = answer;
      const isUnion = [code, message, suggestedAction].every((each) => typeof each === 'string') && typeof retryable === 'boolean';
      if (!isUnion || ![502, 503, 504].includes(status)) wrong.push(`an error of another kind: ${status} ${text.slice(0, 200)}`);
      return { retry: retryable };
    };
    /** Half an answer went through before its process ended: the balancer can only close the connection. */
    const broken = (): Reply<Answer | { status: string }> => {
      count('broken connection');
      return { status: 0, headers: {}, text: '', body: { status: 'broken' } };
    };
    const lost = ({ status }: Reply<unknown>) => status === 0 || status >= 500;
    const until = async (
      work: () => Promise<Reply<Answer | { status: string }>>,
      again: (reply: Reply<Answer | { status: string }>) => boolean,
    ) => {
      for (;;) {
        const reply = await work().catch(broken);
        const { retry } = note(reply);
        if (!(retry || again(reply)) || reply.status === 200) return reply;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };
    const readers = ['sarah.kim', 'marcus.johnson', 'nina.patel', 'frank.davis'].map(async (user) => {
      while (going) {
        const { body, status } = await until(() => front.rest(user, 'hr', 'get_employee', { employee_id: employeeId(user) }), lost);
        const { data } = body as { data?: { employee_id: string } };
        if (status !== 200 || data?.employee_id !== employeeId(user)) wrong.push(`${user} got ${JSON.stringify(body).slice(0, 200)}`);
        done.reads++;
      }
    });
    const doer = async (user: string) => {
      for (let n = 0; going; n++) {
        const title = `${round} ${user} ${n}`;
        const { status } = await until(
          () => front.rest(user, 'tasks', 'add_task', { title }),
          () => false,
        );
        if (status === 200) done.acknowledged.add(title);
        else done.unsure.add(title);
      }
    };
    const people = cluster.behind.owner(
      "select employee_id from hr.employees where active and employee_id::text not like '0e00000%' order by employee_id limit 400",
    );
    /** Of its own each time: what is so already is no change. */
    const first = 40_000 + Math.floor(Math.random() * 100) * 1_000;
    const raiser = async (user: string, from: number) => {
      const rows = await people;
      for (let n = from; going && n < rows.length; n += 2) {
        const id = String(rows[n]?.['employee_id']);
        const amount = Number((first + n + 0.37).toFixed(2));
        const asked = await until(() => front.rest(user, 'hr', 'update_salary', { employee_id: id, new_salary: amount }), lost);
        const ticket = asked.body as { confirmationId?: string };
        if (ticket.confirmationId === undefined) continue;
        const { confirmationId } = ticket;
        // A person presses again until it is settled.
        const settled = await until(() => front.decide(user, confirmationId, true), lost);
        if (settled.status === 200) done.raised.set(id, amount);
      }
    };
    const all = Promise.all([...readers, doer('nina.patel'), doer('marcus.johnson'), raiser('alice.chen', 0), raiser('eve.thompson', 1)]);
    return {
      done,
      wrong,
      round,
      async stop() {
        going = false;
        await all;
      },
    };
  }

  /** Everything that was said to be done was, once; nothing else was done twice. */
  async function holds({ done, wrong, round }: ReturnType<typeof working>): Promise<void> {
    console.log(
      `while they worked: ${done.reads} reads, ${done.acknowledged.size} tasks (${done.unsure.size} unsure), ${done.raised.size} raises; errors ${JSON.stringify([...done.errors])}`,
    );
    expect(wrong).toEqual([]);
    const rows = await cluster.behind.owner(
      `select title, count(*)::int as n from tasks.tasks where title like '${round} %' group by title`,
    );
    const counts = new Map(rows.map(({ title, n }) => [String(title), Number(n)]));
    expect([...done.acknowledged].filter((title) => counts.get(title) !== 1)).toEqual([]);
    expect([...counts].filter(([title, n]) => n > 1 || !(done.acknowledged.has(title) || done.unsure.has(title)))).toEqual([]);
    const history = await cluster.behind.owner('select employee_id, new_salary, count(*)::int as n from hr.salary_history group by 1, 2');
    const raised = new Map(history.map(({ employee_id, new_salary, n }) => [`${String(employee_id)} ${Number(new_salary)}`, Number(n)]));
    expect([...done.raised].filter(([id, amount]) => raised.get(`${id} ${amount}`) !== 1)).toEqual([]);
    expect([...raised.values()].filter((n) => n > 1)).toEqual([]);
    expect(done.reads).toBeGreaterThan(0);
    expect(done.raised.size).toBeGreaterThan(0);
  }

  it(
    'a rolling restart of everything cuts off no call',
    async () => {
      const work = working();
      for (const { name } of cluster.nodes.filter(({ name }) => name !== 'rest')) {
        const node = cluster.node(name);
        expect([name, await node.stop()]).toEqual([name, 0]);
        await node.start();
        await new Promise((resolve) => setTimeout(resolve, 1_200));
      }
      await work.stop();
      // Turned away for a moment, where the machine is too busy to answer in time, is said and may be tried again; cut off is something else.
      expect([...work.done.errors.keys()].filter((each) => !each.startsWith('503 '))).toEqual([]);
      await holds(work);
    },
    10 * PATIENCE_MS,
  );

  it(
    'each process killed in turn: nothing acknowledged is lost, nothing is done twice, nobody gets what is not theirs',
    async () => {
      const work = working();
      for (const { name } of cluster.nodes) {
        const node = cluster.node(name);
        await node.kill();
        await new Promise((resolve) => setTimeout(resolve, 1_500));
        await node.start();
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
      await work.stop();
      await holds(work);
    },
    10 * PATIENCE_MS,
  );

  it(
    'one server that is gone costs its own tools; the others answer, it is said which is missing, and it comes back by itself',
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
    4 * PATIENCE_MS,
  );

  it(
    'and the trail of each process is whole',
    async () => {
      for (const { process } of cluster.nodes) await process.stop('SIGTERM');
      for (const { name, code, out, err } of await cluster.verify())
        expect([name, code, code === 0 ? '' : out + err]).toEqual([name, 0, '']);
    },
    4 * PATIENCE_MS,
  );

  it(
    'a process with another key, another name or no keys does not join',
    async () => {
      const { settings } = cluster.node('gateway1');
      const other = (more: Record<string, string>) => tamshai(['serve', 'gateway'], { settings: { ...settings, ...more } });
      const foreign = Buffer.from('another brown key of other suite').toString('base64url');
      expect(await other({ TAMSHAI_DATA: folder(), TAMSHAI_MASTER_KEY: foreign, TAMSHAI_INSTANCE: 'stranger' })).toMatchObject({
        code: 1,
        err: expect.stringMatching(/have another master key; set TAMSHAI_MASTER_KEY to the same/) as string,
      });
      expect(await other({ TAMSHAI_DATA: folder() })).toMatchObject({
        code: 1,
        err: expect.stringMatching(/is called gateway1 on this Redis; set TAMSHAI_INSTANCE/) as string,
      });
    },
    2 * PATIENCE_MS,
  );
});
