import { z } from 'zod';
import { amount, companyText, masked, storedDay } from '../../../src/declare/fields.ts';
import type { Period } from '../../../src/declare/fiscal.ts';
import type { SqlTag, SqlText } from '../../../src/declare/sql.ts';
import { payroll } from '../domain.ts';
import { lastQuarter, monthOf, monthsBefore, period } from '../periods.ts';
import { FEWEST, nextPayDay } from '../rules.ts';
import { nextPayDate, pay } from '../schemas.ts';

const summed = { gross: amount, net: amount, taxes: amount, deductions: amount, employer_taxes: amount, employer_benefits: amount };

const summary = z.object({
  gross: pay(),
  net: pay(amount.describe('gross − taxes − deductions')),
  taxes: pay(),
  deductions: pay(),
  employer_taxes: pay(),
  employer_benefits: pay(),
  employee_count: z.int().describe('People who were paid in the period'),
  contractor_count: z.int().describe('Contractors who were paid in the period'),
  contractor_payments: pay(),
  pay_runs: z.int().describe('Number of pay runs'),
  next_pay_date: nextPayDate,
  ytd: masked('pay', z.object(summed)).describe('From January to the end of the period'),
});

/** The totals of all runs between two days. Totals of few people would reveal single salaries, so they are left out. */
const totals = (sql: SqlTag, from: string, to: string): SqlText => {
  const shown = (column: string) =>
    sql`case when p.employee_count = 0 then 0 when p.employee_count >= ${FEWEST} then ${sql.ref(column)} end`;
  return sql`
    select r.pay_runs, p.employee_count, ${shown('r.gross')} as gross, ${shown('r.net')} as net, ${shown('r.taxes')} as taxes,
      ${shown('r.deductions')} as deductions, ${shown('r.employer_taxes')} as employer_taxes, ${shown('r.employer_benefits')} as
      employer_benefits
    from (
      select count(*) as pay_runs, sum(gross) as gross, sum(net) as net, sum(total_taxes) as taxes, sum(total_deductions) as deductions,
        sum(employer_taxes) as employer_taxes, sum(employer_benefits) as employer_benefits
      from payroll.runs where pay_date between ${from}::date and ${to}::date) r
    cross join (
      select count(*) as employee_count from payroll.employees e
      where exists (select from payroll.pay_stubs s where s.employee_id = e.employee_id
      and s.pay_date between ${from}::date and ${to}::date)) p`;
};

export const getPayrollSummary = payroll.read({
  name: 'get_payroll_summary',
  title: 'Payroll summary',
  description:
    'Payroll totals of a month, quarter or year: gross, taxes, deductions, net, what the company paid in addition, the number of ' +
    'people and contractors, and the year to date. By default the month of the latest pay run. Totals of fewer ' +
    'than five people are left out.',
  roles: ['payroll-read', 'hr-read', 'executive'],
  input: z.object({ period: period.optional().describe('2026-10, 2026-Q4, Q4 2026 or 2026; by default the month of the latest pay run') }),
  output: z.object({
    period: companyText.describe('2026-10, 2026-Q4 or 2026'),
    start_date: storedDay,
    end_date: storedDay,
    ...summary.shape,
    note: companyText.nullable().describe('Why amounts are missing; null if none is missing'),
  }),
  examples: [
    { question: 'Payroll summary for last month', as: 'paula.reyes', input: (today) => ({ period: monthsBefore(today, 1) }) },
    { question: 'What did payroll cost us last quarter?', as: 'eve.thompson', input: (today) => ({ period: lastQuarter(today) }) },
    { question: 'How much have we paid in salaries this year?', as: 'alice.chen', input: (today) => ({ period: today.slice(0, 4) }) },
    { question: 'Give me the latest payroll figures', as: 'eve.thompson', input: {} },
    { question: 'Summarise payroll for the fifth quarter', as: 'paula.reyes', input: { period: '2026-Q5' }, expects: 'VALIDATION_ERROR' },
    { question: 'How much does the company spend on salaries?', as: 'marcus.johnson', input: {}, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],
  summary: ({ period: when, gross, employee_count }) => `Payroll ${when}: gross ${gross} for ${employee_count} people`,

  async run({ period: asked }, { sql, today }) {
    const latest = async (): Promise<Period> => {
      const { day } = await sql.one(
        z.object({ day: companyText.nullable() }),
        sql`select max(pay_date) as day from payroll.pay_runs where pay_date <= ${today}::date`,
      );
      return monthOf(day ?? today);
    };
    const { label, from, to } = asked ?? (await latest());
    const found = await sql.one(
      summary,
      sql`select t.*, ${nextPayDay(sql, today)} as next_pay_date, c.contractor_count,
          case when c.contractor_count = 0 then 0 when c.contractor_count >= ${FEWEST} then c.paid end as contractor_payments,
          case when y.gross is not null then json_build_object('gross', y.gross, 'net', y.net, 'taxes', y.taxes, 'deductions', y.deductions,
            'employer_taxes', y.employer_taxes, 'employer_benefits', y.employer_benefits) end as ytd
        from (${totals(sql, from, to)}) t
        cross join (${totals(sql, `${from.slice(0, 4)}-01-01`, to)}) y
        cross join (
          select count(distinct contractor_id) as contractor_count, sum(amount) as paid
          from payroll.contractor_pay where paid_on between ${from}::date and ${to}::date) c`,
    );
    const isFew = (count: number) => count > 0 && count < FEWEST;
    const note =
      isFew(found.employee_count) || isFew(found.contractor_count) ? `Totals of fewer than ${FEWEST} people are not shown.` : null;
    return { period: label, start_date: from, end_date: to, ...found, note };
  },
});
