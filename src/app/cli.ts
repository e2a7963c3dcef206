/** The command: what there is to say, and how it ends. Each command's own code is loaded when it is called for. */
import { Command, CommanderError } from 'commander';
import type { AskOptions } from './commands/ask.ts';
import { openConsole } from './commands/console.ts';
import type * as KeyCommands from './commands/keys.ts';
import type { SeedOptions } from './commands/seed.ts';
import { EXIT, EXIT_CODES, endOf } from './commands/stop.ts';
import type { TokenOptions } from './commands/token.ts';
import { readConfig } from './config.ts';
import { version } from './package.ts';

type Run = () => Promise<number>;
/** As commander hands them over. */
type Options = { readonly json?: boolean; readonly as?: string };

function program(finish: (run: Run) => Promise<void>): Command {
  const tamshai = new Command('tamshai')
    .description("Ask your company's own data, and act on the answers. Every change waits for a person's approval.")
    .version(version, '-V, --version', 'say which version this is')
    .helpOption('-h, --help', 'explain this')
    .helpCommand('help [command]', 'explain a command')
    .showHelpAfterError('Run it with --help to see how it is used.')
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'error  ')) })
    .exitOverride();
  const command = (name: string, description: string, examples: readonly string[]) => {
    const lines = ['', 'Examples:', ...examples.map((example) => `  ${example}`), '', EXIT_CODES];
    return tamshai.command(name).description(description).helpOption('-h, --help', 'explain this').addHelpText('after', lines.join('\n'));
  };
  const JSON_OPTION = ['--json', 'one JSON value on standard output, for programs'] as const;

  command('start', 'Start everything in this process: the gateway and all servers, with sample data.', [
    'tamshai start',
    'TAMSHAI_DATA=/var/lib/tamshai tamshai start',
    'tamshai start --json',
  ])
    .option('--json', 'one JSON line when everything is ready')
    .action((options: Options) => finish(async () => (await import('./commands/start.ts')).start(options)));

  command('serve', 'Serve the gateway or some servers alone; the gateway finds the others by HR_URL and its like.', [
    'tamshai serve hr',
    'HR_URL=http://10.0.0.5:3101 tamshai serve gateway tasks',
  ])
    .argument('<server...>', 'gateway, hr, tasks, …')
    .option('--json', 'one JSON line when everything is ready')
    .action((servers: string[], options: Options) => finish(async () => (await import('./commands/start.ts')).serve(servers, options)));

  command('ask', 'Ask the assistant a question in plain words. A change shows its card and asks you at the terminal.', [
    'tamshai ask "what is my PTO balance?" --as marcus.johnson',
    'tamshai ask "top 5 deals closing this month" --as carol.johnson',
    'tamshai ask "and next month?" --as carol.johnson --conversation 7c1e0b52-…',
    'tamshai ask "list open tickets" --as dan.williams --json | jq -r "select(.type==\\"text\\").text"',
  ])
    .argument('<question...>', 'the question; - reads standard input')
    .option('--as <user>', 'who asks')
    .option('--conversation <id>', 'go on with a conversation of theirs')
    .option('--json', 'one JSON event on each line, as it comes, for programs')
    .action((words: string[], options: AskOptions) => finish(async () => (await import('./commands/ask.ts')).ask(words.join(' '), options)));

  command('call', 'Call one tool as one person. A change shows its card and asks you at the terminal.', [
    'tamshai call hr get_time_off_balances --as marcus.johnson',
    `tamshai call hr find_employees '{"name":"Kim"}' --as frank.davis`,
    'tamshai call tasks list_tasks --as nina.patel --json | jq .data',
    'tamshai call tasks add_task - --as nina.patel < task.json',
  ])
    .argument('<server>', 'hr, tasks, …')
    .argument('<tool>', 'its name; "tamshai tools" lists them')
    .argument('[json]', 'the input as JSON; - reads standard input', '{}')
    .option('--as <user>', 'who calls')
    .option(...JSON_OPTION)
    .action((server: string, tool: string, json: string, options: Options) =>
      finish(async () => (await import('./commands/call.ts')).call(server, tool, json, options)),
    );

  command('tools', 'List the tools: all there are, or those that one person may use.', [
    'tamshai tools',
    'tamshai tools --as nina.patel',
    'tamshai tools hr list_employees',
  ])
    .argument('[server]', 'only its tools')
    .argument('[tool]', 'what this one takes, with examples')
    .option('--as <user>', 'only what this person may use; asks the running gateway')
    .option(...JSON_OPTION)
    .action((server: string | undefined, tool: string | undefined, options: Options) =>
      finish(async () => (await import('./commands/tools.ts')).tools(server, tool, options)),
    );

  command('token', 'Print a token of a sample person, good for five minutes. It cannot approve anything.', [
    'curl -H "Authorization: Bearer $(tamshai token alice.chen)" http://localhost:3100/api/user/info',
    'tamshai token alice.chen --mcp',
    'tamshai token alice.chen --server hr',
  ])
    .argument('<user>', 'a sample person, such as alice.chen')
    .option('--mcp', 'for MCP clients: the address that ends in /mcp')
    .option('--server <name>', 'for one server that is called directly')
    .option('--approve', 'one that may approve changes; only with TAMSHAI_SCRIPTED_APPROVALS=1, for tests')
    .option(...JSON_OPTION)
    .action((user: string, options: TokenOptions) => finish(async () => (await import('./commands/token.ts')).token(user, options)));

  command('seed', 'Write the sample data, also in large, into the data folder or into DATABASE_URL.', [
    'tamshai seed',
    'tamshai seed --employees 100000 --force',
    'DATABASE_URL=postgres://… tamshai seed --force --database tamshai',
  ])
    .option('--employees <n>', 'how many people the company has, 100 to 1000000')
    .option('--force', 'replace what is there')
    .option('--database <name>', 'with --force on a server: the name of the database, instead of typing it when asked')
    .option(...JSON_OPTION)
    .action((options: SeedOptions) => finish(async () => (await import('./commands/seed.ts')).seed(options)));

  command('migrate', 'Bring the databases to the present schema, with the login of their owner.', [
    'tamshai migrate',
    'DATABASE_URL=postgres://owner:…@db/tamshai tamshai migrate',
  ])
    .option(...JSON_OPTION)
    .action((options: Options) => finish(async () => (await import('./commands/migrate.ts')).migrate(options)));

  command('backup', 'Copy the data folder, keys included, into one file. Tamshai has to be stopped.', [
    'tamshai backup tamshai-monday.tar.gz',
    'TAMSHAI_DATA=/var/lib/tamshai tamshai backup /backups/tamshai.tar.gz',
  ])
    .argument('<file>', 'where to; it must not be there yet')
    .option(...JSON_OPTION)
    .action((file: string, options: Options) => finish(async () => (await import('./commands/backup.ts')).backup(file, options)));

  command('restore', 'Make the data folder from such a file. Nothing is written over.', [
    'tamshai restore tamshai-monday.tar.gz',
    'TAMSHAI_DATA=./copy tamshai restore tamshai-monday.tar.gz && TAMSHAI_DATA=./copy tamshai audit verify',
  ])
    .argument('<file>', 'what tamshai backup wrote')
    .option(...JSON_OPTION)
    .action((file: string, options: Options) => finish(async () => (await import('./commands/backup.ts')).restore(file, options)));

  command('doctor', 'Check everything that Tamshai stands on, and say what to do about it.', ['tamshai doctor', 'tamshai doctor --json'])
    .option(...JSON_OPTION)
    .action((options: Options) => finish(async () => (await import('./commands/doctor.ts')).doctor(options)));

  const audit = command('audit', 'The trail of every call and every change.', ['tamshai audit verify']);
  audit
    .command('verify')
    .description('Check that no record was changed, removed, reordered or cut off. Names the first bad one.')
    .helpOption('-h, --help', 'explain this')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      `\nWhile Tamshai runs on its embedded database it is asked to check itself; stopped, this command opens the\ndata folder and checks with its own eyes. Another process that keeps a part of the trail and does not\nanswer is named, and the command ends with 5.\n\nExamples:\n  tamshai audit verify\n  tamshai audit verify --json\n\n${EXIT_CODES}`,
    )
    .action((options: Options) => finish(async () => (await import('./commands/audit.ts')).verify(options)));

  const knowledge = command('knowledge', 'What people know, into a file and back, with its whole history.', [
    'tamshai knowledge export knowledge.jsonl',
    'tamshai knowledge import knowledge.jsonl',
  ]);
  const NEEDS = 'In the data folder this works while Tamshai is stopped; on a PostgreSQL server at any time.';
  knowledge
    .command('export')
    .description('Write every entry and triple, all their versions and every change, as JSON Lines.')
    .helpOption('-h, --help', 'explain this')
    .argument('[file]', 'a file that is not there yet; standard output by default')
    .option('--json', 'with a file: one JSON value on standard output that tells how much it was')
    .addHelpText(
      'after',
      `\n${NEEDS}\nThe last line vouches for all others.\n\nExamples:\n  tamshai knowledge export knowledge.jsonl\n  tamshai knowledge export | gzip > knowledge.jsonl.gz\n\n${EXIT_CODES}`,
    )
    .action((file: string | undefined, options: Options) =>
      finish(async () => (await import('./commands/knowledge.ts')).exportKnowledge(file, options)),
    );
  knowledge
    .command('import')
    .description('Take what was exported into a knowledge that is empty: all of it, or nothing.')
    .helpOption('-h, --help', 'explain this')
    .argument('<file>', 'what export wrote; - reads standard input')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      `\n${NEEDS}\nStarting Tamshai fills an empty data folder with a sample; import before the first start to have your own.\nWhat belongs to whom stays as it was.\n\nExamples:\n  TAMSHAI_DATA=/var/lib/tamshai tamshai knowledge import knowledge.jsonl\n  gunzip -c knowledge.jsonl.gz | tamshai knowledge import -\n\n${EXIT_CODES}`,
    )
    .action((file: string, options: Options) =>
      finish(async () => (await import('./commands/knowledge.ts')).importKnowledge(file, options)),
    );

  const keys = command('keys', 'Keys for processes that run apart: make them, show the public part, change them.', [
    'tamshai keys new',
    'tamshai keys public',
    'tamshai keys rotate',
  ]);
  const part = (name: string, description: string, run: (module: typeof KeyCommands) => (options: Options) => Promise<number>) =>
    keys
      .command(name)
      .description(description)
      .helpOption('-h, --help', 'explain this')
      .option(...JSON_OPTION)
      .addHelpText('after', `\nExamples:\n  tamshai keys ${name}\n\n${EXIT_CODES}`)
      .action((options: Options) => finish(async () => run(await import('./commands/keys.ts'))(options)));
  part('new', 'Print new keys, as settings. They are kept nowhere; treat them as passwords.', ({ create }) => create);
  part('public', "Print the public part of this gateway's keys, for TAMSHAI_GATEWAY_PUBLIC_KEYS.", ({ publicPart }) => publicPart);
  part('rotate', 'Print a new key for the gateway, and the order in which to bring it in without a failed call.', ({ rotate }) => rotate);

  command('mcp', 'MCP over standard input and output, for desktop clients. It can never approve anything.', [
    'tamshai mcp --as nina.patel',
    'tamshai mcp --as alice.chen --servers hr,tasks',
  ])
    .option('--as <user>', 'who uses it', 'marcus.johnson')
    .option('--servers <names>', 'only these servers, with commas between')
    .action((options: { as?: string; servers?: string }) => finish(async () => (await import('./commands/mcp.ts')).mcp(options)));

  command('contracts', 'For developers: write contracts/ from the declarations of all tools.', [
    'tamshai contracts',
    'tamshai contracts --check',
  ])
    .option('--check', 'change nothing; exit 1 where contracts/ differs')
    .option(...JSON_OPTION)
    .action((options: { check?: boolean; json?: boolean }) =>
      finish(async () => (await import('./commands/contracts.ts')).contracts(options)),
    );

  return tamshai.addHelpText(
    'after',
    `\nBegin with:\n  tamshai start\n  tamshai ask "what is my PTO balance?" --as marcus.johnson\n  tamshai call hr get_time_off_balances --as marcus.johnson\n\n${EXIT_CODES}`,
  );
}

const isDebug = (): boolean => {
  try {
    return readConfig().logLevel === 'debug';
  } catch {
    return false;
  }
};

export async function main(args: readonly string[]): Promise<void> {
  // Whoever reads only the first lines closes the pipe: that is no failure of ours.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(EXIT.ok));
  const finish = async (run: Run) => {
    try {
      process.exitCode = await run();
    } catch (error) {
      const { message, exit } = endOf(error, isDebug);
      const console = openConsole();
      console.err(`${console.errors.red('error')}  ${message}`);
      process.exitCode = exit;
    }
  };
  try {
    await program(finish).parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
}
