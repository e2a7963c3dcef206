/** No error hint is a dead end: each tool that it names exists, and somebody who can get the hint may use that tool. */
import { expect, test } from 'vitest';
import type { ErrorText } from '../../src/declare/errors.ts';
import type { Tool } from '../../src/declare/tool.ts';
import { inputSchema, outputSchema } from '../../src/derive/answers.ts';
import { builtIn } from '../registry.ts';
import { callersOf } from './calls.ts';

const NAME = /\b[a-z]+(?:_[a-z]+)+\b/g;
/** A tool name without an underscore is a tool name only after these words. */
const PLAIN_NAME = /\b(?:with|call|use) ([a-z]+)\b/g;

const toolsNamed = (name: string, { domain }: Tool): Tool[] => {
  const all = builtIn.tools.filter((tool) => tool.name === name || tool.aliases.includes(name));
  const own = all.filter((tool) => tool.domain === domain);
  return own.length > 0 ? own : all;
};

/** Every key and every value of an enum that the tools of a domain publish. */
const wordsOf = new Map<string, Set<string>>();
function words(domain: string): Set<string> {
  const found = wordsOf.get(domain) ?? new Set<string>();
  if (found.size > 0) return found;
  const walk = (value: unknown): void => {
    if (typeof value === 'string') found.add(value.toLowerCase());
    else if (Array.isArray(value)) for (const each of value) walk(each);
    else if (typeof value === 'object' && value !== null)
      for (const [key, each] of Object.entries(value)) {
        found.add(key);
        walk(each);
      }
  };
  for (const tool of builtIn.tools.filter((each) => each.domain.name === domain)) walk([inputSchema(tool), outputSchema(tool)]);
  wordsOf.set(domain, found);
  return found;
}

const hints = builtIn.tools.flatMap((tool) =>
  Object.entries(tool.errors as Readonly<Record<string, ErrorText>>).map(([code, text]) => {
    const { message = '', hint } = typeof text === 'string' ? { hint: text } : text;
    return { name: `${tool.domain.name}.${tool.name} ${code}`, tool, message, hint };
  }),
);

test.each(hints)('$name', ({ tool, message, hint }) => {
  expect(hint).toMatch(/[.!?]$/);
  if (message !== '') expect(message).toMatch(/[.!?]?$/);
  const named = [...`${message} ${hint}`.matchAll(NAME)].map(([name]) => name);
  const plain = [...hint.matchAll(PLAIN_NAME)].map(([, name]) => String(name)).filter((name) => toolsNamed(name, tool).length > 0);
  const callers = callersOf(tool);
  for (const name of [...named, ...plain]) {
    const tools = toolsNamed(name, tool);
    if (tools.length === 0) {
      expect([name, words(tool.domain.name).has(name)], 'names a tool that does not exist').toEqual([name, true]);
      continue;
    }
    const isOpen = tools.some((each) => callersOf(each).some((caller) => callers.includes(caller)));
    expect([name, isOpen || /\bAsk\b/.test(hint)], 'names a tool that nobody who gets the hint may use').toEqual([name, true]);
  }
});
