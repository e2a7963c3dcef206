/** The dialogue manager: answers the last round of a conversation with the frames of the earlier rounds. */
import type { Answer } from '../../declare/answer.ts';
import { overlaps, type TextSpan, annotate, type Utterance } from './annotate.ts';
import { nameOf } from './fiscal-dates.ts';
import { matchChoice } from './choices.ts';
import { splitComparison, embeddedQuestion, splitClauses } from './clauses.ts';
import type { DialogueContext, TurnContext } from './context.ts';
import {
  asksForMoreRows,
  countShownRows,
  openNeighbour,
  answerFromShownRow,
  completeShownRow,
  addNote,
  openShownRow,
} from './follow-up.ts';
import type { Frame, PreviousTurn, IntentHints } from './frame.ts';
import type { IndexedTool, ToolIndex } from './index-tools.ts';
import { findKnownValues } from './known-values.ts';
import { createCallMemory, CallRequired, type Round } from './memory.ts';
import { speechActOf, stripPoliteness, rankTools, relevanceOf } from './rank.ts';
import { resolveIntent } from './resolve-intent.ts';
import { respond } from './respond.ts';
import { selectRow, rowsIn, type ShownRows } from './rows.ts';
import { mayChange, readSentence } from './sentence-type.ts';
import { capitalise, replaceWords } from './text.ts';
import { fold } from './tokenise.ts';

interface DialogueState {
  readonly frames: readonly Frame[];
  readonly shown: readonly ShownRows[];
}

/** Returns the answer to the last round, or throws CallRequired for the next tool call. */
export function continueDialogue(context: DialogueContext, rounds: readonly Round[]): string {
  let state: DialogueState = { frames: [], shown: [] };
  let text = '';
  for (const [at, round] of rounds.entries()) {
    const last = at === rounds.length - 1;
    try {
      const said = answerRound(context, round, state);
      text = said.text;
      if (said.frames.length > 0)
        state = { frames: said.frames, shown: [...said.frames.flatMap(({ shown }) => shown), ...state.shown].slice(0, 12) };
    } catch (error) {
      if (last || !(error instanceof CallRequired)) throw error;
      // The earlier round was stored incompletely, so its last call stands in for its frame.
      const kept = frameOfLastCall(context, round);
      if (kept) state = { frames: [kept], shown: [...kept.shown, ...state.shown].slice(0, 12) };
    }
  }
  return text;
}

function frameOfLastCall({ index, today }: DialogueContext, { text, calls }: Round): Frame | undefined {
  const last = calls.at(-1);
  const entry = last && index.byName.get(last.call.name);
  if (!last || !entry) return undefined;
  const { input } = last.call;
  return {
    utterance: annotate(text, today, index.lexicon),
    entry,
    input,
    shown: [{ entry, rows: rowsIn(last.answer) }],
    result: { type: 'answered', entry, input, answer: last.answer, about: undefined, called: '' },
  };
}

interface RoundAnswer {
  readonly text: string;
  readonly frames: readonly Frame[];
}
const MORE =
  /^(?:(?:can|could) (?:i|you) )?(?:please )?(?:(?:show|give|list|see|get|load|display)(?: me| us)?(?: the| some)? ?)?(?:more|next(?: page| ones?| \d+| batch)?|the rest|rest|continue|go on|keep going|further|another page|more (?:results|rows|of them|please|entries))(?: (?:please|results|rows|ones|of (?:them|these|those)))?[.!?]*$/i;
const YES =
  /^(?:yes|yep|yeah|ok|okay|sure|go ahead|do it|confirm(?:ed)?|approved?|please do|yes please|i (?:confirm|approve|agree)|agreed|proceed|make it so|sounds good)\b[\w\s,'.!]{0,40}$/i;
const NO =
  /^(?:no|nope|cancel(?: (?:it|that))?|never ?mind|stop|forget it|don't|do not|abort|leave it)[\s,.!]*(?:thanks|thank you)?[.!]*$/i;
const THANKS =
  /^(?:(?:many |great,? |ok,? |perfect,? )?thank(?:s| you)(?: so much| a lot| very much)?|thx|cheers|great|perfect|nice|cool|bye|goodbye)(?:[\s,!.]+(?:that|this|it|you)(?:'s| is| was| has| have)? (?:helped|helps|works|worked|helpful|great|perfect|all|it|been helpful))?[\s!.]*$/i;
const HELP =
  /\bwhat (?:can|could|do) you (?:do|help|offer|know)\b|\bhow (?:can|could|do) you help\b|\bwhat (?:can|may|could) i (?:ask|do(?: here)?)\b|^(?:help|hi|hello|hey|good (?:morning|afternoon|evening))(?: there)?[\s,!.?]*$|\bwho are you\b|\bwhat are you\b|\bwhat tools\b/i;

function answerRound(context: DialogueContext, round: Round, state: DialogueState): RoundAnswer {
  const { index, today } = context;
  const sentence = readSentence(round.text);
  const turn: TurnContext = { ...context, memory: createCallMemory(round), sentence };
  const last = state.frames.at(-1);
  const utterance = annotate(sentence.text, today, index.lexicon, { base: baseOf(last) });
  const only = (text: string): RoundAnswer => ({ text, frames: [] });
  if (utterance.text === '') return only('Please ask me something.');
  const waits = last && last.result.type === 'answered' && last.result.answer.status === 'pending_confirmation';
  if (waits && YES.test(utterance.text))
    return only(
      'I cannot approve it for you: nothing changes until you approve it yourself. Please use the buttons on the approval card above.',
    );
  if (waits && NO.test(utterance.text))
    return only('Nothing was changed. To close the request, deny it on the approval card, or let it expire.');
  if (THANKS.test(utterance.text)) return only('You are welcome.');
  if (HELP.test(utterance.text) && utterance.words.length <= 4) return only(describeHelp(context));
  const next = last && (openNeighbour(turn, last, utterance) ?? addNote(turn, last, utterance) ?? completeShownRow(turn, last, utterance));
  if (next) return { text: respond(context, next), frames: [next] };
  if ((MORE.test(stripPoliteness(utterance.text)) || asksForMoreRows(last, utterance)) && last)
    return showMore(turn, state) ?? only('There is nothing more to show.');
  if (NO.test(utterance.text)) return only('All right, nothing was done.');
  const count = last && countShownRows(last, utterance);
  if (count !== undefined && last) return { text: count, frames: [last] };
  const replied = last && resolveReply(turn, last, { utterance, before: previousTurn(state) });
  if (replied) return { text: respond(context, replied), frames: [replied] };
  const remade = last && mayChange(sentence) && resolveCorrection(turn, last, { utterance, before: previousTurn(state) });
  if (remade) return { text: respond(context, remade), frames: [remade] };
  const inner = last && openShownRow(turn, last, utterance);
  if (inner) return { text: respond(context, inner), frames: [inner] };
  const meant = last ? resolveFollowUp(context, last, utterance) : undefined;
  if (meant) {
    const frame = resolveIntent(turn, meant.utterance, { previous: previousTurn(state, meant.utterance), hints: { entry: meant.entry } });
    return { text: respond(context, frame), frames: [frame] };
  }
  const frames: Frame[] = [];
  for (const part of splitComparison(context, turn, utterance) ?? splitClauses(context, embeddedQuestion(context, utterance))) {
    const before = frames.at(-1);
    frames.push(
      resolveIntent(turn, part, {
        previous: before ? { shown: before.shown, utterance: before.utterance, entry: before.entry } : previousTurn(state),
      }),
    );
  }
  const field = last && frames.length === 1 && frames[0]?.result.type === 'no-intent' ? answerFromShownRow(last, utterance) : undefined;
  if (field !== undefined && last) return { text: field, frames: [last] };
  return { text: frames.map((frame) => respond(context, frame)).join('\n\n'), frames };
}

const previousTurn = ({ frames, shown }: DialogueState, now?: Utterance): PreviousTurn => ({
  shown,
  utterance: now ?? frames.at(-1)?.utterance,
  entry: frames.at(-1)?.entry,
});
const baseOf = (frame: Frame | undefined) => frame?.utterance.dates[0];

function resolveReply(
  context: TurnContext,
  last: Frame,
  { utterance, before }: { utterance: Utterance; before: PreviousTurn },
): Frame | undefined {
  const { result } = last;
  const again = (forced: IntentHints['forced']) =>
    resolveIntent(context, last.utterance, {
      previous: before,
      hints: {
        entry: result.type === 'ambiguous' || result.type === 'missing-slot' ? result.entry : undefined,
        forced: { ...filledInput(last), ...forced },
      },
    });
  if (result.type === 'ambiguous') {
    const row = selectRow(result.rows, utterance);
    const key = row && Object.keys(result.source.rowSchema.properties ?? {}).find((each) => /(?:^|_)id$/.test(each));
    return row && key !== undefined ? again({ [result.slot.key]: row[key] }) : undefined;
  }
  if (result.type !== 'missing-slot') return undefined;
  const { slot } = result;
  const [first] = rankTools(context.index, utterance, context.index.entries);
  if (slot.kind === 'prose' && !mayChange(context.sentence) && context.sentence.type !== 'past') return undefined;
  if (slot.kind === 'prose')
    return first && first.score > 0.75 && first.exampleCoverage > 0.8
      ? undefined
      : again({ [slot.key]: capitalise(utterance.text.replace(/^(?:because|the reason is(?: that)?|reason:)\s+/i, '')) });
  if (slot.kind === 'choice') {
    const chosen = matchChoice(context.index, result.entry, { slot, utterance, not: [], example: undefined });
    return chosen ? again({ [slot.key]: chosen.value }) : undefined;
  }
  if (slot.kind === 'date' && utterance.dates[0]) return again({ [slot.key]: utterance.dates[0].from });
  if ((slot.kind === 'amount' || slot.kind === 'number') && utterance.amounts[0]) return again({ [slot.key]: utterance.amounts[0].value });
  if (slot.kind === 'name' && utterance.tokens.length <= 6) return again({ [slot.key]: utterance.text.replace(/[.!?]$/, '') });
  if (slot.kind === 'email' && utterance.emails[0]) return again({ [slot.key]: utterance.emails[0].text });
  if ((slot.kind === 'id' || slot.kind === 'number-id') && utterance.tokens.length <= 8)
    return resolveIntent(
      context,
      annotate(`${last.utterance.text.replace(/[.?!]$/, '')} ${utterance.text}`, utterance.today, context.index.lexicon),
      { previous: before, hints: { entry: result.entry } },
    );
  return undefined;
}
const filledInput = (last: Frame): Record<string, unknown> => ({ ...last.input });

const FOLLOW_UP_PREFIX =
  /^(?:(?:and|also|but|or|ok|okay|so|then|now)\b[\s,]*)*(?:what about|how about|and what about|same (?:for|with)|the same (?:for|in|with)|only|just|except|instead|what if|what of|and|also|or|but|for|in|from|with|since|above|over|below|under|at least|at most|before|after)\b[\s,]*/i;
const MEANT = /^(?:[^.?]{0,40}\b)?i (?:meant|mean|was (?:talking|asking) about)\b[\s,.:-]*/i;
const CORRECTION =
  /^(?:(?:oh|hold on|hang on|hmm)\b[\s,.!-]*)*(?:make (?:it|that)|change (?:it|that) to|better|rather|no|no wait|wait|sorry|oops|actually|i (?:meant|mean)|not that(?: one)?|wrong one|my (?:mistake|bad)|correction)\b[\s,.:!-]*(?:(?:no|wait|sorry|actually|i (?:meant|mean|was (?:talking|asking) about)|rather|not that(?: one)?|wrong one|my (?:mistake|bad)|make (?:it|that)|it's|that's|it should be|it was)\b[\s,.:!-]*)*/i;

/** Resolves an elliptic question: its parts replace those of the previous question. */
function resolveFollowUp(
  { index, today, allowed }: DialogueContext,
  last: Frame,
  utterance: Utterance,
): { utterance: Utterance; entry: IndexedTool | undefined } | undefined {
  const entry = last.entry;
  if (!entry) return undefined;
  const correction = MEANT.exec(utterance.text) ?? CORRECTION.exec(utterance.text);
  const corrects = correction !== null;
  const leads = FOLLOW_UP_PREFIX.test(utterance.text);
  const skip = correction ? correction[0].length : leads ? (FOLLOW_UP_PREFIX.exec(utterance.text)?.[0].length ?? 0) : 0;
  const pieces = replaceableParts(index, entry, utterance);
  const rest = utterance.words.filter(({ token }) => token.start >= skip && !pieces.some(({ at }) => overlaps(at, token)));
  const searched =
    pieces.every(({ kind }) => kind === 'name') && leads && entry.slots.some(({ kind, key }) => kind === 'query' && key in last.input)
      ? replaceQuery(last, entry, { utterance, skip })
      : undefined;
  if (searched !== undefined && !matchesOtherTool(index, allowed, { entry, utterance, skip }))
    return { utterance: annotate(searched, today, index.lexicon), entry };
  if (pieces.length === 0) return undefined;
  if (!corrects && !leads && (rest.length > 0 || utterance.tokens.length > 5)) return undefined;
  const foreign = rest.filter((word) => relevanceOf(entry, word) < 0.45);
  if (foreign.length > 0) return undefined;
  const before = replaceableParts(index, entry, last.utterance);
  // "And the high ones?": another value of the same slot, for the same tool.
  const instead =
    leads && pieces.every(({ kind }) => kind !== 'name' && before.some((each) => each.kind === kind)) && /\bones?\b/i.test(utterance.text);
  if (rest.length > 0 && !instead) {
    const ranked = rankTools(index, utterance, [...allowed.values()]);
    const mine = ranked.find((each) => each.entry === entry)?.score ?? 0;
    if ((ranked[0]?.score ?? 0) > mine + 0.15) return undefined;
  }
  let text = last.utterance.text;
  for (const { kind, text: fresh } of pieces) {
    const old = annotate(text, today, index.lexicon);
    const place = replaceableParts(index, entry, old)
      .filter((each) => each.kind === kind || (kind === 'name' && each.kind === 'name'))
      .at(-1)?.at;
    text = place
      ? `${text.slice(0, place.start)}${fresh}${text.slice(place.end)}`
      : `${text.replace(/[\s?.!]+$/, '')}${kind.startsWith('known') || kind === 'name' ? ',' : ''} ${fresh}`;
  }
  return { utterance: annotate(text, today, index.lexicon), entry };
}

/** "Actually make that the Nevada agent": updates the record that was just created. */
function resolveCorrection(
  context: TurnContext,
  last: Frame,
  { utterance, before }: { utterance: Utterance; before: PreviousTurn },
): Frame | undefined {
  const { result } = last;
  const correction = MEANT.exec(utterance.text) ?? CORRECTION.exec(utterance.text);
  const fresh = correction ? utterance.text.slice(correction[0].length).replace(/[\s.!]+$/, '') : '';
  if (
    fresh === '' ||
    speechActOf(annotate(fresh, utterance.today, context.index.lexicon)) === 'command' ||
    result.type !== 'answered' ||
    result.answer.status !== 'success' ||
    result.entry.tool.effect !== 'adds'
  )
    return undefined;
  const [row] = rowsIn(result.answer);
  for (const entry of context.allowed.values()) {
    const id = entry.slots.find(({ kind, required }) => (kind === 'id' || kind === 'number-id') && required);
    const text = entry.slots.find(({ key, kind }) => (kind === 'prose' || kind === 'name') && typeof result.input[key] === 'string');
    const key = id && row ? Object.keys(row).find((each) => each === id.key) : undefined;
    if (entry.tool.domain !== result.entry.tool.domain || entry.tool.effect !== 'changes' || !row || !id || !text || key === undefined)
      continue;
    return resolveIntent(context, utterance, {
      previous: before,
      hints: {
        entry,
        forced: { [id.key]: row[key], [text.key]: replaceWords(String(result.input[text.key]), fresh) },
      },
    });
  }
  return undefined;
}
/** "And for masking?": replaces the search query of the previous question. */
function replaceQuery(last: Frame, entry: IndexedTool, { utterance, skip }: { utterance: Utterance; skip: number }): string | undefined {
  const fresh = utterance.text
    .slice(skip)
    .replace(/^(?:for|about|on|in|of|with|the)\s+/i, '')
    .replace(/[\s?.!]+$/, '');
  if (fresh === '' || fresh.split(' ').length > 5) return undefined;
  for (const { key, kind } of entry.slots) {
    const before = last.input[key];
    if ((kind !== 'query' && kind !== 'name') || typeof before !== 'string') continue;
    const at = fold(last.utterance.text).indexOf(fold(before));
    if (at >= 0) return `${last.utterance.text.slice(0, at)}${fresh}${last.utterance.text.slice(at + before.length)}`;
  }
  return undefined;
}
/** Whether the new words match another tool better. */
function matchesOtherTool(
  index: ToolIndex,
  allowed: DialogueContext['allowed'],
  { entry, utterance, skip }: { entry: IndexedTool; utterance: Utterance; skip: number },
): boolean {
  const [best] = rankTools(index, utterance, [...allowed.values()]);
  const newWords = utterance.words.filter(({ token }) => token.start >= skip);
  return (
    best !== undefined &&
    best.entry !== entry &&
    best.score > 0.5 &&
    best.exampleCoverage >= 0.6 &&
    newWords.every((word) => relevanceOf(best.entry, word) >= 0.8)
  );
}

interface ReplaceablePart {
  readonly kind: string;
  readonly at: TextSpan;
  readonly text: string;
}
function replaceableParts(index: ToolIndex, entry: IndexedTool, utterance: Utterance): ReplaceablePart[] {
  const found: ReplaceablePart[] = [];
  const free = (at: { start: number; end: number }) => !found.some((each) => overlaps(each.at, at));
  for (const when of utterance.dates) found.push({ kind: 'when', at: { ...when, text: '' }, text: formatDates(when) });
  for (const [key, values] of index.knownValues) {
    if (!entry.slots.some((slot) => slot.key === key) && !entry.slots.some((slot) => slot.kind === 'id')) continue;
    for (const { at, value } of findKnownValues(values, utterance))
      if (free(at))
        found.push({
          kind: `known ${key}`,
          at,
          text: /^(?:in|for|of) $/i.test(utterance.text.slice(Math.max(0, at.start - 3), at.start)) ? value : value,
        });
  }
  for (const amount of utterance.amounts) {
    if (!free(amount)) continue;
    const bound = /\b(?:over|above|under|below|more than|less than|at least|at most|up to)\s*[$€£]?$/i.exec(
      utterance.text.slice(Math.max(0, amount.start - 12), amount.start),
    );
    const start = bound ? amount.start - bound[0].length : amount.start;
    const text = utterance.text.slice(start, amount.end);
    found.push({ kind: 'amount', at: { start, end: amount.end, text }, text });
  }
  for (const slot of entry.slots.filter(({ kind }) => kind === 'choice')) {
    const chosen = matchChoice(index, entry, { slot, utterance, not: [], example: undefined });
    if (chosen?.at && free(chosen.at)) found.push({ kind: `choice ${slot.key}`, at: chosen.at, text: chosen.at.text });
  }
  for (const name of utterance.names) if (free(name)) found.push({ kind: 'name', at: name, text: name.text });
  for (const quote of utterance.quotes) if (free(quote)) found.push({ kind: 'name', at: quote, text: `'${quote.text}'` });
  return found.sort((a, b) => a.at.start - b.at.start);
}
const formatDates = ({ from, to, grain, openEnd, names }: Utterance['dates'][number]): string => {
  const { year, quarter } = names?.fiscal ?? nameOf(from);
  const text =
    grain === 'month'
      ? from.slice(0, 7)
      : grain === 'quarter'
        ? `${year}-Q${quarter}`
        : grain === 'year'
          ? String(year)
          : from === to
            ? from
            : `${from} to ${to}`;
  return openEnd === 'since' ? `since ${from}` : openEnd === 'until' ? `until ${to}` : text;
};

/** Repeats the last call with the cursor of its next page. */
function showMore(context: TurnContext, state: DialogueState): RoundAnswer | undefined {
  const last = [...state.frames].reverse().find(({ result }) => result.type === 'answered' && cursorOf(result.answer) !== undefined);
  if (!last || last.result.type !== 'answered') return undefined;
  const { entry, input } = last.result;
  const next = { ...input, cursor: cursorOf(last.result.answer) };
  const answer = context.memory.call(entry.name, next);
  const rows = answer.status === 'success' && Array.isArray(answer.data) ? answer.data : [];
  const frame: Frame = {
    utterance: last.utterance,
    entry,
    input: next,
    shown: [{ entry, rows }],
    result: { ...last.result, input: next, answer },
  };
  return { text: `Here is more. ${respond(context, frame)}`, frames: [frame] };
}
const cursorOf = (answer: Answer): string | undefined => (answer.status === 'success' ? answer.metadata?.nextCursor : undefined);

function describeHelp({ person, allowed }: DialogueContext): string {
  const byDomain = new Map<string, string[]>();
  for (const { tool } of allowed.values())
    byDomain.set(tool.domain.title, [...(byDomain.get(tool.domain.title) ?? []), tool.title.charAt(0).toLowerCase() + tool.title.slice(1)]);
  const lines = [...byDomain].map(
    ([domain, titles]) => `- **${domain}**: ${titles.slice(0, 8).join(', ')}${titles.length > 8 ? ` and ${titles.length - 8} more` : ''}`,
  );
  const asks = [...allowed.values()]
    .filter((entry) => entry.examples.some(({ succeeds }) => succeeds))
    .flatMap((entry) =>
      entry.tool.examples
        .filter(({ as }) => as === person.username)
        .slice(0, 1)
        .map(({ question }) => question),
    )
    .slice(0, 3);
  return (
    `Hello ${person.name.split(' ')[0] ?? ''}. You can ask me in plain words ` +
    `about:\n\n${lines.join('\n')}${asks.length > 0 ? `\n\nFor example: ${asks.map((ask) => `"${ask}"`).join(', ')}` : ''}\n\nMost ` +
    'changes wait for your approval.'
  );
}
