/** Declares the sales domain. All its callers see all rows. A deleted row stays in the store with a mark, but no tool shows it. */
import { defineDomain } from '../../src/declare/define.ts';
import { salesRoles } from './exports.ts';

export const sales = defineDomain({
  name: 'sales',
  title: 'Sales',
  engine: 1,
  home: import.meta.url,
  port: 3103,
  store: 'documents',
  roles: salesRoles,
  audiences: {
    everyone: { roles: ['sales-read', 'sales-write', 'executive'], sees: 'every customer, deal, lead and quota' },
  },
  collections: {
    customers: {
      rows: { everyone: 'all' },
      writers: ['everyone'],
      indexes: [['name'], ['status', 'name'], ['annual_revenue'], ['created_at'], ['plain_name']],
    },
    opportunities: {
      rows: { everyone: 'all' },
      writers: ['everyone'],
      indexes: [
        ['value'],
        ['close_date'],
        ['created_at'],
        ['stage', 'value'],
        ['stage', 'close_date'],
        ['owner_id'],
        ['customer_id', 'value'],
      ],
    },
    leads: { rows: { everyone: 'all' }, writers: ['everyone'], indexes: [['score'], ['status', 'score'], ['created_at'], ['email']] },
    quotas: { rows: { everyone: 'all' }, indexes: [['quarter']] },
  },
});
