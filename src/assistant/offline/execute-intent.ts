/** Executes an intent: resolves its references to ids and calls its tool. */
import { isDeepStrictEqual } from 'node:util';
import type { Answer } from '../../declare/answer.ts';
import type { Amount } from './amounts.ts';
import { overlaps, type TextSpan, type Utterance } from './annotate.ts';
import type { DateMention } from './dates.ts';
import type { TurnContext } from './context.ts';
import { inheritKnownValues, fillOwnIds, ownFieldValue, inheritChoices, completeName } from './ellipsis.ts';
import type { Frame, PreviousTurn, IntentResult, IntentHints } from './frame.ts';
import type { IndexedTool } from './index-tools.ts';
import type { ScoredIntent } from './intent-scoring.ts';
import { isAboutSelf, findersFor, resolveReference } from './lookup.ts';
import { stripPoliteness } from './rank.ts';
import { capitalise } from './text.ts';
import { resolveRelativeAmount } from './relative-amounts.ts';
import { newestRow, idKeyOf, type Row, rowsIn, type ShownRows, bestMatch } from './rows.ts';
import { isPerson, type Slot } from './schema.ts';
import type { Reference } from './slot-filling-state.ts';

export function executeIntent(
  context: TurnContext,
  { entry, filled }: ScoredIntent,
  {
    utterance,
    previous,
    hints,
    frame,
  }: {
    utterance: Utterance;
    previous: PreviousTurn;
    hints: IntentHints;
    frame: (result: IntentResult, input?: Readonly<Record<string, unknown>>, shown?: readonly ShownRows[]) => Frame;
  },
): Frame {
  const input: Record<string, unknown> = withoutOwnNoun(entry, filled.input);
  let called = '';
  let about: Row | undefined;
  let others: readonly Row[] = [];
  let among: { entry: IndexedTool; count: number } | undefined;
  inheritKnownValues(context.index, entry, { filled, utterance, previous, input });
  inheritChoices(context.index, entry, { utterance, previous, input });
  Object.assign(input, hints.forced);
  fillOwnIds(context, entry, { utterance, filled, input });
  if (OWN_STATE_QUESTION.test(stripPoliteness(utterance.text)) && entry.tool.kind === 'list')
    for (const slot of entry.slots)
      if (
        slot.kind === 'choice' &&
        slot.key in input &&
        slot.key in (entry.rowSchema.properties ?? {}) &&
        !(slot.key in (hints.forced ?? {}))
      )
        delete input[slot.key];
  const ids = new Set(filled.references.map(({ slot }) => slot.key));
  const missing = entry.slots.find((slot) => slot.required && !(slot.key in input) && !ids.has(slot.key)) ?? findShortText(entry, input);
  if (missing) {
    const value = ownFieldValue(context, missing, utterance);
    if (value === undefined) return frame({ type: 'missing-slot', slot: missing, entry }, input);
    input[missing.key] = value;
  }
  const references = [...filled.references];
  const pointed = entry.slots.find(
    (slot) =>
      slot.kind === 'id' &&
      !slot.required &&
      !(slot.key in input) &&
      !ids.has(slot.key) &&
      previous.shown.length > 0 &&
      references.length === 0 &&
      (/\b(?:his|her|their|him|them|he|she|they|it|its|that one|this one)\b/i.test(utterance.text) ||
        (entry.mutates && utterance.words.length === 1)),
  );
  if (pointed) references.push({ slot: pointed, names: [], words: [] });
  const one = references.find(({ slot }) => slot.required && !(slot.key in input));
  // A tool for one record cannot change everyone's.
  if (entry.mutates && one && GROUP.test(utterance.text)) return frame({ type: 'missing-slot', slot: one.slot, entry }, input);
  for (const reference of references) {
    if (reference.slot.key in input) continue;
    const found = resolveReference(context, entry, reference, { utterance, shown: previous.shown });
    called = reference.names.map(({ text }) => text).join(' ') || reference.words.join(' ') || called;
    if ('id' in found) {
      input[reference.slot.key] = found.id;
      about = found.row ?? about;
    } else if ('several' in found && isRankedSearch(entry, found.entry) && called !== '' && found.several[0]) {
      // Show the best search result and name the others.
      input[reference.slot.key] = found.several[0][idKeyOf(found.entry.rowSchema) ?? ''];
      about = found.several[0];
      others = found.several.slice(1);
    } else if ('several' in found && rowNamedInText(entry, input, found.several)) {
      about = rowNamedInText(entry, input, found.several);
      input[reference.slot.key] = about?.[idKeyOf(found.entry.rowSchema) ?? ''];
    } else if (
      'several' in found &&
      called === '' &&
      entry.tool.kind === 'read' &&
      isAboutSelf(utterance) &&
      newestRow(found.several, found.entry.rowSchema)
    ) {
      about = newestRow(found.several, found.entry.rowSchema);
      input[reference.slot.key] = about?.[idKeyOf(found.entry.rowSchema) ?? ''];
      among = { entry: found.entry, count: found.several.length };
    } else if ('several' in found)
      return frame(
        {
          type: 'ambiguous',
          slot: reference.slot,
          rows: found.several,
          source: found.entry,
          entry,
          called,
          all: /\b(?:all|every|each|everything|any)\b/i.test(utterance.text),
        },
        input,
        [{ entry: found.entry, rows: found.several }],
      );
    else if (reference.slot.required) {
      if (called === '') return frame({ type: 'missing-slot', slot: reference.slot, entry }, input);
      return frame({ type: 'not-found', called, entry, finder: found.entry, answer: found.answer, wrong: found.wrong ?? 0 }, input);
    } else if (reference.names.length > 0)
      return frame({ type: 'not-found', called, entry, finder: found.entry, answer: found.answer, wrong: 0 }, input);
  }
  for (const slot of entry.slots.filter((each) => isPerson(each) && typeof input[each.key] === 'string')) {
    const several = completeName(context, slot, input);
    if (several)
      return frame(
        { type: 'ambiguous', slot, rows: several.rows, source: several.entry, entry, called: String(input[slot.key]), all: false },
        input,
        [several],
      );
  }
  const relative = resolveRelativeAmount(context, entry, { utterance, input, about });
  if (relative && !relative.amount) return frame({ type: 'missing-slot', slot: relative.slot, entry }, without(input, relative.slot.key));
  if (relative?.amount) input[relative.slot.key] = relative.amount.after;
  const { answer, used } = callTool(context, entry, { input, utterance });
  const rows = rowsIn(answer);
  const isUsed = (span: TextSpan | Amount | DateMention): boolean => filled.used.some((piece) => overlaps(piece, span));
  const textOf = ({ start, end }: { start: number; end: number }): string => utterance.text.slice(start, end);
  const certain = utterance.names.filter(({ isCertain, words }) => isCertain && !called.includes(words[0] ?? ''));
  const unplaced = entry.mutates
    ? []
    : [
        ...utterance.dates.filter((span) => isUsed(span) && isOnlyYear(entry, span, input)).map(textOf),
        ...[...utterance.amounts, ...utterance.dates, ...certain]
          .filter((span) => !isUsed(span))
          .map(textOf)
          .filter((part) => !isDefaultPeriod(part, entry, used)),
      ];
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
    [{ entry, rows }, ...(about ? [{ entry: finderOf(context, entry, filled.references) ?? entry, rows: [about] }] : [])],
  );
}
/** "Add a task to call the bank" is a task "Call the bank". */
function withoutOwnNoun({ tool, slots }: IndexedTool, input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const noun = tool.name.split('_').at(-1) ?? '';
  const own = new RegExp(`^(?:an?|the|another|my)(?: new)? ${noun} (?:to|that says|saying|about|called|named|for me to) (?=\\S)`, 'i');
  const isText = (key: string): boolean => slots.some((slot) => slot.key === key && (slot.kind === 'prose' || slot.kind === 'name'));
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [
      key,
      tool.effect === 'adds' && typeof value === 'string' && isText(key) && own.test(value) ? capitalise(value.replace(own, '')) : value,
    ]),
  );
}
/** "In October" that fills only a year: the month is left out. */
const isOnlyYear = ({ slots }: IndexedTool, span: DateMention, input: Readonly<Record<string, unknown>>): boolean =>
  span.grain !== 'year' &&
  slots.some(({ kind, key }) => kind === 'year' && key in input) &&
  !slots.some(({ kind, key }) => /^(?:date|month|period|quarter|days|units)$/.test(kind) && key in input);
const GROUP =
  /\b(?:everyone|everybody|(?:all|each|every)(?: of)?(?: the| our| my)? (?:employees?|staff|people|persons?|colleagues?|team|engineers?))\b/i;
const without = (input: Readonly<Record<string, unknown>>, key: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(input).filter(([each]) => each !== key));
/** "Is my leave approved yet?" asks for the state and does not filter by APPROVED. */
const OWN_STATE_QUESTION = /^(?:is|are|was|were|has|have|did|does) my\b/i;
/** The candidate that the text to be stored mentions. */
function rowNamedInText(entry: IndexedTool, input: Readonly<Record<string, unknown>>, rows: readonly Row[]): Row | undefined {
  const text = entry.mutates
    ? entry.slots
        .filter(({ kind, key }) => kind === 'prose' && typeof input[key] === 'string')
        .map(({ key }) => String(input[key]))
        .join(' ')
    : '';
  return text === '' ? undefined : bestMatch(rows, text);
}
/** True if the finder is a full-text search, which returns the best match first. */
const isRankedSearch = (entry: IndexedTool, finder: IndexedTool): boolean =>
  entry.tool.kind === 'read' &&
  finder.slots.some(({ kind }) => kind === 'query') &&
  !finder.slots.some(({ kind, key }) => kind === 'name' && key === 'name');
const finderOf = (context: TurnContext, entry: IndexedTool, references: readonly Reference[]): IndexedTool | undefined =>
  references.flatMap(({ slot }) => findersFor(context, entry, slot))[0];

/** Calls the tool. If the tool does not know a slot's value, the call is repeated with the value in another slot. */
function callTool(
  context: TurnContext,
  entry: IndexedTool,
  { input, utterance }: { input: Readonly<Record<string, unknown>>; utterance: Utterance },
): { answer: Answer; used: Readonly<Record<string, unknown>> } {
  // The store counts only if more rows follow than the answer shows.
  const answer = context.memory.call(entry.name, entry.tool.kind === 'list' ? { ...input, count: true } : input);
  if (answer.status !== 'error' || !answer.code.endsWith('_NOT_FOUND') || entry.mutates) return { answer, used: input };
  const wrong = entry.slots.find(
    (slot) => slot.kind === 'name' && slot.key in input && answer.code === `${slot.key.toUpperCase()}_NOT_FOUND`,
  );
  const other =
    wrong && entry.slots.find((slot) => slot.kind === 'name' && !(slot.key in input) && !context.index.knownValues.has(slot.key));
  if (!wrong) return { answer, used: input };
  const { [wrong.key]: value, ...rest } = input;
  // The value was an ordinary word, mistaken for a name.
  const guessed =
    utterance.names.every(({ isCertain, text }) => !isCertain || text !== value) &&
    utterance.tokens.some(({ word, capital }) => word === value && !capital);
  if (guessed) return { answer: context.memory.call(entry.name, rest), used: rest };
  if (!other) return { answer, used: input };
  const again = { ...rest, [other.key]: value };
  const second = context.memory.call(entry.name, again);
  return second.status === 'success' && rowsIn(second).length > 0 ? { answer: second, used: again } : { answer, used: input };
}

const findShortText = (entry: IndexedTool, input: Readonly<Record<string, unknown>>): Slot | undefined =>
  entry.slots.find(
    (slot) =>
      slot.required &&
      slot.kind === 'prose' &&
      typeof input[slot.key] === 'string' &&
      String(input[slot.key]).trim().length < (slot.schema.minLength ?? 0),
  );

/** True if an example with the same input mentions the same period ("this month"). The period is then the tool's default. */
const isDefaultPeriod = (part: string, { examples }: IndexedTool, used: Readonly<Record<string, unknown>>): boolean =>
  examples.some(({ succeeds, input, utterance }) => {
    const says = utterance.dates.some(({ start, end }) => utterance.text.slice(start, end).toLowerCase() === part.toLowerCase());
    return succeeds && says && isDeepStrictEqual(input, used);
  });
