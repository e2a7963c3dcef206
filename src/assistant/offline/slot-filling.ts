/** Slot filling: extracts the input of a tool from an utterance. Ids that need a lookup become references. */
import type { Amount } from './amounts.ts';
import { type NamedEntity, overlaps, type TextSpan, type Utterance } from './annotate.ts';
import { matchChoice, matchFlag, defaultChoice } from './choices.ts';
import type { IndexedTool, Example, ToolIndex } from './index-tools.ts';
import { findItems } from './items.ts';
import { relevanceOf } from './rank.ts';
import type { Slot } from './schema.ts';
import { fillDates } from './slot-filling-dates.ts';
import { fillRelationEnds, fillRelation, fillFromWordBefore, fillNames, fillFromUnknownWord } from './slot-filling-names.ts';
import { fillProse } from './slot-filling-prose.ts';
import { addDescribedReferences, findQuery } from './slot-filling-query.ts';
import type { FilledSlots, SlotFilling } from './slot-filling-state.ts';
import { fillAmounts, fillIds, fillKnown } from './slot-filling-values.ts';
import { matchOrder } from './sort-order.ts';
import { textAfterSlotName } from './text.ts';

export function fillSlots(
  index: ToolIndex,
  entry: IndexedTool,
  utterance: Utterance,
  { example }: { example?: Example | undefined } = {},
): FilledSlots {
  const input: Record<string, unknown> = {};
  const used: TextSpan[] = [];
  const filled: FilledSlots = { entry, input, references: [], missing: [], used, states: [], unexplained: [] };
  const set = (slot: Slot, value: unknown, at?: TextSpan) => {
    input[slot.key] = value;
    if (at) used.push(at);
  };
  const open = (kind: Slot['kind']) => entry.slots.filter((slot) => slot.kind === kind && !(slot.key in input));
  const free = (span: TextSpan | NamedEntity | Amount) => !used.some((other) => overlaps(other, span));
  const filling: SlotFilling = { index, entry, utterance, filled, set, free };

  if (entry.mutates) fillProse(entry, utterance, { set, used });
  fillIds(filling);
  for (const slot of open('email')) {
    const email = utterance.emails.find(free);
    if (email) set(slot, email.text, email);
  }
  const items = open('items')[0];
  if (items) {
    const found = findItems(entry, items, utterance);
    if (found.items.length > 0) {
      set(items, found.items);
      used.push(...found.used);
    }
  }
  fillDates(entry, utterance, { input, used });
  fillAmounts(filling);
  const [limit] = open('limit');
  if (limit && utterance.count) set(limit, Math.min(utterance.count.number, 50), { ...utterance.count, text: '' });
  for (const slot of open('choice')) {
    // Quoted words are names, not states.
    const quoted = utterance.quotes.filter(({ text }) => text.includes(' '));
    const chosen = matchChoice(index, entry, { slot, utterance, not: [...used, ...quoted], example });
    if (!chosen || chosen.score < 1.55) continue;
    set(slot, chosen.value, chosen.at);
    if (chosen.at) filled.states.push(chosen.at);
  }
  for (const slot of open('flag')) {
    const chosen = matchFlag(index, entry, { slot, utterance, not: used });
    if (chosen) set(slot, chosen.value, chosen.at);
  }
  for (const slot of open('sort')) {
    const value = matchOrder(slot, utterance);
    if (value !== undefined) set(slot, value);
  }
  fillKnown(filling);
  for (const slot of entry.slots.filter(({ kind, key }) => (kind === 'name' || kind === 'names') && !(key in input) && entry.mutates)) {
    const said = textAfterSlotName(slot, utterance);
    if (said && free(said)) set(slot, slot.kind === 'names' ? said.text.split(/,\s*|\s+and\s+/) : said.text, said);
  }
  if (!entry.mutates) fillFromWordBefore(filling);
  fillNames(filling);
  fillRelation(filling);
  if (entry.mutates) fillRelationEnds(filling);
  if (!entry.mutates) fillFromUnknownWord(filling);
  for (const slot of open('query')) {
    const said = findQuery(index, entry, { slot, utterance, used });
    // "Exporting data to CSV" is one query, although a part of the text is the name of a category.
    const inner = said?.found
      ? filled.states.filter(
          (state) =>
            state.start >= said.start &&
            state.end <= said.end &&
            state.end - state.start < said.end - said.start &&
            !/^(?:open|closed|new|high|low|critical)$/i.test(state.text),
        )
      : [];
    if (said && inner.length > 0) {
      for (const key of Object.keys(input))
        if (
          entry.slots.some(
            (each) =>
              each.key === key &&
              each.kind === 'choice' &&
              inner.some((state) => matchChoice(index, entry, { slot: each, utterance, not: [], example })?.at?.start === state.start),
          )
        )
          delete input[key];
      set(
        slot,
        utterance.text
          .slice(said.start, said.end)
          .trim()
          .replace(/[\s,?.!]+$/, ''),
        said,
      );
      continue;
    }
    if (said) set(slot, said.text, said.found ? said : undefined);
  }
  for (const slot of open('choice').filter(({ required }) => required)) {
    const value = defaultChoice(slot, entry);
    if (value !== undefined) set(slot, value);
  }
  filled.unexplained.push(...utterance.words.filter((word) => free({ ...word.token, text: '' }) && relevanceOf(entry, word) < 0.5));
  addDescribedReferences(index, entry, { utterance, filled });
  filled.missing = entry.slots.filter(
    (slot) => slot.required && !(slot.key in input) && !filled.references.some((reference) => reference.slot === slot),
  );
  return filled;
}
