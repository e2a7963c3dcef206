/** Declarations of MCP resources, prompts and change feeds. Each becomes a `Tool`, so that the pipeline runs it. */
import { z } from 'zod';
import { DEFAULT_COMPANY } from './company.ts';
import type { ErrorMap } from './errors.ts';
import { callerText, companyText, untrusted } from './fields.ts';
import { cursor, limit, type PagePosition, type ResourcePage } from './page.ts';
import type { Role } from './people.ts';
import { answerParser } from './rows.ts';
import type { AccessRule, AnyDomain, CallContext, Calling, Described, PagesTool, PlainTool, ReadTool, Tool, ToolBase } from './tool.ts';

type Snake<T extends string> = T extends `${infer A}-${infer B}` ? `${A}_${Snake<B>}` : T;
/** The input keys for the variables of a URI: `{adr-id}` becomes `adr_id`. */
export type Variables<U extends string> = U extends `${string}{${infer V}}${infer Rest}` ? Snake<V> | Variables<Rest> : never;
type Codes<E> = keyof E & string;

/** The prefix of a prompt's name in the registry. */
export const PROMPTS = 'prompts/';

/** Completes an argument: returns up to `MAX_COMPLETIONS` values that match the beginning, the most likely first. */
export type Completion<C> = (begun: string, context: Calling<never> & C) => Promise<readonly string[]>;
export const MAX_COMPLETIONS = 100;

interface ResourceBase<R extends Role, A extends string, E extends ErrorMap>
  extends Pick<Described<R, A, z.ZodObject, E>, 'title' | 'description' | 'roles' | 'audience' | 'errors'> {
  /** A short name for lists: "entries". */
  readonly name: string;
}
interface ResourceDefBase<R extends Role, A extends string, U extends string, E extends ErrorMap> extends ResourceBase<R, A, E> {
  /** A URI, or a template such as `journey://failures/{topic}`. Each variable is one path segment. */
  readonly uri: U;
  /** Increases when the shape of the content changes. */
  readonly version: number;
}

/** A text resource, Markdown by default. Its `input` describes exactly the variables of the URI. */
export interface TextDef<R extends Role, A extends string, C, U extends string, I extends z.ZodObject, E extends ErrorMap>
  extends ResourceDefBase<R, A, U, E> {
  readonly mimeType?: string;
  readonly input: I & ([Variables<U>] extends [keyof z.output<I>] ? unknown : { readonly missing: `a variable of ${U}` });
  text(input: z.output<I>, context: Calling<Codes<E>> & C): Promise<string>;
  readonly complete?: { readonly [K in keyof z.output<I>]?: Completion<C> };
}

/** A resource of rows as of one transaction, read page by page. Its input is `limit` and `cursor`. */
export interface PagesDef<R extends Role, A extends string, C, U extends string, T extends z.ZodObject, E extends ErrorMap>
  extends ResourceDefBase<R, A, U, E> {
  readonly item: T;
  part(at: PagePosition, context: Calling<Codes<E>> & C): Promise<ResourcePage<z.input<T>>>;
}

/** The arguments are strings, because MCP clients ask for them in a form. */
export interface PromptDef<R extends Role, A extends string, C, I extends z.ZodObject> extends ResourceBase<R, A, {}> {
  readonly arguments: I;
  /** The tools that the prompt names. A person sees the prompt only if they may use all of them. */
  readonly tools: readonly [Tool, ...Tool[]];
  /** Returns the text for the LLM. `tool` returns a tool's name as the client knows it. The text never claims that a write happened. */
  render(given: z.output<I>, context: Pick<Calling<never>, 'me' | 'today' | 'company'> & { readonly tool: (tool: Tool) => string }): string;
  readonly complete?: { readonly [K in keyof z.output<I>]?: Completion<C> };
}

/** The change of one resource by one committed transaction. */
export interface Notice {
  readonly resource_uri: string;
  readonly tx_id: number;
  readonly change_type: 'upsert' | 'delete';
  /** At most `MAX_IDS`. */
  readonly changed_ids: readonly string[];
}
export const MAX_IDS = 100;

/** The change feed of a domain. It reads the domain's numbered log, so that no change is lost or sent twice. */
export interface FeedDef<R extends Role, A extends string, C> {
  readonly resources: readonly [Resource, ...Resource[]];
  readonly roles: readonly [R, ...R[]];
  readonly audience?: A;
  /** True if all subscribers of one audience get the same changes. They then share one lookup. */
  readonly alike: boolean;
  /** The newest transaction number. All transactions up to this number are committed. */
  last(context: C): Promise<number>;
  /** The changes of the transactions after `tx`, in order; at most `most` transactions. */
  after(tx: number, most: number, context: C): Promise<readonly Notice[]>;
}

export interface Resource {
  readonly kind: 'resource';
  readonly domain: AnyDomain;
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  readonly version: number;
  readonly roles: readonly Role[];
  /** The variables of the URI template; empty for a plain URI. */
  readonly variables: readonly string[];
  readonly paged: boolean;
  /** The tool that reads the resource. Its name is the URI. */
  readonly tool: Tool;
  readonly completions: Readonly<Record<string, Tool>>;
}

export interface Prompt {
  readonly kind: 'prompt';
  readonly domain: AnyDomain;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly roles: readonly Role[];
  readonly tools: readonly Tool[];
  readonly arguments: z.ZodObject;
  /** The tool that renders the prompt. Its input `qualified` is true if the client knows tools by names with the server as a prefix. */
  readonly tool: Tool;
  readonly completions: Readonly<Record<string, Tool>>;
}

export interface Feed {
  readonly kind: 'feed';
  readonly domain: AnyDomain;
  readonly resources: readonly Resource[];
  readonly alike: boolean;
  readonly access: AccessRule;
  /** By the resource's URI. `begin` returns the transaction after which notices start. */
  readonly subscriptions: ReadonlyMap<string, { readonly begin: Tool; readonly end: Tool }>;
  after(tx: number, most: number, context: CallContext): Promise<readonly Notice[]>;
}

export type ResourceOrPrompt = Resource | Prompt | Feed;

/** The builders of `defineDomain` for resources, prompts and feeds. */
export interface ResourceBuilders<R extends Role, A extends string, C> {
  resource<const U extends string, I extends z.ZodObject, const E extends ErrorMap = {}>(def: TextDef<R, A, C, U, I, E>): Resource;
  pages<const U extends string, T extends z.ZodObject, const E extends ErrorMap = {}>(def: PagesDef<R, A, C, U, T, E>): Resource;
  prompt<I extends z.ZodObject>(def: PromptDef<R, A, C, I>): Prompt;
  feed(def: FeedDef<R, A, C>): Feed;
}

type Base = (
  def: Described<Role, string, z.ZodObject, ErrorMap, Record<string, unknown>>,
  input: z.ZodObject,
  output: z.core.$ZodType,
) => ToolBase;
type ContextFor = (call: CallContext, errors: ErrorMap) => never;

const snake = (variable: string) => variable.replaceAll('-', '_');
const URI_PATTERN = /^[a-z][a-z0-9]*:\/\/[a-z0-9-]+(\/[a-z0-9-]+|\/\{[a-z][a-z0-9-]*\})*$/;
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const begun = z.object({ value: z.string().max(1000) });
const completed = z.array(untrusted);

export function createResourceBuilders(spec: AnyDomain, base: Base, contextFor: ContextFor): ResourceBuilders<Role, string, object> {
  const described = (name: string, { title, description, roles, audience, errors }: Omit<ResourceBase<Role, string, ErrorMap>, 'name'>) =>
    ({ name, title, description, roles, ...(audience !== undefined && { audience }), ...(errors && { errors }) }) as Described<
      Role,
      string,
      z.ZodObject,
      ErrorMap,
      Record<string, unknown>
    >;
  const completionTools = (
    owner: string,
    def: ResourceBase<Role, string, ErrorMap>,
    complete: Readonly<Record<string, Completion<object> | undefined>> = {},
  ) =>
    Object.fromEntries(
      Object.entries(complete).flatMap(([argument, completes]) => {
        if (completes === undefined) return [];
        const tool = base(described(`${owner}#${argument}`, { ...def, title: `Complete ${argument}` }), begun, completed);
        const run: ReadTool['run'] = async ({ value }, call) =>
          (await completes(value as string, contextFor(call, {}))).slice(0, MAX_COMPLETIONS);
        return [[argument, { ...tool, kind: 'read' as const, run }]];
      }),
    );
  const resourceOf = (
    def: ResourceDefBase<Role, string, string, ErrorMap>,
    tool: Tool,
    {
      mimeType,
      paged,
      completions = {},
    }: { readonly mimeType: string; readonly paged: boolean; readonly completions?: Resource['completions'] | undefined },
  ): Resource => {
    const { uri, name, title, description, version, roles } = def;
    if (!URI_PATTERN.test(uri) || !uri.startsWith(`${spec.name}://`)) throw new Error(`${uri} is not a URI of ${spec.name}`);
    if (!NAME.test(name) || !Number.isSafeInteger(version) || version < 1) throw new Error(`${uri}: the name or version is invalid`);
    const variables = [...uri.matchAll(/\{([^}]+)\}/g)].map(([, variable = '']) => variable);
    const keys = Object.keys(tool.input.shape).filter((key) => !paged || (key !== 'limit' && key !== 'cursor'));
    if (variables.map(snake).sort().join() !== keys.toSorted().join())
      throw new Error(`${uri}: the input must describe exactly the variables of the URI`);
    return { kind: 'resource', domain: spec, uri, name, title, description, mimeType, version, roles, variables, paged, tool, completions };
  };

  return {
    resource(def) {
      const { uri, mimeType = 'text/markdown' } = def;
      const tool = base(described(uri, def as never), def.input, untrusted);
      const reads: ReadTool = {
        ...tool,
        kind: 'read',
        run: (input, call) => def.text(input as never, contextFor(call, tool.errors)),
      };
      return resourceOf(def as never, reads, {
        mimeType,
        paged: false,
        completions: completionTools(uri, def as never, def.complete as never),
      });
    },
    pages(def) {
      const { uri, item } = def;
      const output = z.object({
        resource_uri: z.literal(uri),
        as_of_tx_id: z.int(),
        items: z.array(item),
        next_cursor: companyText.nullable(),
      });
      const tool = base(described(uri, def as never), z.object({ limit, cursor }), output);
      const parseItem = answerParser(item);
      const reads: PagesTool = {
        ...tool,
        kind: 'pages',
        part: async (at, call) => {
          const { asOf, items, next } = await def.part(at, contextFor(call, tool.errors));
          return { asOf: z.int().parse(asOf), items: items.map(parseItem), next };
        },
      };
      return resourceOf(def as never, reads, { mimeType: 'application/json', paged: true });
    },
    prompt(def) {
      const { name, title, description, roles, tools } = def;
      if (!NAME.test(name)) throw new Error(`${spec.name}: ${name} is not a valid name of a prompt`);
      const owner = `${PROMPTS}${name}`;
      const input = def.arguments.extend({ qualified: z.boolean() });
      // `callerText`: the prompt contains only our own text and the caller's arguments.
      const tool = base(described(owner, def), input, callerText);
      const render: PlainTool['run'] = async ({ qualified, ...given }, { me, today, company }) =>
        def.render(given as never, {
          me,
          today,
          company,
          tool: (named) => (qualified === true ? `${named.domain.name}_${named.name}` : named.name),
        });
      return {
        kind: 'prompt',
        domain: spec,
        name,
        title,
        description,
        roles,
        tools,
        arguments: def.arguments,
        tool: { ...tool, kind: 'plain', run: render },
        completions: completionTools(owner, def, def.complete as never),
      };
    },
    feed(def) {
      const { resources, alike } = def;
      if (resources.some(({ domain, variables }) => domain !== spec || variables.length > 0))
        throw new Error(`${spec.name}: a feed takes only resources of its own domain whose URI has no variables`);
      const titled = (name: string, title: string) => described(name, { ...def, title, description: title });
      const beginInput = z.object({ after_tx_id: z.int().min(0).optional() });
      const beginOf = ({ uri, title }: Resource): ReadTool => ({
        ...base(titled(`${uri}#subscribe`, `Subscribe to changes: ${title}`), beginInput, z.int()),
        kind: 'read',
        run: async ({ after_tx_id: asked = Number.MAX_SAFE_INTEGER }, call) =>
          Math.min(asked as number, await def.last(contextFor(call, {}))),
      });
      const endOf = ({ uri, title }: Resource): PlainTool => ({
        ...base(titled(`${uri}#unsubscribe`, `Unsubscribe: ${title}`), z.object({}), z.null()),
        kind: 'plain',
        run: async () => null,
      });
      return {
        kind: 'feed',
        domain: spec,
        resources,
        alike,
        subscriptions: new Map(resources.map((resource) => [resource.uri, { begin: beginOf(resource), end: endOf(resource) }])),
        access: { domain: spec, company: DEFAULT_COMPANY, name: `${spec.name}://`, roles: def.roles, audience: def.audience },
        after: (tx, most, call) => def.after(tx, most, contextFor(call, {})),
      };
    },
  };
}
