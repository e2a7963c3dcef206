/** Resolves references to ids: from rows shown before, or through a tool that finds such rows. */
import type { Answer } from '../../declare/answer.ts';
import type { Utterance } from './annotate.ts';
import type { TurnContext } from './context.ts';
import type { IndexedTool } from './index-tools.ts';
import { extremeRow, idKeyOf, type Row, rowsIn, type ShownRows } from './rows.ts';
import { isId, type Slot } from './schema.ts';
import type { Reference } from './slot-filling-state.ts';
import { fillSlots } from './slot-filling.ts';
import { areSynonyms } from './thesaurus.ts';
import { stopWords, fold, stem } from './tokenise.ts';

export type ResolvedReference =
  | { readonly id: string | number; readonly row: Row | undefined }
  | { readonly several: readonly Row[]; readonly entry: IndexedTool }
  | { readonly none: string; readonly entry: IndexedTool | undefined; readonly answer: Answer | undefined; readonly wrong?: number };

/** The key of the field in rows of `source` that holds an id for the slot. */
export function idKeyFor(slot: Slot, needing: IndexedTool, source: IndexedTool): string | undefined {
  const own = idKeyOf(source.rowSchema);
  const fields = source.rowSchema.properties ?? {};
  if (
    own !== undefined &&
    (own === slot.key || slot.key.endsWith(`_${own}`) || (needing.finders.get(slot.key) ?? []).includes(source.tool.name))
  )
    return own;
  const noun = own?.replace(/_id$/, '') ?? '';
  // A manager is an employee, so the row's own id fits a slot described as an employee id.
  if (own !== undefined && noun.length > 2 && new RegExp(`\\b${noun}(?:_id)?\\b`, 'i').test(slot.description)) return own;
  return slot.key in fields && isId(slot.key) && own !== undefined ? slot.key : undefined;
}

/** Finders are the tools that the slot's description or the error hints name, or else the lists whose rows have such an id. */
export function findersFor(context: TurnContext, entry: IndexedTool, slot: Slot): IndexedTool[] {
  const named = (entry.finders.get(slot.key) ?? []).flatMap((name) =>
    [...context.allowed.values()].filter((each) => each.tool.name === name && !each.mutates),
  );
  named.sort((a, b) => Number(b.tool.domain === entry.tool.domain) - Number(a.tool.domain === entry.tool.domain));
  if (named.length > 0) return [...new Set(named)];
  return [...context.allowed.values()].filter(
    (each) =>
      !each.mutates &&
      each.tool.kind === 'list' &&
      each !== entry &&
      idKeyFor(slot, entry, each) === idKeyOf(each.rowSchema) &&
      idKeyOf(each.rowSchema) !== undefined &&
      each.slots.some(({ kind }) => kind === 'name' || kind === 'query'),
  );
}

const NEWEST = /\b(?:latest|last|newest|most recent|recent|current|just)\b/i;
const OLDEST = /\b(?:oldest|earliest|first ever)\b/i;
const BIGGEST = /\b(?:biggest|largest|highest|most expensive|most valuable)\b/i;
const GROUP_NOUN =
  /^(?:team|department|organi[sz]ation|org|group|people|staff|reports?|direct|employees|unit|boss|manager|company|colleagues?|office|division|customers?|behalf|name)$/;

/** Whether the utterance is about the asker. "My team" and "show me" do not count. */
export function isAboutSelf(utterance: Utterance, entry?: IndexedTool, useFields = entry?.tool.kind === 'read'): boolean {
  // "Who is my manager?" is about the asker if the tool's rows have that field.
  const fieldStems =
    entry && useFields ? new Set(Object.keys(entry.rowSchema.properties ?? {}).flatMap((key) => key.split('_').map(stem))) : undefined;
  return utterance.tokens.some(({ word }, at) => {
    const next = utterance.tokens[at + 1]?.word ?? '';
    const before = utterance.tokens[at - 1]?.word ?? '';
    if (word === 'my' || word === 'own')
      return (
        !GROUP_NOUN.test(next) ||
        (fieldStems !== undefined &&
          [...fieldStems].some((field) => field === stem(next) || (field.length > 3 && next === 'boss' && areSynonyms(field, next))))
      );
    if (word === 'i' || word === "i've" || word === "i'm" || word === 'mine' || word === 'myself')
      return !/^(?:need|want|would|'d|like|see|know|get|have to)$/.test(next);
    return word === 'me' && !/^(?:show|tell|give|for|to|remind|help|let|with|bring|get|send|find|gimme)$/.test(before);
  });
}

export function resolveReference(
  context: TurnContext,
  entry: IndexedTool,
  reference: Reference,
  { utterance, shown, depth = 0 }: { utterance: Utterance; shown: readonly ShownRows[]; depth?: number },
): ResolvedReference {
  const { slot } = reference;
  const words = referenceWords(reference);
  const before = resolveFromShown(entry, reference, { utterance, shown });
  if (before) return before;
  if (
    words.length === 0 &&
    reference.names.length === 0 &&
    context.index.selfKeys.has(slot.key) &&
    isAboutSelf(utterance, entry) &&
    context.person.employeeId !== undefined
  )
    return { id: context.person.employeeId, row: undefined };
  const called = reference.names.map(({ text }) => text).join(' ') || reference.words.join(' ');
  const nothing = words.length === 0 && reference.names.length === 0;
  let last: IndexedTool | undefined;
  let error: Answer | undefined;
  for (const finder of findersFor(context, entry, slot)) {
    const key = idKeyOf(finder.rowSchema);
    if (key === undefined || depth > 1) continue;
    last = finder;
    for (const input of finderInputs(context, entry, finder, { reference, utterance, depth })) {
      const answer = context.memory.call(finder.name, input);
      if (answer.status === 'error') error = answer;
      if (
        nothing &&
        answer.status === 'success' &&
        answer.metadata?.hasMore &&
        !NEWEST.test(utterance.text) &&
        !OLDEST.test(utterance.text)
      )
        return { none: '', entry: finder, answer: undefined };
      const all = nothing ? rowsIn(answer) : fetchPages(context, finder, { input, first: answer });
      const rows = selectRows(entry, finder, { all, reference, utterance, input });
      const [row] = rows;
      if (rows.length === 1 && row) return { id: row[key] as string | number, row };
      if (rows.length > 1 && rows.every((row) => !inLegalState(entry, row)))
        return { none: called, entry: finder, answer: undefined, wrong: rows.length };
      if (rows.length > 1) return { several: rows, entry: finder };
    }
  }
  return { none: called, entry: last, answer: error };
}

const referenceWords = (reference: Reference): string[] =>
  (reference.names.length > 0 ? reference.names.flatMap(({ words }) => words) : reference.words.map(fold)).filter(
    (word) => !stopWords.has(word) || reference.names.length > 0,
  );

const ROW_ANAPHORA = /\b(?:it|that|this|them|those|these|one|ones|him|her|his|their|its|he|she|they|same|there)\b/i;
const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];

/** Resolves a pronoun, an ordinal or a name from the rows shown before. */
function resolveFromShown(
  entry: IndexedTool,
  reference: Reference,
  { utterance, shown }: { utterance: Utterance; shown: readonly ShownRows[] },
): ResolvedReference | undefined {
  const words = referenceWords(reference).filter((word) => !ORDINALS.includes(word) && word !== 'last');
  for (const { entry: source, rows } of shown) {
    const key = idKeyFor(reference.slot, entry, source) ?? (rows[0] && reference.slot.key in rows[0] ? reference.slot.key : undefined);
    if (key === undefined || rows.length === 0) continue;
    const whole = rows.filter((row) => row[key] !== undefined && row[key] !== null);
    const at = ORDINALS.findIndex((ordinal) => new RegExp(`\\b(?:the|number) ${ordinal}\\b`, 'i').test(utterance.text));
    const nth = at >= 0 ? whole[at] : /\bthe last (?:one|of)\b/i.test(utterance.text) ? whole.at(-1) : undefined;
    if (nth) return { id: nth[key] as string | number, row: nth };
    const fitting =
      words.length > 0
        ? whole.filter((row) => words.every((word) => wordsOf(row).some((have) => have === word || stem(have) === stem(word))))
        : ROW_ANAPHORA.test(utterance.text) || whole.length === 1
          ? whole
          : [];
    const distinct = [...new Map(fitting.map((row) => [row[key], row])).values()];
    const lawful = distinct.length > 1 ? distinct.filter((row) => inLegalState(entry, row)) : distinct;
    const [only] = lawful;
    if (lawful.length === 1 && only) return { id: only[key] as string | number, row: only };
    if (lawful.length > 1 && (words.length > 0 || ROW_ANAPHORA.test(utterance.text))) return { several: lawful, entry: source };
  }
  return undefined;
}

const wordsOf = (row: Row): string[] =>
  Object.entries(row)
    .filter(([key, value]) => typeof value === 'string' && !isId(key))
    .flatMap(([, value]) => fold(String(value)).split(/[^a-z0-9'.-]+/))
    .concat(
      Object.entries(row)
        .filter(([key]) => isId(key))
        .map(([, value]) => fold(String(value))),
    );
const inLegalState = (entry: IndexedTool, row: Row): boolean =>
  entry.legalStates.length === 0 ||
  Object.values(row).some((value) => typeof value === 'string' && entry.legalStates.includes(value.toLowerCase()));

/** "Mark it as paid": the state is the target, not a filter. */
const isTargetState = (entry: IndexedTool, { text }: Utterance, state: string): boolean =>
  !entry.legalStates.includes(state.toLowerCase()) &&
  new RegExp(
    `\\b(?:${entry.legalStates.length > 0 ? 'as|to|it|them|be' : 'be'}) (?:being |be |fully ` +
      `)?${state.toLowerCase().replaceAll('_', ' ')}\\b`,
    'i',
  ).test(text);
/** The inputs to try with the finder, narrowest first. */
function finderInputs(
  context: TurnContext,
  entry: IndexedTool,
  finder: IndexedTool,
  { reference, utterance, depth }: { reference: Reference; utterance: Utterance; depth: number },
): Record<string, unknown>[] {
  const filled = fillSlots(context.index, finder, utterance);
  const input: Record<string, unknown> = {};
  const mine = (slot: Slot) =>
    entry.slots.some(
      (own) =>
        own.key === slot.key &&
        own.kind === slot.kind &&
        (slot.kind === 'choice' || slot.kind === 'date' || slot.kind === 'amount' || slot.kind === 'number'),
    );
  for (const slot of finder.slots) {
    if (!(slot.key in filled.input) || /^(?:limit|cursor|sort|prose|amount|number|flag|units)$/.test(slot.kind) || mine(slot)) continue;
    if (slot.kind === 'query' || slot.kind === 'date') continue;
    if (slot.kind === 'choice' && entry.mutates && isTargetState(entry, utterance, String(filled.input[slot.key]))) continue;
    const values = context.index.knownValues.get(slot.key);
    if (values && ![...values.values()].includes(String(filled.input[slot.key]))) continue;
    // Names that belong to other slots must not restrict the search.
    if (
      slot.kind === 'name' &&
      !context.index.knownValues.has(slot.key) &&
      !reference.names.some(({ text }) => fold(text) === fold(String(filled.input[slot.key]))) &&
      !utterance.names.some(({ text, isCertain }) => isCertain && text === filled.input[slot.key])
    )
      continue;
    input[slot.key] = filled.input[slot.key];
  }
  const called = reference.names.map(({ text }) => text).join(' ') || reference.words.join(' ');
  const taken = Object.values(input).some((value) => typeof value === 'string' && fold(called).includes(fold(value)));
  const query = finder.slots.find(({ kind }) => kind === 'query');
  if (query && called !== '' && !taken) input[query.key] = called;
  const nested = filled.references.find((each) => each.names.length > 0 && !each.slot.required);
  if (nested && depth === 0) {
    const found = resolveReference(context, finder, nested, { utterance, shown: [], depth: depth + 1 });
    if ('id' in found) input[nested.slot.key] = found.id;
    else if ('several' in found) {
      const key = idKeyOf(found.entry.rowSchema);
      const ids = found.several.map((row) => row[key ?? '']);
      return ids.slice(0, 3).map((id) => ({ ...input, [nested.slot.key]: id }));
    }
  } else if (isAboutSelf(utterance) && context.person.employeeId !== undefined) {
    for (const { key, kind } of finder.slots)
      if (kind === 'id' && context.index.selfKeys.has(key) && !(key in input)) input[key] = context.person.employeeId;
  }
  const names = finder.slots.find(({ kind, key }) => kind === 'name' && !context.index.knownValues.has(key) && !(key in input));
  if (!query && names && called !== '' && !taken && !nested && reference.words.length <= 4) input[names.key] = called;
  const state = finder.slots.find(
    (slot) =>
      slot.kind === 'choice' && !(slot.key in input) && slot.values.some((value) => entry.legalStates.includes(value.toLowerCase())),
  );
  const lawful = state?.values.filter((value) => entry.legalStates.includes(value.toLowerCase())) ?? [];
  const [one] = lawful;
  const tries: Record<string, unknown>[] = [];
  if (state && lawful.length === 1 && one !== undefined) tries.push({ ...input, [state.key]: one });
  tries.push(input);
  // An inferred state may be wrong, so the call is also tried without it.
  const said = finder.slots.filter(
    (slot) =>
      slot.kind === 'choice' &&
      slot.key in input &&
      !utterance.tokens.some(({ word }) => word === fold(String(input[slot.key])).replaceAll('_', ' ')),
  );
  if (said.length > 0) tries.push(Object.fromEntries(Object.entries(input).filter(([key]) => !said.some((slot) => slot.key === key))));
  if (!query && names && names.key in input && input[names.key] === called && reference.names.length === 0) {
    const { [names.key]: _, ...rest } = input;
    tries.push(rest);
  }
  // The name may belong to another field: "in Elbe" is a building in one question and a room in another.
  const guessed = finder.slots.find(({ key, kind }) => kind === 'name' && input[key] === called && !context.index.knownValues.has(key));
  if (guessed && reference.names.length > 0) {
    const { [guessed.key]: _, ...rest } = input;
    for (const { key, kind } of finder.slots)
      if (kind === 'name' && !(key in input) && !context.index.knownValues.has(key)) tries.push({ ...rest, [key]: called });
  }
  return tries;
}

/** Fetches up to three more pages if the finder has no filter for the reference. */
function fetchPages(context: TurnContext, finder: IndexedTool, { input, first }: { input: Record<string, unknown>; first: Answer }): Row[] {
  const rows = rowsIn(first);
  let answer = first;
  const narrow = Object.keys(input).some((key) =>
    finder.slots.some((slot) => slot.key === key && (slot.kind === 'name' || slot.kind === 'query' || slot.kind === 'id')),
  );
  for (let page = 0; page < 3 && !narrow && answer.status === 'success' && answer.metadata?.nextCursor !== undefined; page += 1) {
    answer = context.memory.call(finder.name, { ...input, cursor: answer.metadata.nextCursor });
    rows.push(...rowsIn(answer));
  }
  return rows;
}

function selectRows(
  entry: IndexedTool,
  finder: IndexedTool,
  { all, reference, utterance, input }: { all: readonly Row[]; reference: Reference; utterance: Utterance; input: Record<string, unknown> },
): Row[] {
  const words = referenceWords(reference);
  const called = fold(reference.names.map(({ text }) => text).join(' ') || reference.words.join(' '));
  const searched = Object.keys(input).some((key) =>
    finder.slots.some((slot) => slot.key === key && (slot.kind === 'query' || slot.kind === 'id')),
  );
  const scored = all.map((row) => {
    const text = wordsOf(row);
    const titles = Object.entries(row)
      .filter(([key, value]) => typeof value === 'string' && /name|title|subject|topic/.test(key))
      .map(([, value]) => fold(String(value)));
    const hits = words.filter((word) => text.some((have) => have === word || stem(have) === stem(word))).length;
    const titled = words.filter((word) =>
      titles.some((title) => title.split(/[^a-z0-9]+/).some((have) => have === word || stem(have) === stem(word))),
    ).length;
    return { row, score: hits + titled * 0.5 + (called !== '' && titles.includes(called) ? 3 : 0) };
  });
  const best = Math.max(0, ...scored.map(({ score }) => score));
  let rows = scored.filter(({ score }) => (words.length === 0 ? true : best > 0 ? score === best : searched)).map(({ row }) => row);
  if (rows.length > 1) {
    const lawful = rows.filter((row) => inLegalState(entry, row));
    if (lawful.length > 0) rows = lawful;
  }
  const [first] = rows;
  if (rows.length > 1 && first) {
    if (NEWEST.test(utterance.text)) return [extremeRow(rows, finder.rowSchema, { by: 'date', sign: 1 }) ?? first];
    if (OLDEST.test(utterance.text)) return [extremeRow(rows, finder.rowSchema, { by: 'date', sign: -1 }) ?? first];
    if (BIGGEST.test(utterance.text)) return [extremeRow(rows, finder.rowSchema, { by: 'amount', sign: 1 }) ?? first];
  }
  return rows;
}
