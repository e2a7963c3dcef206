/** What each caller may use, as MCP lists it and as the API tells it. Made once for each set of roles. */
import { opens } from '../core/access.ts';
import { listedTool, mcpTool } from '../core/derive/mcp.ts';
import { createQualifier } from '../core/derive/qualify.ts';
import { maskOf } from '../core/fields.ts';
import type { Person } from '../core/people.ts';
import { qualifiedName, type Registry } from '../core/registry.ts';
import type { Tool } from '../core/tool.ts';
import type { ToolBackend } from './backends.ts';
import { z } from 'zod';

export interface Listing {
  readonly bytes: Buffer;
  /** Whose tools are in it. */
  readonly servers: ReadonlySet<string>;
  readonly tools: readonly ReturnType<typeof listedTool>[];
}

export interface Listings {
  for(person: Person, servers: ReadonlySet<string> | undefined): Listing;
  /** By the name a client uses, aliases too. */
  find(name: string): Tool | undefined;
}

const MOST_KEPT = 200;

/** `qualified`: with the server's name in front, as the gateway lists them. */
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
  const kept = new Map<string, Listing>();
  return {
    for(person, servers) {
      const key = `${[...person.roles].sort().join(' ')}|${servers ? [...servers].sort().join(' ') : ''}`;
      let listing = kept.get(key);
      if (!listing) {
        const open = tools.filter((tool) => opens(tool, person.roles) && (servers === undefined || servers.has(tool.domain.name)));
        const shown = open.flatMap((tool) => published.get(tool) ?? []);
        listing = {
          tools: shown,
          servers: new Set(open.map(({ domain }) => domain.name)),
          bytes: Buffer.from(`"tools":${JSON.stringify(shown)}`),
        };
        if (kept.size >= MOST_KEPT) kept.clear();
        kept.set(key, listing);
      }
      return listing;
    },
    find: (name) => byName.get(name),
  };
}

/** Servers that do not answer at the moment: their tools are listed all the same, as they come back without anyone listing again. */
export const missingFrom = (
  registry: Registry,
  backend: (server: string) => Pick<ToolBackend, 'available'>,
  servers: ReadonlySet<string>,
) =>
  registry.domains.flatMap(({ name, title }) =>
    servers.has(name) && !backend(name).available() ? [{ server: name, title, retryable: true }] : [],
  );

/** For the web app and for people who write programs: everything about the tools that this person may use. */
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
    plural: tool.plural ?? null,
    // With `atOnceWhen`, an approval is needed only where that is not so.
    needsApproval: tool.kind === 'write',
    atOnceWhen: tool.atOnceWhen ?? null,
    roles: tool.roles,
    inputSchema,
    outputSchema,
    annotations,
    // What this very person would ask comes first: somebody else's department or team may be none of theirs.
    examples: tool.examples
      .filter(({ expects }) => expects === undefined)
      .toSorted((a, b) => Number(b.as === person.username) - Number(a.as === person.username))
      .map(({ question, input }) => ({ ask: question, input: input(today) })),
    masked: maskedFields(tool),
    chart: tool.chart ?? null,
  };
}

/** Which fields may read `*** (Hidden)`, and who sees them. */
export function maskedFields(tool: Tool) {
  const shape = tool.output instanceof z.ZodArray ? tool.output.element : tool.output;
  if (!(shape instanceof z.ZodObject)) return [];
  return Object.entries(shape.shape).flatMap(([field, schema]) => {
    const mask = tool.domain.masks?.[maskOf(schema) ?? ''];
    return mask ? [{ field, hides: mask.hides, shownTo: mask.shownTo, andOwner: mask.andOwner }] : [];
  });
}
