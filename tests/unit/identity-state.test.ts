/** Revocation and caching of verified tokens: lost roles, ended employment, outages of the stores and the right to approve. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mayDecide } from '../../src/engine/caller.ts';
import { bearer } from '../../src/identity/verify.ts';
import { persona } from '../../domains/sample-company/people.ts';
import { API, BASE, refusal, type Setup, setUp, signed, UNAUTHENTICATED } from './identity-support.ts';

let here: Setup;
beforeEach(() => {
  here = setUp();
});
afterEach(() => here.close());

const alice = persona('alice.chen');
const aliceId = alice.employeeId ?? '';
const ENDED = { code: 'INSUFFICIENT_PERMISSIONS', status: 403, message: 'This employment has ended.' };

/** Every way to lose a right; each must take effect within ten seconds. */
const losses: Record<string, { lose: (token: { jti: string; sid: string }) => unknown; leaves: object | readonly string[] }> = {
  'a role removed': { lose: () => here.accounts.setRoles('alice.chen', ['employee', 'hr-read']), leaves: ['employee', 'hr-read'] },
  'all roles removed': { lose: () => here.accounts.setRoles('alice.chen', []), leaves: [] },
  'the account disabled': { lose: () => here.accounts.disable('alice.chen'), leaves: UNAUTHENTICATED },
  'signed out everywhere': { lose: () => here.accounts.signOutEverywhere(alice.sub), leaves: UNAUTHENTICATED },
  'the employment ended': { lose: () => here.people.records.set(aliceId, 'terminated'), leaves: ENDED },
  'the token revoked': { lose: ({ jti }) => here.denied.revokeToken('staff', jti), leaves: UNAUTHENTICATED },
  'the session revoked': { lose: ({ sid }) => here.denied.revokeSession('staff', sid), leaves: UNAUTHENTICATED },
  'the person revoked': { lose: () => here.denied.revokePerson('staff', alice.sub), leaves: UNAUTHENTICATED },
};

describe.each(Object.entries(losses))('a lost right (%s)', (_, { lose, leaves }) => {
  const claimsOf = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { jti: string; sid: string };

  it('takes effect within ten seconds', async () => {
    const token = await here.token('alice.chen');
    await here.verifier.verify(token, API);
    here.clock.pass(5);
    await lose(claimsOf(token));
    here.clock.pass(4.9);
    expect(here.verifier.verifyCached(`Bearer ${token}`, API)?.person.roles.has('hr-write')).toBe(true);
    here.clock.pass(0.2);
    expect(here.verifier.verifyCached(`Bearer ${token}`, API)).toBeUndefined();
    const outcome = here.verifier.verify(token, API);
    if (Array.isArray(leaves)) expect([...(await outcome).person.roles]).toEqual(leaves);
    else expect(await refusal(outcome)).toEqual(leaves);
  });

  it('takes effect at once for an approval, which also removes the token from the cache', async () => {
    const token = await here.token('alice.chen');
    const caller = await here.verifier.verify(token, API);
    await lose(claimsOf(token));
    const outcome = here.verifier.refresh({ ...caller, approves: 'anything', origin: 'web' });
    if (Array.isArray(leaves)) {
      const renewed = await outcome;
      expect([...renewed.person.roles]).toEqual(leaves);
      expect(renewed).toMatchObject({ approves: 'anything', origin: 'web', token: caller.token });
    } else expect(await refusal(outcome)).toEqual(leaves);
    expect(here.verifier.verifyCached(`Bearer ${token}`, API)).toBeUndefined();
  });

  it('does not affect another person', async () => {
    const token = await here.token('bob.martinez');
    await lose({ jti: randomUUID(), sid: randomUUID() });
    expect((await here.verifier.verify(token, API)).person.roles.has('finance-write')).toBe(true);
  });
});

describe('the token cache', () => {
  it('drops an entry when its token expires', async () => {
    const token = await here.token('alice.chen', { ttl: 4 });
    await here.verifier.verify(token, API);
    here.clock.pass(4);
    expect(here.verifier.verifyCached(`Bearer ${token}`, API)).toBeUndefined();
    expect(await refusal(here.verifier.verify(token, API))).toEqual(UNAUTHENTICATED);
  });

  it('drops an entry when the clock is set back', async () => {
    const token = await here.token('alice.chen');
    here.clock.pass(2);
    await here.verifier.verify(token, API);
    here.clock.pass(-1);
    expect(here.verifier.verifyCached(`Bearer ${token}`, API)).toBeUndefined();
  });

  it('verifies a token once for concurrent requests', async () => {
    const token = await here.token('alice.chen');
    const callers = await Promise.all(Array.from({ length: 50 }, () => here.verifier.verify(token, API)));
    expect(new Set(callers).size).toBe(1);
    expect(here.people.asked).toBe(1);
  });

  it('keeps valid entries during a flood of invalid tokens', async () => {
    const token = await here.token('alice.chen');
    await here.verifier.verify(token, API);
    const [head, body] = token.split('.');
    const flood = Array.from(
      { length: 12_000 },
      (_, i) => `${head}.${body}.${Buffer.from(String(i).padStart(64, '0')).toString('base64url')}`,
    );
    const outcomes = await Promise.allSettled(flood.map((one) => here.verifier.verify(one, API)));
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    expect(here.verifier.verifyCached(`Bearer ${token}`, API)?.person.username).toBe('alice.chen');
    expect(here.people.asked).toBe(1);
  });

  it('reads the Bearer scheme in any case', () => {
    expect(bearer('Bearer abc')).toBe('abc');
    expect(bearer('bearer abc')).toBe('abc');
    for (const other of [undefined, '', 'Basic abc', 'Bearerabc', 'abc']) expect(bearer(other)).toBeUndefined();
  });
});

describe('the employee record', () => {
  it('is absent if hr has no such employee', async () => {
    here.people.records.delete(aliceId);
    expect((await here.verifier.verify(await here.token('alice.chen'), API)).person.employeeId).toBeUndefined();
  });

  const eve = persona('eve.thompson');
  const withClaims = async (claims: object) => {
    const { kid, privateKey } = here.keys.realms.staff;
    const now = here.clock.seconds();
    const token = { iss: `${BASE}/oidc/staff`, sub: eve.sub, aud: `${BASE}/api`, iat: now, exp: now + 60, roles: ['employee'], ...claims };
    return here.verifier.verify(await signed(privateKey, { alg: 'ES256', kid }, token), API);
  };

  it('is the claim employee_id in lower case, or else the sub', async () => {
    expect((await withClaims({})).person.employeeId).toBe(eve.sub);
    expect((await withClaims({ employee_id: aliceId.toUpperCase() })).person.employeeId).toBe(aliceId);
  });

  it('is not derived from the sub when the claim is malformed', async () => {
    for (const employee_id of ['', 'eve', `{${eve.sub}}`, 7, null, [eve.sub]]) {
      expect((await withClaims({ employee_id })).person.employeeId).toBeUndefined();
    }
  });

  it('is cached for five minutes while the employee records are unavailable', async () => {
    await here.verifier.verify(await here.token('alice.chen'), API);
    here.people.down = true;
    here.clock.pass(299);
    const { person } = await here.verifier.verify(await here.token('alice.chen'), API);
    expect(person.employeeId).toBe(aliceId);
    here.clock.pass(12);
    expect(await refusal(here.verifier.verify(await here.token('alice.chen'), API))).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      status: 503,
    });
  });

  it('is required for staff: without a cached record they get SERVICE_UNAVAILABLE', async () => {
    here.people.down = true;
    const refused = await refusal(here.verifier.verify(await here.token('alice.chen'), API));
    expect(refused).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    // The message says that no server answers: each of them refuses this person, even if its own store works.
    expect(refused).toMatchObject({ message: expect.stringContaining('No server answers you until') as string });
    expect((await here.verifier.verify(await here.token('jane.smith@acme.example'), API)).person.realm).toBe('customer');
  });

  it('is not taken from the cache for an approval', async () => {
    const caller = await here.verifier.verify(await here.token('alice.chen'), API);
    here.people.down = true;
    expect(await refusal(here.verifier.refresh(caller))).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});

describe('an unavailable key-value store', () => {
  it('refuses everyone with 503, so that nobody is asked to sign in again', async () => {
    const token = await here.token('alice.chen');
    const caller = await here.verifier.verify(token, API);
    await here.close();
    here.clock.pass(11);
    expect(await refusal(here.verifier.verify(token, API))).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
    expect(await refusal(here.verifier.refresh(caller))).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
    here = setUp();
  });
});

describe('refresh before an approval', () => {
  it('refuses an expired token, and a token of an unknown issuer', async () => {
    const caller = await here.verifier.verify(await here.token('alice.chen'), API);
    const elsewhere = {
      ...caller,
      token: { ...caller.token },
      person: { ...caller.person, principal: `https://login.evil.example#${alice.sub}` },
    };
    expect(await refusal(here.verifier.refresh(elsewhere))).toEqual(UNAUTHENTICATED);
    here.clock.pass(301);
    expect(await refusal(here.verifier.refresh(caller))).toEqual(UNAUTHENTICATED);
  });

  it('works for a caller whose token this process has not cached', async () => {
    const caller = await here.verifier.verify(await here.token('alice.chen'), API);
    const copy = { ...caller, token: { ...caller.token } };
    expect((await here.verifier.refresh(copy)).person).toEqual(caller.person);
    await here.accounts.setRoles('alice.chen', ['employee']);
    expect((await here.verifier.refresh(copy)).person.roles).toEqual(new Set(['employee']));
  });

  it('never adds a role that the token does not have', async () => {
    const caller = await here.verifier.verify(await here.token('frank.davis'), API);
    await here.accounts.setRoles('frank.davis', ['employee', 'executive']);
    expect((await here.verifier.refresh(caller)).person.roles).toEqual(new Set(['employee']));
  });
});

describe('the right to approve', () => {
  const id = randomUUID();
  const approves = async (setup: Setup, options: object) =>
    (await setup.verifier.verify(await setup.token('alice.chen', options), API)).approves;

  it('is in no ordinary token, and a scripted approval works only if the setting allows it', async () => {
    expect(await approves(here, {})).toBe('nothing');
    expect(await approves(here, { approve: true })).toBe('nothing');
    const scripted = setUp({ scriptedApprovals: true });
    expect(await approves(scripted, {})).toBe('nothing');
    expect(await approves(scripted, { approve: true })).toBe('anything');
    await scripted.close();
  });

  it('of the command is valid for one confirmation and one minute', async () => {
    const caller = await here.verifier.verify(await here.token('alice.chen', { approve: id, ttl: 300 }), API);
    expect(caller.approves).toEqual({ confirmationId: id });
    expect(caller.token.expiresAt - caller.token.issuedAt).toBe(60);
    expect(mayDecide(caller, id)).toBe(true);
    expect(mayDecide(caller, randomUUID())).toBe(false);
  });

  it('is not given to another client, a longer-lived token or a malformed claim', async () => {
    const scripted = setUp({ scriptedApprovals: true });
    expect(await approves(scripted, { approve: true, client: 'some-agent' })).toBe('nothing');
    expect(await approves(scripted, { approve: id, client: 'tamshai-web' })).toBe('nothing');
    const { kid, privateKey } = scripted.keys.realms.staff;
    const now = scripted.clock.seconds();
    for (const claims of [
      { tamshai_approve: id, exp: now + 61 },
      { tamshai_approve: 'true' },
      { tamshai_approve: 1 },
      { tamshai_approve: [id] },
      { tamshai_approve: { confirmationId: id } },
      { tamshai_approve: id.toUpperCase() },
      { scope: 'approve tamshai_approve' },
    ]) {
      const all = {
        iss: `${BASE}/oidc/staff`,
        sub: alice.sub,
        aud: `${BASE}/api`,
        iat: now,
        exp: now + 60,
        client_id: 'tamshai-cli',
        ...claims,
      };
      const caller = await scripted.verifier.verify(await signed(privateKey, { alg: 'ES256', kid }, all), API);
      expect(caller.approves).toBe('nothing');
    }
    await scripted.close();
  });
});
