/** Calls the tool of an intent, after its references are resolved. */
import { isDeepStrictEqual } from 'node:util';
import type { Answer } from '../../core/answer.ts';
import { overlaps, type Reading } from './annotate.ts';
import type { Thinking } from './context.ts';
import { inherit, own, ownValue, sameKind, wholeName } from './ellipsis.ts';
import type { Frame, Past, Result, Wish } from './frame.ts';
import type { Entry } from './index-tools.ts';
import type { Weighed } from './intent-scoring.ts';
import { aboutSelf, findersFor, resolve } from './lookup.ts';
import { bare } from './rank.ts';
import { newest, ownIdOf, type Row, rowsIn, type Shown, tellingOf } from './rows.ts';
import { isPerson, type Slot } from './schema.ts';
import type { Mention } from './slot-filling-state.ts';

export function carryOut(
  thinking: Thinking,
  { entry, filled }: Weighed,
  reading: Reading,
  past: Past,
  wish: Wish,
  frame: (result: Result, input?: Readonly<Record<string, unknown>>, shown?: readonly Shown[]) => Frame,
): Frame {
  const input: Record<string, unknown> = { ...filled.input };
  let called = '';
  let about: Row | undefined;
  let others: readonly Row[] = [];
  let among: { entry: Entry; count: number } | undefined;
  inherit(thinking.index, entry, filled, reading, past, input);
  sameKind(thinking.index, entry, reading, past, input);
  Object.assign(input, wish.forced);
  own(thinking, entry, reading, filled, input);
  if (OF_MINE.test(bare(reading.text)) && entry.tool.kind === 'list')
    for (const slot of entry.slots)
      if (slot.kind === 'choice' && slot.key in input && slot.key in (entry.row.properties ?? {}) && !(slot.key in (wish.forced ?? {})))
        delete input[slot.key];
  const ids = new Set(filled.mentions.map(({ slot }) => slot.key));
  const missing = entry.slots.find((slot) => slot.required && !(slot.key in input) && !ids.has(slot.key)) ?? tooShort(entry, input);
  if (missing) {
    const value = ownValue(thinking, missing, reading);
    if (value === undefined) return frame({ type: 'missing', slot: missing, entry }, input);
    input[missing.key] = value;
  }
  const mentions = [...filled.mentions];
  const pointed = entry.slots.find(
    (slot) =>
      slot.kind === 'id' &&
      !slot.required &&
      !(slot.key in input) &&
      !ids.has(slot.key) &&
      past.shown.length > 0 &&
      mentions.length === 0 &&
      (/\b(?:his|her|their|him|them|he|she|they|it|its|that one|this one)\b/i.test(reading.text) ||
        (entry.changes && reading.words.length === 1)),
  );
  if (pointed) mentions.push({ slot: pointed, names: [], words: [] });
  for (const mention of mentions) {
    if (mention.slot.key in input) continue;
    const found = resolve(thinking, entry, mention, reading, past.shown);
    called = mention.names.map(({ text }) => text).join(' ') || mention.words.join(' ') || called;
    if ('id' in found) {
      input[mention.slot.key] = found.id;
      about = found.row ?? about;
    } else if ('several' in found && isBestFirst(entry, found.entry) && called !== '' && found.several[0]) {
      // Of what a search found the best is shown, and the others are named.
      input[mention.slot.key] = found.several[0][ownIdOf(found.entry.row) ?? ''];
      about = found.several[0];
      others = found.several.slice(1);
    } else if ('several' in found && told(entry, input, found.several)) {
      about = told(entry, input, found.several);
      input[mention.slot.key] = about?.[ownIdOf(found.entry.row) ?? ''];
    } else if (
      'several' in found &&
      called === '' &&
      entry.tool.kind === 'read' &&
      aboutSelf(reading) &&
      newest(found.several, found.entry.row)
    ) {
      about = newest(found.several, found.entry.row);
      input[mention.slot.key] = about?.[ownIdOf(found.entry.row) ?? ''];
      among = { entry: found.entry, count: found.several.length };
    } else if ('several' in found)
      return frame(
        {
          type: 'which',
          slot: mention.slot,
          rows: found.several,
          source: found.entry,
          entry,
          called,
          all: /\b(?:all|every|each|everything|any)\b/i.test(reading.text),
        },
        input,
        [{ entry: found.entry, rows: found.several }],
      );
    else if (mention.slot.required) {
      if (called === '') return frame({ type: 'missing', slot: mention.slot, entry }, input);
      return frame({ type: 'unknown', called, entry, finder: found.entry, answer: found.answer, wrong: found.wrong ?? 0 }, input);
    } else if (mention.names.length > 0)
      return frame({ type: 'unknown', called, entry, finder: found.entry, answer: found.answer, wrong: 0 }, input);
  }
  for (const slot of entry.slots.filter((each) => isPerson(each) && typeof input[each.key] === 'string')) {
    const several = wholeName(thinking, slot, input);
    if (several)
      return frame(
        { type: 'which', slot, rows: several.rows, source: several.entry, entry, called: String(input[slot.key]), all: false },
        input,
        [several],
      );
  }
  const { answer, used } = call(thinking, entry, input, reading);
  const rows = rowsIn(answer);
  const unplaced = entry.changes
    ? []
    : [...reading.amounts, ...reading.whens, ...reading.names.filter(({ sure, words }) => sure && !called.includes(words[0] ?? ''))]
        .filter((span) => !filled.used.some((piece) => overlaps(piece, span)))
        .map(({ start, end }) => reading.text.slice(start, end))
        .filter((part) => !isDefault(part, entry, used));
  return frame(
    {
      type: 'answered',
      entry,
      input: used,
      answer,
      about,
      called,
      others,
      among,
      unplaced: [
        ...unplaced,
        ...Object.entries(input).flatMap(([key, value]) => (key in used || Object.values(used).includes(value) ? [] : [String(value)])),
      ],
    },
    used,
    [{ entry, rows }, ...(about ? [{ entry: sourceOf(thinking, entry, filled.mentions) ?? entry, rows: [about] }] : [])],
  );
}
/** "Is my leave approved yet?" asks how it stands, not for those that are. */
const OF_MINE = /^(?:is|are|was|were|has|have|did|does) my\b/i;
/** Of several the one that what is to be written speaks of. */
function told(entry: Entry, input: Readonly<Record<string, unknown>>, rows: readonly Row[]): Row | undefined {
  const text = entry.changes
    ? entry.slots
        .filter(({ kind, key }) => kind === 'prose' && typeof input[key] === 'string')
        .map(({ key }) => String(input[key]))
        .join(' ')
    : '';
  return text === '' ? undefined : tellingOf(rows, text);
}
/** A text to be read, found by a search that puts the best first. */
const isBestFirst = (entry: Entry, finder: Entry): boolean =>
  entry.tool.kind === 'read' &&
  finder.slots.some(({ kind }) => kind === 'query') &&
  !finder.slots.some(({ kind, key }) => kind === 'name' && key === 'name');
const sourceOf = (thinking: Thinking, entry: Entry, mentions: readonly Mention[]): Entry | undefined =>
  mentions.flatMap(({ slot }) => findersFor(thinking, entry, slot))[0];

/** A refusal that names the slot may mean that the value belongs into another: "Seattle" is no state. */
function call(
  thinking: Thinking,
  entry: Entry,
  input: Readonly<Record<string, unknown>>,
  reading: Reading,
): { answer: Answer; used: Readonly<Record<string, unknown>> } {
  const answer = thinking.memory.ask(entry.name, input);
  if (answer.status !== 'error' || !answer.code.endsWith('_NOT_FOUND') || entry.changes) return { answer, used: input };
  const wrong = entry.slots.find(
    (slot) => slot.kind === 'name' && slot.key in input && answer.code === `${slot.key.toUpperCase()}_NOT_FOUND`,
  );
  const other = wrong && entry.slots.find((slot) => slot.kind === 'name' && !(slot.key in input) && !thinking.index.known.has(slot.key));
  if (!wrong) return { answer, used: input };
  const { [wrong.key]: value, ...rest } = input;
  // A word that was only taken for a name.
  const guessed =
    reading.names.every(({ sure, text }) => !sure || text !== value) &&
    reading.tokens.some(({ word, capital }) => word === value && !capital);
  if (guessed) return { answer: thinking.memory.ask(entry.name, rest), used: rest };
  if (!other) return { answer, used: input };
  const again = { ...rest, [other.key]: value };
  const second = thinking.memory.ask(entry.name, again);
  return second.status === 'success' && rowsIn(second).length > 0 ? { answer: second, used: again } : { answer, used: input };
}

const tooShort = (entry: Entry, input: Readonly<Record<string, unknown>>): Slot | undefined =>
  entry.slots.find(
    (slot) =>
      slot.required &&
      slot.kind === 'prose' &&
      typeof input[slot.key] === 'string' &&
      String(input[slot.key]).trim().length < (slot.schema.minLength ?? 0),
  );

/** "this month" where an example says it and needs no value for it: the tool means it by default. */
const isDefault = (part: string, { examples }: Entry, used: Readonly<Record<string, unknown>>): boolean =>
  examples.some(({ works, input, reading }) => {
    const says = reading.whens.some(({ start, end }) => reading.text.slice(start, end).toLowerCase() === part.toLowerCase());
    return works && says && isDeepStrictEqual(input, used);
  });
