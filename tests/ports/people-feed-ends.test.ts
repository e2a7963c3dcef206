/** The people feed: its database roles have only the rights it needs, and hr in another process answers only authenticated callers. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { employmentProvision, peopleChangesProvision } from '../../domains/hr/provides.ts';
import { answerContract } from '../../src/engine/contracts.ts';
import { createContractCaller } from '../../src/server/contracts.ts';
import { syncCopies } from '../../src/server/copies.ts';
import { failure } from '../../src/declare/errors.ts';
import { systemPerson } from '../../src/declare/people.ts';
import { createRegistry } from '../../src/engine/registry.ts';
import { createLocalBackend } from '../../src/gateway/backends.ts';
import { type UpstreamClient, createUpstreamClient } from '../../src/gateway/upstream-client.ts';
import { createDomainRoutes } from '../../src/gateway/domain-server.ts';
import { contractKeysOf, ownGatewayKeys } from '../../src/identity/gateway-keys.ts';
import { signIdentity } from '../../src/identity/internal.ts';
import { contractSigningKeys, type Keys, openKeys, type SigningKey } from '../../src/identity/keys.ts';
import { createRestApp } from '../../src/transports/rest.ts';
import { databases, employeeIdOf as id } from '../test-runtime.ts';
import { EMPLOYEES, type FeedTestStore, openFeedTestStore, readerOf, TOOLS } from './people-feed-test-store.ts';

const marcus = 'marcus.johnson';

describe.each(databases)('the people feed on %s', (_kind, address) => {
  let testRuntime: FeedTestStore;
  beforeAll(async () => void (testRuntime = await openFeedTestStore(address)), 120_000);
  afterAll(() => testRuntime?.close());

  describe('the roles of the feed', () => {
    /** The database's error code, or the rows. */
    const as = async (role: string, text: string, principal = 'people-feed') => {
      try {
        return await testRuntime
          .database(0)
          .transaction(role, { text: "select set_config('app.principal', $1, true)", values: [principal] }, async (session) => {
            const rows = await session.query(text);
            throw Object.assign(new Error('undone'), { rows });
          });
      } catch (error) {
        const { rows, code: refused } = error as { rows?: unknown[]; code?: string };
        return rows ?? refused;
      }
    };

    test.each([
      ['hr_feed', 'select email from hr.employees'],
      ['hr_feed', 'select * from hr.employees'],
      ['hr_feed', 'select * from hr.pay'],
      ['hr_feed', 'select * from hr.chain'],
      ['hr_feed', 'delete from hr.people_log'],
      ['hr_feed', 'update hr.employees set active = false'],
      ['hr_feed', "select nextval('hr.people_log_n')"],
      ['finance_feed', 'select * from finance.budgets'],
      ['finance_feed', 'select * from finance.expense_reports'],
      ['finance_feed', 'select * from finance.chain'],
      ['finance_feed', 'delete from finance.people'],
      ['finance_feed', 'update finance.people set row_version = 7'],
      ['finance_feed', 'delete from finance.feed'],
      ['finance_feed', "insert into finance.feed values ('me', 1)"],
      ['finance_feed', 'insert into finance.chain select gen_random_uuid(), gen_random_uuid()'],
      ['payroll_feed', 'select * from payroll.stub_pay'],
      ['payroll_feed', 'select tax_number_last4 from payroll.employees'],
      ['payroll_feed', "update payroll.employees set tax_number_last4 = '0000'"],
      ['payroll_feed', 'update payroll.salaries set salary = 1'],
      ['payroll_feed', 'select salary from payroll.salaries'],
      ['payroll_books', 'select * from payroll.pay_stubs'],
      ['finance_feed', 'update finance.ledger set amount = 1'],
      ['hr_salaries', 'select first_name from hr.employees'],
      ['payroll_feed', "insert into payroll.employees values (gen_random_uuid(), 'A', 'B', '1234')"],
      ['payroll_feed', 'delete from payroll.employees'],
      ['hr_everyone_write', 'insert into hr.people_log (employee_id) select gen_random_uuid()'],
      ['finance_everyone_write', 'update finance.feed set n = 0'],
    ])('%s may not: %s', async (role, text) => {
      expect(await as(role, text)).toBe('42501');
    });

    test('without an identity they see and change nothing', async () => {
      expect(await as('hr_feed', 'select n from hr.people_log limit 1', '')).toEqual([]);
      expect(await as('hr_feed', 'select active from hr.employees limit 1', '')).toEqual([]);
      expect(await as('finance_feed', 'select n from finance.feed', '')).toEqual([]);
      expect(await as('finance_feed', 'update finance.people set active = false returning employee_id', '')).toEqual([]);
      expect(await as('payroll_feed', 'update payroll.employees set active = false returning employee_id', '')).toEqual([]);
      expect(await as('hr_feed', 'select n from hr.people_log limit 1')).toHaveLength(1);
    });
  });
  describe('hr in another process', () => {
    let folder: string;
    let keys: Keys;
    let server: Server | undefined;
    let port = 0;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'tamshai-feed-'));
      keys = openKeys(folder);
    });
    afterAll(async () => {
      await close();
      await rm(folder, { recursive: true, force: true });
    });
    const clock = { now: () => new Date() };
    const registry = createRegistry(TOOLS, [], { provides: [employmentProvision, peopleChangesProvision] });
    const links: UpstreamClient[] = [];
    /** The log lines of the connection are not asserted here. */
    const silent = { info: () => {}, warn: () => {}, error: () => {} };
    afterAll(async () => void (await Promise.all(links.map((each) => each.close()))));
    const remote = (signing = keys.gateway.current) => {
      const hr = createUpstreamClient({ server: 'hr', url: `http://localhost:${port}`, log: silent, deadlineMs: 5_000 });
      links.push(hr);
      return readerOf(
        createContractCaller({
          registry,
          stores: {},
          audit: testRuntime.runtime.audit,
          upstreams: new Map([['hr', hr]]),
          gatewayKey: keys.gateway.current,
          contractKey: signing,
          clock,
          log: silent,
        }),
      );
    };
    async function open(): Promise<void> {
      const { app, handle } = createRestApp(testRuntime.log, []);
      createDomainRoutes(app, {
        server: 'hr',
        registry,
        backend: createLocalBackend(testRuntime.runtime, 'hr'),
        ready: async () => {},
        gatewayKeys: ownGatewayKeys(keys),
        clock,
        kv: undefined as never,
        log: testRuntime.log,
        answerContract: (provision, call) => answerContract(testRuntime.runtime, provision, call),
        contractKeys: contractKeysOf(keys, ownGatewayKeys(keys)),
        onUnauthenticated: () => {},
        recordRefused: async (_request, refused) => refused,
        authenticate: async () => {
          throw failure('UNAUTHENTICATED', 'Sign in.');
        },
      });
      await app.ready();
      server = createServer(handle);
      await new Promise<void>((listening) => server?.listen(port, listening));
      port = (server.address() as AddressInfo).port;
    }
    const close = async () => {
      server?.closeAllConnections();
      await new Promise((closed) => (server ? server.close(closed) : closed(undefined)));
      server = undefined;
    };

    test('returns the same people as hr in the same process', async () => {
      await open();
      const at = (await testRuntime.newest()) - 40;
      expect(await remote().after(at)).toEqual(await testRuntime.feed.after(at));
      expect((await remote().after(0)).changes).toHaveLength(EMPLOYEES);
      await testRuntime.owner("update hr.employees set first_name = 'Mark' where employee_id = $1", [id(marcus)]);
      await testRuntime.bringUp(0, remote(contractSigningKeys(keys)[0]));
      expect(await testRuntime.inFinance(id(marcus))).toMatchObject({ name: 'Mark Johnson' });
      await testRuntime.right();
    });

    test('answers only the gateway and holders of the feed key, which opens no other path', async () => {
      const caller = {
        person: systemPerson(),
        token: { id: '', client: '', issuedAt: 0, expiresAt: 0 },
        approves: 'nothing' as const,
        origin: '',
      };
      const body = '{"input":{"after":0}}';
      const [changes, state] = ['/contracts/people-changes/1/after', '/contracts/employment/1/stateOf'];
      interface Asking {
        readonly sent?: string;
        readonly to?: string;
        readonly signed?: { body?: string; path?: string; server?: string };
        readonly key?: SigningKey;
      }
      const ask = async ({ sent = body, to = changes, signed, key = keys.gateway.current }: Asking = {}) => {
        const token = signIdentity(key, { server: 'hr', caller, requestId: 'r', method: 'POST', path: to, body: sent, ...signed }, clock);
        const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
        return (await fetch(`http://localhost:${port}${to}`, { method: 'POST', body: sent, headers })).status;
      };
      const [own] = contractSigningKeys(keys);
      const outsider = openKeys(join(folder, 'other'));
      expect([
        await ask(),
        await ask({ key: own }),
        await ask({ sent: '{"input":{"after":-1}}' }),
        await ask({ sent: '{}', key: own }),
      ]).toEqual([200, 200, 400, 400]);
      for (const signed of [{ body: '{"input":{"after":1}}' }, { path: state }, { server: 'finance' }])
        expect([await ask({ signed }), await ask({ signed, key: own })]).toEqual([401, 401]);
      for (const key of [outsider.gateway.current, contractSigningKeys(outsider)[0]]) expect(await ask({ key })).toBe(401);
      const asked = { sent: JSON.stringify({ input: { employeeId: id(marcus) } }), to: state };
      expect([await ask(asked), await ask({ ...asked, key: own })]).toEqual([200, 401]);
      expect(await ask({ sent: '{}', to: '/tools/list_employees', key: own })).toBe(401);
      expect(
        (await fetch(`http://localhost:${port}${changes}`, { method: 'POST', body, headers: { 'content-type': 'application/json' } }))
          .status,
      ).toBe(401);
    });

    test('does not block a start while it is down: one log line per domain, and the copies catch up afterwards', async () => {
      await close();
      testRuntime.lines.length = 0;
      const started = performance.now();
      const peopleFeed = await syncCopies({ sourceOf: () => remote(), copies: testRuntime.copiesOf(0), log: testRuntime.log, everyMs: 20 });
      expect(performance.now() - started).toBeLessThan(4900);
      await testRuntime.owner("update hr.employees set first_name = 'Marcus', last_name = 'Johnson' where employee_id = $1", [id(marcus)]);
      await new Promise((later) => setTimeout(later, 200));
      const away = (domain: string) =>
        `warn {"server":"${domain}","contract":"people-changes","code":"SERVICE_UNAVAILABLE"} the copy cannot be updated at the moment`;
      expect(testRuntime.lines.toSorted()).toEqual([away('finance'), away('payroll')]);
      await open();
      await expect.poll(() => testRuntime.inFinance(id(marcus)), { timeout: 20_000 }).toMatchObject({ name: 'Marcus Johnson' });
      await expect.poll(() => testRuntime.lines.filter((line) => line.includes('again')).length, { timeout: 20_000 }).toBe(2);
      await peopleFeed.close();
      await testRuntime.right();
    }, 60_000);

    test('does not delay closing when it does not answer', async () => {
      await close();
      const silent = createServer(() => {});
      await new Promise<void>((listening) => silent.listen(port, listening));
      const peopleFeed = await syncCopies({ sourceOf: () => remote(), copies: testRuntime.copiesOf(0), log: testRuntime.log, everyMs: 1 });
      await new Promise((asked) => silent.once('request', asked));
      const closing = performance.now();
      await peopleFeed.close();
      expect(performance.now() - closing).toBeLessThan(2000);
      silent.closeAllConnections();
      silent.close();
    }, 20_000);
  });
});
