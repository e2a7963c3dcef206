/** The trail in the file of the embedded search store: whatever was done to its bytes shows. */
import { expect, test } from 'vitest';
import { verifyChains } from '../../src/core/audit.ts';
import { openSqlite } from '../../src/storage/sqlite-file.ts';
import { dan, KEY, openSearchWorld, recordFor } from './search-world.ts';

test('a record that was lengthened behind a NUL, or put before the first, is found', async () => {
  const world = await openSearchWorld('', 5);
  await world.store.once(dan, { id: undefined, tool: 'look' }, async () => ({ result: 1, audit: recordFor(dan, 'look') }));
  const [record] = await world.store.audit.newest({ limit: 1 });
  const verdict = () => verifyChains([world.store.audit], [], { chain: [KEY], checkpoint: [KEY] });
  expect(await verdict()).toMatchObject({ ok: true });
  const file = openSqlite('file' in world.place ? world.place.file : '');
  file.exec("UPDATE desk__audit SET body = CAST(CAST(body AS BLOB) || x'00' || 'and more' AS TEXT)");
  expect(await verdict()).toMatchObject({ ok: false, n: 1 });
  file.prepare('UPDATE desk__audit SET body = ?').run(record?.body ?? '');
  expect(await verdict()).toMatchObject({ ok: true });
  file.exec('INSERT INTO desk__audit SELECT chain, -7, body, mac, at, principal FROM desk__audit');
  expect(await verdict()).toMatchObject({ ok: false });
  file.close();
  await world.close();
});
