/** Declares the payroll domain. Each audience is a database role; domains/payroll/sql/policies.sql has the row policies. */
import { defineDomain } from '../../src/declare/define.ts';
import { peopleChanges } from '../../src/declare/engine-contracts.ts';
import { payrollRoles } from './exports.ts';
import { financeRoles } from '../finance/exports.ts';
import { hrRoles } from '../hr/exports.ts';

export const payroll = defineDomain({
  name: 'payroll',
  title: 'Payroll',
  engine: 1,
  home: import.meta.url,
  port: 3106,
  store: 'sql',
  roles: payrollRoles,
  needs: { peopleChanges: { optional: peopleChanges, without: 'names and departures of employees are not updated' } },
  rolesOf: [hrRoles, financeRoles],
  audiences: {
    everyone: { roles: ['payroll-read', 'payroll-write', 'hr-read', 'hr-write', 'executive'], sees: "everyone's payroll" },
    self: { roles: ['employee'], sees: 'their own pay, taxes, benefits and accounts', linked: true },
    /** Writes the copy of people; no tool selects it. */
    feed: { roles: [], sees: 'the names and the employment of the people on the payroll' },
  },
  masks: {
    pay: {
      hides: 'every amount of pay',
      shownTo: ['hr-write', 'finance-read', 'finance-write', 'payroll-read', 'payroll-write', 'executive'],
      andOwner: true,
    },
  },
});
