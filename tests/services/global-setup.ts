/** Starts the servers that TAMSHAI_TEST_SERVERS names and sets their addresses for the tests. It starts none by default. */
import { buildIfStale } from './built.ts';
import { startMongo } from './mongo.ts';
import { startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';
import { startSearch } from './search.ts';
import type { TestServer } from './server-process.ts';
import { startToxiproxy } from './toxiproxy.ts';

/** The variable that holds the address of each server. If it is set already, that server is used. */
const SERVERS: Readonly<Record<string, readonly [variable: string, start: () => Promise<TestServer>]>> = {
  postgres: ['TAMSHAI_TEST_DATABASE_URL', startPostgres],
  redis: ['TAMSHAI_TEST_REDIS_URL', startRedis],
  mongo: ['TAMSHAI_TEST_MONGODB_URL', startMongo],
  toxiproxy: ['TAMSHAI_TEST_TOXIPROXY_URL', startToxiproxy],
  opensearch: ['TAMSHAI_TEST_OPENSEARCH_URL', () => startSearch('opensearch')],
  elasticsearch: ['TAMSHAI_TEST_ELASTICSEARCH_URL', () => startSearch('elasticsearch')],
};

export default async function start(): Promise<() => Promise<void>> {
  buildIfStale();
  const running: TestServer[] = [];
  const stop = async () => {
    await Promise.all(running.map((server) => server.stop()));
  };
  const names = (process.env['TAMSHAI_TEST_SERVERS'] ?? '').split(',').filter(Boolean);
  const unknown = names.find((name) => !Object.hasOwn(SERVERS, name));
  if (unknown !== undefined) throw new Error(`TAMSHAI_TEST_SERVERS names an unknown server: ${unknown}`);
  // Starts all at the same time, because a start mostly waits.
  const starts = await Promise.allSettled(
    names.map(async (name) => {
      const [variable, open] = SERVERS[name] ?? [];
      if (variable === undefined || open === undefined || process.env[variable]) return;
      const server = await open();
      running.push(server);
      process.env[variable] = server.url;
    }),
  );
  const failed = starts.find((each) => each.status === 'rejected');
  if (failed) {
    await stop();
    throw failed.reason;
  }
  if (running.length > 0) console.log(`Running beside the tests: ${running.map(({ version }) => version).join(', ')}.`);
  return stop;
}
