import { z } from 'zod';
import { day, prose, storedDay } from '../../../src/declare/fields.ts';
import { formatMoney } from '../../../src/declare/money.ts';
import { payroll } from '../domain.ts';
import { computeRun, costsOf, type PayDate, rowOf, totalsOf } from '../run.ts';
import { insertRun } from '../run-rows.ts';
import { payRun } from '../schemas.ts';

const payDate = z.object({ pay_date: storedDay, period_start: storedDay, period_end: storedDay });

export const runPayroll = payroll.write({
  name: 'run_payroll',
  title: 'Run payroll',
  description:
    'Make the regular pay run of the next pay date: a pay stub for everyone on the payroll, from the salaries, tax elections and ' +
    'benefits in force on that day. A pay date has one run, and the dates are run in their order.',
  roles: ['payroll-write'],
  effect: 'adds',
  input: z.object({
    pay_date: day.optional().describe('A date of the pay calendar; by default the next one without a run'),
    reason: prose(500).optional().describe('Shown on the approval card'),
  }),
  output: payRun,
  errors: {
    PAY_DATE_NOT_FOUND: {
      message: 'The pay calendar has no such pay date.',
      hint: 'Leave pay_date out for the next one; list_pay_runs has it as next_pay_date.',
    },
    PAY_RUN_EXISTS: {
      message: 'This pay date has a pay run already.',
      hint: 'Do nothing. details has its pay_run_id; list_pay_stubs shows its stubs.',
    },
    PAY_DATE_NOT_NEXT: {
      message: 'An earlier pay date has no run yet.',
      hint: 'Run the earlier date first; details has it.',
    },
    NOBODY_TO_PAY: { message: 'Nobody on the payroll has a salary on this day.', hint: 'Ask HR to set salaries with update_salary.' },
  },
  examples: [
    { question: 'Run payroll', as: 'paula.reyes', input: {} },
    { question: 'Make the next pay run', as: 'paula.reyes', input: {} },
    { question: 'Run payroll for 2020-01-15', as: 'paula.reyes', input: { pay_date: '2020-01-15' }, expects: 'PAY_DATE_NOT_FOUND' },
    { question: 'Run payroll for me', as: 'marcus.johnson', input: {}, expects: 'INSUFFICIENT_PERMISSIONS' },
    { question: 'Start the payroll run', as: 'eve.thompson', input: {}, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],

  async prepare({ pay_date }, { sql, me, today, fail, company }) {
    // After the last run: a date before it is never run late, and a calendar that begins earlier is not run from its start.
    const [next] = await sql.many(
      payDate,
      sql`
        select pay_date, period_start, period_end from payroll.pay_calendar
        where pay_date > coalesce((select max(pay_date) from payroll.pay_runs where run_type = 'REGULAR'), ${today}::date - 1)
        order by pay_date limit 1`,
    );
    const date: PayDate =
      (pay_date === undefined
        ? next
        : await sql.maybeOne(
            payDate,
            sql`select pay_date, period_start, period_end from payroll.pay_calendar where pay_date = ${pay_date}::date`,
          )) ?? fail('PAY_DATE_NOT_FOUND', { pay_date });
    const existing = await sql.maybeOne(
      payRun.pick({ pay_run_id: true }),
      sql`select pay_run_id from payroll.pay_runs where pay_date = ${date.pay_date}::date and run_type = 'REGULAR'`,
    );
    if (existing) throw fail('PAY_RUN_EXISTS', { ...existing, pay_date: date.pay_date });
    if (next === undefined || date.pay_date !== next.pay_date)
      throw fail('PAY_DATE_NOT_NEXT', { pay_date: date.pay_date, next_pay_date: next?.pay_date });
    const { stubs, unpaid, untaxed } = await computeRun(sql, date);
    if (stubs.length === 0) throw fail('NOBODY_TO_PAY', { pay_date: date.pay_date });
    const totals = totalsOf(stubs);
    const money = (field: string, to: number) => ({ field, from: null, to, format: 'money' as const });
    return {
      summary: `Run payroll of ${date.pay_date} for ${stubs.length} people, ${formatMoney(totals.net, company)} net`,
      subject: { label: `Pay date ${date.pay_date}, ${date.period_start} to ${date.period_end}`, id: me.employeeId },
      changes: [
        { field: 'pay_date', from: null, to: date.pay_date, format: 'date' },
        { field: 'employee_count', label: 'People', from: null, to: stubs.length },
        ...Object.entries(totals).map(([field, to]) => money(field, to)),
        ...(unpaid > 0 ? [{ field: 'unpaid', label: 'People without pay in this run', from: null, to: unpaid }] : []),
        ...(untaxed > 0
          ? [{ field: 'untaxed', label: 'People without tax elections, from whom no tax is withheld', from: null, to: untaxed }]
          : []),
      ],
      by: me.employeeId,
      date,
      totals,
      costs: costsOf(stubs),
      rows: stubs.map(rowOf),
    };
  },

  async execute(_, { sql, me, plan, today, output }) {
    const { date, rows } = plan;
    const { pay_run_id } = await sql.change(
      output.pick({ pay_run_id: true }),
      sql`
        insert into payroll.pay_runs (run_type, status, pay_date, period_start, period_end, employee_count, run_by, run_by_name)
        values ('REGULAR', ${date.pay_date <= today ? 'PAID' : 'APPROVED'}, ${date.pay_date}::date, ${date.period_start}::date,
          ${date.period_end}::date, ${rows.length}::int, ${plan.by}::uuid, ${me.name}) returning pay_run_id`,
    );
    await insertRun(sql, pay_run_id, plan);
    return sql.one(output, sql`select * from payroll.runs where pay_run_id = ${pay_run_id}`);
  },
});
