/** Restores the rows of domains, so that one test server serves many tests of writes. */
import type { AnyDomain } from '../../src/core/tool.ts';
import type { TestServer } from '../test-server.ts';
import { openRawStore } from './raw-store.ts';
import { registry } from './calls.ts';

/** Tables know whether they were written to; other stores are restored only for the domain that was written to. */
export async function snapshot(testServer: TestServer): Promise<(domain: AnyDomain) => Promise<void>> {
  const back = new Map<AnyDomain, () => Promise<void>>();
  for (const domain of registry.domains) back.set(domain, await (await openRawStore(testServer, domain)).snapshot());
  return async (written) => {
    for (const [domain, each] of back) if (domain.store === 'sql' || domain === written) await each();
  };
}
