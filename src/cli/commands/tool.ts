/** `tamshai tools <server> <tool>`: the input, roles, errors and examples of one tool. */
import { dayIn } from '../../declare/company.ts';
import { inputSchema } from '../../derive/answers.ts';
import { mcpTool } from '../../derive/mcp.ts';
import type { Tool } from '../../declare/tool.ts';
import type { Registry } from '../../engine/registry.ts';
import { pairs } from '../terminal/table.ts';
import { indent, wrap } from '../terminal/text.ts';
import type { Console } from './console.ts';
import { didYouMean } from './nearest.ts';
import { requireServer } from './servers.ts';
import { EXIT, Stop } from './stop.ts';

interface Taken {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly items?: Taken;
}

function kindOf({ type, enum: values, format, minimum, maximum, maxLength, items }: Taken): string {
  if (values) return values.map(String).join(' | ');
  if (items) return `list of ${kindOf(items)}`;
  const name = format ?? ([type].flat().join(' or ') || 'any');
  if (minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER) return `${name} ${minimum} to ${maximum}`;
  return maxLength === undefined ? name : `${name}, at most ${maxLength} characters`;
}

function found(registry: Registry, server: string, name: string): Tool {
  requireServer(
    server,
    registry.domains.map((domain) => domain.name),
  );
  const tool = registry.find(server, name);
  if (tool) return tool;
  const own = registry.tools.filter(({ domain }) => domain.name === server).map((each) => each.name);
  throw new Stop(`There is no tool ${JSON.stringify(name)} on ${server}; there are ${own.join(', ')}.${didYouMean(name, own)}`, EXIT.usage);
}

export function describeTool(registry: Registry, { server, name }: { server: string; name: string }, console: Console): number {
  const tool = found(registry, server, name);
  const { description } = mcpTool(tool, false);
  const schema = inputSchema(tool);
  const today = dayIn(tool.company.timeZone, new Date());
  const examples = tool.examples.map(({ question, as, input, expects }) => ({
    ask: question,
    as,
    input: input(today),
    ...(expects && { expects }),
  }));
  if (console.json) {
    console.value({
      server,
      name: tool.name,
      title: tool.title,
      description,
      kind: tool.kind,
      roles: tool.roles,
      inputSchema: schema,
      errors: Object.keys(tool.errors),
      examples,
    });
    return EXIT.ok;
  }
  const { style, width } = console.look;
  const required = new Set((schema['required'] as readonly string[] | undefined) ?? []);
  const taken = Object.entries((schema['properties'] ?? {}) as Record<string, Taken>).map(([key, field]) => {
    const facts = [
      kindOf(field),
      required.has(key) ? 'required' : field.default === undefined ? '' : `default ${JSON.stringify(field.default)}`,
    ]
      .filter(Boolean)
      .join(', ');
    return [key, field.description ? `${facts}. ${field.description}` : facts] as const;
  });
  const heading = (text: string) => ['', style.bold(text)];
  console.out(`${style.bold(`${server} ${tool.name}`)}  ${tool.title}`, ...wrap(description, width));
  console.out(...heading('Input'), ...indent(taken.length === 0 ? ['nothing'] : pairs(taken, style), 2));
  console.out(...heading('Roles'), `  ${tool.roles.join(', ')}`);
  const codes = Object.keys(tool.errors);
  if (codes.length > 0) console.out(...heading('Errors'), ...indent(wrap(codes.join(', '), width - 2), 2));
  const shown = examples.filter(({ expects }) => expects === undefined || expects === 'success').slice(0, 3);
  if (shown.length > 0) console.out(...heading('Examples'));
  for (const { ask, as, input } of shown)
    console.out(
      `  ${style.dim(`# ${ask}`)}`,
      `  tamshai call ${server} ${tool.name} '${JSON.stringify(input).replaceAll("'", `'\\''`)}' --as ${as}`,
    );
  return EXIT.ok;
}
