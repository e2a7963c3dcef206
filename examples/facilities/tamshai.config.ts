/** The configuration of Northwind GmbH: three built-in domains and two of its own. */
import { defineConfig } from 'tamshai';
import { hr, knowledge, tasks } from 'tamshai/domains';
import { northwind } from './company/northwind.ts';
import { facilities } from './facilities/index.ts';
import { fleet } from './fleet/index.ts';

export default defineConfig({
  company: { name: 'Northwind GmbH', timeZone: 'Europe/Berlin', currency: 'EUR', fiscalYearStart: 4 },
  domains: [hr, tasks, knowledge, facilities, fleet],
  sample: northwind,
});
