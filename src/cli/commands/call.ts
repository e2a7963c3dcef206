/** `tamshai call`: calls one tool as one person, and shows its answer or its approval card. */
import { readFileSync } from 'node:fs';
import type { PendingAnswer } from '../../declare/answer.ts';
import type { ErrorAnswer } from '../../declare/errors.ts';
import { readClientConfig } from '../../server/instances.ts';
import { errorLines, foreignKeys, successLines } from './answer.ts';
import { decideAtTerminal } from './approve.ts';
import { openClient } from './client.ts';
import { openConsole } from './console.ts';
import { type ListedServer, listedServers } from './listed.ts';
import { didYouMean } from './nearest.ts';
import { actAs, required } from './person.ts';
import { EXIT, exitOf, Stop } from './stop.ts';

/** Only the form is checked here. The server validates the input. */
function inputText(given: string): string {
  const text = given === '-' ? readFileSync(0, 'utf8') : given;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const how =
      given === '-' ? 'standard input holds one object, such as {"name":"Kim"}' : `write it in single quotes, such as '{"name":"Kim"}'`;
    throw new Stop(`The input is not valid JSON; ${how}.`, EXIT.usage);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Stop('The input must be a JSON object, such as {"limit":5}.', EXIT.usage);
  return text;
}

export async function call(
  server: string,
  tool: string,
  json: string | undefined,
  options: { as?: string; json?: boolean },
): Promise<number> {
  const console = openConsole(options.json);
  const config = readClientConfig();
  const as = required(options.as, 'is calling', config);
  const input = inputText(json ?? '{}');
  const acting = actAs(config, as);
  const client = openClient(acting);
  const reply = await client.post(`/api/tools/${encodeURIComponent(server)}/${encodeURIComponent(tool)}`, input);
  const { body, status, aheadMs } = reply;
  if (console.json) {
    console.value(body);
    if (body.status === 'pending_confirmation') return EXIT.waits;
    return body.status === 'error' ? exitOf(status, String(body['code'])) : EXIT.ok;
  }
  if (body.status === 'success') {
    const own = (await listedServers(client)).find(({ name }) => name === server)?.tools ?? [];
    console.out(...successLines(reply, own, { asked: { server, tool, input, as }, look: console.look }));
    return EXIT.ok;
  }
  if (body.status === 'pending_confirmation') {
    const person = `${acting.persona.name} (${acting.persona.username})`;
    return decideAtTerminal({ pending: body as unknown as PendingAnswer, aheadMs, client, person }, console);
  }
  const answer = body as unknown as ErrorAnswer;
  const shown = answer.code === 'UNAUTHENTICATED' ? { ...answer, suggestedAction: foreignKeys } : answer;
  console.err(...errorLines(shown, console.errors, process.stderr.columns ?? Number.POSITIVE_INFINITY));
  if (answer.code === 'TOOL_NOT_FOUND') console.err(`Try  tamshai tools --as ${as}${meant(await listedServers(client), server, tool)}`);
  return exitOf(status, answer.code);
}

function meant(servers: readonly ListedServer[], server: string, tool: string): string {
  const own = servers.find(({ name }) => name === server);
  if (own === undefined)
    return didYouMean(
      server,
      servers.map(({ name }) => name),
    );
  return didYouMean(
    tool,
    own.tools.map(({ name }) => name),
  );
}
