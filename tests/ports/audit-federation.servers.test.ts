/** Audit federation: each process holds a part of the audit log, and reads the other parts through Redis. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import Database from 'libsql';
import { builtIn } from '../registry.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { instanceOf, recordersIn } from '../../src/server/chains.ts';
import { openAuditFederation } from '../../src/server/audit-federation.ts';
import { isOurs } from '../../src/engine/audit/chain.ts';
import { verifyChains } from '../../src/engine/audit/verify.ts';
import { createCursors } from '../../src/engine/lists/cursor.ts';
import type { Person } from '../../src/declare/people.ts';
import { type AuditReader, createAuditReader, createAuditPart } from '../../src/gateway/audit-log.ts';
import { ownGatewayKeys } from '../../src/identity/gateway-keys.ts';
import { signIdentity } from '../../src/identity/internal.ts';
import { derive, type Keys, openKeys, type SigningKey } from '../../src/identity/keys.ts';
import { openCheckpoints } from '../../src/storage/audit/checkpoints.ts';
import { openCallLog } from '../../src/storage/audit/sqlite.ts';
import { openRedisKeyValue } from '../../src/storage/kv/redis.ts';
import { openRedisPubSub } from '../../src/storage/kv/redis-pubsub.ts';
import { createSealedKeyValue } from '../../src/storage/kv/sealed.ts';
import { redisDatabase, SHARED_KEY } from '../fresh-database.ts';
import { build, prepared, removeFolders, testServer } from '../command/command-support.ts';
import { clock, example, keys as auditKeys } from './audit-test-store.ts';

const person = (n: number, roles: string[] = ['employee']) =>
  ({
    principal: `staff|${n}`,
    sub: `${n}`,
    realm: 'staff',
    username: `person.${n}`,
    name: '',
    email: '',
    roles: new Set(roles),
  }) as unknown as Person;
const eve = person(9, ['executive']);
type Shown = { chain: string; n: number; username: string; requestId: string };

const server = process.env.TAMSHAI_TEST_REDIS_URL;
describe.each(server ? [server] : [])('three processes', (on) => {
  const root = mkdtempSync(join(tmpdir(), 'tamshai-audit-'));
  let url: string;
  let keys: Keys;
  const warned: unknown[] = [];
  const nodes = new Map<string, Awaited<ReturnType<typeof node>>>();

  async function node(instance: string, key: SigningKey | undefined) {
    const folder = mkdtempSync(join(root, instance));
    const kv = await openRedisKeyValue(url);
    const checkpoints = await openCheckpoints({ file: join(folder, 'checkpoints.jsonl'), kv, keys: auditKeys, clock, everyMs: 20 });
    const file = join(folder, 'audit.db');
    const log = await openCallLog({ file, chain: `calls-${instance}`, key: auditKeys.chain[0] ?? Buffer.alloc(0), checkpoints });
    const own = createAuditPart([log], async () =>
      verifyChains([log], await checkpoints.all((chain) => chain === `calls-${instance}`), { keys: auditKeys }),
    );
    const others = await openAuditFederation({
      roles: builtIn.roles,
      instance,
      key,
      own,
      clock,
      gatewayKeys: ownGatewayKeys(keys),
      sealed: createSealedKeyValue(kv, derive(keys, 'kv')),
      openPubSub: (heard) => openRedisPubSub(url, 'audit', { onMessage: heard }),
      known: async () => recordersIn(await checkpoints.chains()),
      written: async () => (await checkpoints.all()).filter((each) => isOurs(auditKeys, each)),
      instanceOf,
      log: { info: () => {}, warn: (fields) => void warned.push(fields), error: () => {} },
    });
    const close = async () => {
      await others.close();
      await log.close();
      await checkpoints.close();
      await kv.close();
    };
    const read: AuditReader = createAuditReader({ instance, own, others, cursors: createCursors([derive(keys, 'cursor')]) });
    return { log, file, read, close, checkpoints };
  }
  const at = (name: string) => nodes.get(name) ?? expect.fail(`no ${name}`);

  beforeAll(async () => {
    url = await redisDatabase(on);
    keys = openKeys(mkdtempSync(join(root, 'keys')));
    for (const [name, key] of [
      ['gateway1', keys.gateway.current],
      ['gateway2', keys.gateway.current],
      ['hr', undefined],
    ] as const)
      nodes.set(name, await node(name, key));
    // The processes take turns, so that a page of the whole log has to be merged from all of them.
    const names = [...nodes.keys()];
    for (let n = 1; n <= 60; n++) await at(names[n % 3] ?? '').log.append(example(n));
    await Promise.all([...nodes.values()].map(({ checkpoints }) => checkpoints.all()));
  });
  afterAll(async () => {
    for (const { close } of nodes.values()) await close();
    rmSync(root, { recursive: true, force: true });
  });

  it.each(['gateway1', 'gateway2'])('%s shows all records, in order, page by page', async (name) => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { data, nextCursor, about } = await at(name).read.page(eve, { limit: 17, cursor });
      seen.push(...(data as Shown[]).map(({ requestId }) => requestId));
      expect(about).toEqual({ recordedBy: ['gateway1', 'gateway2', 'hr'], missing: [] });
      cursor = nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(Array.from({ length: 60 }, (_, n) => `r-${60 - n}`));
  });

  it('people see only their own records, in pages and by record number', async () => {
    const { data } = await at('gateway1').read.page(person(1), { limit: 50 });
    expect(new Set((data as Shown[]).map(({ username }) => username))).toEqual(new Set(['person.1']));
    expect(data).toHaveLength(20);
    const own = (data as Shown[])[0] ?? expect.fail('nothing');
    for (const name of ['gateway1', 'gateway2'])
      expect(await at(name).read.record(person(1), own.chain, own.n)).toMatchObject({ requestId: own.requestId });
    await expect(at('gateway1').read.record(person(2), own.chain, own.n)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(at('gateway1').read.record(eve, 'calls-nobody', 1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('executives verify all chains at once', async () => {
    const chains = ['calls-gateway1', 'calls-gateway2', 'calls-hr'].map((chain) => ({ chain, count: 20, checkpointed: 20 }));
    expect(await at('gateway2').read.verify(eve)).toEqual({ ok: true, chains });
    await expect(at('gateway2').read.verify(person(1))).rejects.toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS' });
  });

  it('a record that was changed in the store of another process fails the verification', async () => {
    const db = new Database(at('hr').file, { timeout: 5_000 });
    const change = (from: string, to: string) => db.prepare('UPDATE records SET body = replace(body, ?1, ?2) WHERE n = 7').run(from, to);
    change('get_employee', 'get_nothing');
    expect(await at('gateway1').read.verify(eve)).toEqual({
      ok: false,
      chain: 'calls-hr',
      n: 7,
      problem: 'The record is not as it was written.',
    });
    change('get_nothing', 'get_employee');
    db.close();
    expect(await at('gateway1').read.verify(eve)).toMatchObject({ ok: true });
  });

  describe('an attacker with access to Redis', () => {
    /** Publishes a question with this text to all processes, and returns the messages that contain an answer. */
    async function ask(text: (id: string) => string | undefined): Promise<string[]> {
      const heard: string[] = [];
      const pubSub = await openRedisPubSub(url, 'audit', { onMessage: (message) => void heard.push(message) });
      const kv = await openRedisKeyValue(url);
      const id = randomUUID();
      const question = text(id);
      if (question !== undefined) await createSealedKeyValue(kv, derive(keys, 'kv')).set(`audit-question:${id}`, question, 60);
      await pubSub.publish(`ask ${id}`);
      await expect.poll(() => heard.filter((each) => each.startsWith(`reply ${id}`)).length, { timeout: 10_000 }).toBe(3);
      await kv.delete(`audit-question:${id}`);
      await pubSub.close();
      await kv.close();
      return heard.filter((each) => each.split(' ')[2] !== undefined);
    }
    const body = JSON.stringify({ what: 'page', limit: 50 });
    const caller = {
      person: eve,
      token: { id: '', client: 'gateway', issuedAt: 0, expiresAt: 0 },
      approves: 'nothing' as const,
      origin: 'gateway',
    };
    const signed = (id: string, over: object = {}, key = keys.gateway.current) =>
      signIdentity(key, { server: 'audit', method: 'POST', path: '/audit', body, caller, requestId: id, ...over }, clock);

    it("gets answers only with a gateway's signature", async () => {
      expect(await ask((id) => JSON.stringify({ token: signed(id), body }))).toHaveLength(3);
    });
    it.each<[string, (id: string) => string | undefined]>([
      ['no question', () => undefined],
      ['malformed JSON', () => '{"token":'],
      [
        'a signature of another installation',
        (id) => JSON.stringify({ token: signed(id, {}, openKeys(mkdtempSync(join(root, 'foreign'))).gateway.current), body }),
      ],
      ['a signature for the server hr', (id) => JSON.stringify({ token: signed(id, { server: 'hr' }), body })],
      [
        'a body that differs from the signed one',
        (id) => JSON.stringify({ token: signed(id), body: JSON.stringify({ what: 'page', limit: 51 }) }),
      ],
      ['a signature for an earlier question', () => JSON.stringify({ token: signed(randomUUID()), body })],
      [
        'a page of 5,000 records',
        (id) => {
          const much = JSON.stringify({ what: 'page', limit: 5_000 });
          return JSON.stringify({ token: signed(id, { body: much }), body: much });
        },
      ],
    ])('gets no answer for %s', async (_what, text) => {
      expect(await ask(text)).toEqual([]);
    });
    it('finds no record, name or token in Redis, and processes ignore malformed messages', async () => {
      const redis = new Redis(url);
      const pubSub = await openRedisPubSub(url, 'audit', { onMessage: () => {} });
      for (const text of ['', 'ask', 'ask ../x', `reply ${randomUUID()} x`, 'x'.repeat(100_000)]) await pubSub.publish(text);
      // Collects all audit keys in Redis while a page is read.
      const reply: string[] = [];
      const ears = await openRedisPubSub(url, 'audit', {
        onMessage: () => {
          void redis
            .keys('tamshai:audit-*')
            .then(async (found) => reply.push(...(await Promise.all(found.map((key) => redis.get(key)))).map(String)));
        },
      });
      await at('gateway1').read.page(eve, { limit: 50 });
      await expect.poll(() => reply.length, { timeout: 5_000 }).toBeGreaterThan(0);
      // The letters eyJ can occur in ciphertext by chance, so the pattern for a token also requires a dot.
      expect(reply.join()).not.toMatch(/person|get_employee|eyJ[\w-]+\./);
      await expect.poll(() => redis.keys('tamshai:audit-question:*'), { timeout: 5_000 }).toEqual([]);
      await pubSub.close();
      await ears.close();
      redis.disconnect();
    });
  });

  it('a page and a verification name a process that is down, and cover the others', async () => {
    await at('gateway2').close();
    nodes.delete('gateway2');
    const { about, data } = await at('gateway1').read.page(eve, { limit: 50 });
    expect(about).toMatchObject({ recordedBy: ['gateway1', 'hr'], missing: ['gateway2'] });
    expect(data).toHaveLength(40);
    expect(await at('gateway1').read.verify(eve)).toMatchObject({ ok: true, missing: ['gateway2'] });
  });
});

describe.each(server ? [server] : [])('tamshai audit verify', (on) => {
  afterAll(removeFolders);

  it('names a process that holds a part of the audit log and does not answer, and exits with 5', async () => {
    build();
    const REDIS_URL = await redisDatabase(on);
    const running = await testServer(await prepared({ REDIS_URL, TAMSHAI_MASTER_KEY: SHARED_KEY }));
    try {
      expect(await running.run(['audit', 'verify'])).toMatchObject({ code: 0 });
      const redis = new Redis(REDIS_URL);
      const known = await redis.get('tamshai:audit:chains');
      await redis.set('tamshai:audit:chains', JSON.stringify([...(JSON.parse(known ?? '[]') as string[]), 'calls-gone']));
      redis.disconnect();
      const { code, out } = await running.run(['audit', 'verify']);
      expect(out).toMatch(/^ {2}unseen {2}gone +this process keeps its own part and does not answer/m);
      expect(code).toBe(5);
      expect((await running.run(['audit', 'verify', '--json'])).json()).toMatchObject({ ok: false, silent: ['gone'] });
    } finally {
      await running.stop('SIGKILL');
    }
  });
});
