/** The tools of the sales domain. */
export { closeOpportunity } from './tools/close-opportunity.ts';
export { deleteCustomer } from './tools/delete-customer.ts';
export { deleteOpportunity } from './tools/delete-opportunity.ts';
export { getCustomer } from './tools/get-customer.ts';
export { getForecast } from './tools/get-forecast.ts';
export { getPipeline } from './tools/get-pipeline.ts';
export { listCustomers } from './tools/list-customers.ts';
export { listLeads } from './tools/list-leads.ts';
export { listOpportunities } from './tools/list-opportunities.ts';
