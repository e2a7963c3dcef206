/** Schemas shared by the payroll tools: fields, rows and not-found errors. */
import { z } from 'zod';
import { amount, companyText, idOf, masked, storedDay, storedId } from '../../src/declare/fields.ts';

export const employeeId = idOf('Employee not found: an employee id is a UUID. Find it by name with find_employees.');
export const ownByDefault = employeeId.optional().describe('employee_id from find_employees; by default your own');
export const payStubId = idOf('Pay stub not found: a pay stub id is a UUID. Find it with list_pay_stubs.').describe(
  'pay_stub_id from list_pay_stubs',
);
export const payRunId = idOf('Pay run not found: a pay run id is a UUID. Find it with list_pay_runs.').describe(
  'pay_run_id from list_pay_runs',
);

/** One error for employees who left, do not exist or are not visible: the caller must not be able to tell which. */
export const employeeNotFound = {
  message: 'Employee not found. Verify the employee ID is correct.',
  hint: 'Leave employee_id out for your own, or find the id of an active employee that you may see with find_employees.',
};

/** An amount with the mask `pay`. */
export const pay = (schema = amount) => masked('pay', schema);

export const runType = z.enum(['REGULAR', 'BONUS', 'OFF_CYCLE']);

export const totals = {
  gross: pay(),
  total_taxes: pay(),
  total_deductions: pay(),
  net: pay(amount.describe('gross − total_taxes − total_deductions')),
};

export const payRun = z.object({
  pay_run_id: storedId,
  run_type: runType,
  status: z.enum(['APPROVED', 'PAID']).describe('PAID from the pay date on'),
  pay_date: storedDay,
  period_start: storedDay,
  period_end: storedDay,
  employee_count: z.int(),
  ...totals,
  employer_taxes: pay(),
  employer_benefits: pay(),
});

export const payStub = z.object({
  pay_stub_id: storedId,
  employee_id: storedId,
  employee_name: companyText,
  department: companyText,
  pay_run_id: storedId,
  run_type: runType,
  pay_date: storedDay,
  period_start: storedDay,
  period_end: storedDay,
  ...totals,
});

export const nextPayDate = storedDay.nullable().describe('The next pay day without a pay run');
