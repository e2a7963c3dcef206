/** Splits an utterance into the clauses that ask or command something. */
import { overlaps, annotate, type Utterance } from './annotate.ts';
import type { DialogueContext, TurnContext } from './context.ts';
import { ANAPHORA } from './ellipsis.ts';
import type { ToolIndex } from './index-tools.ts';
import { scoreIntents } from './intent-scoring.ts';
import { findKnownValues } from './known-values.ts';
import { speechActOf, stripPoliteness, rankTools } from './rank.ts';
import { fillSlots } from './slot-filling.ts';
import { CHANGE_VERBS } from './thesaurus.ts';
import { fold, stem } from './tokenise.ts';

const SECOND_CLAUSE =
  /\s*(?:,? and (?:also )?|\. |; |\? )(?=(?:how|what|who|which|when|where|show|list|give me|tell me|is|are|do|does|find|search|approve|reject|delete|remove|pay|close|add|remind|submit)\b)/i;
/** A second noun without its own verb: "the pipeline and our ARR". */
const SECOND_NOUN = /\s*,? and (?:also )?(?=(?:our|the|my|his|her|their|all|any)\b)/i;
/** An introduction before the question: "Quick one before my call: were there any …?" */
const INTRODUCTION =
  /^[^:?]{3,160}: (?=(?:is|are|was|were|do|does|did|has|have|what|which|who|whose|when|where|why|how|any|can|could|would)\b[^:]*\?)/i;
/** A verb that introduces the real question: "They will ask which invoices …". */
const EMBEDDING_VERB =
  /\b(?:ask(?:s|ed|ing)?|know|wonder(?:ing)?|tell (?:me|us)|see|find out|curious|sure|check|understand|let me know|told)(?: me| us)?(?: about)?,? (?=(?:which|what|how|who|whose|when|where|whether|if) )/i;
/** A request in reported speech: "My manager said you should show me …". The asker's own rights apply. */
const REPORTED_REQUEST =
  /^.{2,80}\b(?:said|says|told|asked|wants?|allowed|agreed|promised)\b.{0,40}?\b(?=(?:show|list|give|tell|open|pull up)(?: me| us)?\b)/i;
export function embeddedQuestion({ index, today }: Pick<DialogueContext, 'index' | 'today'>, utterance: Utterance): Utterance {
  const ahead = INTRODUCTION.exec(utterance.text);
  if (ahead && !CHANGE_VERBS.has(stem(/^\w+/.exec(stripPoliteness(utterance.text))?.[0].toLowerCase() ?? '')))
    return annotate(utterance.text.slice(ahead[0].length).split(/(?<=\?)\s+/)[0] ?? '', today, index.lexicon);
  const match = EMBEDDING_VERB.exec(utterance.text) ?? REPORTED_REQUEST.exec(utterance.text);
  if (!match || /: /.test(utterance.text.slice(0, match.index))) return utterance;
  const rest = utterance.text.slice(match.index + match[0].length).replace(/^(?:whether|if) /i, '');
  const claimed = REPORTED_REQUEST.test(utterance.text);
  const meant = annotate((claimed ? rest.split(/[,.;!]\s/)[0] : rest.split(/(?<=[.!?])\s+/)[0]) ?? rest, today, index.lexicon);
  if (claimed && meant.words.length > 0 && speechActOf(utterance) !== 'command') return meant;
  const [whole, part] = [rankTools(index, utterance, index.entries)[0], rankTools(index, meant, index.entries)[0]];
  return meant.words.length > 0 && part && part.score >= (whole?.score ?? 0) * 0.95 ? meant : utterance;
}

/** "Compare Engineering and Marketing": asks the same question for each of two coordinated values. */
const CONJUNCTION =
  /^(?:'s?)?(?: \p{L}+){0,2}?,? (?:and|&|vs\.?|versus|or|compared (?:to|with)|against)(?: also)?(?: (?:the|in|for|of|with|from|to|by))* $/iu;
export function splitComparison(
  { index, today, allowed, person }: DialogueContext,
  context: TurnContext,
  utterance: Utterance,
): Utterance[] | undefined {
  const known = [...index.knownValues].flatMap(([key, values]) => findKnownValues(values, utterance).map(({ at }) => ({ kind: key, at })));
  const names = utterance.names
    .filter(
      (name) => name.isCertain && !known.some(({ at }) => overlaps(at, name)) && !utterance.quotes.some((quote) => overlaps(quote, name)),
    )
    .map((at) => ({ kind: '', at }));
  for (const group of [...index.knownValues.keys()].map((key) => known.filter(({ kind }) => kind === key)).concat([names])) {
    const sorted = group.sort((a, b) => a.at.start - b.at.start);
    const [a, b] = [sorted[0]?.at, sorted[1]?.at];
    if (
      sorted.length !== 2 ||
      !a ||
      !b ||
      !CONJUNCTION.test(utterance.text.slice(a.end, b.start)) ||
      /\bbetween $/i.test(utterance.text.slice(0, a.start))
    )
      continue;
    const first = annotate(`${utterance.text.slice(0, a.end)}${utterance.text.slice(b.end)}`, today, index.lexicon);
    const second = annotate(`${utterance.text.slice(0, a.start)}${utterance.text.slice(b.start)}`, today, index.lexicon);
    const [one, two] = [first, second].map(
      (each) =>
        scoreIntents(context, each, {
          pool: [...allowed.values()],
          previous: { shown: [], utterance: undefined, entry: undefined },
          hints: {},
        })[0],
    );
    const placed = (filled: NonNullable<typeof one>['filled'], text: string) =>
      filled.references.some((reference) => reference.names.some((name) => name.text === text)) ||
      Object.values(filled.input).some((given) => typeof given === 'string' && fold(given) === fold(text));
    if (person && one && two && one.entry === two.entry && one.total >= 0.4 && placed(one.filled, a.text) && placed(two.filled, b.text))
      return [first, second];
  }
  return undefined;
}

/** The command at the end: "I am happy with it. Approve.", "Great news, they signed! Mark … as won". */
function finalCommand({ index, today }: Pick<DialogueContext, 'index' | 'today'>, utterance: Utterance): Utterance | undefined {
  const split = utterance.text.split(/(?<=[.!])\s+(?=\p{L})/u);
  const end = split.pop() ?? '';
  const told = split.join(' ');
  const order = annotate(end, today, index.lexicon);
  const before = split.map((text) => annotate(text, today, index.lexicon));
  if (
    told === '' ||
    /: /.test(told) ||
    speechActOf(order) !== 'command' ||
    before.some((each) => /\?/.test(each.text) || speechActOf(each) === 'command' || speechActOf(each) === 'question')
  )
    return undefined;
  const refers = ANAPHORA.test(end) || order.words.length <= 1;
  const spoken = before.some((each) => each.names.length + each.ids.length > 0 || hasKnownValue(index, each));
  if (refers)
    return spoken
      ? annotate(
          `${told.replace(/[\s.!]+$/, '')}, ${end.replace(/[\s.!]+$/, '')}${order.words.length <= 1 && !ANAPHORA.test(end) ? ' it' : ''}`,
          today,
          index.lexicon,
        )
      : order;
  const [best] = rankTools(index, order, index.entries);
  const named = order.names.some(({ isCertain }) => isCertain) || order.ids.length + order.emails.length > 0 || hasKnownValue(index, order);
  return named && best?.entry.mutates && fillSlots(index, best.entry, order).missing.length === 0 ? order : undefined;
}
const hasKnownValue = (index: ToolIndex, utterance: Utterance): boolean =>
  [...index.knownValues.values()].some((values) => findKnownValues(values, utterance).length > 0);

/** Splits two questions in one utterance. Dictated text and two clauses with the same intent stay together. */
export function splitClauses({ index, today, allowed }: DialogueContext, utterance: Utterance): Utterance[] {
  const last = finalCommand({ index, today }, utterance);
  if (last) return [last];
  const match = SECOND_CLAUSE.exec(utterance.text) ?? (speechActOf(utterance) === 'command' ? null : SECOND_NOUN.exec(utterance.text));
  if (!match) return splitNouns({ index, today }, utterance) ?? selectSentence({ index, today, allowed }, utterance);
  if (
    /: /.test(utterance.text.slice(0, match.index)) ||
    utterance.quotes.some((quote) => quote.start < match.index && quote.end > match.index)
  )
    return selectSentence({ index, today, allowed }, utterance);
  const [first, second] = [utterance.text.slice(0, match.index), utterance.text.slice(match.index + match[0].length)].map((text) =>
    annotate(text, today, index.lexicon),
  );
  if (!first || !second || first.words.length === 0 || second.words.length === 0) return [utterance];
  const pool = index.entries;
  const [whole, a, b] = [utterance, first, second].map((each) => rankTools(index, each, pool)[0]);
  const least = SECOND_CLAUSE.test(utterance.text) ? 0.32 : 0.45;
  if (!whole || !a || !b || a.entry === b.entry || Math.min(a.score, b.score) < least)
    return selectSentence({ index, today, allowed }, utterance);
  return [first, second];
}
/** "Pending leave and expense reports" asks for two kinds of rows. The state of the first applies to both. */
function splitNouns({ index, today }: Pick<DialogueContext, 'index' | 'today'>, utterance: Utterance): Utterance[] | undefined {
  const match = / and /i.exec(utterance.text);
  if (
    !match ||
    utterance.names.length > 0 ||
    utterance.amounts.length > 0 ||
    utterance.words.length > 6 ||
    speechActOf(utterance) === 'command'
  )
    return undefined;
  const first = annotate(utterance.text.slice(0, match.index), today, index.lexicon);
  const states = /\b(?:pending|open|overdue|approved|rejected|submitted|waiting)\b/i;
  const state = states.exec(first.text)?.[0];
  const rest = utterance.text.slice(match.index + match[0].length);
  const second = annotate(state === undefined || states.test(rest) ? rest : `${state} ${rest}`, today, index.lexicon);
  const [a, b] = [first, second].map((each) => rankTools(index, each, index.entries)[0]);
  const sure = (each: typeof a) =>
    each !== undefined &&
    !each.entry.mutates &&
    !each.entry.slots.some(({ required }) => required) &&
    each.score >= 0.8 &&
    each.exampleCoverage >= 0.6;
  return a && b && a.entry !== b.entry && sure(a) && sure(b) ? [first, second] : undefined;
}
/** Selects the sentence that asks for something. */
function selectSentence({ index, today }: Pick<DialogueContext, 'index' | 'today' | 'allowed'>, utterance: Utterance): Utterance[] {
  const split = utterance.text.split(/(?<=[.!?])\s+(?=\p{Lu}|i\b)/u);
  if (split.length < 2 || /: /.test(split[0] ?? '')) return [utterance];
  const ranked = split.map((text) => {
    const each = annotate(text, today, index.lexicon);
    const [first] = each.words.length === 0 ? [] : rankTools(index, each, index.entries);
    return { each, score: first?.score ?? 0, entry: first?.entry };
  });
  const [best] = [...ranked].sort((a, b) => b.score - a.score);
  const [whole] = rankTools(index, utterance, index.entries);
  // Two sentences that describe one new record stay together.
  const keyed =
    best?.entry?.mutates === true &&
    ranked.some(
      ({ each }) =>
        each !== best.each &&
        index.entries.some(
          ({ tool, mutates, slots }) =>
            mutates &&
            tool.domain === best.entry?.tool.domain &&
            slots.some(({ key }) => new RegExp(`^${key.replace(/s$/, '')}s?\\b`, 'i').test(each.text)),
        ),
    );
  const together = keyed || (best?.entry === whole?.entry && whole?.entry.mutates === true);
  return best && best.score > (whole?.score ?? 0) && !together ? [best.each] : [utterance];
}
