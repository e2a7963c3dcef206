/** People who can call tools: staff and customers, their roles and realms. */
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
  /** Issuer and subject of the token as one string. It owns tickets, tasks, sessions and cursors, and never changes. */
  readonly principal: string;
  readonly sub: string;
  readonly realm: Realm;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  /** The id of the linked, active employee record. If it is undefined, no rule about "self" may pass. */
  readonly employeeId: string | undefined;
  readonly organizationId: string | undefined;
  /** Includes implied roles: `hr-write` implies `hr-read`. */
  readonly roles: ReadonlySet<Role>;
}

/** The person in whose name the operator's commands read a store. */
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

/** The roles of a token that this realm knows, with implied roles. `user` means `employee`. */
export function rolesIn(realm: Realm, named: Iterable<string>): Set<Role> {
  const known: readonly string[] = realm === 'staff' ? STAFF_ROLES : CUSTOMER_ROLES;
  const held = new Set<Role>();
  for (const name of named) {
    const role = name === 'user' ? 'employee' : name;
    if (known.includes(role)) held.add(role as Role);
  }
  return addImpliedRoles(held);
}

function addImpliedRoles(held: Set<Role>): Set<Role> {
  for (const role of held) if (role.endsWith('-write')) held.add(role.replace('-write', '-read') as Role);
  return held;
}
