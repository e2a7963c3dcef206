/** Types of tools, and suggested questions from the list of the user's tools. */
import type { ServerInfo, ToolInfo } from './contract.ts';

export type { MaskInfo, ServerInfo, ToolInfo } from './contract.ts';

export type Found = ToolInfo & { readonly server: string };

export type Badge = 'Read' | 'Write' | 'Own';
export const badgeOf = ({ kind }: ToolInfo): Badge => (kind === 'write' ? 'Write' : kind === 'act' ? 'Own' : 'Read');

export const allOf = (servers: readonly ServerInfo[]): Found[] =>
  servers.flatMap(({ name, tools }) => tools.map((tool) => ({ ...tool, server: name })));
export const findTool = (servers: readonly ServerInfo[], server: string, tool: string): Found | undefined =>
  allOf(servers).find((each) => each.server === server && each.name === tool);

export interface Suggestion {
  readonly ask: string;
  readonly server: string;
  /** A write tool needs an approval, unless the condition `atOnceWhen` is true. */
  readonly writes: boolean;
  readonly atOnceWhen: string | null;
}
export interface SuggestionGroup {
  readonly name: 'Your work' | 'Your team' | 'You' | 'The company';
  readonly suggestions: readonly Suggestion[];
}

const ABOUT_ONESELF = /\b(my|mine|i|i'm|i've)\b/i;

/** The group depends on the role that lets the user call the tool, and on whether its examples are about the user. */
function groupOf(tool: ToolInfo, roles: readonly string[]): SuggestionGroup['name'] {
  if (tool.kind === 'act') return 'You';
  const through = tool.roles.filter((role) => role !== 'employee' && roles.includes(role));
  if (tool.roles.includes('employee') || through.length === 0)
    return tool.examples.some(({ ask }) => ABOUT_ONESELF.test(ask)) ? 'You' : 'The company';
  if (through.includes('executive')) return 'The company';
  return through.every((role) => role === 'manager') ? 'Your team' : 'Your work';
}

/** Matches an id or a long number. Users do not remember ids, so such questions are not suggested. */
const OPAQUE = /\b[a-z]{1,4}-\d+\b|\b(?!20\d\d\b)\d{4,}\b/i;

/** An example of the tool. In the group "You" it must be about the user. */
const askOf = (tool: ToolInfo, group: SuggestionGroup['name']): string | undefined =>
  tool.examples.find(({ ask }) => !OPAQUE.test(ask) && (group !== 'You' || tool.kind === 'act' || ABOUT_ONESELF.test(ask)))?.ask;

/** The share of examples that are about the user. */
const personal = ({ examples }: ToolInfo) => examples.filter(({ ask }) => ABOUT_ONESELF.test(ask)).length / Math.max(1, examples.length);

/** Reads come first. With room for more than three, the last suggestion is a change. */
function mixed(all: readonly Suggestion[], room: number): readonly Suggestion[] {
  const reads = all.filter(({ writes }) => !writes);
  if (reads.length === 0) return all.slice(0, room);
  const change = room > 3 ? all.find(({ writes }) => writes) : undefined;
  return change ? [...reads.slice(0, room - 1), change] : reads.slice(0, room);
}

const SHARES: readonly (readonly number[])[] = [[], [8], [4, 4], [4, 2, 2]];

/** Suggests questions in up to three groups. In a group, the servers take turns. */
export function suggestions(servers: readonly ServerInfo[], roles: readonly string[]): SuggestionGroup[] {
  const names = roles.includes('executive')
    ? (['The company', 'Your work', 'Your team', 'You'] as const)
    : (['Your work', 'Your team', 'You', 'The company'] as const);
  const found = names.map((name) => {
    const queues = servers.map(({ name: server, tools }) =>
      tools
        .toSorted(
          (a, b) =>
            Number(b.annotations.readOnlyHint) - Number(a.annotations.readOnlyHint) || (name === 'You' ? personal(b) - personal(a) : 0),
        )
        .filter(({ kind, annotations }) => kind !== 'write' || (name !== 'The company' && !annotations.destructiveHint))
        .flatMap((tool) => {
          const ask = groupOf(tool, roles) === name ? askOf(tool, name) : undefined;
          if (ask === undefined) return [];
          const { kind, atOnceWhen } = tool;
          return [{ ask: ask.charAt(0).toUpperCase() + ask.slice(1), server, writes: kind === 'write', atOnceWhen }];
        }),
    );
    const longest = Math.max(0, ...queues.map((queue) => queue.length));
    return { name, all: Array.from({ length: longest }, (_, turn) => queues.flatMap((queue) => queue.slice(turn, turn + 1))).flat() };
  });
  const used = found.filter(({ all }) => all.length > 0).slice(0, 3);
  const shares = SHARES[used.length] ?? [];
  return used.map(({ name, all }, index) => ({ name, suggestions: mixed(all, shares[index] ?? 0) }));
}
