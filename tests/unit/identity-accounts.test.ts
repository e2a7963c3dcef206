/** Accounts of the built-in identity provider: roles, disabling and "sign out everywhere", shared by all replicas. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KeyValue } from '../../src/engine/ports.ts';
import { type Accounts, createAccounts } from '../../src/identity/accounts.ts';
import { persona, personas } from '../../domains/sample-company/people.ts';
import { openSqliteKeyValue } from '../../src/storage/kv/sqlite.ts';
import { testClock } from './identity-support.ts';
import { builtIn } from '../registry.ts';

const clock = testClock();
const alice = persona('alice.chen');
let kv: KeyValue;
let all: Accounts;
beforeEach(() => {
  kv = openSqliteKeyValue(':memory:', clock);
  all = createAccounts(kv, personas, { roles: builtIn.roles, clock });
});
afterEach(() => kv.close());

describe('an account', () => {
  it('is found by its user name and by its sub', () => {
    expect(all.find('alice.chen')).toBe(alice);
    expect(all.find(alice.sub)).toBe(alice);
    expect(all.find('nobody')).toBeUndefined();
    expect(all.personas).toBe(personas);
  });

  it('has the roles of its persona at first, and exists in its own realm only', async () => {
    expect(await all.present('staff', alice.sub)).toEqual({ persona: alice, roles: new Set(alice.roles), notBefore: 0 });
    expect(await all.present('customer', alice.sub)).toBeUndefined();
    expect(await all.present('staff', 'alice.chen')).toBeUndefined();
  });

  it('has only the assigned roles that its realm knows, and the roles that they include', async () => {
    await all.setRoles('alice.chen', ['employee', 'tax-write', 'lead-customer', 'root']);
    expect((await all.present('staff', alice.sub))?.roles).toEqual(new Set(['employee', 'tax-write', 'tax-read']));
  });

  it('is absent while disabled, and keeps its other changes', async () => {
    await all.setRoles('alice.chen', ['employee']);
    await all.disable(alice.sub);
    expect(await all.present('staff', alice.sub)).toBeUndefined();
    expect(all.find('alice.chen')).toBe(alice);
    await all.enable(alice.sub);
    expect((await all.present('staff', alice.sub))?.roles).toEqual(new Set(['employee']));
  });

  it('changes on every replica, and no concurrent change is lost', async () => {
    const replica = createAccounts(kv, personas, { roles: builtIn.roles, clock });
    await Promise.all([
      all.setRoles('alice.chen', ['employee']),
      replica.signOutEverywhere('alice.chen'),
      all.signOutEverywhere(alice.sub),
    ]);
    expect(await replica.present('staff', alice.sub)).toMatchObject({ roles: new Set(['employee']), notBefore: clock.seconds() });
  });

  it('with a malformed stored state causes an error, and does not count as unchanged', async () => {
    await kv.set(`account:${alice.sub}`, '{"disabled":"yes"}', 60);
    await expect(all.present('staff', alice.sub)).rejects.toThrow();
  });

  it('that does not exist cannot be changed', async () => {
    await expect(all.disable('nobody')).rejects.toThrow('There is no account named nobody.');
  });
});
