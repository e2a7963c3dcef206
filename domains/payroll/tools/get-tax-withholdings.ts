import { z } from 'zod';
import { companyText, storedId } from '../../../src/declare/fields.ts';
import { payroll } from '../domain.ts';
import { payeeOf } from '../rules.ts';
import { employeeNotFound, ownByDefault, pay } from '../schemas.ts';

const election = z.object({
  region: companyText,
  filing_status: companyText,
  allowances: z.int(),
  extra_amount: pay().describe('Withheld on each pay day in addition to the tax tables'),
  last_withheld: pay().describe('On the latest pay stub that has this tax'),
  withheld_year_to_date: pay(),
});

export const getTaxWithholdings = payroll.read({
  name: 'get_tax_withholdings',
  title: 'Tax withholdings',
  description:
    'How income tax is withheld from the pay of a person, federal (or national), state and local: filing status, allowances, extra ' +
    'amount, and what was withheld last and this year. By default your own.',
  roles: ['employee', 'payroll-read', 'hr-read', 'executive'],
  input: z.object({ employee_id: ownByDefault }),
  output: z.object({
    employee_id: storedId,
    employee_name: companyText,
    tax_number_last4: companyText,
    federal: election.nullable(),
    state: election.nullable().describe('null if the state has no income tax'),
    local: election.nullable(),
  }),
  errors: { EMPLOYEE_NOT_FOUND: employeeNotFound },
  examples: [
    { question: 'How much federal tax is withheld from my pay?', as: 'marcus.johnson', input: {} },
    { question: 'What is my filing status for taxes?', as: 'sarah.kim', input: {} },
    {
      question: "Show Carol Johnson's tax withholdings",
      as: 'paula.reyes',
      input: { employee_id: '0e000000-0000-4000-8000-000000000004' },
    },
    {
      question: 'How many allowances did Bob Martinez claim?',
      as: 'alice.chen',
      input: { employee_id: '0e000000-0000-4000-8000-000000000003' },
    },
    {
      question: 'How much tax does Nina Patel pay?',
      as: 'frank.davis',
      input: { employee_id: '0e000000-0000-4000-8000-000000000006' },
      expects: 'EMPLOYEE_NOT_FOUND',
    },
  ],
  summary: ({ employee_name, federal }) => `Tax withholdings of ${employee_name}: federal ${federal?.filing_status ?? 'none'}`,

  async run({ employee_id }, { sql, me, today, fail }) {
    const whose = employee_id ?? me.employeeId;
    const person = (await payeeOf(sql, whose)) ?? fail('EMPLOYEE_NOT_FOUND', { employee_id: whose });
    // If pay is masked, the withheld amounts must be null too, not zero.
    const rows = await sql.many(
      election.extend({ level: z.enum(['federal', 'state', 'local']) }),
      sql`select w.level, w.region, w.filing_status, w.allowances, w.extra_amount,
          case when w.extra_amount is not null then coalesce(t.year, 0) end as withheld_year_to_date,
          case when w.extra_amount is not null then coalesce(t.last, 0) end as last_withheld
        from payroll.elections w
        cross join lateral (
          select sum(amount) filter (where pay_date >= date_trunc('year', ${today}::date)) as year, (array_agg(amount
          order by pay_date desc, pay_stub_id desc))[1] as last
          from payroll.tax_lines where employee_id = w.employee_id and code = w.line_code and pay_date <= ${today}::date) t
        where w.employee_id = ${whose}`,
    );
    const at = (level: 'federal' | 'state' | 'local') => {
      const found = rows.find((row) => row.level === level);
      if (!found) return null;
      const { level: _, ...rest } = found;
      return rest;
    };
    return { ...person, federal: at('federal'), state: at('state'), local: at('local') };
  },
});
