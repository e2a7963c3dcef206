/** Puts the rows of domains back to where they were, so that one site serves many tests of writes. */
import type { AnyDomain } from '../../src/core/tool.ts';
import type { TestServer } from '../test-server.ts';
import { openRawStore } from './raw-store.ts';
import { registry } from './calls.ts';

/** Tables know whether they were written to; of all else, only the domain that was written to is put back. */
export async function snapshot(testServer: TestServer): Promise<(domain: AnyDomain) => Promise<void>> {
  const back = new Map<AnyDomain, () => Promise<void>>();
  for (const domain of registry.domains) back.set(domain, await (await openRawStore(testServer, domain)).snapshot());
  return async (written) => {
    for (const [domain, each] of back) if (domain.store === 'sql' || domain === written) await each();
  };
}
