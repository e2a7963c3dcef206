import { buildIfStale } from './built.ts';
import { startMongo } from './mongo.ts';
import { NotRunnable, startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';
import { startSearch } from './search.ts';
import type { TestServer } from './server-process.ts';
import { startToxiproxy } from './toxiproxy.ts';

/**
 * Starts what TAMSHAI_TEST_SERVERS names (postgres, redis, mongo, opensearch, elasticsearch, toxiproxy; nothing by default) and tells the suites
 * where it is. A PostgreSQL that cannot run here is left out of the embedded run, and fails the run that is about servers.
 */
export default async function start(): Promise<() => Promise<void>> {
  buildIfStale();
  const wanted = new Set((process.env.TAMSHAI_TEST_SERVERS ?? '').split(',').filter(Boolean));
  const needed = process.env.TAMSHAI_TEST_STORES === 'servers';
  const running: TestServer[] = [];
  if (wanted.has('postgres') && !process.env.TAMSHAI_TEST_DATABASE_URL) {
    try {
      const postgres = await startPostgres();
      running.push(postgres);
      process.env.TAMSHAI_TEST_DATABASE_URL = postgres.url;
    } catch (error) {
      if (needed || !(error instanceof NotRunnable)) throw error;
      console.log(`${error.message} The suites run on the embedded stores alone.`);
    }
  }
  if (wanted.has('redis') && !process.env.TAMSHAI_TEST_REDIS_URL) {
    const redis = await startRedis();
    running.push(redis);
    process.env.TAMSHAI_TEST_REDIS_URL = redis.url;
  }
  if (wanted.has('mongo') && !process.env.TAMSHAI_TEST_MONGODB_URL) {
    const mongo = await startMongo();
    running.push(mongo);
    process.env.TAMSHAI_TEST_MONGODB_URL = mongo.url;
  }
  if (wanted.has('toxiproxy') && !process.env.TAMSHAI_TEST_TOXIPROXY_URL) {
    const toxiproxy = await startToxiproxy();
    running.push(toxiproxy);
    process.env.TAMSHAI_TEST_TOXIPROXY_URL = toxiproxy.url;
  }
  const searches = [
    ['opensearch', 'TAMSHAI_TEST_OPENSEARCH_URL'],
    ['elasticsearch', 'TAMSHAI_TEST_ELASTICSEARCH_URL'],
  ] as const;
  for (const [product, variable] of searches) {
    if (!wanted.has(product) || process.env[variable]) continue;
    const search = await startSearch(product);
    running.push(search);
    process.env[variable] = search.url;
  }
  if (running.length > 0) console.log(`Running beside the tests: ${running.map(({ version }) => version).join(', ')}.`);
  return async () => {
    await Promise.all(running.map((server) => server.stop()));
  };
}
