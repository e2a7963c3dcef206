import { z } from 'zod';
import { formatMoney, sumOf } from '../../../src/declare/money.ts';
import { total } from '../../../src/declare/documents.ts';
import { amount, companyText, storedDay, storedEmail, storedId } from '../../../src/declare/fields.ts';
import { EVERY, is } from '../../../src/declare/filter.ts';
import { fiscalYearOf, quarterAt } from '../../../src/declare/fiscal.ts';
import { sales } from '../domain.ts';
import { daysOf, period, thisQuarter } from '../periods.ts';
import { ownedBy } from '../rules.ts';
import { openStages, opportunity, ownerName, type Stage } from '../schemas.ts';

/** The largest number of salespeople in the answer. The totals include all. */
const SHOWN = 50;

const figures = {
  quota: amount.describe('The sales goal'),
  commit: amount.describe('Open deals in negotiation'),
  best_case: amount.describe('Open deals in negotiation or with a proposal'),
  pipeline: amount.describe('All open deals that are expected to close in the period'),
  closed: amount.describe('Deals that were won in the period'),
  attainment_percent: z.number().nullable().describe('100 × closed / quota; null without a quota'),
};
const person = { owner_name: companyText, owner: storedEmail, owner_id: storedId };
const quotaOf = z.object({ ...person, amount });
const soldBy = z.object({ ...person, stage: opportunity.shape.stage, value: amount });

/** Names are not unique, so the id follows. */
const nameOf = ({ owner_name, owner_id }: { owner_name: string; owner_id: string }) => `${owner_name} ${owner_id}`;

type Group = Pick<z.output<typeof soldBy>, 'stage' | 'value'>;
function figuresOf(quota: number, deals: readonly Group[]) {
  const among = (...stages: readonly Stage[]) => sumOf(deals.filter(({ stage }) => stages.includes(stage)).map(({ value }) => value));
  const closed = among('CLOSED_WON');
  return {
    quota,
    commit: among('NEGOTIATION'),
    best_case: among('NEGOTIATION', 'PROPOSAL'),
    pipeline: among(...openStages),
    closed,
    attainment_percent: quota === 0 ? null : Math.round((closed / quota) * 1000) / 10,
  };
}

export const getForecast = sales.read({
  name: 'get_forecast',
  title: 'Sales forecast',
  description:
    'The sales forecast of a quarter or year: quota, commit, best case, pipeline, closed and attainment, for the team and ' +
    `for each salesperson (at most ${SHOWN}, the most closed first). By default this quarter.`,
  roles: ['sales-read', 'executive'],
  input: z.object({
    period: period.optional().describe('2026-Q4, Q4 2026 or 2026; by default this quarter'),
    owner: ownerName.optional(),
  }),
  output: z.object({
    period: companyText.describe('2026-Q4 or 2026'),
    start_date: storedDay,
    end_date: storedDay,
    ...figures,
    rep_count: z.int(),
    reps: z.array(z.object({ ...person, ...figures })),
  }),
  errors: {
    OWNER_NOT_FOUND: {
      message: 'No person with that name has a quota or a deal in this period.',
      hint: 'Leave out the owner to see everyone who sells, or find the name with list_opportunities.',
    },
  },
  examples: [
    {
      question: 'Forecast for this quarter?',
      as: 'eve.thompson',
      input: (today, company) => ({ period: quarterAt(today, company).label }),
    },
    { question: 'Are we on track to make our numbers?', as: 'carol.johnson', input: {} },
    {
      question: "How did Liam O'Brien do against his quota last quarter?",
      as: 'carol.johnson',
      input: (today, company) => ({ period: quarterAt(today, company, -1).label, owner: "Liam O'Brien" }),
    },
    {
      question: 'Sales forecast for the whole year',
      as: 'eve.thompson',
      input: (today, company) => ({ period: String(fiscalYearOf(today, company)) }),
    },
    { question: 'Forecast of Santa Claus', as: 'carol.johnson', input: { owner: 'Santa Claus' }, expects: 'OWNER_NOT_FOUND' },
    { question: 'Will sales make its quota?', as: 'dan.williams', input: {}, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],
  summary: ({ period: when, closed, quota, pipeline }, company) =>
    `Forecast ${when}: ${formatMoney(closed, company)} closed of ${formatMoney(quota, company)}, ${formatMoney(pipeline, company)} still open`,

  async run({ period: asked, owner }, { documents, today, company, fail }) {
    const { label, from, to, quarters } = asked ? daysOf(asked, company) : thisQuarter(today, company);
    const whose = owner === undefined ? EVERY : ownedBy(documents, owner);
    const by = Object.keys(person);
    const quotas = await documents.groups(quotaOf, 'quotas', documents.all(documents.where({ quarter: is.oneOf(quarters) }), whose), {
      by,
      totals: { amount: total.sum('amount') },
    });
    const inPeriod = documents.given({ close_date: is.between(from, to), stage: is.not('CLOSED_LOST') });
    const deals = await documents.groups(soldBy, 'opportunities', documents.all(inPeriod, whose), {
      by: [...by, 'stage'],
      totals: { value: total.sum('value') },
    });
    const people = new Map(
      [...quotas, ...deals].map(({ owner_id, owner: email, owner_name }) => [owner_id, { owner_id, owner: email, owner_name }]),
    );
    if (owner !== undefined && people.size === 0) throw fail('OWNER_NOT_FOUND', { owner, period: label });
    const of = <T extends { owner_id: string }>(rows: readonly T[], id: string) => rows.filter(({ owner_id }) => owner_id === id);
    const reps = [...people.values()]
      .map((rep) => ({ ...rep, ...figuresOf(sumOf(of(quotas, rep.owner_id).map(({ amount: each }) => each)), of(deals, rep.owner_id)) }))
      .toSorted((a, b) => b.closed - a.closed || (nameOf(a) < nameOf(b) ? -1 : 1));
    const team = figuresOf(sumOf(quotas.map(({ amount: each }) => each)), deals);
    return { period: label, start_date: from, end_date: to, ...team, rep_count: reps.length, reps: reps.slice(0, SHOWN) };
  },
});
