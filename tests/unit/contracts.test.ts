/** Contracts between domains: mistakes in their declarations, and the clients that a tool gets. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { finance } from '../../domains/finance/domain.ts';
import { copyOfPeople } from '../../domains/finance/follows.ts';
import { hr } from '../../domains/hr/domain.ts';
import { employmentProvision, peopleChangesProvision } from '../../domains/hr/provides.ts';
import { defineChangeFeed, defineContract } from '../../src/declare/contracts.ts';
import { employment } from '../../src/declare/engine-contracts.ts';
import { failure } from '../../src/declare/errors.ts';
import type { ContractCall, ContractCaller } from '../../src/engine/contract-caller.ts';
import { explainNotLinked } from '../../src/engine/contracts.ts';
import { openNeeds } from '../../src/engine/needs.ts';
import { createRegistry } from '../../src/engine/registry.ts';
import { person } from '../test-runtime.ts';

const shape = { input: z.object({ id: z.string() }), output: z.string() };
const people = defineContract('people', 1, { nameOf: shape });

describe('a declaration', () => {
  test.each([
    [() => defineContract('People', 1, {}), "'People' is not a valid name of a contract: use lower-case letters, digits and dashes"],
    [() => defineContract('people', 0, {}), 'people: the version of a contract must be a whole number from 1'],
    [() => defineContract('people', 1, { '../x': shape }), "people: '../x' is not a valid name of a call: use letters and digits"],
    [() => hr.provide(people, { calls: { nameOf: async () => '' } }), 'hr: nobody may use people v1: name roles or a systemAudience'],
    [
      () => finance.follow(defineChangeFeed('other', 2, z.object({ n: z.int() })), { audience: 'feed', apply: () => [] }),
      'finance follows other v2, which is not among its needs',
    ],
    [() => finance.install({ tools: [], provides: [employmentProvision] }), 'finance: install() lists a provision of the domain hr'],
    [() => hr.install({ tools: [], follows: [copyOfPeople] }), 'hr: install() lists a follower of the domain finance'],
    [() => createRegistry([], [], { provides: [employmentProvision, employmentProvision] }), 'hr provides employment v1 twice'],
  ])('with a mistake is refused: %s', (declare, sentence) => {
    expect(declare).toThrow(sentence);
  });

  test('of a domain that only provides contracts is part of the registry', () => {
    const registry = createRegistry([], [], { provides: [employmentProvision, peopleChangesProvision] });
    expect(registry.domains).toEqual([hr.spec]);
    expect(registry.provisionOf(employment)).toMatchObject({ name: 'employment v1' });
    expect(registry.provisionOf({ id: 'employment', version: 2 })).toBeUndefined();
  });
});

describe('the clients of a tool', () => {
  const asked: ContractCall[] = [];
  const callerThat = (reaches: boolean): ContractCaller => ({
    reaches: () => reaches,
    ask: async (_contract, call) => {
      asked.push(call);
      return `answer ${asked.length}`;
    },
  });
  const [marcus, without] = [person('marcus.johnson'), 'it shows no names'];
  const open = (needs: Parameters<typeof openNeeds>[1], reaches = true) => {
    asked.length = 0;
    return openNeeds(callerThat(reaches), needs, { person: marcus, requestId: 'r' });
  };

  test('ask for the person of the call, once for each input', async () => {
    const { clients } = open({ people });
    const answers = [await clients['people']?.['nameOf']?.({ id: 'a' }), await clients['people']?.['nameOf']?.({ id: 'a' })];
    expect([...answers, await clients['people']?.['nameOf']?.({ id: 'b' })]).toEqual(['answer 1', 'answer 1', 'answer 2']);
    expect(asked).toMatchObject([{ call: 'nameOf', input: { id: 'a' }, person: marcus, requestId: 'r' }, { input: { id: 'b' } }]);
  });

  test('repeat their answers inside a transaction, and ask nobody', async () => {
    const { clients, beginTransaction } = open({ people });
    await clients['people']?.['nameOf']?.({ id: 'a' });
    beginTransaction();
    expect(await clients['people']?.['nameOf']?.({ id: 'a' })).toBe('answer 1');
    await expect(clients['people']?.['nameOf']?.({ id: 'b' })).rejects.toMatchObject({ code: 'CHANGED_SINCE_APPROVAL' });
    expect(asked).toHaveLength(1);
  });

  test('are undefined only for an optional need that nobody provides', () => {
    expect(open({ people: { optional: people, without } }, false).clients).toEqual({ people: undefined });
    expect(open({ people: { optional: people, without } }).clients['people']).toBeDefined();
    expect(open({ people }, false).clients['people']).toBeDefined();
  });
});

test('IDENTITY_NOT_LINKED says why only if no installed domain provides employment', () => {
  const error = failure('IDENTITY_NOT_LINKED', 'Your account is not linked to an active employee record.');
  expect(explainNotLinked(error, createRegistry([], [], { provides: [employmentProvision] }))).toBe(error);
  const other = failure('INSUFFICIENT_PERMISSIONS', 'No.');
  expect(explainNotLinked(other, createRegistry([]))).toBe(other);
  expect(explainNotLinked(error, createRegistry([]))).toMatchObject({
    code: 'IDENTITY_NOT_LINKED',
    message: 'Your account is not linked to an employee record: no installed domain keeps employees.',
  });
});
