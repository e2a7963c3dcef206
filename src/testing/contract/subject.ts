/** The state that the cases of the contract suite share: registry, people, test server, and saved sample rows. */
import { createRoleTable } from '../../declare/roles.ts';
import type { Persona } from '../../declare/sample.ts';
import type { AnyDomain, Tool, ToolExample } from '../../declare/tool.ts';
import type { Role } from '../../declare/people.ts';
import { EXAMPLE_DAY } from '../../derive/answers.ts';
import { accessRuleFor, audienceFor, opens } from '../../engine/access.ts';
import type { AuditRecord } from '../../engine/ports.ts';
import type { Registry } from '../../engine/registry.ts';
import { openRawStore, type RawStore } from '../raw-store.ts';
import type { TestServer } from '../test-server.ts';
import { ToolCaller, today } from '../tool-caller.ts';

/** One check. `run` throws an Error with the problem as its message. */
export interface ContractCase {
  readonly name: string;
  run(): Promise<void>;
}

export interface Opened {
  readonly server: TestServer;
  readonly caller: ToolCaller;
}

export interface Subject {
  readonly registry: Registry;
  readonly people: readonly Persona[];
  open(): Promise<Opened>;
  /** Opens the server and makes all earlier tickets expire, because the number of tickets per person is limited. */
  begin(): Promise<Opened>;
  rawStore(domain: AnyDomain): Promise<RawStore>;
  /** The first call saves all rows. Later calls restore the SQL domains and the given domain. */
  restore(domain: AnyDomain): Promise<void>;
  rolesOf(person: Persona): ReadonlySet<Role>;
  /** People who may call the tool. */
  callersOf(tool: Tool): readonly Persona[];
  close(): Promise<void>;
}

const TICKET_SECONDS = 301;

export function createSubject(registry: Registry, openServer: () => Promise<TestServer>, ignoredTables: readonly string[]): Subject {
  let opening: Promise<Opened> | undefined;
  let saving: Promise<Map<AnyDomain, () => Promise<void>>> | undefined;
  const { people } = registry;
  const open = () =>
    (opening ??= openServer().then((server) => ({
      server,
      caller: new ToolCaller(server),
    })));
  const rawStore = async (domain: AnyDomain) => openRawStore((await open()).server, domain, ignoredTables);
  const save = async () => {
    const saved = new Map<AnyDomain, () => Promise<void>>();
    for (const domain of registry.domains) saved.set(domain, await (await rawStore(domain)).snapshot());
    return saved;
  };
  const rolesOf = ({ realm, roles }: Persona) => registry.roles.resolve(realm, roles);
  const callersOf = (tool: Tool) => people.filter((person) => opens(tool, rolesOf(person)));
  return {
    registry,
    people,
    open,
    async begin() {
      const opened = await open();
      opened.server.clock.pass(TICKET_SECONDS);
      opened.caller.forget();
      return opened;
    },
    rawStore,
    async restore(written) {
      const saved = await (saving ??= save());
      for (const [domain, back] of saved) if (domain.store === 'sql' || domain === written) await back();
    },
    rolesOf,
    callersOf,
    async close() {
      const opened = await opening;
      opening = undefined;
      await opened?.server.close();
    },
  };
}

/** The name of a tool in messages: `hr.list_employees`. */
export const nameOf = (tool: { readonly domain: { readonly name: string }; readonly name: string }): string =>
  `${tool.domain.name}.${tool.name}`;

/**
 * The expected code of an example in this configuration. If the role of its person belongs to a domain that is not installed, the tool
 * refuses the call.
 */
export function expectedCode({ registry, people }: Pick<Subject, 'registry' | 'people'>, tool: Tool, example: ToolExample): string {
  const declared = example.expects ?? (tool.kind === 'write' ? 'pending_confirmation' : 'success');
  const person = people.find(({ username }) => username === example.as);
  if (person === undefined) return declared;
  const held = registry.roles.resolve(person.realm, person.roles);
  const rule = accessRuleFor(tool, example.input(EXAMPLE_DAY), held);
  if (opens(rule, held)) return declared;
  const elsewhere = (tool.domain.rolesOf ?? []).filter((set) => !registry.domains.some(({ roles }) => roles === set));
  const all = createRoleTable([...registry.domains, ...elsewhere.map((roles, n) => ({ name: `not installed ${n}`, roles }))]);
  return opens(rule, all.resolve(person.realm, person.roles)) ? 'INSUFFICIENT_PERMISSIONS' : declared;
}

/** The examples of people who can sign in. Without a role of this configuration, a person cannot. */
export const examplesOf = ({ people }: Pick<Subject, 'people'>, tool: Tool): readonly ToolExample[] =>
  tool.examples.filter(({ as }) => people.some(({ username }) => username === as));

/** An example that answers with data or a card in this configuration. */
export const workingExample = (subject: Pick<Subject, 'registry' | 'people'>, tool: Tool): ToolExample | undefined =>
  examplesOf(subject, tool).find((example) => ['success', 'pending_confirmation'].includes(expectedCode(subject, tool, example)));

/** The inputs of all examples for today, without duplicates. */
export const exampleInputs = (tool: Tool, server: TestServer): readonly Readonly<Record<string, unknown>>[] => [
  ...new Map(
    tool.examples.map(({ input }) => {
      const given = input(today(server));
      return [JSON.stringify(given), given];
    }),
  ).values(),
];

/** The newest stored records of every chain. */
export async function newestRecords({ tamshai }: TestServer, limit: number): Promise<AuditRecord[]> {
  const found = await Promise.all(tamshai.modules.audit.sources.map((source) => source.newest({ limit })));
  return found.flat().map(({ body }) => JSON.parse(body) as AuditRecord);
}

/** Returns one person for each audience of the list: the first who sees several rows, or else the first. */
export async function readersOf(subject: Subject, opened: Opened, tool: Tool): Promise<string[]> {
  const readers = new Map<string, { readonly username: string; readonly pages: boolean }>();
  for (const person of subject.callersOf(tool)) {
    const audience = audienceFor(tool, subject.rolesOf(person)) ?? '';
    if (readers.get(audience)?.pages) continue;
    const { answer } = await opened.caller.call('rest', person.username, tool, { limit: 1 });
    const pages = answer.status === 'success' && answer.metadata?.hasMore === true;
    if (pages || !readers.has(audience)) readers.set(audience, { username: person.username, pages });
  }
  return [...readers.values()].map(({ username }) => username);
}
