import { z } from 'zod';
import { companyText, untrusted } from '../../../src/declare/fields.ts';
import { payroll } from '../domain.ts';
import { payeeOf } from '../rules.ts';
import { employeeNotFound, ownByDefault, pay } from '../schemas.ts';

const deposit = z.object({
  priority: z.int().describe('1 is filled first'),
  bank_name: untrusted,
  account_last4: companyText,
  routing_last4: companyText,
  allocation: z.enum(['PERCENT', 'FIXED', 'REMAINDER']),
  value: pay(z.number()).describe(
    'PERCENT: percent of the net pay; FIXED: an amount in {currency}; REMAINDER: always 100, the rest of the pay',
  ),
});

export const getDirectDeposit = payroll.read({
  name: 'get_direct_deposit',
  title: 'Direct deposit',
  description:
    'The bank accounts that receive the pay of a person, and how much each account receives. Only the last four digits of account ' +
    'and routing numbers are stored. By default your own.',
  roles: ['employee', 'payroll-read', 'hr-read', 'executive'],
  input: z.object({ employee_id: ownByDefault }),
  output: z.array(deposit),
  errors: { EMPLOYEE_NOT_FOUND: employeeNotFound },
  examples: [
    { question: 'Which bank account does my salary go to?', as: 'frank.davis', input: {} },
    { question: 'How is my pay split between my accounts?', as: 'carol.johnson', input: {} },
    {
      question: "Where is Marcus Johnson's pay deposited?",
      as: 'paula.reyes',
      input: { employee_id: '0e000000-0000-4000-8000-000000000007' },
    },
    { question: "Check Dan Williams' direct deposit", as: 'eve.thompson', input: { employee_id: '0e000000-0000-4000-8000-000000000005' } },
    {
      question: "What is Alice Chen's account number?",
      as: 'frank.davis',
      input: { employee_id: '0e000000-0000-4000-8000-000000000002' },
      expects: 'EMPLOYEE_NOT_FOUND',
    },
  ],
  summary: (deposits) => (deposits.length === 1 ? '1 account' : `${deposits.length} accounts`),

  async run({ employee_id }, { sql, me, fail }) {
    const whose = employee_id ?? me.employeeId;
    if (!(await payeeOf(sql, whose))) throw fail('EMPLOYEE_NOT_FOUND', { employee_id: whose });
    return sql.many(deposit, sql`select * from payroll.deposits where employee_id = ${whose} order by priority`);
  },
});
