/** `tamshai tools`: lists the tools of all servers, or those that one person may use. */
import { readClientConfig } from '../../server/instances.ts';
import { samplePeopleOf } from '../../server/sample-people.ts';
import { type Column, table } from '../terminal/table.ts';
import { count, indent, safe } from '../terminal/text.ts';
import { errorLines, foreignKeys } from './answer.ts';
import { openClient } from './client.ts';
import { type Console, openConsole } from './console.ts';
import { fetchServers, type ListedServer, type ListedTool, type Refused } from './listed.ts';
import { actAs, exampleUser } from './person.ts';
import { requireServer } from './servers.ts';
import { EXIT, exitOf } from './stop.ts';
import { declaredTool, type DescribedTool, describeTool, noTool } from './tool.ts';
import { loadProject, type ProjectOptions } from '../registry.ts';

type Listed = Pick<ListedTool, 'name' | 'title' | 'kind' | 'roles' | 'atOnceWhen'>;
interface Server {
  readonly name: string;
  readonly title: string;
  readonly tools: readonly Listed[];
}

const KIND: Readonly<Record<string, string>> = { read: 'reads', list: 'lists', write: 'needs approval', act: 'writes at once' };
const kindOf = ({ kind, atOnceWhen }: Listed) => (typeof atOnceWhen === 'string' ? 'may need approval' : (KIND[kind] ?? ''));

/**
 * Lists all declared tools, or the tools that `as` may use according to the running gateway. With `as`, no code of the current folder
 * runs.
 */
export async function tools(
  server: string | undefined,
  tool: string | undefined,
  options: ProjectOptions & { as?: string; json?: boolean },
): Promise<number> {
  const console = openConsole(options.json);
  let servers: readonly Server[];
  let user = options.as;
  if (options.as === undefined) {
    const { registry } = await loadProject(options);
    if (server !== undefined && tool !== undefined) return describeTool(declaredTool(registry, server, tool), console);
    const { domains, tools: all } = registry;
    user = exampleUser(samplePeopleOf(registry));
    if (server !== undefined)
      requireServer(
        server,
        domains.map(({ name }) => name),
      );
    servers = domains.map(({ name, title }) => ({ name, title, tools: all.filter(({ domain }) => domain.name === name) }));
  } else {
    const found = await fetchServers(openClient(actAs(readClientConfig(), options.as)));
    if ('answer' in found) return refused(found, console);
    if (server !== undefined && tool !== undefined) return describeTool(listedTool(found, { server, name: tool, as: options.as }), console);
    servers = found;
  }
  if (server !== undefined) servers = servers.filter(({ name }) => name === server);
  if (console.json) {
    console.value({
      servers: servers.map(({ name, title, tools: own }) => ({
        name,
        title,
        tools: own.map(({ name: tool, title: called, kind, roles }) => ({ name: tool, title: called, kind, roles })),
      })),
    });
    return EXIT.ok;
  }
  const { style } = console.look;
  for (const { name, title, tools: own } of servers) {
    const columns: Column[] = [{ heading: 'Tool' }, { heading: '' }, { heading: 'What it does' }];
    const rows = own.map((tool) => [safe(tool.name), kindOf(tool), safe(tool.title)]);
    console.out(
      `${style.bold(safe(name))}  ${safe(title)}, ${count(own.length, 'tool')}`,
      '',
      ...indent(table(columns, rows, style), 2),
      '',
    );
  }
  const [example] = servers.flatMap(({ name, tools: own }) =>
    own.filter(({ kind }) => kind === 'list').map((tool) => `${name} ${tool.name}`),
  );
  if (example !== undefined) console.out(style.dim(`Call one with  tamshai call ${safe(example)} --as ${user ?? '<user>'}`));
  if (example !== undefined) console.out(style.dim(`See its input:  tamshai tools ${safe(example)}`));
  if (servers.length === 0) console.out(`There is no tool${server === undefined ? '' : ` on ${server}`} that this person may use.`);
  return EXIT.ok;
}

/** The tool as the gateway lists it for this person. */
function listedTool(servers: readonly ListedServer[], { server, name, as }: { server: string; name: string; as: string }): DescribedTool {
  requireServer(
    server,
    servers.map((each) => each.name),
  );
  const own = servers.find((each) => each.name === server)?.tools ?? [];
  const tool = own.find((each) => each.name === name);
  if (tool === undefined)
    throw noTool(
      server,
      name,
      own.map((each) => each.name),
    );
  const { title, description, kind, roles, inputSchema, examples } = tool;
  return { server, name, title, description, kind, roles, inputSchema, examples: examples.map((each) => ({ ...each, as })) };
}

function refused({ answer, status }: Refused, console: Console): number {
  const shown = answer.code === 'UNAUTHENTICATED' ? { ...answer, suggestedAction: foreignKeys } : answer;
  if (console.json) console.value(answer);
  else console.err(...errorLines(shown, console.errors, process.stderr.columns ?? Number.POSITIVE_INFINITY));
  return exitOf(status, answer.code);
}
