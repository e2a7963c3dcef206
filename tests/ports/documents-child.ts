/** A child process that kills itself in the middle of a change. Arguments: file or address, confirmation id. */
import { carol, deal, effected, openPlace, storeOn } from './documents-test-store.ts';

const [place = '', id = ''] = process.argv.slice(2);
const store = storeOn(await openPlace(place), 'sales-child');
await store.executeOnce(carol, { id, tool: 'test' }, async ({ writing: { documents } }) => {
  await documents.change(deal, 'deals', documents.where({ _id: 'd0000' }), { stage: 'HALF' });
  process.stdout.write('changed\n', () => process.kill(process.pid, 'SIGKILL'));
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  return effected('never');
});
