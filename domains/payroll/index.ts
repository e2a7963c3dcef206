/** The tools of the payroll domain. */
export { getBenefits } from './tools/get-benefits.ts';
export { getDirectDeposit } from './tools/get-direct-deposit.ts';
export { getPayStub } from './tools/get-pay-stub.ts';
export { getPayrollSummary } from './tools/get-payroll-summary.ts';
export { getTaxWithholdings } from './tools/get-tax-withholdings.ts';
export { listContractors } from './tools/list-contractors.ts';
export { listPayRuns } from './tools/list-pay-runs.ts';
export { listPayStubs } from './tools/list-pay-stubs.ts';
export { runPayroll } from './tools/run-payroll.ts';
