import { z } from 'zod';
import { amount, prose, storedId, storedTime, untrusted } from '../../../src/declare/fields.ts';
import { finance } from '../domain.ts';
import { invoiceById, describe, labels } from '../rules.ts';
import { invoiceId, invoiceNotFound } from '../schemas.ts';

export const deleteInvoice = finance.write({
  name: 'delete_invoice',
  title: 'Delete an invoice',
  description:
    'Delete a pending or rejected invoice. No tool shows it any more, and the database keeps it for the audit. Approved and paid ' +
    'invoices cannot be deleted. You cannot delete an invoice that you submitted.',
  roles: ['finance-write', 'executive'],
  effect: 'removes',
  input: z.object({
    invoice_id: invoiceId,
    reason: prose(500).optional().describe('Shown on the approval card and stored with the record'),
  }),
  output: z.object({ invoice_id: storedId, vendor_name: untrusted, amount, deleted_at: storedTime }),
  errors: {
    INVOICE_NOT_FOUND: invoiceNotFound,
    INVOICE_NOT_DELETABLE: {
      message: 'The invoice is approved or paid.',
      hint: 'Only PENDING and REJECTED invoices can be deleted; find them with list_invoices.',
    },
  },
  examples: [
    {
      question: 'Delete the rejected invoice from Apex Legal Partners, it was a duplicate',
      as: 'bob.martinez',
      input: { invoice_id: '0f1c0000-0000-4000-8000-000000000010', reason: 'It was a duplicate' },
    },
    {
      question: 'Remove the pending Sunrise Catering invoice',
      as: 'eve.thompson',
      input: { invoice_id: '0f1c0000-0000-4000-8000-000000000004' },
    },
    {
      question: 'Drop the Zenith Office Supplies bill, we sent everything back',
      as: 'bob.martinez',
      input: { invoice_id: '0f1c0000-0000-4000-8000-000000000002', reason: 'We sent everything back' },
    },
    {
      question: 'Delete the paid Orbit Telecom invoice',
      as: 'bob.martinez',
      input: { invoice_id: '0f1c0000-0000-4000-8000-000000000015' },
      expects: 'INVOICE_NOT_DELETABLE',
    },
  ],

  async prepare({ invoice_id }, { sql, me, today, fail, company }) {
    const found = (await invoiceById(sql, invoice_id, today)) ?? fail('INVOICE_NOT_FOUND', { invoice_id });
    if (found.submitted_by === me.employeeId)
      throw fail('SEPARATION_OF_DUTIES', { message: 'You cannot delete an invoice that you submitted.' });
    if (found.waits_for !== 'APPROVAL' && found.status !== 'REJECTED') throw fail('INVOICE_NOT_DELETABLE', { status: found.status });
    return {
      summary: `Delete ${describe.invoice(found, company)}`,
      subject: { label: labels.invoice(found, company), id: invoice_id },
      changes: [{ field: 'status', from: found.waits_for === 'APPROVAL' ? 'PENDING' : found.status, to: 'Deleted' }],
    };
  },

  execute: ({ invoice_id, reason }, { sql, me, output }) =>
    sql.change(
      output,
      sql`
        update finance.invoices set deleted_by = ${me.employeeId}, deleted_at = clock_timestamp(), deletion_reason = ${reason}
        where invoice_id = ${invoice_id} and status in ('PENDING', 'REJECTED') and deleted_at is null
        returning invoice_id, vendor_name, amount, deleted_at`,
    ),
});
