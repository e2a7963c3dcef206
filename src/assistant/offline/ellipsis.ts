/** Resolves ellipsis: fills slots from the previous turn and from the asker's own record, and completes partial names. */
import type { Utterance } from './annotate.ts';
import { matchChoice } from './choices.ts';
import type { TurnContext } from './context.ts';
import type { PreviousTurn } from './frame.ts';
import type { IndexedTool, ToolIndex } from './index-tools.ts';
import { findKnownValues } from './known-values.ts';
import { isAboutSelf } from './lookup.ts';
import { nameOf, idKeyOf, rowsIn, type ShownRows } from './rows.ts';
import { isPerson, type Slot } from './schema.ts';
import type { FilledSlots } from './slot-filling-state.ts';
import { fold } from './tokenise.ts';

export const ANAPHORA = /\b(?:it|its|that|this|them|those|these|they|their|there|him|her|his|he|she|one|ones|same|so|instead)\b/i;

/** "… and how much budget do they have left?": "they" is the department of the previous utterance. */
export function inheritKnownValues(
  index: ToolIndex,
  entry: IndexedTool,
  {
    filled,
    utterance,
    previous,
    input,
  }: { filled: FilledSlots; utterance: Utterance; previous: PreviousTurn; input: Record<string, unknown> },
): void {
  if (!previous.utterance || !ANAPHORA.test(utterance.text)) return;
  for (const slot of entry.slots) {
    const values = index.knownValues.get(slot.key);
    if (!values || slot.key in input || filled.references.length > 0) continue;
    const before = findKnownValues(values, previous.utterance)[0];
    if (before) input[slot.key] = before.value;
  }
}

/** "Book one for Thursday", after a question about personal days: inherits the kind of leave. */
export function inheritChoices(
  index: ToolIndex,
  entry: IndexedTool,
  { utterance, previous, input }: { utterance: Utterance; previous: PreviousTurn; input: Record<string, unknown> },
): void {
  if (
    !previous.utterance ||
    !entry.mutates ||
    previous.entry?.tool.domain !== entry.tool.domain ||
    !/\b(?:one|ones|it|that|those|them|some|same)\b/i.test(utterance.text)
  )
    return;
  for (const slot of entry.slots.filter(({ kind }) => kind === 'choice')) {
    if (matchChoice(index, entry, { slot, utterance, not: [], example: undefined })?.at) continue;
    const before = matchChoice(index, entry, { slot, utterance: previous.utterance, not: [], example: undefined });
    if (before?.at && before.score >= 2) input[slot.key] = before.value;
  }
}

/** Restricts a tool that also returns other people's rows to the asker's own rows. */
export function fillOwnIds(
  { person, index }: TurnContext,
  entry: IndexedTool,
  { utterance, filled, input }: { utterance: Utterance; filled: FilledSlots; input: Record<string, unknown> },
): void {
  const slot = entry.slots.find(({ key, kind }) => kind === 'id' && index.selfKeys.has(key));
  const mine = entry.slots.find((each) => isPerson(each) && !each.required && !(each.key in input));
  if (
    mine &&
    person.email !== undefined &&
    /\b(?:my|mine|i|i've)\b/i.test(utterance.text) &&
    isAboutSelf(utterance, entry) &&
    !entry.mutates
  )
    input[mine.key] = person.email;
  if (!slot || slot.key in input || person.employeeId === undefined || !isAboutSelf(utterance, entry)) return;
  const at = filled.references.findIndex((reference) => reference.slot === slot);
  if (at >= 0 && (filled.references[at]?.names.length ?? 0) > 0) return;
  if (/\byour own\b|\bone's own\b/i.test(slot.description)) return;
  input[slot.key] = person.employeeId;
}

/** Completes a partial name if exactly one colleague matches. Returns the candidates if several match. */
export function completeName({ allowed, index, memory }: TurnContext, slot: Slot, input: Record<string, unknown>): ShownRows | undefined {
  const part = String(input[slot.key]);
  const directory = [...allowed.values()].find(
    ({ tool, rowSchema, slots }) =>
      tool.kind === 'list' &&
      index.selfKeys.has(idKeyOf(rowSchema) ?? '') &&
      'email' in (rowSchema.properties ?? {}) &&
      slots.some(({ key }) => key === 'name'),
  );
  if (!directory || !/^\p{L}[\p{L}'-]*$/u.test(part)) return undefined;
  const rows = rowsIn(memory.call(directory.name, { name: part })).filter((row) => fold(nameOf(row)).split(/\s+/).includes(fold(part)));
  const [only] = rows;
  if (rows.length === 1 && only) input[slot.key] = nameOf(only);
  return rows.length > 1 && rows.length <= 10 ? { entry: directory, rows } : undefined;
}

/** "My department's budget": reads the field from the asker's own record. */
export function ownFieldValue(context: TurnContext, slot: Slot, utterance: Utterance): unknown {
  const { person, allowed, memory, index } = context;
  if (person.employeeId === undefined || slot.kind !== 'name' || !/\b(?:my|our|we|us)\b/i.test(utterance.text)) return undefined;
  const directory = [...allowed.values()].find(
    (entry) =>
      entry.tool.kind === 'list' &&
      index.selfKeys.has(idKeyOf(entry.rowSchema) ?? '') &&
      slot.key in (entry.rowSchema.properties ?? {}) &&
      entry.slots.some(({ key }) => key === 'name'),
  );
  if (!directory) return undefined;
  return rowsIn(memory.call(directory.name, { name: person.name })).find(
    (row) => row[idKeyOf(directory.rowSchema) ?? ''] === person.employeeId,
  )?.[slot.key];
}
