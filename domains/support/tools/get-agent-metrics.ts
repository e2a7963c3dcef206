import { z } from 'zod';
import { startOfDay } from '../../../src/declare/company.ts';
import { anyCase, signInName, storedDay, storedId } from '../../../src/declare/fields.ts';
import { is } from '../../../src/declare/filter.ts';
import { figure } from '../../../src/declare/search.ts';
import { support } from '../domain.ts';
import { percent } from '../rules.ts';

const DAYS = { '7d': 7, '30d': 30, '90d': 90 } as const;
const figures = {
  resolved: z.int().describe('Tickets solved'),
  avg_resolution_minutes: z.int().nullable().describe('From the creation of the ticket to the solution; null if nothing was solved'),
  sla_compliance_percent: z.number().describe('Percentage of the solved tickets that were solved in time'),
};
const row = z.object({ resolved_by: storedId, resolved_by_name: signInName, resolved: z.int(), minutes: z.number(), met: z.int() });

interface Work {
  readonly resolved: number;
  readonly minutes: number;
  readonly met: number;
}
const figuresOf = ({ resolved, minutes, met }: Work) => ({
  resolved,
  avg_resolution_minutes: resolved === 0 ? null : Math.round(minutes / resolved),
  sla_compliance_percent: percent(met, resolved),
});
const byMost = (a: { resolved: number; agent_name: string }, b: { resolved: number; agent_name: string }) =>
  b.resolved - a.resolved || (a.agent_name < b.agent_name ? -1 : 1);

export const getAgentMetrics = support.read({
  name: 'get_agent_metrics',
  title: 'Agents and their work',
  description:
    'How many tickets each support agent and the team solved in the last 7, 30 or 90 days and today, how long it took, and how ' +
    'many were solved in time. The agent who solved most comes first.',
  roles: ['support-read', 'executive'],
  input: z.object({ period: anyCase(['7d', '30d', '90d']).default('30d').describe('7d, 30d or 90d before today, and today') }),
  output: z.object({
    period: z.enum(['7d', '30d', '90d']),
    from: storedDay.describe('The first of these days'),
    to: storedDay.describe('Today'),
    team: z.object(figures),
    agents: z.array(z.object({ agent_id: storedId, agent_name: signInName, ...figures })),
  }),
  examples: [
    { question: 'Who resolved the most tickets in the last 30 days?', as: 'dan.williams', input: { period: '30d' } },
    { question: 'How did the support team do this week?', as: 'eve.thompson', input: { period: '7d' } },
    { question: 'Average resolution time per agent over the last quarter', as: 'dan.williams', input: { period: '90d' } },
    { question: 'How quick is the support team?', as: 'nina.patel', input: {}, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],

  async run({ period }, { search, today, company }) {
    const from = new Date(Date.parse(today) - DAYS[period] * 86_400_000).toISOString().slice(0, 10);
    const since = startOfDay(company.timeZone, from).toISOString();
    const rows = await search.groups(row, 'tickets', search.where({ resolved_by: is.there, resolved_at: is.atLeast(since) }), {
      by: ['resolved_by', 'resolved_by_name'],
      figures: {
        resolved: figure.count(),
        minutes: figure.sum('resolution_minutes'),
        met: figure.count(search.where({ sla_met: true })),
      },
    });
    const sum = (field: keyof Work) => rows.reduce((all, each) => all + each[field], 0);
    const agents = rows.map((each) => ({ agent_id: each.resolved_by, agent_name: each.resolved_by_name, ...figuresOf(each) }));
    return {
      period,
      from,
      to: today,
      team: figuresOf({ resolved: sum('resolved'), minutes: sum('minutes'), met: sum('met') }),
      agents: agents.toSorted(byMost),
    };
  },
  summary: ({ period, team, agents }) => `${team.resolved} tickets solved by ${agents.length} agents in ${period}`,
});
