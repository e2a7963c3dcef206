/** Declares the tax domain. The database stores only the last four digits of tax and account numbers. */
import { defineDomain } from '../../src/declare/define.ts';
import { taxRoles } from './exports.ts';
import { financeRoles } from '../finance/exports.ts';

export const tax = defineDomain({
  name: 'tax',
  title: 'Tax',
  engine: 1,
  home: import.meta.url,
  port: 3107,
  store: 'sql',
  roles: taxRoles,
  rolesOf: [financeRoles],
  audiences: {
    everyone: {
      roles: ['tax-read', 'tax-write', 'finance-read', 'finance-write', 'executive'],
      sees: 'all tax records; of tax and account numbers the last four digits',
    },
  },
});
