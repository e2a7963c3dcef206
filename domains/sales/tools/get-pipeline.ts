import { z } from 'zod';
import { formatMoney, sumOf } from '../../../src/declare/money.ts';
import { total } from '../../../src/declare/documents.ts';
import { amount, companyText, storedDay } from '../../../src/declare/fields.ts';
import { is } from '../../../src/declare/filter.ts';
import { quarterAt } from '../../../src/declare/fiscal.ts';
import { sales } from '../domain.ts';
import { daysOf, quarter, thisQuarter } from '../periods.ts';
import { isOpen } from '../rules.ts';
import { openStages } from '../schemas.ts';

const figures = { count: z.int(), value: amount, weighted_value: amount.describe('Each value × its probability') };
const perStage = z.object({ stage: z.enum(openStages), ...figures });

export const getPipeline = sales.read({
  name: 'get_pipeline',
  title: 'Sales pipeline',
  description:
    'Open deals that are expected to close in a quarter, by stage: number, value, and value weighted by ' +
    'probability. By default this quarter.',
  roles: ['sales-read', 'executive'],
  input: z.object({ quarter: quarter.optional().describe('2026-Q4 or Q4 2026; by default this quarter') }),
  output: z.object({
    quarter: companyText.describe('2026-Q4'),
    start_date: storedDay,
    end_date: storedDay,
    stages: z.array(perStage),
    total: z.object(figures),
  }),
  examples: [
    {
      question: 'What does the pipeline look like this quarter?',
      as: 'carol.johnson',
      input: (today, company) => ({ quarter: quarterAt(today, company).label }),
    },
    { question: 'Show me the sales pipeline', as: 'eve.thompson', input: {} },
    {
      question: "Next quarter's pipeline by stage",
      as: 'carol.johnson',
      input: (today, company) => ({ quarter: quarterAt(today, company, 1).label }),
    },
    { question: 'How full is our pipeline?', as: 'sarah.kim', input: {}, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],
  chart: {
    kind: 'parts',
    title: 'Open pipeline by stage',
    rows: 'stages',
    label: 'stage',
    part: { field: 'weighted_value', label: 'Weighted' },
    whole: { field: 'value', label: 'Full value' },
    scale: 'all',
    count: { field: 'count', label: 'Deals' },
  },
  summary: ({ quarter: when, total: all }, company) =>
    `Pipeline ${when}: ${all.count} open deals worth ` +
    `${formatMoney(all.value, company)}, weighted ${formatMoney(all.weighted_value, company)}`,

  async run({ quarter: asked }, { documents, today, company }) {
    const { label, from, to } = asked ? daysOf(asked, company) : thisQuarter(today, company);
    const found = await documents.groups(perStage, 'opportunities', documents.given({ stage: isOpen, close_date: is.between(from, to) }), {
      by: ['stage'],
      totals: { count: total.count, value: total.sum('value'), weighted_value: total.sum('weighted_value') },
    });
    const stages = openStages.map(
      (stage) => found.find((each) => each.stage === stage) ?? { stage, count: 0, value: 0, weighted_value: 0 },
    );
    return {
      quarter: label,
      start_date: from,
      end_date: to,
      stages,
      total: {
        count: stages.reduce((all, { count }) => all + count, 0),
        value: sumOf(stages.map(({ value }) => value)),
        weighted_value: sumOf(stages.map(({ weighted_value }) => weighted_value)),
      },
    };
  },
});
