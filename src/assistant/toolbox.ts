/** Selects the tools that an LLM is given for a question, within a token budget, and finds other tools on request. */
import { inputSchema } from '../derive/answers.ts';
import { mcpTool } from '../derive/mcp.ts';
import { opens } from '../engine/access.ts';
import type { ErrorText } from '../declare/errors.ts';
import type { Person } from '../declare/people.ts';
import { qualifiedName, type Registry } from '../engine/registry.ts';
import { canWrite, pluralOf, type Tool } from '../declare/tool.ts';
import { createTurns } from '../engine/turns.ts';
import type { OfferedTool } from './model.ts';

export interface PromptTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export const FIND_TOOLS: PromptTool = {
  name: 'find_tools',
  description:
    'Finds more tools that this person may use, by what they do. Use it when none of your tools fits; you can call what it finds.',
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string', description: 'What the tool should do, in a few words' } },
    required: ['query'],
  },
};

/** The token budget for tools in a prompt. */
export const TOOL_TOKENS = 3_000;
const MAX_FOUND = 5;
/** Enough for two questions of 4,000 characters. Longer queries of an LLM are truncated. */
const MAX_QUERY_CHARACTERS = 8_001;
const MAX_QUERY_WORDS = 400;
/** Common tokenisers have slightly less than four characters of JSON per token, so this estimate is high. */
export const tokensOf = (text: string): number => Math.ceil(text.length / 3.5);

const promptCost = (tool: OfferedTool): number => tokensOf(JSON.stringify(promptTool(tool)));
const costs = new WeakMap<Tool, number>();
const costOf = (offered: OfferedTool): number => {
  let cost = costs.get(offered.tool);
  if (cost === undefined) costs.set(offered.tool, (cost = promptCost(offered)));
  return cost;
};

const promptTools = new WeakMap<Tool, PromptTool>();
/** Leaves out the schema keys that an LLM does not need. */
export function promptTool({ name, tool, inputSchema }: OfferedTool): PromptTool {
  let shown = promptTools.get(tool);
  if (!shown)
    promptTools.set(
      tool,
      (shown = { name, description: mcpTool(tool, true).description, inputSchema: withoutNoise(inputSchema) as PromptTool['inputSchema'] }),
    );
  return shown;
}

const OMITTED_KEYS = new Set(['additionalProperties', 'maxLength', 'unit', 'untrusted', 'title']);
function withoutNoise(schema: unknown, named = false): unknown {
  if (Array.isArray(schema)) return schema.map((each) => withoutNoise(each));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) =>
      !named && OMITTED_KEYS.has(key) ? [] : [[key, withoutNoise(value, key === 'properties' && !named)]],
    ),
  );
}

export interface Toolbox {
  offered(person: Person, readOnly: boolean): readonly OfferedTool[];
  /** Best match first. Tools that share no word with the query are left out. */
  rank(words: string, among: readonly OfferedTool[]): OfferedTool[];
  select(words: string, among: readonly OfferedTool[], before: ReadonlySet<string>): OfferedTool[];
  find(words: string, among: readonly OfferedTool[]): OfferedTool[];
  /** Computes the prompt cost of each tool before the first question, without blocking the event loop. */
  warm(): Promise<void>;
}

const STOP_WORDS = new Set(
  (
    'a about all am an and any are as at be been by can could did do does for from get give had has have how i if in is it its list ' +
    'me my of on one or our out please show tell that the their them there these they this to us was we were what when where which ' +
    'who whose will with would you your'
  ).split(' '),
);
const stem = (word: string) => word.replace(/(?:ies)$/, 'y').replace(/(?:ing|ed|es|s)$/, '');
const wordsIn = (text: string): string[] =>
  (
    text
      .normalize('NFKD')
      .replace(/[\u0300-\u036f]/g, '')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  )
    .filter((word) => word.length > 1 && !STOP_WORDS.has(word))
    .map(stem);

/** The error hints of a tool that needs an id name the tool that finds the id, so the LLM needs both tools. */
const namesInErrors = (from: Tool, to: Tool): boolean =>
  from !== to &&
  from.domain === to.domain &&
  Object.values<ErrorText>(from.errors).some((text) => new RegExp(`\\b${to.name}\\b`).test(typeof text === 'string' ? text : text.hint));

const WEIGHTED_TEXTS: readonly [weight: number, text: (tool: Tool) => string][] = [
  [4, (tool) => `${tool.name} ${tool.aliases.join(' ')}`],
  [3, (tool) => tool.title],
  [2, (tool) => tool.examples.map(({ question }) => question).join(' ')],
  [1.5, (tool) => `${tool.domain.title} ${tool.domain.name} ${pluralOf(tool) ?? ''}`],
  [1, (tool) => tool.description],
  [1, (tool) => Object.keys(tool.input.shape).join(' ')],
];

export function createToolbox(registry: Registry): Toolbox {
  const all: readonly OfferedTool[] = registry.tools.map((tool) => ({
    name: qualifiedName(tool),
    tool,
    inputSchema: inputSchema(tool),
  }));
  const weights = new Map<Tool, Map<string, number>>();
  const spread = new Map<string, number>();
  for (const { tool } of all) {
    const own = new Map<string, number>();
    for (const [weight, text] of WEIGHTED_TEXTS)
      for (const word of new Set(wordsIn(text(tool).replaceAll('_', ' '))))
        own.set(word, Math.max(own.get(word) ?? 0, weight) + weight / 10);
    for (const word of own.keys()) spread.set(word, (spread.get(word) ?? 0) + 1);
    weights.set(tool, own);
  }
  const finders = new Map(
    all.map(({ tool }) => [tool, new Set(all.flatMap((other) => (namesInErrors(tool, other.tool) ? [other.tool] : [])))]),
  );
  /** Inverse document frequency: words that every tool contains have little weight. */
  const rarity = (word: string) => Math.log(1 + all.length / (spread.get(word) ?? all.length));

  const rank = (words: string, among: readonly OfferedTool[]): OfferedTool[] => {
    const asked = [...new Set(wordsIn(words.slice(0, MAX_QUERY_CHARACTERS)))].slice(0, MAX_QUERY_WORDS);
    const scored = among.map((offered) => {
      const own = weights.get(offered.tool);
      return { offered, score: asked.reduce((sum, word) => sum + (own?.get(word) ?? 0) * rarity(word), 0) };
    });
    return (
      scored
        .filter(({ score }) => score > 0)
        // Of equal tools, those that only read come first.
        .sort((a, b) => b.score - a.score || Number(canWrite(a.offered.tool)) - Number(canWrite(b.offered.tool)))
        .map(({ offered }) => offered)
    );
  };

  return {
    offered: (person, readOnly) => all.filter(({ tool }) => opens(tool, person.roles) && (!readOnly || !canWrite(tool))),
    rank,
    select(words, among, before) {
      const first = among.filter(({ name }) => before.has(name));
      const order = [
        ...new Set(
          [...first, ...rank(words, among)].flatMap((offered) => [
            offered,
            ...among.filter(({ tool }) => finders.get(offered.tool)?.has(tool)),
          ]),
        ),
      ];
      let left = TOOL_TOKENS - tokensOf(JSON.stringify(FIND_TOOLS));
      return order.filter((offered) => {
        const cost = costOf(offered);
        if (cost > left) return false;
        left -= cost;
        return true;
      });
    },
    find: (words, among) => rank(words, among).slice(0, MAX_FOUND),
    async warm() {
      const turns = createTurns();
      for (const offered of all) {
        costOf(offered);
        if (turns.isOver()) await turns.next();
      }
    },
  };
}
