import { z } from 'zod';
import { companyText, storedDay } from '../../../src/declare/fields.ts';
import { alignedAmount } from '../../../src/declare/money.ts';
import { tax } from '../domain.ts';
import { period as periodField, quarterOf, thisYear, yearOf } from '../periods.ts';
import { MOST_DEADLINES, MOST_FILINGS, readers, taxPosition } from '../schemas.ts';

export const getTaxSummary = tax.read({
  name: 'get_tax_summary',
  title: 'Tax summary',
  description:
    'Tax position of a year or quarter: liability, paid and remaining, in total and by state, what is overdue, the next deadlines, ' +
    'recent filings and whether the company is compliant. A quarter includes its estimated payments; a year also includes the ' +
    'balances of its annual returns. By default this calendar year.',
  roles: readers,
  input: z.object({
    period: periodField.optional().describe('A year (2026) or a quarter (2026-Q4, Q4 2026); by default this calendar year'),
  }),
  output: z.object({ period: companyText, as_of: storedDay, ...taxPosition.shape }),
  errors: {
    PERIOD_NOT_FOUND: {
      message: 'There are no tax records for that period.',
      hint: 'Give one of the years in details, or leave period out for this calendar year.',
    },
  },
  examples: [
    { question: 'Are we compliant on taxes?', as: 'eve.thompson', input: {} },
    { question: 'How much tax do we still owe this year?', as: 'bob.martinez', input: (today) => ({ period: String(yearOf(today)) }) },
    { question: 'When is our next tax deadline?', as: 'tom.becker', input: {} },
    { question: 'Tax summary for this quarter', as: 'tom.becker', input: (today) => ({ period: `${yearOf(today)}-Q${quarterOf(today)}` }) },
    {
      question: 'What was our tax liability in Q1 of last year?',
      as: 'bob.martinez',
      input: (today) => ({ period: `Q1 ${yearOf(today) - 1}` }),
    },
    { question: 'What did we pay in taxes in 2001?', as: 'bob.martinez', input: { period: '2001' }, expects: 'PERIOD_NOT_FOUND' },
    { question: 'How much tax does the company pay?', as: 'sarah.kim', input: {}, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],
  summary: ({ period, liability, paid, compliance }, { currency }) =>
    `${period}: ${alignedAmount(paid, currency, 2)} of ${alignedAmount(liability, currency, 2)} paid, ${compliance.replace('_', ' ')}`,

  async run({ period: asked }, { sql, today, fail }) {
    const { label, year, quarter } = asked ?? thisYear(today);
    // One statement reads all values at the same moment. A return covers its whole year, so it counts as the fifth quarter.
    const { known, years, ...position } = await sql.one(
      taxPosition.extend({ known: z.int(), years: z.array(z.int()) }),
      sql`
        with facts as materialized (
          select o.*, liability - paid as amount, not settled and deadline < ${today}::date as late,
            year = ${year}::int and (${quarter ?? null}::int is null or coalesce(quarter, 5) = ${quarter ?? null}::int) as own,
            (year, coalesce(quarter, 5)) <= (${year}::int, ${quarter ?? 5}::int) as so_far
          from tax.obligations o
        ), totals as (
          select count(*) filter (where own) as known, array_to_json(array(select distinct year from facts order by year)) as years,
            coalesce(sum(liability) filter (where own), 0) as liability, coalesce(sum(paid) filter (where own), 0) as paid,
            coalesce(sum(amount) filter (where own), 0) as remaining,
            coalesce(sum(liability) filter (where own and due_date <= ${today}::date), 0) as due_to_date,
            coalesce(sum(paid) filter (where own and due_date <= ${today}::date), 0) as paid_of_due,
            count(*) filter (where late and so_far) as overdue_count, coalesce(sum(amount) filter (where late
            and so_far), 0) as overdue_amount
          from facts
        ), late as (
          select kind, id, state, jurisdiction, title, deadline as due_date, case when assessed then amount end as amount,
          ${today}::date - deadline as days_overdue
          from facts where late and so_far order by deadline, state <> 'US', state, id limit ${MOST_DEADLINES}::int
        ), next as (
          select kind, id, state, jurisdiction, title, deadline as due_date, case when assessed then amount end as amount,
          deadline - ${today}::date as days_left
          from facts where not settled and not late order by deadline, state <> 'US', state, id limit ${MOST_DEADLINES}::int
        ), states as (
          select state, jurisdiction, sum(liability) as liability, sum(paid) as paid, sum(amount) as remaining
          from facts where own group by state, jurisdiction order by state <> 'US', state
        ), recent as (
          select filing_id, tax_year, state, jurisdiction, form, filed_on, status
          from tax.filings where filed_on <= ${today}::date order by filed_on desc, filing_id desc limit ${MOST_FILINGS}::int
        )
        select *,
          case when overdue_count > 0 then 'non_compliant' when paid_of_due < 0.8 * due_to_date then 'at_risk' else 'compliant' end as
          compliance,
          (select coalesce(json_agg(late), '[]') from late) as overdue, (select coalesce(json_agg(next), '[]') from next) as deadlines,
          (select coalesce(json_agg(states), '[]') from states) as by_state, (select coalesce(json_agg(recent), '[]')
          from recent) as recent_filings
        from totals`,
    );
    // Zeros for a year without data would look like nothing to pay, so this is an error. The current year is always valid.
    if (known === 0 && asked !== undefined) throw fail('PERIOD_NOT_FOUND', { period: label, years });
    return { period: label, as_of: today, ...position };
  },
});
