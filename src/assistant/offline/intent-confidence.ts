/** Decides whether a scored intent is certain enough to act on. */
import { overlaps, type Utterance } from './annotate.ts';
import { ANAPHORA } from './ellipsis.ts';
import type { IndexedTool, ToolIndex } from './index-tools.ts';
import type { ScoredIntent } from './intent-scoring.ts';
import { isAboutSelf } from './lookup.ts';
import { namesRecordKind, namesUnknownField, lacksToolNoun } from './nouns.ts';
import {
  speechActOf,
  stripPoliteness,
  targetStateVerb,
  commandsToolVerb,
  commandVerbs,
  commandsOtherVerb,
  mentionsToolVerb,
  relevanceOf,
  weightOf,
} from './rank.ts';
import type { FilledSlots } from './slot-filling-state.ts';
import { CHANGE_VERBS } from './thesaurus.ts';
import { fold } from './tokenise.ts';

/** Sure enough to act on. A change must be asked for more plainly than a look. */
export function isConfident(
  index: ToolIndex,
  { entry, coverage, exampleCoverage, total, filled, score }: ScoredIntent,
  utterance: Utterance,
): boolean {
  // Words that tell which one is meant are looked up, where it is said of what.
  const telling =
    filled.references.some(({ slot, words }) => slot.required || words.length > 0) && namesRecordKind(index, entry, utterance)
      ? new Set(filled.references.flatMap(({ words }) => words.map(fold)))
      : undefined;
  const lost = filled.unexplained.filter(
    ({ token }) => !utterance.names.some((name) => overlaps(name, token)) && !telling?.has(token.word),
  );
  // What was told before the order needs no tool.
  const from =
    entry.mutates && commandsToolVerb(entry, utterance) ? Math.min(...commandVerbs(utterance).map(({ token }) => token.start)) : 0;
  const odd = lost.filter(({ token }) => token.start >= from).reduce((sum, word) => sum + weightOf(index, word), 0);
  const known = utterance.words.length - lost.length;
  const all = utterance.words.reduce((sum, word) => sum + weightOf(index, word), 0);
  // Somebody or something is named that the tool has no place for.
  if (
    !entry.mutates &&
    exampleCoverage < 0.7 &&
    utterance.names.some(
      (name) =>
        name.isCertain &&
        !filled.used.some((used) => overlaps(used, name)) &&
        !filled.references.some(({ words }) => words.includes(name.text)),
    )
  )
    return false;
  if (
    !entry.mutates &&
    exampleCoverage < 0.8 &&
    utterance.names.some(
      (name) =>
        name.isCertain &&
        name.words.length > 1 &&
        !filled.used.some((used) => overlaps(used, name)) &&
        !filled.references.some(({ words }) => words.includes(name.text)),
    )
  )
    return false;
  // Who of all it is, no tool tells that has to be told who.
  if (
    entry.tool.kind === 'read' &&
    /^who\b/i.test(stripPoliteness(utterance.text)) &&
    !ANAPHORA.test(utterance.text) &&
    !isAboutSelf(utterance, entry) &&
    filled.references.some(({ slot, names, words }) => slot.required && names.length === 0 && words.length === 0)
  )
    return false;
  if (
    !entry.mutates &&
    filled.missing.some(({ key }) =>
      new RegExp(`^(?:which|what) ${key.replaceAll('_', ' ')}s?\\b`, 'i').test(stripPoliteness(utterance.text)),
    )
  )
    return false;
  // Nor is a limit that it cannot keep, where hardly anything else was said.
  if (
    !entry.mutates &&
    exampleCoverage < 0.7 &&
    utterance.words.length <= 2 &&
    utterance.amounts.some((amount) => amount.bound !== undefined && !filled.used.some((used) => overlaps(used, amount)))
  )
    return false;
  // Most of what was said is about something else.
  if (!entry.mutates && lost.length > 2 && odd > 0.55 * all && exampleCoverage < 0.8) return false;
  // What no tool does must not become what a tool near by does: "assign the deal" deletes none.
  if (entry.mutates && (commandsUnknownVerb(entry, utterance) || commandsOtherVerb(index, entry, utterance))) return false;
  // "Write me a poem": a verb that goes with anything makes nothing of it.
  if (entry.mutates && (lacksToolNoun(entry, utterance) || namesUnknownField(entry, utterance))) return false;
  // Where no word speaks of it, nothing is changed.
  if (entry.mutates && filled.references.length === 0 && !utterance.words.some((word) => relevanceOf(entry, word) >= 0.5)) return false;
  // Nor does a question change anything.
  if (entry.mutates && exampleCoverage < 0.9 && speechActOf(utterance) === 'question' && !mentionsToolVerb(entry, utterance)) return false;
  if (entry.mutates)
    return total >= 0.3 && score >= 0.24 && (exampleCoverage >= 0.5 || coverage >= 0.5) && (odd <= 3.4 || exampleCoverage >= 0.8);
  // An order is not met by a look, unless the tool itself is described with that word.
  if (commandsUnknownVerb(entry, utterance)) return false;
  if (lost.length > 0 && exampleCoverage < 0.6 && !namesSubject(entry, filled, utterance)) return false;
  // Nothing but values, and a place for each of them.
  if (lost.length === 0 && filled.used.length >= 2 && filled.missing.length === 0 && total >= 0.3) return true;
  return (
    total >= 0.26 &&
    (exampleCoverage >= 0.55 || coverage >= 0.45) &&
    (odd <= 4.2 || (exampleCoverage >= 0.6 && (lost.length < 2 || namesSubject(entry, filled, utterance))) || known >= 2 * lost.length)
  );
}

/** A word for what the tool is about, not only for a state that its rows may be in. */
const namesSubject = (entry: IndexedTool, filled: FilledSlots, utterance: Utterance): boolean =>
  utterance.words.some((word) => relevanceOf(entry, word) >= 0.75 && !filled.used.some((used) => overlaps(used, word.token)));

const commandsUnknownVerb = (entry: IndexedTool, utterance: Utterance): boolean => {
  const [first] = utterance.words;
  return (
    speechActOf(utterance) === 'command' &&
    first !== undefined &&
    CHANGE_VERBS.has(first.stem) &&
    !(entry.mutates && targetStateVerb(utterance) && commandsToolVerb(entry, utterance)) &&
    (entry.mutates ? relevanceOf(entry, first) : (entry.stems.get(first.stem) ?? 0)) < 0.5 &&
    !utterance.names.some((name) => overlaps(name, first.token))
  );
};
