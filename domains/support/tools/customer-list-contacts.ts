import { z } from 'zod';
import { asc } from '../../../src/declare/order.ts';
import { support } from '../domain.ts';
import { contactsOf, ledBy, NOT_THE_LEAD } from '../rules.ts';
import { contact } from '../schemas.ts';

export const customerListContacts = support.list({
  name: 'customer_list_contacts',
  title: 'Our contacts',
  description:
    'The people of your organisation who can use the portal, by name, with who leads and who has not answered the invitation yet. Only for the lead contact.',
  plural: 'contacts',
  roles: ['lead-customer'],
  input: z.object({}),
  item: contact,
  order: asc('name', 'contact_id'),
  examples: [
    {
      question: 'Who from our company can use this portal?',
      phrases: [
        'Who can log in to the portal from our side?',
        'Which colleagues of mine have portal accounts?',
        'Who has an account here?',
        'Which of us are registered here?',
        'Who has a login?',
        'Who on our side is signed up?',
        'Team members with access',
      ],
      as: 'jane.smith@acme.example',
      input: {},
    },
    {
      question: 'List our contacts',
      phrases: [
        'Who else has access to the portal?',
        'Show the users of our organisation',
        'Show me the people on our account',
        'Who is our lead?',
        'Who is the lead contact?',
        'Members of our organisation',
      ],
      as: 'mike.manager@globex.example',
      input: {},
    },
    {
      question: 'Has everyone accepted the invitation?',
      phrases: ["Who hasn't accepted their invitation yet?", 'Which invitations are outstanding?', 'Did everybody join the portal?'],
      as: 'peter.principal@initech.example',
      input: {},
    },
    { question: 'Who are the contacts of my company?', as: 'bob.developer@acme.example', input: {}, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],

  rows: async (_input, { search, me, fail }) => contactsOf((await ledBy(search, me)) ?? fail('INSUFFICIENT_PERMISSIONS', NOT_THE_LEAD)),
});
