/** The registry of all domains, tools, resources and prompts. It is built once at the start. */
import { withAnalyses } from './analyze/tool.ts';
import { withHistories } from './history/tool.ts';
import { type Company, DEFAULT_COMPANY } from '../declare/company.ts';
import { type Contract, contractName } from '../declare/contracts.ts';
import { declaredFor, sameCompany } from '../declare/for-company.ts';
import type { Follower, Provision } from '../declare/provisions.ts';
import type { Feed, ResourceOrPrompt, Prompt, Resource } from '../declare/resources.ts';
import { createRoleTable, type RoleTable } from '../declare/roles.ts';
import type { Installed } from '../declare/install.ts';
import type { Persona, Sample, SampleCompany } from '../declare/sample.ts';
import type { AnyDomain, Tool } from '../declare/tool.ts';
import type { Transfer } from '../declare/transfer.ts';

export interface Registry {
  /** The company to which all declarations are adapted. */
  readonly company: Company;
  readonly domains: readonly AnyDomain[];
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly prompts: readonly Prompt[];
  readonly feeds: readonly Feed[];
  readonly provisions: readonly Provision[];
  readonly followers: readonly Follower[];
  readonly roles: RoleTable;
  /** The sample company of the configuration; undefined if it has none. */
  readonly sample: SampleCompany | undefined;
  /** The people of the sample company who have a role in this configuration. Roles that no domain declares are removed. */
  readonly people: readonly Persona[];
  /** The sample data of each domain that has some, in the order of the domains. */
  readonly samples: ReadonlyMap<string, Sample>;
  /** Exports and imports for operators, by domain. */
  readonly transfers: ReadonlyMap<string, Transfer>;
  /** Finds a tool by its name or an alias, and the reader of a resource or prompt by its URI or name. */
  find(server: string, name: string): Tool | undefined;
  /** The provision of this contract in this version. */
  provisionOf(contract: Pick<Contract, 'id' | 'version'>): Provision | undefined;
  /** The same declarations for another company. */
  forCompany(company: Company): Registry;
}

export interface RegistryOptions {
  readonly company?: Company;
  readonly provides?: readonly Provision[];
  readonly follows?: readonly Follower[];
}

/** Adapts all declarations to the company. */
export function createRegistry(
  declaredTools: readonly Tool[],
  declaredResources: readonly ResourceOrPrompt[] = [],
  options: RegistryOptions = {},
): Registry {
  const { company = DEFAULT_COMPANY, follows = [] } = options;
  const declared = declaredFor({ tools: declaredTools, resources: declaredResources }, company);
  const tools = withHistories(withAnalyses(declared.tools));
  const resourcesAndPrompts = declared.resources;
  const provides = (options.provides ?? []).map((provision) => ({ ...provision, company }));
  const byName = new Map<string, Tool>();
  const resources = resourcesAndPrompts.filter((item) => item.kind === 'resource');
  const prompts = resourcesAndPrompts.filter((item) => item.kind === 'prompt');
  const feeds = resourcesAndPrompts.filter((item) => item.kind === 'feed');
  const readers = [...resources, ...prompts].flatMap(({ tool, completions }) => [tool, ...Object.values(completions)]);
  const listeners = feeds.flatMap(({ subscriptions }) => [...subscriptions.values()].flatMap(({ begin, end }) => [begin, end]));
  for (const tool of [...tools, ...readers, ...listeners]) {
    for (const name of [tool.name, ...tool.aliases]) {
      const key = `${tool.domain.name}/${name}`;
      if (byName.has(key)) throw new Error(`${key} is declared twice`);
      byName.set(key, tool);
    }
  }
  // Clients see the prompts of all domains in one list without a prefix.
  const twice = prompts.find(({ name }, at) => prompts.findIndex((prompt) => prompt.name === name) !== at);
  if (twice) throw new Error(`the prompt ${twice.name} is declared twice`);
  const domains = [...new Set([...tools, ...resourcesAndPrompts, ...provides, ...follows].map(({ domain }) => domain))];
  const provisions = provisionsByName(provides);
  const registry: Registry = {
    company,
    domains,
    tools,
    resources,
    prompts,
    feeds,
    provisions: provides,
    followers: follows,
    provisionOf: (contract) => provisions.get(contractName(contract)),
    roles: createRoleTable(domains),
    sample: undefined,
    people: [],
    samples: new Map(),
    transfers: new Map(),
    find: (server, name) => byName.get(`${server}/${name}`),
    forCompany: (other) =>
      sameCompany(other, company) ? registry : createRegistry(declaredTools, declaredResources, { ...options, company: other }),
  };
  return registry;
}

/** The registry of the domains of a configuration, in their order. */
export function registryOf(installed: readonly Installed[], sample?: SampleCompany, company: Company = DEFAULT_COMPANY): Registry {
  const registry = createRegistry(
    installed.flatMap(({ tools }) => tools),
    installed.flatMap(({ resources }) => resources),
    {
      company,
      provides: installed.flatMap(({ provides }) => provides),
      follows: installed.flatMap(({ follows }) => follows),
    },
  );
  const complete: Registry = {
    ...registry,
    sample,
    people: (sample?.people ?? [])
      .map((person) => ({ ...person, roles: person.roles.filter((role) => registry.roles.of(person.realm).includes(role)) }))
      .filter(({ roles }) => roles.length > 0),
    samples: new Map(installed.flatMap((each) => (each.sample === undefined ? [] : [[each.domain.name, each.sample] as const]))),
    transfers: new Map(installed.flatMap((each) => (each.transfer === undefined ? [] : [[each.domain.name, each.transfer] as const]))),
    forCompany: (other) => (sameCompany(other, company) ? complete : registryOf(installed, sample, other)),
  };
  return complete;
}

/** One domain may provide several versions of a contract. Two domains may not provide the same contract. */
function provisionsByName(provisions: readonly Provision[]): Map<string, Provision> {
  const byName = new Map<string, Provision>();
  for (const provision of provisions) {
    const { id } = provision.contract;
    const other = provisions.find(({ contract, domain }) => contract.id === id && domain !== provision.domain);
    if (other) throw new Error(`Both ${provision.domain.name} and ${other.domain.name} provide the contract ${id}; install one of them`);
    if (byName.has(provision.name)) throw new Error(`${provision.domain.name} provides ${provision.name} twice`);
    byName.set(provision.name, provision);
  }
  return byName;
}

/** The gateway serves the tools of all servers, so their names get the server as a prefix. */
export const qualifiedName = (tool: Tool): string => `${tool.domain.name}_${tool.name}`;
