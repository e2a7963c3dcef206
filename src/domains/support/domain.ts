import { defineDomain } from '../../core/define.ts';
import { filters, NONE } from '../../core/filter.ts';
import type { Person } from '../../core/people.ts';
import { field, type LookUp } from '../../core/search.ts';

const { where, all, any } = filters;

/** A customer without an organisation sees nothing: no value must not mean every row. */
const ofOrganisation = ({ organizationId }: Person, key: string) =>
  organizationId === undefined ? NONE : where({ [key]: organizationId });

/** The organisation's own record says who leads it. A token is minutes old, and knows nothing of a transfer since then. */
async function leads(person: Person, look: LookUp): Promise<boolean> {
  const { organizationId, sub } = person;
  if (organizationId === undefined) return false;
  return (await look('organizations', where({ organization_id: organizationId })))?.['lead_contact_id'] === sub;
}
const ownOrShared = (person: Person) =>
  all(ofOrganisation(person, 'customer_id'), any(where({ contact_id: person.sub }), where({ visibility: 'organization' })));

const forCustomers = () => where({ status: 'published', audience: 'public' });
/** What customers neither see nor find anything by. */
const INSIDE = ['internal_notes', 'tags', 'assigned_to', 'resolved_by', 'sla_deadline', 'sla_met', 'resolution_minutes', 'tier'] as const;

export const support = defineDomain({
  name: 'support',
  title: 'Support',
  port: 3104,
  store: 'search',
  audiences: {
    everyone: { roles: ['support-read', 'support-write', 'executive'], sees: 'every ticket and article' },
    organisation: {
      roles: ['lead-customer'],
      sees: 'the tickets and contacts of their organisation, as long as it names them as its lead; public articles',
    },
    own: { roles: ['basic-customer'], sees: 'their own tickets and those shared with their organisation; public articles' },
  },
  actsAtOnce: 'A ticket and a comment are the customer’s own words.',
  collections: {
    tickets: {
      key: 'ticket_id',
      fields: {
        subject: field.text(5),
        description: field.text(1),
        tags: field.text(2),
        customer_name: field.text(2),
        contact_name: field.text(1),
        resolution: field.text(0.5),
        'comments.body': field.text(0.5),
        internal_notes: field.text(0.5),
        status: field.word,
        priority: field.word,
        category: field.word,
        customer_id: field.word,
        contact_id: field.word,
        visibility: field.word,
        tier: field.word,
        assigned_to: field.word,
        resolved_by: field.word,
        resolved_by_name: field.word,
        created_at: field.time,
        updated_at: field.time,
        resolved_at: field.time,
        sla_deadline: field.time,
        resolution_minutes: field.number,
        sla_met: field.flag,
      },
      rows: {
        everyone: 'all',
        organisation: async (person, look) => ((await leads(person, look)) ? ofOrganisation(person, 'customer_id') : ownOrShared(person)),
        own: ownOrShared,
      },
      writers: ['everyone', 'organisation', 'own'],
      hides: { organisation: INSIDE, own: INSIDE },
      indexes: [['created_at'], ['status', 'created_at'], ['customer_id', 'created_at'], ['status', 'sla_deadline'], ['resolved_at']],
    },
    articles: {
      key: 'article_id',
      fields: {
        title: field.text(5),
        summary: field.text(2),
        content: field.text(1),
        tags: field.text(2),
        category: field.word,
        status: field.word,
        audience: field.word,
        updated_at: field.time,
      },
      rows: { everyone: 'all', organisation: forCustomers, own: forCustomers },
      indexes: [['status', 'updated_at']],
    },
    /** One document for each organisation, its people inside: a change of its lead is a change of one document, on every store. */
    organizations: {
      key: 'organization_id',
      fields: { lead_contact_id: field.word },
      rows: {
        everyone: 'none',
        // Nobody but the lead reads the list of people, whatever the token says.
        organisation: async (person, look) => ((await leads(person, look)) ? ofOrganisation(person, 'organization_id') : NONE),
        own: (person) => ofOrganisation(person, 'organization_id'),
      },
      writers: ['organisation'],
      hides: { own: ['contacts'] },
    },
  },
});

export const customers = ['lead-customer', 'basic-customer'] as const;
