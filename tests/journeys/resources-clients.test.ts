/** MCP resources, subscriptions and prompts of knowledge, with clients of both generations at the gateway and at the domain server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../../src/declare/answer.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';
import { type AnyClient, CLIENTS, until } from './resource-clients.ts';

const URIS = ['knowledge://entries', 'knowledge://graph/triples', 'knowledge://history/transactions'];
interface Page {
  resource_uri: string;
  as_of_tx_id: number;
  items: { id?: string; tx_id: number }[];
  next_cursor: string | null;
}

let testServer: TestServer;
let stored = 0;
beforeAll(async () => {
  testServer = await openTestServer();
});
afterAll(() => testServer.close());

const dataOf = (answer: Answer) => {
  if (answer.status !== 'success') throw new Error(JSON.stringify(answer));
  return answer.data as { id: string; tx_id: number };
};
const store = async (topic: string, user = 'marcus.johnson') =>
  dataOf((await testServer.rest(user, 'knowledge', 'store', { topic, content: `About ${topic}.` })).body);
const remove = async (id: string, user = 'marcus.johnson') =>
  dataOf((await testServer.rest(user, 'knowledge', 'delete', { id, reason: 'done' })).body);

describe.each(['gateway', 'knowledge'])('at %s', (server) => {
  describe.each(CLIENTS)('%s', (_name, connect, version) => {
    let client: AnyClient;
    const open = async (user: string) =>
      connect(`${testServer.address(server)}/mcp`, await testServer.token(user, { mcp: true, ...(server !== 'gateway' && { server }) }));
    const page = async (uri: string) => JSON.parse((await client.read(uri)).text) as Page;
    beforeAll(async () => {
      client = await open('marcus.johnson');
    });
    afterAll(() => client.close());

    test('negotiates its protocol version and gets the capabilities', () => {
      expect(client.version).toBe(version);
      expect(client.capabilities).toMatchObject({ resources: { subscribe: true }, prompts: {}, completions: {}, tools: {} });
    });

    test('resources/list has the three resources, each with mimeType, mime_type and version', async () => {
      const listed = (await client.resources()).filter(({ uri }) => String(uri).startsWith('knowledge:'));
      expect(new Set(listed.map(({ uri }) => uri))).toEqual(new Set(URIS));
      expect(listed).toHaveLength(URIS.length);
      for (const each of listed) {
        expect(each).toMatchObject({
          name: expect.stringMatching(/./),
          description: expect.stringMatching(/./),
          mimeType: 'application/json',
        });
        expect(each._meta).toMatchObject({ mime_type: 'application/json', version: 1 });
      }
      const patterns = (await client.templates()).map(({ uriTemplate }) => uriTemplate);
      expect(patterns).toEqual(expect.arrayContaining(URIS.map((uri) => `${uri}{?limit,cursor}`)));
    });

    test.each(URIS)('%s is read page by page until the cursor is null, and later changes do not move its rows', async (uri) => {
      const whole = await page(uri);
      expect(whole).toMatchObject({ resource_uri: uri, as_of_tx_id: expect.any(Number), items: expect.any(Array) });
      const idOf = (item: Page['items'][number]) => item.id ?? item.tx_id;
      let at = await page(`${uri}?limit=7`);
      const first = at;
      const seen = at.items.map(idOf);
      const stored = await store(`page ${uri}`);
      while (at.next_cursor !== null) {
        // The parameters can be in any order.
        const next = await page(
          seen.length % 2 === 0 ? `${uri}?cursor=${at.next_cursor}&limit=9` : `${uri}?limit=9&cursor=${at.next_cursor}`,
        );
        expect(next.as_of_tx_id).toBe(first.as_of_tx_id);
        seen.push(...next.items.map(idOf));
        at = next;
      }
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.slice(0, whole.items.length)).toEqual(whole.items.map(idOf));
      expect(seen).not.toContain(stored.id);
      expect((await page(uri)).as_of_tx_id).toBeGreaterThanOrEqual(stored.tx_id);
      if (whole.next_cursor !== null) expect((await page(`${uri}?cursor=${whole.next_cursor}`)).items.length).toBeGreaterThan(0);
    });

    test('gets one notification for each commit, in order, and none after it has unsubscribed', async () => {
      const other = await open('nina.patel');
      const stop = await client.subscribe('knowledge://entries');
      const before = client.notices.length;
      const [one, two] = [await store('first'), await store('second', 'sarah.kim')];
      await remove(one.id);
      await until(() => client.notices.length >= before + 3);
      const heard = client.notices.slice(before);
      expect(heard).toEqual([
        { resource_uri: 'knowledge://entries', tx_id: one.tx_id, change_type: 'upsert', changed_ids: [one.id] },
        { resource_uri: 'knowledge://entries', tx_id: two.tx_id, change_type: 'upsert', changed_ids: [two.id] },
        { resource_uri: 'knowledge://entries', tx_id: expect.any(Number), change_type: 'delete', changed_ids: [one.id] },
      ]);
      await stop();
      const listening = await other.subscribe('knowledge://entries', 'knowledge://history/transactions');
      const last = await store('after the end');
      await until(() => other.notices.length === 2);
      expect(other.notices).toMatchObject([
        { resource_uri: 'knowledge://entries', tx_id: last.tx_id },
        { resource_uri: 'knowledge://history/transactions', tx_id: last.tx_id, changed_ids: [String(last.tx_id)] },
      ]);
      expect(client.notices.slice(before)).toEqual(heard);
      await listening();
      await other.close();
    });

    test('gets the missed notifications when it subscribes with the last transaction that it knows', async () => {
      const before = await store('missed before');
      const [one, two] = [await store('missed one'), await store('missed two')];
      const again = await open('marcus.johnson');
      await again.subscribe(`knowledge://entries?after_tx_id=${before.tx_id}`);
      await until(() => again.notices.length === 2);
      expect(again.notices.map(({ tx_id }) => tx_id)).toEqual([one.tx_id, two.tx_id]);
      await again.close();
    });

    test('gets a notification about a relation for the URI of the triples only', async () => {
      const stop = await client.subscribe('knowledge://graph/triples');
      const before = client.notices.length;
      const { body } = await testServer.rest('marcus.johnson', 'knowledge', 'relate', {
        subject: `thing ${++stored}`,
        predicate: 'depends_on',
        object: 'o',
      });
      expect(body.status).toBe('success');
      await until(() => client.notices.length > before);
      expect(client.notices.slice(before)).toMatchObject([{ resource_uri: 'knowledge://graph/triples', change_type: 'upsert' }]);
      await stop();
    });

    test('lists prompts with their arguments, and gets messages that are ready to run', async () => {
      const listed = await client.prompts();
      expect(listed.map(({ name }) => name)).toEqual(['correct-stale-facts', 'ingest-memory', 'retrieve-context']);
      for (const each of listed)
        expect(each).toMatchObject({ title: expect.any(String), description: expect.any(String), arguments: expect.any(Array) });
      expect(listed[1]?.['arguments']).toContainEqual({ name: 'text', description: expect.any(String), required: true });
      const said = await client.prompt('ingest-memory', { text: 'Backups run at 02:00.\nThey take an hour.', topic: 'backups' });
      expect(said).toContain('> Backups run at 02:00.\n> They take an hour.');
      expect(said).toContain(server === 'gateway' ? 'Call knowledge_query ' : 'Call query ');
      expect(said).toContain('Nothing has been written so far');
      expect(await client.prompt('retrieve-context', { question: 'Who owns billing?' })).toContain('> Who owns billing?');
      expect(await client.prompt('correct-stale-facts', { topic: 'vpn access', now_true: 'It moved.' })).toContain('"vpn access"');
    });

    test('completes arguments of prompts with existing topics', async () => {
      const topics = await client.complete({ type: 'ref/prompt', name: 'retrieve-context' }, 'topic', 'DEPLOY');
      expect(topics[0]).toMatch(/^deploy/i);
      expect(await client.complete({ type: 'ref/prompt', name: 'retrieve-context' }, 'topic', 'zzz%_')).toEqual([]);
      expect(await client.complete({ type: 'ref/prompt', name: 'ingest-memory' }, 'source', '')).toEqual([]);
    });
  });
});

test('ten seconds after a person lost the role, they get no notification and cannot read', async () => {
  const { accounts } = testServer.tamshai.modules.identity;
  const uri = 'knowledge://entries';
  const open = async (connect: (typeof CLIENTS)[number][1], user: string) =>
    connect(`${testServer.address()}/mcp`, await testServer.token(user, { mcp: true }));
  const losing = await Promise.all(CLIENTS.map(([, connect]) => open(connect, 'frank.davis')));
  const staying = await Promise.all(CLIENTS.map(([, connect]) => open(connect, 'tom.becker')));
  for (const client of [...losing, ...staying]) await client.subscribe(uri);
  await store('while they may');
  await until(() => [...losing, ...staying].every(({ notices }) => notices.length === 1));
  try {
    await accounts.setRoles('frank.davis', []);
    await new Promise((later) => setTimeout(later, 10_500));
    const { tx_id } = await store('when they may no more');
    await until(() => staying.every(({ notices }) => notices.length === 2));
    expect(staying.map(({ notices }) => notices[1]?.tx_id)).toEqual(staying.map(() => tx_id));
    expect(losing.map(({ notices }) => notices.length)).toEqual(losing.map(() => 1));
    await expect(losing[0]?.read(uri)).rejects.toThrow();
  } finally {
    await accounts.setRoles('frank.davis', ['employee']);
  }
  for (const client of [...losing, ...staying]) await client.close();
});
