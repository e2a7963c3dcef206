/** People who can call tools: staff and customers, and their roles. */
/** The engine's own roles. Every other role belongs to the domain that declares it with `defineRoles`. */
export type BaseRole = 'employee' | 'manager' | 'executive';
export const BASE_ROLES: readonly BaseRole[] = ['employee', 'manager', 'executive'];
/** Declarations type their roles as a union of names (`RoleSet`). The engine compares role names as plain strings. */
export type Role = string;
export type Realm = 'staff' | 'customer';

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

const SYSTEM = 'system';
/** The person in whose name the engine and the operator's commands read a store. No issuer gives a person this principal. */
export const systemPerson = (...roles: readonly Role[]): Person => ({
  principal: SYSTEM,
  sub: 'system',
  realm: 'staff',
  username: 'system',
  name: 'System',
  email: '',
  employeeId: undefined,
  organizationId: undefined,
  roles: new Set(roles),
});

export const isSystem = ({ principal }: Pick<Person, 'principal'>): boolean => principal === SYSTEM;
