/** The feed's two ends: roles that may do nothing else, and an hr server that tells nobody but the gateway, or is away. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Config } from '../../src/app/config.ts';
import { keepPeople, remotePeopleFeed } from '../../src/app/people-feed.ts';
import { failure } from '../../src/core/errors.ts';
import { registry } from '../../src/core/registry.ts';
import { localBackend } from '../../src/gateway/backends.ts';
import { domainRoutes } from '../../src/gateway/domain-server.ts';
import { ownGatewayKeys } from '../../src/identity/gateway-keys.ts';
import { signIdentity } from '../../src/identity/internal.ts';
import { type Keys, openKeys } from '../../src/identity/keys.ts';
import { restApp } from '../../src/transports/rest.ts';
import { databases, employeeIdOf as id } from '../world.ts';
import { EMPLOYEES, type FeedWorld, openFeedWorld, TOOLS } from './people-feed-world.ts';

const marcus = 'marcus.johnson';

describe.each(databases)('the ends of the feed on %s', (_kind, address) => {
  let world: FeedWorld;
  beforeAll(async () => void (world = await openFeedWorld(address)), 120_000);
  afterAll(() => world?.close());

  describe('the roles', () => {
    /** The name of the trouble, in the database's own code, or the rows. */
    const as = async (role: string, text: string, principal = 'people-feed') => {
      try {
        return await world
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
      ['payroll_feed', "update payroll.employees set department = 'Legal'"],
      ['payroll_feed', "insert into payroll.employees values (gen_random_uuid(), 'A', 'B', '1234')"],
      ['payroll_feed', 'delete from payroll.employees'],
      ['hr_everyone_write', 'insert into hr.people_log (employee_id) select gen_random_uuid()'],
      ['finance_everyone_write', 'update finance.feed set n = 0'],
    ])('%s may not: %s', async (role, text) => {
      expect(await as(role, text)).toBe('42501');
    });

    test('and without saying who is asking they see nothing', async () => {
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
    const remote = (signing = keys.gateway.current) =>
      remotePeopleFeed({ remoteUrl: () => `http://localhost:${port}` } as unknown as Config, signing, clock);
    async function open(): Promise<void> {
      const { app, handle } = restApp(world.log, []);
      domainRoutes(app, {
        server: 'hr',
        registry: registry(TOOLS),
        backend: localBackend(world.runtime, 'hr'),
        gatewayKeys: ownGatewayKeys(keys),
        kv: undefined as never,
        people: { employment: async () => 'unknown' },
        feed: world.feed,
        onUnauthenticated: () => {},
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

    test('is asked there, and tells the same', async () => {
      await open();
      const at = (await world.newest()) - 40;
      expect(await remote().after(at)).toEqual(await world.feed.after(at));
      expect((await remote().after(0)).people).toHaveLength(EMPLOYEES);
      await world.owner("update hr.employees set first_name = 'Mark' where employee_id = $1", [id(marcus)]);
      await world.bringUp(0, remote());
      expect(await world.inFinance(id(marcus))).toMatchObject({ name: 'Mark Johnson' });
      await world.right();
    });

    test('nobody but the gateway is told', async () => {
      const ask = async (body: string, path?: string, server_ = 'hr', signing = keys.gateway.current) => {
        const person = {
          principal: 'gateway',
          sub: 'gateway',
          realm: 'staff' as const,
          username: 'gateway',
          name: '',
          email: '',
          employeeId: undefined,
          organizationId: undefined,
          roles: new Set<never>(),
        };
        const caller = {
          person,
          token: { id: '', client: 'gateway', issuedAt: 0, expiresAt: 0 },
          approves: 'nothing' as const,
          origin: 'gateway',
        };
        const token =
          path === undefined
            ? 'none'
            : signIdentity(
                signing,
                { server: server_, caller, requestId: 'r', method: 'POST', path, body: path === '/changed' ? '{}' : body },
                clock,
              );
        const { status } = await fetch(`http://localhost:${port}/people-changes`, {
          method: 'POST',
          body,
          headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        });
        return status;
      };
      const body = '{"after":0}';
      const other = await mkdtemp(join(tmpdir(), 'tamshai-feed-'));
      expect([
        await ask(body),
        await ask(body, '/employment'),
        await ask(body, '/people-changes', 'finance'),
        await ask(body, '/people-changes', 'hr', openKeys(other).gateway.current),
      ]).toEqual([401, 401, 401, 401]);
      await rm(other, { recursive: true, force: true });
      expect([
        await ask(body, '/people-changes'),
        await ask('{"after":-1}', '/people-changes'),
        await ask('{}', '/people-changes'),
      ]).toEqual([200, 400, 400]);
    });

    test('where it is away, a start goes on, one line is logged, and all is caught up with afterwards', async () => {
      await close();
      world.lines.length = 0;
      const started = performance.now();
      const keeper = await keepPeople({ feed: remote(), copies: world.copiesOf(0), log: world.log, everyMs: 20 });
      expect(performance.now() - started).toBeLessThan(4900);
      await world.owner("update hr.employees set first_name = 'Marcus', last_name = 'Johnson' where employee_id = $1", [id(marcus)]);
      await new Promise((later) => setTimeout(later, 200));
      const away = (domain: string) =>
        `warn {"server":"${domain}","code":"SERVICE_UNAVAILABLE"} people cannot be brought up to date for now`;
      expect(world.lines.toSorted()).toEqual([away('finance'), away('payroll')]);
      await open();
      await expect.poll(() => world.inFinance(id(marcus)), { timeout: 20_000 }).toMatchObject({ name: 'Marcus Johnson' });
      await expect.poll(() => world.lines.filter((line) => line.includes('again')).length, { timeout: 20_000 }).toBe(2);
      await keeper.close();
      await world.right();
    }, 60_000);

    test('closing does not wait for an answer that never comes', async () => {
      await close();
      const silent = createServer(() => {});
      await new Promise<void>((listening) => silent.listen(port, listening));
      const keeper = await keepPeople({ feed: remote(), copies: world.copiesOf(0), log: world.log, everyMs: 1 });
      await new Promise((asked) => silent.once('request', asked));
      const closing = performance.now();
      await keeper.close();
      expect(performance.now() - closing).toBeLessThan(2000);
      silent.closeAllConnections();
      silent.close();
    }, 20_000);
  });
});
