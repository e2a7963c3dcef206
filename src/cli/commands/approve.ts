/** Shows an approval card on the terminal and sends the user's decision. */
import type { PendingAnswer } from '../../declare/answer.ts';
import type { ErrorAnswer } from '../../declare/errors.ts';
import { clock } from '../../gateway/pages/format.ts';
import { openTerminal } from '../terminal/prompt.ts';
import { became, cardLines, stays } from '../terminal/card.ts';
import { styleOf } from '../terminal/style.ts';
import { safe } from '../terminal/text.ts';
import { errorLines } from './answer.ts';
import type { Client, Reply } from './client.ts';
import type { Console } from './console.ts';
import { EXIT, exitOf } from './stop.ts';

export interface WaitingCard {
  readonly pending: PendingAnswer;
  readonly aheadMs: number;
  readonly client: Client;
  /** `Alice Chen (alice.chen)` */
  readonly person: string;
}

const QUESTION = 'Approve? Type yes to approve, no to deny: ';

export async function decideAtTerminal({ pending, aheadMs, client, person }: WaitingCard, console: Console): Promise<number> {
  const { confirmationData: data, confirmationId } = pending;
  // Uses the server's clock, because the local clock may be wrong.
  const leftMs = () => Math.max(0, Date.parse(data.expiresAt) - Date.now() - aheadMs);
  const left = () => clock(Math.ceil(leftMs() / 1000));
  const terminal = console.json ? undefined : openTerminal();
  if (terminal === undefined) {
    console.out('Needs your approval. Nothing has changed yet.', safe(data.summary), `Open ${safe(data.approvalUrl)} within ${left()}.`);
    return EXIT.waits;
  }
  let typed: string | undefined;
  try {
    const look = { style: styleOf(terminal.colour), width: terminal.width };
    const lines = cardLines({ data, person, secondsLeft: Math.ceil(leftMs() / 1000) }, look);
    terminal.say(`${lines.join('\n')}\n\n`);
    typed = await terminal.ask(QUESTION, leftMs());
    if (typed === undefined) terminal.say('\n');
  } finally {
    terminal.close();
  }
  const word = typed?.trim().toLowerCase();
  if (word === 'yes' || word === 'no')
    return report(await client.decide(confirmationId, word === 'yes'), word === 'yes', { pending, console });
  if (leftMs() === 0) return expired(pending, console);
  const why = typed === undefined ? '' : 'That was neither yes nor no. ';
  console.out(
    `${why}Nothing has changed yet. The change still waits for your decision.`,
    `Open ${safe(data.approvalUrl)} within ${left()}.`,
  );
  return EXIT.waits;
}

function expired({ confirmationData }: PendingAnswer, console: Console): number {
  console.out(
    ...['Expired. Nobody answered within five minutes, so nothing was changed. This is not a denial.', stays(confirmationData)].filter(
      Boolean,
    ),
  );
  return EXIT.undone;
}

function report(
  { body, status, requestId }: Reply,
  approved: boolean,
  { pending, console }: { readonly pending: PendingAnswer; readonly console: Console },
): number {
  const { confirmationData } = pending;
  if (body.status === 'success') {
    const { message } = body as { readonly message?: unknown };
    const done = typeof message === 'string' ? [safe(message)] : [];
    console.out([console.look.style.green('Done.'), ...done, became(confirmationData)].join(' '), `Request ${safe(requestId)}`);
    return EXIT.ok;
  }
  if (body.status === 'cancelled') {
    console.out(['Denied by you.', stays(confirmationData), 'Nothing was changed.'].filter(Boolean).join(' '));
    return EXIT.undone;
  }
  const answer = body as unknown as ErrorAnswer;
  if (answer.code === 'CONFIRMATION_NOT_FOUND') return expired(pending, console);
  if (answer.code === 'CHANGED_SINCE_APPROVAL')
    console.err('Not applied: changed since you looked. Nothing was written. Look at the new values before you decide.');
  else {
    console.err(...errorLines(answer, console.errors, console.look.width));
    if (!answer.retryable && approved) console.err('Nothing was changed.');
    if (answer.retryable)
      console.err(`It is unknown whether the change was made. It is made at most once: open ${safe(confirmationData.approvalUrl)} to see.`);
  }
  return exitOf(status, answer.code);
}
