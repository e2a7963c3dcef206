/** What `/api/user/mcp-tools` tells: all that the app knows about tools. */
import type { Chart } from '../../src/core/chart.ts';
import type { Schema } from './schema.ts';

export interface MaskInfo {
  readonly field: string;
  readonly hides: string;
  readonly shownTo: readonly string[];
  readonly andOwner: boolean;
}
export interface ToolInfo {
  readonly name: string;
  readonly qualifiedName: string;
  readonly title: string;
  readonly description: string;
  readonly kind: 'read' | 'list' | 'write' | 'act';
  readonly plural: string | null;
  readonly needsApproval: boolean;
  readonly roles: readonly string[];
  readonly inputSchema: Schema;
  readonly outputSchema: Schema;
  readonly annotations: { readonly destructiveHint: boolean; readonly readOnlyHint: boolean };
  readonly examples: readonly { readonly ask: string; readonly input: Readonly<Record<string, unknown>> }[];
  readonly masked: readonly MaskInfo[];
  readonly chart: Chart | null;
}
export interface ServerInfo {
  readonly name: string;
  readonly title: string;
  readonly tools: readonly ToolInfo[];
}
export interface Found extends ToolInfo {
  readonly server: string;
}

export type Badge = 'Read' | 'Write' | 'Own';
export const badgeOf = ({ kind }: ToolInfo): Badge => (kind === 'write' ? 'Write' : kind === 'act' ? 'Own' : 'Read');

export const allOf = (servers: readonly ServerInfo[]): Found[] =>
  servers.flatMap(({ name, tools }) => tools.map((tool) => ({ ...tool, server: name })));
export const findTool = (servers: readonly ServerInfo[], server: string, tool: string): Found | undefined =>
  allOf(servers).find((each) => each.server === server && each.name === tool);

export interface Suggestion {
  readonly ask: string;
  readonly server: string;
  readonly writes: boolean;
}

/** Questions whose tool this person has. What not everyone may use comes first, and no server speaks twice before each has spoken. */
export function suggestions(servers: readonly ServerInfo[], most: number): Suggestion[] {
  const everyones = (tool: ToolInfo) => tool.roles.includes('employee') || tool.kind === 'act';
  const rank = (tool: ToolInfo) => Number(everyones(tool)) + 2 * Number(!tool.annotations.readOnlyHint);
  const queues = servers.map(({ name, tools }) =>
    [...tools]
      .sort((a, b) => rank(a) - rank(b))
      .flatMap((tool) => tool.examples.slice(0, 1).map(({ ask }) => ({ ask, server: name, writes: tool.kind === 'write' }))),
  );
  const own = (index: number) => servers[index]?.tools.some((tool) => !everyones(tool)) === true;
  const order = [...queues.keys()].sort((a, b) => Number(own(b)) - Number(own(a)));
  const chosen: Suggestion[] = [];
  for (let turn = 0; chosen.length < most && turn < 20; turn++) {
    for (const index of order) {
      const next = queues[index]?.[turn];
      if (next && chosen.length < most && !(next.writes && chosen.filter(({ writes }) => writes).length > 1)) chosen.push(next);
    }
  }
  return chosen;
}
