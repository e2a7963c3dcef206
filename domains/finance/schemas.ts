/** Schemas shared by the finance tools: fields, rows and not-found errors. */
import { z } from 'zod';
import {
  amount,
  anyCase,
  companyText,
  day,
  idOf,
  line,
  money,
  readable,
  signInName,
  storedDay,
  storedId,
  storedTime,
  untrusted,
} from '../../src/declare/fields.ts';
import { fiscal } from '../../src/declare/periods.ts';

export const budgetId = idOf('Budget not found: a budget id is a UUID. Find it with list_budgets.').describe('budget_id from list_budgets');
export const invoiceId = idOf('Invoice not found: an invoice id is a UUID. Find it with list_invoices.').describe(
  'invoice_id from list_invoices',
);
export const reportId = idOf('Expense report not found: a report id is a UUID. Find it with list_expense_reports.').describe(
  'report_id from list_expense_reports',
);
export const employeeId = idOf('Employee not found: an employee id is a UUID. Find it by name with find_employees.').describe(
  'employee_id from find_employees',
);
export const departmentName = line(100)
  .min(1)
  .describe('Department, such as Engineering; case does not matter')
  .meta({ examples: ['Engineering', 'Finance', 'HR', 'Legal', 'Marketing', 'Operations', 'Sales', 'Support'] });
export const fiscalYear = fiscal(z.int().min(2000).max(2100).describe('Fiscal year, which is {fiscalYear}'));
export const month = z
  .string()
  .max(7, 'Give a month as YYYY-MM')
  .regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'Give a month as YYYY-MM, from 01 to 12');
/** Ten billion fits into the database column and is more than any real amount. */
export const sum = money.max(10_000_000_000, 'That is more than 10,000,000,000 {currency}');

export const rejectionReason = readable(
  z.string().min(10, 'Give a reason of at least 10 characters').max(500, 'Give a reason of at most 500 characters'),
).describe('The reason; the person who submitted it reads it');

export const budgetNotFound = {
  message: 'Budget not found. Verify the budget ID, or the department and the year.',
  hint: 'List the budgets that you may see with list_budgets.',
};
export const invoiceNotFound = {
  message: 'Invoice not found. Verify the invoice ID is correct.',
  hint: 'Find the id with list_invoices, by vendor or status.',
};
export const monthOutsideYear = {
  message: 'A line names a month outside the fiscal year of the budget.',
  hint: 'Give months of that fiscal year, as YYYY-MM, or leave the month out to divide an amount among the year.',
};
export const itemErrors = {
  ITEM_DATE_OUT_OF_RANGE: {
    message: "An item's date is outside the month of the report, or in the future.",
    hint: 'Give each item a day of that month, and submit a separate report for each other month.',
  },
  ITEMS_DO_NOT_ADD_UP: {
    message: 'The items do not add up to the total.',
    hint: 'Correct the items or the total; details has the sum of the items.',
  },
};
export const departmentNotFound = {
  message: 'No department of this name has people.',
  hint: 'Give a department that list_budgets shows, or ask HR for its name.',
};
export const reportNotFound = {
  message: 'Expense report not found. Verify the report ID, or the employee and the month.',
  hint: 'Find the reports that you may see with list_expense_reports.',
};

const categories = ['SOFTWARE', 'SERVICES', 'TRAVEL', 'FACILITIES', 'EQUIPMENT', 'TRAINING', 'OTHER'] as const;
export const category = z.enum(categories);
/** Invoices and expenses have no PAYROLL; it comes from pay runs. */
const budgetCategories = [...categories, 'PAYROLL'] as const;
export const spendingCategory = z.enum(budgetCategories);
export const spendingFilter = anyCase(budgetCategories);
/** The category of an invoice, in any case. */
export const invoiceCategory = anyCase(categories);
const sources = ['INVOICE', 'EXPENSE_REPORT', 'PAY_RUN', 'OPENING'] as const;
export const sourceFilter = anyCase(sources);
export const ledgerEntry = z.object({
  entry_id: storedId,
  entry_date: storedDay.describe('Day of the payment'),
  department: companyText,
  category: spendingCategory,
  amount,
  source: z.enum(sources).describe('OPENING: spent before entries had a source'),
  source_id: storedId.nullable().describe('invoice_id, report_id or pay_run_id; null for OPENING and for the payroll of a quarter'),
  description: untrusted,
});

const budgetStates = ['DRAFT', 'PENDING_APPROVAL', 'APPROVED', 'ACTIVE', 'CLOSED', 'REJECTED'] as const;
export const budgetFilter = anyCase(budgetStates);
export const figures = {
  allocated_amount: amount.describe('The requested amount of the period; after the approval, the approved amount'),
  spent_amount: amount.describe('The sum of the ledger in the period, which list_spending shows'),
  remaining_amount: amount.describe('allocated − spent'),
  utilization_percent: z.number().nullable().describe('100 × spent / allocated; null if nothing is allocated'),
};
const decided = {
  approved_by: storedId.nullable(),
  approved_by_name: signInName.nullable(),
  approved_at: storedTime.nullable(),
  approver_notes: untrusted.nullable(),
  rejected_by: storedId.nullable(),
  rejected_by_name: signInName.nullable(),
  rejected_at: storedTime.nullable(),
  rejection_reason: untrusted.nullable(),
};
export const budget = z.object({
  budget_id: storedId,
  department: companyText,
  fiscal_year: z.int(),
  status: z.enum(budgetStates).describe('APPROVED before its year, ACTIVE from the first day of its year, CLOSED after close_budget'),
  period: companyText.describe('What the amounts cover: 2026, 2026-Q4 or 2026-11'),
  ...figures,
  created_by: storedId,
  created_by_name: companyText,
  submitted_by: storedId.nullable(),
  submitted_by_name: signInName.nullable(),
  submitted_at: storedTime.nullable(),
  comments: untrusted.nullable(),
  updated_by: storedId.nullable(),
  updated_by_name: signInName.nullable(),
  updated_at: storedTime.nullable(),
  ...decided,
  closed_by: storedId.nullable(),
  closed_by_name: signInName.nullable(),
  closed_at: storedTime.nullable(),
  closing_notes: untrusted.nullable(),
});
export const budgetCategory = z.object({ category: spendingCategory, ...figures });
export const budgetMonth = z.object({ month: companyText.describe('YYYY-MM'), ...figures });

const invoiceStates = ['PENDING', 'APPROVED', 'PAID', 'REJECTED', 'OVERDUE'] as const;
export const invoiceFilter = anyCase(invoiceStates);
export const invoice = z.object({
  invoice_id: storedId,
  vendor_id: companyText,
  vendor_name: untrusted,
  amount,
  currency: companyText,
  description: untrusted,
  department: companyText,
  category,
  status: z.enum(invoiceStates).describe('OVERDUE: not paid, and the due date has passed'),
  waits_for: z.enum(['APPROVAL', 'PAYMENT']).nullable().describe('What an unpaid invoice waits for, overdue or not'),
  overdue: z.boolean().describe('True if the status is OVERDUE'),
  invoice_date: storedDay,
  due_date: storedDay,
  submitted_by: storedId,
  submitted_by_name: companyText,
  submitted_at: storedTime,
  approved_by: storedId.nullable(),
  approved_by_name: signInName.nullable(),
  approved_at: storedTime.nullable(),
  approver_notes: untrusted.nullable(),
  rejected_by: storedId.nullable(),
  rejected_by_name: signInName.nullable(),
  rejected_at: storedTime.nullable(),
  rejection_reason: untrusted.nullable(),
  paid_by: storedId.nullable(),
  paid_by_name: signInName.nullable(),
  payment_date: storedDay.nullable(),
  payment_reference: untrusted.nullable(),
  payment_notes: untrusted.nullable(),
});

const reportStates = ['DRAFT', 'SUBMITTED', 'APPROVED', 'REJECTED', 'REIMBURSED'] as const;
export const reportFilter = anyCase(reportStates);
export const expenseCategories = ['TRAVEL', 'LODGING', 'MEALS', 'TRANSPORT', 'SUPPLIES', 'SOFTWARE', 'TRAINING', 'OTHER'] as const;
export const expenseCategory = z.enum(expenseCategories);
export const expenseReport = z.object({
  report_id: storedId,
  employee_id: storedId,
  employee_name: companyText,
  department: companyText,
  month: companyText.describe('YYYY-MM'),
  status: z.enum(reportStates),
  total: amount.describe('Sum of the items'),
  item_count: z.int(),
  submitted_at: storedTime.nullable(),
  ...decided,
  reimbursed_by: storedId.nullable(),
  reimbursed_by_name: signInName.nullable(),
  reimbursed_at: storedTime.nullable(),
  payment_reference: untrusted.nullable(),
  payment_notes: untrusted.nullable(),
});
export const expenseItem = z.object({
  date: storedDay,
  category: expenseCategory,
  description: untrusted,
  amount,
  receipt: untrusted.nullable().describe('File or number of the receipt; null if there is none'),
});
/** An item in the input of submit_expense_report. */
export const newExpenseItem = z.strictObject({
  date: day.optional().describe('Day of the expense, in the month of the report; by default today, or the last day of an earlier month'),
  category: anyCase(expenseCategories).default('OTHER').describe('Kind of expense'),
  description: line(200).min(1).describe('What it was for'),
  amount: money.min(0.01, 'The amount of an item must be above zero').max(1_000_000).describe('In {currency}'),
  receipt: line(200).min(1).optional().describe('File or number of the receipt'),
});
export type NewItem = z.output<typeof newExpenseItem>;
export const fullReport = expenseReport.extend({ items: z.array(expenseItem) });
