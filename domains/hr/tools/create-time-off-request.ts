import { z } from 'zod';
import { day, prose } from '../../../src/declare/fields.ts';
import { hr } from '../domain.ts';
import { inDecember, lastWorkday, nextFriday, nextSaturday, off, overNewYear } from '../example-days.ts';
import { balanceOf, commonYear, daysBefore, overlappingRequest, workingDays } from '../rules.ts';
import { timeOffBalance, timeOffRequest, timeOffType } from '../schemas.ts';

/** Sick leave may be reported afterwards. An older date is probably a typo. */
const DAYS_BACK = 30;

export const createTimeOffRequest = hr.write({
  name: 'create_time_off_request',
  title: 'Ask for time off',
  description:
    'Ask for time off for yourself. Working days (Monday to Friday) count against the balance of the fiscal year. ' +
    'The manager decides afterwards.',
  roles: ['employee'],
  effect: 'adds',
  input: z
    .object({
      type_code: timeOffType.describe('Kind of leave'),
      start_date: day.describe('First day off'),
      end_date: day.describe('Last day off; the same as the first for a single day'),
      notes: prose(500).optional().describe('For the approver'),
    })
    .refine(({ start_date, end_date }) => start_date <= end_date, 'end_date must not be before start_date'),
  output: timeOffRequest,
  errors: {
    NO_WORKING_DAYS: {
      message: 'These dates contain no working day.',
      hint: 'Choose dates that contain a day from Monday to Friday.',
    },
    SPANS_TWO_YEARS: {
      message: 'The dates are in two fiscal years.',
      hint: 'Each fiscal year has its own balance. Make one request until {yearEnds} and another one from {yearBegins}.',
    },
    TOO_LONG_AGO: { message: `The time off began more than ${DAYS_BACK} days ago.`, hint: 'Check the year; for older days ask HR.' },
    BALANCE_NOT_FOUND: {
      message: 'You have no balance of that type for that year.',
      hint: 'See your balances with get_time_off_balances, or ask HR to create the balances of that year.',
    },
    INSUFFICIENT_BALANCE: {
      message: 'Not enough days are left.',
      hint: 'See your balances with get_time_off_balances; ask for fewer days or another type.',
    },
    OVERLAPPING_REQUEST: {
      message: 'You already asked for some of these days.',
      hint: 'See the other request with list_time_off_requests, and choose other days.',
    },
  },
  examples: [
    {
      question: 'I want to take vacation from 21 to 23 December',
      as: 'sarah.kim',
      input: (today) => ({ ...off('VACATION', inDecember(today, 21), inDecember(today, 23)), notes: 'Visiting family' }),
    },
    { question: 'Log a sick day for today', as: 'frank.davis', input: (today) => off('SICK', lastWorkday(today)) },
    {
      question: 'Can I take next Friday off as a personal day?',
      as: 'marcus.johnson',
      input: (today, company) => off('PERSONAL', nextFriday(today, company)),
    },
    {
      question: 'I have jury duty from the 7th to the 9th of December',
      as: 'paula.reyes',
      input: (today) => off('JURY_DUTY', inDecember(today, 7), inDecember(today, 9)),
    },
    { question: 'Book Saturday off', as: 'tom.becker', input: (today) => off('VACATION', nextSaturday(today)), expects: 'NO_WORKING_DAYS' },
    {
      question: 'I need holidays over New Year, 28 December to 4 January',
      as: 'dan.williams',
      input: (today, company) => off('VACATION', ...overNewYear(today, company)),
      expects: 'SPANS_TWO_YEARS',
    },
  ],

  async prepare({ type_code, start_date, end_date, notes }, { sql, me, today, company, fail }) {
    const year = commonYear(start_date, end_date, company) ?? fail('SPANS_TWO_YEARS');
    if (start_date < daysBefore(today, DAYS_BACK)) throw fail('TOO_LONG_AGO');
    const days = workingDays(start_date, end_date);
    if (days === 0) throw fail('NO_WORKING_DAYS');
    const employee_id = me.employeeId;
    const balance = (await balanceOf(sql, employee_id, { year, type_code })) ?? fail('BALANCE_NOT_FOUND', { type_code, fiscal_year: year });
    if (balance.available < days) throw fail('INSUFFICIENT_BALANCE', { available: balance.available, asked: days });
    const other = await overlappingRequest(sql, employee_id, { start_date, end_date });
    if (other) throw fail('OVERLAPPING_REQUEST', other);
    const what = `${days} ${days === 1 ? 'day' : 'days'} of ${balance.type_name.toLowerCase()}`;
    return {
      summary: start_date === end_date ? `Ask for ${what} on ${start_date}` : `Ask for ${what} from ${start_date} to ${end_date}`,
      subject: { label: `Time off of ${me.name}`, id: employee_id },
      changes: [
        { field: 'type_code', label: 'Type', from: null, to: balance.type_name },
        { field: 'start_date', from: null, to: start_date, format: 'date' },
        { field: 'end_date', from: null, to: end_date, format: 'date' },
        { field: 'days', label: 'Working days', from: null, to: days, format: 'days' },
        { field: 'available', label: `Days left in ${year}`, from: balance.available, to: balance.available - days, format: 'days' },
      ],
      reason: notes,
      days,
      year,
    };
  },

  async execute({ type_code, start_date, end_date, notes }, { sql, me, plan, output }) {
    const { days, year } = plan;
    await sql.change(
      timeOffBalance.pick({ pending: true }),
      sql`
        update hr.time_off_balances set pending = pending + ${days}
        where employee_id = ${me.employeeId} and fiscal_year = ${year}::int and type_code = ${type_code} returning pending`,
    );
    const { request_id } = await sql.change(
      output.pick({ request_id: true }),
      sql`
        insert into hr.time_off_requests (type_code, start_date, end_date, days, notes)
        values (${type_code}, ${start_date}, ${end_date}, ${days}, ${notes}) returning request_id`,
    );
    return sql.one(output, sql`select * from hr.time_off where request_id = ${request_id}`);
  },
});
