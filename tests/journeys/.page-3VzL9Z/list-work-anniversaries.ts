import { z } from 'zod';
import { companyText, storedDay, storedId } from '/work/wt/words-storage/src/declare/fields.ts';
import { asc } from '/work/wt/words-storage/src/declare/order.ts';
import { hr } from '/work/wt/words-storage/domains/hr/domain.ts';

export const listWorkAnniversaries = hr.list({
  name: 'list_work_anniversaries',
  title: 'Work anniversaries',
  description: 'Active employees whose first day at the company was in a given month of an earlier year, in the order of the days.',
  plural: 'anniversaries',
  roles: ['manager', 'hr-read', 'executive'],
  input: z.object({
    month: z.int().min(1).max(12).optional().describe('1 for January; by default this month'),
  }),
  item: z.object({
    employee_id: storedId,
    employee_name: companyText,
    department: companyText,
    hire_date: storedDay,
    day: z.int().describe('Day of the month'),
    years: z.int().describe('Completed this year'),
  }),
  order: asc('day', 'employee_id'),
  examples: [
    { question: 'Who has a work anniversary this month?', as: 'nina.patel', input: {} },
    { question: 'Which employees celebrate their anniversary in March?', as: 'alice.chen', input: { month: 3 } },
    { question: "Show me everyone's work anniversaries", as: 'frank.davis', input: {}, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],

  find({ month }, { sql, today }) {
    const [year, thisMonth] = today.split('-').map(Number);
    return sql`
      select employee_id, first_name || ' ' || last_name as employee_name, department, hire_date,
        extract(day from hire_date)::int as day, ${year}::int - extract(year from hire_date)::int as years
      from hr.team
      where extract(month from hire_date) = ${month ?? thisMonth}::int and extract(year from hire_date) < ${year}::int`;
  },
});
