/** Closing notes: sentences that the loop appends if an answer stopped early, omits missing data, or claims a change that was not made. */
import type { Answer, ListMetadata } from '../declare/answer.ts';
import { pluralOf, type Tool } from '../declare/tool.ts';
import type { StopReason } from './events.ts';

export interface CallOutcome {
  readonly server: string;
  readonly tool: Tool | undefined;
  readonly input: Readonly<Record<string, unknown>>;
  readonly answer: Answer;
}

const STOP_NOTES: Readonly<Record<StopReason, (limits: { calls: number; seconds: number }) => string>> = {
  done: () => '',
  cancelled: () => '',
  error: () => '',
  calls: ({ calls }) => `I stopped after ${calls} look-ups. This is what I have; ask for a smaller part to go on.`,
  time: ({ seconds }) => `I stopped after ${seconds} seconds. This is what I have; ask for a smaller part to go on.`,
  tokens: () => 'I stopped because this question grew too large. This is what I have; ask for a smaller part to go on.',
  length: () => 'I stopped here because the answer grew too long. Ask for a smaller part to go on.',
};

const SAYS_INCOMPLETE =
  /incomplete|more than \d|\b(?:top|first|last|latest|newest|largest|biggest|highest|lowest|smallest|oldest|next)\s+(?:\d+|two|three|four|five|ten)\b|\bat least\b|\d\+|there (?:are|is) more|not all|partial|truncated/i;
const SAYS_WAITING = /approv|confirm|waits|waiting|card/i;
const SAYS_UNAVAILABLE = /does not answer|not answering|unavailable|not available|missing|cannot be reached|could not be reached|is down/i;
const DONE =
  '(?:deleted|removed|terminated|updated|changed|raised|increased|approved|rejected|paid|submitted|created|booked|' +
  'closed|reimbursed|invited|transferred|added|stored|saved)';
const CLAIMS = new RegExp(
  `\\b(?:has|have) (?:now |just |successfully )*been (?:now |just |successfully ` +
    `)*${DONE}\\b|\\b(?:is|are) now ${DONE}\\b|\\bsuccessfully ${DONE}\\b|\\bI(?:['’]ve| have)? (?:now |just )*${DONE}\\b|\\bDone[.!]`,
  'i',
);
/** Checks each sentence by itself: "Nothing has been paid" and "once it has been paid" claim no change. */
const claimsChange = (text: string): boolean =>
  text
    .split(/(?<=[.!?])\s+|\n/)
    .some((sentence) => CLAIMS.test(sentence) && !/\b(?:nothing|none|no|not|once|after|until|before|unless|if|when)\b/i.test(sentence));

export function closingNotes(
  text: string,
  outcomes: readonly CallOutcome[],
  { reason, limits }: { reason: StopReason; limits: { calls: number; seconds: number } },
): string {
  const lines = [
    STOP_NOTES[reason](limits),
    ...unavailableServers(text, outcomes),
    ...incompleteLists(text, outcomes),
    ...unapprovedChanges(text, outcomes),
  ].filter((line) => line !== '');
  return lines.join('\n\n');
}

/** A list is incomplete if the last page that the model read has a next page. */
function incompleteLists(text: string, outcomes: readonly CallOutcome[]): string[] {
  const open = new Map<string, { metadata: ListMetadata; plural: string }>();
  for (const { server, tool, input, answer } of outcomes) {
    if (answer.status !== 'success' || !answer.metadata || !tool) continue;
    const { cursor: _cursor, limit: _limit, ...filters } = input;
    const key = JSON.stringify([server, tool.name, filters]);
    if (answer.metadata.hasMore) open.set(key, { metadata: answer.metadata, plural: pluralOf(tool) ?? 'rows' });
    else open.delete(key);
  }
  if (open.size === 0 || SAYS_INCOMPLETE.test(text)) return [];
  return [...open.values()].map(({ metadata: { returnedCount, warning, summary }, plural }) => {
    const narrow = /Narrow it by ([\w, ]+?), or/.exec(warning ?? '')?.[1];
    const covers = summary === undefined ? 'Totals and rankings cover only these rows.' : '';
    return [
      `Incomplete: the first ${returnedCount} of more than ${returnedCount} ${plural}.`,
      covers,
      narrow === undefined ? '' : `Narrow by ${narrow}.`,
    ]
      .filter(Boolean)
      .join(' ');
  });
}

const UNAVAILABLE_CODES = new Set(['SERVICE_UNAVAILABLE', 'DATABASE_ERROR', 'TIMEOUT']);
export const isUnavailable = (answer: Answer): boolean => answer.status === 'error' && UNAVAILABLE_CODES.has(answer.code);

function unavailableServers(text: string, outcomes: readonly CallOutcome[]): string[] {
  const unavailable = new Map<string, string>();
  for (const { server, tool, answer } of outcomes) {
    if (isUnavailable(answer)) unavailable.set(tool?.domain.title ?? server, tool?.title ?? '');
    else if (answer.status === 'success' && tool) unavailable.delete(tool.domain.title);
  }
  const unmentioned = [...unavailable].filter(([title]) => !(SAYS_UNAVAILABLE.test(text) && text.includes(title)));
  const rest = outcomes.some(({ answer }) => answer.status === 'success') ? '; the other results are included' : '';
  return unmentioned.map(([title, what]) => `${title} does not answer. ${what === '' ? 'Its part' : what} is missing here${rest}.`);
}

function unapprovedChanges(text: string, outcomes: readonly CallOutcome[]): string[] {
  const cards = outcomes.filter(({ answer }) => answer.status === 'pending_confirmation').length;
  if (cards > 0) {
    if (SAYS_WAITING.test(text) && !claimsChange(text)) return [];
    return [
      `Nothing has changed yet: ${cards === 1 ? 'it waits' : 'they wait'} for your approval on the ${cards === 1 ? 'card' : 'cards'}.`,
    ];
  }
  const wrote = outcomes.some(({ tool, answer }) => answer.status === 'success' && (tool?.kind === 'act' || tool?.kind === 'write'));
  const tried = outcomes.some(({ tool }) => tool?.kind === 'act' || tool?.kind === 'write');
  return tried && !wrote && claimsChange(text) ? ['Nothing was changed in this answer.'] : [];
}
