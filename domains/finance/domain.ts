/** Declares the finance domain. Each audience is a database role; domains/finance/sql/policies.sql has the row policies. */
import { defineDomain } from '../../src/declare/define.ts';
import { peopleChanges } from '../../src/declare/engine-contracts.ts';
import { payRunCosts } from '../payroll/exports.ts';
import { financeRoles } from './exports.ts';

export const finance = defineDomain({
  name: 'finance',
  title: 'Finance',
  engine: 1,
  home: import.meta.url,
  port: 3102,
  store: 'sql',
  roles: financeRoles,
  needs: {
    peopleChanges: { optional: peopleChanges, without: 'its copy of people does not change' },
    payRunCosts: { optional: payRunCosts, without: 'the ledger has no pay runs' },
  },
  records: { expense_report: { id: 'report_id' } },
  audiences: {
    everyone: {
      roles: ['finance-read', 'finance-write', 'executive'],
      sees: 'every budget, invoice and expense report, and recurring revenue',
    },
    team: {
      roles: ['manager'],
      sees: 'the budgets of their own department; expense reports of their own and of everyone who reports to them, at any level',
      linked: true,
    },
    self: { roles: ['employee'], sees: 'their own expense reports', linked: true },
    /** Writes the copy of people, and enters pay runs; no tool selects it. */
    feed: { roles: [], sees: 'the copy of people, and the pay runs in the ledger' },
  },
});
