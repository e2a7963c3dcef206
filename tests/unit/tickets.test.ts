/** The ticket store and the decision service, without a server: who may decide a ticket, when, and how often. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Answer, ConfirmationData } from '../../src/declare/answer.ts';
import { Failure } from '../../src/declare/errors.ts';
import { createDecisionService } from '../../src/engine/approvals/decisions.ts';
import { createTicketStore, EXPIRES_AFTER_SECONDS, type TicketStore } from '../../src/engine/approvals/tickets.ts';
import type { Caller } from '../../src/engine/caller.ts';
import type { KeyValue } from '../../src/engine/ports.ts';
import { openSqliteKeyValue } from '../../src/storage/kv/sqlite.ts';
import { person } from '../test-runtime.ts';

const alice = person('alice.chen');
const eve = person('eve.thompson');

let now: Date;
const clock = { now: () => now };
const pass = (seconds: number) => void (now = new Date(now.getTime() + seconds * 1000));
let kv: KeyValue & { close(): Promise<void> };
let tickets: TicketStore;
beforeEach(() => {
  now = new Date('2026-11-16T09:00:00Z');
  kv = openSqliteKeyValue(':memory:', clock);
  tickets = createTicketStore(kv, clock);
});
afterEach(() => kv.close());

const ask = (input = { employee_id: 'e-1' }) =>
  tickets.ask({
    person: alice,
    server: 'hr',
    tool: 'delete_employee',
    input,
    message: 'Delete this employee?',
    versions: ['1'],
    askedAt: now,
    card: (id, expiresAt) => ({ action: 'delete_employee', mcpServer: 'hr', confirmationId: id, expiresAt }) as unknown as ConfirmationData,
  });
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'success',
    (error: unknown) => (error instanceof Failure ? error.code : String(error)),
  );

describe('a ticket', () => {
  it('can be decided only by its deciders', async () => {
    const { id } = await ask();
    for (const approved of [true, false]) expect(await codeOf(tickets.decide(id, eve, approved))).toBe('USER_MISMATCH');
    expect(await codeOf(tickets.find(id, eve))).toBe('USER_MISMATCH');
    expect(await tickets.waiting(eve.principal)).toEqual([]);
    expect(await tickets.decide(id, alice, true)).toMatchObject({ again: false, ticket: { state: 'executing' } });
  });

  it('can be decided until it expires, and not in the next second', async () => {
    const [first, second] = [await ask({ employee_id: 'e-1' }), await ask({ employee_id: 'e-2' })];
    pass(EXPIRES_AFTER_SECONDS - 1);
    expect(await codeOf(tickets.decide(first.id, alice, true))).toBe('success');
    pass(1);
    for (const approved of [true, false]) expect(await codeOf(tickets.decide(second.id, alice, approved))).toBe('CONFIRMATION_NOT_FOUND');
    expect(await tickets.waiting(alice.principal)).toEqual([]);
    expect(await tickets.find(second.id, alice)).toMatchObject({ state: 'waiting', expired: true });
  });

  it('is claimed by one of several decisions at the same time', async () => {
    const same = await ask({ employee_id: 'e-1' });
    const claims = await Promise.all(Array.from({ length: 5 }, () => tickets.decide(same.id, alice, true)));
    expect(claims.filter(({ again }) => !again)).toHaveLength(1);
    const opposite = await ask({ employee_id: 'e-2' });
    const codes = await Promise.all([true, false].map((approved) => codeOf(tickets.decide(opposite.id, alice, approved))));
    expect(codes.toSorted()).toEqual(['ALREADY_DECIDED', 'success']);
  });

  it('that was denied twice cannot be requested again for ten minutes', async () => {
    for (let n = 0; n < 2; n++) await tickets.decide((await ask()).id, alice, false);
    expect(await codeOf(ask())).toBe('RATE_LIMITED');
    expect(await codeOf(ask({ employee_id: 'e-2' }))).toBe('success');
    pass(601);
    expect(await codeOf(ask())).toBe('success');
  });
});

describe('an approval', () => {
  const callerOf = (roles: readonly string[]): Caller => ({
    person: person('alice.chen', { roles }),
    token: { id: 'token', client: 'tamshai-web', issuedAt: 0, expiresAt: 0 },
    approves: 'anything',
    origin: 'web',
  });
  const executedWith: string[][] = [];
  const decisions = (refresh: (caller: Caller) => Promise<Caller>) =>
    createDecisionService({
      tickets,
      refresh,
      spend: async () => {},
      failpoint: () => {},
      backend: () => ({
        async execute(_ticket, caller): Promise<Answer> {
          executedWith.push([...caller.person.roles]);
          return { status: 'success', data: {} } as Answer;
        },
        findResult: async () => undefined,
      }),
    });
  beforeEach(() => void executedWith.splice(0));

  it('is executed with the present roles of the person, not with those of the token', async () => {
    const { id } = await ask();
    const service = decisions(async (caller) => ({ ...caller, person: person('alice.chen', { roles: ['employee'] }) }));
    await service.decide(id, { approved: true, caller: callerOf(['employee', 'hr-write']), requestId: 'request' });
    expect(executedWith).toEqual([[...callerOf(['employee']).person.roles]]);
  });

  it('is not executed if the present state of the person cannot be read', async () => {
    const { id } = await ask();
    const service = decisions(() => Promise.reject(new Error('unreachable')));
    await expect(service.decide(id, { approved: true, caller: callerOf(['hr-write']), requestId: 'request' })).rejects.toThrow(
      'unreachable',
    );
    expect(executedWith).toEqual([]);
  });
});
