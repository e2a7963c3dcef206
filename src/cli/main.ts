/** The command line of tamshai: commands, options and help. Each command loads its code when it runs. */
import { parseArgs } from 'node:util';
import { Command, CommanderError } from 'commander';
import type { AskOptions } from './commands/ask.ts';
import { openConsole } from './commands/console.ts';
import type * as KeyCommands from './commands/keys.ts';
import type { ContractsOptions } from './commands/contracts.ts';
import type { SeedOptions } from './commands/seed.ts';
import { EXIT, EXIT_CODES, endOf } from './commands/stop.ts';
import type { TokenOptions } from './commands/token.ts';
import type { Transfer } from '../declare/transfer.ts';
import { isDebugging } from '../server/config.ts';
import { version } from '../server/package.ts';
import { type HelpText, helpText } from './terminal/help.ts';

type Run = () => Promise<number>;
const HELP = ['-h, --help', 'show this help'] as const;
type Options = { readonly json?: boolean; readonly as?: string; readonly config?: string };

/** Lines wrap only on a terminal. */
const terminalWidth = () => (process.stdout.isTTY ? Math.max(40, process.stdout.columns || 80) : Number.POSITIVE_INFINITY);

export interface ProgramOptions {
  readonly width?: number;
  readonly transfers?: ReadonlyMap<string, Transfer>;
}

export function createProgram(
  finish: (run: Run) => Promise<void>,
  { width = terminalWidth(), transfers = new Map() }: ProgramOptions = {},
): Command {
  const tamshai = new Command('tamshai')
    .description("Ask your company's own data in plain language, and act on the answers.")
    .version(version, '-V, --version', 'print the version')
    .helpOption(...HELP)
    .helpCommand('help [command]', 'Show the help of a command.')
    .showHelpAfterError('Run it with --help to see how it is used.')
    .configureHelp({ minWidthToWrap: 20, subcommandTerm: (each) => each.name() })
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'error  ')) })
    .exitOverride();
  const command = (name: string, description: string, examples: readonly string[]) => {
    return tamshai
      .command(name)
      .description(description)
      .helpOption(...HELP)
      .addHelpText('after', below({ examples }));
  };
  const below = (text: Omit<HelpText, 'ending'>) => helpText({ ...text, ending: EXIT_CODES }, width);
  const JSON_OPTION = ['--json', 'print one JSON value, for programs'] as const;
  const CONFIG_OPTION = ['--config <file>', 'the configuration file; by default tamshai.config.ts, .js or .mjs of this folder'] as const;

  command('start', 'Start everything in this process: the gateway and all servers, with sample data.', [
    'tamshai start',
    'TAMSHAI_DATA=/var/lib/tamshai tamshai start',
    'tamshai start --json',
  ])
    .option(...CONFIG_OPTION)
    .option('--json', 'print one JSON line when everything is ready')
    .action((options: Options) => finish(async () => (await import('./commands/start.ts')).start(options)));

  command('serve', 'Start only these servers in this process. The gateway reaches the others by HR_URL, FINANCE_URL and so on.', [
    'tamshai serve hr',
    'HR_URL=http://10.0.0.5:3101 tamshai serve gateway finance sales support payroll tax tasks knowledge journey',
  ])
    .argument('<server...>', 'gateway, hr, tasks, …')
    .option(...CONFIG_OPTION)
    .option('--json', 'print one JSON line when everything is ready')
    .action((servers: string[], options: Options) => finish(async () => (await import('./commands/start.ts')).serve(servers, options)));

  command('ask', 'Ask the assistant a question in plain language. If a change needs approval, it shows the change and asks you first.', [
    'tamshai ask "what is my PTO balance?" --as marcus.johnson',
    'tamshai ask "top 5 deals closing this month" --as carol.johnson',
    'tamshai ask "and next month?" --as carol.johnson --conversation 7c1e0b52-…',
    'tamshai ask "list open tickets" --as dan.williams --json | jq -r "select(.type==\\"text\\").text"',
  ])
    .argument('<question...>', 'the question; - reads standard input')
    .option('--as <user>', 'the sample person who asks; "tamshai people" lists them')
    .option('--conversation <id>', 'continue an earlier conversation of this person')
    .option('--json', 'print one JSON event per line, for programs')
    .action((words: string[], options: AskOptions) =>
      finish(async () => (await import('./commands/ask.ts')).ask(words.join(' '), options)),
    );

  command('call', 'Call one tool as one person. If a change needs approval, it shows the change and asks you first.', [
    'tamshai call hr get_time_off_balances --as marcus.johnson',
    `tamshai call hr find_employees '{"name":"Kim"}' --as frank.davis`,
    'tamshai call tasks list_tasks --as nina.patel --json | jq .data',
    'tamshai call tasks add_task - --as nina.patel < task.json',
  ])
    .argument('<server>', 'hr, tasks, …')
    .argument('<tool>', 'the name of a tool; "tamshai tools" lists them')
    .argument('[json]', 'the input as a JSON object; - reads standard input', '{}')
    .option('--as <user>', 'the sample person who calls; "tamshai people" lists them')
    .option(...JSON_OPTION)
    .action((server: string, tool: string, json: string, options: Options) =>
      finish(async () => (await import('./commands/call.ts')).call(server, tool, json, options)),
    );

  command('tools', 'List all tools, or those that one person may use.', [
    'tamshai tools',
    'tamshai tools --as nina.patel',
    'tamshai tools hr list_employees',
  ])
    .argument('[server]', 'list only the tools of this server')
    .argument('[tool]', 'describe this tool: input, roles and examples')
    .option('--as <user>', 'list only what this person may use now; asks the running gateway')
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .action((server: string | undefined, tool: string | undefined, options: Options) =>
      finish(async () => (await import('./commands/tools.ts')).tools(server, tool, options)),
    );

  command('token', 'Print an access token of a sample person, valid for five minutes. It cannot approve changes.', [
    'curl -H "Authorization: Bearer $(tamshai token alice.chen)" http://localhost:3100/api/user/info',
    'tamshai token alice.chen --mcp',
    'tamshai token alice.chen --server hr',
  ])
    .argument('<user>', 'a sample person; "tamshai people" lists them')
    .option('--mcp', 'for MCP clients (audience …/mcp) instead of the REST API (…/api)')
    .option('--server <name>', 'for this server, called without the gateway')
    .option('--approve', 'a token that may approve changes; for tests, needs TAMSHAI_SCRIPTED_APPROVALS=1')
    .option(...JSON_OPTION)
    .action((user: string, options: TokenOptions) => finish(async () => (await import('./commands/token.ts')).token(user, options)));

  command('people', 'List the sample people: who they are and what they can do.', ['tamshai people', 'tamshai people --json'])
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .action((options: Options) => finish(async () => (await import('./commands/people.ts')).people(options)));

  command('seed', 'Write sample data of any size into the data folder or DATABASE_URL.', [
    'tamshai seed',
    'tamshai seed --employees 100000 --force',
    'DATABASE_URL=postgres://… tamshai seed --force --database tamshai',
  ])
    .option('--employees <n>', 'number of employees, 100 to 1000000')
    .option('--force', 'replace existing data')
    .option('--database <name>', 'with --force and DATABASE_URL: the name of the database, instead of typing it when asked')
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .action((options: SeedOptions) => finish(async () => (await import('./commands/seed.ts')).seed(options)));

  command('migrate', 'Update the database schemas. Needs the login of the database owner.', [
    'tamshai migrate',
    'DATABASE_URL=postgres://owner:…@db/tamshai tamshai migrate',
  ])
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .action((options: Options) => finish(async () => (await import('./commands/migrate.ts')).migrate(options)));

  command('backup', 'Copy the data folder, keys included, into one file. Stop Tamshai first.', [
    'tamshai backup tamshai-monday.tar.gz',
    'TAMSHAI_DATA=/var/lib/tamshai tamshai backup /backups/tamshai.tar.gz',
  ])
    .argument('<file>', 'the file to write; it must not exist yet')
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .action((file: string, options: Options) => finish(async () => (await import('./commands/backup.ts')).backup(file, options)));

  command('restore', 'Create the data folder from a backup file. Existing files are never overwritten.', [
    'tamshai restore tamshai-monday.tar.gz',
    'TAMSHAI_DATA=./copy tamshai restore tamshai-monday.tar.gz && TAMSHAI_DATA=./copy tamshai audit verify',
  ])
    .argument('<file>', 'a file written by tamshai backup')
    .option(...JSON_OPTION)
    .action((file: string, options: Options) => finish(async () => (await import('./commands/backup.ts')).restore(file, options)));

  command('doctor', 'Check settings, stores and servers, and say how to fix what is wrong.', ['tamshai doctor', 'tamshai doctor --json'])
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .action((options: Options) => finish(async () => (await import('./commands/doctor.ts')).doctor(options)));

  const audit = command('audit', 'Verify the audit log of every call and change.', ['tamshai audit verify']);
  audit
    .command('verify')
    .description('Check that no record was changed, removed, reordered or cut off, and name the first bad one.')
    .helpOption(...HELP)
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      below({
        sentences: [
          'While Tamshai runs on its embedded database, the running gateway verifies the log. Otherwise this command opens the ' +
            'data folder and verifies it itself.',
          'If a separate process that stores a part of the log does not answer, the command names it and ends with exit code 5.',
        ],
        examples: ['tamshai audit verify', 'tamshai audit verify --json'],
      }),
    )
    .action((options: Options) => finish(async () => (await import('./commands/audit.ts')).verify(options)));

  for (const [domain, { help }] of transfers) addTransfer(domain, help);
  function addTransfer(domain: string, help: Transfer['help']): void {
    const file = `${domain}.jsonl`;
    const transfer = command(domain, help.command, [`tamshai ${domain} export ${file}`, `tamshai ${domain} import ${file}`]);
    const NEEDS = 'With the data folder, stop Tamshai first; with a PostgreSQL server this works at any time.';
    const [exporting, ...aboutExport] = help.export;
    transfer
      .command('export')
      .description(exporting)
      .helpOption(...HELP)
      .argument('[file]', 'the file to write; it must not exist yet; standard output by default')
      .option(...CONFIG_OPTION)
      .option('--json', 'with a file: print the counts as one JSON value')
      .addHelpText(
        'after',
        below({
          sentences: [NEEDS, ...aboutExport],
          examples: [`tamshai ${domain} export ${file}`, `tamshai ${domain} export | gzip > ${file}.gz`],
        }),
      )
      .action((to: string | undefined, options: Options) =>
        finish(async () => (await import('./commands/transfer.ts')).exportRows(domain, to, options)),
      );
    const [importing, ...aboutImport] = help.import;
    transfer
      .command('import')
      .description(importing)
      .helpOption(...HELP)
      .argument('<file>', 'a file written by export; - reads standard input')
      .option(...CONFIG_OPTION)
      .option(...JSON_OPTION)
      .addHelpText(
        'after',
        below({
          sentences: [NEEDS, ...aboutImport],
          examples: [`TAMSHAI_DATA=/var/lib/tamshai tamshai ${domain} import ${file}`, `gunzip -c ${file}.gz | tamshai ${domain} import -`],
        }),
      )
      .action((from: string, options: Options) =>
        finish(async () => (await import('./commands/transfer.ts')).importRows(domain, from, options)),
      );
  }

  const keys = command('keys', 'Create, show and rotate the keys of separate processes.', [
    'tamshai keys new',
    'tamshai keys public',
    'tamshai keys rotate',
  ]);
  const part = (name: string, description: string, run: (module: typeof KeyCommands) => (options: Options) => Promise<number>) =>
    keys
      .command(name)
      .description(description)
      .helpOption(...HELP)
      .option(...JSON_OPTION)
      .addHelpText('after', below({ examples: [`tamshai keys ${name}`] }))
      .action((options: Options) => finish(async () => run(await import('./commands/keys.ts'))(options)));
  part('new', 'Print new keys as settings. They are stored nowhere; treat them as passwords.', ({ create }) => create);
  part('public', "Print the public part of this gateway's keys, for TAMSHAI_GATEWAY_PUBLIC_KEYS.", ({ publicPart }) => publicPart);
  part('rotate', 'Print a new gateway key, and the steps that deploy it without a failed call.', ({ rotate }) => rotate);

  command('mcp', 'Serve MCP over standard input and output, for desktop clients. It cannot approve changes.', [
    'tamshai mcp --as nina.patel',
    'tamshai mcp --as alice.chen --servers hr,tasks',
  ])
    .option('--as <user>', 'the sample person who uses it; "tamshai people" lists them')
    .option('--servers <names>', 'only these servers, separated by commas')
    .action((options: { as?: string; servers?: string }) => finish(async () => (await import('./commands/mcp.ts')).mcp(options)));

  const add = command('new', 'Write a domain of your own, ready to start and to change.', ['tamshai new domain rooms']);
  add
    .command('domain')
    .description('Write the folder of a new domain: tables, policies, sample rows, a list, a read and a write.')
    .helpOption(...HELP)
    .argument('<name>', '2 to 20 lower-case letters and digits')
    .option(...CONFIG_OPTION)
    .action((name: string, options: Options) => finish(async () => (await import('./commands/new-domain.ts')).newDomain(name, options)));

  command('contracts', 'For developers: write the contracts and settings of all tools and domains to contracts/.', [
    'tamshai contracts',
    'tamshai contracts --check',
  ])
    .option('--check', 'change nothing; exit 1 if a generated file is stale')
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .action((options: ContractsOptions) => finish(async () => (await import('./commands/contracts.ts')).contracts(options)));

  return tamshai.addHelpText(
    'after',
    below({
      title: 'Begin with:',
      examples: [
        'tamshai start',
        'tamshai people',
        'tamshai ask "what is my PTO balance?" --as marcus.johnson',
        'tamshai call hr get_time_off_balances --as marcus.johnson',
      ],
    }),
  );
}

/** Loads the declarations of domains only for the commands that need them. */
async function programFor(args: readonly string[], finish: (run: Run) => Promise<void>): Promise<Command> {
  const program = createProgram(finish);
  const [first = '', second = ''] = args.filter((each) => !each.startsWith('-'));
  const isKnown = (name: string, of: Command) => of.commands.some((command) => command.name() === name);
  if (isKnown(first, program)) return program;
  const asksForHelp = first === 'help' || args.includes('--help') || args.includes('-h');
  const { builtIn, loadProject } = await import('./registry.ts');
  const withBuiltIn = createProgram(finish, { transfers: builtIn.transfers });
  // Loading the configuration file executes its code, so only `<domain> export` and `<domain> import` load it.
  if (isKnown(first, withBuiltIn) || asksForHelp || !['export', 'import'].includes(second)) return withBuiltIn;
  const { values } = parseArgs({ args: [...args], options: { config: { type: 'string' } }, strict: false });
  const { registry } = await loadProject(typeof values.config === 'string' ? { config: values.config } : {});
  return createProgram(finish, { transfers: registry.transfers });
}

export async function main(args: readonly string[]): Promise<void> {
  // Makes every file that this process creates private to the user.
  process.umask(0o077);
  // `tamshai … | head` closes the pipe early. A closed pipe is not an error.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(EXIT.ok));
  const finish = async (run: Run) => {
    try {
      process.exitCode = await run();
    } catch (error) {
      const { message, exit } = endOf(error, isDebugging);
      const console = openConsole();
      console.err(`${console.errors.red('error')}  ${message}`);
      process.exitCode = exit;
    }
  };
  try {
    await (await programFor(args, finish)).parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError))
      return finish(async () => {
        throw error;
      });
    process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
}
