import { z } from 'zod';
import { prose } from '../../../src/declare/fields.ts';
import { finance } from '../domain.ts';
import { invoiceById, describe, labels } from '../rules.ts';
import { invoice, invoiceId, invoiceNotFound } from '../schemas.ts';

export const approveInvoice = finance.write({
  name: 'approve_invoice',
  title: 'Approve an invoice',
  description:
    'Approve a pending invoice for payment: PENDING becomes APPROVED. The person who submitted it cannot approve it, and the ' +
    'person who approves it cannot pay it.',
  roles: ['finance-write', 'executive'],
  effect: 'changes',
  input: z.object({ invoice_id: invoiceId, approver_notes: prose(1000).optional().describe('Stored with the invoice') }),
  inputAliases: { notes: 'approver_notes' },
  output: invoice,
  errors: {
    INVOICE_NOT_FOUND: invoiceNotFound,
    INVOICE_NOT_PENDING: {
      message: 'The invoice does not wait for approval.',
      hint: 'Only PENDING invoices can be approved; find them with list_invoices.',
    },
  },
  examples: [
    {
      question: 'Approve the pending CloudNine Hosting invoice',
      as: 'bob.martinez',
      input: { invoice_id: '0f1c0000-0000-4000-8000-000000000001' },
    },
    {
      question: 'OK the Metro Facilities bill, the work is done',
      as: 'eve.thompson',
      input: { invoice_id: '0f1c0000-0000-4000-8000-000000000003', approver_notes: 'The work is done' },
    },
    {
      question: 'Approve the invoice from Delta Travel',
      as: 'bob.martinez',
      input: { invoice_id: '0f1c0000-0000-4000-8000-000000000005' },
    },
    {
      question: 'Approve the Tidewater Events deposit that I handed in',
      as: 'bob.martinez',
      input: { invoice_id: '0f1c0000-0000-4000-8000-000000000016' },
      expects: 'SEPARATION_OF_DUTIES',
    },
    {
      question: 'Approve the Apex Legal Partners invoice',
      as: 'bob.martinez',
      input: { invoice_id: '0f1c0000-0000-4000-8000-000000000010' },
      expects: 'INVOICE_NOT_PENDING',
    },
  ],

  async prepare({ invoice_id, approver_notes }, { sql, me, today, fail, company }) {
    const found = (await invoiceById(sql, invoice_id, today)) ?? fail('INVOICE_NOT_FOUND', { invoice_id });
    if (found.submitted_by === me.employeeId)
      throw fail('SEPARATION_OF_DUTIES', { message: 'You cannot approve an invoice that you submitted.' });
    if (found.waits_for !== 'APPROVAL') throw fail('INVOICE_NOT_PENDING', { status: found.status });
    return {
      summary: `Approve ${describe.invoice(found, company)}`,
      subject: { label: labels.invoice(found, company), id: invoice_id },
      changes: [
        { field: 'status', from: 'PENDING', to: 'APPROVED' },
        { field: 'amount', from: found.amount, to: found.amount, format: 'money' },
        { field: 'submitted_by_name', label: 'Submitted by', from: found.submitted_by_name, to: found.submitted_by_name },
      ],
      reason: approver_notes,
    };
  },

  async execute({ invoice_id, approver_notes }, { sql, me, today, output, fail }) {
    await sql.change(
      output.pick({ invoice_id: true }),
      sql`
        update finance.invoices
        set status = 'APPROVED', approved_by = ${me.employeeId}, approved_by_name = ${me.name}, approved_at = clock_timestamp(),
        approver_notes = ${approver_notes}
        where invoice_id = ${invoice_id} and status = 'PENDING' returning invoice_id`,
    );
    return (await invoiceById(sql, invoice_id, today)) ?? fail('INVOICE_NOT_FOUND', { invoice_id });
  },
});
