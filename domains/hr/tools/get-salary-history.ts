import { z } from 'zod';
import { amount, companyText, HIDDEN, masked, storedDay, storedId, storedTime, untrusted } from '../../../src/declare/fields.ts';
import { hr } from '../domain.ts';
import { employee, employeeId, employeeNotFound } from '../schemas.ts';

const change = z.object({
  effective_date: storedDay,
  old_salary: amount.nullable(),
  new_salary: amount,
  reason: untrusted.nullable(),
  changed_by_name: companyText.nullable(),
  changed_at: storedTime.nullable(),
});

const paid = employee.pick({ first_name: true, last_name: true, hire_date: true }).extend({ salary: amount.nullable() });

/** One entry for each day on which the salary changed, and one for the first salary. A later change of the same day replaces an earlier. */
function entriesOf(rows: readonly z.output<typeof change>[], { hire_date, salary }: z.output<typeof paid>, today: string) {
  const [first] = rows;
  const initial = first === undefined ? salary : first.old_salary;
  const byDay = new Map(rows.map((row) => [row.effective_date, row]));
  const unchanged = { reason: null, changed_by_name: null, changed_at: null };
  const entries = [
    ...(initial === null || hire_date >= (first?.effective_date ?? '9999')
      ? []
      : [{ effective_date: hire_date, salary: initial, ...unchanged }]),
    ...[...byDay.values()].map(({ old_salary: _, new_salary, ...row }) => ({ ...row, salary: new_salary })),
  ];
  const present = entries.findLastIndex(({ effective_date }) => effective_date <= today);
  return entries.map((entry, at) => ({
    ...entry,
    status: at === present ? ('present' as const) : at < present ? ('past' as const) : ('planned' as const),
  }));
}

export const getSalaryHistory = hr.read({
  name: 'get_salary_history',
  title: 'Salary history',
  description:
    'The salaries of one employee with the days on which they took effect, the latest first. By default your own. HR and executives ' +
    'also see who changed the salary, why, and planned salaries.',
  roles: ['employee', 'hr-write', 'executive'],
  input: z.object({ employee_id: employeeId.optional().describe('Whose history; by default your own') }),
  output: z.object({
    employee_id: storedId,
    name: companyText,
    salary: masked('pay', amount).describe('The salary in force today'),
    planned_salary: masked('planned_pay', amount).describe('The next planned salary'),
    history: z.array(
      z.object({
        effective_date: storedDay,
        salary: masked('pay', amount).describe('From this day on'),
        status: z.enum(['past', 'present', 'planned']),
        reason: untrusted.nullable(),
        changed_by_name: companyText.nullable(),
        changed_at: storedTime.nullable(),
      }),
    ),
  }),
  errors: { EMPLOYEE_NOT_FOUND: employeeNotFound },
  examples: [
    { question: 'How has my salary developed?', as: 'marcus.johnson', input: {} },
    {
      question: "Show me Sarah Kim's salary history",
      as: 'alice.chen',
      input: { employee_id: '0e000000-0000-4000-8000-000000000008' },
    },
    {
      question: 'Which raises are planned for Grace Okafor?',
      as: 'eve.thompson',
      input: { employee_id: '0e1a0000-0000-4000-8000-000000000024' },
    },
    {
      question: 'What was the salary history of Eve Thompson?',
      as: 'frank.davis',
      input: { employee_id: '0e000000-0000-4000-8000-000000000001' },
      expects: 'EMPLOYEE_NOT_FOUND',
    },
  ],
  summary: ({ name, history }) => `${name}: ${history.length} ${history.length === 1 ? 'salary' : 'salaries'}`,

  async run({ employee_id }, { sql, me, today, audience, fail }) {
    const whose = employee_id ?? me.employeeId;
    const person =
      (await sql.maybeOne(paid, sql`select first_name, last_name, hire_date, salary from hr.people where employee_id = ${whose}`)) ??
      fail('EMPLOYEE_NOT_FOUND', { employee_id: whose });
    // Employees see their own amounts, but neither the reasons nor who changed them.
    const rows = await sql.many(
      change,
      audience === 'everyone'
        ? sql`
            select h.effective_date, h.old_salary, h.new_salary, h.reason, e.first_name || ' ' || e.last_name as changed_by_name, h.changed_at
            from hr.salary_history h left join hr.employees e on e.employee_id = h.changed_by
            where h.employee_id = ${whose} order by h.effective_date, h.changed_at`
        : sql`
            select effective_date, old_salary, new_salary, null as reason, null as changed_by_name, null as changed_at
            from hr.salary_history where employee_id = ${whose} order by effective_date, history_id`,
    );
    const [next] = await sql.many(
      z.object({ planned_salary: amount }),
      sql`
        select planned_salary from hr.planned_pay where employee_id = ${whose} and effective_date > ${today}::date
        order by effective_date limit 1`,
    );
    return {
      employee_id: whose,
      name: `${person.first_name} ${person.last_name}`,
      salary: person.salary ?? HIDDEN,
      planned_salary: next?.planned_salary ?? HIDDEN,
      history: entriesOf(rows, person, today).toReversed(),
    };
  },
});
