import { z } from 'zod';
import { companyText, day, storedDay } from '../../../src/declare/fields.ts';
import { hr } from '../domain.ts';

/** More groups than this are counted in the total only. */
const MOST_GROUPS = 200;

export const getHeadcount = hr.read({
  name: 'get_headcount',
  title: 'Headcount',
  description:
    'How many people worked here on a day, by department, location or job title. HR and executives count everyone, also people who have ' +
    'left since. A manager counts the people who report to them now. Departments and titles are those of today.',
  roles: ['manager', 'hr-read', 'executive'],
  input: z.object({
    by: z.enum(['department', 'location', 'job_title']).default('department').describe('What the groups are'),
    as_of_date: day.optional().describe('The day; by default today'),
  }),
  output: z.object({
    as_of_date: storedDay,
    by: z.enum(['department', 'location', 'job_title']),
    total: z.int(),
    groups: z.array(z.object({ name: companyText, employees: z.int() })).describe(`The largest first; at most ${MOST_GROUPS}`),
    more_groups: z.int().describe('Groups that are not shown'),
  }),
  examples: [
    { question: 'What is our headcount by department?', as: 'alice.chen', input: {} },
    { question: 'Headcount per office', as: 'eve.thompson', input: { by: 'location' } },
    { question: 'What is the headcount of my organisation by job title?', as: 'nina.patel', input: { by: 'job_title' } },
    {
      question: 'What was our headcount at the start of this year?',
      as: 'alice.chen',
      input: (today) => ({ as_of_date: `${today.slice(0, 4)}-01-01` }),
    },
    { question: 'Show me the headcount of the company', as: 'frank.davis', input: {}, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],
  summary: ({ total, as_of_date }) => `${total} people on ${as_of_date}`,

  async run({ by, as_of_date }, { sql, me, today, audience }) {
    const on = as_of_date ?? today;
    // The policies of a manager's audience also show their own row, which a team does not contain.
    const others = sql.when(audience === 'reports' ? true : undefined, () => sql`employee_id <> ${me.employeeId}`);
    const rows = await sql.many(
      z.object({ name: companyText, employees: z.int(), total: z.int(), groups: z.int() }),
      sql`
        select ${sql.ref(by)} as name, count(*)::int as employees, (sum(count(*)) over ())::int as total, (count(*) over ())::int as groups
        from hr.employees
        where hire_date <= ${on}::date and (active or (terminated_at::date > ${on}::date and ${on}::date < ${today}::date)) ${others}
        group by 1 order by 2 desc, 1 limit ${MOST_GROUPS}::int`,
    );
    const groups = rows.map(({ name, employees }) => ({ name, employees }));
    return { as_of_date: on, by, total: rows[0]?.total ?? 0, groups, more_groups: (rows[0]?.groups ?? 0) - groups.length };
  },
});
