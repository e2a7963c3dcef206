/** Sample budgets: approved budgets of last year and this year, and budgets of next year in several states. */
import { yearOf } from '../../../src/declare/fiscal.ts';
import { type DepartmentName, departmentNames } from '../../sample-company/departments.ts';
import type { DepartmentCost } from '../../payroll/sample/costs.ts';
import { shared } from '../cents.ts';
import { at10, type Category, type Company, categories, dollars, type Hand, numbered } from './company.ts';
import { between } from '../../sample-company/random.ts';
import type { SampleRow } from '../../../src/declare/sample.ts';

/** This year's amounts in thousands, in the order of the categories, without salaries. */
const plan: Record<DepartmentName, readonly number[]> = {
  Engineering: [1450, 620, 180, 240, 520, 160, 60],
  HR: [140, 260, 45, 60, 30, 120, 25],
  Finance: [190, 310, 35, 55, 30, 45, 20],
  Sales: [420, 280, 540, 130, 80, 95, 60],
  Support: [310, 150, 60, 140, 95, 70, 30],
  Marketing: [360, 1150, 160, 60, 45, 40, 85],
  Operations: [240, 480, 90, 1260, 310, 35, 75],
  Legal: [70, 290, 30, 25, 8, 22, 10],
};

/** The status of next year's budget of each department. */
const next: Record<DepartmentName, 'DRAFT' | 'PENDING_APPROVAL' | 'APPROVED' | 'REJECTED'> = {
  Engineering: 'DRAFT',
  HR: 'DRAFT',
  Finance: 'APPROVED',
  Sales: 'DRAFT',
  Support: 'REJECTED',
  Marketing: 'PENDING_APPROVAL',
  Operations: 'PENDING_APPROVAL',
  Legal: 'PENDING_APPROVAL',
};

/** The allocated amount of a budget line, in cents. */
export function allocated(
  { fiscalYear: now, scale }: Pick<Company, 'fiscalYear' | 'scale'>,
  department: DepartmentName,
  year: number,
  category: Category,
): number {
  const [row, column] = [departmentNames.indexOf(department), categories.indexOf(category)];
  const seed = row * 8 + column;
  const growth = year < now ? between(88, 97, seed, 51) : year > now ? between(102, 109, seed, 52) : 100;
  const thousands = plan[department][column] ?? 0;
  return Math.max(500, Math.round((thousands * 1000 * scale * growth) / 100 / 500) * 500) * 100;
}

/** Fixed ids, one per department: 1 to 8 for next year's budgets, 11 to 18 for this year's, 21 to 28 for last year's. */
const budgetId = ({ fiscalYear: now }: Company, department: DepartmentName, year: number) =>
  numbered('0fb00000', departmentNames.indexOf(department) + 1 + (now + 1 - year) * 10);

const yearsOf = ({ fiscalYear }: Company) => [fiscalYear - 1, fiscalYear, fiscalYear + 1];

export const budgetColumns =
  'budget_id department fiscal_year status created_by created_by_name created_at submitted_by submitted_by_name submitted_at ' +
  'comments approved_by approved_by_name approved_at approver_notes rejected_by rejected_by_name rejected_at rejection_reason ' +
  'closed_by closed_by_name closed_at';

export function* budgetRows(company: Company): Iterable<SampleRow> {
  const none: SampleRow = [null, null, null];
  const by = ({ id, name }: Hand, day: string): SampleRow => [id, name, at10(day)];
  for (const year of yearsOf(company)) {
    const upcoming = year > company.fiscalYear;
    const { from } = yearOf(year, company.settings);
    // A budget is created two months before its year. Next year's budgets are created shortly before today.
    const days = (n: number) => (upcoming ? shiftedBack(company.today, 12 - n) : shiftedBack(from, 58 - n));
    for (const department of departmentNames) {
      const head = company.heads[department];
      const own = head.id === company.cfo.id;
      // Finance closes a budget three weeks after its year.
      const closing = shiftedBack(yearOf(year + 1, company.settings).from, -20);
      const closed = !upcoming && closing <= company.today;
      const status = upcoming ? next[department] : closed ? 'CLOSED' : 'APPROVED';
      const approved = status === 'APPROVED' || status === 'CLOSED';
      const author = own ? company.analyst : head;
      const submitted = status !== 'DRAFT';
      yield [
        budgetId(company, department, year),
        department,
        year,
        status,
        author.id,
        author.name,
        at10(days(0)),
        ...(submitted ? by(author, days(4)) : none),
        submitted ? `${department} plan for ${year}` : null,
        ...(approved ? by(own ? company.chief : company.cfo, days(8)) : none),
        approved ? 'As discussed in the planning round.' : null,
        ...(status === 'REJECTED' ? by(company.cfo, days(8)) : none),
        status === 'REJECTED' ? 'Equipment grows faster than the team; please plan it again.' : null,
        ...(closed ? by(company.cfo, closing) : none),
      ];
    }
  }
}
const shiftedBack = (day: string, days: number) => new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10);

/** The payroll of a year from the latest runs: 24 regular ones and a bonus, with a little room. In cents. */
export function plannedPayroll(costs: readonly DepartmentCost[], department: DepartmentName): number {
  const latest = (type: string) => costs.findLast((each) => each.department === department && each.run.type === type)?.cents ?? 0;
  return Math.round(((latest('REGULAR') * 24 + latest('BONUS')) * 1.01) / 50_000) * 50_000;
}

/** Lines of equal months. Next year's plans have no payroll yet, because pay is agreed at the end of a year. */
export function* budgetLineRows(company: Company, costs: readonly DepartmentCost[]): Iterable<SampleRow> {
  const months = Array.from({ length: 12 }, () => 1);
  for (const year of yearsOf(company))
    for (const department of departmentNames) {
      const lines: (readonly [string, number])[] = categories.map((each) => [each, allocated(company, department, year, each)]);
      const payroll = plannedPayroll(costs, department);
      if (year <= company.fiscalYear) lines.push(['PAYROLL', year < company.fiscalYear ? Math.round(payroll * 0.97) : payroll]);
      for (const [category, cents] of lines)
        for (const [n, share] of shared(dollars(cents), months).entries())
          yield [budgetId(company, department, year), category, n + 1, share];
    }
}
