import { defineDomain } from '../../core/define.ts';

/** One audience, the database role tax_everyone: sql/tax/policies.sql. Tax numbers are cut to four digits before they are stored. */
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
