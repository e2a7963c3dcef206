/** Contracts across processes: who may call them, in whose audience, and what happens between different releases. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import * as hrTools from '../../domains/hr/index.ts';
import { employmentProvision } from '../../domains/hr/provides.ts';
import { defineContract } from '../../src/declare/contracts.ts';
import { employment } from '../../src/declare/engine-contracts.ts';
import { failure } from '../../src/declare/errors.ts';
import type { Person } from '../../src/declare/people.ts';
import { clientOf, type ContractCaller } from '../../src/engine/contract-caller.ts';
import { answerAndRecord } from '../../src/engine/contracts.ts';
import { createRegistry, type Registry } from '../../src/engine/registry.ts';
import { createLocalBackend } from '../../src/gateway/backends.ts';
import { createDomainRoutes } from '../../src/gateway/domain-server.ts';
import { createUpstreamClient, type UpstreamClient } from '../../src/gateway/upstream-client.ts';
import { contractKeysOf, ownGatewayKeys } from '../../src/identity/gateway-keys.ts';
import { signGrant, signIdentity } from '../../src/identity/internal.ts';
import { contractSigningKeys, type Keys, openKeys, type SigningKey } from '../../src/identity/keys.ts';
import { createContractCaller } from '../../src/server/contracts.ts';
import { createRestApp } from '../../src/transports/rest.ts';
import { installedErrands, people, peopleProvision, peopleTwo } from '../journeys/contract-domains.ts';
import { employeeIdOf as id, openTestRuntime, person, type TestRuntime } from '../test-runtime.ts';

const [alice, marcus] = [person('alice.chen'), person('marcus.johnson')];
const clock = { now: () => new Date() };
const provides = [employmentProvision, peopleProvision];
const registryWith = (parts: Parameters<typeof createRegistry>[2]): Registry =>
  createRegistry([...Object.values(hrTools), ...installedErrands.tools], [], parts);

describe('contracts of hr in another process', () => {
  let testRuntime: TestRuntime;
  let folder: string;
  let keys: Keys;
  let server: Server;
  let upstream: UpstreamClient;
  const lines: string[] = [];
  const write = (_fields: object, message: string) => void lines.push(message);
  const log = { info: write, warn: write, error: write };

  beforeAll(async () => {
    testRuntime = await openTestRuntime({ employees: 100 });
    folder = await mkdtemp(join(tmpdir(), 'tamshai-contracts-'));
    keys = openKeys(folder);
    const { app, handle } = createRestApp(log, []);
    createDomainRoutes(app, {
      server: 'hr',
      registry: registryWith({ provides }),
      backend: createLocalBackend(testRuntime.runtime, 'hr'),
      ready: async () => {},
      gatewayKeys: ownGatewayKeys(keys),
      contractKeys: contractKeysOf(keys, ownGatewayKeys(keys)),
      answerContract: (provision, call) => answerAndRecord(testRuntime.runtime, provision, call),
      clock,
      log,
      kv: undefined as never,
      onUnauthenticated: () => {},
      recordRefused: async (_request, refused) => refused,
      authenticate: async () => {
        throw failure('UNAUTHENTICATED', 'Sign in.');
      },
    });
    await app.ready();
    server = createServer(handle);
    await new Promise<void>((listening) => server.listen(0, listening));
    upstream = createUpstreamClient({
      server: 'hr',
      url: `http://localhost:${(server.address() as AddressInfo).port}`,
      log,
      deadlineMs: 5_000,
    });
  }, 120_000);
  afterAll(async () => {
    await upstream?.close();
    server?.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    await testRuntime.close();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(() => void (lines.length = 0));

  /** A process that holds the gateway's key, or only the key of contracts. */
  const processWith = (contractKey: SigningKey, registry = registryWith({ provides })): ContractCaller =>
    createContractCaller({
      registry,
      stores: {},
      audit: testRuntime.runtime.audit,
      upstreams: new Map([['hr', upstream]]),
      gatewayKey: keys.gateway.current,
      contractKey,
      clock,
      log,
    });
  const own = () => contractSigningKeys(keys)[0];
  const callerOf = (who: Person) => ({
    person: who,
    token: { id: '', client: 'test', issuedAt: 0, expiresAt: 0 },
    approves: 'nothing' as const,
    origin: 'web',
  });
  const call = { method: 'POST', path: '/tools/get_name_for_errand', body: '{}', requestId: 'r' };
  /** The token that the gateway signs for a call of this person to `to`. */
  const proofOf = (who: Person, { key = keys.gateway.current, to = 'tasks' } = {}) => ({
    server: 'tasks',
    token: signIdentity(key, { ...call, server: to, caller: callerOf(who) }, clock),
  });
  const nameOf = (caller: ContractCaller, who: Person | undefined, proof?: ReturnType<typeof proofOf>) =>
    clientOf(caller, people, { person: who, proof, requestId: 'r' }).nameOf({ id: id('eve.thompson') });
  const codeOf = (asked: Promise<unknown>) =>
    asked.then(
      () => 'success',
      (error: { code?: string }) => error.code,
    );

  test('a process with the gateway’s key calls them for a person, in that person’s audience of hr', async () => {
    const gateway = processWith(keys.gateway.current);
    expect([await nameOf(gateway, alice), await nameOf(gateway, marcus)]).toEqual(['Eve Thompson', null]);
    const customer = person('jane.smith@acme.example');
    expect(await codeOf(nameOf(gateway, customer))).toBe('INSUFFICIENT_PERMISSIONS');
    expect(await codeOf(nameOf(gateway, person('marcus.johnson', { employeeId: undefined })))).toBe('IDENTITY_NOT_LINKED');
  });

  test('a refused call is recorded where the domain runs, without its input', async () => {
    const refusals = async () =>
      (await testRuntime.runtime.audit.newest({ limit: 100 }))
        .map(({ body }) => JSON.parse(body) as Record<string, unknown>)
        .filter(({ tool }) => tool === 'people v1.nameOf');
    const before = (await refusals()).length;
    const customer = person('jane.smith@acme.example');
    const gateway = processWith(keys.gateway.current);
    expect(await codeOf(nameOf(gateway, customer))).toBe('INSUFFICIENT_PERMISSIONS');
    expect(await nameOf(gateway, alice)).toBe('Eve Thompson');
    const [newest, ...older] = await refusals();
    expect(older.length).toBe(before);
    expect(newest).toMatchObject({
      username: customer.username,
      server: 'hr',
      surface: 'internal',
      origin: 'contract',
      decision: 'refused',
      code: 'INSUFFICIENT_PERMISSIONS',
      requestId: 'r',
      input: '{}',
    });
  });

  test('another process must show the gateway’s token for the call or the execution that it serves', async () => {
    const tasks = processWith(own());
    expect([await nameOf(tasks, alice, proofOf(alice)), await nameOf(tasks, marcus, proofOf(marcus))]).toEqual(['Eve Thompson', null]);
    // The person of the proof counts, whoever the process names.
    expect(await nameOf(tasks, alice, proofOf(marcus))).toBe(null);
    const grant = { server: 'tasks', confirmationId: 'c', tool: 'add_errand', input: '{}', card: '{}', requestId: 'r' };
    const granted = { server: 'tasks', token: signGrant(keys.gateway.current, { ...grant, caller: callerOf(alice) }, clock) };
    expect(await nameOf(tasks, alice, granted)).toBe('Eve Thompson');
    expect(await codeOf(nameOf(tasks, alice))).toBe('SERVICE_UNAVAILABLE');
    await expect(nameOf(tasks, alice)).rejects.toThrow('People answers other domains only for calls that come through the gateway.');
  });

  test.each([
    ['signed by the process itself', () => proofOf(alice, { key: own() })],
    ['for another server', () => proofOf(alice, { to: 'finance' })],
    ['of a server that does not need the contract', () => ({ ...proofOf(alice, { to: 'hr' }), server: 'hr' })],
    ['that is no token', () => ({ server: 'tasks', token: 'x' })],
  ])('refuses a proof %s', async (_which, proof) => {
    expect(await codeOf(nameOf(processWith(own()), alice, proof()))).toBe('SERVICE_UNAVAILABLE');
  });

  test('answers no call without a person where the provision names no audience for it', async () => {
    expect(await codeOf(nameOf(processWith(keys.gateway.current), undefined))).toBe('SERVICE_UNAVAILABLE');
    const client = clientOf(processWith(keys.gateway.current), employment, { person: undefined, requestId: 'r' });
    expect(await client.stateOf({ employeeId: id('marcus.johnson') })).toBe('active');
    // The engine's own contracts are for people's sign-in, not for tools.
    const asPerson = clientOf(processWith(keys.gateway.current), employment, { person: alice, requestId: 'r' });
    expect(await codeOf(asPerson.stateOf({ employeeId: id('marcus.johnson') }))).toBe('INSUFFICIENT_PERMISSIONS');
  });

  test('another version is refused with one sentence, which both processes log once', async () => {
    const newer = processWith(
      keys.gateway.current,
      registryWith({ provides: [{ ...peopleProvision, name: 'people v2', contract: peopleTwo }] }),
    );
    const ask = () => clientOf(newer, peopleTwo, { person: alice, requestId: 'r' }).nameOf({ id: id('eve.thompson') });
    const sentence = 'hr does not provide people v2.nameOf; it provides employment v1, people v1.';
    for (let n = 0; n < 3; n++) await expect(ask()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', message: sentence });
    expect(lines).toEqual([`another process runs another release: ${sentence}`, `hr cannot be asked for people v2: ${sentence}`]);
  });

  test('an answer that does not have the shape of the contract is refused', async () => {
    const numbers = defineContract('people', 1, { nameOf: { input: people.calls.nameOf.input, output: z.number() } });
    const other = processWith(keys.gateway.current, registryWith({ provides: [{ ...peopleProvision, contract: numbers }] }));
    const client = clientOf(other, numbers, { person: alice, requestId: 'r' });
    expect(await codeOf(client.nameOf({ id: id('eve.thompson') }))).toBe('SERVICE_UNAVAILABLE');
  });
});
