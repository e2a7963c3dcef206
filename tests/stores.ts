/** The stores on which a suite runs. */
const asked = process.env.TAMSHAI_TEST_STORES;

/** Whether this run uses real servers instead of the embedded stores. */
export const onServers = asked === 'servers';

/** Whether the test server is a cluster of processes behind a load balancer. */
export const asCluster = onServers && process.env.TAMSHAI_TEST_SHAPE === 'cluster';

/** `npm test` uses the embedded store, `npm run test:servers` the servers. A file that is run by hand uses every available store. */
export function storesFor<T>(embedded: T, ...servers: readonly T[]): readonly T[] {
  if (asked === 'embedded') return [embedded];
  return onServers && servers.length > 0 ? servers : [embedded, ...servers];
}
