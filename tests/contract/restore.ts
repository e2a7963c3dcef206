/** Restores the rows of domains after a write, so that tests can share one test server. */
import type { AnyDomain } from '../../src/declare/tool.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openRawStore } from '../../src/testing/raw-store.ts';
import { copies } from './arrange.ts';
import { registry } from './calls.ts';

/**
 * Saves the rows of all domains. The returned function takes the domain that a test wrote to. It restores every SQL domain, which is cheap
 * because each table records whether it was written to; of the domains in other stores, it restores only that one.
 */
export async function snapshot(testServer: TestServer): Promise<(domain: AnyDomain) => Promise<void>> {
  const back = new Map<AnyDomain, () => Promise<void>>();
  for (const domain of registry.domains) back.set(domain, await (await openRawStore(testServer, domain, copies)).snapshot());
  return async (written) => {
    for (const [domain, each] of back) if (domain.store === 'sql' || domain === written) await each();
  };
}
