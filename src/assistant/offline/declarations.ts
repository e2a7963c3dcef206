/** Tool declarations as plain data that can be sent to the worker thread. */
import { EXAMPLE_DAY, inputSchema, jsonSchema, outputSchema } from '../../derive/answers.ts';
import { qualifiedName, type Registry } from '../../engine/registry.ts';
import type { Realm, Role } from '../../declare/people.ts';
import { type Audience, type Effect, effectOf, pluralOf, type Tool } from '../../declare/tool.ts';
import type { Schema } from './schema.ts';
import { type OfflineWeights, readWeights } from './weights.ts';

export interface DomainDeclaration {
  readonly name: string;
  readonly title: string;
  readonly audiences: Readonly<Record<string, Audience>>;
  readonly masks: NonNullable<Tool['domain']['masks']>;
}
export interface ExampleDeclaration extends Pick<Tool['examples'][number], 'question' | 'as' | 'expects'> {
  /** Other wordings of the question. */
  readonly phrases: readonly string[];
  readonly input: Readonly<Record<string, unknown>>;
}
export interface ToolDeclaration
  extends Pick<Tool, 'kind' | 'name' | 'title' | 'description' | 'roles' | 'audience' | 'errors' | 'lastResort' | 'aliases'> {
  /** The same object for every tool of the domain, also after structured cloning. */
  readonly domain: DomainDeclaration;
  readonly qualifiedName: string;
  readonly input: Schema;
  readonly output: Schema;
  readonly effect: Effect | undefined;
  readonly plural: string | undefined;
  readonly currency: string;
  readonly summary: readonly string[];
  readonly examples: readonly ExampleDeclaration[];
}
/** Other wordings of the examples' questions: by qualified tool name, then by question. */
export type Phrases = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
/** A list whose rows a tool of its domain can count and sum up. */
export interface AnalysisDeclaration {
  /** The qualified names of the tool and of the list. */
  readonly tool: string;
  readonly list: string;
  /** The name of the list as the tool takes it. */
  readonly name: string;
  readonly fields: readonly { readonly name: string; readonly type: string; readonly groups: boolean; readonly measures: boolean }[];
}
export interface Declarations {
  /** The day for which the example inputs were generated. */
  readonly exampleDay: string;
  readonly tools: readonly ToolDeclaration[];
  readonly analyses: readonly AnalysisDeclaration[];
  readonly roles: Readonly<Record<Realm, readonly Role[]>>;
  readonly fiscalYearStart: number;
  readonly weights: OfflineWeights;
}

/** Yields after each tool, so that the caller can release the event loop. */
export function* readDeclarations(
  registry: Registry,
  phrases: Phrases,
  weights: OfflineWeights = readWeights(),
): Generator<undefined, Declarations> {
  const domains = new Map(
    registry.domains.map((domain) => {
      const { name, title, audiences, masks = {} } = domain;
      return [domain, { name, title, audiences, masks }] as const;
    }),
  );
  const tools: ToolDeclaration[] = [];
  for (const tool of registry.tools) {
    const domain = domains.get(tool.domain);
    // The offline model fills only plain inputs.
    if (domain && tool.kind !== 'analyze' && tool.kind !== 'history')
      tools.push(declarationOf(tool, domain, phrases.get(qualifiedName(tool))));
    yield;
  }
  const { roles } = registry;
  return {
    exampleDay: EXAMPLE_DAY,
    tools,
    analyses: analysesOf(registry),
    roles: { staff: roles.of('staff'), customer: roles.of('customer') },
    fiscalYearStart: registry.company.fiscalYearStart,
    weights,
  };
}

const analysesOf = (registry: Registry): AnalysisDeclaration[] =>
  registry.tools.flatMap((tool) =>
    tool.kind !== 'analyze'
      ? []
      : tool.lists.map((list) => ({
          tool: qualifiedName(tool),
          list: qualifiedName(list),
          name: list.name,
          fields: list.fields.map(({ name, type, groups, measures }) => ({ name, type, groups, measures })),
        })),
  );

function declarationOf(
  tool: Tool,
  domain: DomainDeclaration,
  phrases: ReadonlyMap<string, readonly string[]> = new Map(),
): ToolDeclaration {
  const { kind, name, title, description, roles, audience, errors, lastResort, aliases } = tool;
  return {
    kind,
    name,
    title,
    description,
    roles,
    audience,
    effect: effectOf(tool),
    plural: pluralOf(tool),
    currency: tool.company.currency,
    errors,
    lastResort,
    aliases,
    domain,
    qualifiedName: qualifiedName(tool),
    // The offline model fills only the inputs that the tool itself declares.
    input: (tool.kind === 'list' ? jsonSchema(tool.ownInput, 'input', tool.company) : inputSchema(tool)) as Schema,
    output: outputSchema(tool) as Schema,
    summary: tool.kind === 'list' && tool.totals ? Object.keys(tool.totals.schema.shape) : [],
    examples: tool.examples.map(({ question, as: asker, expects, input }) => ({
      question,
      phrases: phrases.get(question) ?? [],
      as: asker,
      expects,
      input: input(EXAMPLE_DAY),
    })),
  };
}
