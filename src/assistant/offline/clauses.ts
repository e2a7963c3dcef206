/** What of a sentence, or of several, is asked for: one thing, two, or the order at the end of what is only told. */
import { overlaps, read, type Reading } from './annotate.ts';
import type { Company, Thinking } from './context.ts';
import { POINTING } from './ellipsis.ts';
import type { Index } from './index-tools.ts';
import { weigh } from './intent-scoring.ts';
import { knownIn } from './known-values.ts';
import { actOf, bare, rank } from './rank.ts';
import { fill } from './slot-filling.ts';
import { CHANGES } from './thesaurus.ts';
import { fold, stem } from './tokenise.ts';

const SECOND =
  /\s*(?:,? and (?:also )?|\. |; |\? )(?=(?:how|what|who|which|when|where|show|list|give me|tell me|is|are|do|does|find|search|approve|reject|delete|remove|pay|close|add|remind|submit)\b)/i;
/** A second thing that is asked for without a verb of its own: "the pipeline and our ARR". */
const ANOTHER = /\s*,? and (?:also )?(?=(?:our|the|my|his|her|their|all|any)\b)/i;
/** "Quick one before my call: were there any …?" */
const AHEAD =
  /^[^:?]{3,160}: (?=(?:is|are|was|were|do|does|did|has|have|what|which|who|whose|when|where|why|how|any|can|could|would)\b[^:]*\?)/i;
/** "They will ask which invoices …": the question inside a sentence that only leads up to it. */
const INSIDE =
  /\b(?:ask(?:s|ed|ing)?|know|wonder(?:ing)?|tell (?:me|us)|see|find out|curious|sure|check|understand|let me know|told)(?: me| us)?(?: about)?,? (?=(?:which|what|how|who|whose|when|where|whether|if) )/i;
/** "My manager said you should show me …": whoever said so, it is the person here who asks. */
const CLAIMED =
  /^.{2,80}\b(?:said|says|told|asked|wants?|allowed|agreed|promised)\b.{0,40}?\b(?=(?:show|list|give|tell|open|pull up)(?: me| us)?\b)/i;
export function inside({ index, today }: Pick<Company, 'index' | 'today'>, reading: Reading): Reading {
  const ahead = AHEAD.exec(reading.text);
  if (ahead && !CHANGES.has(stem(/^\w+/.exec(bare(reading.text))?.[0].toLowerCase() ?? '')))
    return read(reading.text.slice(ahead[0].length).split(/(?<=\?)\s+/)[0] ?? '', today, index.lexicon);
  const match = INSIDE.exec(reading.text) ?? CLAIMED.exec(reading.text);
  if (!match || /: /.test(reading.text.slice(0, match.index))) return reading;
  const rest = reading.text.slice(match.index + match[0].length).replace(/^(?:whether|if) /i, '');
  const claimed = CLAIMED.test(reading.text);
  const meant = read((claimed ? rest.split(/[,.;!]\s/)[0] : rest.split(/(?<=[.!?])\s+/)[0]) ?? rest, today, index.lexicon);
  if (claimed && meant.words.length > 0 && actOf(reading) !== 'orders') return meant;
  const [whole, part] = [rank(index, reading, index.entries)[0], rank(index, meant, index.entries)[0]];
  return meant.words.length > 0 && part && part.score >= (whole?.score ?? 0) * 0.95 ? meant : reading;
}

/** "Compare Engineering and Marketing": the same question of each of two that stand side by side. */
const SIDE_BY_SIDE =
  /^(?:'s?)?(?: \p{L}+){0,2}?,? (?:and|&|vs\.?|versus|or|compared (?:to|with)|against)(?: also)?(?: (?:the|in|for|of|with|from|to|by))* $/iu;
export function distributed({ index, today, allowed, person }: Company, thinking: Thinking, reading: Reading): Reading[] | undefined {
  const known = [...index.known].flatMap(([key, values]) => knownIn(values, reading).map(({ at }) => ({ kind: key, at })));
  const names = reading.names
    .filter((name) => name.sure && !known.some(({ at }) => overlaps(at, name)) && !reading.quotes.some((quote) => overlaps(quote, name)))
    .map((at) => ({ kind: '', at }));
  for (const group of [...index.known.keys()].map((key) => known.filter(({ kind }) => kind === key)).concat([names])) {
    const sorted = group.sort((a, b) => a.at.start - b.at.start);
    const [a, b] = [sorted[0]?.at, sorted[1]?.at];
    if (
      sorted.length !== 2 ||
      !a ||
      !b ||
      !SIDE_BY_SIDE.test(reading.text.slice(a.end, b.start)) ||
      /\bbetween $/i.test(reading.text.slice(0, a.start))
    )
      continue;
    const first = read(`${reading.text.slice(0, a.end)}${reading.text.slice(b.end)}`, today, index.lexicon);
    const second = read(`${reading.text.slice(0, a.start)}${reading.text.slice(b.start)}`, today, index.lexicon);
    const [one, two] = [first, second].map(
      (each) => weigh(thinking, each, [...allowed.values()], { shown: [], reading: undefined, entry: undefined }, {})[0],
    );
    // Each of them has to be a value, not a word of some text.
    const placed = (filled: NonNullable<typeof one>['filled'], text: string) =>
      filled.mentions.some((mention) => mention.names.some((name) => name.text === text)) ||
      Object.values(filled.input).some((given) => typeof given === 'string' && fold(given) === fold(text));
    if (person && one && two && one.entry === two.entry && one.total >= 0.4 && placed(one.filled, a.text) && placed(two.filled, b.text))
      return [first, second];
  }
  return undefined;
}

/** "I am happy with it. Approve.", "Great news, they signed! Mark … as won": what is told first is no question of its own. */
function orderAtLast({ index, today }: Pick<Company, 'index' | 'today'>, reading: Reading): Reading | undefined {
  const split = reading.text.split(/(?<=[.!])\s+(?=\p{L})/u);
  const end = split.pop() ?? '';
  const told = split.join(' ');
  const order = read(end, today, index.lexicon);
  const before = split.map((text) => read(text, today, index.lexicon));
  if (
    told === '' ||
    /: /.test(told) ||
    actOf(order) !== 'orders' ||
    before.some((each) => /\?/.test(each.text) || actOf(each) === 'orders' || actOf(each) === 'asks')
  )
    return undefined;
  const refers = POINTING.test(end) || order.words.length <= 1;
  const spoken = before.some((each) => each.names.length + each.ids.length > 0 || valuesIn(index, each));
  if (refers)
    return spoken
      ? read(
          `${told.replace(/[\s.!]+$/, '')}, ${end.replace(/[\s.!]+$/, '')}${order.words.length <= 1 && !POINTING.test(end) ? ' it' : ''}`,
          today,
          index.lexicon,
        )
      : order;
  const [best] = rank(index, order, index.entries);
  const named = order.names.some(({ sure }) => sure) || order.ids.length + order.emails.length > 0 || valuesIn(index, order);
  return named && best?.entry.changes && fill(index, best.entry, order).missing.length === 0 ? order : undefined;
}
const valuesIn = (index: Index, reading: Reading): boolean =>
  [...index.known.values()].some((values) => knownIn(values, reading).length > 0);

/** Two questions in one. Not inside a text that is to be written down, and not where both are one. */
export function parts({ index, today, allowed }: Company, reading: Reading): Reading[] {
  const last = orderAtLast({ index, today }, reading);
  if (last) return [last];
  const match = SECOND.exec(reading.text) ?? (actOf(reading) === 'orders' ? null : ANOTHER.exec(reading.text));
  if (!match) return listed({ index, today }, reading) ?? sentences({ index, today, allowed }, reading);
  if (/: /.test(reading.text.slice(0, match.index)) || reading.quotes.some((quote) => quote.start < match.index && quote.end > match.index))
    return sentences({ index, today, allowed }, reading);
  const [first, second] = [reading.text.slice(0, match.index), reading.text.slice(match.index + match[0].length)].map((text) =>
    read(text, today, index.lexicon),
  );
  if (!first || !second || first.words.length === 0 || second.words.length === 0) return [reading];
  const pool = index.entries;
  const [whole, a, b] = [reading, first, second].map((each) => rank(index, each, pool)[0]);
  const least = SECOND.test(reading.text) ? 0.32 : 0.45;
  if (!whole || !a || !b || a.entry === b.entry || Math.min(a.score, b.score) < least) return sentences({ index, today, allowed }, reading);
  return [first, second];
}
/** "Pending leave and expense reports": two kinds of rows, and what is said of the first holds for both. */
function listed({ index, today }: Pick<Company, 'index' | 'today'>, reading: Reading): Reading[] | undefined {
  const match = / and /i.exec(reading.text);
  if (!match || reading.names.length > 0 || reading.amounts.length > 0 || reading.words.length > 6 || actOf(reading) === 'orders')
    return undefined;
  const first = read(reading.text.slice(0, match.index), today, index.lexicon);
  const states = /\b(?:pending|open|overdue|approved|rejected|submitted|waiting)\b/i;
  const state = states.exec(first.text)?.[0];
  const rest = reading.text.slice(match.index + match[0].length);
  const second = read(state === undefined || states.test(rest) ? rest : `${state} ${rest}`, today, index.lexicon);
  const [a, b] = [first, second].map((each) => rank(index, each, index.entries)[0]);
  const sure = (each: typeof a) =>
    each !== undefined &&
    !each.entry.changes &&
    !each.entry.slots.some(({ required }) => required) &&
    each.score >= 0.8 &&
    each.contains >= 0.6;
  return a && b && a.entry !== b.entry && sure(a) && sure(b) ? [first, second] : undefined;
}
/** Of several sentences the one that asks for something; the rest is said around it. */
function sentences({ index, today }: Pick<Company, 'index' | 'today' | 'allowed'>, reading: Reading): Reading[] {
  const split = reading.text.split(/(?<=[.!?])\s+(?=\p{Lu}|i\b)/u);
  if (split.length < 2 || /: /.test(split[0] ?? '')) return [reading];
  const ranked = split.map((text) => {
    const each = read(text, today, index.lexicon);
    const [first] = each.words.length === 0 ? [] : rank(index, each, index.entries);
    return { each, score: first?.score ?? 0, entry: first?.entry };
  });
  const [best] = [...ranked].sort((a, b) => b.score - a.score);
  const [whole] = rank(index, reading, index.entries);
  // Two sentences about one thing belong together, where it is to be written down.
  const keyed =
    best?.entry?.changes === true &&
    ranked.some(
      ({ each }) =>
        each !== best.each &&
        index.entries.some(
          ({ tool, changes, slots }) =>
            changes &&
            tool.domain === best.entry?.tool.domain &&
            slots.some(({ key }) => new RegExp(`^${key.replace(/s$/, '')}s?\\b`, 'i').test(each.text)),
        ),
    );
  const together = keyed || (best?.entry === whole?.entry && whole?.entry.changes === true);
  return best && best.score > (whole?.score ?? 0) && !together ? [best.each] : [reading];
}
