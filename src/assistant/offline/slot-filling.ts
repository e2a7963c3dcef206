/** Slots of one tool, filled from one sentence. What needs another call to become an id is left as a mention. */
import type { Amount } from './amounts.ts';
import { type Name, overlaps, type Piece, type Reading } from './annotate.ts';
import { choose, flag, usual } from './choices.ts';
import type { Entry, Example, Index } from './index-tools.ts';
import { itemsIn } from './items.ts';
import { speaksOf } from './rank.ts';
import type { Slot } from './schema.ts';
import { setDates } from './slot-filling-dates.ts';
import { fillAround, fillAsExamples, fillBefore, fillNames, fillPlain } from './slot-filling-names.ts';
import { fillProse } from './slot-filling-prose.ts';
import { describeIds, queryIn } from './slot-filling-query.ts';
import type { Filled } from './slot-filling-state.ts';
import { fillAmounts, fillIds, fillKnown } from './slot-filling-values.ts';
import { afterKey } from './text.ts';

export function fill(index: Index, entry: Entry, reading: Reading, example?: Example): Filled {
  const input: Record<string, unknown> = {};
  const used: Piece[] = [];
  const filled: Filled = { entry, input, mentions: [], missing: [], used, states: [], left: [] };
  const set = (slot: Slot, value: unknown, at?: Piece) => {
    input[slot.key] = value;
    if (at) used.push(at);
  };
  const open = (kind: Slot['kind']) => entry.slots.filter((slot) => slot.kind === kind && !(slot.key in input));
  const free = (span: Piece | Name | Amount) => !used.some((other) => overlaps(other, span));

  if (entry.changes) fillProse(entry, reading, set, used);
  fillIds(entry, reading, set, free);
  for (const slot of open('email')) {
    const email = reading.emails.find(free);
    if (email) set(slot, email.text, email);
  }
  const items = open('items')[0];
  if (items) {
    const found = itemsIn(entry, items, reading);
    if (found.items.length > 0) {
      set(items, found.items);
      used.push(...found.used);
    }
  }
  setDates(entry, reading, input, used);
  fillAmounts(entry, reading, set, free);
  const [limit] = open('limit');
  if (limit && reading.count) set(limit, Math.min(reading.count.number, 50), { ...reading.count, text: '' });
  for (const slot of open('choice')) {
    // What is quoted is what something is called.
    const quoted = reading.quotes.filter(({ text }) => text.includes(' '));
    const chosen = choose(index, entry, slot, reading, [...used, ...quoted], example);
    if (!chosen || chosen.score < 1.55) continue;
    set(slot, chosen.value, chosen.at);
    if (chosen.at) filled.states.push(chosen.at);
  }
  for (const slot of open('flag')) {
    const chosen = flag(index, entry, slot, reading, used);
    if (chosen) set(slot, chosen.value, chosen.at);
  }
  for (const slot of open('sort')) {
    const value = slot.values.find(
      (each) =>
        reading.tokens.some(({ word }) => word === each.split('_').at(-1)) &&
        each !== slot.schema.default &&
        reading.text.toLowerCase().includes(each.replaceAll('_', ' ')),
    );
    if (value !== undefined) set(slot, value);
  }
  fillKnown(index, entry, reading, set, free);
  for (const slot of entry.slots.filter(({ kind, key }) => (kind === 'name' || kind === 'names') && !(key in input) && entry.changes)) {
    const said = afterKey(slot, reading);
    if (said && free(said)) set(slot, slot.kind === 'names' ? said.text.split(/,\s*|\s+and\s+/) : said.text, said);
  }
  if (!entry.changes) fillBefore(index, entry, reading, filled, set, free);
  fillNames(index, entry, reading, filled, set, free);
  fillAsExamples(entry, reading, filled, set, free);
  if (entry.changes) fillAround(entry, reading, filled, set);
  if (!entry.changes) fillPlain(index, entry, reading, filled, set, free);
  for (const slot of open('query')) {
    const said = queryIn(index, entry, slot, reading, used);
    // "Exporting data to CSV" is looked for as a whole; that part of it names a category says nothing more.
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
              inner.some((state) => choose(index, entry, each, reading, [], example)?.at?.start === state.start),
          )
        )
          delete input[key];
      set(
        slot,
        reading.text
          .slice(said.start, said.end)
          .trim()
          .replace(/[\s,?.!]+$/, ''),
        said,
      );
      continue;
    }
    // What is only left over was not said to be looked for: it stays unexplained.
    if (said) set(slot, said.text, said.found ? said : undefined);
  }
  for (const slot of open('choice').filter(({ required }) => required)) {
    const value = usual(slot, entry);
    if (value !== undefined) set(slot, value);
  }
  filled.left.push(...reading.words.filter((word) => free({ ...word.token, text: '' }) && speaksOf(entry, word) < 0.5));
  describeIds(index, entry, reading, filled);
  filled.missing = entry.slots.filter(
    (slot) => slot.required && !(slot.key in input) && !filled.mentions.some((mention) => mention.slot === slot),
  );
  return filled;
}
