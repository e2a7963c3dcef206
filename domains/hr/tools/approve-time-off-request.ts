import { z } from 'zod';
import { prose } from '../../../src/declare/fields.ts';
import { hr } from '../domain.ts';
import { fiscalYearOf } from '../../../src/declare/fiscal.ts';
import { requestId, timeOffBalance, timeOffRequest } from '../schemas.ts';

export const approveTimeOffRequest = hr.write({
  name: 'approve_time_off_request',
  title: 'Decide on a time-off request',
  description:
    'Approve (approved: true) or reject (approved: false) a pending time-off request of another person. The ' +
    'decision also changes the balance.',
  roles: ['manager', 'hr-write', 'executive'],
  effect: 'changes',
  input: z.object({
    request_id: requestId,
    approved: z.boolean().describe('true approves, false rejects'),
    approver_notes: prose(500).optional().describe('For the person who made the request'),
  }),
  output: timeOffRequest,
  errors: {
    TIME_OFF_REQUEST_NOT_FOUND: {
      message: 'Time-off request not found. Verify the request ID is correct.',
      hint: 'Find the requests that you may decide on with list_team_time_off_requests, status pending.',
    },
    REQUEST_NOT_PENDING: {
      message: 'The request is already decided.',
      hint: 'Only pending requests can be decided; find them with list_team_time_off_requests.',
    },
  },
  examples: [
    {
      question: "Approve Marcus Johnson's time off request",
      as: 'nina.patel',
      input: { request_id: '0b000000-0000-4000-8000-000000000007', approved: true },
    },
    {
      question: "Turn down Sarah Kim's vacation, too many of us are away that week",
      as: 'nina.patel',
      input: { request_id: '0b000000-0000-4000-8000-000000000008', approved: false, approver_notes: 'Too many of us are away that week' },
    },
    {
      question: 'Say yes to the leave that Marcus Johnson asked for',
      as: 'alice.chen',
      input: { request_id: '0b000000-0000-4000-8000-000000000007', approved: true, approver_notes: 'Enjoy' },
    },
    {
      question: "Approve Sarah Kim's holiday",
      as: 'carol.johnson',
      input: { request_id: '0b000000-0000-4000-8000-000000000008', approved: true },
      expects: 'TIME_OFF_REQUEST_NOT_FOUND',
    },
    {
      question: "Please approve Marcus Johnson's days off",
      as: 'frank.davis',
      input: { request_id: '0b000000-0000-4000-8000-000000000007', approved: true },
      expects: 'INSUFFICIENT_PERMISSIONS',
    },
  ],

  async prepare({ request_id, approved, approver_notes }, { sql, me, company, fail }) {
    const request =
      (await sql.maybeOne(timeOffRequest, sql`select * from hr.time_off where request_id = ${request_id}`)) ??
      fail('TIME_OFF_REQUEST_NOT_FOUND', { request_id });
    if (request.employee_id === me.employeeId) throw fail('SEPARATION_OF_DUTIES', { message: 'You cannot decide on your own request.' });
    if (request.status !== 'pending') throw fail('REQUEST_NOT_PENDING', { status: request.status });
    const { employee_id, employee_name, type_code, start_date, end_date, days } = request;
    const year = fiscalYearOf(start_date, company);
    const balance = await sql.one(
      timeOffBalance,
      sql`select * from hr.balances where employee_id = ${employee_id} and fiscal_year = ${year}::int and type_code = ${type_code}`,
    );
    const what = `${days} ${days === 1 ? 'day' : 'days'} of ${balance.type_name.toLowerCase()}`;
    const when = start_date === end_date ? `on ${start_date}` : `from ${start_date} to ${end_date}`;
    const moved = {
      used: approved ? balance.used + days : balance.used,
      pending: balance.pending - days,
      available: approved ? balance.available : balance.available + days,
    };
    return {
      summary: `${approved ? 'Approve' : 'Reject'} ${what} for ${employee_name} ${when}`,
      subject: { label: `${employee_name}: ${what} ${when}`, id: request_id },
      changes: [
        { field: 'status', from: request.status, to: approved ? 'approved' : 'rejected' },
        ...(approved
          ? [{ field: 'used', label: `Days used in ${year}`, from: balance.used, to: moved.used, format: 'days' as const }]
          : []),
        { field: 'pending', label: 'Days waiting for a decision', from: balance.pending, to: moved.pending, format: 'days' },
        ...(approved
          ? []
          : [{ field: 'available', label: `Days left in ${year}`, from: balance.available, to: moved.available, format: 'days' as const }]),
        ...(request.notes === null ? [] : [{ field: 'notes', label: `${employee_name} wrote`, from: request.notes, to: request.notes }]),
      ],
      reason: approver_notes,
      request,
      year,
    };
  },

  async execute({ request_id, approved, approver_notes }, { sql, me, plan, output }) {
    const { year } = plan;
    const { employee_id, type_code, days } = plan.request;
    await sql.change(
      timeOffBalance.pick({ used: true, pending: true }),
      sql`
        update hr.time_off_balances set used = used + ${approved ? days : 0}::numeric, pending = pending - ${days}
        where employee_id = ${employee_id} and fiscal_year = ${year}::int and type_code = ${type_code} returning used, pending`,
    );
    await sql.change(
      output.pick({ request_id: true }),
      sql`
        update hr.time_off_requests
        set status = ${approved ? 'approved' : 'rejected'}, approver_id = ${me.employeeId}, approver_notes = ${approver_notes},
        decided_at = clock_timestamp()
        where request_id = ${request_id} and status = 'pending' returning request_id`,
    );
    return sql.one(output, sql`select * from hr.time_off where request_id = ${request_id}`);
  },
});
