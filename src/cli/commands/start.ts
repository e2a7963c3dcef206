/** `tamshai start` and `tamshai serve`: start servers in this process and stop them on a signal. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Registry } from '../../engine/registry.ts';
import type { Tamshai } from '../../server/compose.ts';
import type { Config } from '../../server/config.ts';
import { registerInstance } from '../../server/instances.ts';
import { version } from '../../server/package.ts';
import { samplePeopleOf, writeSamplePeople } from '../../server/sample-people.ts';
import { count, duration, padEnd } from '../terminal/text.ts';
import { type Console, openConsole } from './console.ts';
import { exampleUser, featuredPeople, shownPath } from './person.ts';
import { addressOf } from './server-address.ts';
import { requireServer } from './servers.ts';
import { untilStopped } from './signals.ts';
import { EXIT, Stop } from './stop.ts';
import { loadConfig, type ProjectOptions } from '../registry.ts';

/** Starts every domain server except those with a remote URL. */
export async function start(options: ProjectOptions & { json?: boolean }): Promise<number> {
  const config = await loadConfig(options);
  return run(config, ['gateway', ...config.registry.domains.map(({ name }) => name)], openConsole(options.json));
}

export async function serve(names: readonly string[], options: ProjectOptions & { json?: boolean }): Promise<number> {
  const config = await loadConfig(options);
  const all = config.registry.domains.map(({ name }) => name);
  for (const name of names) requireServer(name, ['gateway', ...all]);
  // Processes may share their settings, so a process ignores the URLs of the servers that it serves itself.
  const remoteUrl = (domain: string) => (names.includes(domain) ? undefined : config.remoteUrl(domain));
  const lost = names.includes('gateway') ? all.filter((name) => !names.includes(name) && remoteUrl(name) === undefined) : [];
  if (lost[0] !== undefined)
    throw new Stop(
      `The gateway does not know where ${lost[0]} is; set ${lost[0].toUpperCase()}_URL, or serve it here as well: tamshai serve ` +
        `${[...names, ...lost].join(' ')}`,
    );
  return run({ ...config, remoteUrl }, [...new Set(names)], openConsole(options.json));
}

/** After the drain, a stopping process exits within this time, even if a request is still running. */
const ENDING_MS = 20_000;

async function run(config: Config, servers: readonly string[], console: Console): Promise<number> {
  const began = performance.now();
  const first = !existsSync(join(config.dataFolder, 'keys.json'));
  const stopped = untilStopped(config.drainSeconds * 1000 + ENDING_MS);
  if (!console.json) {
    if (config.scriptedApprovals) shout(console);
    console.out(
      `${console.look.style.bold(`Tamshai ${version}`)}   ${first ? `first start in ${shownPath(config.dataFolder)}` : storesOf(config)}`,
      '',
    );
  }
  const steps = first ? console.progress.sequence() : undefined;
  let running: Tamshai;
  try {
    // Imported here, so that an invalid setting is reported without loading the servers.
    const { start: compose } = await import('../../server/compose.ts');
    running = await compose(config, { servers, progress: (doing, part) => steps?.at(doing, part) });
  } catch (error) {
    steps?.failed();
    throw error;
  }
  steps?.done();
  if (first && !console.json && process.stderr.isTTY) console.err('');
  const ms = performance.now() - began;
  const { base, ports } = running;
  const isAskable = ports['gateway'] !== undefined && config.issuers.staff === undefined;
  if (isAskable) writeSamplePeople(config.dataFolder, config.registry);
  const forget = isAskable
    ? registerInstance({ pid: process.pid, folder: process.cwd(), dataFolder: config.dataFolder, base, ports })
    : () => {};
  if (console.json)
    console.value({ status: 'ready', version, base, mcp: `${base}/mcp`, ports, dataFolder: config.dataFolder, ms: Math.round(ms) });
  else console.out(...(await readyLines(running, config, { style: console.look.style, ms })));
  running.modules.assistant?.warm();
  const signal = await stopped.first;
  if (!console.json) console.err('', 'Stopping…');
  forget();
  // Ctrl+C needs no drain, because no load balancer is involved.
  await running.drain(signal === 'SIGTERM' ? config.drainSeconds * 1000 : 0);
  await running.close();
  if (!console.json) console.err(`Stopped. Your data stays in ${shownPath(config.dataFolder)}.`);
  return EXIT.ok;
}

function shout({ out, look: { style } }: Console): void {
  out(style.red(style.bold('SCRIPTED APPROVALS ARE ON. Programs on this machine can approve changes.')));
  out(style.red('For tests only. Unset TAMSHAI_SCRIPTED_APPROVALS to turn it off.'), '');
}

function storesOf(config: Config): string {
  const urls = new Set(
    [...config.registry.domains.map(({ name }) => config.databaseUrl(name)), config.engineDatabaseUrl].flatMap((url) => url ?? []),
  );
  const outside = [
    ...[...urls].map((url) => `PostgreSQL at ${addressOf(url)}`),
    ...(config.redisUrl === undefined ? [] : [`Redis at ${addressOf(config.redisUrl)}`]),
  ];
  const sample = config.registry.people.length > 0 ? 'sample people' : 'no sample people';
  const people = config.issuers.staff === undefined ? [sample] : [`people of ${new URL(config.issuers.staff).host}`];
  const own = urls.size === 0 ? `embedded stores in ${shownPath(config.dataFolder)}` : `other files in ${shownPath(config.dataFolder)}`;
  return [...outside, own, ...people].join(', ');
}

async function readyLines(
  { base, ports, modules }: Tamshai,
  config: Config,
  { style, ms }: { readonly style: Console['look']['style']; readonly ms: number },
): Promise<string[]> {
  const { domains, tools } = config.registry;
  const line = (state: string, name: string, { port = '', text }: { port?: string; text: string }) =>
    `  ${state}   ${padEnd(name, 10)}  ${padEnd(port, 6)}  ${text}`.trimEnd();
  const own = domains.filter(({ name }) => ports[name] !== undefined);
  const lines = own.map(({ name }) =>
    line(style.green('ready'), name, {
      port: `:${ports[name]}`,
      text: count(tools.filter(({ domain }) => domain.name === name).length, 'tool'),
    }),
  );
  if (ports['gateway'] === undefined) return [...lines, '', ...ending(config, style, ms)];
  const silent = new Set<string>();
  await Promise.all(
    domains.map(({ name }) =>
      modules.tools
        .backend(name)
        .ping()
        .catch(() => silent.add(name)),
    ),
  );
  const far = domains.filter(({ name }) => ports[name] === undefined);
  lines.push(
    ...far.map(({ name }) =>
      line(silent.has(name) ? style.yellow('waits') : style.green('ready'), name, {
        text: `at ${new URL(config.remoteUrl(name) ?? base).host}`,
      }),
    ),
  );
  const answers =
    silent.size === 0 ? `all ${domains.length} answer` : `${[...silent].join(', ')} ${silent.size === 1 ? 'does' : 'do'} not answer yet`;
  lines.push(line(style.green('ready'), 'gateway', { port: `:${ports['gateway']}`, text: answers }), '');
  lines.push(`  Web app   ${style.cyan(base)}`, `  MCP       ${style.cyan(`${base}/mcp`)}`);
  if (config.issuers.staff === undefined) {
    const { people } = config.registry;
    const some = featuredPeople(samplePeopleOf(config.registry));
    const names = some.map(({ username, title }) => `${padEnd(username, 26)}${title}`);
    const firstCall = exampleCall(config.registry);
    if (firstCall !== undefined)
      lines.push(
        `  Try       npx tamshai ${firstCall}`,
        `            in another terminal, in this folder; elsewhere set TAMSHAI_DATA=${config.dataFolder}`,
        '',
      );
    lines.push(...names.map((each, i) => `  ${i === 0 ? 'Sign in as' : '          '}  ${each}`));
    const more = people.length - some.length;
    if (more > 0) lines.push(`              and ${more} more; npx tamshai people lists all`);
    if (people.length === 0) lines.push('  Nobody can sign in: this configuration has no sample people. Set OIDC_ISSUER.');
  }
  return [...lines, '', ...ending(config, style, ms)];
}

/** Returns a command that works without input: a declared example, or the list of tools. */
function exampleCall(registry: Registry): string | undefined {
  const user = exampleUser(samplePeopleOf(registry));
  if (user === undefined) return undefined;
  const today = new Date().toISOString().slice(0, 10);
  const tool = registry.tools.find(
    ({ kind, examples }) =>
      (kind === 'read' || kind === 'list') &&
      examples.some(({ as, expects, input }) => as === user && expects === undefined && Object.keys(input(today)).length === 0),
  );
  return tool === undefined ? `tools --as ${user}` : `call ${tool.domain.name} ${tool.name} --as ${user}`;
}

function ending(config: Config, style: Console['look']['style'], ms: number): string[] {
  const development =
    config.issuers.staff === undefined && config.registry.people.length > 0
      ? [style.yellow('  Development mode: anyone on this machine can sign in as anyone.')]
      : [];
  return [...development, `  Started in ${duration(ms)}. Ctrl+C stops; your data stays.`];
}
