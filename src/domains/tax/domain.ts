import { defineDomain } from '../../core/define.ts';

/** The tax domain. Its audience is the database role tax_everyone (sql/tax/policies.sql). Only four digits of a tax number are stored. */
export const tax = defineDomain({
  name: 'tax',
  title: 'Tax',
  port: 3107,
  store: 'sql',
  audiences: {
    everyone: {
      roles: ['tax-read', 'tax-write', 'finance-read', 'finance-write', 'executive'],
      sees: 'all tax records; of tax and account numbers the last four digits',
    },
  },
});
