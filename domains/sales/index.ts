/** The tools of the sales domain. */
export { closeOpportunity } from './tools/close-opportunity.ts';
export { convertLead } from './tools/convert-lead.ts';
export { createCustomer } from './tools/create-customer.ts';
export { createLead } from './tools/create-lead.ts';
export { createOpportunity } from './tools/create-opportunity.ts';
export { deleteCustomer } from './tools/delete-customer.ts';
export { deleteOpportunity } from './tools/delete-opportunity.ts';
export { getCustomer } from './tools/get-customer.ts';
export { getForecast } from './tools/get-forecast.ts';
export { getOpportunity } from './tools/get-opportunity.ts';
export { getPipeline } from './tools/get-pipeline.ts';
export { listCustomers } from './tools/list-customers.ts';
export { listLeads } from './tools/list-leads.ts';
export { listOpportunities } from './tools/list-opportunities.ts';
export { updateCustomer } from './tools/update-customer.ts';
export { updateLead } from './tools/update-lead.ts';
export { updateOpportunity } from './tools/update-opportunity.ts';
