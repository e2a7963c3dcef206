/** Roles that a domain introduces, and the roles of a configuration. */
import { BASE_ROLES, type Realm, type Role } from './people.ts';

export interface RoleSpec<R extends string> {
  /** What the role allows, for people who grant it. */
  readonly means: string;
  /** The roles that this role implies: `hr-write` includes `hr-read`. */
  readonly includes?: readonly R[];
  /** The realm of the people who can have the role; staff by default. */
  readonly realm?: Realm;
}
/** A domain can name only the roles of the sets that it imports. */
export interface RoleSet<out R extends string> {
  readonly names: readonly R[];
  readonly specs: Readonly<Record<string, RoleSpec<string>>>;
}
export type NamesOf<S> = S extends RoleSet<infer R> ? R : never;

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

export function defineRoles<const R extends string>(specs: { readonly [K in R]: RoleSpec<NoInfer<R>> }): RoleSet<R> {
  const names = Object.keys(specs) as R[];
  const odd = names.find((name) => !NAME.test(name));
  if (odd !== undefined) throw new Error(`'${odd}' is not a valid name of a role: use lower-case letters, digits and dashes`);
  return { names, specs };
}

/** All roles of a configuration. */
export interface RoleTable {
  readonly names: readonly Role[];
  /** The names of one realm. */
  of(realm: Realm): readonly Role[];
  /** What a role allows, in words; undefined if no domain declares it. */
  means(role: Role): string | undefined;
  /** Returns the `named` roles that exist in this realm, with the roles that they include. The name `user` means `employee`. */
  resolve(realm: Realm, named: Iterable<string>): Set<Role>;
}

export function createRoleTable(domains: readonly { readonly name: string; readonly roles?: RoleSet<string> }[]): RoleTable {
  const owners = new Map<Role, string>(BASE_ROLES.map((role) => [role, 'the engine']));
  const specs = new Map<Role, RoleSpec<string>>(BASE_ROLES.map((role) => [role, { means: role }]));
  for (const { name, roles } of domains) {
    for (const [role, spec] of Object.entries(roles?.specs ?? {})) {
      const owner = owners.get(role);
      if (owner !== undefined) throw new Error(`The role '${role}' is declared by ${owner} and by ${name}`);
      owners.set(role, name);
      specs.set(role, spec);
    }
  }
  const staffFirst = [...specs].toSorted(([, one], [, other]) => Number(one.realm === 'customer') - Number(other.realm === 'customer'));
  const names = staffFirst.map(([name]) => name);
  const of = (realm: Realm) => names.filter((name) => (specs.get(name)?.realm ?? 'staff') === realm);
  const known = { staff: new Set(of('staff')), customer: new Set(of('customer')) };
  return {
    names,
    of,
    means: (role) => specs.get(role)?.means,
    resolve(realm, named) {
      const held = new Set<Role>();
      const add = (role: Role) => {
        if (held.has(role) || !known[realm].has(role)) return;
        held.add(role);
        for (const included of specs.get(role)?.includes ?? []) add(included);
      };
      for (const name of named) add(name === 'user' ? 'employee' : name);
      return held;
    },
  };
}
