/** Who can call, and as what. */
const AREAS = ['hr', 'finance', 'sales', 'support', 'payroll', 'tax'] as const;

export type StaffRole = 'employee' | 'manager' | 'executive' | `${(typeof AREAS)[number]}-${'read' | 'write'}`;
export type CustomerRole = 'lead-customer' | 'basic-customer';
export type Role = StaffRole | CustomerRole;
export type Realm = 'staff' | 'customer';

export const STAFF_ROLES: readonly StaffRole[] = [
  'employee',
  'manager',
  'executive',
  ...AREAS.flatMap((area) => [`${area}-read`, `${area}-write`] as const),
];
export const CUSTOMER_ROLES: readonly CustomerRole[] = ['lead-customer', 'basic-customer'];

export interface Person {
  /** (issuer, sub) as one string. It owns tickets, tasks, sessions and cursors, and never changes. */
  readonly principal: string;
  readonly sub: string;
  readonly realm: Realm;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  /** The linked, active employee record. Undefined where there is none: then no rule about "self" may pass. */
  readonly employeeId: string | undefined;
  readonly organizationId: string | undefined;
  /** Already closed: `hr-write` brings `hr-read`. */
  readonly roles: ReadonlySet<Role>;
}

/** Nobody in particular: for whoever looks after an installation, where a store asks who reads. */
export const systemPerson = (...roles: readonly Role[]): Person => ({
  principal: 'system',
  sub: 'system',
  realm: 'staff',
  username: 'system',
  name: 'System',
  email: '',
  employeeId: undefined,
  organizationId: undefined,
  roles: new Set(roles),
});

/** What a token says of roles, made ours: unknown names fall away, the other realm's too, `user` is `employee`. */
export function rolesIn(realm: Realm, named: Iterable<string>): Set<Role> {
  const known: readonly string[] = realm === 'staff' ? STAFF_ROLES : CUSTOMER_ROLES;
  const held = new Set<Role>();
  for (const name of named) {
    const role = name === 'user' ? 'employee' : name;
    if (known.includes(role)) held.add(role as Role);
  }
  return closeRoles(held);
}

function closeRoles(held: Set<Role>): Set<Role> {
  for (const role of held) if (role.endsWith('-write')) held.add(role.replace('-write', '-read') as Role);
  return held;
}
