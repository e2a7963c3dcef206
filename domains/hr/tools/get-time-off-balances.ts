import { z } from 'zod';
import { storedId } from '../../../src/declare/fields.ts';
import { fiscal } from '../../../src/declare/periods.ts';
import { hr } from '../domain.ts';
import { fiscalYearOf } from '../../../src/declare/fiscal.ts';
import { employeeId, employeeNotFound, timeOffBalance } from '../schemas.ts';

export const getTimeOffBalances = hr.read({
  name: 'get_time_off_balances',
  title: 'Time-off balances',
  description:
    'Days of leave by type in one fiscal year ({fiscalYear}): entitled, used, requested, carried over and available. pto_balance ' +
    'is the vacation that is left. By default your own, this year.',
  roles: ['employee', 'manager', 'hr-read', 'executive'],
  input: z.object({
    employee_id: employeeId.optional().describe('Whose balances; by default your own'),
    fiscal_year: fiscal(z.int().min(2000).max(2100)).optional().describe('By default this year'),
  }),
  output: z.object({
    employee_id: storedId,
    fiscal_year: z.int(),
    pto_balance: z.number().describe('Available vacation days'),
    balances: z.array(timeOffBalance),
  }),
  errors: {
    EMPLOYEE_NOT_FOUND: employeeNotFound,
    BALANCE_NOT_FOUND: {
      message: 'There are no time-off balances for that year.',
      hint: 'Give one of the years in details, or leave fiscal_year out for this year.',
    },
  },
  examples: [
    { question: "What's my PTO balance?", as: 'marcus.johnson', input: {} },
    { question: 'How many sick days do I have left?', as: 'frank.davis', input: {} },
    { question: 'How much vacation has Sarah Kim left?', as: 'nina.patel', input: { employee_id: '0e000000-0000-4000-8000-000000000008' } },
    {
      question: 'How many days off did I use last year?',
      as: 'carol.johnson',
      input: (today, company) => ({ fiscal_year: fiscalYearOf(today, company) - 1 }),
    },
    {
      question: 'How much holiday does Eve Thompson have left?',
      as: 'marcus.johnson',
      input: { employee_id: '0e000000-0000-4000-8000-000000000001' },
      expects: 'EMPLOYEE_NOT_FOUND',
    },
    { question: 'What was my leave balance in 2001?', as: 'sarah.kim', input: { fiscal_year: 2001 }, expects: 'BALANCE_NOT_FOUND' },
  ],
  summary: ({ pto_balance, fiscal_year }) => `${pto_balance} vacation days available in ${fiscal_year}`,

  async run({ employee_id, fiscal_year }, { sql, me, today, company, fail }) {
    const whose = employee_id ?? me.employeeId;
    const year = fiscal_year ?? fiscalYearOf(today, company);
    const rows = await sql.many(
      timeOffBalance.extend({ fiscal_year: z.number() }),
      sql`select b.* from hr.balances b where b.employee_id = ${whose} order by b.fiscal_year, b.type_code`,
    );
    const balances = rows.filter((row) => row.fiscal_year === year).map(({ fiscal_year: _, ...balance }) => balance);
    if (balances.length === 0) {
      const seen = await sql.maybeOne(
        z.object({ employee_id: storedId }),
        sql`select employee_id from hr.people where employee_id = ${whose}`,
      );
      if (!seen) throw fail('EMPLOYEE_NOT_FOUND', { employee_id: whose });
      throw fail('BALANCE_NOT_FOUND', { fiscal_year: year, years: [...new Set(rows.map((row) => row.fiscal_year))] });
    }
    return {
      employee_id: whose,
      fiscal_year: year,
      pto_balance: balances.find(({ type_code }) => type_code === 'VACATION')?.available ?? 0,
      balances,
    };
  },
});
