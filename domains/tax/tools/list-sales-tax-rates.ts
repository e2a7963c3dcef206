import { z } from 'zod';
import { line } from '../../../src/declare/fields.ts';
import { asc, desc } from '../../../src/declare/order.ts';
import { anywhere } from '../../../src/declare/sql.ts';
import { tax } from '../domain.ts';
import { readers, salesTaxRate, stateFor, stateName, stateNotFound } from '../schemas.ts';

export const listSalesTaxRates = tax.list({
  name: 'list_sales_tax_rates',
  title: 'Sales tax rates',
  description:
    'Sales tax rates that are valid today, in percent: for each state its own rate first, then the rates with additions of ' +
    'counties, cities and districts.',
  plural: 'sales tax rates',
  roles: readers,
  input: z.object({
    state: stateName.optional(),
    jurisdiction: line(100).min(1).optional().describe('Any part of the name of a state, county, city or district, such as Seattle'),
  }),
  item: salesTaxRate,
  order: { state: asc('state', 'local_rate', 'jurisdiction', 'rate_id'), highest_rate: desc('combined_rate', 'rate_id') },
  errors: { STATE_NOT_FOUND: stateNotFound },
  examples: [
    { question: 'What is the sales tax rate in California?', as: 'tom.becker', input: { state: 'California' } },
    { question: 'How much sales tax do we charge in Seattle?', as: 'bob.martinez', input: { jurisdiction: 'Seattle' } },
    { question: 'Show me the local sales tax rates in TX', as: 'eve.thompson', input: { state: 'TX' } },
    { question: 'Sales tax for Los Angeles county, California', as: 'tom.becker', input: { state: 'CA', jurisdiction: 'Los Angeles' } },
    { question: 'List all sales tax rates', as: 'tom.becker', input: {} },
    { question: 'What is the VAT rate in Bavaria?', as: 'bob.martinez', input: { state: 'Bavaria' }, expects: 'STATE_NOT_FOUND' },
    { question: 'What is the sales tax in New York?', as: 'frank.davis', input: { state: 'NY' }, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],

  find: ({ state, jurisdiction }, { sql, today, fail }) => sql`
    select * from tax.rates where effective_from <= ${today}::date and (effective_to is null or effective_to >= ${today}::date)
    ${sql.given({ state: stateFor(state, fail) })}
    ${sql.when(jurisdiction, () => sql`jurisdiction ilike ${anywhere(jurisdiction ?? '')}`)}`,
});
