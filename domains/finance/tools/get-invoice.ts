import { z } from 'zod';
import { formatMoney } from '../../../src/declare/money.ts';
import { finance } from '../domain.ts';
import { invoiceById } from '../rules.ts';
import { invoice, invoiceId, invoiceNotFound } from '../schemas.ts';

export const getInvoice = finance.read({
  name: 'get_invoice',
  title: 'Invoice',
  description: 'One invoice: vendor, amount, department, due date, status, and who submitted, approved, rejected or paid it.',
  roles: ['finance-read', 'executive'],
  input: z.object({ invoice_id: invoiceId }),
  output: invoice,
  errors: { INVOICE_NOT_FOUND: invoiceNotFound },
  examples: [
    {
      question: 'Open the CloudNine Hosting invoice',
      as: 'bob.martinez',
      input: { invoice_id: '0f1c0000-0000-4000-8000-000000000001' },
    },
    {
      question: 'Who rejected the Apex Legal Partners invoice?',
      as: 'eve.thompson',
      input: { invoice_id: '0f1c0000-0000-4000-8000-000000000010' },
    },
    {
      question: 'Who approved the Northwind Logistics invoice?',
      as: 'bob.martinez',
      input: { invoice_id: '0f1c0000-0000-4000-8000-000000000008' },
    },
    {
      question: 'Open the invoice from Metro Facilities',
      as: 'nina.patel',
      input: { invoice_id: '0f1c0000-0000-4000-8000-000000000003' },
      expects: 'INSUFFICIENT_PERMISSIONS',
    },
  ],
  summary: ({ vendor_name, amount, status, due_date }, company) =>
    `Invoice of ${vendor_name} for ${formatMoney(amount, company)}: ${status}, due ${due_date}`,

  run: async ({ invoice_id }, { sql, today, fail }) =>
    (await invoiceById(sql, invoice_id, today)) ?? fail('INVOICE_NOT_FOUND', { invoice_id }),
});
