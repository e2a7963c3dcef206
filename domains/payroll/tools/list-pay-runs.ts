import { z } from 'zod';
import { day } from '../../../src/declare/fields.ts';
import { desc } from '../../../src/declare/order.ts';
import { payroll } from '../domain.ts';
import { paySchedule, scheduleFrom, inPeriod } from '../rules.ts';
import { payRun, runType } from '../schemas.ts';

export const listPayRuns = payroll.list({
  name: 'list_pay_runs',
  title: 'Pay runs',
  description:
    'Pay runs of the company, by default the latest first: pay date, period, number of people and totals. metadata.next_pay_date ' +
    'is the date of the next one.',
  plural: 'pay runs',
  roles: ['payroll-read', 'hr-read', 'executive'],
  input: z.object({
    run_type: runType.optional().describe('REGULAR: twice a month; BONUS: the annual bonus; OFF_CYCLE: corrections in between'),
    pay_date_from: day.optional().describe('Paid on this day or later'),
    pay_date_to: day.optional().describe('Paid on this day or earlier'),
  }),
  item: payRun,
  order: { pay_date: desc('pay_date', 'pay_run_id'), highest_gross: desc('gross', 'pay_run_id') },
  totals: paySchedule,
  hoisted: ['next_pay_date'],
  examples: [
    { question: 'Show me the last five pay runs', as: 'paula.reyes', input: { limit: 5 } },
    { question: 'List all payroll runs', as: 'alice.chen', input: {} },
    { question: 'When did we pay bonuses?', as: 'eve.thompson', input: { run_type: 'BONUS' } },
    {
      question: 'Which pay runs were there this year?',
      as: 'paula.reyes',
      input: (today) => ({ pay_date_from: `${today.slice(0, 4)}-01-01`, pay_date_to: today }),
    },
    { question: 'How much did the latest payroll run cost?', as: 'eve.thompson', input: { limit: 1 } },
    { question: 'Show me the pay runs', as: 'frank.davis', input: {}, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],

  find: ({ run_type, pay_date_from, pay_date_to }, { sql }) =>
    sql`select * from payroll.runs where true ${sql.given({ run_type })} ${inPeriod(sql, pay_date_from, pay_date_to)}`,
  computeTotals: (_, { sql, today }) => scheduleFrom(sql, today),
});
