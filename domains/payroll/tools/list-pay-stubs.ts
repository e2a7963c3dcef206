import { z } from 'zod';
import { day } from '../../../src/declare/fields.ts';
import { desc } from '../../../src/declare/order.ts';
import { payroll } from '../domain.ts';
import { paySchedule, scheduleFrom, inPeriod } from '../rules.ts';
import { employeeId, payRunId, payStub } from '../schemas.ts';

export const listPayStubs = payroll.list({
  name: 'list_pay_stubs',
  title: 'Pay stubs',
  description:
    'Pay stubs (payslips), the latest first: your own, or of everyone for payroll, HR and executives. metadata.next_pay_date is ' +
    'the next pay day. get_pay_stub shows the lines of one stub.',
  plural: 'pay stubs',
  roles: ['employee', 'payroll-read', 'hr-read', 'executive'],
  input: z.object({
    employee_id: employeeId.optional().describe('Only the stubs of this employee; employee_id from find_employees'),
    pay_run_id: payRunId.optional().describe('Only the stubs of this run; pay_run_id from list_pay_runs'),
    pay_date_from: day.optional().describe('Paid on this day or later'),
    pay_date_to: day.optional().describe('Paid on this day or earlier'),
  }),
  item: payStub,
  order: desc('pay_date', 'pay_stub_id'),
  totals: paySchedule,
  hoisted: ['next_pay_date'],
  examples: [
    { question: 'When is my next pay day?', as: 'marcus.johnson', input: { limit: 1 } },
    { question: 'Show me my payslips', as: 'sarah.kim', input: {} },
    { question: 'How much was I paid this year?', as: 'frank.davis', input: (today) => ({ pay_date_from: `${today.slice(0, 4)}-01-01` }) },
    {
      question: "List Marcus Johnson's last three pay stubs",
      as: 'paula.reyes',
      input: { employee_id: '0e000000-0000-4000-8000-000000000007', limit: 3 },
    },
    { question: 'Show the pay stubs of that pay run', as: 'alice.chen', input: { pay_run_id: '06000000-0000-4000-8000-000000000001' } },
    { question: 'What did everyone get on the last pay day?', as: 'eve.thompson', input: {} },
  ],

  find: ({ employee_id, pay_run_id, pay_date_from, pay_date_to }, { sql }) => sql`
    select * from payroll.stubs where true ${sql.given({ employee_id })} ${inPeriod(sql, pay_date_from, pay_date_to)}
    ${sql.when(
      pay_run_id,
      () => sql`pay_run_id = ${pay_run_id} and pay_date = (select r.pay_date from payroll.pay_runs r where r.pay_run_id = ${pay_run_id})`,
    )}`,
  computeTotals: (_, { sql, today }) => scheduleFrom(sql, today),
});
