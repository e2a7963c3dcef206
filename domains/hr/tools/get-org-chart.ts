import { z } from 'zod';
import { companyText, storedId } from '../../../src/declare/fields.ts';
import { hr } from '../domain.ts';
import { employeeId, employeeNotFound } from '../schemas.ts';

/** The largest number of people in one chart. direct_reports_count also counts people who are not shown. */
const MOST_NODES = 500;

const person = z.object({
  employee_id: storedId,
  name: companyText,
  title: companyText,
  department: companyText,
  location: companyText,
  level: z.int().describe('0 is the root of this chart'),
  direct_reports_count: z.int().describe('All active direct reports, also those that are not shown'),
});
interface OrgNode extends z.output<typeof person> {
  readonly direct_reports: OrgNode[];
}
const isBranch = (value: unknown): boolean => Array.isArray(value) && value.every((each) => node.safeParse(each).success);
/** The published schema describes one level only: a recursive `$ref` points to the wrong place inside another schema. */
const node: z.ZodType<OrgNode> = person.extend({
  direct_reports: z
    .custom<OrgNode[]>(isBranch)
    .meta({ type: 'array', items: { type: 'object' }, description: 'Nodes of this same shape, by last name' }),
});

export const getOrgChart = hr.read({
  name: 'get_org_chart',
  title: 'Org chart',
  description:
    `Who reports to whom, as nested nodes below one person. At most ${MOST_NODES} people are shown; direct_reports_count ` +
    'also counts direct reports who are not shown.',
  roles: ['manager', 'hr-read', 'executive'],
  input: z.object({
    root_employee_id: employeeId
      .optional()
      .describe('The person at the top; by default the head of the company, or the caller if the caller may not see the head'),
    max_depth: z.int().min(1).max(10).default(3).describe('How many levels below the root'),
  }),
  output: node,
  errors: { EMPLOYEE_NOT_FOUND: employeeNotFound },
  examples: [
    { question: 'Show me the org chart', as: 'eve.thompson', input: {} },
    {
      question: 'Draw the org chart under Nina Patel, two levels deep',
      as: 'alice.chen',
      input: { root_employee_id: '0e000000-0000-4000-8000-000000000006', max_depth: 2 },
    },
    { question: 'What does my organisation look like?', as: 'nina.patel', input: {} },
    {
      question: 'Who are the direct reports of Carol Johnson?',
      as: 'eve.thompson',
      input: { root_employee_id: '0e000000-0000-4000-8000-000000000004', max_depth: 1 },
    },
    {
      question: "Show the CEO's org chart",
      as: 'nina.patel',
      input: { root_employee_id: '0e000000-0000-4000-8000-000000000001' },
      expects: 'EMPLOYEE_NOT_FOUND',
    },
  ],
  summary: ({ name, direct_reports_count }) => `${name} with ${direct_reports_count} direct reports`,

  async run({ root_employee_id, max_depth }, { sql, fail }) {
    // The default root is the person without a manager if the caller may see that person, otherwise the caller.
    const top = sql`select employee_id from hr.people where manager_id is null or employee_id = (select tamshai.me())
      order by manager_id is not null, hire_date, employee_id limit 1`;
    // The recursion stops at the limit, so PostgreSQL does not read a whole large company. One JSON value costs less than many rows.
    const { people } = await sql.one(
      z.object({ people: z.array(person.extend({ manager_id: storedId.nullable() })) }),
      sql`
        with recursive tree as (
          select e.employee_id, e.manager_id, e.first_name, e.last_name, e.job_title, e.department, e.location, 0 as level
          from hr.people e where e.employee_id = ${root_employee_id === undefined ? sql`(${top})` : sql`${root_employee_id}`}
          union all
          select e.employee_id, e.manager_id, e.first_name, e.last_name, e.job_title, e.department, e.location, t.level + 1
          from tree t join hr.people e on e.manager_id = t.employee_id where t.level < ${max_depth}::int
        ), shown as (select * from tree limit ${MOST_NODES}::int)
        select coalesce(json_agg(p), '[]') as people from (
          select s.employee_id, s.manager_id, s.first_name || ' ' || s.last_name as name, s.job_title as title, s.department,
          s.location, s.level,
            coalesce(r.count, 0) as direct_reports_count
          from shown s
          left join (
            select manager_id, count(*) as count from hr.people where manager_id in (select employee_id from shown) group by manager_id
          ) r on r.manager_id = s.employee_id
          order by s.level, s.last_name, s.first_name, s.employee_id
        ) p`,
    );
    const nodes = new Map<string | null, OrgNode>();
    for (const { manager_id, ...own } of people) {
      const node = { ...own, direct_reports: [] };
      nodes.set(own.employee_id, node);
      nodes.get(manager_id)?.direct_reports.push(node);
    }
    const [root] = nodes.values();
    return root ?? fail('EMPLOYEE_NOT_FOUND', root_employee_id === undefined ? {} : { employee_id: root_employee_id });
  },
});
