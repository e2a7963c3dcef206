import { z } from 'zod';
import { asc, desc } from '../../../src/declare/order.ts';
import { tax } from '../domain.ts';
import { readers, registration, stateFor, stateName, stateNotFound } from '../schemas.ts';

export const listStateRegistrations = tax.list({
  name: 'list_state_registrations',
  title: 'State registrations',
  description:
    'The tax registrations of the company by state: tax, agency, status, filing frequency and the last four digits of the account ' +
    'number. An empty list means that the company is not registered there.',
  plural: 'state registrations',
  roles: readers,
  input: z.object({ state: stateName.optional() }),
  item: registration,
  order: { state: asc('state', 'tax_type', 'registration_id'), newest: desc('registered_on', 'registration_id') },
  errors: { STATE_NOT_FOUND: stateNotFound },
  examples: [
    { question: 'Are we registered in Texas?', as: 'tom.becker', input: { state: 'Texas' } },
    { question: 'In which states are we registered for taxes?', as: 'eve.thompson', input: {} },
    { question: 'Do we have a sales tax permit in WA?', as: 'bob.martinez', input: { state: 'WA' } },
    { question: 'Is the company registered in Wyoming?', as: 'tom.becker', input: { state: 'Wyoming' } },
    { question: 'Are we registered in Atlantis?', as: 'tom.becker', input: { state: 'Atlantis' }, expects: 'STATE_NOT_FOUND' },
  ],

  find: ({ state }, { sql, fail }) => sql`select * from tax.registrations where true ${sql.given({ state: stateFor(state, fail) })}`,
});
