/** Declares the support domain: tickets, help articles and customer organisations, and the rows that each audience sees. */
import { defineDomain } from '../../src/declare/define.ts';
import { failure } from '../../src/declare/errors.ts';
import { uuid } from '../../src/declare/fields.ts';
import { filters, NONE } from '../../src/declare/filter.ts';
import type { Person } from '../../src/declare/people.ts';
import { field, type LookUp } from '../../src/declare/search.ts';
import { type Organization, organization } from './schemas.ts';
import { supportRoles } from './exports.ts';

const { where, all, any } = filters;

/** A customer without an organisation sees nothing: an undefined filter value would match every row. */
const ofOrganisation = ({ organizationId }: Person, key: string) =>
  organizationId === undefined ? NONE : where({ [key]: organizationId });

/** Reads the lead from the organisation, because a token may be older than a transfer of the lead. */
async function leads(person: Person, look: LookUp): Promise<boolean> {
  const { organizationId, sub } = person;
  if (organizationId === undefined) return false;
  return (await look('organizations', where({ organization_id: organizationId })))?.['lead_contact_id'] === sub;
}
const ownOrShared = (person: Person) =>
  all(ofOrganisation(person, 'customer_id'), any(where({ contact_id: person.sub }), where({ visibility: 'organization' })));

/** `email` is empty unless the identity provider has verified the address. */
const isFor = ({ status, email }: Organization['contacts'][number], person: Person) =>
  status === 'invited' && email.toLowerCase() === person.email.toLowerCase();
/** A person who is already a contact cannot accept an invitation. */
const isInvited = ({ contacts }: Organization, person: Person) =>
  !contacts.some(({ contact_id }) => contact_id === person.sub) && contacts.some((each) => isFor(each, person));
const accepted = ({ contacts }: Organization, person: Person, now: Date) => ({
  contacts: contacts.map((each) => (isFor(each, person) ? { ...each, contact_id: person.sub, status: 'active' } : each)),
  updated_at: now.toISOString(),
});

const forCustomers = () => where({ status: 'published', audience: 'public' });
/** Customers neither see nor search these fields. */
const INSIDE = ['internal_notes', 'tags', 'assigned_to', 'resolved_by', 'sla_deadline', 'sla_met', 'resolution_minutes', 'tier'] as const;

export const support = defineDomain({
  name: 'support',
  title: 'Support',
  engine: 1,
  home: import.meta.url,
  port: 3104,
  store: 'search',
  roles: supportRoles,
  audiences: {
    everyone: { roles: ['support-read', 'support-write', 'executive'], sees: 'every ticket and article' },
    organisation: {
      roles: ['lead-customer'],
      sees: 'the tickets and contacts of their organisation, if it names them as its lead; public articles',
    },
    /** The audience of an invited person during the first call. */
    newcomer: { roles: [], sees: 'only their own organisation, to record that the invitation was accepted' },
    /** For sign-in; no tool selects it. */
    signin: { roles: [], sees: 'which contact leads each organisation' },
    own: { roles: ['basic-customer'], sees: 'their own tickets and those shared with their organisation; public articles' },
  },
  onFirstUse: {
    name: 'accept_invitation',
    audience: 'newcomer',
    // The account id (`sub`) becomes the contact id, and tools read contact ids as UUIDs in lower case.
    appliesTo: ({ realm, sub, email, organizationId }) =>
      realm === 'customer' && organizationId !== undefined && email !== '' && uuid.safeParse(sub).success && sub === sub.toLowerCase(),
    async isPending(person, { search }) {
      const own = await search.get(organization, 'organizations', person.organizationId ?? '');
      return own !== null && isInvited(own, person);
    },
    async apply(person, now, { search }) {
      const theirs = search.where({ organization_id: person.organizationId ?? '' });
      await search.change(organization, 'organizations', theirs, (row) => {
        if (!isInvited(row, person)) throw failure('CHANGED_SINCE_APPROVAL', 'The invitation was accepted before.');
        return accepted(row, person, now);
      });
    },
  },
  actsAtOnce: 'Tickets and comments contain only what the customer writes.',
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
        newcomer: 'none',
        signin: 'none',
        own: ownOrShared,
      },
      writers: ['everyone', 'organisation', 'own'],
      hides: { organisation: INSIDE, own: INSIDE },
      indexes: [
        ['created_at'],
        ['status', 'created_at'],
        ['customer_id', 'created_at'],
        ['sla_deadline'],
        ['status', 'sla_deadline'],
        ['resolved_at'],
      ],
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
      rows: { everyone: 'all', organisation: forCustomers, newcomer: 'none', signin: 'none', own: forCustomers },
      indexes: [['status', 'updated_at']],
    },
    /** One document contains an organisation and its contacts, so every store can transfer the lead in one atomic write. */
    organizations: {
      key: 'organization_id',
      fields: { lead_contact_id: field.word },
      rows: {
        everyone: 'none',
        // The role in the token is not enough: the organisation must name the caller as its lead.
        organisation: async (person, look) => ((await leads(person, look)) ? ofOrganisation(person, 'organization_id') : NONE),
        newcomer: (person) => ofOrganisation(person, 'organization_id'),
        signin: 'all',
        own: (person) => ofOrganisation(person, 'organization_id'),
      },
      writers: ['organisation', 'newcomer'],
      hides: { own: ['contacts'], signin: ['contacts'] },
    },
  },
});

export const customers = ['lead-customer', 'basic-customer'] as const;
