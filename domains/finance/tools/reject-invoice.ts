import { z } from 'zod';
import { finance } from '../domain.ts';
import { invoiceById, describe, labels } from '../rules.ts';
import { invoice, invoiceId, invoiceNotFound, rejectionReason } from '../schemas.ts';

export const rejectInvoice = finance.write({
  name: 'reject_invoice',
  title: 'Reject an invoice',
  description:
    'Reject an invoice that waits for approval, with a reason: PENDING becomes REJECTED, and it cannot be paid. The person who ' +
    'submitted it cannot reject it. Add a corrected invoice with create_invoice.',
  roles: ['finance-write', 'executive'],
  effect: 'changes',
  input: z.object({ invoice_id: invoiceId, rejection_reason: rejectionReason }),
  inputAliases: { reason: 'rejection_reason' },
  output: invoice,
  errors: {
    INVOICE_NOT_FOUND: invoiceNotFound,
    INVOICE_NOT_PENDING: {
      message: 'The invoice does not wait for approval.',
      hint: 'Only PENDING invoices can be rejected; find them with list_invoices.',
    },
  },
  examples: [
    {
      question: 'Reject the Sunrise Catering invoice, nobody ordered this',
      as: 'bob.martinez',
      input: { invoice_id: '0f1c0000-0000-4000-8000-000000000004', rejection_reason: 'Nobody ordered this' },
    },
    {
      question: 'Turn down the Zenith Office Supplies bill because the toner was never delivered',
      as: 'eve.thompson',
      input: { invoice_id: '0f1c0000-0000-4000-8000-000000000002', rejection_reason: 'The toner was never delivered' },
    },
    {
      question: 'Send the Metro Facilities invoice back: the hours are wrong',
      as: 'bob.martinez',
      input: { invoice_id: '0f1c0000-0000-4000-8000-000000000003', rejection_reason: 'The hours are wrong' },
    },
    {
      question: 'Reject the Tidewater Events deposit that I handed in, it is cancelled',
      as: 'bob.martinez',
      input: { invoice_id: '0f1c0000-0000-4000-8000-000000000016', rejection_reason: 'The party is cancelled' },
      expects: 'SEPARATION_OF_DUTIES',
    },
    {
      question: 'Reject the approved Northwind Logistics invoice',
      as: 'bob.martinez',
      input: { invoice_id: '0f1c0000-0000-4000-8000-000000000008', rejection_reason: 'It is no longer needed' },
      expects: 'INVOICE_NOT_PENDING',
    },
  ],

  async prepare({ invoice_id, rejection_reason }, { sql, me, today, fail, company }) {
    const found = (await invoiceById(sql, invoice_id, today)) ?? fail('INVOICE_NOT_FOUND', { invoice_id });
    if (found.submitted_by === me.employeeId)
      throw fail('SEPARATION_OF_DUTIES', { message: 'You cannot reject an invoice that you submitted.' });
    if (found.waits_for !== 'APPROVAL') throw fail('INVOICE_NOT_PENDING', { status: found.status });
    return {
      summary: `Reject ${describe.invoice(found, company)}`,
      subject: { label: labels.invoice(found, company), id: invoice_id },
      changes: [
        { field: 'status', from: 'PENDING', to: 'REJECTED' },
        { field: 'amount', from: found.amount, to: found.amount, format: 'money' },
        { field: 'submitted_by_name', label: 'Submitted by', from: found.submitted_by_name, to: found.submitted_by_name },
      ],
      reason: rejection_reason,
    };
  },

  async execute({ invoice_id, rejection_reason }, { sql, me, today, output, fail }) {
    await sql.change(
      output.pick({ invoice_id: true }),
      sql`
        update finance.invoices
        set status = 'REJECTED', rejected_by = ${me.employeeId}, rejected_by_name = ${me.name}, rejected_at = clock_timestamp(),
        rejection_reason = ${rejection_reason}
        where invoice_id = ${invoice_id} and status = 'PENDING' returning invoice_id`,
    );
    return (await invoiceById(sql, invoice_id, today)) ?? fail('INVOICE_NOT_FOUND', { invoice_id });
  },
});
