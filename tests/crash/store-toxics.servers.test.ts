/** The whole product on MongoDB and OpenSearch whose answers are slow, truncated or lost. */
import { MongoClient } from 'mongodb';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SuccessAnswer } from '../../src/declare/answer.ts';
import { freshMongo } from '../fresh-mongo.ts';
import { freshSearch } from '../fresh-search.ts';
import { type Toxic, type ToxicLink, toxicLink } from '../services/toxiproxy.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';
import { builtIn } from '../registry.ts';

const { TAMSHAI_TEST_TOXIPROXY_URL: toxiproxy, TAMSHAI_TEST_MONGODB_URL: mongodb, TAMSHAI_TEST_OPENSEARCH_URL: opensearch } = process.env;
const on = (name: string) => builtIn.domains.filter((domain) => domain.name === name);
const OTHERS_WORDS = /mongo|opensearch|elastic|socket|ECONN|reset|127\.0\.0\.1|toxi|swordfish/i;

interface Case {
  readonly server: string;
  readonly user: string;
  readonly list: string;
  readonly write: string;
  /** An input for the write, for a row that no other test has changed. */
  input(n: number): Promise<Record<string, unknown>>;
  /** How often the row of that input was changed, as the store itself says. */
  changes(input: Record<string, unknown>): Promise<number>;
}

describe.each(toxiproxy && mongodb && opensearch ? [[toxiproxy, mongodb, opensearch] as const] : [])(
  'stores behind toxiproxy',
  (proxy, mongo, search) => {
    const links = new Map<string, ToxicLink>();
    const closing: (() => Promise<unknown>)[] = [];
    let testServer: TestServer;
    let cases: Readonly<Record<'sales' | 'support', Case>>;
    beforeAll(async () => {
      const [documents, indices] = [await freshMongo(mongo, on('sales')), await freshSearch(search, on('support'))];
      closing.push(documents.drop, indices.drop);
      const client = await new MongoClient(mongo).connect();
      closing.push(() => client.close());
      for (const [name, url] of [
        ['sales', documents.url],
        ['support', search],
      ] as const)
        links.set(name, await toxicLink(proxy, `${name}-${process.pid}`, new URL(url)));
      const through = new URL(documents.url);
      through.port = String(links.get('sales')?.port);
      // Otherwise the replica set's own addresses would bypass the proxy.
      through.search = '?directConnection=true';
      testServer = await openTestServer({
        SALES_MONGODB_URL: through.href,
        SUPPORT_ELASTICSEARCH_URL: `http://127.0.0.1:${links.get('support')?.port}`,
        TAMSHAI_INDEX_PREFIX: indices.settings['TAMSHAI_INDEX_PREFIX'] ?? '',
      });
      const deals = client.db(through.pathname.slice(1)).collection<{ _id: string; row_version: number }>('opportunities');
      const index = `${search}/${indices.settings['TAMSHAI_INDEX_PREFIX']}-support-tickets`;
      const listed = async (user: string, server: string, tool: string, input: object, n: number) => {
        const { body } = await testServer.rest(user, server, tool, input);
        return ((body as SuccessAnswer).data as Record<string, string>[])[n] ?? {};
      };
      cases = {
        sales: {
          server: 'sales',
          user: 'carol.johnson',
          list: 'list_opportunities',
          write: 'close_opportunity',
          input: async (n) => ({
            opportunity_id: (await listed('carol.johnson', 'sales', 'list_opportunities', { stage: 'PROPOSAL' }, n))['_id'],
            outcome: 'won',
          }),
          changes: async ({ opportunity_id }) => ((await deals.findOne({ _id: String(opportunity_id) }))?.row_version ?? 0) - 1,
        },
        support: {
          server: 'support',
          user: 'dan.williams',
          list: 'search_tickets',
          write: 'close_ticket',
          input: async (n) => ({
            ticket_id: (await listed('dan.williams', 'support', 'search_tickets', { status: 'open' }, n))['ticket_id'],
            resolution: 'The cable was out.',
          }),
          changes: async ({ ticket_id }) => {
            const { _source: kept } = (await (await fetch(`${index}/_doc/${String(ticket_id)}`)).json()) as {
              _source: { version: number };
            };
            return kept.version - 1;
          },
        },
      };
    }, 180_000);
    afterAll(async () => {
      await testServer?.close();
      for (const link of links.values()) await link.close();
      for (const each of closing.reverse()) await each();
    });
    afterEach(async () => {
      for (const link of links.values()) await link.well();
    });
    const linkOf = (name: string): ToxicLink => {
      const link = links.get(name);
      if (link === undefined) throw new Error(`no link for ${name}`);
      return link;
    };
    const until = async (work: () => Promise<{ status: number }>) => {
      await expect.poll(async () => (await work()).status, { timeout: 20_000, interval: 300 }).toBe(200);
    };

    const toxics: readonly (readonly [string, Toxic | 'down'])[] = [
      ['a stopped server', 'down'],
      ['connections that are reset', { type: 'reset_peer', attributes: { timeout: 0 } }],
      ['answers that are cut off', { type: 'limit_data', attributes: { bytes: 700 } }],
      ['one kilobyte per second', { type: 'bandwidth', attributes: { rate: 1 } }],
      ['eight seconds of latency', { type: 'latency', attributes: { latency: 8_000 } }],
    ];
    /** Runs the work for both stores at the same time, because each has its own proxy. */
    const both = (work: (name: 'sales' | 'support', its: Case) => Promise<void>) =>
      Promise.all((['sales', 'support'] as const).map((name) => work(name, cases[name])));

    test.each(toxics)(
      '%s: every call gets our error in time, other domains are not affected, and calls succeed afterwards',
      async (_what, toxic) => {
        await both(async (name, { server, user, list }) => {
          const read = () => testServer.rest(user, server, list);
          await until(read);
          await (toxic === 'down' ? linkOf(name).down() : linkOf(name).poison(toxic));
          const began = Date.now();
          const [answers, tasks] = await Promise.all([
            Promise.all([read(), read(), read()]),
            testServer.rest('sarah.kim', 'tasks', 'list_tasks'),
          ]);
          for (const { status, body, text } of answers) {
            expect([503, 504]).toContain(status);
            expect(body).toMatchObject({ status: 'error', code: status === 503 ? 'SERVICE_UNAVAILABLE' : 'TIMEOUT', retryable: true });
            expect(text).not.toMatch(OTHERS_WORDS);
          }
          expect(Date.now() - began).toBeLessThan(12_000);
          expect(tasks.status).toBe(200);
          await linkOf(name).well();
          await until(read);
        });
      },
      90_000,
    );

    test('the failure of one store does not affect the other', async () => {
      for (const [gone, there] of [
        ['sales', 'support'],
        ['support', 'sales'],
      ] as const) {
        await linkOf(gone).down();
        const { user, server, list } = cases[there];
        expect((await testServer.rest(user, server, list)).status).toBe(200);
        expect((await testServer.rest(cases[gone].user, cases[gone].server, cases[gone].list)).status).toBe(503);
        await linkOf(gone).well();
      }
    }, 60_000);

    test('a delay of a quarter of a second only makes calls slower', async () => {
      await both(async (name, { server, user, list }) => {
        await until(() => testServer.rest(user, server, list));
        await linkOf(name).poison({ type: 'latency', attributes: { latency: 250 } });
        expect((await testServer.rest(user, server, list)).status).toBe(200);
      });
    }, 60_000);

    test('an approval whose answer is lost, approved again, changes the row once', async () => {
      await both(async (name, { server, user, list, write, input, changes }) => {
        await until(() => testServer.rest(user, server, list));
        const given = await input(0);
        const before = await changes(given);
        const { confirmationId } = await testServer.ask(user, server, write, given);
        await linkOf(name).poison({ type: 'timeout', attributes: { timeout: 0 } });
        const lost = await testServer.decide(user, confirmationId, true);
        expect([503, 504]).toContain(lost.status);
        expect(lost.text).not.toMatch(OTHERS_WORDS);
        await linkOf(name).well();
        await until(() => testServer.decide(user, confirmationId, true));
        const [again, onceMore] = [
          await testServer.decide(user, confirmationId, true),
          await testServer.decide(user, confirmationId, true),
        ];
        expect(again.body).toMatchObject({ status: 'success' });
        expect(onceMore.body).toEqual(again.body);
        expect((await changes(given)) - before).toBe(1);
      });
    }, 90_000);

    test('an approval whose answer is truncated, approved again, changes the row once', async () => {
      await both(async (name, { server, user, list, write, input, changes }) => {
        for (const [n, bytes] of [120, 900].entries()) {
          await until(() => testServer.rest(user, server, list));
          const given = await input(n + 1);
          const before = await changes(given);
          const { confirmationId } = await testServer.ask(user, server, write, given);
          await linkOf(name).poison({ type: 'limit_data', attributes: { bytes } });
          await testServer.decide(user, confirmationId, true);
          await linkOf(name).well();
          await until(() => testServer.decide(user, confirmationId, true));
          expect((await changes(given)) - before).toBe(1);
        }
      });
    }, 120_000);
  },
);
