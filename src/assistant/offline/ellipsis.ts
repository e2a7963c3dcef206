/** What a sentence leaves unsaid: what was talked of before, who asks, and whom a part of a name means. */
import type { Reading } from './annotate.ts';
import { choose } from './choices.ts';
import type { Thinking } from './context.ts';
import type { Past } from './frame.ts';
import type { Entry, Index } from './index-tools.ts';
import { knownIn } from './known-values.ts';
import { aboutSelf } from './lookup.ts';
import { nameOf, ownIdOf, rowsIn, type Shown } from './rows.ts';
import { isPerson, type Slot } from './schema.ts';
import type { Filled } from './slot-filling-state.ts';
import { fold } from './tokenise.ts';

export const POINTING = /\b(?:it|its|that|this|them|those|these|they|their|there|him|her|his|he|she|one|ones|same|so|instead)\b/i;

/** "… and how much budget do they have left?": they are whom the sentence before spoke of. */
export function inherit(index: Index, entry: Entry, filled: Filled, reading: Reading, past: Past, input: Record<string, unknown>): void {
  if (!past.reading || !POINTING.test(reading.text)) return;
  for (const slot of entry.slots) {
    const values = index.known.get(slot.key);
    if (!values || slot.key in input || filled.mentions.length > 0) continue;
    const before = knownIn(values, past.reading)[0];
    if (before) input[slot.key] = before.value;
  }
}

/** "Book one for Thursday", after personal days: of which kind was said before. */
export function sameKind(index: Index, entry: Entry, reading: Reading, past: Past, input: Record<string, unknown>): void {
  if (
    !past.reading ||
    !entry.changes ||
    past.entry?.tool.domain !== entry.tool.domain ||
    !/\b(?:one|ones|it|that|those|them|some|same)\b/i.test(reading.text)
  )
    return;
  for (const slot of entry.slots.filter(({ kind }) => kind === 'choice')) {
    if (choose(index, entry, slot, reading, [], undefined)?.at) continue;
    const before = choose(index, entry, slot, past.reading, [], undefined);
    if (before?.at && before.score >= 2) input[slot.key] = before.value;
  }
}

/** One's own rows, where a tool shows those of others too. */
export function own({ person, index }: Thinking, entry: Entry, reading: Reading, filled: Filled, input: Record<string, unknown>): void {
  const slot = entry.slots.find(({ key, kind }) => kind === 'id' && index.oneself.has(key));
  const mine = entry.slots.find((each) => isPerson(each) && !each.required && !(each.key in input));
  if (mine && person.email !== undefined && /\b(?:my|mine|i|i've)\b/i.test(reading.text) && aboutSelf(reading, entry) && !entry.changes)
    input[mine.key] = person.email;
  if (!slot || slot.key in input || person.employeeId === undefined || !aboutSelf(reading, entry)) return;
  const at = filled.mentions.findIndex((mention) => mention.slot === slot);
  if (at >= 0 && (filled.mentions[at]?.names.length ?? 0) > 0) return;
  if (/\byour own\b|\bone's own\b/i.test(slot.description)) return;
  input[slot.key] = person.employeeId;
}

/** A part of a colleague's name becomes the whole of it, where there is only one; of several somebody has to choose. */
export function wholeName({ allowed, index, memory }: Thinking, slot: Slot, input: Record<string, unknown>): Shown | undefined {
  const part = String(input[slot.key]);
  const directory = [...allowed.values()].find(
    ({ tool, row, slots }) =>
      tool.kind === 'list' &&
      index.oneself.has(ownIdOf(row) ?? '') &&
      'email' in (row.properties ?? {}) &&
      slots.some(({ key }) => key === 'name'),
  );
  if (!directory || !/^\p{L}[\p{L}'-]*$/u.test(part)) return undefined;
  const rows = rowsIn(memory.ask(directory.name, { name: part })).filter((row) => fold(nameOf(row)).split(/\s+/).includes(fold(part)));
  const [only] = rows;
  if (rows.length === 1 && only) input[slot.key] = nameOf(only);
  return rows.length > 1 && rows.length <= 10 ? { entry: directory, rows } : undefined;
}

/** "My department's budget": a field of one's own record. */
export function ownValue(thinking: Thinking, slot: Slot, reading: Reading): unknown {
  const { person, allowed, memory, index } = thinking;
  if (person.employeeId === undefined || slot.kind !== 'name' || !/\b(?:my|our|we|us)\b/i.test(reading.text)) return undefined;
  const directory = [...allowed.values()].find(
    (entry) =>
      entry.tool.kind === 'list' &&
      index.oneself.has(ownIdOf(entry.row) ?? '') &&
      slot.key in (entry.row.properties ?? {}) &&
      entry.slots.some(({ key }) => key === 'name'),
  );
  if (!directory) return undefined;
  return rowsIn(memory.ask(directory.name, { name: person.name })).find((row) => row[ownIdOf(directory.row) ?? ''] === person.employeeId)?.[
    slot.key
  ];
}
