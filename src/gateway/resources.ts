/** Serves MCP resources, prompts, completions and subscriptions. Every request except a list runs as a tool call. */
import { opens } from '../engine/access.ts';
import { createResourceFinder } from '../engine/addresses.ts';
import type { Answer } from '../declare/answer.ts';
import type { Caller } from '../engine/caller.ts';
import { mcpPrompt, mcpResource, mcpTemplate } from '../derive/resources.ts';
import { failure } from '../declare/errors.ts';
import type { Person } from '../declare/people.ts';
import type { Registry } from '../engine/registry.ts';
import { PROMPTS, type Prompt, type Resource } from '../declare/resources.ts';
import type { McpResources, ResourceCall } from '../transports/mcp/index.ts';
import type { ToolBackend } from './backends.ts';

/** The name of a tool and of its server. */
interface Called {
  readonly domain: { readonly name: string };
  readonly name: string;
}
export interface McpResourcesOptions {
  readonly registry: Registry;
  readonly only: string | undefined;
  readonly backend: (server: string) => ToolBackend;
  /** The caller, with the client program as origin. */
  readonly callerOf: (call: ResourceCall) => Caller;
  /** Reloads the person. Throws if their sign-in is no longer valid. */
  readonly recheck: (caller: Caller) => Promise<Caller>;
}

type Servers = ReadonlySet<string> | undefined;
/** How long a stream caches the person's roles. A lost role ends a stream within ten seconds, which includes the long poll. */
const RECHECK_MS = 1_500;

export function createMcpResources({ registry, only, backend, callerOf, recheck }: McpResourcesOptions): McpResources | undefined {
  const here = <T extends { readonly domain: { readonly name: string } }>(all: readonly T[]): T[] =>
    all.filter(({ domain }) => only === undefined || domain.name === only);
  const resources = here(registry.resources);
  const prompts = here(registry.prompts);
  const feeds = here(registry.feeds);
  if (resources.length === 0 && prompts.length === 0) return undefined;
  const find = createResourceFinder(resources);
  const surface = only === undefined ? 'mcp' : 'direct';

  const serves = (server: string, servers: Servers) => servers === undefined || servers.has(server);
  const readable = ({ roles }: Person, servers: Servers) =>
    resources.filter(({ tool, domain }) => opens(tool, roles) && serves(domain.name, servers));
  const isVisible = ({ tool, tools, domain }: Prompt, { roles }: Person, servers: Servers) =>
    [tool, ...tools].every((each) => opens(each, roles)) && serves(domain.name, servers);
  const call = ({ domain, name: tool }: Called, input: unknown, request: ResourceCall): Promise<Answer> =>
    backend(domain.name).call({
      server: domain.name,
      tool,
      input,
      caller: callerOf(request),
      surface,
      requestId: request.requestId,
      signal: request.signal,
    });
  /** Counts and records a request for an unknown resource or prompt. */
  const recordUnknown = (name: string, request: ResourceCall) => call({ domain: { name: only ?? 'gateway' }, name }, {}, request);
  const recordUnknownUri = (uri: string, request: ResourceCall, to = '') =>
    recordUnknown(`${uri.includes('://') ? '' : '://'}${uri}${to}`, request);
  const recordUnknownFeed = async (uri: string, request: ResourceCall, to: string): Promise<Answer> => {
    const answer = await recordUnknownUri(uri, request, to);
    return find(uri) === undefined || answer.status !== 'error' ? answer : { ...answer, message: 'This resource has no subscriptions.' };
  };
  const named = (uri: string, { servers }: ResourceCall): ReturnType<typeof find> => {
    const found = find(uri);
    return found && serves(found.resource.domain.name, servers) ? found : undefined;
  };
  const subscriptionOf = (resource: Resource | undefined) =>
    feeds.find((feed) => resource !== undefined && feed.resources.includes(resource))?.subscriptions.get(resource?.uri ?? '');

  const cached = new WeakMap<Caller['token'], { readonly caller: Promise<Caller>; readonly until: number }>();
  /** The caller with current roles, because a role can be revoked while a stream is open. */
  const present = (caller: Caller): Promise<Caller> => {
    const known = cached.get(caller.token);
    if (known !== undefined && performance.now() < known.until) return known.caller;
    const asked = recheck(caller);
    cached.set(caller.token, { caller: asked, until: performance.now() + RECHECK_MS });
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
    prompts: ({ person }, servers) => prompts.filter((prompt) => isVisible(prompt, person, servers)).map(mcpPrompt),
    async read(uri, request) {
      const found = named(uri, request);
      if (found === undefined) return { answer: await recordUnknownUri(uri, request), mimeType: '' };
      const { resource, input } = found;
      return { answer: await call(resource.tool, input, request), mimeType: resource.mimeType };
    },
    async prompt(name, given, request) {
      const prompt = prompts.find((each) => each.name === name && serves(each.domain.name, request.servers));
      if (prompt === undefined) return { answer: await recordUnknown(`${PROMPTS}${name}`, request), description: '' };
      // Prompts need no store, so the gateway renders them for every domain.
      const answer = await backend('gateway').call({
        server: prompt.domain.name,
        tool: prompt.tool.name,
        input: { qualified: only === undefined, ...given },
        caller: callerOf(request),
        surface,
        requestId: request.requestId,
      });
      return { answer, description: prompt.description };
    },
    async complete(reference, argument, request) {
      const owner: Resource | Prompt | undefined =
        reference.type === 'ref/prompt'
          ? prompts.find(({ name }) => name === reference.name)
          : resources.find((resource) => resource.uri === reference.uri || mcpTemplate(resource).uriTemplate === reference.uri);
      if (owner === undefined || !serves(owner.domain.name, request.servers)) {
        return reference.type === 'ref/prompt'
          ? recordUnknown(`${PROMPTS}${reference.name}`, request)
          : recordUnknownUri(reference.uri, request);
      }
      const completion = owner.completions[argument.name] ?? owner.completions[argument.name.replaceAll('-', '_')];
      if (completion === undefined) return { status: 'success', data: [] };
      return call(completion, { value: argument.value }, request);
    },
    async subscribe(uri, request) {
      const found = named(uri, request);
      const follow = subscriptionOf(found?.resource);
      if (found === undefined || follow === undefined)
        return { answer: await recordUnknownFeed(uri, request, '#subscribe'), server: '', uri };
      const { resource, input } = found;
      return {
        answer: await call(follow.begin, input, request),
        server: resource.domain.name,
        uri: resource.uri,
      };
    },
    async unsubscribe(uri, request) {
      const found = named(uri, request);
      const follow = subscriptionOf(found?.resource);
      if (found === undefined || follow === undefined) return { answer: await recordUnknownFeed(uri, request, '#unsubscribe'), uri };
      return { answer: await call(follow.end, {}, request), uri: found.resource.uri };
    },
    async changes(server, caller, after) {
      const now = await present(caller);
      const feed = feeds.find(({ domain }) => domain.name === server);
      if (feed === undefined || !opens(feed.access, now.person.roles))
        throw failure('INSUFFICIENT_PERMISSIONS', `You do not have permission to subscribe to ${server}.`);
      return backend(server).changes({ caller: now, after });
    },
  };
}
