/** Scores every tool as the intent of an utterance. */
import { overlaps, type TextSpan, type Utterance } from './annotate.ts';
import type { TurnContext } from './context.ts';
import { ANAPHORA } from './ellipsis.ts';
import type { PreviousTurn, IntentHints } from './frame.ts';
import type { IndexedTool } from './index-tools.ts';
import { findKnownValues } from './known-values.ts';
import { isAboutSelf, idKeyFor } from './lookup.ts';
import {
  startsWithRowNoun,
  headNoun,
  namesOneRecord,
  namesRecordKind,
  LIST_REQUEST,
  namesPlural,
  seesOwnOnly,
  countKnownValues,
  requestsNewRecord,
} from './nouns.ts';
import {
  speechActOf,
  stripPoliteness,
  commandsToolVerb,
  commandVerbs,
  commandsOtherVerb,
  rankTools,
  type RankedTool,
  relevanceOf,
} from './rank.ts';
import { isPerson } from './schema.ts';
import type { FilledSlots, Reference } from './slot-filling-state.ts';
import { fillSlots } from './slot-filling.ts';
import { fold } from './tokenise.ts';

export interface ScoredIntent extends RankedTool {
  readonly filled: FilledSlots;
  readonly total: number;
}

export function scoreIntents(
  { index, person }: TurnContext,
  utterance: Utterance,
  { pool, previous, hints }: { pool: readonly IndexedTool[]; previous: PreviousTurn; hints: IntentHints },
): ScoredIntent[] {
  const everyone = /\b(?:all|every|everyone'?s?|everybody'?s?|each)\b/i.test(utterance.text) && !isAboutSelf(utterance);
  const ranked = rankTools(index, utterance, pool);
  const pointing = ANAPHORA.test(utterance.text);
  const order = speechActOf(utterance) === 'command';
  const told = speechActOf(utterance) === 'statement';
  const floor = (ranked[0]?.score ?? 0) * 0.45;
  // "The Marketing budget is fine, approve it": prefer the tool for budgets over the one for invoices.
  const thing = order && pool.some((entry) => commandsToolVerb(entry, utterance) && namesRecordKind(index, entry, utterance));
  return ranked
    .filter(
      (each, at) =>
        (at < 24 && each.score >= floor) ||
        each.shapeScore > 0.65 ||
        (told && each.entry.mutates && each.exampleCoverage >= 0.6) ||
        (order && pointing && previous.shown.length > 0 && commandsToolVerb(each.entry, utterance)) ||
        countKnownValues(index, each.entry, utterance) > 1 ||
        each.entry === hints.entry ||
        each.entry === previous.entry,
    )
    .map((each): ScoredIntent => {
      const filled = fillSlots(index, each.entry, utterance, { example: each.example });
      const values = filled.used.filter((piece) => !filled.states.includes(piece));
      const [plainly = each] = rankTools(index, utterance, [each.entry], { ignore: values });
      const [apart = each] = namesRecordKind(index, each.entry, utterance)
        ? rankTools(index, utterance, [each.entry], { ignore: [...values, ...descriptionSpans(filled, utterance)] })
        : [];
      const again = apart.score > plainly.score ? apart : plainly;
      let total = again.score;
      const spans = [...utterance.amounts, ...utterance.emails, ...utterance.ids];
      for (const span of spans) if (!filled.used.some((used) => overlaps(used, span))) total -= 0.07;
      // A tool without a slot for a name is unlikely to be meant.
      for (const name of utterance.names)
        if (name.isCertain && !filled.used.some((used) => overlaps(used, name))) total -= name.words.length > 1 ? 0.2 : 0.12;
      if (each.entry.slots.some(({ kind, key }) => kind === 'email' && key in filled.input)) total += 0.15;
      for (const when of utterance.dates) if (!filled.used.some((used) => overlaps(used, when))) total -= 0.04;
      for (const [key, values] of index.knownValues) {
        if (
          !(key in filled.input) &&
          findKnownValues(values, utterance).some(({ at }) => /^\p{Lu}/u.test(at.text) && !filled.used.some((used) => overlaps(used, at)))
        )
          total -= 0.06;
      }
      total +=
        (filled.unexplained.length === 0 &&
        utterance.words.every(({ token }) => filled.used.some((used) => overlaps(used, token))) &&
        utterance.words.some(({ token }) => values.some((used) => overlaps(used, token)))
          ? 0.09
          : 0.02) * Math.min(2, filled.used.length);
      // "My department's budget" identifies the department without its name.
      for (const slot of filled.missing)
        if (!new RegExp(`\\b(?:my|our)(?: own)? ${slot.key}\\b`, 'i').test(utterance.text)) total -= slot.kind === 'prose' ? 0.03 : 0.12;
      for (const reference of filled.references) {
        const here = isInShownRows(reference, each.entry, previous);
        if (here && (pointing || reference.names.length > 0 || order)) total += pointing && reference.names.length === 0 ? 0.3 : 0.2;
        else if (reference.slot.required && reference.names.length === 0 && reference.words.length === 0 && !isAboutSelf(utterance))
          total -= 0.1;
      }
      // A statement that fills every required slot is a command to store it.
      const whole =
        each.entry.mutates &&
        filled.missing.length === 0 &&
        filled.references.length === 0 &&
        each.entry.slots.filter(({ required }) => required).length > 2 &&
        (told || (commandsToolVerb(each.entry, utterance) && utterance.names.filter(({ isCertain }) => isCertain).length > 1));
      if (whole) total += 0.25;
      if (everyone && seesOwnOnly(each.entry, person)) total -= 0.15;
      // "Reject Sarah's" refers to the rows shown before, so tools for other kinds of records are unlikely.
      if (
        order &&
        each.entry.mutates &&
        previous.shown.length > 0 &&
        filled.references.some(({ slot }) => slot.required) &&
        !filled.references.some((reference) => isInShownRows(reference, each.entry, previous)) &&
        !namesRecordKind(index, each.entry, utterance)
      )
        total -= 0.3;
      if (!order && namesOneRecord(index, each.entry, utterance) && filled.references.length + Object.keys(filled.input).length > 0)
        total += 0.22;
      // A question about oneself is not answered by a list of everyone.
      if (
        each.entry.tool.kind === 'list' &&
        Object.keys(filled.input).length === 0 &&
        isAboutSelf(utterance, each.entry, true) &&
        !seesOwnOnly(each.entry, person) &&
        !each.entry.slots.some((slot) => index.selfKeys.has(slot.key) || isPerson(slot))
      )
        total -= 0.12;
      // "Who is off?" is not answered by the asker's own rows.
      if (
        /^(?:who|whose|anyone|anybody|is any|which of us|which colleagues)\b/i.test(stripPoliteness(utterance.text)) &&
        /^my\b/i.test(each.entry.tool.title) &&
        !isAboutSelf(utterance)
      )
        total -= 0.25;
      if (/^which ones\b/i.test(stripPoliteness(utterance.text)) && each.entry.tool.kind === 'list') total += 0.15;
      if (namesPlural(each.entry, utterance)) total += 0.12;
      if (startsWithRowNoun(each.entry, utterance)) total += 0.12;
      if (
        previous.utterance &&
        /\bthere\b/i.test(utterance.text) &&
        !each.entry.mutates &&
        each.entry.slots.some(
          ({ key }) =>
            previous.utterance && findKnownValues(index.knownValues.get(key) ?? new Map<string, string>(), previous.utterance).length > 0,
        )
      )
        total += 0.1;
      if (
        LIST_REQUEST.test(utterance.text) &&
        each.entry.tool.kind === 'list' &&
        utterance.words.some(({ stem, token }) => stem === headNoun(each.entry) && !/[^s]$/.test(token.word))
      )
        total += 0.05;
      if (commandsOtherVerb(index, each.entry, utterance)) total -= 0.4;
      // A read does not fulfil a command.
      if (order && !each.entry.mutates && commandVerbs(utterance).some(({ stem }) => (each.entry.stems.get(stem) ?? 0) < 0.5))
        total -= 0.15;
      if (thing && !whole && each.entry.mutates && !namesRecordKind(index, each.entry, utterance)) total -= 0.25;
      // "Above 20 million" must become a limit.
      for (const amount of utterance.amounts)
        if (amount.bound !== undefined && !Object.values(filled.input).includes(amount.value) && !each.entry.mutates) total -= 0.2;
      if (requestsNewRecord(index, each.entry, utterance)) total -= 0.2;
      if (!each.entry.mutates && hasNamedField(each.entry, utterance)) total += 0.1;
      // "Which sales rep": the word is the name of another domain.
      if (utterance.words.some((word) => index.domainStems.has(word.stem) && relevanceOf(each.entry, word) < 0.5)) total -= 0.08;
      if (each.entry === hints.entry) total += 0.5;
      return { ...again, filled, total };
    })
    .sort((a, b) => b.total - a.total || (a.entry.name < b.entry.name ? -1 : 1));
}

/** "Home address" indicates a tool whose rows have the field home_address. */
const hasNamedField = ({ rowSchema }: IndexedTool, { tokens, text }: Utterance): boolean =>
  Object.keys(rowSchema.properties ?? {}).some(
    (key) =>
      (key === 'ytd' && /\byear to date\b/i.test(text)) ||
      (key.includes('_') &&
        !key.endsWith('_id') &&
        tokens.some((_, at) => key.split('_').every((part, offset) => tokens[at + offset]?.word === part))),
  );

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
const isInShownRows = (reference: Reference, needing: IndexedTool, previous: PreviousTurn): boolean =>
  previous.shown.some(
    ({ entry, rows }) =>
      rows.length > 0 &&
      (idKeyFor(reference.slot, needing, entry) !== undefined || (rows[0] !== undefined && reference.slot.key in rows[0])),
  );
