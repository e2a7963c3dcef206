import { z } from 'zod';
import { asc } from '../../../src/declare/order.ts';
import { support } from '../domain.ts';
import { contactsOf, ledBy, NOT_THE_LEAD } from '../rules.ts';
import { contact } from '../schemas.ts';

export const customerListContacts = support.list({
  name: 'customer_list_contacts',
  title: 'Our contacts',
  description:
    'The people of your organisation who can use the portal, by name, with their role and whether they have accepted the invitation. ' +
    'Only for the lead contact.',
  plural: 'contacts',
  roles: ['lead-customer'],
  input: z.object({}),
  item: contact,
  order: asc('name', 'contact_id'),
  examples: [
    { question: 'Who from our company can use this portal?', as: 'jane.smith@acme.example', input: {} },
    { question: 'List our contacts', as: 'mike.manager@globex.example', input: {} },
    { question: 'Has everyone accepted the invitation?', as: 'peter.principal@initech.example', input: {} },
    { question: 'Who are the contacts of my company?', as: 'bob.developer@acme.example', input: {}, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],

  rows: async (_input, { search, me, fail }) => contactsOf((await ledBy(search, me)) ?? fail('INSUFFICIENT_PERMISSIONS', NOT_THE_LEAD)),
});
