/** The audit log in the file of the embedded search store: verification detects changed, added and misfiled records. */
import { expect, test } from 'vitest';
import { verifyChains } from '../../src/engine/audit/verify.ts';
import { openSqlite } from '../../src/storage/sqlite-file.ts';
import { dan, KEY, openSearchTestStore, recordFor } from './search-test-store.ts';

test('verification detects a record that was extended after a NUL, misfiled by person or time, or inserted before the first', async () => {
  const testRuntime = await openSearchTestStore('', 5);
  await testRuntime.store.executeOnce(dan, { id: undefined, tool: 'look' }, async () => ({ result: 1, audit: recordFor(dan, 'look') }));
  const [record] = await testRuntime.store.audit.newest({ limit: 1 });
  const verdict = () => verifyChains([testRuntime.store.audit], [], { keys: { chain: [KEY], checkpoint: [KEY] }, own: () => false });
  expect(await verdict()).toMatchObject({ ok: true });
  const file = openSqlite('file' in testRuntime.place ? testRuntime.place.file : '');
  const filed = file.prepare('SELECT at, principal FROM desk__audit').raw().get() as [string, string];
  file.exec("UPDATE desk__audit SET body = CAST(CAST(body AS BLOB) || x'00' || 'and more' AS TEXT)");
  expect(await verdict()).toMatchObject({ ok: false, n: 1 });
  file.prepare('UPDATE desk__audit SET body = ?').run(record?.body ?? '');
  expect(await verdict()).toMatchObject({ ok: true });
  for (const change of ["principal = 'staff:eve'", "at = '1970-01-01T00:00:00.000Z'", "body = 'no JSON'"]) {
    file.exec(`UPDATE desk__audit SET ${change}`);
    expect([change, await verdict()]).toMatchObject([change, { ok: false, n: 1 }]);
    // A misfiled record is hidden until it is restored.
    expect(await testRuntime.store.audit.newest({ limit: 1 })).toEqual([]);
    file.prepare('UPDATE desk__audit SET at = ?, principal = ?, body = ?').run(...filed, record?.body ?? '');
    expect(await testRuntime.store.audit.newest({ limit: 1 })).toEqual([record]);
  }
  file.exec('INSERT INTO desk__audit SELECT chain, -7, body, mac, at, principal FROM desk__audit');
  expect(await verdict()).toMatchObject({ ok: false });
  file.close();
  await testRuntime.close();
});
