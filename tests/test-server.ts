/** Opens the test server of the built-in domains on embedded stores, real servers or a cluster. */
import type { StoreKind } from '../src/declare/store-kinds.ts';
import {
  openTestServerOf,
  type PreparedStores,
  serversOf,
  type TestServer,
  type TestServerOptions,
  testSettings,
} from '../src/testing/test-server.ts';
import { freshDatabase, redisDatabase, SHARED_KEY } from './fresh-database.ts';
import { freshMongo } from './fresh-mongo.ts';
import { freshSearch } from './fresh-search.ts';
import { builtIn } from './registry.ts';
import { asCluster, onServers } from './stores.ts';
import { fillFolder, SQL_DOMAINS } from './template.ts';
import { startCluster } from './test-server-cluster.ts';

export const DOMAINS: readonly string[] = builtIn.domains.map(({ name }) => name);
export const SERVERS: readonly string[] = serversOf(builtIn);
const on = (kind: StoreKind) => builtIn.domains.filter(({ store }) => store === kind);

export const settingsFor = (folder: string): Record<string, string> => testSettings(builtIn, folder);

export const openTestServer = (
  settings: Readonly<Record<string, string>> = {},
  { model, servers, connections }: Pick<TestServerOptions, 'model' | 'servers' | 'connections'> = {},
): Promise<TestServer> =>
  openTestServerOf(builtIn, {
    settings,
    model,
    servers,
    connections,
    prepare: (folder, environment) => prepareStores(folder, environment, settings),
    ...(asCluster && servers === undefined && { launch: startCluster }),
  });

/** `given` contains the settings of the test. A test that sets the URL of a store must fill that store. */
async function prepareStores(
  folder: string,
  environment: Readonly<Record<string, string>>,
  given: Readonly<Record<string, string>>,
): Promise<PreparedStores> {
  const {
    TAMSHAI_TEST_REDIS_URL: redis,
    TAMSHAI_TEST_DATABASE_URL: database,
    TAMSHAI_TEST_MONGODB_URL: mongo,
    TAMSHAI_TEST_OPENSEARCH_URL: opensearch,
  } = onServers ? process.env : {};
  const settings: Record<string, string> = {};
  const closing: (() => Promise<unknown>)[] = [];
  if (redis && !given['REDIS_URL']) settings['REDIS_URL'] = await redisDatabase(redis);
  const masterKey = environment['TAMSHAI_MASTER_KEY'] ?? SHARED_KEY;
  const outside = database ? await freshDatabase(database, SQL_DOMAINS, masterKey, folder) : undefined;
  if (outside) {
    settings['TAMSHAI_MASTER_KEY'] = masterKey;
    settings['DATABASE_URL'] = outside.url;
    closing.push(outside.drop);
  } else if (!environment['DATABASE_URL']) await fillFolder(folder, SQL_DOMAINS);
  if (mongo && on('documents').length > 0 && !given['SALES_MONGODB_URL']) {
    const fresh = await freshMongo(mongo, on('documents'));
    settings['MONGODB_URL'] = fresh.url;
    closing.push(fresh.drop);
  }
  if (opensearch && on('search').length > 0 && !given['SUPPORT_ELASTICSEARCH_URL']) {
    const fresh = await freshSearch(opensearch, on('search'));
    Object.assign(settings, fresh.settings);
    closing.push(fresh.drop);
  }
  return {
    settings,
    owner: outside && (async (text, values) => (await outside.owner.query<Record<string, unknown>>(text, values as unknown[])).rows),
    async close() {
      for (const each of closing.reverse()) await each();
    },
  };
}
