/** What an MCP endpoint offers beside tools, from the declarations; each use of it is a call like any other. */
import { opens } from '../core/access.ts';
import { addresses } from '../core/addresses.ts';
import type { Answer } from '../core/answer.ts';
import type { Caller } from '../core/caller.ts';
import { mcpPrompt, mcpResource, mcpTemplate } from '../core/derive/resources.ts';
import { failure } from '../core/errors.ts';
import type { Person } from '../core/people.ts';
import type { Registry } from '../core/registry.ts';
import { PROMPTS, type Prompt, type Resource } from '../core/resources.ts';
import type { McpResources, ResourceCall } from '../transports/mcp/index.ts';
import type { ToolBackend } from './backends.ts';

export interface McpResourcesOptions {
  readonly registry: Registry;
  readonly only: string | undefined;
  readonly backend: (server: string) => ToolBackend;
  /** The caller as the client program presents them. */
  readonly callerOf: (call: ResourceCall) => Caller;
  /** The person as they stand now; throws when the sign-in is no longer good. */
  readonly recheck: (caller: Caller) => Promise<Caller>;
}

type Servers = ReadonlySet<string> | undefined;
/** How long a person's standing counts before a stream asks again. With the wait for news, which is asked for with it, that stays under ten seconds. */
const RECHECK_MS = 1_500;

export function createMcpResources({ registry, only, backend, callerOf, recheck }: McpResourcesOptions): McpResources | undefined {
  const here = <T extends { readonly domain: { readonly name: string } }>(all: readonly T[]): T[] =>
    all.filter(({ domain }) => only === undefined || domain.name === only);
  const resources = here(registry.resources);
  const prompts = here(registry.prompts);
  const feeds = here(registry.feeds);
  if (resources.length === 0 && prompts.length === 0) return undefined;
  const find = addresses(resources);
  const surface = only === undefined ? 'mcp' : 'direct';

  const serves = (server: string, servers: Servers) => servers === undefined || servers.has(server);
  const readable = ({ roles }: Person, servers: Servers) =>
    resources.filter(({ tool, domain }) => opens(tool, roles) && serves(domain.name, servers));
  const sayable = ({ tool, tools, domain }: Prompt, { roles }: Person, servers: Servers) =>
    [tool, ...tools].every((each) => opens(each, roles)) && serves(domain.name, servers);
  const call = (server: string, tool: string, input: unknown, asking: ResourceCall): Promise<Answer> =>
    backend(server).call({ server, tool, input, caller: callerOf(asking), surface, requestId: asking.requestId, signal: asking.signal });
  /** What is not here is counted and recorded as well. */
  const none = (name: string, asking: ResourceCall) => call(only ?? 'gateway', name, {}, asking);
  const noAddress = (uri: string, asking: ResourceCall, to = '') => none(`${uri.includes('://') ? '' : '://'}${uri}${to}`, asking);
  const noSubscription = async (uri: string, asking: ResourceCall, to: string): Promise<Answer> => {
    const answer = await noAddress(uri, asking, to);
    return find(uri) === undefined || answer.status !== 'error' ? answer : { ...answer, message: 'Of this resource no changes are told.' };
  };
  const named = (uri: string, { servers }: ResourceCall): ReturnType<typeof find> => {
    const found = find(uri);
    return found && serves(found.resource.domain.name, servers) ? found : undefined;
  };
  const followed = (resource: Resource | undefined) =>
    feeds.find((feed) => resource !== undefined && feed.resources.includes(resource))?.subscriptions.get(resource?.uri ?? '');

  const standing = new WeakMap<Caller['token'], { readonly caller: Promise<Caller>; readonly until: number }>();
  /** Whoever follows changes is looked at again and again: a role may be gone since the stream began. */
  const present = (caller: Caller): Promise<Caller> => {
    const known = standing.get(caller.token);
    if (known !== undefined && performance.now() < known.until) return known.caller;
    const asked = recheck(caller);
    standing.set(caller.token, { caller: asked, until: performance.now() + RECHECK_MS });
    return asked;
  };

  return {
    capabilities: {
      ...(resources.length > 0 && { resources: feeds.length > 0 ? { subscribe: true } : {} }),
      ...(prompts.length > 0 && { prompts: {} }),
      ...([...resources, ...prompts].some(({ completions }) => Object.keys(completions).length > 0) && { completions: {} }),
    },
    resources: ({ person }, servers) =>
      readable(person, servers)
        .filter(({ variables }) => variables.length === 0)
        .map(mcpResource),
    templates: ({ person }, servers) =>
      readable(person, servers)
        .filter(({ variables, paged }) => paged || variables.length > 0)
        .map(mcpTemplate),
    prompts: ({ person }, servers) => prompts.filter((prompt) => sayable(prompt, person, servers)).map(mcpPrompt),
    async read(uri, asking) {
      const found = named(uri, asking);
      if (found === undefined) return { answer: await noAddress(uri, asking), mimeType: '' };
      const { resource, input } = found;
      return { answer: await call(resource.domain.name, resource.tool.name, input, asking), mimeType: resource.mimeType };
    },
    async prompt(name, given, asking) {
      const prompt = prompts.find((each) => each.name === name && serves(each.domain.name, asking.servers));
      if (prompt === undefined) return { answer: await none(`${PROMPTS}${name}`, asking), description: '' };
      // Its words need no store, so that it is answered here, wherever its domain runs.
      const answer = await backend('gateway').call({
        server: prompt.domain.name,
        tool: prompt.tool.name,
        input: { qualified: only === undefined, ...given },
        caller: callerOf(asking),
        surface,
        requestId: asking.requestId,
      });
      return { answer, description: prompt.description };
    },
    async complete(reference, argument, asking) {
      const owner: Resource | Prompt | undefined =
        reference.type === 'ref/prompt'
          ? prompts.find(({ name }) => name === reference.name)
          : resources.find((resource) => resource.uri === reference.uri || mcpTemplate(resource).uriTemplate === reference.uri);
      if (owner === undefined || !serves(owner.domain.name, asking.servers)) {
        return reference.type === 'ref/prompt' ? none(`${PROMPTS}${reference.name}`, asking) : noAddress(reference.uri, asking);
      }
      const completion = owner.completions[argument.name] ?? owner.completions[argument.name.replaceAll('-', '_')];
      if (completion === undefined) return { status: 'success', data: [] };
      return call(owner.domain.name, completion.name, { value: argument.value }, asking);
    },
    async subscribe(uri, asking) {
      const found = named(uri, asking);
      const follow = followed(found?.resource);
      if (found === undefined || follow === undefined) return { answer: await noSubscription(uri, asking, '#subscribe'), server: '', uri };
      const { resource, input } = found;
      return {
        answer: await call(resource.domain.name, follow.begin.name, input, asking),
        server: resource.domain.name,
        uri: resource.uri,
      };
    },
    async unsubscribe(uri, asking) {
      const found = named(uri, asking);
      const follow = followed(found?.resource);
      if (found === undefined || follow === undefined) return { answer: await noSubscription(uri, asking, '#unsubscribe'), uri };
      return { answer: await call(found.resource.domain.name, follow.end.name, {}, asking), uri: found.resource.uri };
    },
    async changes(server, caller, after) {
      const now = await present(caller);
      const feed = feeds.find(({ domain }) => domain.name === server);
      if (feed === undefined || !opens(feed.tool, now.person.roles))
        throw failure('INSUFFICIENT_PERMISSIONS', `You do not have permission to follow ${server}.`);
      return backend(server).changes({ caller: now, after });
    },
  };
}
