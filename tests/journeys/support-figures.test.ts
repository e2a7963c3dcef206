/** The SLA tools and get_agent_metrics return the same figures as an independent count over the sample tickets, at several times. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SuccessAnswer } from '../../src/declare/answer.ts';
import * as support from '../../domains/support/index.ts';
import { supportSample } from '../../domains/support/sample/index.ts';
import { type Data, openTestRuntime, SAMPLE_DAY, type TestRuntime } from '../test-runtime.ts';
import { searchStores } from '../test-runtime-search.ts';

const [eve, dan] = ['eve.thompson', 'dan.williams'] as const;
const HOUR = 3_600_000;
type Row = Readonly<Record<string, unknown>>;
const tickets: readonly Row[] = [...(supportSample({ employees: 500, today: SAMPLE_DAY })[0]?.documents() ?? [])];
const waits = ({ resolved_at }: Row) => resolved_at === null;
const left = ({ sla_deadline }: Row, now: Date) => Date.parse(String(sla_deadline)) - now.getTime();
const rounded = (value: number) => Math.round(value * 10) / 10;

/** Counts the SLA figures from the sample rows. */
function counted(rows: readonly Row[], now: Date) {
  const total = rows.length;
  const breached = rows.filter((row) => left(row, now) < 0).length;
  const at_risk = rows.filter((row) => left(row, now) >= 0 && left(row, now) < 2 * HOUR).length;
  return { total, within: total - breached - at_risk, at_risk, breached };
}
const share = (rows: readonly Row[], now: Date) => {
  const { total, breached } = counted(rows, now);
  return total === 0 ? 100 : rounded(((total - breached) / total) * 100);
};
function worked(rows: readonly Row[]) {
  const minutes = rows.reduce((sum, row) => sum + Number(row['resolution_minutes']), 0);
  return {
    resolved: rows.length,
    avg_resolution_minutes: rows.length === 0 ? null : Math.round(minutes / rows.length),
    sla_compliance_percent: rows.length === 0 ? 100 : rounded((rows.filter(({ sla_met }) => sla_met === true).length / rows.length) * 100),
  };
}

describe.each(searchStores)('SLA and agent figures on %s', (_name, search) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ search, tools: Object.values(support) });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });
  const summary = () => testRuntime.data(dan, 'support', 'get_sla_summary');
  const slaTickets = async (status?: string): Promise<Data> => {
    const rows: Row[] = [];
    for (let cursor: string | undefined, first = true; first || cursor; first = false) {
      const answer = (await testRuntime.call(eve, 'support', 'get_sla_tickets', {
        ...(status && { status }),
        ...(cursor && { cursor }),
      })) as SuccessAnswer;
      rows.push(...(answer.data as Data));
      cursor = answer.metadata?.nextCursor;
    }
    return rows as Data;
  };

  test.each([0, 0.5, 1.9, 26, 71.3, 400])('SLA summary and lists equal an independent count %s hours later', async (hours) => {
    const now = new Date(SAMPLE_DAY.getTime() + hours * HOUR);
    testRuntime.clock.set(now);
    const rows = tickets.filter(waits);
    const data = await summary();
    expect(data).toMatchObject({ overall_compliance_percent: share(rows, now), ...counted(rows, now) });
    for (const [list, field] of [
      ['by_priority', 'priority'],
      ['by_tier', 'tier'],
    ] as const) {
      const parts = data[list] as unknown as Row[];
      expect(parts.map((part) => part[field])).toEqual(
        field === 'priority' ? ['critical', 'high', 'medium', 'low'] : ['enterprise', 'business', 'startup', 'free'],
      );
      for (const part of parts) {
        const own = rows.filter((row) => row[field] === part[field]);
        expect(part).toEqual({ [field]: part[field], ...counted(own, now), compliance_percent: share(own, now) });
      }
    }
    expect((await slaTickets('at_risk')).length).toBe(data['at_risk']);
    expect((await slaTickets('breached')).length).toBe(data['breached']);
    expect((await slaTickets()).length).toBe(Number(data['at_risk']) + Number(data['breached']));
    testRuntime.clock.set(SAMPLE_DAY);
  });

  test('minutes_remaining is the time to the deadline, and the earliest deadline comes first', async () => {
    const [soon, late] = [await slaTickets('at_risk'), await slaTickets('breached')];
    expect(soon.length).toBeGreaterThan(0);
    expect(late.length).toBeGreaterThan(0);
    for (const row of [...soon, ...late]) expect(row['minutes_remaining']).toBe(Math.floor(left(row, SAMPLE_DAY) / 60_000));
    for (const row of soon)
      expect([row['sla_status'], Number(row['minutes_remaining']) >= 0, Number(row['minutes_remaining']) < 120]).toEqual([
        'at_risk',
        true,
        true,
      ]);
    for (const row of late) expect([row['sla_status'], Number(row['minutes_remaining']) < 0]).toEqual(['breached', true]);
    for (const rows of [soon, late]) {
      const deadlines = rows.map((row) => String(row['sla_deadline']));
      expect(deadlines).toEqual(deadlines.toSorted());
    }
    const subjects = soon.map((row) => row['subject']);
    expect(subjects).toContain('SSO certificate expired');
  });

  test('a ticket is at risk when less than two hours are left, and breached when the deadline is over', async () => {
    const deadline = Date.parse(String(tickets[2]?.['sla_deadline']));
    const stateAt = async (time: number) => {
      testRuntime.clock.set(new Date(time));
      const found = (await slaTickets()).find((row) => row['subject'] === 'SSO certificate expired');
      testRuntime.clock.set(SAMPLE_DAY);
      return found && [found['sla_status'], found['minutes_remaining']];
    };
    expect(await stateAt(deadline - 2 * HOUR)).toBeUndefined();
    expect(await stateAt(deadline - 2 * HOUR + 1)).toEqual(['at_risk', 119]);
    expect(await stateAt(deadline)).toEqual(['at_risk', 0]);
    expect(await stateAt(deadline + 1)).toEqual(['breached', -1]);
  });

  test.each([
    ['7d', 7],
    ['30d', 30],
    ['90d', 90],
  ] as const)('the figures of each agent and of the team over the last %s equal an independent count', async (period, days) => {
    const from = Date.parse(SAMPLE_DAY.toISOString().slice(0, 10)) - days * 24 * HOUR;
    const rows = tickets.filter((row) => !waits(row) && Date.parse(String(row['resolved_at'])) >= from);
    const data = await testRuntime.data(dan, 'support', 'get_agent_metrics', { period });
    expect(data).toMatchObject({
      period,
      from: new Date(from).toISOString().slice(0, 10),
      to: SAMPLE_DAY.toISOString().slice(0, 10),
      team: worked(rows),
    });
    const agents = data['agents'] as unknown as Row[];
    for (const { agent_id, agent_name, ...figures } of agents) {
      const own = rows.filter(({ resolved_by }) => resolved_by === agent_id);
      expect([agent_name, figures]).toEqual([own[0]?.['resolved_by_name'], worked(own)]);
    }
    expect(new Set(agents.map(({ agent_id }) => agent_id))).toEqual(new Set(rows.map(({ resolved_by }) => resolved_by)));
    const most = agents.map(({ resolved }) => Number(resolved));
    expect(most).toEqual(most.toSorted((a, b) => b - a));
    expect(most.reduce((sum, each) => sum + each, 0)).toBe(rows.length);
  });

  test('if no ticket was solved in the period, the average is null and the SLA compliance is 100 %', async () => {
    testRuntime.clock.set(new Date(SAMPLE_DAY.getTime() + 400 * 24 * HOUR));
    expect(await testRuntime.data(dan, 'support', 'get_agent_metrics', { period: '7d' })).toMatchObject({
      team: { resolved: 0, avg_resolution_minutes: null, sla_compliance_percent: 100 },
      agents: [],
    });
    testRuntime.clock.set(SAMPLE_DAY);
  });

  test('closing a breached ticket removes it from the SLA figures and adds it to the figures of the agent and the team', async () => {
    const [before, metrics] = [await summary(), await testRuntime.data(dan, 'support', 'get_agent_metrics', { period: '7d' })];
    const [first] = await slaTickets('breached');
    await testRuntime.done(dan, 'support', 'close_ticket', {
      ticket_id: first?.['ticket_id'],
      resolution: 'Found the cause and removed it',
    });
    const [after, moved] = [await summary(), await testRuntime.data(dan, 'support', 'get_agent_metrics', { period: '7d' })];
    expect([after['total'], after['breached'], after['at_risk']]).toEqual([
      Number(before['total']) - 1,
      Number(before['breached']) - 1,
      before['at_risk'],
    ]);
    const team = (data: Data) => data['team'] as unknown as Record<string, number>;
    expect(team(moved)['resolved']).toBe((team(metrics)['resolved'] ?? 0) + 1);
    const own = (moved['agents'] as unknown as Row[]).find(({ agent_name }) => agent_name === 'Dan Williams');
    expect(own).toMatchObject({ resolved: 1, sla_compliance_percent: 0 });
    expect((await slaTickets('breached')).some((row) => row['ticket_id'] === first?.['ticket_id'])).toBe(false);
  });
});
