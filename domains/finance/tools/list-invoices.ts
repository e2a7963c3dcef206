import { z } from 'zod';
import { amount, day, line } from '../../../src/declare/fields.ts';
import { asc, desc } from '../../../src/declare/order.ts';
import { anywhere, type SqlTag } from '../../../src/declare/sql.ts';
import { finance } from '../domain.ts';
import { newYear } from '../example-days.ts';
import { inDepartment, invoicesOn } from '../rules.ts';
import { departmentName, invoice, invoiceFilter, sum } from '../schemas.ts';

const filters = z
  .object({
    status: invoiceFilter
      .optional()
      .describe('PENDING waits for approval, APPROVED for payment, overdue or not; OVERDUE means either of them after the due date'),
    vendor: line(100).min(1).optional().describe("Any part of the vendor's name"),
    department: departmentName.optional(),
    start_date: day.optional().describe('Only invoices dated on this day or later'),
    end_date: day.optional().describe('Only invoices dated on this day or earlier'),
    min_amount: sum.optional().describe('Only invoices over this amount or more, in {currency}'),
    max_amount: sum.optional().describe('Only invoices over this amount or less, in {currency}'),
  })
  .refine(({ start_date, end_date }) => !start_date || !end_date || start_date <= end_date, 'end_date must not be before start_date')
  .refine(({ min_amount, max_amount }) => (min_amount ?? 0) <= (max_amount ?? Infinity), 'max_amount must not be less than min_amount');

/** Ignores spaces and punctuation: "Cloud Nine" finds CloudNine. */
function soldBy(sql: SqlTag, vendor: string) {
  const letters = vendor.toLowerCase().replace(/[^a-z0-9]/g, '');
  const exactly = sql`vendor_name ilike ${anywhere(vendor)}`;
  return letters === '' ? exactly : sql`${exactly} or search_vendor like ${anywhere(letters)}`;
}

function matching(sql: SqlTag, input: z.output<typeof filters>, today: string) {
  const { status, vendor, department, start_date, end_date, min_amount, max_amount } = input;
  return sql`
    ${invoicesOn(sql, today)} where true
    ${sql.when(status, () => (status === 'OVERDUE' ? sql`overdue` : sql`stored_status = ${status}`))}
    ${sql.when(vendor, () => soldBy(sql, vendor ?? ''))}
    ${sql.when(department, () => inDepartment(sql, department ?? ''))}
    ${sql.when(start_date, () => sql`invoice_date >= ${start_date}::date`)}
    ${sql.when(end_date, () => sql`invoice_date <= ${end_date}::date`)}
    ${sql.when(min_amount, () => sql`amount >= ${min_amount}::numeric`)}
    ${sql.when(max_amount, () => sql`amount <= ${max_amount}::numeric`)}`;
}

export const listInvoices = finance.list({
  name: 'list_invoices',
  title: 'Invoices',
  description:
    "The company's invoices, by default the latest first. metadata.summary has the number and the total of all matching invoices. An " +
    'unpaid invoice after its due date has the status OVERDUE; waits_for says whether it waits for approval or payment.',
  plural: 'invoices',
  roles: ['finance-read', 'executive'],
  input: filters,
  item: invoice,
  order: {
    invoice_date: desc('invoice_date', 'invoice_id'),
    largest: desc('amount', 'invoice_id'),
    due_date: asc('due_date', 'invoice_id'),
  },
  totals: z.object({ count: z.int(), amount }),
  examples: [
    { question: 'Which invoices are overdue?', as: 'bob.martinez', input: { status: 'OVERDUE' } },
    {
      question: 'All invoices from Harbor Insurance that we have paid since the beginning of the year',
      as: 'bob.martinez',
      input: (today) => ({ vendor: 'Harbor Insurance', status: 'PAID', start_date: newYear(today) }),
    },
    {
      question: 'Show me the pending CloudNine Hosting invoice',
      as: 'bob.martinez',
      input: { vendor: 'CloudNine Hosting', status: 'PENDING' },
    },
    {
      question: 'Invoices over 10,000 dollars that wait for payment',
      as: 'eve.thompson',
      input: { status: 'APPROVED', min_amount: 10_000 },
    },
    { question: 'What did Engineering get billed?', as: 'eve.thompson', input: { department: 'Engineering' } },
    { question: 'Which invoices are waiting for approval?', as: 'bob.martinez', input: { status: 'PENDING' } },
    { question: 'What are our 5 largest invoices?', as: 'bob.martinez', input: { sort: 'largest', limit: 5 } },
    { question: 'What has Delta Travel billed us?', as: 'eve.thompson', input: { vendor: 'Delta Travel' } },
    { question: 'List all invoices', as: 'nina.patel', input: {}, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],

  find: (input, { sql, today }) => sql`select * from ${matching(sql, input, today)}`,
  computeTotals: (input, { sql, today }) =>
    sql.one(
      z.object({ count: z.int(), amount }),
      sql`select count(*) as count, coalesce(sum(amount), 0) as amount from ${matching(sql, input, today)}`,
    ),
});
