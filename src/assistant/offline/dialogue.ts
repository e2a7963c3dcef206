/** A conversation, round by round: what a question means after the ones before it. */
import type { Answer } from '../../core/answer.ts';
import { overlaps, type Piece, read, type Reading } from './annotate.ts';
import { quarterOf, yearOf } from './calendar.ts';
import { choose } from './choices.ts';
import { distributed, inside, parts } from './clauses.ts';
import type { Company, Thinking } from './context.ts';
import { amount, beside, fieldOf, finished, noted, opened } from './follow-up.ts';
import type { Frame, Past, Wish } from './frame.ts';
import type { Entry, Index } from './index-tools.ts';
import { knownIn } from './known-values.ts';
import { memory, Needs, type Round } from './memory.ts';
import { actOf, bare, rank, speaksOf } from './rank.ts';
import { think } from './resolve-intent.ts';
import type { Speaking } from './respond-fields.ts';
import { speak } from './respond.ts';
import { rowNamed, rowsIn, type Shown } from './rows.ts';
import { sentence } from './text.ts';
import { fold } from './tokenise.ts';

interface State {
  readonly frames: readonly Frame[];
  readonly shown: readonly Shown[];
}

/** The words for the last round; throws what it still needs. */
export function talk(company: Company, rounds: readonly Round[]): string {
  let state: State = { frames: [], shown: [] };
  let text = '';
  for (const [at, round] of rounds.entries()) {
    const last = at === rounds.length - 1;
    try {
      const said = answerTo(company, round, state);
      text = said.text;
      if (said.frames.length > 0)
        state = { frames: said.frames, shown: [...said.frames.flatMap(({ shown }) => shown), ...state.shown].slice(0, 12) };
    } catch (error) {
      if (last || !(error instanceof Needs)) throw error;
      // Of an earlier question only a part was kept: its last call stands for it.
      const kept = cutShort(company, round);
      if (kept) state = { frames: [kept], shown: [...kept.shown, ...state.shown].slice(0, 12) };
    }
  }
  return text;
}

function cutShort({ index, today }: Company, { text, made }: Round): Frame | undefined {
  const last = made.at(-1);
  const entry = last && index.byName.get(last.call.name);
  if (!last || !entry) return undefined;
  const { input } = last.call;
  return {
    reading: read(text, today, index.lexicon),
    entry,
    input,
    shown: [{ entry, rows: rowsIn(last.answer) }],
    result: { type: 'answered', entry, input, answer: last.answer, about: undefined, called: '' },
  };
}

interface Said {
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

function answerTo(company: Company, round: Round, state: State): Said {
  const { index, today } = company;
  const mind = memory(round);
  const thinking: Thinking = { ...company, memory: mind };
  const speaking: Speaking = company;
  const last = state.frames.at(-1);
  const reading = read(round.text, today, index.lexicon, baseOf(last));
  const only = (text: string): Said => ({ text, frames: [] });
  if (reading.text === '') return only('Please ask me something.');
  const waits = last && last.result.type === 'answered' && last.result.answer.status === 'pending_confirmation';
  if (waits && YES.test(reading.text))
    return only(
      'I cannot approve it for you: nothing changes until you approve it yourself. Please use the buttons on the approval card above.',
    );
  if (waits && NO.test(reading.text))
    return only('Nothing was changed. To close the request, deny it on the approval card, or let it expire.');
  if (THANKS.test(reading.text)) return only('You are welcome.');
  if (HELP.test(reading.text) && reading.words.length <= 4) return only(help(company));
  const next = last && (beside(thinking, last, reading) ?? noted(thinking, last, reading) ?? finished(thinking, last, reading));
  if (next) return { text: speak(speaking, next), frames: [next] };
  if (MORE.test(bare(reading.text)) && last) return more(thinking, speaking, state) ?? only('There is nothing more to show.');
  if (NO.test(reading.text)) return only('All right, nothing was done.');
  const count = last && amount(last, reading);
  if (count !== undefined && last) return { text: count, frames: [last] };
  const replied = last && reply(thinking, last, reading, past(state));
  if (replied) return { text: speak(speaking, replied), frames: [replied] };
  const remade = last && corrected(thinking, last, reading, past(state));
  if (remade) return { text: speak(speaking, remade), frames: [remade] };
  const inner = last && opened(thinking, last, reading);
  if (inner) return { text: speak(speaking, inner), frames: [inner] };
  const meant = last ? followed(company, last, reading) : undefined;
  if (meant) {
    const frame = think(thinking, meant.reading, past(state, meant.reading), { entry: meant.entry });
    return { text: speak(speaking, frame), frames: [frame] };
  }
  const frames: Frame[] = [];
  for (const part of distributed(company, thinking, reading) ?? parts(company, inside(company, reading))) {
    const before = frames.at(-1);
    frames.push(think(thinking, part, before ? { shown: before.shown, reading: before.reading, entry: before.entry } : past(state)));
  }
  const field = last && frames.length === 1 && frames[0]?.result.type === 'lost' ? fieldOf(last, reading) : undefined;
  if (field !== undefined && last) return { text: field, frames: [last] };
  return { text: frames.map((frame) => speak(speaking, frame)).join('\n\n'), frames };
}

const past = ({ frames, shown }: State, now?: Reading): Past => ({
  shown,
  reading: now ?? frames.at(-1)?.reading,
  entry: frames.at(-1)?.entry,
});
const baseOf = (frame: Frame | undefined) => frame?.reading.whens[0];

/** What we asked back for, in a few words. */
function reply(thinking: Thinking, last: Frame, reading: Reading, before: Past): Frame | undefined {
  const { result } = last;
  const again = (forced: Wish['forced']) =>
    think(thinking, last.reading, before, {
      entry: result.type === 'which' || result.type === 'missing' ? result.entry : undefined,
      forced: { ...kept(last), ...forced },
    });
  if (result.type === 'which') {
    const row = rowNamed(result.rows, reading);
    const key = row && Object.keys(result.source.row.properties ?? {}).find((each) => /(?:^|_)id$/.test(each));
    return row && key !== undefined ? again({ [result.slot.key]: row[key] }) : undefined;
  }
  if (result.type !== 'missing') return undefined;
  const { slot } = result;
  const [first] = rank(thinking.index, reading, thinking.index.entries);
  if (slot.kind === 'prose')
    return first && first.score > 0.75 && first.contains > 0.8
      ? undefined
      : again({ [slot.key]: sentence(reading.text.replace(/^(?:because|the reason is(?: that)?|reason:)\s+/i, '')) });
  if (slot.kind === 'choice') {
    const chosen = choose(thinking.index, result.entry, slot, reading, [], undefined);
    return chosen ? again({ [slot.key]: chosen.value }) : undefined;
  }
  if (slot.kind === 'date' && reading.whens[0]) return again({ [slot.key]: reading.whens[0].from });
  if ((slot.kind === 'amount' || slot.kind === 'number') && reading.amounts[0]) return again({ [slot.key]: reading.amounts[0].value });
  if (slot.kind === 'name' && reading.tokens.length <= 6) return again({ [slot.key]: reading.text.replace(/[.!?]$/, '') });
  if (slot.kind === 'email' && reading.emails[0]) return again({ [slot.key]: reading.emails[0].text });
  if ((slot.kind === 'id' || slot.kind === 'number-id') && reading.tokens.length <= 8)
    return think(
      thinking,
      read(`${last.reading.text.replace(/[.?!]$/, '')} ${reading.text}`, reading.today, thinking.index.lexicon),
      before,
      { entry: result.entry },
    );
  return undefined;
}
/** What was answered to earlier questions of ours stays answered. */
const kept = (last: Frame): Record<string, unknown> => ({ ...last.input });

const LEAD =
  /^(?:(?:and|also|but|or|ok|okay|so|then|now)\b[\s,]*)*(?:what about|how about|and what about|same (?:for|with)|the same (?:for|in|with)|only|just|except|instead|what if|what of|and|also|or|but|for|in|from|with|since|above|over|below|under|at least|at most|before|after)\b[\s,]*/i;
const MEANT = /^(?:[^.?]{0,40}\b)?i (?:meant|mean|was (?:talking|asking) about)\b[\s,.:-]*/i;
const CORRECTION =
  /^(?:(?:oh|hold on|hang on|hmm)\b[\s,.!-]*)*(?:make (?:it|that)|change (?:it|that) to|better|rather|no|no wait|wait|sorry|oops|actually|i (?:meant|mean)|not that(?: one)?|wrong one|my (?:mistake|bad)|correction)\b[\s,.:!-]*(?:(?:no|wait|sorry|actually|i (?:meant|mean|was (?:talking|asking) about)|rather|not that(?: one)?|wrong one|my (?:mistake|bad)|make (?:it|that)|it's|that's|it should be|it was)\b[\s,.:!-]*)*/i;

/** A question that only makes sense with the one before: its new part takes the place of the old one. */
function followed(
  { index, today, allowed }: Company,
  last: Frame,
  reading: Reading,
): { reading: Reading; entry: Entry | undefined } | undefined {
  const entry = last.entry;
  if (!entry) return undefined;
  const correction = MEANT.exec(reading.text) ?? CORRECTION.exec(reading.text);
  const corrects = correction !== null;
  const leads = LEAD.test(reading.text);
  const skip = correction ? correction[0].length : leads ? (LEAD.exec(reading.text)?.[0].length ?? 0) : 0;
  const pieces = piecesOf(index, entry, reading);
  const rest = reading.words.filter(({ token }) => token.start >= skip && !pieces.some(({ at }) => overlaps(at, token)));
  const searched =
    pieces.every(({ kind }) => kind === 'name') && leads && entry.slots.some(({ kind, key }) => kind === 'query' && key in last.input)
      ? otherWords(last, entry, reading, skip)
      : undefined;
  if (searched !== undefined && !speaksOfAnother(index, allowed, entry, reading, skip))
    return { reading: read(searched, today, index.lexicon), entry };
  if (pieces.length === 0) return undefined;
  if (!corrects && !leads && (rest.length > 0 || reading.tokens.length > 5)) return undefined;
  const foreign = rest.filter((word) => speaksOf(entry, word) < 0.45);
  if (foreign.length > 0) return undefined;
  const before = piecesOf(index, entry, last.reading);
  // "And the high ones?": another of the same kind, of the same rows.
  const instead =
    leads && pieces.every(({ kind }) => kind !== 'name' && before.some((each) => each.kind === kind)) && /\bones?\b/i.test(reading.text);
  if (rest.length > 0 && !instead) {
    const ranked = rank(index, reading, [...allowed.values()]);
    const mine = ranked.find((each) => each.entry === entry)?.score ?? 0;
    if ((ranked[0]?.score ?? 0) > mine + 0.15) return undefined;
  }
  let text = last.reading.text;
  for (const { kind, text: fresh } of pieces) {
    const old = read(text, today, index.lexicon);
    const place = piecesOf(index, entry, old)
      .filter((each) => each.kind === kind || (kind === 'name' && each.kind === 'name'))
      .at(-1)?.at;
    text = place
      ? `${text.slice(0, place.start)}${fresh}${text.slice(place.end)}`
      : `${text.replace(/[\s?.!]+$/, '')}${kind.startsWith('known') || kind === 'name' ? ',' : ''} ${fresh}`;
  }
  return { reading: read(text, today, index.lexicon), entry };
}

/**
 * "Actually make that the Nevada agent": what was made a moment ago is there already, so it is changed by the tool that changes such
 * things.
 */
function corrected(thinking: Thinking, last: Frame, reading: Reading, before: Past): Frame | undefined {
  const { result } = last;
  const correction = MEANT.exec(reading.text) ?? CORRECTION.exec(reading.text);
  const fresh = correction ? reading.text.slice(correction[0].length).replace(/[\s.!]+$/, '') : '';
  if (
    fresh === '' ||
    actOf(read(fresh, reading.today, thinking.index.lexicon)) === 'orders' ||
    result.type !== 'answered' ||
    result.answer.status !== 'success' ||
    result.entry.tool.effect !== 'adds'
  )
    return undefined;
  const [row] = rowsIn(result.answer);
  for (const entry of thinking.allowed.values()) {
    const id = entry.slots.find(({ kind, required }) => (kind === 'id' || kind === 'number-id') && required);
    const text = entry.slots.find(({ key, kind }) => (kind === 'prose' || kind === 'name') && typeof result.input[key] === 'string');
    const key = id && row ? Object.keys(row).find((each) => each === id.key) : undefined;
    if (entry.tool.domain !== result.entry.tool.domain || entry.tool.effect !== 'changes' || !row || !id || !text || key === undefined)
      continue;
    return think(thinking, reading, before, {
      entry,
      forced: { [id.key]: row[key], [text.key]: replaced(String(result.input[text.key]), fresh) },
    });
  }
  return undefined;
}
/** The new words in the place of those that end alike; of none, in the place of all. */
function replaced(old: string, fresh: string): string {
  const [had, has] = [old.split(' '), fresh.split(' ')];
  const end = had.findLastIndex((word) => fold(word) === fold(has.at(-1) ?? ''));
  if (end < 0) return sentence(fresh);
  const same = had.slice(0, end).findLastIndex((word) => fold(word) === fold(has[0] ?? ''));
  const start = has.length > 1 && same >= 0 ? same : Math.max(0, end - has.length + 1);
  return sentence([...had.slice(0, start), ...has, ...had.slice(end + 1)].join(' '));
}

/** "And for masking?": other words in the place of those that were searched for. */
function otherWords(last: Frame, entry: Entry, reading: Reading, skip: number): string | undefined {
  const fresh = reading.text
    .slice(skip)
    .replace(/^(?:for|about|on|in|of|with|the)\s+/i, '')
    .replace(/[\s?.!]+$/, '');
  if (fresh === '' || fresh.split(' ').length > 5) return undefined;
  for (const { key, kind } of entry.slots) {
    const before = last.input[key];
    if ((kind !== 'query' && kind !== 'name') || typeof before !== 'string') continue;
    const at = fold(last.reading.text).indexOf(fold(before));
    if (at >= 0) return `${last.reading.text.slice(0, at)}${fresh}${last.reading.text.slice(at + before.length)}`;
  }
  return undefined;
}
/** Its words are those of some other tool. */
function speaksOfAnother(index: Index, allowed: Company['allowed'], entry: Entry, reading: Reading, skip: number): boolean {
  const [best] = rank(index, reading, [...allowed.values()]);
  const told = reading.words.filter(({ token }) => token.start >= skip);
  return (
    best !== undefined &&
    best.entry !== entry &&
    best.score > 0.5 &&
    best.contains >= 0.6 &&
    told.every((word) => speaksOf(best.entry, word) >= 0.8)
  );
}

interface Part {
  readonly kind: string;
  readonly at: Piece;
  readonly text: string;
}
/** The parts of a sentence that another could have in their place. */
function piecesOf(index: Index, entry: Entry, reading: Reading): Part[] {
  const found: Part[] = [];
  const free = (at: { start: number; end: number }) => !found.some((each) => overlaps(each.at, at));
  for (const when of reading.whens) found.push({ kind: 'when', at: { ...when, text: '' }, text: written(when) });
  for (const [key, values] of index.known) {
    if (!entry.slots.some((slot) => slot.key === key) && !entry.slots.some((slot) => slot.kind === 'id')) continue;
    for (const { at, value } of knownIn(values, reading))
      if (free(at))
        found.push({
          kind: `known ${key}`,
          at,
          text: /^(?:in|for|of) $/i.test(reading.text.slice(Math.max(0, at.start - 3), at.start)) ? value : value,
        });
  }
  for (const amount of reading.amounts) {
    if (!free(amount)) continue;
    const bound = /\b(?:over|above|under|below|more than|less than|at least|at most|up to)\s*[$€£]?$/i.exec(
      reading.text.slice(Math.max(0, amount.start - 12), amount.start),
    );
    const start = bound ? amount.start - bound[0].length : amount.start;
    const text = reading.text.slice(start, amount.end);
    found.push({ kind: 'amount', at: { start, end: amount.end, text }, text });
  }
  for (const slot of entry.slots.filter(({ kind }) => kind === 'choice')) {
    const chosen = choose(index, entry, slot, reading, [], undefined);
    if (chosen?.at && free(chosen.at)) found.push({ kind: `choice ${slot.key}`, at: chosen.at, text: chosen.at.text });
  }
  for (const name of reading.names) if (free(name)) found.push({ kind: 'name', at: name, text: name.text });
  for (const quote of reading.quotes) if (free(quote)) found.push({ kind: 'name', at: quote, text: `'${quote.text}'` });
  return found.sort((a, b) => a.at.start - b.at.start);
}
const written = ({ from, to, grain, open }: Reading['whens'][number]): string => {
  const text =
    grain === 'month'
      ? from.slice(0, 7)
      : grain === 'quarter'
        ? `${yearOf(from)}-Q${quarterOf(from)}`
        : grain === 'year'
          ? String(yearOf(from))
          : from === to
            ? from
            : `${from} to ${to}`;
  return open === 'since' ? `since ${from}` : open === 'until' ? `until ${to}` : text;
};

/** The same call with the cursor of its last page. */
function more(thinking: Thinking, speaking: Speaking, state: State): Said | undefined {
  const last = [...state.frames].reverse().find(({ result }) => result.type === 'answered' && cursorOf(result.answer) !== undefined);
  if (!last || last.result.type !== 'answered') return undefined;
  const { entry, input } = last.result;
  const next = { ...input, cursor: cursorOf(last.result.answer) };
  const answer = thinking.memory.ask(entry.name, next);
  const rows = answer.status === 'success' && Array.isArray(answer.data) ? answer.data : [];
  const frame: Frame = {
    reading: last.reading,
    entry,
    input: next,
    shown: [{ entry, rows }],
    result: { ...last.result, input: next, answer },
  };
  return { text: `Here is more. ${speak(speaking, frame)}`, frames: [frame] };
}
const cursorOf = (answer: Answer): string | undefined => (answer.status === 'success' ? answer.metadata?.nextCursor : undefined);

function help({ person, allowed }: Company): string {
  const byDomain = new Map<string, string[]>();
  for (const { tool } of allowed.values())
    byDomain.set(tool.domain.title, [...(byDomain.get(tool.domain.title) ?? []), tool.title.charAt(0).toLowerCase() + tool.title.slice(1)]);
  const lines = [...byDomain].map(
    ([domain, titles]) => `- **${domain}**: ${titles.slice(0, 8).join(', ')}${titles.length > 8 ? ` and ${titles.length - 8} more` : ''}`,
  );
  const asks = [...allowed.values()]
    .filter((entry) => entry.examples.some(({ works }) => works))
    .flatMap((entry) =>
      entry.tool.examples
        .filter(({ as }) => as === person.username)
        .slice(0, 1)
        .map(({ question }) => question),
    )
    .slice(0, 3);
  return `Hello ${person.name.split(' ')[0] ?? ''}. You can ask me in plain words about:\n\n${lines.join('\n')}${asks.length > 0 ? `\n\nFor example: ${asks.map((ask) => `"${ask}"`).join(', ')}` : ''}\n\nWhatever changes something waits for your approval.`;
}
