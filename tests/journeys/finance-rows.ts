/** Inserts finance rows in any status as the table owner, without tools and policies. */
import { randomUUID } from 'node:crypto';
import { employeeIdOf, type TestRuntime } from '../test-runtime.ts';

/** The author of rows. No test calls a tool as this person. */
export const CLERK = { id: 'cccccccc-cccc-4ccc-8ccc-cccccccccccc', name: 'Some Clerk' };
export const idOf = (who: string): string => (who === CLERK.name ? CLERK.id : employeeIdOf(who));

export type BudgetState = 'DRAFT' | 'PENDING_APPROVAL' | 'APPROVED' | 'REJECTED' | 'DELETED';
export type InvoiceState = 'PENDING' | 'APPROVED' | 'PAID' | 'REJECTED' | 'DELETED';
export type ReportState = 'DRAFT' | 'SUBMITTED' | 'APPROVED' | 'REJECTED' | 'REIMBURSED' | 'DELETED';

const insert = async (testRuntime: TestRuntime, table: string, row: Record<string, unknown>): Promise<void> => {
  const columns = Object.keys(row).join(', ');
  await testRuntime.owner(
    `insert into finance.${table} (${columns}) select ${columns} from json_populate_record(null::finance.${table}, $1::json)`,
    [JSON.stringify(row)],
  );
};
const at = '2026-11-10T10:00:00Z';
const by = (verb: string, who: string) => ({ [`${verb}_by`]: idOf(who), [`${verb}_by_name`]: who, [`${verb}_at`]: at });
const gone = (is: boolean) => (is ? { deleted_by: 'dddddddd-dddd-4ddd-8ddd-dddddddddddd', deleted_at: at } : {});

let year = 2030;
export async function newBudget(
  testRuntime: TestRuntime,
  state: BudgetState,
  people: { author?: string; approver?: string; year?: number } = {},
): Promise<string> {
  const { author = CLERK.name, approver = 'eve.thompson' } = people;
  const budget_id = randomUUID();
  // A department has at most one budget per year, so each new one gets another year. Tests that create many budgets delete them again.
  year = year === 2100 ? 2030 : year + 1;
  const status = state === 'DELETED' ? 'DRAFT' : state;
  await insert(testRuntime, 'budgets', {
    budget_id,
    department: 'Engineering',
    fiscal_year: people.year ?? year,
    status,
    created_by: idOf(author),
    created_by_name: author,
    created_at: at,
    row_version: 1,
    ...(status !== 'DRAFT' && by('submitted', author)),
    ...(status === 'APPROVED' && by('approved', approver === author ? 'Some Clerk' : approver)),
    ...(status === 'REJECTED' && {
      ...by('rejected', approver === author ? 'Some Clerk' : approver),
      rejection_reason: 'Not like this, please',
    }),
    ...gone(state === 'DELETED'),
  });
  for (const [category, allocated_amount] of [
    ['SOFTWARE', 1000.01],
    ['TRAVEL', 333.33],
    ['OTHER', 0],
  ] as const)
    await insert(testRuntime, 'budget_lines', { budget_id, category, fiscal_month: 1, allocated_amount, row_version: 1 });
  return budget_id;
}

export async function newInvoice(
  testRuntime: TestRuntime,
  state: InvoiceState,
  people: { author?: string; approver?: string } = {},
): Promise<string> {
  const { author = CLERK.name, approver = 'dan.williams' } = people;
  const invoice_id = randomUUID();
  const status = state === 'DELETED' ? 'PENDING' : state;
  await insert(testRuntime, 'invoices', {
    invoice_id,
    vendor_id: 'V-9999',
    vendor_name: 'Test Vendor',
    amount: 1234.56,
    currency: 'USD',
    description: 'Something',
    department: 'Engineering',
    category: 'SERVICES',
    status,
    invoice_date: '2026-11-01',
    due_date: '2026-12-01',
    row_version: 1,
    ...by('submitted', author),
    ...((status === 'APPROVED' || status === 'PAID') && by('approved', approver)),
    ...(status === 'PAID' && { paid_by: 'dddddddd-dddd-4ddd-8ddd-dddddddddddd', paid_by_name: 'Some Payer', payment_date: '2026-11-12' }),
    ...gone(state === 'DELETED'),
  });
  return invoice_id;
}

export async function newReport(
  testRuntime: TestRuntime,
  state: ReportState,
  whose: string,
  people: { approver?: string } = {},
): Promise<string> {
  const { approver = CLERK.name } = people;
  const report_id = randomUUID();
  const employee_id = idOf(whose);
  const status = state === 'DELETED' ? 'DRAFT' : state;
  await insert(testRuntime, 'expense_reports', {
    report_id,
    employee_id,
    employee_name: whose,
    department: 'Engineering',
    month: '2026-05',
    status,
    created_at: at,
    row_version: 1,
    ...(status !== 'DRAFT' && { submitted_at: at }),
    ...((status === 'APPROVED' || status === 'REIMBURSED') && by('approved', approver)),
    ...(status === 'REJECTED' && { ...by('rejected', approver), rejection_reason: 'Not like this, please' }),
    ...(status === 'REIMBURSED' && {
      reimbursed_by: 'dddddddd-dddd-4ddd-8ddd-dddddddddddd',
      reimbursed_by_name: 'Some Payer',
      reimbursed_at: at,
    }),
    ...gone(state === 'DELETED'),
  });
  for (const [n, [category, amount]] of (
    [
      ['TRAVEL', 10.1],
      ['MEALS', 20.2],
      ['SOFTWARE', 5.05],
    ] as const
  ).entries())
    await insert(testRuntime, 'expense_items', {
      report_id,
      n: n + 1,
      employee_id,
      item_date: '2026-05-04',
      category,
      description: `Item ${n + 1}`,
      amount,
      row_version: 1,
    });
  return report_id;
}

/** The stored row with all its columns, or an empty object. */
export async function stored(
  testRuntime: TestRuntime,
  table: 'budgets' | 'invoices' | 'expense_reports',
  id: string,
): Promise<Record<string, unknown>> {
  const key = { budgets: 'budget_id', invoices: 'invoice_id', expense_reports: 'report_id' }[table];
  const [row] = await testRuntime.owner(`select * from finance.${table} where ${key} = $1`, [id]);
  return row ?? {};
}
