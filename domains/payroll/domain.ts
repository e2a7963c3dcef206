/** Declares the payroll domain. Each audience is a database role (payroll_everyone, payroll_self); see domains/payroll/sql/policies.sql. */
import { defineDomain } from '../../src/declare/define.ts';
import { payrollRoles } from './exports.ts';
import { financeRoles } from '../finance/exports.ts';
import { hrRoles } from '../hr/exports.ts';

export const payroll = defineDomain({
  name: 'payroll',
  title: 'Payroll',
  home: import.meta.url,
  port: 3106,
  store: 'sql',
  roles: payrollRoles,
  rolesOf: [hrRoles, financeRoles],
  audiences: {
    everyone: { roles: ['payroll-read', 'payroll-write', 'hr-read', 'hr-write', 'executive'], sees: "everyone's payroll" },
    self: { roles: ['employee'], sees: 'their own pay, taxes, benefits and accounts', linked: true },
  },
  masks: {
    pay: {
      hides: 'every amount of pay',
      shownTo: ['hr-write', 'finance-read', 'finance-write', 'payroll-read', 'payroll-write', 'executive'],
      andOwner: true,
    },
  },
});
