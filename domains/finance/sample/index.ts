/** Sample data of finance, in the order of the foreign keys. */
import { arrOpening, arrRows } from './arr.ts';
import { type DepartmentCost, departmentCosts } from '../../payroll/sample/costs.ts';
import { budgetColumns, budgetLineRows, budgetRows } from './budgets.ts';
import { companyOf, type FinanceSampleOptions } from './company.ts';
import { addReimbursed, itemRows, reportColumns, reportRows } from './expenses.ts';
import { invoiceColumns, invoiceRows, invoices } from './invoices.ts';
import { ledgerColumns, ledgerRows } from './ledger.ts';
import type { SampleRow, SampleTable } from '../../../src/declare/sample.ts';

export function financeSample(options: FinanceSampleOptions): readonly SampleTable[] {
  const company = companyOf(options);
  const { people, today, year } = company;
  const table = (name: string, columns: string, estimate: number, rows: () => Iterable<SampleRow>): SampleTable => ({
    name: `finance.${name}`,
    columns: columns.split(' '),
    estimate: Math.ceil(estimate),
    rows,
  });
  function* everyone(): Iterable<SampleRow> {
    for (let n = 0; n < people.size; n++) {
      const { id, first, last, department, manager } = people.person(n);
      yield [id, `${first} ${last}`, department, manager === undefined ? null : people.idOf(manager), true];
    }
  }
  function* below(): Iterable<SampleRow> {
    for (let n = 0; n < people.size; n++) {
      const id = people.idOf(n);
      for (let up = people.managerOf(n); up !== undefined; up = people.managerOf(up)) yield [people.idOf(up), id];
    }
  }
  /** Two tables need the costs of the pay runs, so they are computed once. */
  let known: readonly DepartmentCost[] | undefined;
  const costs = () => (known ??= departmentCosts(options));
  const allInvoices = () => invoices(company, (totals) => addReimbursed(company, totals));
  const reporting = Math.min(people.size, 20_000);
  return [
    // The sample contains the rows that the trigger would write.
    { ...table('people', 'employee_id name department manager_id active', people.size, everyone), withoutTriggers: true },
    table('chain', 'manager_id employee_id', people.size * (Math.log10(people.size) + 0.3), below),
    table('budgets', budgetColumns, 24, () => budgetRows(company)),
    table('budget_lines', 'budget_id category fiscal_month allocated_amount', 2208, () => budgetLineRows(company, costs())),
    table('invoices', invoiceColumns, 1800, () => invoiceRows(company, allInvoices())),
    table('expense_reports', reportColumns, reporting * 2, () => reportRows(company)),
    table('expense_items', 'report_id n employee_id item_date category description amount receipt', reporting * 5, () => itemRows(company)),
    table('ledger', ledgerColumns, 1800 + reporting, () => ledgerRows(company, { invoices: allInvoices(), costs: costs() })),
    table('arr_opening', 'single arr subscriptions', 1, () => [arrOpening]),
    table('arr_months', 'month as_of_date new_arr expansion_arr contraction_arr churn_arr new_subscriptions lost_subscriptions', 30, () =>
      arrRows(year, today),
    ),
  ];
}
