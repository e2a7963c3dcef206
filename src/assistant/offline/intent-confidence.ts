/** Decides whether a scored intent is certain enough to act on. */
import { overlaps, type Reading } from './annotate.ts';
import { POINTING } from './ellipsis.ts';
import type { Entry, Index } from './index-tools.ts';
import type { Weighed } from './intent-scoring.ts';
import { aboutSelf } from './lookup.ts';
import { namesItsThing, otherField, saysNothingOf } from './nouns.ts';
import { actOf, bare, becoming, orderedBy, orderedIn, otherVerb, sameVerb, speaksOf, weightOf } from './rank.ts';
import type { Filled } from './slot-filling-state.ts';
import { CHANGES } from './thesaurus.ts';
import { fold } from './tokenise.ts';

/** Sure enough to act on. A change must be asked for more plainly than a look. */
export function clear(index: Index, { entry, covers, contains, total, filled, score }: Weighed, reading: Reading): boolean {
  // Words that tell which one is meant are looked up, where it is said of what.
  const telling =
    filled.mentions.some(({ slot, words }) => slot.required || words.length > 0) && namesItsThing(index, entry, reading)
      ? new Set(filled.mentions.flatMap(({ words }) => words.map(fold)))
      : undefined;
  const lost = filled.left.filter(({ token }) => !reading.names.some((name) => overlaps(name, token)) && !telling?.has(token.word));
  // What was told before the order needs no tool.
  const from = entry.changes && orderedBy(entry, reading) ? Math.min(...orderedIn(reading).map(({ token }) => token.start)) : 0;
  const odd = lost.filter(({ token }) => token.start >= from).reduce((sum, word) => sum + weightOf(index, word), 0);
  const known = reading.words.length - lost.length;
  const all = reading.words.reduce((sum, word) => sum + weightOf(index, word), 0);
  // Somebody or something is named that the tool has no place for.
  if (
    !entry.changes &&
    contains < 0.7 &&
    reading.names.some(
      (name) =>
        name.sure && !filled.used.some((used) => overlaps(used, name)) && !filled.mentions.some(({ words }) => words.includes(name.text)),
    )
  )
    return false;
  if (
    !entry.changes &&
    contains < 0.8 &&
    reading.names.some(
      (name) =>
        name.sure &&
        name.words.length > 1 &&
        !filled.used.some((used) => overlaps(used, name)) &&
        !filled.mentions.some(({ words }) => words.includes(name.text)),
    )
  )
    return false;
  // Who of all it is, no tool tells that has to be told who.
  if (
    entry.tool.kind === 'read' &&
    /^who\b/i.test(bare(reading.text)) &&
    !POINTING.test(reading.text) &&
    !aboutSelf(reading, entry) &&
    filled.mentions.some(({ slot, names, words }) => slot.required && names.length === 0 && words.length === 0)
  )
    return false;
  if (
    !entry.changes &&
    filled.missing.some(({ key }) => new RegExp(`^(?:which|what) ${key.replaceAll('_', ' ')}s?\\b`, 'i').test(bare(reading.text)))
  )
    return false;
  // Nor is a limit that it cannot keep, where hardly anything else was said.
  if (
    !entry.changes &&
    contains < 0.7 &&
    reading.words.length <= 2 &&
    reading.amounts.some((amount) => amount.bound !== undefined && !filled.used.some((used) => overlaps(used, amount)))
  )
    return false;
  // Most of what was said is about something else.
  if (!entry.changes && lost.length > 2 && odd > 0.55 * all && contains < 0.8) return false;
  // What no tool does must not become what a tool near by does: "assign the deal" deletes none.
  if (entry.changes && (isOrderFor(entry, reading) || otherVerb(index, entry, reading))) return false;
  // "Write me a poem": a verb that goes with anything makes nothing of it.
  if (entry.changes && (saysNothingOf(entry, reading) || otherField(entry, reading))) return false;
  // Where no word speaks of it, nothing is changed.
  if (entry.changes && filled.mentions.length === 0 && !reading.words.some((word) => speaksOf(entry, word) >= 0.5)) return false;
  // Nor does a question change anything.
  if (entry.changes && contains < 0.9 && actOf(reading) === 'asks' && !sameVerb(entry, reading)) return false;
  if (entry.changes) return total >= 0.3 && score >= 0.24 && (contains >= 0.5 || covers >= 0.5) && (odd <= 3.4 || contains >= 0.8);
  // An order is not met by a look, unless the tool itself is described with that word.
  if (isOrderFor(entry, reading)) return false;
  if (lost.length > 0 && contains < 0.6 && !saysWhat(entry, filled, reading)) return false;
  // Nothing but values, and a place for each of them.
  if (lost.length === 0 && filled.used.length >= 2 && filled.missing.length === 0 && total >= 0.3) return true;
  return (
    total >= 0.26 &&
    (contains >= 0.55 || covers >= 0.45) &&
    (odd <= 4.2 || (contains >= 0.6 && (lost.length < 2 || saysWhat(entry, filled, reading))) || known >= 2 * lost.length)
  );
}

/** A word for what the tool is about, not only for a state that its rows may be in. */
const saysWhat = (entry: Entry, filled: Filled, reading: Reading): boolean =>
  reading.words.some((word) => speaksOf(entry, word) >= 0.75 && !filled.used.some((used) => overlaps(used, word.token)));

const isOrderFor = (entry: Entry, reading: Reading): boolean => {
  const [first] = reading.words;
  return (
    actOf(reading) === 'orders' &&
    first !== undefined &&
    CHANGES.has(first.stem) &&
    !(entry.changes && becoming(reading) && orderedBy(entry, reading)) &&
    (entry.changes ? speaksOf(entry, first) : (entry.stems.get(first.stem) ?? 0)) < 0.5 &&
    !reading.names.some((name) => overlaps(name, first.token))
  );
};
