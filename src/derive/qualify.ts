/** Adds the server to tool names in texts for the gateway's MCP clients: `find_employees` becomes `hr_find_employees`. */
import type { Answer } from '../declare/answer.ts';
import type { ErrorAnswer } from '../declare/errors.ts';
import { qualifiedName, type Registry } from '../engine/registry.ts';
import type { Tool } from '../declare/tool.ts';

export interface Qualifier {
  text(text: string, server: string): string;
  descriptions<T>(listed: T, server: string): T;
  /** Qualifies the hint of an error and the message of INSUFFICIENT_PERMISSIONS. Other messages can quote data and stay unchanged. */
  answer(answer: Answer, server: string): Answer;
}

const NAME = /\b[a-z]+(?:_[a-z]+)*\b/g;
/** A name without an underscore, such as `query`, can be an ordinary word. It is a tool name only after these words. */
const BEFORE_A_NAME = /\b(?:with|call|use) $/;

export function createQualifier({ tools }: Registry): Qualifier {
  const byName = new Map<string, Tool[]>();
  for (const tool of tools) byName.set(tool.name, [...(byName.get(tool.name) ?? []), tool]);

  /** Returns the server's own tool, or the only tool of all servers with this name. */
  const meant = (name: string, server: string): Tool | undefined => {
    const found = byName.get(name) ?? [];
    return found.find(({ domain }) => domain.name === server) ?? (found.length === 1 ? found[0] : undefined);
  };
  const text = (given: string, server: string): string =>
    given.replace(NAME, (name, at: number) => {
      const tool = name.includes('_') || BEFORE_A_NAME.test(given.slice(0, at)) ? meant(name, server) : undefined;
      return tool === undefined ? name : qualifiedName(tool);
    });
  const descriptions = <T>(listed: T, server: string): T => {
    if (Array.isArray(listed)) return listed.map((each: unknown) => descriptions(each, server)) as T;
    if (typeof listed !== 'object' || listed === null) return listed;
    const entries = Object.entries(listed).map(([key, value]: [string, unknown]) => {
      const qualified = key === 'description' && typeof value === 'string' ? text(value, server) : descriptions(value, server);
      return [key, qualified] as const;
    });
    return Object.fromEntries(entries) as T;
  };
  const error = (answer: ErrorAnswer, server: string): ErrorAnswer => {
    const message = answer.code === 'INSUFFICIENT_PERMISSIONS' ? text(answer.message, server) : answer.message;
    return { ...answer, message, suggestedAction: text(answer.suggestedAction, server) };
  };
  return { text, descriptions, answer: (answer, server) => (answer.status === 'error' ? error(answer, server) : answer) };
}
