import { z } from 'zod';
import { figure } from '../../../src/declare/search.ts';
import { support } from '../domain.ts';
import { percent, sla } from '../rules.ts';
import { priorities, tiers } from '../schemas.ts';

const counts = { total: z.int(), within: z.int(), at_risk: z.int(), breached: z.int() };
const share = z.number().describe('Percentage of the unsolved tickets that are not past their deadline; 100 if there are none');
const row = z.object({ priority: z.enum(priorities), tier: z.enum(tiers), total: z.int(), at_risk: z.int(), breached: z.int() });
type Row = z.output<typeof row>;

function tally(rows: readonly Row[]) {
  const sum = (field: 'total' | 'at_risk' | 'breached') => rows.reduce((all, each) => all + each[field], 0);
  const [total, at_risk, breached] = [sum('total'), sum('at_risk'), sum('breached')];
  return { total, within: total - at_risk - breached, at_risk, breached };
}
const withShare = (rows: readonly Row[]) => {
  const all = tally(rows);
  return { ...all, compliance_percent: percent(all.total - all.breached, all.total) };
};

export const getSlaSummary = support.read({
  name: 'get_sla_summary',
  title: 'Service levels now',
  description:
    'How many unsolved tickets are within their time, at risk (less than two hours left) or breached (past the deadline): overall, ' +
    'by priority and by customer tier. get_sla_tickets lists these tickets; get_agent_metrics is about solved tickets.',
  roles: ['support-read', 'executive'],
  input: z.object({}),
  output: z.object({
    overall_compliance_percent: share,
    ...counts,
    by_priority: z.array(z.object({ priority: z.enum(priorities), ...counts, compliance_percent: share })),
    by_tier: z.array(z.object({ tier: z.enum(tiers), ...counts, compliance_percent: share })),
  }),
  examples: [
    { question: 'How are we doing on SLAs?', as: 'dan.williams', input: {} },
    { question: 'What is our SLA compliance?', as: 'eve.thompson', input: {} },
    { question: 'How many tickets have breached their deadline, by priority?', as: 'dan.williams', input: {} },
    { question: 'Do we keep our service levels?', as: 'frank.davis', input: {}, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],
  chart: {
    kind: 'stack',
    title: 'Service levels by priority',
    rows: 'by_priority',
    label: 'priority',
    parts: [
      { field: 'within', label: 'Within', look: 'good' },
      { field: 'at_risk', label: 'At risk', look: 'warn' },
      { field: 'breached', label: 'Breached', look: 'bad' },
    ],
  },

  async run(_input, { search, now }) {
    const rows = await search.groups(row, 'tickets', sla.waiting(search), {
      by: ['priority', 'tier'],
      figures: { total: figure.count(), at_risk: figure.count(sla.atRisk(search, now)), breached: figure.count(sla.breached(search, now)) },
    });
    const all = tally(rows);
    return {
      overall_compliance_percent: percent(all.total - all.breached, all.total),
      ...all,
      by_priority: priorities.map((priority) => ({ priority, ...withShare(rows.filter((each) => each.priority === priority)) })),
      by_tier: tiers.map((tier) => ({ tier, ...withShare(rows.filter((each) => each.tier === tier)) })),
    };
  },
  summary: ({ overall_compliance_percent, at_risk, breached }) =>
    `${overall_compliance_percent} % in time; ${at_risk} at risk, ${breached} breached`,
});
