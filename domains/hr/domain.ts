/** Declares the hr domain. Each audience is a database role; domains/hr/sql/policies.sql has the row policies. */
import { defineDomain } from '../../src/declare/define.ts';
import { hrRoles } from './exports.ts';
import { financeRoles } from '../finance/exports.ts';
import { payrollRoles } from '../payroll/exports.ts';

export const hr = defineDomain({
  name: 'hr',
  title: 'People',
  engine: 1,
  home: import.meta.url,
  port: 3101,
  store: 'sql',
  roles: hrRoles,
  rolesOf: [financeRoles, payrollRoles],
  actsAtOnce: 'Employees keep their own phone number and address up to date, and acknowledge their own reviews.',
  audiences: {
    everyone: { roles: ['hr-read', 'hr-write', 'executive'], sees: 'every employee' },
    reports: { roles: ['manager'], sees: 'everyone who reports to them, at any level; their own record by its id', linked: true },
    self: { roles: ['employee'], sees: 'their own records', linked: true },
    // No role has this audience. A tool with `audience: 'directory'` selects it for every caller.
    directory: { roles: [], sees: 'the name, job, place and manager of every employee; nothing private' },
    /** For domains that keep a copy of people; no tool selects it. */
    feed: { roles: [], sees: 'the name, department, manager and employment of everyone, in the order of changes' },
    /** For payroll, which pays the salaries; no tool selects it. */
    salaries: { roles: [], sees: 'the salaries of everyone, in the order of changes' },
  },
  records: { time_off_request: { id: 'request_id' } },
  masks: {
    pay: {
      hides: 'salary',
      shownTo: ['hr-write', 'finance-read', 'finance-write', 'payroll-read', 'payroll-write', 'executive'],
      andOwner: true,
    },
    planned_pay: { hides: 'salaries that are planned for a later day', shownTo: ['hr-write', 'executive'], andOwner: false },
    contact: { hides: 'phone and home address', shownTo: ['hr-write', 'executive'], andOwner: true },
    ssn: { hides: 'social security number', shownTo: ['hr-write', 'executive'], andOwner: false },
  },
});
