/** Authorises calls: decides which roles may use a tool, with which audience and masks, and what its function gets. */
import { dayIn } from '../declare/company.ts';
import { failure } from '../declare/errors.ts';
import type { Person, Role } from '../declare/people.ts';
import type { StoreKind } from '../declare/store-kinds.ts';
import type { Proof } from './caller.ts';
import { openNeeds } from './needs.ts';
import type { NeedingSession, Runtime } from './runtime.ts';
import type { CallSession, Store, StoreSession } from './store.ts';
import type { AccessRule, AnyDomain, CallContext, Me, Tool } from '../declare/tool.ts';

type Subject = Pick<AccessRule, 'roles' | 'audience'> & { readonly domain: Pick<AnyDomain, 'audiences'> };

export const opens = (tool: Pick<AccessRule, 'roles'>, roles: ReadonlySet<Role>): boolean => tool.roles.some((role) => roles.has(role));

/**
 * Returns the tool's own audience, or the widest audience among the roles that the tool lists. Other roles must not count: a manager with
 * hr-read would see the rows of hr-read in a tool for managers.
 */
export function audienceFor(tool: Subject, roles: ReadonlySet<Role>): string | undefined {
  if (!opens(tool, roles)) return undefined;
  if (tool.audience !== undefined) return tool.audience;
  for (const [name, audience] of Object.entries(tool.domain.audiences)) {
    if (audience.roles.some((role) => tool.roles.includes(role) && roles.has(role))) return name;
  }
  return undefined;
}

/**
 * The rule for a call. The rights of an analysis are those of its list; without a list, those of any list that the caller may use. The
 * rights of a history are those of a tool that shows the record.
 */
export function accessRuleFor(tool: Tool, input: unknown, roles: ReadonlySet<Role>): Tool {
  const isOpen = (each: Tool) => opens(each, roles);
  if (tool.kind === 'history') {
    const type = valueIn(input, 'type');
    const shownBy = tool.records.find((each) => each.type === type)?.shownBy ?? rulesOf(tool);
    return shownBy.find(isOpen) ?? shownBy[0] ?? tool;
  }
  if (tool.kind !== 'analyze') return tool;
  const of = valueIn(input, 'of');
  return tool.lists.find(({ name }) => name === of) ?? tool.lists.find(isOpen) ?? tool;
}
const valueIn = (input: unknown, key: string): unknown =>
  typeof input === 'object' && input !== null && Object.hasOwn(input, key) ? (input as Record<string, unknown>)[key] : undefined;

/** The tools whose rights a derived tool has; the tool itself otherwise. */
function rulesOf(tool: Tool): readonly Tool[] {
  if (tool.kind === 'history') return tool.records.flatMap(({ shownBy }) => shownBy);
  return tool.kind === 'analyze' ? tool.lists : [tool];
}

type CachedSession = Omit<CallSession, 'requestId'>;
/** The roles of a `Person` object never change: a new sign-in or a refresh creates a new object. */
const sessionsByPerson = new WeakMap<Person, Map<AccessRule, CachedSession>>();

export function sessionFor(tool: AccessRule, person: Person, requestId: string): CallSession {
  const { domain, audience, company, shows } = sessionsByPerson.get(person)?.get(tool) ?? cacheSession(tool, person);
  return { domain, audience, person, company, shows, requestId };
}

function cacheSession(tool: AccessRule, person: Person): CachedSession {
  const session = createSession(tool, person);
  const tools = sessionsByPerson.get(person) ?? new Map<AccessRule, CachedSession>();
  sessionsByPerson.set(person, tools.set(tool, session));
  return session;
}

function createSession(tool: AccessRule, person: Person): CachedSession {
  const audience = audienceFor(tool, person.roles);
  if (audience === undefined) {
    const held = [...person.roles].toSorted().join(', ') || 'none';
    throw failure('INSUFFICIENT_PERMISSIONS', `You do not have permission to use ${tool.name}. Your roles: ${held}.`, {
      requiredRoles: tool.roles,
    });
  }
  if (tool.domain.audiences[audience]?.linked && person.employeeId === undefined) throw notLinked();
  const shows = Object.entries(tool.domain.masks ?? {})
    .filter(([, mask]) => mask.shownTo.some((role) => person.roles.has(role)))
    .map(([name]) => name);
  return { domain: tool.domain.name, audience, person, company: tool.company, shows };
}

/** A session for `findResult` only. It gives people the results of their tickets even after they lost the role. */
export const formerSession = (tool: Tool, person: Person): StoreSession => ({
  domain: tool.domain.name,
  audience: audienceFor(tool, new Set(tool.roles)) ?? '',
  person,
  shows: [],
});

const notLinked = () => failure('IDENTITY_NOT_LINKED', 'Your account is not linked to an active employee record.');

const meByPerson = new WeakMap<Person, Me>();
export function meFor(person: Person): Me {
  let me = meByPerson.get(person);
  if (me === undefined) {
    me = {
      ...person,
      get employeeId() {
        if (person.employeeId === undefined) throw notLinked();
        return person.employeeId;
      },
    };
    meByPerson.set(person, me);
  }
  return me;
}

/** The masks of the tool's domain that apply to this person. */
export function hiddenFrom(
  tool: { readonly domain: Pick<AnyDomain, 'masks'> },
  person: Pick<Person, 'roles'>,
): { mask: string; hides: string; shownTo: readonly Role[]; andOwner: boolean }[] {
  return Object.entries(tool.domain.masks ?? {})
    .filter(([, mask]) => !mask.shownTo.some((role) => person.roles.has(role)))
    .map(([mask, { hides, shownTo, andOwner }]) => ({ mask, hides, shownTo, andOwner }));
}

/** For each role of the tool: the rows that the role sees, for the published role matrix. */
export const matrixRow = (tool: Tool): Map<Role, string> =>
  new Map(
    tool.roles.map((role) => [
      role,
      audiencesFor(tool, role)
        .map((name) => tool.domain.audiences[name]?.sees ?? '')
        .join('; '),
    ]),
  );

/** The audiences with which one role can use the tool; a derived tool has those of the tools that it is made from. */
export function audiencesFor(tool: Tool, role: Role): string[] {
  return [...new Set(rulesOf(tool).flatMap((rule) => audienceFor(rule, new Set([role])) ?? []))];
}

export function withNeeds(
  { contracts }: Runtime,
  { domain: { needs } }: Tool,
  { session, proof }: { readonly session: CallSession; readonly proof: Proof | undefined },
): NeedingSession {
  if (needs === undefined || contracts === undefined) return session;
  const { person, requestId = '' } = session;
  return { ...session, needs: openNeeds(contracts, needs, { person, proof, requestId }) };
}

export const storeOf = (runtime: Runtime, tool: Tool): Store<StoreKind> => {
  const store = runtime.stores[tool.domain.name];
  if (!store) throw failure('SERVICE_UNAVAILABLE', `${tool.domain.title} does not answer.`);
  return store;
};

const NO_NEEDS: CallContext['needs'] = {};

/** What the function of a tool gets. */
export const createCallContext = (
  { person, audience, company, needs }: NeedingSession,
  now: Date,
  handles: CallContext['handles'],
): CallContext => ({
  me: meFor(person),
  audience,
  now,
  today: dayIn(company.timeZone, now),
  company,
  handles,
  needs: needs?.clients ?? NO_NEEDS,
  fail: (code) => {
    throw new Error(`undeclared failure ${code}`);
  },
});
