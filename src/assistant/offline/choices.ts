/** Matches enum values and flags by their words, descriptions and examples. */
import { overlaps, type TextSpan, type Utterance } from './annotate.ts';
import type { IndexedTool, Example, ToolIndex } from './index-tools.ts';
import type { Slot } from './schema.ts';
import { areSynonyms, CHANGE_VERBS, synonymsOf } from './thesaurus.ts';
import { stopWords, singular, stem, type Token, tokenise } from './tokenise.ts';

export interface ChoiceMatch<T> {
  readonly value: T;
  readonly score: number;
  readonly at: TextSpan | undefined;
}

const PARTICIPLE = /(?:ed|en)$|^(?:paid|won|lost|sent|left|due|spent|gone|done|told|sold|blown|held|met|hit)$/;

/** Locates a sequence of words in the utterance. Plurals match their singular. */
function locate(utterance: Utterance, words: readonly string[], previous: boolean): TextSpan | undefined {
  const { tokens: all, text } = utterance;
  const wanted = words.map((word) => (previous ? stem(singular(word)) : singular(word)));
  const whole = words.join(' ');
  for (const [at, token] of all.entries()) {
    const hyphened = !previous && wanted.length > 1 && token.word.includes('-') && token.word.replaceAll('-', ' ') === whole;
    if (hyphened) return { text: token.raw, start: token.start, end: token.end };
    const last = all[at + wanted.length - 1];
    const fits = wanted.every((word, offset) => {
      const here = all[at + offset];
      return (
        here !== undefined && (previous ? here.stem === word : here.singular === word || (wanted.length === 1 && isUnhyphened(here, word)))
      );
    });
    if (fits && last && (!previous || isParticiple(all, at)))
      return { text: text.slice(token.start, last.end), start: token.start, end: last.end };
  }
  return undefined;
}
const isUnhyphened = ({ word }: Token, wanted: string): boolean => word.includes('-') && word.replaceAll('-', '') === wanted;
const isParticiple = (all: readonly Token[], at: number): boolean => {
  const word = all[at]?.word ?? '';
  return PARTICIPLE.test(word) || (word !== 'go' && all.slice(0, at).some((before) => before.word === 'did'));
};
const locateOutside = (
  utterance: Utterance,
  words: readonly string[],
  { previous, not }: { previous: boolean; not: readonly TextSpan[] },
): TextSpan | undefined => {
  const found = locate(utterance, words, previous);
  return found && not.some((piece) => overlaps(piece, found)) ? undefined : found;
};

/** The words that a description gives for each value: "SUBMITTED waits for approval, APPROVED for reimbursement". */
function describedValues(slot: Slot): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const part of slot.description.split(/[;,.]/)) {
    const said = slot.values.filter((value) =>
      new RegExp(`\\b${value}\\b`, slot.values.some((each) => /[a-z]/.test(each)) ? '' : 'u').test(part),
    );
    const [value] = said;
    if (said.length !== 1 || value === undefined) continue;
    const words = tokenise(part.replace(value, ' '))
      .map(({ word }) => word)
      .filter((word) => !stopWords.has(word) && word.length > 2);
    found.set(value, [...(found.get(value) ?? []), ...words]);
  }
  return found;
}

export function matchChoice(
  index: ToolIndex,
  entry: IndexedTool,
  { slot, utterance, not, example }: { slot: Slot; utterance: Utterance; not: readonly TextSpan[]; example: Example | undefined },
): ChoiceMatch<string> | undefined {
  const said = describedValues(slot);
  let best: ChoiceMatch<string> | undefined;
  const propose = (value: string, score: number, at: TextSpan | undefined) => {
    if (!best || score > best.score) best = { value, score, at };
  };
  for (const value of slot.values) {
    const words = value.toLowerCase().split(/[_\s-]+/);
    const previous = PARTICIPLE.test(words[0] ?? '');
    const literal = locateOutside(utterance, words, { previous: false, not });
    if (literal && !isCommandVerb(entry, literal, utterance)) {
      propose(value, 3 + words.length * 0.5, literal);
      continue;
    }
    // "Who approved it?" matches the value APPROVE of an audit action.
    const acted =
      words.length === 1 && !entry.mutates && CHANGE_VERBS.has(stem(value.toLowerCase()))
        ? utterance.tokens.find(
            (token) =>
              token.stem === stem(value.toLowerCase()) && PARTICIPLE.test(token.word) && !not.some((piece) => overlaps(piece, token)),
          )
        : undefined;
    // "Win the deal" matches WON.
    const ordered =
      words.length === 1 &&
      slot.required &&
      previous &&
      utterance.tokens[0]?.stem === stem(words[0] ?? '') &&
      utterance.tokens[0].word !== words[0]
        ? utterance.tokens[0]
        : undefined;
    if (ordered) propose(value, 2, undefined);
    if (acted) propose(value, 2.6, { text: acted.raw, start: acted.start, end: acted.end });
    for (const other of words.length === 1 ? synonymsOf(value.toLowerCase()) : synonymsOf(words.join('-'))) {
      const at = locateOutside(utterance, other.split(/[\s-]+/), { previous, not });
      if (at && !isCommandVerb(entry, at, utterance)) propose(value, 2 + other.split(' ').length * 0.1, at);
    }
    // "Close to missing its deadline" matches AT_RISK, not BREACHED.
    for (const soon of synonymsOf(words.join('-')).flatMap((other) => /^about to (\w+)$/.exec(other)?.[1] ?? [])) {
      const near = NEARLY.exec(utterance.text);
      const next = near ? utterance.tokens.filter(({ start }) => start >= near.index + near[0].length).slice(0, 3) : [];
      const verb = next.find((token) => areSynonyms(token.word, soon) || areSynonyms(token.stem, soon));
      if (near && verb) propose(value, 3.2, { text: utterance.text.slice(near.index, verb.end), start: near.index, end: verb.end });
    }
    // "Lost" matches CLOSED_LOST if no other value contains that word.
    for (const word of words.length === 2 ? words.filter((each) => isDistinctiveWord(each, value, { slot, entry })) : []) {
      for (const other of [word, ...synonymsOf(word).filter((each) => !each.includes(' '))]) {
        const at =
          locateOutside(utterance, [other], { previous: PARTICIPLE.test(word), not }) ??
          (other === word ? locateOutside(utterance, [other], { previous: false, not }) : undefined);
        if (at && !isCommandVerb(entry, at, utterance)) propose(value, other === word ? 2.2 : 1.9, at);
      }
    }
    const gloss = said.get(value) ?? [];
    const met = gloss.filter((word) =>
      utterance.words.some(
        (each) => (each.stem === stem(word) || areSynonyms(each.token.word, word)) && !not.some((piece) => overlaps(piece, each.token)),
      ),
    );
    const significant = met.filter((word) => !nounsOf(entry).has(stem(word)));
    if (significant.length > 0 && met.length / gloss.length >= 0.6)
      propose(value, 1 + (met.length / gloss.length) * 0.8 + significant.length * 0.1, undefined);
  }
  for (const each of entry.examples) {
    const value = each.input[slot.key];
    if (typeof value !== 'string' || locate(each.utterance, value.toLowerCase().split(/[_\s-]+/), false)) continue;
    // "Still" indicates a state if only examples with that value contain the word.
    if (
      TEMPORAL_ADVERBS.some(
        (word) =>
          each.shape.has(word) &&
          utterance.tokens.some((token) => token.stem === word) &&
          !entry.examples.some((other) => other.input[slot.key] !== value && other.shape.has(word)),
      )
    )
      propose(value, 1.6, undefined);
    const words = [...each.stems].filter((word) => !nounsOf(entry).has(word));
    const weight = (list: readonly string[]) => list.reduce((sum, word) => sum + index.stemWeight(word), 0);
    const met = words.filter((word) => utterance.words.some((have) => have.stem === word));
    if (met.length > 0 && weight(met) / weight(words) >= 0.6)
      propose(value, 1 + weight(met) / weight(words) + (each === example ? 0.2 : 0), undefined);
  }
  // "What is left on my list?" matches the waiting state if the enum has exactly one.
  const [waits, another] = slot.values.filter((value) => WAITING_STATES.includes(value.toLowerCase()));
  if (!best && !entry.mutates && waits !== undefined && another === undefined && slot.values.length <= 3 && REMAINS.test(utterance.text))
    propose(waits, 1.6, undefined);
  return best && resolveNegation(index, entry, { slot, utterance, found: best });
}

const NEARLY =
  /\b(?:about to|close to|near(?:ly)?|almost|soon|going to|on the verge of|will soon|risk(?:s|ing)?|at risk of|in danger of)\b/i;
const REMAINS = /\b(?:left|still|remaining|remains?|to go|unfinished|outstanding|not (?:yet )?done)\b/i;

const NOT_YET =
  /\b(?:not|never|no|isn't|aren't|hasn't|haven't|wasn't|weren't|didn't|don't|yet to be|still to be|(?:needs?|has|have|waiting|wait) to be|to be)(?: (?:yet|been|be|being|fully|get|got|already))*\s*$/i;
const WAITING_STATES = ['pending', 'open', 'submitted', 'new', 'draft'];
/** "Not yet approved" is the state before APPROVED in the transitions, or else the waiting state. */
function resolveNegation(
  index: ToolIndex,
  entry: IndexedTool,
  { slot, utterance, found }: { slot: Slot; utterance: Utterance; found: ChoiceMatch<string> },
): ChoiceMatch<string> | undefined {
  if (
    !found.at ||
    !PARTICIPLE.test(found.at.text.toLowerCase()) ||
    !NOT_YET.test(utterance.text.slice(Math.max(0, found.at.start - 28), found.at.start))
  )
    return found;
  const nouns = nounsOf(entry);
  const before = index.transitions
    .filter(({ to, about }) => to === found.value && [...about].some((noun) => nouns.has(noun)))
    .flatMap(({ from }) => from)
    .find((state) => slot.values.includes(state));
  const value =
    before ??
    WAITING_STATES.flatMap((word) => slot.values.filter((each) => each.toLowerCase() === word && each !== found.value))[0] ??
    (slot.values.length === 2 ? slot.values.find((each) => each !== found.value) : undefined);
  return value === undefined ? undefined : { ...found, value };
}

const isDistinctiveWord = (word: string, value: string, { slot, entry }: { slot: Slot; entry: IndexedTool }): boolean =>
  word.length > 2 &&
  !stopWords.has(word) &&
  !nounsOf(entry).has(stem(word)) &&
  !slot.values.some(
    (other) =>
      other !== value &&
      other
        .toLowerCase()
        .split(/[_\s-]+/)
        .includes(word),
  ) &&
  !slot.values.some((other) => synonymsOf(other.toLowerCase()).includes(word));

const TEMPORAL_ADVERBS = ['still', 'yet', 'already', 'anymore'].map(stem);

const nounCache = new WeakMap<IndexedTool, Set<string>>();
function nounsOf(entry: IndexedTool): Set<string> {
  const known = nounCache.get(entry);
  if (known) return known;
  const own = new Set(
    [...entry.tool.name.split('_'), ...(entry.tool.plural ?? '').split(/\W+/), ...entry.tool.title.toLowerCase().split(/\W+/)]
      .filter((word) => word.length > 2)
      .map(stem),
  );
  nounCache.set(entry, own);
  return own;
}

/** "approve the pending invoice", "open the article": the command verb is not a state. */
const isCommandVerb = (entry: IndexedTool, at: TextSpan, utterance: Utterance): boolean =>
  entry.mutates && utterance.tokens[0]?.start === at.start && !PARTICIPLE.test(at.text.toLowerCase());

/** The most frequent value in examples that do not mention a value. */
export function defaultChoice(slot: Slot, entry: IndexedTool): string | undefined {
  const counts = new Map<string, number>();
  for (const { input, utterance } of entry.examples) {
    const value = input[slot.key];
    if (typeof value !== 'string') continue;
    const words = value.toLowerCase().split(/[_\s-]+/);
    const said =
      locate(utterance, words, false) ?? synonymsOf(value.toLowerCase()).some((other) => locate(utterance, other.split(/[\s-]+/), false));
    if (!said) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}

/** Matches a flag by its description ("true approves, false rejects"), or else by the examples. */
export function matchFlag(
  index: ToolIndex,
  entry: IndexedTool,
  { slot, utterance, not }: { slot: Slot; utterance: Utterance; not: readonly TextSpan[] },
): ChoiceMatch<boolean> | undefined {
  const free = utterance.words.filter(({ token }) => !not.some((piece) => overlaps(piece, token)));
  const has = (word: string) =>
    free.find(
      ({ token, concepts }) =>
        token.stem === stem(word) || (concepts.length > 0 && areSynonyms(token.word, word)) || matchesPhrase(utterance, token.start, word),
    );
  for (const value of [false, true]) {
    const words = new RegExp(`\\b${value}\\b:? ([a-z ]+)`, 'i').exec(slot.description)?.[1]?.split(' ') ?? [];
    const hit = words
      .filter((word) => !stopWords.has(word))
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
    if (rare.length > 0 && met.length / rare.length >= 0.6 && met.some((word) => index.stemWeight(word) > 1.5))
      return { value, score: 1.5, at: undefined };
  }
  return undefined;
}
const matchesPhrase = (utterance: Utterance, start: number, word: string): boolean => {
  const found = utterance.words.find(({ token }) => token.start === start);
  return (
    found !== undefined &&
    found.concepts.length > 0 &&
    synonymsOf(word).some((other) => other.includes(' ') && locate(utterance, other.split(' '), false)?.start === start)
  );
};
