/**
 * Rows for tools that cannot be called without one, made through the product itself. Keyed by the tool's name behind the gateway; a
 * tool whose own examples succeed needs nothing here.
 */
import type { Site } from '../site.ts';
import type { Ready } from './calls.ts';

type Arrange = (site: Site) => Promise<Ready>;

async function data(site: Site, user: string, server: string, tool: string, input: unknown): Promise<Record<string, unknown>> {
  const { body } = await site.rest(user, server, tool, input);
  if (body.status !== 'success') throw new Error(`${tool}: ${JSON.stringify(body)}`);
  return body.data as Record<string, unknown>;
}

/** Asked for and approved by the same person. */
export async function done(site: Site, user: string, server: string, tool: string, input: unknown): Promise<Record<string, unknown>> {
  const { confirmationId } = await site.ask(user, server, tool, input);
  const { body } = await site.decide(user, confirmationId, true);
  if (body.status !== 'success') throw new Error(`${tool}: ${JSON.stringify(body)}`);
  return body.data as Record<string, unknown>;
}

const aTask = async (site: Site) =>
  Number((await data(site, 'frank.davis', 'tasks', 'add_task', { title: 'Water the plants' }))['task_id']);

export const arranged: Readonly<Record<string, Arrange>> = {
  tasks_complete_task: async (site) => ({ as: 'frank.davis', input: { task_id: await aTask(site) } }),
  tasks_delete_task: async (site) => ({ as: 'frank.davis', input: { task_id: await aTask(site) } }),
  tasks_update_task: async (site) => ({ as: 'frank.davis', input: { task_id: await aTask(site), title: 'Water all plants' } }),
  hr_approve_time_off_request: async (site) => {
    const request = await pendingRequest(site, 'sarah.kim');
    return { as: 'nina.patel', input: { request_id: request, approved: true } };
  },
};

/** A request that waits for a decision: one that is there, or a new one for a day that is still free. */
async function pendingRequest(site: Site, user: string): Promise<string> {
  const waiting = (await data(site, user, 'hr', 'list_time_off_requests', { status: 'pending' })) as unknown as { request_id: string }[];
  const [first] = waiting;
  if (first) return first.request_id;
  const now = site.clock.now();
  for (let days = 1; days < 60; days++) {
    const day = new Date(now.getTime() + days * 86_400_000);
    if (day.getUTCDay() % 6 === 0) continue;
    const date = day.toISOString().slice(0, 10);
    const { body } = await site.rest(user, 'hr', 'create_time_off_request', { type_code: 'VACATION', start_date: date, end_date: date });
    if (body.status !== 'pending_confirmation') continue;
    const { body: made } = await site.decide(user, body.confirmationId, true);
    if (made.status === 'success') return String((made.data as Record<string, unknown>)['request_id']);
  }
  throw new Error(`${user} has no day left to take off`);
}
