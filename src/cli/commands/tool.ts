/** `tamshai tools <server> <tool>`: the input, roles, errors and examples of one tool. */
import { dayIn } from '../../declare/company.ts';
import { inputSchema } from '../../derive/answers.ts';
import { mcpTool } from '../../derive/mcp.ts';
import type { Registry } from '../../engine/registry.ts';
import { pairs } from '../terminal/table.ts';
import { indent, safe, wrap } from '../terminal/text.ts';
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
  readonly anyOf?: readonly Taken[];
  readonly properties?: Readonly<Record<string, Taken>>;
}

function kindOf({ type, enum: values, format, minimum, maximum, maxLength, items, anyOf, properties }: Taken): string {
  if (values) return values.map(String).join(' | ');
  if (items) return `list of ${kindOf(items)}`;
  if (anyOf) return anyOf.map((each) => (each.items ? 'a list of these' : kindOf(each))).join(', or ');
  const [first] = Object.values(properties ?? {});
  if (first) return `{ ${Object.keys(properties ?? {}).join(', ')} }, each ${kindOf(first)}`;
  const name = format ?? ([type].flat().join(' or ') || 'any');
  if (minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER) return `${name} ${minimum} to ${maximum}`;
  return maxLength === undefined ? name : `${name}, at most ${maxLength} characters`;
}

/** One tool, from the declarations or from the answer of a running gateway. */
export interface DescribedTool {
  readonly server: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly kind: string;
  readonly roles: readonly string[];
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Undefined if unknown: the gateway does not list the codes. */
  readonly errors?: readonly string[];
  readonly examples: readonly { readonly ask: string; readonly as: string; readonly input: object; readonly expects?: string }[];
}

/** Fails with the names that exist. */
export function noTool(server: string, name: string, own: readonly string[]): Stop {
  const names = own.join(', ');
  return new Stop(`There is no tool ${JSON.stringify(name)} on ${server}; there are ${names}.${didYouMean(name, own)}`, EXIT.usage);
}

export function declaredTool({ domains, tools, find }: Registry, server: string, name: string): DescribedTool {
  requireServer(
    server,
    domains.map((domain) => domain.name),
  );
  const tool = find(server, name);
  if (tool === undefined)
    throw noTool(
      server,
      name,
      tools.filter(({ domain }) => domain.name === server).map((each) => each.name),
    );
  const today = dayIn(tool.company.timeZone, new Date());
  return {
    server,
    name: tool.name,
    title: tool.title,
    description: mcpTool(tool, false).description,
    kind: tool.kind,
    roles: tool.roles,
    inputSchema: inputSchema(tool),
    errors: Object.keys(tool.errors),
    examples: tool.examples.map(({ question, as, input, expects }) => ({
      ask: question,
      as,
      input: input(today),
      ...(expects && { expects }),
    })),
  };
}

export function describeTool(tool: DescribedTool, console: Console): number {
  const { server, inputSchema: schema, errors: codes = [], examples } = tool;
  const [name, title, description] = [tool.name, tool.title, tool.description].map(safe) as [string, string, string];
  if (console.json) {
    console.value(tool);
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
    const description = field.description ?? field.anyOf?.find((each) => each.description)?.description;
    return [safe(key), safe(description ? `${facts}. ${description}` : facts)] as const;
  });
  const heading = (text: string) => ['', style.bold(text)];
  console.out(`${style.bold(`${server} ${name}`)}  ${title}`, ...wrap(description, width));
  console.out(...heading('Input'), ...indent(taken.length === 0 ? ['nothing'] : pairs(taken, style), 2));
  console.out(...heading('Roles'), `  ${safe(tool.roles.join(', '))}`);
  if (codes.length > 0) console.out(...heading('Errors'), ...indent(wrap(codes.join(', '), width - 2), 2));
  const shown = examples.filter(({ expects }) => expects === undefined || expects === 'success').slice(0, 3);
  if (shown.length > 0) console.out(...heading('Examples'));
  for (const { ask, as, input } of shown)
    console.out(
      `  ${style.dim(`# ${safe(ask)}`)}`,
      `  tamshai call ${server} ${name} '${JSON.stringify(input).replaceAll("'", `'\\''`)}' --as ${as}`,
    );
  return EXIT.ok;
}
