import { z } from 'zod';
import {} from '../../../src/declare/fields.ts';
import { hr } from '../domain.ts';
import { fiscalYearOf } from '../../../src/declare/fiscal.ts';
import { balanceOf } from '../rules.ts';
import { cardReason, requestId, timeOffBalance, timeOffRequest } from '../schemas.ts';

export const cancelTimeOffRequest = hr.write({
  name: 'cancel_time_off_request',
  title: 'Cancel a time-off request',
  description:
    'Cancel your own time-off request before it begins, pending or approved. Managers and HR cancel those of others, later too. ' +
    'The days return to the balance.',
  roles: ['employee', 'manager', 'hr-write', 'executive'],
  effect: 'changes',
  input: z.object({
    request_id: requestId.describe('request_id from list_time_off_requests or list_team_time_off_requests'),
    reason: cardReason,
  }),
  output: timeOffRequest,
  errors: {
    TIME_OFF_REQUEST_NOT_FOUND: {
      message: 'Time-off request not found. Verify the request ID is correct.',
      hint: 'Find your requests with list_time_off_requests; managers find those of others with list_team_time_off_requests.',
    },
    REQUEST_NOT_OPEN: {
      message: 'The request was rejected or cancelled, so there is nothing to cancel.',
      hint: 'Do nothing; the balance already has the days.',
    },
    ALREADY_BEGUN: { message: 'This time off has begun.', hint: 'Ask your manager or HR to cancel it.' },
  },
  examples: [
    {
      question: 'Cancel the vacation that I asked for',
      as: 'marcus.johnson',
      input: { request_id: '0b000000-0000-4000-8000-000000000007' },
    },
    {
      question: "Cancel Sarah Kim's holiday request",
      as: 'nina.patel',
      input: { request_id: '0b000000-0000-4000-8000-000000000008' },
    },
    {
      question: "Withdraw Marcus Johnson's time off",
      as: 'sarah.kim',
      input: { request_id: '0b000000-0000-4000-8000-000000000007' },
      expects: 'TIME_OFF_REQUEST_NOT_FOUND',
    },
  ],

  async prepare({ request_id }, { sql, me, today, company, fail }) {
    const request =
      (await sql.maybeOne(timeOffRequest, sql`select * from hr.time_off where request_id = ${request_id}`)) ??
      fail('TIME_OFF_REQUEST_NOT_FOUND', { request_id });
    const { employee_id, employee_name, type_code, start_date, end_date, days, status } = request;
    if (status !== 'pending' && status !== 'approved') throw fail('REQUEST_NOT_OPEN', { status });
    if (employee_id === me.employeeId && status === 'approved' && start_date <= today) throw fail('ALREADY_BEGUN', { start_date });
    const year = fiscalYearOf(start_date, company);
    const balance = await balanceOf(sql, employee_id, { year, type_code });
    const what = `${days} ${days === 1 ? 'day' : 'days'} of ${(balance?.type_name ?? type_code).toLowerCase()}`;
    const when = start_date === end_date ? `on ${start_date}` : `from ${start_date} to ${end_date}`;
    const field = status === 'approved' ? 'used' : 'pending';
    return {
      summary: `Cancel ${what} ${when} of ${employee_name}`,
      subject: { label: `${employee_name}: ${what} ${when}`, id: request_id },
      changes: [
        { field: 'status', from: status, to: 'cancelled' },
        ...(balance === null
          ? []
          : [
              {
                field: 'available',
                label: `Days left in ${year}`,
                from: balance.available,
                to: balance.available + days,
                format: 'days' as const,
              },
            ]),
      ],
      request,
      year,
      field,
      hasBalance: balance !== null,
    } as const;
  },

  async execute({ request_id }, { sql, me, plan, output }) {
    const { employee_id, type_code, days, status } = plan.request;
    await sql.change(
      output.pick({ request_id: true }),
      sql`
        update hr.time_off_requests set status = 'cancelled', cancelled_by = ${me.employeeId}, cancelled_at = clock_timestamp()
        where request_id = ${request_id} and status = ${status} returning request_id`,
    );
    if (plan.hasBalance)
      await sql.change(
        timeOffBalance.pick({ type_code: true }),
        sql`
          update hr.time_off_balances set ${sql.ref(plan.field)} = ${sql.ref(plan.field)} - ${days}::numeric
          where employee_id = ${employee_id} and fiscal_year = ${plan.year}::int and type_code = ${type_code} returning type_code`,
      );
    return sql.one(output, sql`select * from hr.time_off where request_id = ${request_id}`);
  },
});
