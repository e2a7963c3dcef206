/** From what something is called to its id: by rows that were shown before, or by a tool that lists such rows. */
import type { Answer } from '../../core/answer.ts';
import type { Reading } from './annotate.ts';
import type { Thinking } from './context.ts';
import type { Entry } from './index-tools.ts';
import { extreme, ownIdOf, type Row, rowsIn, type Shown } from './rows.ts';
import { isId, type Slot } from './schema.ts';
import type { Mention } from './slot-filling-state.ts';
import { fill } from './slot-filling.ts';
import { alike } from './thesaurus.ts';
import { empty, fold, stem } from './tokenise.ts';

export type Found =
  | { readonly id: string | number; readonly row: Row | undefined }
  | { readonly several: readonly Row[]; readonly entry: Entry }
  | { readonly none: string; readonly entry: Entry | undefined; readonly answer: Answer | undefined; readonly wrong?: number };

/** Can rows of this tool give an id for the slot, and under which key? */
export function idKeyFor(slot: Slot, needing: Entry, source: Entry): string | undefined {
  const own = ownIdOf(source.row);
  const fields = source.row.properties ?? {};
  if (
    own !== undefined &&
    (own === slot.key || slot.key.endsWith(`_${own}`) || (needing.finders.get(slot.key) ?? []).includes(source.tool.name))
  )
    return own;
  const noun = own?.replace(/_id$/, '') ?? '';
  // An employee's manager is an employee: the id that is meant is the row's own.
  if (own !== undefined && noun.length > 2 && new RegExp(`\\b${noun}(?:_id)?\\b`, 'i').test(slot.description)) return own;
  return slot.key in fields && isId(slot.key) && own !== undefined ? slot.key : undefined;
}

/** Tools that list what the slot wants one of, the ones that its description names first. */
export function findersFor(thinking: Thinking, entry: Entry, slot: Slot): Entry[] {
  const named = (entry.finders.get(slot.key) ?? []).flatMap((name) =>
    [...thinking.allowed.values()].filter((each) => each.tool.name === name && !each.changes),
  );
  named.sort((a, b) => Number(b.tool.domain === entry.tool.domain) - Number(a.tool.domain === entry.tool.domain));
  if (named.length > 0) return [...new Set(named)];
  return [...thinking.allowed.values()].filter(
    (each) =>
      !each.changes &&
      each.tool.kind === 'list' &&
      each !== entry &&
      idKeyFor(slot, entry, each) === ownIdOf(each.row) &&
      ownIdOf(each.row) !== undefined &&
      each.slots.some(({ kind }) => kind === 'name' || kind === 'query'),
  );
}

const NEWEST = /\b(?:latest|last|newest|most recent|recent|current|just)\b/i;
const OLDEST = /\b(?:oldest|earliest|first ever)\b/i;
const BIGGEST = /\b(?:biggest|largest|highest|most expensive|most valuable)\b/i;
const GROUPS =
  /^(?:team|department|organi[sz]ation|org|group|people|staff|reports?|direct|employees|unit|boss|manager|company|colleagues?|office|division|customers?|behalf|name)$/;

/** Is it about the person who asks? "My team" is not, "show me" is not. */
export function aboutSelf(reading: Reading, entry?: Entry, told_ = entry?.tool.kind === 'read'): boolean {
  // "Who is my manager?": a group by itself, but also what the asker's own record tells.
  const told = entry && told_ ? new Set(Object.keys(entry.row.properties ?? {}).flatMap((key) => key.split('_').map(stem))) : undefined;
  return reading.tokens.some(({ word }, at) => {
    const next = reading.tokens[at + 1]?.word ?? '';
    const before = reading.tokens[at - 1]?.word ?? '';
    if (word === 'my' || word === 'own')
      return (
        !GROUPS.test(next) ||
        (told !== undefined &&
          [...told].some((field) => field === stem(next) || (field.length > 3 && next === 'boss' && alike(field, next))))
      );
    if (word === 'i' || word === "i've" || word === "i'm" || word === 'mine' || word === 'myself')
      return !/^(?:need|want|would|'d|like|see|know|get|have to)$/.test(next);
    return word === 'me' && !/^(?:show|tell|give|for|to|remind|help|let|with|bring|get|send|find|gimme)$/.test(before);
  });
}

export function resolve(thinking: Thinking, entry: Entry, mention: Mention, reading: Reading, shown: readonly Shown[], depth = 0): Found {
  const { slot } = mention;
  const words = mentionWords(mention);
  const before = fromShown(entry, mention, reading, shown);
  if (before) return before;
  if (
    words.length === 0 &&
    mention.names.length === 0 &&
    thinking.index.oneself.has(slot.key) &&
    aboutSelf(reading, entry) &&
    thinking.person.employeeId !== undefined
  )
    return { id: thinking.person.employeeId, row: undefined };
  const called = mention.names.map(({ text }) => text).join(' ') || mention.words.join(' ');
  const nothing = words.length === 0 && mention.names.length === 0;
  let last: Entry | undefined;
  let error: Answer | undefined;
  for (const finder of findersFor(thinking, entry, slot)) {
    const key = ownIdOf(finder.row);
    if (key === undefined || depth > 1) continue;
    last = finder;
    for (const input of searches(thinking, entry, finder, mention, reading, shown, depth)) {
      const answer = thinking.memory.ask(finder.name, input);
      if (answer.status === 'error') error = answer;
      // Something of hundreds, and no word to tell which: better asked than listed.
      if (nothing && answer.status === 'success' && answer.metadata?.hasMore && !NEWEST.test(reading.text) && !OLDEST.test(reading.text))
        return { none: '', entry: finder, answer: undefined };
      const all = nothing ? rowsIn(answer) : everyPage(thinking, finder, input, answer);
      const rows = pick(entry, finder, all, mention, reading, input);
      const [row] = rows;
      if (rows.length === 1 && row) return { id: row[key] as string | number, row };
      // Many of them, and nothing could be done with any.
      if (rows.length > 1 && rows.every((row) => !inLegalState(entry, row)))
        return { none: called, entry: finder, answer: undefined, wrong: rows.length };
      if (rows.length > 1) return { several: rows, entry: finder };
    }
  }
  return { none: called, entry: last, answer: error };
}

const mentionWords = (mention: Mention): string[] =>
  (mention.names.length > 0 ? mention.names.flatMap(({ words }) => words) : mention.words.map(fold)).filter(
    (word) => !empty.has(word) || mention.names.length > 0,
  );

const POINTING = /\b(?:it|that|this|them|those|these|one|ones|him|her|his|their|its|he|she|they|same|there)\b/i;
const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];

/** A row of the last answers that is pointed at, or that alone fits what was named. */
function fromShown(entry: Entry, mention: Mention, reading: Reading, shown: readonly Shown[]): Found | undefined {
  const words = mentionWords(mention).filter((word) => !ORDINALS.includes(word) && word !== 'last');
  for (const { entry: source, rows } of shown) {
    const key = idKeyFor(mention.slot, entry, source) ?? (rows[0] && mention.slot.key in rows[0] ? mention.slot.key : undefined);
    if (key === undefined || rows.length === 0) continue;
    const whole = rows.filter((row) => row[key] !== undefined && row[key] !== null);
    const at = ORDINALS.findIndex((ordinal) => new RegExp(`\\b(?:the|number) ${ordinal}\\b`, 'i').test(reading.text));
    const nth = at >= 0 ? whole[at] : /\bthe last (?:one|of)\b/i.test(reading.text) ? whole.at(-1) : undefined;
    if (nth) return { id: nth[key] as string | number, row: nth };
    const fitting =
      words.length > 0
        ? whole.filter((row) => words.every((word) => textOf(row).some((have) => have === word || stem(have) === stem(word))))
        : POINTING.test(reading.text) || whole.length === 1
          ? whole
          : [];
    const distinct = [...new Map(fitting.map((row) => [row[key], row])).values()];
    const lawful = distinct.length > 1 ? distinct.filter((row) => inLegalState(entry, row)) : distinct;
    const [only] = lawful;
    if (lawful.length === 1 && only) return { id: only[key] as string | number, row: only };
    if (lawful.length > 1 && (words.length > 0 || POINTING.test(reading.text))) return { several: lawful, entry: source };
  }
  return undefined;
}

const textOf = (row: Row): string[] =>
  Object.entries(row)
    .filter(([key, value]) => typeof value === 'string' && !isId(key))
    .flatMap(([, value]) => fold(String(value)).split(/[^a-z0-9'.-]+/))
    .concat(
      Object.entries(row)
        .filter(([key]) => isId(key))
        .map(([, value]) => fold(String(value))),
    );
const inLegalState = (entry: Entry, row: Row): boolean =>
  entry.legal.length === 0 || Object.values(row).some((value) => typeof value === 'string' && entry.legal.includes(value.toLowerCase()));

/** "Mark it as paid": the state that it is to have, not one that it has. */
const becomes = (entry: Entry, { text }: Reading, state: string): boolean =>
  !entry.legal.includes(state.toLowerCase()) &&
  new RegExp(
    `\\b(?:${entry.legal.length > 0 ? 'as|to|it|them|be' : 'be'}) (?:being |be |fully )?${state.toLowerCase().replaceAll('_', ' ')}\\b`,
    'i',
  ).test(text);
/** What to ask the finder, the narrowest first. */
function searches(
  thinking: Thinking,
  entry: Entry,
  finder: Entry,
  mention: Mention,
  reading: Reading,
  shown: readonly Shown[],
  depth: number,
): Record<string, unknown>[] {
  const filled = fill(thinking.index, finder, reading);
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
    if (slot.kind === 'choice' && entry.changes && becomes(entry, reading, String(filled.input[slot.key]))) continue;
    const values = thinking.index.known.get(slot.key);
    if (values && ![...values.values()].includes(String(filled.input[slot.key]))) continue;
    // Other words of the sentence are not about what is looked for.
    if (
      slot.kind === 'name' &&
      !thinking.index.known.has(slot.key) &&
      !mention.names.some(({ text }) => fold(text) === fold(String(filled.input[slot.key]))) &&
      !reading.names.some(({ text, sure }) => sure && text === filled.input[slot.key])
    )
      continue;
    input[slot.key] = filled.input[slot.key];
  }
  const called = mention.names.map(({ text }) => text).join(' ') || mention.words.join(' ');
  const taken = Object.values(input).some((value) => typeof value === 'string' && fold(called).includes(fold(value)));
  const query = finder.slots.find(({ kind }) => kind === 'query');
  if (query && called !== '' && !taken) input[query.key] = called;
  const nested = filled.mentions.find((each) => each.names.length > 0 && !each.slot.required);
  if (nested && depth === 0) {
    const found = resolve(thinking, finder, nested, reading, [], depth + 1);
    if ('id' in found) input[nested.slot.key] = found.id;
    else if ('several' in found) {
      const key = ownIdOf(found.entry.row);
      const ids = found.several.map((row) => row[key ?? '']);
      return ids.slice(0, 3).map((id) => ({ ...input, [nested.slot.key]: id }));
    }
  } else if (aboutSelf(reading) && thinking.person.employeeId !== undefined) {
    for (const { key, kind } of finder.slots)
      if (kind === 'id' && thinking.index.oneself.has(key) && !(key in input)) input[key] = thinking.person.employeeId;
  }
  const names = finder.slots.find(({ kind, key }) => kind === 'name' && !thinking.index.known.has(key) && !(key in input));
  if (!query && names && called !== '' && !taken && !nested && mention.words.length <= 4) input[names.key] = called;
  const state = finder.slots.find(
    (slot) => slot.kind === 'choice' && !(slot.key in input) && slot.values.some((value) => entry.legal.includes(value.toLowerCase())),
  );
  const lawful = state?.values.filter((value) => entry.legal.includes(value.toLowerCase())) ?? [];
  const [one] = lawful;
  const tries: Record<string, unknown>[] = [];
  if (state && lawful.length === 1 && one !== undefined) tries.push({ ...input, [state.key]: one });
  tries.push(input);
  // A state that was not said but concluded may be the wrong one: what is found then says so itself.
  const said = finder.slots.filter(
    (slot) =>
      slot.kind === 'choice' &&
      slot.key in input &&
      !reading.tokens.some(({ word }) => word === fold(String(input[slot.key])).replaceAll('_', ' ')),
  );
  if (said.length > 0) tries.push(Object.fromEntries(Object.entries(input).filter(([key]) => !said.some((slot) => slot.key === key))));
  if (!query && names && names.key in input && input[names.key] === called && mention.names.length === 0) {
    const { [names.key]: _, ...rest } = input;
    tries.push(rest);
  }
  return tries;
}

/** A few pages more where the finder could not be told what to look for. */
function everyPage(thinking: Thinking, finder: Entry, input: Record<string, unknown>, first: Answer): Row[] {
  const rows = rowsIn(first);
  let answer = first;
  const narrow = Object.keys(input).some((key) =>
    finder.slots.some((slot) => slot.key === key && (slot.kind === 'name' || slot.kind === 'query' || slot.kind === 'id')),
  );
  for (let page = 0; page < 3 && !narrow && answer.status === 'success' && answer.metadata?.nextCursor !== undefined; page += 1) {
    answer = thinking.memory.ask(finder.name, { ...input, cursor: answer.metadata.nextCursor });
    rows.push(...rowsIn(answer));
  }
  return rows;
}

/** The rows that fit what was named best, in a state that allows it. */
function pick(entry: Entry, finder: Entry, all: readonly Row[], mention: Mention, reading: Reading, input: Record<string, unknown>): Row[] {
  const words = mentionWords(mention);
  const called = fold(mention.names.map(({ text }) => text).join(' ') || mention.words.join(' '));
  const searched = Object.keys(input).some((key) =>
    finder.slots.some((slot) => slot.key === key && (slot.kind === 'query' || slot.kind === 'id')),
  );
  const scored = all.map((row) => {
    const text = textOf(row);
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
    if (NEWEST.test(reading.text)) return [extreme(rows, finder.row, 'date', 1) ?? first];
    if (OLDEST.test(reading.text)) return [extreme(rows, finder.row, 'date', -1) ?? first];
    if (BIGGEST.test(reading.text)) return [extreme(rows, finder.row, 'amount', 1) ?? first];
  }
  return rows;
}
