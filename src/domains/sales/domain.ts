import { defineDomain } from '../../core/define.ts';

/** The sales domain: every caller with a sales role sees all deals. Deleted rows are marked, and no tool shows them. */
export const sales = defineDomain({
  name: 'sales',
  title: 'Sales',
  port: 3103,
  store: 'documents',
  audiences: {
    everyone: { roles: ['sales-read', 'sales-write', 'executive'], sees: 'every customer, deal, lead and quota' },
  },
  collections: {
    customers: { rows: { everyone: 'all' }, writers: ['everyone'], indexes: [['name'], ['status', 'name']] },
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
    leads: { rows: { everyone: 'all' }, indexes: [['score'], ['status', 'score']] },
    quotas: { rows: { everyone: 'all' }, indexes: [['quarter']] },
  },
});
