import { z } from 'zod';
import { amount, day, line } from '../../../src/declare/fields.ts';
import { desc } from '../../../src/declare/order.ts';
import { anywhere, type SqlTag } from '../../../src/declare/sql.ts';
import { finance } from '../domain.ts';
import { newYear } from '../example-days.ts';
import { inDepartment, invoicesOn } from '../rules.ts';
import { departmentName, invoice, invoiceFilter, sum } from '../schemas.ts';

const filters = z
  .object({
    status: invoiceFilter
      .optional()
      .describe('PENDING waits for approval, APPROVED for payment; OVERDUE is either of them past its due date'),
    vendor: line(100).min(1).optional().describe("Any part of the vendor's name"),
    department: departmentName.optional(),
    start_date: day.optional().describe('Only invoices dated on this day or later'),
    end_date: day.optional().describe('Only invoices dated on this day or earlier'),
    min_amount: sum.optional().describe('Only invoices over this amount or more, in USD'),
    max_amount: sum.optional().describe('Only invoices over this amount or less, in USD'),
  })
  .refine(({ start_date, end_date }) => !start_date || !end_date || start_date <= end_date, 'end_date must not be before start_date')
  .refine(({ min_amount, max_amount }) => (min_amount ?? 0) <= (max_amount ?? Infinity), 'max_amount must not be less than min_amount');

/** Ignores spaces and punctuation: "Cloud Nine" finds CloudNine. "%" is not a wildcard. */
function soldBy(sql: SqlTag, vendor: string) {
  const letters = vendor.toLowerCase().replace(/[^a-z0-9]/g, '');
  const exactly = sql`vendor_name ilike ${anywhere(vendor)}`;
  return letters === '' ? exactly : sql`${exactly} or search_vendor like ${anywhere(letters)}`;
}

function matching(sql: SqlTag, input: z.output<typeof filters>, today: string) {
  const { status, vendor, department, start_date, end_date, min_amount, max_amount } = input;
  return sql`
    ${invoicesOn(sql, today)} where true
    ${sql.when(status, () => (status === 'OVERDUE' ? sql`overdue` : sql`status = ${status}`))}
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
    "The company's invoices, the latest first; metadata.summary counts and adds up all that match. An invoice that is late keeps its state and reads overdue: true; status OVERDUE finds all of them.",
  plural: 'invoices',
  roles: ['finance-read', 'executive'],
  input: filters,
  item: invoice,
  order: desc('invoice_date', 'invoice_id'),
  totals: z.object({ count: z.int(), amount }),
  examples: [
    {
      question: 'Which invoices are overdue?',
      phrases: [
        'What bills are we late on?',
        'Which suppliers have we not paid in time?',
        'Late invoices',
        'Bills that are past due',
        'Any bills we forgot to pay?',
        'Which vendors are we behind with?',
        'Are we late paying anyone?',
        'Outstanding bills that are late',
      ],
      as: 'bob.martinez',
      input: { status: 'OVERDUE' },
    },
    {
      question: 'All invoices from Harbor Insurance that we have paid since the beginning of the year',
      as: 'bob.martinez',
      input: (today) => ({ vendor: 'Harbor Insurance', status: 'PAID', start_date: newYear(today) }),
    },
    {
      question: 'Show me the pending CloudNine Hosting invoice',
      phrases: [
        'What is the status of the pending CloudNine Hosting invoice?',
        'Do we have a pending bill from CloudNine Hosting?',
        'Is a CloudNine Hosting bill pending?',
        'How much does CloudNine Hosting want on the pending invoice?',
      ],
      as: 'bob.martinez',
      input: { vendor: 'CloudNine Hosting', status: 'PENDING' },
    },
    {
      question: 'Invoices over 10,000 dollars that wait for payment',
      phrases: [
        'Unpaid invoices over 10,000 dollars',
        'Approved but not yet paid bills above 10,000',
        'Large bills above 10,000 that we have approved and not paid',
        'Approved payables greater than 10,000',
      ],
      as: 'eve.thompson',
      input: { status: 'APPROVED', min_amount: 10_000 },
    },
    {
      question: 'What did Engineering get billed?',
      phrases: [
        'Invoices for Engineering',
        "Engineering's bills",
        'Which vendors charged Engineering?',
        'Supplier invoices charged to Engineering',
      ],
      as: 'eve.thompson',
      input: { department: 'Engineering' },
    },
    {
      question: 'Which invoices are waiting for approval?',
      phrases: [
        'Pending invoices',
        'Which bills need my approval?',
        'Invoices that nobody has approved yet',
        'Is there an invoice for me to sign off?',
        'Supplier bills in the approval queue',
      ],
      as: 'bob.martinez',
      input: { status: 'PENDING' },
    },
    {
      question: 'What has Delta Travel billed us?',
      phrases: [
        'Invoices from Delta Travel',
        'How much did Delta Travel charge us?',
        'What do we owe Delta Travel?',
        'When is the Delta Travel invoice due?',
        'Did we pay Delta Travel?',
        'Is the Delta Travel bill settled?',
      ],
      as: 'eve.thompson',
      input: { vendor: 'Delta Travel' },
    },
    {
      question: 'List all invoices',
      phrases: [
        'Our biggest invoice',
        'Invoices of this year',
        'Most expensive bills',
        'All our bills',
        'How many invoices do we have?',
        'What do we owe our suppliers?',
        'Accounts payable',
        'What have vendors charged us?',
        'Whom do we owe money?',
        'Which invoices came in?',
        'How much did suppliers bill us?',
        'Vendor invoices',
      ],
      as: 'nina.patel',
      input: {},
      expects: 'INSUFFICIENT_PERMISSIONS',
    },
  ],

  find: (input, { sql, today }) => sql`select * from ${matching(sql, input, today)}`,
  computeTotals: (input, { sql, today }) =>
    sql.one(
      z.object({ count: z.int(), amount }),
      sql`select count(*) as count, coalesce(sum(amount), 0) as amount from ${matching(sql, input, today)}`,
    ),
});
