/** The configuration of this project: the domains that `npx tamshai start` serves. */
import { defineConfig } from 'tamshai';
import { hr } from 'tamshai/domains';
import { {{name}} } from './{{name}}/index.ts';

export default defineConfig({
  company: { name: 'My company', timeZone: 'UTC', currency: 'USD', fiscalYearStart: 1 },
  domains: [hr, {{name}}],
});
