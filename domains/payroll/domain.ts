/** Declares the payroll domain. Each audience is a database role; domains/payroll/sql/policies.sql has the row policies. */
import { defineDomain } from '../../src/declare/define.ts';
import { peopleChanges } from '../../src/declare/engine-contracts.ts';
import { payrollRoles } from './exports.ts';
import { financeRoles } from '../finance/exports.ts';
import { hrRoles, salaryChanges } from '../hr/exports.ts';

export const payroll = defineDomain({
  name: 'payroll',
  title: 'Payroll',
  engine: 1,
  home: import.meta.url,
  port: 3106,
  store: 'sql',
  roles: payrollRoles,
  needs: {
    peopleChanges: { optional: peopleChanges, without: 'names and departures of employees are not updated' },
    salaryChanges: { optional: salaryChanges, without: 'salaries are not updated' },
  },
  rolesOf: [hrRoles, financeRoles],
  audiences: {
    everyone: { roles: ['payroll-read', 'payroll-write', 'hr-read', 'hr-write', 'executive'], sees: "everyone's payroll" },
    self: { roles: ['employee'], sees: 'their own pay, taxes, benefits and accounts', linked: true },
    /** Writes the copies of people and salaries; no tool selects it. */
    feed: { roles: [], sees: 'the names, the employment and the salaries of the people on the payroll' },
    /** For domains that enter the costs of pay runs; no tool selects it. */
    books: { roles: [], sees: 'the costs of each pay run by department' },
  },
  masks: {
    pay: {
      hides: 'every amount of pay',
      shownTo: ['hr-write', 'finance-read', 'finance-write', 'payroll-read', 'payroll-write', 'executive'],
      andOwner: true,
    },
  },
});
