/** `tamshai ask`: streams the assistant's answer, lists the tools it used, and shows approval cards. */
import { readFileSync } from 'node:fs';
import type { AssistantEvent } from '../../assistant/events.ts';
import type { PendingAnswer } from '../../declare/answer.ts';
import { type ErrorAnswer, statusOf } from '../../declare/errors.ts';
import { readClientConfig } from '../../server/instances.ts';
import { type Analysis, analysisLines, isAnalysis } from '../terminal/analysis.ts';
import { createAnswerPrinter } from '../terminal/markdown.ts';
import { count, duration, grouped, safe } from '../terminal/text.ts';
import { errorLines, foreignKeys, kindsFor } from './answer.ts';
import { decideAtTerminal } from './approve.ts';
import { type Client, openClient } from './client.ts';
import { listedServers } from './listed.ts';
import { type Console, openConsole } from './console.ts';
import { type Acting, actAs, required } from './person.ts';
import { EXIT, exitOf } from './stop.ts';

export interface AskOptions {
  readonly as?: string;
  readonly conversation?: string;
  readonly json?: boolean;
}

type Event<T extends AssistantEvent['type']> = Extract<AssistantEvent, { type: T }>;

export async function ask(question: string, options: AskOptions): Promise<number> {
  const console = openConsole(options.json);
  const config = readClientConfig();
  const as = required(options.as, 'is asking', config);
  const query = question === '-' ? readFileSync(0, 'utf8').trim() : question;
  const acting = actAs(config, as);
  const client = openClient(acting);
  const cards: Event<'pending_confirmation'>[] = [];
  const screen = console.json ? undefined : openScreen(console);
  const analyses: { readonly server: string; readonly data: Analysis }[] = [];
  let trouble: Event<'error'> | undefined;
  let conversationId = '';
  const body = JSON.stringify({ query, ...(options.conversation !== undefined && { conversationId: options.conversation }) });
  const { aheadMs, refused } = await client.stream('/api/query', body, (given) => {
    const event = given as unknown as AssistantEvent;
    if (event.type === 'start') conversationId = event.conversationId;
    if (event.type === 'pending_confirmation') cards.push(event);
    if (event.type === 'error') trouble = event;
    if (event.type === 'tool_result' && event.result.status === 'success' && isAnalysis(event.result.data))
      analyses.push({ server: event.server, data: event.result.data });
    if (console.json) console.value(event);
    screen?.show(event);
  });
  screen?.end();
  if (analyses.length > 0 && !console.json) await printAnalyses(analyses, client, console);
  if (refused) return fail(refused.body as unknown as ErrorAnswer, refused.status, console);
  if (trouble) {
    const answer: ErrorAnswer = { ...trouble, status: 'error' };
    return console.json ? exitOf(statusOf(answer.code), answer.code) : fail(answer, statusOf(answer.code), console);
  }
  if (console.json) return cards.length > 0 ? EXIT.waits : EXIT.ok;
  const exit = await decideAll(cards, { aheadMs, client, acting }, console);
  if (conversationId !== '')
    console.err(console.errors.dim(`Go on with  tamshai ask "…" --as ${as} --conversation ${safe(conversationId)}`));
  return exit;
}

async function printAnalyses(
  analyses: readonly { readonly server: string; readonly data: Analysis }[],
  client: Client,
  console: Console,
): Promise<void> {
  const servers = await listedServers(client);
  for (const { server, data } of analyses) {
    const own = servers.find(({ name }) => name === server)?.tools ?? [];
    console.out(...analysisLines(data, kindsFor(data, own), console.look), '');
  }
}

function fail(answer: ErrorAnswer, status: number, console: Console): number {
  if (console.json) console.value(answer);
  else
    console.err(
      ...errorLines(
        answer.code === 'UNAUTHENTICATED' ? { ...answer, suggestedAction: foreignKeys } : answer,
        console.errors,
        process.stderr.columns ?? Number.POSITIVE_INFINITY,
      ),
    );
  return exitOf(status, answer.code);
}

/** Fetches each card from the server and does not use the card in the stream. */
async function decideAll(
  cards: readonly Event<'pending_confirmation'>[],
  { aheadMs, client, acting }: { aheadMs: number; client: Client; acting: Acting },
  console: Console,
): Promise<number> {
  const person = `${acting.persona.name} (${acting.persona.username})`;
  const ends: number[] = [];
  for (const { confirmationId } of cards) {
    const { body } = await client.get(`/api/confirmations/${encodeURIComponent(confirmationId)}`);
    const held = body['data'] as Omit<PendingAnswer, 'status'> | undefined;
    if (body.status !== 'success' || held === undefined) continue;
    const pending: PendingAnswer = {
      status: 'pending_confirmation',
      confirmationId: held.confirmationId,
      message: held.message,
      confirmationData: held.confirmationData,
    };
    ends.push(await decideAtTerminal({ pending, aheadMs, client, person }, console));
  }
  return [EXIT.waits, EXIT.failed, EXIT.refused, EXIT.unavailable, EXIT.undone].find((exit) => ends.includes(exit)) ?? EXIT.ok;
}

function openScreen(console: Console): { show(event: AssistantEvent): void; end(): void } {
  const printer = createAnswerPrinter((text) => process.stdout.write(text), console.look);
  const { dim, yellow, red } = console.errors;
  let hasText = false;
  const aside = (line: string) => {
    if (hasText) printer.end();
    hasText = false;
    console.err(line);
  };
  return {
    show(event) {
      if (event.type === 'text') {
        if (!hasText) process.stdout.write('\n');
        hasText = true;
        printer.text(event.text);
      } else if (event.type === 'tool_result') aside(chip(event, { dim, red, yellow }));
      else if (event.type === 'service_unavailable') aside(yellow(`${safe(event.title)} does not answer.`));
    },
    end() {
      if (!hasText) return;
      printer.end();
      process.stdout.write('\n');
    },
  };
}

function chip(
  { server, tool, status, code, rows, hasMore, ms }: Event<'tool_result'>,
  { dim, red, yellow }: { dim(text: string): string; red(text: string): string; yellow(text: string): string },
): string {
  const name = safe(`${server}.${tool}`);
  if (status === 'error') return `${dim(name)}  ${red(safe(code ?? 'failed'))}`;
  if (status === 'pending_confirmation') return `${dim(name)}  ${yellow('waits for you')}`;
  return dim(`${name}  ${hasMore ? `${grouped(rows)}+ rows` : count(rows, 'row')}  ${duration(ms)}`);
}
