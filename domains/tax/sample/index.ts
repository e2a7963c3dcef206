/** Sample data of tax, in the order of the foreign keys. */
import { persona } from '../../sample-company/people.ts';
import type { SampleRow, SampleTable } from '../../../src/declare/sample.ts';
import { EIN, logRows } from './log.ts';
import { estimatesFor, filingsFor, ratesFor, registrationsFor, todayOf } from './records.ts';

export interface TaxSampleOptions {
  /** The number of employees. Only the audit log grows with it. */
  readonly employees: number;
  readonly today: Date;
}

const money = (cents: number) => cents / 100;
const lastFour = (number: string) => number.replaceAll('-', '').slice(-4);

export function taxSample({ employees, today: now }: TaxSampleOptions): readonly SampleTable[] {
  const today = todayOf(now);
  const rates = ratesFor(today);
  const estimates = estimatesFor(today);
  const filings = filingsFor(today, estimates);
  const registrations = registrationsFor(today);
  const logs = Math.max(400, Math.round(employees / 10));
  const preparer = persona('tom.becker').name;
  const table = (name: string, columns: string, estimate: number, rows: () => Iterable<SampleRow>): SampleTable => ({
    name: `tax.${name}`,
    columns: columns.split(' '),
    estimate,
    rows,
  });

  return [
    table(
      'sales_tax_rates',
      'rate_id state jurisdiction jurisdiction_type state_rate local_rate effective_from effective_to',
      rates.length,
      () =>
        rates.map((each) => [each.id, each.state, each.place, each.type, each.stateRate / 1000, each.localRate / 1000, each.from, each.to]),
    ),
    table(
      'quarterly_estimates',
      'estimate_id year quarter state due_date extended_to estimated_amount paid_amount last_paid_on',
      estimates.length,
      () =>
        estimates.map((each) => [
          each.id,
          each.year,
          each.quarter,
          each.state,
          each.due,
          each.extended,
          money(each.amount),
          money(each.paid),
          each.paidOn,
        ]),
    ),
    table(
      'annual_filings',
      'filing_id tax_year state form title due_date extended_to status filed_on total_tax prepaid balance_paid ' +
        'confirmation_number ein_last4 prepared_by',
      filings.length,
      () =>
        filings.map(({ id, year, of, due, extended, status, filedOn, total, prepaid, confirmation }) => [
          id,
          year,
          of.state,
          of.form,
          of.title,
          due,
          extended,
          status,
          filedOn,
          total === null ? null : money(total),
          money(prepaid),
          total === null ? 0 : money(Math.max(0, total - prepaid)),
          confirmation,
          lastFour(EIN),
          preparer,
        ]),
    ),
    table(
      'state_registrations',
      'registration_id state tax_type agency account_last4 status filing_frequency registered_on closed_on',
      registrations.length,
      () =>
        registrations.map(({ id, state, type, agency, account, status, frequency, since, closed }) => [
          id,
          state,
          type,
          agency,
          status === 'pending' ? null : lastFour(account),
          status,
          frequency,
          since,
          closed,
        ]),
    ),
    table('audit_logs', 'log_id at action entity_type entity_id user_id user_name before after notes', logs, () =>
      logRows({ rates, estimates, filings, registrations }, logs, employees, now),
    ),
  ];
}
