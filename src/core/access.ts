/** Who may call what, with whose eyes. Everything here is read off the declarations. */
import { failure } from './errors.ts';
import type { Person, Role } from './people.ts';
import type { StoreSession } from './store.ts';
import type { Me, Tool } from './tool.ts';

type Subject = Pick<Tool, 'roles' | 'audience'> & { readonly domain: Pick<Tool['domain'], 'audiences'> };

export const opens = (tool: Pick<Tool, 'roles'>, roles: ReadonlySet<Role>): boolean => tool.roles.some((role) => roles.has(role));

/**
 * The widest audience among the roles that open *this* tool. Not among all roles held: a manager with hr-read who
 * opens a managers-only tool must not see it with hr-read's eyes.
 */
export function audienceFor(tool: Subject, roles: ReadonlySet<Role>): string | undefined {
  if (!opens(tool, roles)) return undefined;
  if (tool.audience !== undefined) return tool.audience;
  for (const [name, audience] of Object.entries(tool.domain.audiences)) {
    if (audience.roles.some((role) => tool.roles.includes(role) && roles.has(role))) return name;
  }
  return undefined;
}

type Eyes = Omit<StoreSession, 'requestId'>;
/** A person's roles do not change while they are this very object: a new sign-in, or a look at their present state, makes another. */
const known = new WeakMap<Person, Map<Tool, Eyes>>();

export function sessionFor(tool: Tool, person: Person, requestId: string): StoreSession {
  const { domain, audience, shows } = known.get(person)?.get(tool) ?? remembered(tool, person);
  return { domain, audience, person, shows, requestId };
}

function remembered(tool: Tool, person: Person): Eyes {
  const eyes = eyesFor(tool, person);
  const tools = known.get(person) ?? new Map<Tool, Eyes>();
  known.set(person, tools.set(tool, eyes));
  return eyes;
}

function eyesFor(tool: Tool, person: Person): Eyes {
  const audience = audienceFor(tool, person.roles);
  if (audience === undefined) {
    throw failure('INSUFFICIENT_PERMISSIONS', `You do not have permission to use ${tool.name}.`, { requiredRoles: tool.roles });
  }
  if (tool.domain.audiences[audience]?.linked && person.employeeId === undefined) throw notLinked();
  const shows = Object.entries(tool.domain.masks ?? {})
    .filter(([, mask]) => mask.shownTo.some((role) => person.roles.has(role)))
    .map(([name]) => name);
  return { domain: tool.domain.name, audience, person, shows };
}

/** For looking up what a person did before, whatever roles are left: it shows them the results of their own approvals, and no row. */
export const formerSession = (tool: Tool, person: Person): StoreSession => ({
  domain: tool.domain.name,
  audience: audienceFor(tool, new Set(tool.roles)) ?? '',
  person,
  shows: [],
});

const notLinked = () => failure('IDENTITY_NOT_LINKED', 'Your account is not linked to an active employee record.');

const selves = new WeakMap<Person, Me>();
/** The person as tools see them. */
export function meFor(person: Person): Me {
  let me = selves.get(person);
  if (me === undefined) {
    me = {
      ...person,
      get employeeId() {
        if (person.employeeId === undefined) throw notLinked();
        return person.employeeId;
      },
    };
    selves.set(person, me);
  }
  return me;
}

/** "Why can't I see this?", from the declaration alone. */
export function hiddenFrom(
  tool: { readonly domain: Pick<Tool['domain'], 'masks'> },
  person: Pick<Person, 'roles'>,
): { mask: string; hides: string; shownTo: readonly Role[]; andOwner: boolean }[] {
  return Object.entries(tool.domain.masks ?? {})
    .filter(([, mask]) => !mask.shownTo.some((role) => person.roles.has(role)))
    .map(([mask, { hides, shownTo, andOwner }]) => ({ mask, hides, shownTo, andOwner }));
}

/** Role → what it sees through this tool: one line of the published matrix. */
export function matrixRow(tool: Tool): Map<Role, string> {
  const rows = new Map<Role, string>();
  for (const role of tool.roles) {
    const audience = audienceFor(tool, new Set([role]));
    rows.set(role, tool.domain.audiences[audience ?? '']?.sees ?? '');
  }
  return rows;
}
