import { z } from 'zod';
import { day, line, money } from '../../../src/declare/fields.ts';
import { formatMoney } from '../../../src/declare/money.ts';
import { finance } from '../domain.ts';
import { daysAfter, departmentNamed, invoiceById, vendorNamed } from '../rules.ts';
import { departmentName, departmentNotFound, invoice, invoiceCategory } from '../schemas.ts';

const DAYS_TO_PAY = 30;

export const createInvoice = finance.write({
  name: 'create_invoice',
  title: 'Add an invoice',
  description:
    'Add an invoice that the company received. It is then PENDING: another person approves it with approve_invoice, and a third ' +
    'one pays it with pay_invoice.',
  roles: ['finance-write', 'executive'],
  effect: 'adds',
  input: z.object({
    vendor: line(200).min(1).describe('Name of the vendor, as on the invoice'),
    amount: money.min(0.01, 'The amount of an invoice must be above zero').max(1_000_000_000).describe('In {currency}'),
    description: line(500).min(1).describe('What the invoice is for'),
    department: departmentName.describe('Department that pays, such as Engineering; case does not matter'),
    category: invoiceCategory.default('OTHER').describe('Budget category'),
    invoice_date: day.optional().describe('Day of the invoice; by default today'),
    due_date: day.optional().describe(`Last day for the payment; by default ${DAYS_TO_PAY} days after the invoice date`),
  }),
  inputAliases: { vendor_name: 'vendor' },
  output: invoice,
  errors: {
    DEPARTMENT_NOT_FOUND: departmentNotFound,
    INVOICE_DATE_OUT_OF_RANGE: {
      message: 'The invoice date is in the future, or after the due date.',
      hint: 'Give an invoice_date up to today, and a due_date on or after it.',
    },
  },
  examples: [
    {
      question: 'Add an invoice of Delta Travel over 1,250 dollars for Sales: rail passes',
      as: 'bob.martinez',
      input: { vendor: 'Delta Travel', amount: 1250, description: 'Rail passes', department: 'Sales', category: 'TRAVEL' },
    },
    {
      question: 'Record a bill from Granite Furniture for 3,480 dollars for standing desks in Engineering',
      as: 'eve.thompson',
      input: {
        vendor: 'Granite Furniture',
        amount: 3480,
        description: 'Standing desks',
        department: 'Engineering',
        category: 'EQUIPMENT',
      },
    },
    {
      question: 'Enter the invoice of Orbit Telecom, 899.90 for phones of Support, due in two weeks',
      as: 'bob.martinez',
      input: (today) => ({
        vendor: 'Orbit Telecom',
        amount: 899.9,
        description: 'Phones',
        department: 'Support',
        due_date: daysAfter(today, 14),
      }),
    },
    {
      question: 'Add an invoice of Delta Travel over 80 dollars for the Moon office',
      as: 'bob.martinez',
      input: { vendor: 'Delta Travel', amount: 80, description: 'Taxi', department: 'Moon office' },
      expects: 'DEPARTMENT_NOT_FOUND',
    },
    {
      question: 'Add an invoice over 99 dollars for my team',
      as: 'nina.patel',
      input: { vendor: 'Delta Travel', amount: 99, description: 'Taxi', department: 'Engineering' },
      expects: 'INSUFFICIENT_PERMISSIONS',
    },
  ],

  async prepare(given, { sql, me, today, fail, company }) {
    const { amount, description, category: of } = given;
    const department = (await departmentNamed(sql, given.department)) ?? fail('DEPARTMENT_NOT_FOUND', { department: given.department });
    const invoice_date = given.invoice_date ?? today;
    const due_date = given.due_date ?? daysAfter(invoice_date, DAYS_TO_PAY);
    if (invoice_date > today || due_date < invoice_date) throw fail('INVOICE_DATE_OUT_OF_RANGE', { invoice_date, due_date });
    // The card shows how many invoices of the vendor have this amount, because the new one may be a duplicate.
    const { vendor_id, vendor_name, same_amount } = await vendorNamed(sql, given.vendor, amount);
    return {
      summary: `Add the invoice of ${vendor_name} for ${formatMoney(amount, company)}`,
      subject: { label: `${vendor_name}: ${description}`, id: me.employeeId },
      changes: [
        { field: 'vendor_id', label: 'Vendor', from: null, to: vendor_id === null ? 'New vendor' : `${vendor_id}, ${vendor_name}` },
        { field: 'amount', from: null, to: amount, format: 'money' },
        { field: 'department', from: null, to: department },
        { field: 'category', from: null, to: of },
        { field: 'invoice_date', from: null, to: invoice_date, format: 'date' },
        { field: 'due_date', from: null, to: due_date, format: 'date' },
        { field: 'same_amount', label: 'Invoices of this vendor with this amount', from: same_amount, to: same_amount + 1 },
      ],
      by: me.employeeId,
      row: { vendor_id, vendor_name, amount, description, department, category: of, invoice_date, due_date },
    };
  },

  async execute(_, { sql, me, plan, today, output, fail }) {
    const { vendor_id, vendor_name, amount, description, department, category: of, invoice_date, due_date } = plan.row;
    const { invoice_id } = await sql.change(
      output.pick({ invoice_id: true }),
      sql`
        insert into finance.invoices (vendor_id, vendor_name, amount, description, department, category, invoice_date, due_date,
          submitted_by, submitted_by_name)
        select
          coalesce(${vendor_id}, 'V-' || lpad((coalesce(max(substring(vendor_id from '^V-([0-9]{1,9})$')::int), 0) + 1)::text, 4, '0')),
          ${vendor_name}, ${amount}::numeric, ${description}, ${department}, ${of}, ${invoice_date}::date, ${due_date}::date,
          ${plan.by}::uuid, ${me.name}
        from finance.invoices returning invoice_id`,
    );
    return (await invoiceById(sql, invoice_id, today)) ?? fail('DEPARTMENT_NOT_FOUND', { department });
  },
});
