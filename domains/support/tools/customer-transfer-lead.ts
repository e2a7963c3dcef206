import { z } from 'zod';
import { prose, storedId, untrusted, uuid } from '../../../src/declare/fields.ts';
import { support } from '../domain.ts';
import { ledBy, NOT_THE_LEAD } from '../rules.ts';
import { organization } from '../schemas.ts';

export const customerTransferLead = support.write({
  name: 'customer_transfer_lead',
  title: 'Hand over the lead',
  description:
    'Make another contact the lead of your organisation. There is always exactly one lead. Afterwards only the new ' +
    'lead can make you lead again.',
  roles: ['lead-customer'],
  effect: 'changes',
  input: z.object({
    contact_id: uuid.describe('Id of the new lead'),
    reason: prose(500).optional().describe('Shown on the approval card and stored in the audit log'),
  }),
  output: z.object({ organization_id: storedId, organization_name: untrusted, lead_contact_id: storedId, lead_name: untrusted }),
  errors: {
    CONTACT_NOT_FOUND: 'Find the id with customer_list_contacts.',
    ALREADY_LEAD: { message: 'You are already the lead.', hint: 'Name another contact; customer_list_contacts shows them.' },
    CONTACT_NOT_ACTIVE: {
      message: 'This contact has not accepted the invitation yet.',
      hint: 'Only active contacts can lead; find them with customer_list_contacts.',
    },
  },
  examples: [
    {
      question: 'Make Tim the lead instead of me',
      as: 'peter.principal@initech.example',
      input: { contact_id: '0c000000-0000-4000-8000-000000000006' },
    },
    {
      question: 'Bob Developer should be our lead contact from now on',
      as: 'jane.smith@acme.example',
      input: { contact_id: '0c000000-0000-4000-8000-000000000002' },
    },
    {
      question: 'Hand the lead over to Ravi Anand',
      as: 'mike.manager@globex.example',
      input: { contact_id: '0c100000-0000-4000-8000-000000000004' },
      expects: 'CONTACT_NOT_ACTIVE',
    },
    {
      question: 'Make Jane Smith our lead',
      as: 'peter.principal@initech.example',
      input: { contact_id: '0c000000-0000-4000-8000-000000000001' },
      expects: 'CONTACT_NOT_FOUND',
    },
    {
      question: 'Make me the lead',
      as: 'bob.developer@acme.example',
      input: { contact_id: '0c000000-0000-4000-8000-000000000002' },
      expects: 'INSUFFICIENT_PERMISSIONS',
    },
  ],

  async prepare({ contact_id }, { search, me, fail }) {
    const own = (await ledBy(search, me)) ?? fail('INSUFFICIENT_PERMISSIONS', NOT_THE_LEAD);
    const next = own.contacts.find((each) => each.contact_id === contact_id) ?? fail('CONTACT_NOT_FOUND', { contact_id });
    if (contact_id === own.lead_contact_id) throw fail('ALREADY_LEAD', { contact_id });
    if (next.status !== 'active') throw fail('CONTACT_NOT_ACTIVE', { contact_id });
    return {
      summary: `Make ${next.name} the lead of ${own.name}; you become a contact, and only ${next.name} can make you lead again`,
      subject: { label: `${own.name}: ${next.name} (${next.email})`, id: own.organization_id },
      changes: [
        { field: 'lead', from: me.name, to: next.name },
        {
          field: 'your_access',
          from: `All tickets and contacts of ${own.name}`,
          to: 'Your own tickets and those shared with the organisation',
        },
      ],
    };
  },

  async execute({ contact_id }, { search, me, now, fail }) {
    // The update requires that the caller is still the lead. Of two concurrent transfers, the second one fails.
    const mine = search.where({ organization_id: me.organizationId ?? '', lead_contact_id: me.sub });
    const changed = await search.change(organization, 'organizations', mine, {
      lead_contact_id: contact_id,
      updated_at: now.toISOString(),
    });
    const lead = changed.contacts.find((each) => each.contact_id === contact_id) ?? fail('CONTACT_NOT_FOUND', { contact_id });
    return { organization_id: changed.organization_id, organization_name: changed.name, lead_contact_id: contact_id, lead_name: lead.name };
  },
});
