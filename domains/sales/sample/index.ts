/** Sample data of sales, one generator per collection. */
import { customerCount, customers, PLANTED_CUSTOMERS } from './customers.ts';
import { dealCount, deals } from './deals.ts';
import { leadCount, leads } from './leads.ts';
import type { SampleCollection } from '../../../src/declare/sample.ts';
import { quotas, type SalesSampleOptions, salesTeam } from './team.ts';

export function salesSample(options: SalesSampleOptions): readonly SampleCollection[] {
  const team = salesTeam(options);
  return [
    { name: 'customers', estimate: PLANTED_CUSTOMERS + customerCount(team), documents: () => customers(team) },
    { name: 'opportunities', estimate: dealCount(team), documents: () => deals(team) },
    { name: 'leads', estimate: leadCount(team), documents: () => leads(team) },
    { name: 'quotas', estimate: team.reps.length * 12, documents: () => quotas(team) },
  ];
}
