/** Fills slots with ids, amounts and known values. */
import { type Amount, isRelative } from './amounts.ts';
import { overlaps, type TextSpan } from './annotate.ts';
import type { IndexedTool } from './index-tools.ts';
import { findKnownValues } from './known-values.ts';
import type { Slot } from './schema.ts';
import type { SlotFilling } from './slot-filling-state.ts';
import { synonymsOf } from './thesaurus.ts';
import { stopWords, parseNumberWord, stem } from './tokenise.ts';

/** Fills ids. A plain number is an id only after "#", the noun of the slot, or another word of the tool. */
export function fillIds({ entry, utterance, set, free }: SlotFilling): void {
  const slots = entry.slots.filter(({ kind }) => kind === 'id' || kind === 'number-id');
  for (const slot of slots) {
    const noun = stem(slot.key.replace(/_id$/, '').split('_').at(-1) ?? '');
    if (slot.kind === 'number-id' || slot.schema.format !== 'uuid') {
      const at = utterance.tokens.findIndex(
        (token, place) =>
          /^\d{1,9}$/.test(token.word) &&
          (utterance.tokens[place - 1]?.stem === noun ||
            utterance.text.slice(0, token.start).endsWith('#') ||
            entry.stems.has(utterance.tokens[place - 1]?.stem ?? '')),
      );
      const token = utterance.tokens[at];
      if (token && free({ ...token, text: '' })) {
        set(slot, slot.kind === 'number-id' ? Number(token.word) : token.word, { text: token.word, start: token.start, end: token.end });
        continue;
      }
      if (slot.kind === 'number-id') continue;
    }
    const before = (piece: TextSpan) => utterance.tokens.filter(({ end }) => end <= piece.start).at(-1)?.stem ?? '';
    const isUuid = slot.schema.format === 'uuid';
    const ids = utterance.ids.filter((piece) => free(piece) && !(utterance.names.some((name) => overlaps(name, piece)) && !slot.required));
    const piece =
      ids.find((each) => before(each) === noun) ??
      (slot.required || slots.length === 1
        ? ids.find((each) => /-.*-/.test(each.text) || (!isUuid && (entry.stems.has(before(each)) || /^[et]-\d/.test(each.text))))
        : undefined);
    if (piece && !followsOtherSlotName(entry, slot, before(piece))) set(slot, piece.text, piece);
  }
}
/** "reference WIRE-8841" fills the slot `reference`, although WIRE-8841 has the form of an id. */
const followsOtherSlotName = (entry: IndexedTool, slot: Slot, word: string): boolean =>
  entry.slots.some(
    (other) =>
      other !== slot &&
      other.kind !== 'id' &&
      (stem(other.key.split('_').at(-1) ?? '') === word ||
        (word !== '' && synonymsOf(other.key.split('_').at(-1) ?? '').some((same) => stem(same) === word))),
  );

export function fillAmounts({ entry, utterance, set, free }: SlotFilling): void {
  const slots = entry.slots.filter(({ kind }) => kind === 'amount' || kind === 'number');
  const filled = new Set<string>();
  for (const amount of utterance.amounts.filter(free)) {
    const near = (slot: Slot) =>
      slot.base
        .split('_')
        .some((word) => utterance.tokens.some((token) => token.stem === stem(word) && Math.abs(token.start - amount.start) < 40));
    const fits = slots.filter(
      (slot) =>
        !filled.has(slot.key) &&
        (!isPercentOfMoney(slot, amount) || (entry.mutates && isRelative(utterance.text, amount))) &&
        inRange(slot, scaledAmount(slot, amount)),
    );
    const bounded = fits.filter((slot) =>
      amount.bound === 'min' ? slot.edge === 'from' : amount.bound === 'max' ? slot.edge === 'to' : slot.edge === undefined,
    );
    const others = bounded.length === 0 && amount.bound !== undefined ? fits.filter((slot) => slot.edge === undefined) : bounded;
    const slot =
      others.find(near) ??
      others.find(({ kind }) => kind === 'amount') ??
      (amount.bound !== undefined ? others[0] : undefined) ??
      others.find(({ required }) => required);
    if (!slot) continue;
    filled.add(slot.key);
    set(slot, scaledAmount(slot, amount), { text: '', start: amount.start, end: amount.end });
  }
  for (const slot of slots.filter(({ kind, key }) => kind === 'number' && !filled.has(key))) {
    // "two levels deep": a number word before a word of the slot.
    const said = utterance.tokens.find(
      (token, at) =>
        parseNumberWord(token.word) !== undefined && utterance.tokens.slice(at + 1, at + 3).some((next) => slotWords(slot).has(next.stem)),
    );
    if (said && inRange(slot, parseNumberWord(said.word) ?? 0))
      set(slot, parseNumberWord(said.word), { text: said.word, start: said.start, end: said.end });
  }
}
const slotWords = (slot: Slot): Set<string> =>
  new Set(
    [...slot.key.split('_'), ...slot.description.toLowerCase().split(/\W+/)]
      .filter((word) => word.length > 3 && !stopWords.has(word))
      .map(stem),
  );
const scaledAmount = (slot: Slot, amount: Amount): number =>
  amount.percent && slot.schema.maximum === 1 ? amount.value / 100 : amount.value;
/** A percentage fits a money slot only as a change of its present value. */
const isPercentOfMoney = ({ schema }: Slot, { percent }: Amount): boolean =>
  percent && schema.unit !== undefined && schema.unit !== 'percent';
const inRange = ({ schema }: Slot, value: number): boolean =>
  value >= (schema.minimum ?? -Infinity) && value <= (schema.maximum ?? Infinity) && (schema.type !== 'integer' || Number.isInteger(value));

/** Fills values that the schema lists as examples, such as departments and offices. */
export function fillKnown({ index, entry, utterance, set, free }: SlotFilling): void {
  for (const slot of entry.slots) {
    const values = index.knownValues.get(slot.key);
    if (!values || slot.kind !== 'name') continue;
    const found = findKnownValues(values, utterance).find(({ at }) => free(at));
    if (found) set(slot, found.value, found.at);
  }
}
