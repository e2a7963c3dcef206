/** Decides whether the offline model is confident enough in a scored intent to act on it. */
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

export function isConfident(
  index: ToolIndex,
  { entry, coverage, exampleCoverage, total, filled, score }: ScoredIntent,
  utterance: Utterance,
): boolean {
  // Words that describe a record are explained if the utterance names the kind of record.
  const significant =
    filled.references.some(({ slot, words }) => slot.required || words.length > 0) && namesRecordKind(index, entry, utterance)
      ? new Set(filled.references.flatMap(({ words }) => words.map(fold)))
      : undefined;
  const lost = filled.unexplained.filter(
    ({ token }) => !utterance.names.some((name) => overlaps(name, token)) && !significant?.has(token.word),
  );
  // Words before the command need no explanation.
  const from =
    entry.mutates && commandsToolVerb(entry, utterance) ? Math.min(...commandVerbs(utterance).map(({ token }) => token.start)) : 0;
  const odd = lost.filter(({ token }) => token.start >= from).reduce((sum, word) => sum + weightOf(index, word), 0);
  const known = utterance.words.length - lost.length;
  const all = utterance.words.reduce((sum, word) => sum + weightOf(index, word), 0);
  // The tool has no slot for one of the names.
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
  // "Who …?" cannot be answered by a tool that requires the person as input.
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
  // The tool cannot apply a limit such as "over 5,000", and few other words indicate the tool.
  if (
    !entry.mutates &&
    exampleCoverage < 0.7 &&
    utterance.words.length <= 2 &&
    utterance.amounts.some((amount) => amount.bound !== undefined && !filled.used.some((used) => overlaps(used, amount)))
  )
    return false;
  if (!entry.mutates && lost.length > 2 && odd > 0.55 * all && exampleCoverage < 0.8) return false;
  // A command that no tool performs must not run a similar tool: "assign the deal" must not delete it.
  if (entry.mutates && (commandsUnknownVerb(entry, utterance) || commandsOtherVerb(index, entry, utterance))) return false;
  // "Write me a poem" has only a generic verb, and "change the close date" may name a field that the tool lacks.
  if (entry.mutates && (lacksToolNoun(entry, utterance) || namesUnknownField(entry, utterance))) return false;
  if (entry.mutates && filled.references.length === 0 && !utterance.words.some((word) => relevanceOf(entry, word) >= 0.5)) return false;
  // A question does not change anything, unless it names the tool's verb.
  if (entry.mutates && exampleCoverage < 0.9 && speechActOf(utterance) === 'question' && !mentionsToolVerb(entry, utterance)) return false;
  if (entry.mutates)
    return total >= 0.3 && score >= 0.24 && (exampleCoverage >= 0.5 || coverage >= 0.5) && (odd <= 3.4 || exampleCoverage >= 0.8);
  // A command is not answered by a read, unless the tool is described with that verb.
  if (commandsUnknownVerb(entry, utterance)) return false;
  if (lost.length > 0 && exampleCoverage < 0.6 && !namesSubject(entry, filled, utterance)) return false;
  // The utterance consists of values only, and each fills a slot.
  if (lost.length === 0 && filled.used.length >= 2 && filled.missing.length === 0 && total >= 0.3) return true;
  return (
    total >= 0.26 &&
    (exampleCoverage >= 0.55 || coverage >= 0.45) &&
    (odd <= 4.2 || (exampleCoverage >= 0.6 && (lost.length < 2 || namesSubject(entry, filled, utterance))) || known >= 2 * lost.length)
  );
}

/** Whether a word names the tool's subject, not only a state of its rows. */
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
