/** Which of an enum's words is meant, and whether a flag is: by the word itself, by what its description says of it, by the examples. */
import { overlaps, type Piece, type Reading } from './annotate.ts';
import type { Entry, Example, Index } from './index-tools.ts';
import type { Slot } from './schema.ts';
import { alike, CHANGES, othersFor } from './thesaurus.ts';
import { empty, singular, stem, type Token, tokens } from './tokenise.ts';

export interface Chosen<T> {
  readonly value: T;
  readonly score: number;
  readonly at: Piece | undefined;
}

const PAST = /(?:ed|en)$|^(?:paid|won|lost|sent|left|due|spent|gone|done|told|sold|blown|held|met|hit)$/;

/** A run of words in the sentence, as it is written; a plural is its singular. */
function locate(reading: Reading, words: readonly string[], past: boolean): Piece | undefined {
  const { tokens: all, text } = reading;
  const wanted = words.map((word) => (past ? stem(singular(word)) : singular(word)));
  const whole = words.join(' ');
  for (const [at, token] of all.entries()) {
    const hyphened = !past && wanted.length > 1 && token.word.includes('-') && token.word.replaceAll('-', ' ') === whole;
    if (hyphened) return { text: token.raw, start: token.start, end: token.end };
    const last = all[at + wanted.length - 1];
    const fits = wanted.every((word, offset) => {
      const here = all[at + offset];
      return (
        here !== undefined && (past ? here.stem === word : here.singular === word || (wanted.length === 1 && isUnhyphened(here, word)))
      );
    });
    if (fits && last && (!past || isPast(all, at))) return { text: text.slice(token.start, last.end), start: token.start, end: last.end };
  }
  return undefined;
}
const isUnhyphened = ({ word }: Token, wanted: string): boolean => word.includes('-') && word.replaceAll('-', '') === wanted;
const isPast = (all: readonly Token[], at: number): boolean => {
  const word = all[at]?.word ?? '';
  return PAST.test(word) || (word !== 'go' && all.slice(0, at).some((before) => before.word === 'did'));
};
const located = (reading: Reading, words: readonly string[], past: boolean, not: readonly Piece[]): Piece | undefined => {
  const found = locate(reading, words, past);
  return found && not.some((piece) => overlaps(piece, found)) ? undefined : found;
};

/** What a description says of each word: "SUBMITTED waits for approval, APPROVED for reimbursement". */
function glosses(slot: Slot): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const part of slot.description.split(/[;,.]/)) {
    const said = slot.values.filter((value) =>
      new RegExp(`\\b${value}\\b`, slot.values.some((each) => /[a-z]/.test(each)) ? '' : 'u').test(part),
    );
    const [value] = said;
    if (said.length !== 1 || value === undefined) continue;
    const words = tokens(part.replace(value, ' '))
      .map(({ word }) => word)
      .filter((word) => !empty.has(word) && word.length > 2);
    found.set(value, [...(found.get(value) ?? []), ...words]);
  }
  return found;
}

export function choose(
  index: Index,
  entry: Entry,
  slot: Slot,
  reading: Reading,
  not: readonly Piece[],
  example: Example | undefined,
): Chosen<string> | undefined {
  const said = glosses(slot);
  let best: Chosen<string> | undefined;
  const offer = (value: string, score: number, at: Piece | undefined) => {
    if (!best || score > best.score) best = { value, score, at };
  };
  for (const value of slot.values) {
    const words = value.toLowerCase().split(/[_\s-]+/);
    const past = PAST.test(words[0] ?? '');
    const literal = located(reading, words, false, not);
    if (literal && !isVerb(entry, literal, reading)) {
      offer(value, 3 + words.length * 0.5, literal);
      continue;
    }
    // "Who approved it?" asks for what approve did.
    const acted =
      words.length === 1 && !entry.changes && CHANGES.has(stem(value.toLowerCase()))
        ? reading.tokens.find(
            (token) => token.stem === stem(value.toLowerCase()) && PAST.test(token.word) && !not.some((piece) => overlaps(piece, token)),
          )
        : undefined;
    // "Win the deal" orders that it be won.
    const ordered =
      words.length === 1 && slot.required && past && reading.tokens[0]?.stem === stem(words[0] ?? '') && reading.tokens[0].word !== words[0]
        ? reading.tokens[0]
        : undefined;
    if (ordered) offer(value, 2, undefined);
    if (acted) offer(value, 2.6, { text: acted.raw, start: acted.start, end: acted.end });
    for (const other of words.length === 1 ? othersFor(value.toLowerCase()) : othersFor(words.join('-'))) {
      const at = located(reading, other.split(/[\s-]+/), past, not);
      if (at && !isVerb(entry, at, reading)) offer(value, 2 + other.split(' ').length * 0.1, at);
    }
    // "Close to missing its deadline": what is about to happen has not happened.
    for (const soon of othersFor(words.join('-')).flatMap((other) => /^about to (\w+)$/.exec(other)?.[1] ?? [])) {
      const near = NEARLY.exec(reading.text);
      const next = near ? reading.tokens.filter(({ start }) => start >= near.index + near[0].length).slice(0, 3) : [];
      const verb = next.find((token) => alike(token.word, soon) || alike(token.stem, soon));
      if (near && verb) offer(value, 3.2, { text: reading.text.slice(near.index, verb.end), start: near.index, end: verb.end });
    }
    // "Lost" is CLOSED_LOST where no other value has that word.
    for (const word of words.length === 2 ? words.filter((each) => isOwnOf(each, value, slot, entry)) : []) {
      for (const other of [word, ...othersFor(word).filter((each) => !each.includes(' '))]) {
        const at = located(reading, [other], PAST.test(word), not) ?? (other === word ? located(reading, [other], false, not) : undefined);
        if (at && !isVerb(entry, at, reading)) offer(value, other === word ? 2.2 : 1.9, at);
      }
    }
    const gloss = said.get(value) ?? [];
    const met = gloss.filter((word) =>
      reading.words.some(
        (each) => (each.stem === stem(word) || alike(each.token.word, word)) && !not.some((piece) => overlaps(piece, each.token)),
      ),
    );
    // What the tool is about says nothing of the state it is asked for in.
    const telling = met.filter((word) => !nounsOf(entry).has(stem(word)));
    if (telling.length > 0 && met.length / gloss.length >= 0.6)
      offer(value, 1 + (met.length / gloss.length) * 0.8 + telling.length * 0.1, undefined);
  }
  for (const each of entry.examples) {
    const value = each.input[slot.key];
    if (typeof value !== 'string' || locate(each.reading, value.toLowerCase().split(/[_\s-]+/), false)) continue;
    // "What do I still have to do?": a word that tells little by itself tells the state here.
    if (
      STILL.some(
        (word) =>
          each.shape.has(word) &&
          reading.tokens.some((token) => token.stem === word) &&
          !entry.examples.some((other) => other.input[slot.key] !== value && other.shape.has(word)),
      )
    )
      offer(value, 1.6, undefined);
    const words = [...each.stems].filter((word) => !nounsOf(entry).has(word));
    const weight = (list: readonly string[]) => list.reduce((sum, word) => sum + index.weight(word), 0);
    const met = words.filter((word) => reading.words.some((have) => have.stem === word));
    if (met.length > 0 && weight(met) / weight(words) >= 0.6)
      offer(value, 1 + weight(met) / weight(words) + (each === example ? 0.2 : 0), undefined);
  }
  // "What is left on my list?": what waits, where there is one word for it.
  const [waits, another] = slot.values.filter((value) => WAITING.includes(value.toLowerCase()));
  if (!best && !entry.changes && waits !== undefined && another === undefined && slot.values.length <= 3 && REMAINS.test(reading.text))
    offer(waits, 1.6, undefined);
  return best && negated(index, entry, slot, reading, best);
}

const NEARLY =
  /\b(?:about to|close to|near(?:ly)?|almost|soon|going to|on the verge of|will soon|risk(?:s|ing)?|at risk of|in danger of)\b/i;
const REMAINS = /\b(?:left|still|remaining|remains?|to go|unfinished|outstanding|not (?:yet )?done)\b/i;

const NOT_YET =
  /\b(?:not|never|no|isn't|aren't|hasn't|haven't|wasn't|weren't|didn't|don't|yet to be|still to be|(?:needs?|has|have|waiting|wait) to be|to be)(?: (?:yet|been|be|being|fully|get|got|already))*\s*$/i;
const WAITING = ['pending', 'open', 'submitted', 'new', 'draft'];
/** "Not yet approved": the state before that one, where a tool says which it is; else the one in which things wait. */
function negated(index: Index, entry: Entry, slot: Slot, reading: Reading, found: Chosen<string>): Chosen<string> | undefined {
  if (
    !found.at ||
    !PAST.test(found.at.text.toLowerCase()) ||
    !NOT_YET.test(reading.text.slice(Math.max(0, found.at.start - 28), found.at.start))
  )
    return found;
  const nouns = nounsOf(entry);
  const before = index.steps
    .filter(({ to, about }) => to === found.value && [...about].some((noun) => nouns.has(noun)))
    .flatMap(({ from }) => from)
    .find((state) => slot.values.includes(state));
  const value =
    before ??
    WAITING.flatMap((word) => slot.values.filter((each) => each.toLowerCase() === word && each !== found.value))[0] ??
    (slot.values.length === 2 ? slot.values.find((each) => each !== found.value) : undefined);
  return value === undefined ? undefined : { ...found, value };
}

const isOwnOf = (word: string, value: string, slot: Slot, entry: Entry): boolean =>
  word.length > 2 &&
  !empty.has(word) &&
  !nounsOf(entry).has(stem(word)) &&
  !slot.values.some(
    (other) =>
      other !== value &&
      other
        .toLowerCase()
        .split(/[_\s-]+/)
        .includes(word),
  ) &&
  !slot.values.some((other) => othersFor(other.toLowerCase()).includes(word));

const STILL = ['still', 'yet', 'already', 'anymore'].map(stem);

const nouns = new WeakMap<Entry, Set<string>>();
function nounsOf(entry: Entry): Set<string> {
  const known = nouns.get(entry);
  if (known) return known;
  const own = new Set(
    [...entry.tool.name.split('_'), ...(entry.tool.plural ?? '').split(/\W+/), ...entry.tool.title.toLowerCase().split(/\W+/)]
      .filter((word) => word.length > 2)
      .map(stem),
  );
  nouns.set(entry, own);
  return own;
}

/** "approve the pending invoice", "open the article": the word that orders is no state. */
const isVerb = (entry: Entry, at: Piece, reading: Reading): boolean =>
  entry.changes && reading.tokens[0]?.start === at.start && !PAST.test(at.text.toLowerCase());

/** With no word for it: what the examples do where they have no word for it either. */
export function usual(slot: Slot, entry: Entry): string | undefined {
  const counts = new Map<string, number>();
  for (const { input, reading } of entry.examples) {
    const value = input[slot.key];
    if (typeof value !== 'string') continue;
    const words = value.toLowerCase().split(/[_\s-]+/);
    const said =
      locate(reading, words, false) ?? othersFor(value.toLowerCase()).some((other) => locate(reading, other.split(/[\s-]+/), false));
    if (!said) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}

/** "true approves, false rejects"; without such words, the flag's own name or an example that set it. */
export function flag(index: Index, entry: Entry, slot: Slot, reading: Reading, not: readonly Piece[]): Chosen<boolean> | undefined {
  const free = reading.words.filter(({ token }) => !not.some((piece) => overlaps(piece, token)));
  const has = (word: string) =>
    free.find(
      ({ token, ideas }) =>
        token.stem === stem(word) || (ideas.length > 0 && alike(token.word, word)) || phraseAlike(reading, token.start, word),
    );
  for (const value of [false, true]) {
    const words = new RegExp(`\\b${value}\\b:? ([a-z ]+)`, 'i').exec(slot.description)?.[1]?.split(' ') ?? [];
    const hit = words
      .filter((word) => !empty.has(word))
      .map(has)
      .find(Boolean);
    if (hit) return { value, score: 2, at: undefined };
  }
  for (const each of entry.examples) {
    const value = each.input[slot.key];
    if (typeof value !== 'boolean') continue;
    const rare = [...each.stems].filter(
      (word) =>
        !entry.examples.some((other) => other !== each && other.input[slot.key] !== value && other.stems.has(word)) &&
        !nounsOf(entry).has(word),
    );
    const met = rare.filter((word) => free.some((have) => have.stem === word));
    if (rare.length > 0 && met.length / rare.length >= 0.6 && met.some((word) => index.weight(word) > 1.5))
      return { value, score: 1.5, at: undefined };
  }
  return undefined;
}
const phraseAlike = (reading: Reading, start: number, word: string): boolean => {
  const found = reading.words.find(({ token }) => token.start === start);
  return (
    found !== undefined &&
    found.ideas.length > 0 &&
    othersFor(word).some((other) => other.includes(' ') && locate(reading, other.split(' '), false)?.start === start)
  );
};
