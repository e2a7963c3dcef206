/** Slots of one tool, filled from one sentence. What needs another call to become an id is left as a mention. */
import type { Amount } from './amounts.ts';
import { choose, flag, usual } from './choices.ts';
import { setDates } from './fill-dates.ts';
import { fillProse } from './fill-prose.ts';
import { itemsIn } from './items.ts';
import { around, type Entry, type Example, type Index } from './learn.ts';
import { speaksOf } from './rank.ts';
import { type Name, overlaps, type Piece, type Reading, type Word } from './read.ts';
import { isPerson, type Slot } from './schema.ts';
import { about, afterKey, afterWords, piece } from './text.ts';
import { CHANGES, othersFor } from './thesaurus.ts';
import { empty, fold, HOW_TO, numberWord, stem } from './words.ts';

/** Something that was named, and has to become an id. */
export interface Mention {
  readonly slot: Slot;
  readonly names: readonly Name[];
  /** The words that describe it, where it has no name. */
  readonly words: readonly string[];
}
export interface Filled {
  readonly entry: Entry;
  readonly input: Record<string, unknown>;
  readonly mentions: Mention[];
  /** Required, and nowhere to be found. */
  missing: Slot[];
  readonly used: Piece[];
  /** Those of them that are words of the tool itself: the name of a state. */
  readonly states: Piece[];
  /** Words that neither the tool nor a value accounts for. */
  readonly left: Word[];
}

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
    const value = slot.values.find((each) => reading.tokens.some(({ word }) => word === each.split('_').at(-1)) && each !== slot.schema.default && reading.text.toLowerCase().includes(each.replaceAll('_', ' ')));
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
    const inner = said?.found ? filled.states.filter((state) => state.start >= said.start && state.end <= said.end && state.end - state.start < said.end - said.start && !/^(?:open|closed|new|high|low|critical)$/i.test(state.text)) : [];
    if (said && inner.length > 0) {
      for (const key of Object.keys(input)) if (entry.slots.some((each) => each.key === key && each.kind === 'choice' && inner.some((state) => choose(index, entry, each, reading, [], example)?.at?.start === state.start))) delete input[key];
      set(slot, reading.text.slice(said.start, said.end).trim().replace(/[\s,?.!]+$/, ''), said);
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
  filled.missing = entry.slots.filter((slot) => slot.required && !(slot.key in input) && !filled.mentions.some((mention) => mention.slot === slot));
  return filled;
}

type Set_ = (slot: Slot, value: unknown, at?: Piece) => void;
type Free = (span: Piece | Name | Amount) => boolean;

/** Ids that stand in the text. A plain number is one only right after what it numbers. */
function fillIds(entry: Entry, reading: Reading, set: Set_, free: Free): void {
  const slots = entry.slots.filter(({ kind }) => kind === 'id' || kind === 'number-id');
  for (const slot of slots) {
    const noun = stem(slot.key.replace(/_id$/, '').split('_').at(-1) ?? '');
    if (slot.kind === 'number-id' || slot.schema.format !== 'uuid') {
      const at = reading.tokens.findIndex((token, place) => /^\d{1,9}$/.test(token.word) && (reading.tokens[place - 1]?.stem === noun || reading.text.slice(0, token.start).endsWith('#') || entry.stems.has(reading.tokens[place - 1]?.stem ?? '')));
      const token = reading.tokens[at];
      if (token && free({ ...token, text: '' })) {
        set(slot, slot.kind === 'number-id' ? Number(token.word) : token.word, { text: token.word, start: token.start, end: token.end });
        continue;
      }
      if (slot.kind === 'number-id') continue;
    }
    const before = (piece: Piece) => reading.tokens.filter(({ end }) => end <= piece.start).at(-1)?.stem ?? '';
    const isUuid = slot.schema.format === 'uuid';
    const ids = reading.ids.filter((piece) => free(piece) && !(reading.names.some((name) => overlaps(name, piece)) && !slot.required));
    const piece = ids.find((each) => before(each) === noun) ?? (slot.required || slots.length === 1 ? ids.find((each) => /-.*-/.test(each.text) || (!isUuid && (entry.stems.has(before(each)) || /^[et]-\d/.test(each.text)))) : undefined);
    if (piece && !afterOtherKey(entry, slot, before(piece))) set(slot, piece.text, piece);
  }
}
/** "reference WIRE-8841" is a reference, whatever it looks like. */
const afterOtherKey = (entry: Entry, slot: Slot, word: string): boolean => entry.slots.some((other) => other !== slot && other.kind !== 'id' && (stem(other.key.split('_').at(-1) ?? '') === word || (word !== '' && othersFor(other.key.split('_').at(-1) ?? '').some((same) => stem(same) === word))));

function fillAmounts(entry: Entry, reading: Reading, set: Set_, free: Free): void {
  const slots = entry.slots.filter(({ kind }) => kind === 'amount' || kind === 'number');
  const filled = new Set<string>();
  for (const amount of reading.amounts.filter(free)) {
    const near = (slot: Slot) => slot.base.split('_').some((word) => reading.tokens.some((token) => token.stem === stem(word) && Math.abs(token.start - amount.start) < 40));
    const fits = slots.filter((slot) => !filled.has(slot.key) && !isShare(slot, amount) && inRange(slot, scaled(slot, amount)));
    const bounded = fits.filter((slot) => (amount.bound === 'min' ? slot.edge === 'from' : amount.bound === 'max' ? slot.edge === 'to' : slot.edge === undefined));
    const others = bounded.length === 0 && amount.bound !== undefined ? fits.filter((slot) => slot.edge === undefined) : bounded;
    const slot = others.find(near) ?? others.find(({ kind }) => kind === 'amount') ?? (amount.bound !== undefined ? others[0] : undefined) ?? others.find(({ required }) => required);
    if (!slot) continue;
    filled.add(slot.key);
    set(slot, scaled(slot, amount), { text: '', start: amount.start, end: amount.end });
  }
  for (const slot of slots.filter(({ kind, key }) => kind === 'number' && !filled.has(key))) {
    // "two levels deep": a number word beside a word of the slot.
    const said = reading.tokens.find((token, at) => numberWord(token.word) !== undefined && reading.tokens.slice(at + 1, at + 3).some((next) => slotWords(slot).has(next.stem)));
    if (said && inRange(slot, numberWord(said.word) ?? 0)) set(slot, numberWord(said.word), { text: said.word, start: said.start, end: said.end });
  }
}
const slotWords = (slot: Slot): Set<string> => new Set([...slot.key.split('_'), ...slot.description.toLowerCase().split(/\W+/)].filter((word) => word.length > 3 && !empty.has(word)).map(stem));
const scaled = (slot: Slot, amount: Amount): number => (amount.percent && slot.schema.maximum === 1 ? amount.value / 100 : amount.value);
/** A share of something is no sum of money. */
const isShare = ({ schema }: Slot, { percent }: Amount): boolean => percent && schema.unit !== undefined && schema.unit !== 'percent';
const inRange = ({ schema }: Slot, value: number): boolean => value >= (schema.minimum ?? -Infinity) && value <= (schema.maximum ?? Infinity) && (schema.type !== 'integer' || Number.isInteger(value));

/** Values that the schema itself names: departments, offices. */
function fillKnown(index: Index, entry: Entry, reading: Reading, set: Set_, free: Free): void {
  for (const slot of entry.slots) {
    const values = index.known.get(slot.key);
    if (!values || slot.kind !== 'name') continue;
    const found = knownIn(values, reading).find(({ at }) => free(at));
    if (found) set(slot, found.value, found.at);
  }
}
export function knownIn(values: ReadonlyMap<string, string>, reading: Reading): { value: string; at: Piece }[] {
  const found: { value: string; at: Piece }[] = [];
  for (const [folded, value] of values) {
    const spellings = [folded, ...(folded.length <= 3 ? othersFor(folded).filter((other) => other.includes(' ')) : [])];
    for (const spelling of spellings.filter((each) => reading.folded.includes(each))) {
      const match = new RegExp(`(?<![\\w-])${spelling.replace(/[^\w ]/g, '\\$&')}s?(?![\\w-])`).exec(reading.folded);
      if (!match) continue;
      const at = { text: reading.text.slice(match.index, match.index + match[0].length), start: match.index, end: match.index + match[0].length };
      // "Apex Legal Partners" is not the legal department.
      if (!reading.names.some((name) => name.sure && overlaps(name, at) && name.end - name.start > at.end - at.start && !/^\W/.test(name.text.replace(at.text, '')) && name.words.length > spelling.split(' ').length)) found.push({ value, at });
    }
  }
  // Written as a name before written small: "the Legal budget of sales".
  return found.sort((a, b) => Number(/^\p{Lu}/u.test(b.at.text)) - Number(/^\p{Lu}/u.test(a.at.text)) || a.at.start - b.at.start);
}

/** Names go where the examples put names that stand beside the same words. */
function fillNames(index: Index, entry: Entry, reading: Reading, filled: Filled, set: Set_, free: Free): void {
  const slots = entry.slots.filter((slot) => !(slot.key in filled.input) && (slot.kind === 'name' || slot.kind === 'id' || slot.kind === 'number-id' || slot.kind === 'query' || slot.kind === 'names'));
  const taken = new Set<Slot>();
  const names = reading.names.filter((name) => free(name) && !reading.ids.some((id) => overlaps(id, name)));
  for (const name of [...names.filter(({ sure }) => sure), ...names.filter(({ sure }) => !sure)]) {
    const scored = slots.filter((slot) => !taken.has(slot)).map((slot) => ({ slot, score: nameScore(index, entry, slot, reading, name) })).sort((a, b) => b.score - a.score);
    const [best] = scored;
    if (!best || best.score < (name.sure ? 0.3 : 0.9)) continue;
    taken.add(best.slot);
    if (best.slot.kind === 'id' || best.slot.kind === 'number-id') {
      filled.mentions.push({ slot: best.slot, names: [name], words: [] });
      filled.used.push(name);
    } else if (best.slot.kind !== 'query') set(best.slot, best.slot.kind === 'names' ? [name.text] : name.text, name);
  }
}
/** "In the health industry": a value right before the name of its slot. */
function fillBefore(index: Index, entry: Entry, reading: Reading, filled: Filled, set: Set_, free: Free): void {
  for (const slot of entry.slots.filter(({ kind, key }) => kind === 'name' && !(key in filled.input) && !index.known.has(key) && !key.includes('_') && key !== 'name')) {
    const at = reading.tokens.findIndex(({ stem: each }) => each === stem(slot.key) || othersFor(slot.key).some((other) => !other.includes(' ') && stem(other) === each));
    const [before, key] = [reading.tokens[at - 1], reading.tokens[at]];
    if (!before || !key || empty.has(before.word) || CHANGES.has(before.stem) || before.capital || !free({ ...before, text: '' }) || (entry.stems.get(before.stem) ?? 0) >= 0.7) continue;
    if (!/^(?:in|of|from|for)$/.test(reading.tokens[at - 2]?.word ?? '') && !/^(?:the|an?)$/.test(reading.tokens[at - 2]?.word ?? '')) continue;
    set(slot, before.raw, { text: before.raw, start: before.start, end: before.end });
  }
}
/** A word that no tool knows, where the examples have such words too: "the recruiters" is a job title. */
function fillPlain(index: Index, entry: Entry, reading: Reading, filled: Filled, set: Set_, free: Free): void {
  const slot = entry.slots.find(({ kind, key }) => kind === 'name' && !(key in filled.input) && entry.examples.some(({ input }) => typeof input[key] === 'string' && /^[a-z]+$/.test(input[key])));
  const rest = reading.words.filter((word) => free({ ...word.token, text: '' }) && (speaksOf(entry, word) < 0.35 || !index.lexicon.vocabulary.has(word.token.word)) && !word.token.capital && word.ideas.length === 0 && !CHANGES.has(word.stem));
  const [first, second] = rest;
  const last = second ?? first;
  if (!slot || !first || !last || rest.length > 2 || (second && second.token.start > first.token.end + 1) || !/[^s]s$/.test(last.token.word)) return;
  const text = reading.text.slice(first.token.start, last.token.end).replace(/([^s])s$/, '$1');
  set(slot, text, { text, start: first.token.start, end: last.token.end });
}

/** Values that are words themselves: "depends on" is depends_on, as in an example; else what stands between two names. */
function fillAsExamples(entry: Entry, reading: Reading, filled: Filled, set: Set_, free: Free): void {
  for (const slot of entry.slots.filter(({ kind, key }) => kind === 'name' && !(key in filled.input))) {
    for (const { input } of entry.examples) {
      const value = input[slot.key];
      if (typeof value !== 'string' || !value.includes('_')) continue;
      const words = value.split('_').filter((word) => !empty.has(word)).map(stem);
      const said = reading.tokens.find((token) => words.includes(token.stem) && free({ ...token, text: '' }));
      if (said && words.every((word) => reading.tokens.some((token) => token.stem === word))) {
        set(slot, value, { text: said.raw, start: said.start, end: said.end });
        break;
      }
    }
    if (slot.key in filled.input || !slot.required) continue;
    const [left, right] = filled.used.filter((span) => reading.names.some((name) => name.start === span.start)).sort((a, b) => a.start - b.start);
    const between = left && right ? reading.tokens.filter((token) => token.start >= left.end && token.end <= right.start && !/^(?:is|are|was|the|a|an|now|be|been)$/.test(token.word)) : [];
    const [first, last] = [between[0], between.at(-1)];
    if (first && last && between.length <= 4) set(slot, between.map(({ word }) => word).join('_'), { text: '', start: first.start, end: last.end });
  }
}

/**
 * "… that checkout is owned by the Payments team": what stands before and after the words of a relation, whether it looks like a name or
 * not.
 */
function fillAround(entry: Entry, reading: Reading, filled: Filled, set: Set_): void {
  const names = entry.slots.filter(({ kind, required }) => kind === 'name' && required);
  const at = names.findIndex(({ key }) => typeof filled.input[key] === 'string' && String(filled.input[key]).includes('_'));
  const [before, middle, after] = [names[at - 1], names[at], names[at + 1]];
  if (!before || !middle || !after) return;
  const words = String(filled.input[middle.key]).split('_');
  const first = reading.tokens.findIndex((_, place) => words.every((word, offset) => reading.tokens[place + offset]?.stem === stem(word)));
  const [start, end] = [reading.tokens[first], reading.tokens[first + words.length - 1]];
  if (!start || !end) return;
  const left = reading.text.slice(0, start.start).replace(/\s+(?:is|are|was|were|be|been|now|will be|does|do)(?: now)?\s*$/i, '').trimEnd();
  const subject = left.split(/\bthat\b|[:,;]/i).at(-1)?.trim().replace(/^(?:please )?(?:note|record|remember|write down)\b/i, '').trim().replace(/^(?:the|our|a) /i, '') ?? '';
  const object = /^\s+(?:the |our |a )?([^:,;.?!]+)/i.exec(reading.text.slice(end.end))?.[1]?.trim() ?? '';
  if (!(before.key in filled.input) && subject !== '' && subject.split(' ').length <= 4) set(before, subject, { text: subject, start: left.length - subject.length, end: left.length });
  const known = filled.input[after.key];
  if (object !== '' && object.split(' ').length <= 4 && (known === undefined || (typeof known === 'string' && object.startsWith(known)))) set(after, object, { text: object, start: end.end, end: end.end + reading.text.slice(end.end).indexOf(object) + object.length });
}

function nameScore(index: Index, entry: Entry, slot: Slot, reading: Reading, name: Name): number {
  const here = around(reading, name);
  const aligned = entry.examples.flatMap((example) => example.aligned).filter(({ key }) => key === slot.key);
  const known = index.known.get(slot.key);
  let best = aligned.length > 0 ? 0.6 : slot.kind === 'name' || slot.required ? 0.3 : 0;
  // "Liam's deals": whose they are, not what they are called.
  if (isPerson(slot) && name.possessive) best += 1.2;
  for (const each of aligned) {
    let score = 0.6;
    const left = here.left.at(-1);
    if (left !== undefined && left === each.left.at(-1)) score += empty.has(left) ? 0.9 : 1.5;
    if (here.left.at(-2) !== undefined && here.left.at(-2) === each.left.at(-2)) score += 0.4;
    if (here.right !== undefined && here.right === each.right) score += 1;
    if (name.possessive && each.possessive) score += 1;
    best = Math.max(best, score);
  }
  // "The deals that Liam should land".
  if (isPerson(slot) && name.words.length <= 2 && /^(?:should|will|must|might|want|need|plan|hope|expect)$/.test(here.right ?? '')) best += 1.2;
  // Two capital letters stand where the description has two.
  if (/^[A-Z]{2}$/.test(name.text) && /\b[A-Z]{2} or \p{Lu}\p{Ll}/u.test(slot.description)) best += 1.5;
  else if (/^[A-Z]{2}$/.test(name.text) && here.left.at(-1) === 'in') best -= 1.5;
  // "How many deals has Liam got?"
  if (isPerson(slot) && /^(?:has|doe|did|have|had|is)$/.test(here.left.at(-1) ?? '') && reading.words.length <= 5) best += 1.2;
  if (known) best -= known.has(fold(name.text)) ? -3 : name.words.length > 1 ? 1.6 : 0.8;
  // A department is nobody's name.
  else if ([...index.known.values()].some((values) => values.has(fold(name.text)))) best -= 1.2;
  return best + (slot.required ? 0.8 : 0) + (aligned.length > 0 ? 0.1 : 0);
}

function queryIn(index: Index, entry: Entry, slot: Slot, reading: Reading, used: readonly Piece[]): (Piece & { found: boolean }) | undefined {
  const quote = reading.quotes.find((each) => !used.some((span) => overlaps(span, each)));
  if (quote) return { ...quote, found: true };
  const how = HOW_TO.exec(reading.text);
  if (how && entry.examples.some(({ kinds }) => kinds.has('#how'))) return { ...piece(reading.text, how[0].length, reading.text.replace(/[\s?!.]+$/, '').length), found: true };
  const wanted = (piece: Piece | undefined) => {
    if (!piece || used.some((span) => overlaps(span, { start: piece.start, end: piece.start + 2 }))) return undefined;
    const cut = used.filter((span) => span.start > piece.start && span.start < piece.end).sort((a, b) => a.start - b.start)[0];
    const text = (cut ? reading.text.slice(piece.start, cut.start) : piece.text).trim().replace(/[\s,?.!]+$/, '');
    return text.split(/\s+/).every((word) => empty.has(fold(word))) ? undefined : { ...piece, text };
  };
  const found = wanted(afterWords(entry, slot, reading)) ?? wanted(about(reading, used));
  // Whose they are is looked for as well, where there is no other place for it.
  const whose = found ? reading.names.filter((name) => name.sure && !overlaps(name, found) && !used.some((span) => overlaps(span, name))).map(({ text }) => text) : [];
  if (found) return { ...found, text: [...whose, found.text.replace(/^(?:the|a|an|our|my) /i, '')].join(' '), found: true };
  const rest = reading.words.filter((word) => !used.some((span) => overlaps(span, word.token)) && ((entry.stems.get(word.stem) ?? 0) < 0.5 || reading.names.some((name) => name.sure && overlaps(name, word.token))) && !empty.has(word.token.word) && !SUPERLATIVE.test(word.token.word));
  const told = rest.filter((word) => !word.ideas.some((idea) => (entry.ideas.get(idea) ?? 0) >= 0.75) || index.lexicon.names.has(word.token.word));
  const [first, last] = [told[0]?.token, told.at(-1)?.token];
  if (!first || !last) return undefined;
  return { text: told.map(({ token }) => token.raw.replace(/'s$/, '')).join(' '), start: first.start, end: last.end, found: told.every(({ token }) => reading.names.some((name) => name.sure && overlaps(name, token))) };
}

/** "The 429 one". */
const pointedAt = (reading: Reading, words: readonly string[]): string[] => {
  const said = /\b(?:the|that) ([\w.-]+) one\b/i.exec(reading.text)?.[1];
  return said === undefined || empty.has(said.toLowerCase()) || words.includes(said) || SUPERLATIVE.test(said) || /^(?:next|last|first|second|third|other)$/i.test(said) ? [] : [said];
};
const SUPERLATIVE = /^(?:biggest|largest|highest|lowest|smallest|newest|latest|oldest|earliest|best|worst|top|most|least|cheapest|last|recent)$/i;

/** An id that has no name: the words that are left describe it. */
/** "The remote work entry": the words between the article and what its finder lists. */
function entryNamed(index: Index, entry: Entry, slot: Slot, reading: Reading, filled: Filled): string[] {
  const nouns = new Set(index.entries.filter(({ tool }) => (entry.finders.get(slot.key) ?? []).includes(tool.name) && tool.domain === entry.tool.domain).map(({ tool }) => stem((tool.plural ?? '').split(' ').at(-1) ?? '')));
  const end = reading.tokens.findIndex((token) => nouns.has(token.stem) && !/[^s]s$/.test(token.word));
  const start = reading.tokens.slice(0, Math.max(0, end)).findLastIndex(({ word }) => /^(?:the|our|that|this)$/.test(word));
  const between = start < 0 ? [] : reading.tokens.slice(start + 1, end);
  return between.length > 4 || between.some((token) => filled.used.some((span) => overlaps(span, token))) ? [] : between.map(({ raw }) => raw);
}
function describeIds(index: Index, entry: Entry, reading: Reading, filled: Filled): void {
  for (const slot of entry.slots.filter(({ kind, required }) => (kind === 'id' || kind === 'number-id') && required)) {
    if (slot.key in filled.input || filled.mentions.some((mention) => mention.slot === slot)) continue;
    const quote = reading.quotes.find((each) => !filled.used.some((span) => overlaps(span, each)));
    const first = reading.words[0]?.token.start;
    const fields = new Set(Object.keys(entry.row.properties ?? {}).map(stem));
    const words = quote
      ? quote.text.split(/\s+/)
      : reading.words.filter((word) => !filled.used.some((span) => overlaps(span, word.token)) && (entry.stems.get(word.stem) ?? 0) < 0.65 && !fields.has(word.stem) && !empty.has(word.token.word) && !SUPERLATIVE.test(word.token.word) && !(word.token.start === first && CHANGES.has(word.stem))).map(({ token }) => token.raw.replace(/'s$/, ''));
    filled.mentions.push({ slot, names: [], words: [...words, ...pointedAt(reading, words)] });
  }
  for (const slot of entry.slots.filter(({ kind, required, key }) => kind === 'id' && !required && !(key in filled.input))) {
    const quote = reading.quotes.find((each) => !filled.used.some((span) => overlaps(span, each)));
    if (quote && entry.changes && !filled.mentions.some((mention) => mention.slot === slot)) filled.mentions.push({ slot, names: [], words: quote.text.split(/\s+/) });
    const told = quote || filled.mentions.length > 0 || !entry.examples.some(({ input }) => slot.key in input) ? [] : entryNamed(index, entry, slot, reading, filled);
    if (told.length > 0) filled.mentions.push({ slot, names: [], words: told });
  }
}
