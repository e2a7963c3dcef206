/** All tools by server and name, aliases included. Built once at start; everything derived is a function of it. */
import type { AnyDomain, Tool } from './tool.ts';

export interface Registry {
  readonly domains: readonly AnyDomain[];
  readonly tools: readonly Tool[];
  find(server: string, name: string): Tool | undefined;
}

export function registry(tools: readonly Tool[]): Registry {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    for (const name of [tool.name, ...tool.aliases]) {
      const key = `${tool.domain.name}/${name}`;
      if (byName.has(key)) throw new Error(`${key} is declared twice`);
      byName.set(key, tool);
    }
  }
  const domains = [...new Set(tools.map(({ domain }) => domain))];
  return { domains, tools, find: (server, name) => byName.get(`${server}/${name}`) };
}

/** Several servers behind one address: the server's name in front keeps their tools apart. */
export const qualifiedName = (tool: Tool): string => `${tool.domain.name}_${tool.name}`;
