/** Schemas shared by the support tools: tickets, comments, articles, contacts and organisations. */
import { z } from 'zod';
import {
  anyCase,
  callerText,
  companyText,
  line,
  signInName,
  storedEmail,
  storedId,
  storedTime,
  untrusted,
  uuid,
} from '../../src/declare/fields.ts';

export const statuses = ['open', 'in_progress', 'pending', 'resolved', 'closed'] as const;
/** Tickets with these statuses are not solved yet. The SLA applies to them. */
export const unresolved = ['open', 'in_progress', 'pending'] as const;
export const priorities = ['critical', 'high', 'medium', 'low'] as const;
export const tiers = ['enterprise', 'business', 'startup', 'free'] as const;
export const categories = [
  'account',
  'api',
  'billing',
  'data_export',
  'getting_started',
  'integrations',
  'performance',
  'reporting',
  'security',
  'other',
] as const;
export const resolutionTypes = ['solved', 'workaround', 'duplicate', 'cannot_reproduce', 'wont_fix'] as const;

export const status = anyCase(statuses).describe('Status of the ticket');
export const priority = anyCase(priorities).describe('How urgent it is');
export const category = anyCase(categories).describe('What it is about');
export const ticketId = uuid.describe('Id of the ticket');
export const articleId = uuid.describe('Id of the article');
export const words = line(500).describe('Plain words to look for, typos allowed; leave it out for the newest');

export const ticketNotFound = 'Find the id with search_tickets.';
export const customerTicketNotFound = 'Find the id with customer_list_tickets.';

export const comment = z.object({
  comment_id: storedId,
  author_name: untrusted,
  author_kind: z.enum(['customer', 'staff']),
  body: untrusted,
  created_at: storedTime,
});
/** The comment that the caller has just sent. The text is the caller's own, so it is not untrusted. */
export const sentComment = comment.extend({ author_name: callerText, body: callerText });
const found = {
  _score: z.number().describe('How well it matches the words; 0 without words'),
  highlights: z.record(companyText, z.array(untrusted)).describe('Field → excerpts of its text as HTML, with the matches in <em>'),
};

/** A ticket as staff see it. */
export const ticket = z.object({
  ticket_id: storedId,
  subject: untrusted,
  description: untrusted,
  status: z.enum(statuses),
  priority: z.enum(priorities),
  category: z.enum(categories),
  tags: z.array(untrusted),
  customer_id: storedId,
  customer_name: untrusted,
  customer_email: storedEmail,
  contact_name: untrusted,
  tier: z.enum(tiers),
  assigned_to: storedId.nullable(),
  assigned_to_name: companyText.nullable(),
  created_at: storedTime,
  updated_at: storedTime,
  sla_deadline: storedTime.describe('The deadline for the solution'),
  resolved_at: storedTime.nullable(),
  resolved_by_name: signInName.nullable(),
  resolution: untrusted.nullable(),
  resolution_type: z.enum(resolutionTypes).nullable(),
  customer_notified: z.boolean().nullable(),
  internal_notes: untrusted.nullable(),
});
export const foundTicket = ticket.extend(found);

/** A ticket as customers see it. */
export const customerTicket = z.object({
  ticket_id: storedId,
  subject: untrusted,
  status: z.enum(statuses),
  priority: z.enum(priorities),
  category: z.enum(categories),
  visibility: z.enum(['private', 'organization']),
  opened_by: untrusted,
  agent: companyText.nullable(),
  created_at: storedTime,
  updated_at: storedTime,
  resolved_at: storedTime.nullable(),
});
export const fullCustomerTicket = customerTicket.extend({
  description: untrusted,
  resolution: untrusted.nullable(),
  resolution_type: z.enum(resolutionTypes).nullable(),
  comments: z.array(comment),
});
/** The ticket that the caller has just submitted. The text is the caller's own, so it is not untrusted. */
export const submittedTicket = fullCustomerTicket.extend({ subject: callerText, opened_by: callerText, description: callerText });
/** The stored form has other field names for `opened_by` and `agent`. */
export const storedCustomerTicket = fullCustomerTicket
  .omit({ opened_by: true, agent: true })
  .extend({ contact_name: untrusted, assigned_to_name: companyText.nullable() });
export const foundFields = z.object(found);

const articleFields = {
  article_id: storedId,
  title: untrusted,
  content: untrusted,
  summary: untrusted,
  category: z.enum(categories),
  tags: z.array(untrusted),
  updated_at: storedTime,
};
export const article = z.object({
  ...articleFields,
  author: companyText,
  status: z.enum(['draft', 'published', 'archived']),
  audience: z.enum(['public', 'internal']).describe('public: customers read it too'),
  view_count: z.int().min(0),
  helpful_votes: z.int().min(0),
  created_at: storedTime,
});
export const foundArticle = article.omit({ content: true }).extend(found);
export const customerArticle = z.object({ ...articleFields, ...found });

export const contact = z.object({
  contact_id: storedId,
  name: untrusted,
  email: storedEmail,
  role: z.enum(['lead', 'contact']),
  status: z.enum(['active', 'invited']),
  invited_at: storedTime,
  invited_by: untrusted.nullable(),
});
/** `lead_contact_id` is one field, so an organisation has exactly one lead. */
export const organization = z.object({
  organization_id: storedId,
  name: untrusted,
  lead_contact_id: companyText,
  contacts: z.array(contact.omit({ role: true })),
});
export type Organization = z.output<typeof organization>;
