import { z } from 'zod';
import { companyText, line, storedDay, storedEmail, storedId, untrusted } from '../../../src/declare/fields.ts';
import { asc, desc } from '../../../src/declare/order.ts';
import { anywhere } from '../../../src/declare/sql.ts';
import { payroll } from '../domain.ts';
import { pay } from '../schemas.ts';

const status = z.enum(['active', 'ended']);

export const listContractors = payroll.list({
  name: 'list_contractors',
  title: 'Contractors',
  description:
    'Contractors (1099 and similar), by default by name: what they do, for which department, their rate and what they were paid this ' +
    'calendar year. Only the last four digits of tax numbers are stored.',
  plural: 'contractors',
  roles: ['payroll-read', 'hr-read', 'executive'],
  input: z.object({
    name: line(100).min(1).optional().describe('Any part of the name of the person or firm; case does not matter'),
    department: line(100)
      .min(1)
      .optional()
      .describe('Department, such as Engineering; case does not matter')
      .meta({ examples: ['Engineering', 'Finance', 'HR', 'Legal', 'Marketing', 'Operations', 'Sales', 'Support'] }),
    status: status.optional().describe('active: works for the company today; ended: no longer, or not yet'),
  }),
  item: z.object({
    contractor_id: storedId,
    name: untrusted,
    business_name: untrusted.nullable(),
    service: untrusted,
    department: companyText,
    email: storedEmail,
    tax_form: z.enum(['1099-NEC', '1042-S']),
    tax_number_last4: companyText,
    status,
    start_date: storedDay,
    end_date: storedDay.nullable(),
    rate: pay(),
    rate_unit: z.enum(['HOUR', 'MONTH']),
    paid_year_to_date: pay(),
    last_paid_on: storedDay.nullable(),
  }),
  order: { name: asc('name', 'contractor_id'), most_paid: desc('paid_year_to_date', 'contractor_id') },
  examples: [
    { question: 'List our 1099 contractors', as: 'paula.reyes', input: {} },
    { question: 'Which contractors work for Engineering?', as: 'alice.chen', input: { department: 'Engineering' } },
    { question: 'How much have we paid Brennan Security this year?', as: 'eve.thompson', input: { name: 'Brennan Security' } },
    { question: 'Which freelancers no longer work for us?', as: 'paula.reyes', input: { status: 'ended' } },
    { question: 'Which 3 contractors did we pay most this year?', as: 'paula.reyes', input: { sort: 'most_paid', limit: 3 } },
    { question: 'Who are our contractors?', as: 'nina.patel', input: {}, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],

  // If pay is masked, the paid amount must be null too, not zero.
  find: ({ name, department, status: which }, { sql, today }) => sql`
    select * from (
      select c.*, case when c.end_date < ${today}::date or c.start_date > ${today}::date then 'ended' else 'active' end as status,
        case when c.rate is not null then coalesce(p.paid, 0) end as paid_year_to_date, p.last_paid_on
      from payroll.contractor_list c
      cross join lateral (
        select sum(amount) filter (where paid_on >= date_trunc('year', ${today}::date)) as paid, max(paid_on) as last_paid_on
        from payroll.contractor_pay where contractor_id = c.contractor_id and paid_on <= ${today}::date) p
    ) c where true ${sql.given({ status: which })}
    ${sql.when(name, () => sql`name ilike ${anywhere(name ?? '')} or business_name ilike ${anywhere(name ?? '')}`)}
    ${sql.when(department, () => sql`lower(department) = lower(${department})`)}`,
});
