/** The tools that a caller may use, as MCP and the REST API list them. Built once per set of roles. */
import { audienceFor, hiddenFrom, opens } from '../engine/access.ts';
import { functionsFor } from '../engine/analyze/question.ts';
import { isHidden } from '../engine/lists/hidden.ts';
import { listedTool, mcpTool } from '../derive/mcp.ts';
import { createQualifier } from '../derive/qualify.ts';
import { maskedFields } from '../declare/masks.ts';
import type { Person } from '../declare/people.ts';
import { qualifiedName, type Registry } from '../engine/registry.ts';
import { atOnceWhenOf, type ListTool, pluralOf, type Tool } from '../declare/tool.ts';
import type { ToolBackend } from './backends.ts';
import { LRUCache } from 'lru-cache';

export interface Listing {
  readonly bytes: Buffer;
  /** The servers whose tools are listed. */
  readonly servers: ReadonlySet<string>;
  readonly tools: readonly ReturnType<typeof listedTool>[];
}

export interface Listings {
  for(person: Person, servers: ReadonlySet<string> | undefined): Listing;
  /** Finds a tool by the name that clients use, or by an alias. */
  find(name: string): Tool | undefined;
}

/** The largest number of cached listings. Each is for one set of roles and servers. */
const MAX_LISTINGS = 200;

/** The gateway adds the server to tool names (`hr_list_employees`); a domain server does not. */
export function createListings(registry: Registry, only: string | undefined): Listings {
  const qualified = only === undefined;
  const tools = registry.tools.filter(({ domain }) => only === undefined || domain.name === only);
  const { descriptions } = createQualifier(registry);
  const listed = (tool: Tool) => (qualified ? descriptions(listedTool(tool, true), tool.domain.name) : listedTool(tool, false));
  const published = new Map(tools.map((tool) => [tool, listed(tool)]));
  const byName = new Map(
    tools.flatMap((tool) =>
      [tool.name, ...tool.aliases].map((name) => [qualified ? qualifiedName({ ...tool, name }) : name, tool] as const),
    ),
  );
  const cache = new LRUCache<string, Listing>({ max: MAX_LISTINGS });
  return {
    for(person, servers) {
      const key = `${[...person.roles].sort().join(' ')}|${servers ? [...servers].sort().join(' ') : ''}`;
      let listing = cache.get(key);
      if (!listing) {
        const open = tools.filter((tool) => opens(tool, person.roles) && (servers === undefined || servers.has(tool.domain.name)));
        const shown = open.flatMap((tool) => published.get(tool) ?? []);
        listing = {
          tools: shown,
          servers: new Set(open.map(({ domain }) => domain.name)),
          bytes: Buffer.from(`"tools":${JSON.stringify(shown)}`),
        };
        cache.set(key, listing);
      }
      return listing;
    },
    find: (name) => byName.get(name),
  };
}

/** The servers that do not answer. Their tools stay in the list, because clients do not read the list again later. */
export const missingFrom = (
  registry: Registry,
  backend: (server: string) => Pick<ToolBackend, 'available'>,
  servers: ReadonlySet<string>,
) =>
  registry.domains.flatMap(({ name, title }) =>
    servers.has(name) && !backend(name).available() ? [{ server: name, title, retryable: true }] : [],
  );

/** The tools that this person may use, with all details, for the web app and API clients. */
export function toolsOf(registry: Registry, person: Person, today: string) {
  const servers = registry.domains.map((domain) => {
    const open = registry.tools.filter((tool) => tool.domain === domain && opens(tool, person.roles));
    return { name: domain.name, title: domain.title, tools: open.map((tool) => describeTool(tool, person, today)) };
  });
  return { servers: servers.filter(({ tools }) => tools.length > 0) };
}

function describeTool(tool: Tool, person: Person, today: string) {
  const { name: qualified, inputSchema, outputSchema, annotations, description } = mcpTool(tool, true);
  return {
    name: tool.name,
    qualifiedName: qualified,
    title: tool.title,
    description,
    kind: tool.kind,
    plural: pluralOf(tool) ?? null,
    // A tool with `atOnceWhen` needs an approval only if that condition is false.
    needsApproval: tool.kind === 'write',
    atOnceWhen: atOnceWhenOf(tool) ?? null,
    roles: tool.roles,
    inputSchema,
    outputSchema,
    annotations,
    // Examples of other people can name departments that this person cannot see, so the person's own examples come first.
    examples: tool.examples
      .filter(({ expects }) => expects === undefined)
      .toSorted((a, b) => Number(b.as === person.username) - Number(a.as === person.username))
      .map(({ question, input }) => ({ ask: question, input: input(today) })),
    masked: describeMasks(tool),
    fields: tool.kind === 'list' ? describeFields(tool, person) : [],
    chart: tool.chart ?? null,
  };
}

/** The fields that filters and analyses of the list can use. */
function describeFields(list: ListTool, person: Person) {
  const masks = new Set(hiddenFrom(list, person).map(({ mask }) => mask));
  const session = {
    audience: audienceFor(list, person.roles) ?? '',
    shows: Object.keys(list.domain.masks ?? {}).filter((mask) => !masks.has(mask)),
  };
  return list.fields.map((field) => ({
    name: field.name,
    type: field.type,
    groups: field.groups,
    functions: functionsFor(field),
    hidden: isHidden(field, session),
  }));
}

/** The fields that may be masked as `*** (Hidden)`, and the roles that see them. */
export function describeMasks(tool: Tool) {
  return maskedFields(tool.output).flatMap(({ path, mask: name }) => {
    const mask = tool.domain.masks?.[name];
    return mask ? [{ field: path, hides: mask.hides, shownTo: mask.shownTo, andOwner: mask.andOwner }] : [];
  });
}
