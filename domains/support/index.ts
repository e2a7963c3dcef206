/** The tools of the support domain. */
export { closeTicket } from './tools/close-ticket.ts';
export { customerAddComment } from './tools/customer-add-comment.ts';
export { customerGetTicket } from './tools/customer-get-ticket.ts';
export { customerInviteContact } from './tools/customer-invite-contact.ts';
export { customerListContacts } from './tools/customer-list-contacts.ts';
export { customerListTickets } from './tools/customer-list-tickets.ts';
export { customerSearchKb } from './tools/customer-search-kb.ts';
export { customerSubmitTicket } from './tools/customer-submit-ticket.ts';
export { customerTransferLead } from './tools/customer-transfer-lead.ts';
export { getAgentMetrics } from './tools/get-agent-metrics.ts';
export { getKnowledgeArticle } from './tools/get-knowledge-article.ts';
export { getSlaSummary } from './tools/get-sla-summary.ts';
export { getSlaTickets } from './tools/get-sla-tickets.ts';
export { searchKnowledgeBase } from './tools/search-knowledge-base.ts';
export { searchTickets } from './tools/search-tickets.ts';
