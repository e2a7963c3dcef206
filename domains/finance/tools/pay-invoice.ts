import { z } from 'zod';
import { day, line, prose } from '../../../src/declare/fields.ts';
import { finance } from '../domain.ts';
import { daysAfter, entered, invoiceById, describe, labels } from '../rules.ts';
import { invoice, invoiceId, invoiceNotFound, ledgerEntry } from '../schemas.ts';

/** A payment date further ahead than this is probably a typo. */
const DAYS_AHEAD = 31;

export const payInvoice = finance.write({
  name: 'pay_invoice',
  title: 'Pay an invoice',
  description:
    'Record the payment of an approved invoice: APPROVED becomes PAID, and the amount is entered in the ledger of spending. The ' +
    'persons who submitted or approved it cannot pay it.',
  roles: ['finance-write', 'executive'],
  effect: 'changes',
  input: z.object({
    invoice_id: invoiceId,
    payment_date: day.optional().describe('Day of the payment; by default today'),
    payment_reference: line(100).min(1).optional().describe('For example the number of the transfer'),
    payment_notes: prose(1000).optional().describe('Stored with the invoice'),
  }),
  output: invoice,
  errors: {
    INVOICE_NOT_FOUND: invoiceNotFound,
    INVOICE_ALREADY_PAID: { message: 'The invoice is already paid.', hint: 'Do nothing. details has the payment date and the reference.' },
    INVOICE_NOT_APPROVED: {
      message: 'The invoice is not approved.',
      hint: 'Only APPROVED invoices can be paid. Another person than the payer must approve a PENDING invoice first, with approve_invoice.',
    },
    PAYMENT_DATE_OUT_OF_RANGE: {
      message: `The payment date is before the invoice date or more than ${DAYS_AHEAD} days in the future.`,
      hint: 'Give a payment_date on or after the invoice date, or leave it out for today.',
    },
  },
  examples: [
    {
      question: 'Pay the Northwind Logistics invoice today, reference WIRE-8841',
      as: 'bob.martinez',
      input: (today) => ({ invoice_id: '0f1c0000-0000-4000-8000-000000000008', payment_date: today, payment_reference: 'WIRE-8841' }),
    },
    {
      question: 'Pay the BrightPath Consulting invoice',
      as: 'bob.martinez',
      input: { invoice_id: '0f1c0000-0000-4000-8000-000000000009' },
    },
    {
      question: 'Settle the approved bill from Quantum Security',
      as: 'eve.thompson',
      input: { invoice_id: '0f1c0000-0000-4000-8000-000000000014', payment_notes: 'Paid by transfer' },
    },
    {
      question: 'Pay the Quantum Security invoice that I approved',
      as: 'bob.martinez',
      input: { invoice_id: '0f1c0000-0000-4000-8000-000000000014' },
      expects: 'SEPARATION_OF_DUTIES',
    },
    {
      question: 'Pay Orbit Telecom once more',
      as: 'eve.thompson',
      input: { invoice_id: '0f1c0000-0000-4000-8000-000000000015' },
      expects: 'INVOICE_ALREADY_PAID',
    },
  ],

  async prepare({ invoice_id, payment_date, payment_reference, payment_notes }, { sql, me, today, fail, company }) {
    const found = (await invoiceById(sql, invoice_id, today)) ?? fail('INVOICE_NOT_FOUND', { invoice_id });
    if (found.submitted_by === me.employeeId)
      throw fail('SEPARATION_OF_DUTIES', { message: 'You cannot pay an invoice that you submitted.' });
    if (found.status === 'PAID')
      throw fail('INVOICE_ALREADY_PAID', { payment_date: found.payment_date, payment_reference: found.payment_reference });
    if (found.waits_for !== 'PAYMENT') throw fail('INVOICE_NOT_APPROVED', { status: found.status });
    if (found.approved_by === me.employeeId)
      throw fail('SEPARATION_OF_DUTIES', { message: 'You cannot pay an invoice that you approved.' });
    const date = payment_date ?? today;
    if (date < found.invoice_date || date > daysAfter(today, DAYS_AHEAD))
      throw fail('PAYMENT_DATE_OUT_OF_RANGE', { invoice_date: found.invoice_date });
    return {
      summary: `Pay ${describe.invoice(found, company)}`,
      subject: { label: labels.invoice(found, company), id: invoice_id },
      changes: [
        { field: 'status', from: 'APPROVED', to: 'PAID' },
        { field: 'amount', from: found.amount, to: found.amount, format: 'money' },
        { field: 'payment_date', from: null, to: date, format: 'date' },
        { field: 'payment_reference', from: null, to: payment_reference ?? null },
        { field: 'approved_by_name', label: 'Approved by', from: found.approved_by_name, to: found.approved_by_name },
      ],
      reason: payment_notes,
      invoice: found,
      date,
    };
  },

  async execute({ invoice_id, payment_reference, payment_notes }, { sql, me, plan, today, output, fail }) {
    const { department, category, amount, vendor_name, description } = plan.invoice;
    await sql.change(
      output.pick({ invoice_id: true }),
      sql`
        update finance.invoices
        set status = 'PAID', paid_by = ${me.employeeId}, paid_by_name = ${me.name}, payment_date = ${plan.date}::date,
          payment_reference = ${payment_reference}, payment_notes = ${payment_notes}
        where invoice_id = ${invoice_id} and status = 'APPROVED' returning invoice_id`,
    );
    await sql.change(
      ledgerEntry.pick({ entry_id: true }),
      entered(sql, {
        date: plan.date,
        department,
        source: 'INVOICE',
        source_id: invoice_id,
        description: `${vendor_name}: ${description}`,
        amounts: [{ category, amount }],
      }),
    );
    return (await invoiceById(sql, invoice_id, today)) ?? fail('INVOICE_NOT_FOUND', { invoice_id });
  },
});
