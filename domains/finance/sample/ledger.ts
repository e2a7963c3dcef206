/** The sample ledger: every paid invoice, every reimbursed expense report and every pay run. */
import type { SampleRow } from '../../../src/declare/sample.ts';
import type { DepartmentCost } from '../../payroll/sample/costs.ts';
import { type DepartmentName, departmentNames } from '../../sample-company/departments.ts';
import { categories, type Company, dollars, numbered } from './company.ts';
import { reimbursed } from './expenses.ts';
import { payRunTitle } from '../rules.ts';
import type { Invoice } from './invoices.ts';

export const ledgerColumns = 'entry_id entry_date department category amount source source_id description people';

export interface Sources {
  readonly invoices: Iterable<Invoice>;
  readonly costs: readonly DepartmentCost[];
}
const numberOf = (id: string): number => Number(id.slice(-12));

export function* ledgerRows(company: Company, { invoices, costs }: Sources): Iterable<SampleRow> {
  for (const { id, status, paid, department, vendor, cents, what } of invoices)
    if (status === 'PAID')
      yield [
        numbered('0fd10000', numberOf(id)),
        paid,
        department,
        vendor.category,
        dollars(cents),
        'INVOICE',
        id,
        `${vendor.name}: ${what}`,
        null,
      ];
  for (const { id, paid, person, month, amounts } of reimbursed(company))
    for (const [category, cents] of amounts) {
      const entry = numbered('0fd20000', numberOf(id) * 10 + categories.indexOf(category));
      yield [entry, paid, person.department, category, dollars(cents), 'EXPENSE_REPORT', id, `Expenses of ${month}`, null];
    }
  for (const { run, department, people, cents } of costs) {
    const entry = numbered('0fd30000', run.index * 10 + departmentNames.indexOf(department as DepartmentName));
    yield [entry, run.date, department, 'PAYROLL', dollars(cents), 'PAY_RUN', run.id, payRunTitle(run.type, run.date), people];
  }
}
