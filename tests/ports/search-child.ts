/** A child process that kills itself at a given point while it closes a ticket. */
import { filters } from '../../src/declare/filter.ts';
import { z } from 'zod';
import { dan, openAt, type Place, recordFor, storeOn } from './search-test-store.ts';

const [, , place = '{}', id = '', where = ''] = process.argv;
const die = () => process.kill(process.pid, 'SIGKILL');
const backend = await openAt(JSON.parse(place) as Place, (name) => {
  if (name === where) die();
});
await storeOn(backend, 'desk-child').executeOnce(dan, { id, tool: 'close_ticket' }, async ({ writing }) => {
  const data = await writing.search.change(z.object({ status: z.string() }), 'tickets', filters.where({ ticket_id: 't-0003' }), {
    status: 'archived',
  });
  if (where === 'in-body') die();
  return { result: { status: 'success', data }, audit: recordFor(dan, 'close_ticket', id) };
});
console.log('done');
await backend.close();
