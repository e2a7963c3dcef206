/** Schemas shared by the tax tools: fields, rows and not-found errors. */
import { z } from 'zod';
import { amount, companyText, line, storedDay, storedId, untrusted } from '../../src/declare/fields.ts';
import type { CommonCode, Details } from '../../src/declare/errors.ts';
import type { SqlTag, SqlText } from '../../src/declare/sql.ts';
import { stateCode } from './states.ts';

export const readers = ['tax-read', 'finance-read', 'executive'] as const;

export const stateName = line(40).min(1).describe('US state by its code or name, such as CA or California; case does not matter');
/** A misspelt state must be an error: an empty list would mean "not registered there". */
export const stateNotFound = {
  message: 'There is no such US state.',
  hint: 'Give a US state by its two letters or its name: CA or California.',
};
export function stateFor(given: string | undefined, fail: (code: 'STATE_NOT_FOUND', details: Details) => never): string | undefined {
  return given === undefined ? undefined : (stateCode(given) ?? fail('STATE_NOT_FOUND', { state: given }));
}
export type Refuse = (code: CommonCode, details: Details) => never;

export const taxYear = z.int().min(2000).max(2100);
/** A two-letter code; US is the federal government. */
export const authority = companyText.describe('Two letters of the state; US is federal');
export const jurisdictionName = companyText.describe('Name of the state, or Federal');

export const overdue = (sql: SqlTag, today: string): SqlText => sql`(not settled and deadline < ${today}::date)`;

export const estimate = z.object({
  estimate_id: storedId,
  year: z.int().describe('Tax year'),
  quarter: z.int(),
  state: authority,
  jurisdiction: jurisdictionName,
  due_date: storedDay,
  extended_to: storedDay.nullable().describe('Extended due date that the authority has granted'),
  estimated_amount: amount,
  paid_amount: amount,
  remaining_amount: amount,
  last_paid_on: storedDay.nullable(),
  status: z.enum(['paid', 'partially_paid', 'unpaid']),
  overdue: z.boolean().describe('Not fully paid although its date has passed'),
});

export const filing = z.object({
  filing_id: storedId,
  tax_year: z.int(),
  state: authority,
  jurisdiction: jurisdictionName,
  form: companyText,
  title: companyText,
  due_date: storedDay,
  extended_to: storedDay.nullable().describe('Extended due date that the authority has granted'),
  status: z.enum(['not_started', 'in_preparation', 'filed', 'accepted']),
  overdue: z.boolean().describe('Not filed, or not fully paid, although its date has passed'),
  filed_on: storedDay.nullable(),
  total_tax: amount.nullable().describe('Tax for the whole year; null until it is known'),
  prepaid: amount.describe("Covered by the year's estimates"),
  balance_due: amount.describe('What the estimates left to pay'),
  balance_paid: amount,
  refund_due: amount,
  confirmation_number: untrusted.nullable(),
  ein_last4: companyText.describe('Last four digits of the employer identification number'),
  prepared_by: untrusted,
});

export const registration = z.object({
  registration_id: storedId,
  state: companyText.describe('Two letters of the state'),
  state_name: companyText,
  tax_type: z.enum(['sales_and_use', 'corporate_income', 'franchise', 'gross_receipts', 'payroll_withholding']),
  agency: companyText,
  account_last4: companyText.nullable().describe('Last four digits of the account number; null until the state has given one'),
  status: z.enum(['pending', 'active', 'closed']),
  filing_frequency: z.enum(['monthly', 'quarterly', 'annually']),
  registered_on: storedDay,
  closed_on: storedDay.nullable(),
});

export const salesTaxRate = z.object({
  rate_id: storedId,
  state: companyText.describe('Two letters of the state'),
  state_name: companyText,
  jurisdiction: companyText.describe('State, county, city or district'),
  jurisdiction_type: z.enum(['state', 'county', 'city', 'district']),
  state_rate: z.number().describe('Percent'),
  local_rate: z.number().describe('Percent that county, city and district add'),
  combined_rate: z.number().describe('Percent in all'),
  effective_from: storedDay,
  effective_to: storedDay.nullable(),
});

/** The tax summary lists at most this many deadlines and filings. */
export const MOST_DEADLINES = 12;
export const MOST_FILINGS = 5;

const obligation = z.object({
  kind: z.enum(['estimated_payment', 'annual_return']),
  id: storedId.describe('estimate_id or filing_id'),
  state: authority,
  jurisdiction: jurisdictionName,
  title: companyText,
  due_date: storedDay.describe('With an extension, if there is one'),
  amount: amount.nullable().describe('Still to pay; null for a return whose tax is not known yet'),
});
/** The tax position of a period, without the period itself. */
export const taxPosition = z.object({
  liability: amount,
  paid: amount,
  remaining: amount,
  due_to_date: amount.describe('The part of the liability that was due by today'),
  paid_of_due: amount.describe('The paid part of the amount that was due by today'),
  compliance: z
    .enum(['compliant', 'at_risk', 'non_compliant'])
    .describe('non_compliant: something of this or an earlier period is overdue; at_risk: less than 80 % of what was due is paid'),
  overdue_count: z.int(),
  overdue_amount: amount,
  overdue: z.array(obligation.extend({ days_overdue: z.int() })).describe(`Of this and earlier periods, the oldest ${MOST_DEADLINES}`),
  deadlines: z.array(obligation.extend({ days_left: z.int() })).describe(`The next ${MOST_DEADLINES} from today, whatever the period`),
  by_state: z
    .array(z.object({ state: authority, jurisdiction: jurisdictionName, liability: amount, paid: amount, remaining: amount }))
    .describe('Federal first; adds up to the totals'),
  recent_filings: z
    .array(
      z.object({
        filing_id: storedId,
        tax_year: z.int(),
        state: authority,
        jurisdiction: jurisdictionName,
        form: companyText,
        filed_on: storedDay,
        status: z.enum(['filed', 'accepted']),
      }),
    )
    .describe(`The last ${MOST_FILINGS} returns that were filed by today`),
});
