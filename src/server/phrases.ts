/** Reads phrases/<tool>.txt of each domain: other phrasings of the example questions, for the offline model. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Phrases } from '../assistant/offline/declarations.ts';
import type { AnyDomain, Tool, ToolExample } from '../declare/tool.ts';
import { EXAMPLE_DAY } from '../derive/answers.ts';
import { qualifiedName, type Registry } from '../engine/registry.ts';
import { assetFolder } from './assets.ts';
import { ConfigProblem } from './config.ts';

/** Throws a ConfigProblem with file and line. */
export const readPhrases = (registry: Registry): Phrases =>
  new Map(
    registry.domains.flatMap((domain) =>
      readDomain(
        domain,
        registry.tools.filter((tool) => tool.domain === domain),
      ),
    ),
  );

function readDomain(domain: AnyDomain, tools: readonly Tool[]): [string, Map<string, string[]>][] {
  const folder = assetFolder(domain, 'phrases');
  if (folder === undefined) return [];
  const files = readdirSync(folder).filter((name) => !name.startsWith('.'));
  return files.toSorted().map((name) => {
    const file = join(folder, name);
    const tool = tools.find((each) => `${each.name.replaceAll('_', '-')}.txt` === name);
    if (!tool) throw new ConfigProblem(`${file} belongs to no tool: ${domain.name} has no tool for the name ${name}.`);
    return [qualifiedName(tool), readFile(file, tool)];
  });
}

const isHeading = (line: string | undefined): boolean => line?.startsWith('#') ?? false;

function readFile(file: string, tool: Tool): Map<string, string[]> {
  const phrases = new Map<string, string[]>();
  let example: ToolExample | undefined;
  const lines = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.trim());
  for (const [at, line] of lines.entries()) {
    const problem = (what: string) => new ConfigProblem(`Line ${at + 1} of ${file} ${what}.`);
    if (isHeading(line)) {
      const question = line.replace(/^#+\s*/, '');
      example = tool.examples.find((each) => each.question === question);
      if (!example) throw problem(`is not the question of an example of ${tool.name}`);
    } else if (line !== '') {
      if (!example) throw problem('is above the first heading (## and the question of an example)');
      phrases.set(example.question, [...(phrases.get(example.question) ?? []), fillSlots(line, example, problem)]);
    } else if (!isHeading(lines[at + 1])) throw problem('is an empty phrase; an empty line stands only above a heading');
  }
  return phrases;
}

/** Replaces each `{key}` by the value in the example's input. */
function fillSlots(phrase: string, example: ToolExample, problem: (what: string) => Error): string {
  const input = example.input(EXAMPLE_DAY);
  return phrase.replaceAll(/\{([^{}]*)\}/g, (slot, key: string) => {
    const value = Object.hasOwn(input, key) ? input[key] : undefined;
    if (typeof value !== 'string' && typeof value !== 'number')
      throw problem(`has the slot ${slot}, but the input of its example has no such text or number`);
    return String(value);
  });
}
