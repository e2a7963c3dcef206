/** The accounts of the embedded provider: sample personas and changes of them (roles, disabled, signed out). */
import * as z from 'zod';
import type { Realm, Role } from '../declare/people.ts';
import type { RoleTable } from '../declare/roles.ts';
import type { Persona } from '../declare/sample.ts';
import type { Clock, KeyValue } from '../engine/ports.ts';

/** The current state of an account. */
export interface PresentAccount {
  readonly persona: Persona;
  /** Including implied roles, as in `Person`. */
  readonly roles: ReadonlySet<Role>;
  /** Tokens that were issued in this second or earlier are invalid (seconds since 1970). */
  readonly notBefore: number;
}

export interface Accounts {
  readonly personas: readonly Persona[];
  /** Finds a persona by user name or `sub`, including disabled accounts. */
  find(usernameOrSub: string): Persona | undefined;
  /** The current state of an account; undefined if it does not exist or is disabled. Reads the store each time. */
  present(realm: Realm, sub: string): Promise<PresentAccount | undefined>;
  /** Replaces the roles of the persona. */
  setRoles(usernameOrSub: string, roles: readonly string[]): Promise<void>;
  disable(usernameOrSub: string): Promise<void>;
  enable(usernameOrSub: string): Promise<void>;
  /** Invalidates every token and session issued so far. */
  signOutEverywhere(usernameOrSub: string): Promise<void>;
}

const accountState = z.object({
  disabled: z.boolean().optional(),
  roles: z.array(z.string()).optional(),
  notBefore: z.number().optional(),
});
type AccountState = z.infer<typeof accountState>;

/** The key-value port requires an expiry. No sample account lives so long. */
const TEN_YEARS = 10 * 365 * 24 * 3600;

export interface AccountOptions {
  readonly roles: RoleTable;
  readonly clock?: Clock;
  /** Reads the roles of a customer from the organisation's record. If it returns undefined, the roles of the persona count. */
  readonly customerRoles?: (customer: Pick<Persona, 'sub' | 'organizationId'>) => Promise<readonly string[] | undefined>;
}

/** The shared store has the changes of accounts, so that every replica sees them. */
export function createAccounts(
  kv: KeyValue,
  personas: readonly Persona[],
  { roles: table, clock = { now: () => new Date() }, customerRoles = async () => undefined }: AccountOptions,
): Accounts {
  const known = new Map<string, Persona>();
  for (const persona of personas) known.set(persona.sub, persona).set(persona.username, persona);

  const change = async (usernameOrSub: string, next: (state: AccountState) => AccountState): Promise<void> => {
    const persona = known.get(usernameOrSub);
    if (!persona) throw new Error(`There is no account named ${usernameOrSub}.`);
    const key = keyOf(persona.sub);
    // If another change came first, applies this change again to the newer state.
    for (;;) {
      const before = await kv.get(key);
      const after = JSON.stringify(next(read(before)));
      if (before === undefined ? await kv.add(key, after, TEN_YEARS) : await kv.swap(key, before, after, TEN_YEARS)) return;
    }
  };

  const rolesOf = async (persona: Persona): Promise<readonly string[]> => {
    const recorded = persona.realm === 'customer' ? await customerRoles(persona) : undefined;
    return recorded ?? persona.roles;
  };

  return {
    personas,
    find: (usernameOrSub) => known.get(usernameOrSub),
    async present(realm, sub) {
      const persona = known.get(sub);
      if (persona?.realm !== realm || persona.sub !== sub) return undefined;
      const { disabled, roles, notBefore } = read(await kv.get(keyOf(sub)));
      if (disabled) return undefined;
      return { persona, roles: table.resolve(realm, roles ?? (await rolesOf(persona))), notBefore: notBefore ?? 0 };
    },
    setRoles: (usernameOrSub, roles) => change(usernameOrSub, (state) => ({ ...state, roles: [...roles] })),
    disable: (usernameOrSub) => change(usernameOrSub, (state) => ({ ...state, disabled: true })),
    enable: (usernameOrSub) => change(usernameOrSub, (state) => ({ ...state, disabled: false })),
    signOutEverywhere: (usernameOrSub) =>
      change(usernameOrSub, (state) => ({ ...state, notBefore: Math.max(state.notBefore ?? 0, Math.floor(clock.now().getTime() / 1000)) })),
  };
}

const keyOf = (sub: string) => `account:${sub}`;
/** Throws for a corrupt value, because the account may be disabled. */
const read = (value: string | undefined): AccountState => (value === undefined ? {} : accountState.parse(JSON.parse(value)));
