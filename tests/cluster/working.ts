/** A steady workload and its verification: no confirmed change is lost, none happens twice, and nobody sees another person's data. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Answer } from '../../src/declare/answer.ts';
import { persona } from '../../domains/sample-company/people.ts';
import { registry } from '../contract/calls.ts';
import { effectsOf } from '../contract/writes.ts';
import type { Reply } from '../../src/testing/test-client.ts';
import type { Cluster } from './cluster.ts';

type Came = Reply<Answer | { status: string }>;
const employeeId = (user: string) => persona(user).employeeId ?? '';
let rounds = 0;

/** Rows that no round has closed yet, because each can be closed only once. Each round takes the next ones. */
export interface Untouched {
  readonly deals: string[];
  readonly tickets: string[];
}

export async function untouched({ front }: Cluster): Promise<Untouched> {
  const idsOf = async (user: string, server: string, tool: string, input: object, id: string) => {
    const ids: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const { body } = await front.rest(user, server, tool, { ...input, ...(cursor && { cursor }) });
      if (body.status !== 'success') throw new Error(JSON.stringify(body));
      ids.push(...(body.data as Record<string, unknown>[]).map((row) => String(row[id])));
      cursor = body.metadata?.nextCursor;
      if (cursor === undefined || ids.length >= 150) return ids;
    }
  };
  return {
    deals: await idsOf('carol.johnson', 'sales', 'list_opportunities', { stage: 'OPEN' }, '_id'),
    tickets: await idsOf('dan.williams', 'support', 'search_tickets', { status: 'open' }, 'ticket_id'),
  };
}

export interface Working {
  readonly done: {
    reads: number;
    readonly acknowledged: Set<string>;
    readonly unsure: Set<string>;
    readonly raised: Map<string, number>;
    /** Confirmation ids of the changes that were approved in sales and support. */
    readonly closed: Map<string, 'sales' | 'support'>;
    readonly errors: Map<string, number>;
  };
  readonly wrong: string[];
  readonly round: string;
  stop(): Promise<void>;
}

export function working(cluster: Cluster, left: Untouched): Working {
  const { front } = cluster;
  const done: Working['done'] = {
    reads: 0,
    acknowledged: new Set(),
    unsure: new Set(),
    raised: new Map(),
    closed: new Map(),
    errors: new Map(),
  };
  const wrong: string[] = [];
  const round = `cluster ${randomUUID()}`;
  let going = true;
  const count = (what: string) => void done.errors.set(what, (done.errors.get(what) ?? 0) + 1);
  /** Every failure has the error shape, and says whether a retry is safe. */
  const note = ({ status, body, text }: Came, safe: boolean): { retry: boolean } => {
    if (status < 400) return { retry: false };
    const { code, message, suggestedAction, retryable } = (body ?? {}) as Readonly<Record<string, unknown>>;
    count(`${status} ${String(code)} ${String(message)}`);
    const isUnion = [code, message, suggestedAction].every((each) => typeof each === 'string') && typeof retryable === 'boolean';
    if (!isUnion || ![502, 503, 504].includes(status))
      wrong.push(`an error of an unexpected shape or status: ${status} ${text.slice(0, 200)}`);
    // The load balancer does not parse requests, so its own errors cannot say whether a retry is safe.
    const ownWords = status !== 502 && !String(message).startsWith('No answer came in time');
    if (safe && ownWords && retryable !== true) wrong.push(`a safe request was reported as not retryable: ${status} ${text.slice(0, 200)}`);
    return { retry: retryable === true };
  };
  /** The process ended in the middle of an answer: the load balancer can only close the connection. */
  const broken = (): Came => {
    count('broken connection');
    return { status: 0, headers: {}, text: '', body: { status: 'broken' } };
  };
  /** Retries a safe request until it is answered, and any other request only if its answer allows a retry. */
  const until = async (work: () => Promise<Came>, safe: boolean): Promise<Came> => {
    for (;;) {
      const reply = await work().catch(broken);
      const { retry } = note(reply, safe);
      const lost = reply.status === 0 || reply.status >= 500;
      if (!retry && !(safe && lost)) return reply;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const reader = async (user: string) => {
    while (going) {
      const { body, status } = await until(() => front.rest(user, 'hr', 'get_employee', { employee_id: employeeId(user) }), true);
      const { data } = body as { data?: { employee_id: string } };
      if (status !== 200 || data?.employee_id !== employeeId(user)) wrong.push(`${user} got ${JSON.stringify(body).slice(0, 200)}`);
      done.reads++;
    }
  };
  const doer = async (user: string) => {
    for (let n = 0; going; n++) {
      const title = `${round} ${user} ${n}`;
      const { status } = await until(() => front.rest(user, 'tasks', 'add_task', { title }), false);
      if (status === 200) done.acknowledged.add(title);
      else done.unsure.add(title);
    }
  };
  /** Requests a change and approves it until there is a result; returns the id if it was executed. */
  const approved = async (user: string, server: string, tool: string, input: object): Promise<string | undefined> => {
    const asked = await until(() => front.rest(user, server, tool, input), true);
    const { confirmationId } = asked.body as { confirmationId?: string };
    if (confirmationId === undefined) return undefined;
    const { status, text } = await until(() => front.decide(user, confirmationId, true), true);
    if (status !== 200) wrong.push(`${tool} was not done: ${status} ${text.slice(0, 200)}`);
    return status === 200 ? confirmationId : undefined;
  };
  const people = cluster.behind.owner(
    "select employee_id from hr.employees where active and employee_id::text not like '0e00000%' order by employee_id limit 400",
  );
  /** A different value each time: an unchanged value is refused. */
  const first = 40_000 + ++rounds * 1_000;
  const raiser = async (user: string, from: number) => {
    const rows = await people;
    for (let n = from; going && n < rows.length; n += 2) {
      const id = String(rows[n]?.['employee_id']);
      const amount = Number((first + n + 0.37).toFixed(2));
      if (await approved(user, 'hr', 'update_salary', { employee_id: id, new_salary: amount })) done.raised.set(id, amount);
    }
  };
  const closer = async (server: 'sales' | 'support') => {
    for (;;) {
      const id = (server === 'sales' ? left.deals : left.tickets).pop();
      if (!going || id === undefined) return;
      const confirmed =
        server === 'sales'
          ? await approved('carol.johnson', server, 'close_opportunity', { opportunity_id: id, outcome: 'lost', reason: 'Went elsewhere' })
          : await approved('dan.williams', server, 'close_ticket', { ticket_id: id, resolution: 'It was solved in the meantime.' });
      if (confirmed) done.closed.set(confirmed, server);
      // The pause keeps the few rows that can be closed from running out.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  };
  const all = Promise.all([
    ...['sarah.kim', 'marcus.johnson', 'nina.patel', 'frank.davis'].map(reader),
    ...['nina.patel', 'marcus.johnson'].map(doer),
    raiser('alice.chen', 0),
    raiser('eve.thompson', 1),
    closer('sales'),
    closer('support'),
  ]);
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

const FIRST_WRITE = { sales: 'close_opportunity', support: 'close_ticket' } as const;

/** Checks that every confirmed change happened once, and that no other change happened twice. */
export async function holds({ behind }: Cluster, { done, wrong, round }: Working): Promise<void> {
  console.log(
    `while they worked: ${done.reads} reads, ${done.acknowledged.size} tasks (${done.unsure.size} unsure), ${done.raised.size} raises, ${done.closed.size} deals and tickets; errors ${JSON.stringify([...done.errors])}`,
  );
  expect(wrong).toEqual([]);
  const rows = await behind.owner(`select title, count(*)::int as n from tasks.tasks where title like '${round} %' group by title`);
  const counts = new Map(rows.map(({ title, n }) => [String(title), Number(n)]));
  expect([...done.acknowledged].map((title) => [title, counts.get(title) ?? 0]).filter(([, n]) => n !== 1)).toEqual([]);
  expect([...counts].filter(([title, n]) => n > 1 || !(done.acknowledged.has(title) || done.unsure.has(title)))).toEqual([]);
  const history = await behind.owner('select employee_id, new_salary, count(*)::int as n from hr.salary_history group by 1, 2');
  const raised = new Map(history.map(({ employee_id, new_salary, n }) => [`${String(employee_id)} ${Number(new_salary)}`, Number(n)]));
  expect([...done.raised].filter(([id, amount]) => raised.get(`${id} ${amount}`) !== 1)).toEqual([]);
  expect([...raised.values()].filter((n) => n > 1)).toEqual([]);
  for (const [confirmationId, server] of done.closed) {
    const tool = registry.find(server, FIRST_WRITE[server]);
    if (!tool) throw new Error(`there is no ${FIRST_WRITE[server]}`);
    expect([server, await effectsOf(behind, tool, confirmationId)]).toEqual([server, { effects: 1, records: 1 }]);
  }
  expect(done.reads).toBeGreaterThan(0);
  expect(done.acknowledged.size).toBeGreaterThan(0);
  expect(done.raised.size).toBeGreaterThan(0);
  expect(new Set(done.closed.values())).toEqual(new Set(['sales', 'support']));
}
