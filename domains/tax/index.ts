/** The tools of the tax domain. */
export { getTaxSummary } from './tools/get-tax-summary.ts';
export { listAnnualFilings } from './tools/list-annual-filings.ts';
export { listAuditLogs } from './tools/list-audit-logs.ts';
export { listQuarterlyEstimates } from './tools/list-quarterly-estimates.ts';
export { listSalesTaxRates } from './tools/list-sales-tax-rates.ts';
export { listStateRegistrations } from './tools/list-state-registrations.ts';
