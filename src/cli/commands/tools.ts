/** `tamshai tools`: lists the tools of all servers, or those that one person may use. */
import type { ErrorAnswer } from '../../declare/errors.ts';
import { readClientConfig } from '../../server/instances.ts';
import { type Column, table } from '../terminal/table.ts';
import { count, indent, safe } from '../terminal/text.ts';
import { errorLines, foreignKeys } from './answer.ts';
import { openClient } from './client.ts';
import { openConsole } from './console.ts';
import { actAs, exampleUser } from './person.ts';
import { requireServer } from './servers.ts';
import { EXIT, exitOf } from './stop.ts';
import { describeTool } from './tool.ts';
import { builtIn } from '../registry.ts';

interface Listed {
  readonly name: string;
  readonly title: string;
  readonly kind: string;
  readonly roles: readonly string[];
  readonly atOnceWhen?: string | null | undefined;
}
interface Server {
  readonly name: string;
  readonly title: string;
  readonly tools: readonly Listed[];
}

const KIND: Readonly<Record<string, string>> = { read: 'reads', list: 'lists', write: 'needs approval', act: 'writes at once' };
const kindOf = ({ kind, atOnceWhen }: Listed) => (typeof atOnceWhen === 'string' ? 'may need approval' : (KIND[kind] ?? ''));

/** Without a person, lists all declared tools; with one, asks the running gateway. */
export async function tools(
  server: string | undefined,
  tool: string | undefined,
  options: { as?: string; json?: boolean },
): Promise<number> {
  if (server !== undefined && tool !== undefined) return describeTool(server, tool, options.json);
  if (server !== undefined) requireServer(server);
  const console = openConsole(options.json);
  let servers: readonly Server[];
  if (options.as === undefined) {
    const { domains, tools: all } = builtIn;
    servers = domains.map(({ name, title }) => ({ name, title, tools: all.filter(({ domain }) => domain.name === name) }));
  } else {
    const { body, status } = await openClient(actAs(readClientConfig(builtIn), options.as)).get('/api/user/mcp-tools');
    if (body.status !== 'success') {
      const answer = body as unknown as ErrorAnswer;
      const shown = answer.code === 'UNAUTHENTICATED' ? { ...answer, suggestedAction: foreignKeys } : answer;
      if (console.json) console.value(body);
      else console.err(...errorLines(shown, console.errors, process.stderr.columns ?? Number.POSITIVE_INFINITY));
      return exitOf(status, answer.code);
    }
    servers = (body['data'] as { servers: Server[] }).servers;
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
  // The example is a list tool, because it needs no input.
  const [example] = servers.flatMap(({ name, tools: own }) =>
    own.filter(({ kind }) => kind === 'list').map((tool) => `${name} ${tool.name}`),
  );
  if (example !== undefined)
    console.out(style.dim(`Call one with  tamshai call ${safe(example)} --as ${options.as ?? exampleUser(builtIn) ?? '<user>'}`));
  if (example !== undefined) console.out(style.dim(`See its input:  tamshai tools ${safe(example)}`));
  if (servers.length === 0) console.out(`There is no tool${server === undefined ? '' : ` on ${server}`} that this person may use.`);
  return EXIT.ok;
}
