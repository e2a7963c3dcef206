import { z } from 'zod';
import { amount, companyText, masked } from '../../../src/declare/fields.ts';
import { payroll } from '../domain.ts';
import { payStub, payStubId } from '../schemas.ts';

const lines = z.array(z.object({ code: companyText, description: companyText, amount }));
const { gross, total_taxes, total_deductions, net, ...about } = payStub.shape;

export const getPayStub = payroll.read({
  name: 'get_pay_stub',
  title: 'Pay stub',
  description:
    'One pay stub (payslip) with its lines: earnings, taxes, deductions and net pay, and the totals of the year up to that pay day.',
  roles: ['employee', 'payroll-read', 'hr-read', 'executive'],
  input: z.object({ pay_stub_id: payStubId }),
  output: z.object({
    ...about,
    earnings: masked('pay', lines),
    taxes: masked('pay', lines),
    deductions: masked('pay', lines),
    gross,
    total_taxes,
    total_deductions,
    net,
    ytd: masked('pay', z.object({ gross: amount, taxes: amount, deductions: amount, net: amount })),
  }),
  errors: {
    PAY_STUB_NOT_FOUND: {
      message: 'Pay stub not found. Verify the pay stub ID is correct.',
      hint: 'Find the id of a pay stub that you may see with list_pay_stubs.',
    },
  },
  examples: [
    { question: 'Show me my latest payslip', as: 'sarah.kim', input: { pay_stub_id: '05000000-0000-4000-8000-000000000008' } },
    {
      question: 'What was deducted from my last pay?',
      as: 'marcus.johnson',
      input: { pay_stub_id: '05000000-0000-4000-8000-000000000007' },
    },
    { question: "Open Frank Davis' last pay stub", as: 'paula.reyes', input: { pay_stub_id: '05000000-0000-4000-8000-000000000009' } },
    { question: 'How much did I earn so far this year?', as: 'nina.patel', input: { pay_stub_id: '05000000-0000-4000-8000-000000000006' } },
    {
      question: "Show me Eve Thompson's last payslip",
      as: 'marcus.johnson',
      input: { pay_stub_id: '05000000-0000-4000-8000-000000000001' },
      expects: 'PAY_STUB_NOT_FOUND',
    },
  ],
  summary: ({ employee_name, pay_date, net: left }) => `Pay stub of ${employee_name}, ${pay_date}: net ${left}`,

  run: async ({ pay_stub_id }, { sql, output, fail }) =>
    (await sql.maybeOne(output, sql`select * from payroll.stub_details where pay_stub_id = ${pay_stub_id}`)) ??
    fail('PAY_STUB_NOT_FOUND', { pay_stub_id }),
});
