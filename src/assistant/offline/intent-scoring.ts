/** Scores every tool as the intent of an utterance. */
import type { TextSpan, Utterance } from './annotate.ts';
import type { TurnContext } from './context.ts';
import { ANAPHORA } from './ellipsis.ts';
import { type Candidate, isInShownRows, scoreOf, valuesOf, vectorOf } from './features.ts';
import type { PreviousTurn, IntentHints } from './frame.ts';
import type { IndexedTool } from './index-tools.ts';
import { countKnownValues, namesRecordKind } from './nouns.ts';
import { commandsToolVerb, type RankedTool, rankTools, speechActOf } from './rank.ts';
import type { FilledSlots } from './slot-filling-state.ts';
import { fillSlots } from './slot-filling.ts';
import { fold } from './tokenise.ts';

export interface ScoredIntent extends RankedTool {
  readonly filled: FilledSlots;
  readonly total: number;
  readonly vector: readonly number[];
}
interface Pool {
  readonly pool: readonly IndexedTool[];
  readonly previous: PreviousTurn;
  readonly hints: IntentHints;
}

/** Slots are filled only for tools that may be meant, because it is most of the work. */
function mayBeMeant({ index }: Pick<TurnContext, 'index'>, utterance: Utterance, { previous, hints }: Pool) {
  const { most, leastShare, leastShape, leastExample } = index.weights.shortlist;
  const act = speechActOf(utterance);
  const points = act === 'command' && ANAPHORA.test(utterance.text) && previous.shown.length > 0;
  return (each: RankedTool, at: number, all: readonly RankedTool[]): boolean =>
    (at < most && each.score >= (all[0]?.score ?? 0) * leastShare) ||
    each.shapeScore > leastShape ||
    (act === 'statement' && each.entry.mutates && each.exampleCoverage >= leastExample) ||
    (points && commandsToolVerb(each.entry, utterance)) ||
    countKnownValues(index, each.entry, utterance) > 1 ||
    each.entry === hints.entry ||
    each.entry === previous.entry;
}

export function scoreIntents(
  { index, person }: Pick<TurnContext, 'index' | 'person'>,
  utterance: Utterance,
  { pool, previous, hints }: Pool,
): ScoredIntent[] {
  const act = speechActOf(utterance);
  const isKindNamed =
    act === 'command' && pool.some((entry) => commandsToolVerb(entry, utterance) && namesRecordKind(index, entry, utterance));
  return rankTools(index, utterance, pool)
    .filter(mayBeMeant({ index }, utterance, { pool, previous, hints }))
    .map((each): ScoredIntent => {
      const filled = fillSlots(index, each.entry, utterance, { example: each.example });
      const values = valuesOf(filled);
      const [plainly = each] = rankTools(index, utterance, [each.entry], { ignore: values });
      const [apart = each] = namesRecordKind(index, each.entry, utterance)
        ? rankTools(index, utterance, [each.entry], { ignore: [...values, ...descriptionSpans(filled, utterance)] })
        : [];
      const ranked = apart.score > plainly.score ? apart : plainly;
      const candidate: Candidate = { index, person, utterance, previous, hints, entry: each.entry, ranked, filled, act, isKindNamed };
      const vector = vectorOf(candidate);
      return { ...ranked, filled, vector, total: scoreOf(index.weights.ranking, vector) };
    })
    .sort((a, b) => b.total - a.total || (a.entry.name < b.entry.name ? -1 : 1));
}

function descriptionSpans({ references }: FilledSlots, { words }: Utterance): TextSpan[] {
  const said = new Set(references.flatMap((reference) => (reference.names.length > 0 ? [] : reference.words.map(fold))));
  return words
    .filter(({ token }) => said.has(token.word) || said.has(fold(token.raw)))
    .map(({ token }) => ({ text: token.raw, start: token.start, end: token.end }));
}
/** "Book one for Thursday": creates another record of the kind mentioned before. */
export const requestsAnother = ({ tool }: IndexedTool, utterance: Utterance, previous: PreviousTurn): boolean =>
  tool.effect === 'adds' &&
  previous.entry?.tool.domain === tool.domain &&
  utterance.words.length <= 2 &&
  /\b(?:one|some)\b/i.test(utterance.text);
export const refersToShownRows = ({ entry, filled }: ScoredIntent, previous: PreviousTurn): boolean =>
  filled.references.some((reference) => isInShownRows(reference, entry, previous)) ||
  (filled.references.length === 0 &&
    entry.slots.some(
      (slot) => slot.kind === 'id' && !(slot.key in filled.input) && isInShownRows({ slot, names: [], words: [] }, entry, previous),
    ));
