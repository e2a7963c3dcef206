import { z } from 'zod';
import {} from '../../../src/declare/fields.ts';
import { fiscal } from '../../../src/declare/periods.ts';
import { hr } from '../domain.ts';
import { fiscalYearOf } from '../../../src/declare/fiscal.ts';
import { cardReason, timeOffType } from '../schemas.ts';

/** How many years ahead a year can be opened. */
const AHEAD = 2;
const days = z.number().min(0).max(366).multipleOf(0.5);

export const openTimeOffYear = hr.write({
  name: 'open_time_off_year',
  title: 'Open a year of time off',
  description:
    'Create the time-off balances of all employees for the next fiscal year ({fiscalYear}), once. Each person keeps the entitlement of ' +
    'the year before; unused days carry over up to the limit of the type, five for vacation.',
  roles: ['hr-write', 'executive'],
  effect: 'adds',
  input: z.object({
    fiscal_year: fiscal(z.int().min(2000).max(2100)).optional().describe('By default the year after the last one that was opened'),
    entitlements: z
      .array(z.strictObject({ type_code: timeOffType.describe('Kind of leave'), days: days.describe('Days a year for everyone') }))
      .max(7)
      .optional()
      .describe('Types whose entitlement changes for everyone'),
    carryover_max: days.optional().describe('The most vacation days that carry over; by default the limit of the type'),
    reason: cardReason,
  }),
  output: z.object({
    fiscal_year: z.int(),
    employees: z.int(),
    balances: z.int().describe('How many balances were created'),
    carried_over: z.number().describe('Days in total'),
  }),
  errors: {
    YEAR_ALREADY_OPEN: { message: 'The balances of this year exist already.', hint: 'See them with get_time_off_balances.' },
    YEAR_OUT_OF_RANGE: { message: 'This year cannot be opened yet.', hint: `Years open in order, at most ${AHEAD} years ahead.` },
    DUPLICATE_TYPE: { message: 'A type of leave is named twice.', hint: 'Give each type_code once.' },
  },
  examples: [
    { question: 'Open the next time-off year', as: 'alice.chen', input: {} },
    { question: 'Open the new vacation year and carry over at most three days', as: 'eve.thompson', input: { carryover_max: 3 } },
    { question: 'Open the time-off year 2001', as: 'alice.chen', input: { fiscal_year: 2001 }, expects: 'YEAR_ALREADY_OPEN' },
    { question: 'Open a new time-off year for me', as: 'nina.patel', input: {}, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],
  summary: ({ fiscal_year, employees }) => `${fiscal_year} opened for ${employees} employees`,

  async prepare({ fiscal_year, entitlements = [], carryover_max }, { sql, today, company, fail }) {
    const current = fiscalYearOf(today, company);
    const last = await sql.maybeOne(
      z.object({ fiscal_year: z.int() }),
      sql`select fiscal_year, row_version from hr.time_off_years order by fiscal_year desc limit 1`,
    );
    const { people } = await sql.one(z.object({ people: z.int() }), sql`select count(*)::int as people from hr.employees where active`);
    const next = last === null ? current : last.fiscal_year + 1;
    const year = fiscal_year ?? next;
    if (year < next) throw fail('YEAR_ALREADY_OPEN', { next });
    if (year > next || year > current + AHEAD) throw fail('YEAR_OUT_OF_RANGE', { next });
    const types = entitlements.map(({ type_code }) => type_code);
    if (new Set(types).size < types.length) throw fail('DUPLICATE_TYPE');
    return {
      summary: `Open the time-off year ${year} for ${people} employees`,
      subject: { label: `Time off in ${year}`, id: String(year) },
      changes: [
        { field: 'fiscal_year', from: null, to: year },
        { field: 'employees', from: null, to: people },
        ...entitlements.map(({ type_code, days: each }) => ({
          field: `entitlement_${type_code.toLowerCase()}`,
          label: `Entitlement: ${type_code.toLowerCase().replace('_', ' ')}`,
          from: null,
          to: each,
          format: 'days' as const,
        })),
        ...(carryover_max === undefined
          ? []
          : [
              {
                field: 'carryover_max',
                label: 'Vacation days that carry over, at most',
                from: null,
                to: carryover_max,
                format: 'days' as const,
              },
            ]),
      ],
      year,
    };
  },

  async execute({ entitlements = [], carryover_max }, { sql, plan: { year } }) {
    await sql.change(
      z.object({ fiscal_year: z.int() }),
      sql`insert into hr.time_off_years (fiscal_year) values (${year}::int) returning fiscal_year`,
    );
    // The entitlement of the year before can be higher than the policy of the type, for example for long service.
    const rows = await sql.changeMany(
      z.object({ employee_id: z.string(), carryover: z.number() }),
      sql`
        insert into hr.time_off_balances (employee_id, fiscal_year, type_code, entitlement, carryover)
        select e.employee_id, ${year}::int, t.type_code, coalesce(n.days, b.entitlement, t.days_per_year),
          greatest(0, least(coalesce(b.entitlement + b.carryover - b.used - b.pending, 0),
            case when t.carryover_max > 0 then coalesce(${carryover_max}::numeric, t.carryover_max) else 0 end))
        from hr.employees e
        cross join hr.time_off_types t
        left join hr.time_off_balances b on b.employee_id = e.employee_id and b.fiscal_year = ${year}::int - 1 and b.type_code = t.type_code
        left join json_to_recordset(${JSON.stringify(entitlements)}::json) as n (type_code text, days numeric) on n.type_code = t.type_code
        where e.active
        returning employee_id, carryover`,
    );
    return {
      fiscal_year: year,
      employees: new Set(rows.map(({ employee_id }) => employee_id)).size,
      balances: rows.length,
      carried_over: rows.reduce((sum, { carryover }) => sum + carryover, 0),
    };
  },
});
