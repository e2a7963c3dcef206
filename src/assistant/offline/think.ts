/** One question: which tool, with what, and what is still to be found out or asked. */
import { isDeepStrictEqual } from 'node:util';
import type { Answer } from '../../core/answer.ts';
import { opens } from '../../core/access.ts';
import { CUSTOMER_ROLES, STAFF_ROLES } from '../../core/people.ts';
import { fill, type Filled, knownIn, type Mention } from './fill.ts';
import type { Entry, Index } from './learn.ts';
import { aboutSelf, findersFor, idKeyFor, missedIn, newest, ownIdOf, resolve, type Row, rowsIn, type Shown, tellingOf, type Thinking } from './lookup.ts';
import { actOf, bare, becoming, orderedBy, orderedIn, otherVerb, rank, type Ranked, sameVerb, speaksOf, weightOf } from './rank.ts';
import { overlaps, type Piece, type Reading } from './read.ts';
import { isPerson, type Slot } from './schema.ts';
import { CHANGES } from './thesaurus.ts';
import { inherit, own, ownValue, POINTING, sameKind, wholeName } from './unsaid.ts';
import { asksForRows, headNoun, isOne, namesItsThing, otherField, ROWS, sayPlural, saysNothingOf, seesOwnOnly, valuesOf, wantsNew } from './things.ts';
import { empty, fold, stem as stemOf } from './words.ts';

/** What came of a question, for the answer and for the questions after it. */
export interface Frame {
  readonly reading: Reading;
  readonly entry: Entry | undefined;
  readonly input: Readonly<Record<string, unknown>>;
  readonly shown: readonly Shown[];
  readonly result: Result;
}
export type Result =
  | { readonly type: 'answered'; readonly entry: Entry; readonly input: Readonly<Record<string, unknown>>; readonly answer: Answer; readonly about: Row | undefined; readonly called: string; readonly others?: readonly Row[]; readonly unplaced?: readonly string[]; readonly among?: { readonly entry: Entry; readonly count: number } | undefined }
  | { readonly type: 'which'; readonly slot: Slot; readonly rows: readonly Row[]; readonly source: Entry; readonly entry: Entry; readonly called: string; readonly all: boolean }
  | { readonly type: 'missing'; readonly slot: Slot; readonly entry: Entry }
  | { readonly type: 'unknown'; readonly called: string; readonly entry: Entry; readonly finder: Entry | undefined; readonly answer: Answer | undefined; readonly wrong: number }
  | { readonly type: 'refused'; readonly entry: Entry; readonly roles: boolean; readonly others?: boolean }
  | { readonly type: 'lost'; readonly near: readonly Entry[]; readonly order: boolean };

export interface Past {
  readonly shown: readonly Shown[];
  readonly reading: Reading | undefined;
  readonly entry: Entry | undefined;
}
export interface Wish {
  /** Values given in answer to a question of ours. */
  readonly forced?: Readonly<Record<string, unknown>>;
  /** The tool that was talked of. */
  readonly entry?: Entry | undefined;
}

const REALMS: Readonly<Record<string, readonly string[]>> = { staff: STAFF_ROLES, customer: CUSTOMER_ROLES };
const NOBODY: Past = { shown: [], reading: undefined, entry: undefined };

interface Weighed extends Ranked {
  readonly filled: Filled;
  readonly total: number;
}

export function think(thinking: Thinking, reading: Reading, past: Past = NOBODY, wish: Wish = {}): Frame {
  const { index, allowed } = thinking;
  const frame = (result: Result, input: Readonly<Record<string, unknown>> = {}, shown: readonly Shown[] = []): Frame => ({ reading, entry: 'entry' in result ? result.entry : undefined, input, shown, result });
  const ranked = weigh(thinking, reading, index.entries, past, wish);
  const mine = ranked.filter(({ entry }) => allowed.has(entry.name));
  const others = ranked.filter(({ entry }) => !allowed.has(entry.name));
  const [other] = others.filter(({ entry }) => entry.tool.roles.some((role) => REALMS[thinking.person.realm]?.includes(role)));
  // "Approve it": what was just shown is meant, where somebody who may do so asks.
  const pointed = past.shown.length > 0 && (POINTING.test(reading.text) || reading.words.length === 1) && actOf(reading) === 'orders' ? mine.find((each) => orderedBy(each.entry, reading) && (isNear(each, past) || anotherOf(each.entry, reading, past))) : undefined;
  // A look that fits costs nothing; only what changes something has to be the best of all.
  const sure = mine[0] && (mine[0].entry === wish.entry || clear(index, mine[0], reading)) ? mine[0] : undefined;
  const look = sure || reading.words.length === 0 || actOf(reading) === 'orders' ? undefined : mine.find((each) => !each.entry.changes && each.contains >= 0.6 && each.covers >= 0.2 && valued(each) && 2 * each.filled.left.length <= reading.words.length && each.total > (mine[0]?.total ?? 0) - 0.25 && clear(index, each, reading));
  const best = pointed ?? sure ?? look ?? mine[0];
  // A right that is missing is spoken of only where that very thing was asked for.
  const meant = other && (other.entry.changes ? other.filled.missing.length === 0 || namesItsThing(index, other.entry, reading) : (other.contains >= 0.35 && valued(other) && !other.entry.slots.some(({ kind, key }) => kind === 'query' && key in other.filled.input)) || namesItsThing(index, other.entry, reading));
  const strange = other?.entry.slots.some(({ key }) => index.known.has(key) && typeof other.filled.input[key] === 'string' && !index.known.get(key)?.has(fold(String(other.filled.input[key]))) && other.contains < 0.8);
  const named = best?.entry.changes && other?.entry.changes && clear(index, best, reading) && namesItsThing(index, best.entry, reading) && !namesItsThing(index, other.entry, reading);
  // "It" is nothing of another part of the company than the one that was talked of.
  const apart = other?.entry.changes && past.entry && past.entry.tool.domain !== other.entry.tool.domain && POINTING.test(reading.text) && !namesItsThing(index, other.entry, reading);
  if (other && meant && !strange && !pointed && !named && !apart && other.total >= 0.36 && clear(index, other, reading) && (!best || other.total > best.total + 0.15 || !clear(index, best, reading))) {
    return frame({ type: 'refused', entry: other.entry, roles: !opens(other.entry.tool, thinking.person.roles) });
  }
  if (!best || !(wish.entry === best.entry || best === pointed || clear(index, best, reading))) {
    const order = actOf(reading) === 'orders';
    return (order ? undefined : written(thinking, reading, frame)) ?? frame({ type: 'lost', near: mine.slice(0, 4).map(({ entry }) => entry), order });
  }
  // What is everyone's is not for whoever sees only their own.
  if (EVERYONES.test(reading.text) && !aboutSelf(reading) && !best.entry.changes && seesOwnOnly(best.entry, thinking.person)) return frame({ type: 'refused', entry: best.entry, roles: true, others: true });
  let first: Frame | undefined;
  const tried = new Set<string>();
  for (const each of pointed ? [pointed] : mine.filter((candidate) => candidate.total <= best.total && candidate.total > best.total - (best.entry.changes || !reading.names.some((name) => name.sure) ? 0.22 : 0.4) && (candidate === best || (clear(index, candidate, reading) && candidate.entry.changes === best.entry.changes))).slice(0, 3)) {
    // Another tool is tried where a name was found nowhere, not where it would be looked for in the same place.
    const where = each.filled.mentions.map(({ slot }) => findersFor(thinking, each.entry, slot)[0]?.name ?? '').join() || each.entry.name;
    if (tried.has(where)) continue;
    // Nor where there is no place for what was named.
    if (first && [...reading.ids, ...reading.names.filter((name) => name.sure)].some((span) => !each.filled.used.some((used) => overlaps(used, span)))) continue;
    tried.add(where);
    const done = carryOut(thinking, each, reading, past, wish, frame);
    if (done.result.type !== 'unknown' && !foundNothing(done) && !notEnough(done)) return done;
    if (done.result.type === 'unknown' && done.result.wrong > 0) return done;
    first ??= done;
    // What was looked for in one collection of texts may stand in another.
    const elsewhere = foundNothing(done) && !each.entry.tool.lastResort && each.entry.slots.some(({ kind, key }) => kind === 'query' && key in done.input) ? written(thinking, reading, frame) : undefined;
    if (elsewhere) return elsewhere;
  }
  return first ?? frame({ type: 'lost', near: [], order: false });
}

const EVERYONES = /\b(?:everyone|everybody|all (?:the |our )?(?:employees|staff|people|colleagues))(?:'?s?'?)\b/i;
/** "Who is Priya?" is no pattern for a question that names nobody. */
const valued = ({ example, filled }: Weighed): boolean => {
  const keys = Object.keys(example?.input ?? {});
  return keys.length === 0 || keys.some((key) => key in filled.input || filled.mentions.some(({ slot }) => slot.key === key));
};

/** The tool needs more than was said; another may not. */
const notEnough = ({ result }: Frame): boolean => result.type === 'answered' && !result.entry.changes && result.answer.status === 'error' && (result.answer.code === 'VALIDATION_ERROR' || (result.about !== undefined && result.answer.code.endsWith('_NOT_FOUND')));

/** Nothing was found by a name or by words: they may be those of something else. */
function foundNothing({ result }: Frame): boolean {
  if (result.type !== 'answered' || result.answer.status !== 'success' || result.entry.tool.kind !== 'list') return false;
  if (rowsIn(result.answer).length > 0) return missedIn(result.entry, rowsIn(result.answer)[0], result.input).length > 0;
  return result.entry.slots.some(({ kind, key }) => (kind === 'query' || kind === 'name') && key in result.input);
}

/** No tool is for it, but somebody may have written it down: said only where most of the words are found there. */
function written(thinking: Thinking, reading: Reading, frame: (result: Result, input?: Readonly<Record<string, unknown>>, shown?: readonly Shown[]) => Frame): Frame | undefined {
  const entry = [...thinking.allowed.values()].find(({ tool }) => tool.lastResort);
  const query = entry?.slots.find(({ kind }) => kind === 'query');
  const words = reading.words.filter(({ token }) => !empty.has(token.word) && token.word.length > 2 && !/^(?:say|says|notes?|entry|entries|written|knowledge|base|explain|mean)$/.test(token.word));
  if (!entry || !query || words.length === 0 || words.length > 8 || !/^(?:what|how|who|where|when|which|is|are|do|does|can|tell|explain)\b/i.test(bare(reading.text))) return undefined;
  const input = { [query.key]: words.map(({ token }) => token.word).join(' ') };
  const answer = thinking.memory.ask(entry.name, input);
  if (answer.status !== 'success') return undefined;
  const rows = rowsIn(answer).filter((row) => {
    const text = new Set(fold(Object.values(row).filter((value) => typeof value === 'string').join(' ')).split(/[^a-z0-9]+/).map(stemOf));
    return words.filter(({ stem, token }) => text.has(stem) || token.word.split('-').every((part) => text.has(stemOf(part)))).length >= Math.max(1, words.length * 0.6);
  });
  if (rows.length === 0) return undefined;
  const { metadata: _, ...found } = answer;
  return frame({ type: 'answered', entry, input, answer: { ...found, data: rows.slice(0, 3) }, about: undefined, called: '' }, input, [{ entry, rows }]);
}

/** Words first, then what the slots make of the sentence. */
export function weigh({ index, person }: Thinking, reading: Reading, pool: readonly Entry[], past: Past, wish: Wish): Weighed[] {
  const everyone = /\b(?:all|every|everyone'?s?|everybody'?s?|each)\b/i.test(reading.text) && !aboutSelf(reading);
  const ranked = rank(index, reading, pool);
  const pointing = POINTING.test(reading.text);
  const order = actOf(reading) === 'orders';
  const told = actOf(reading) === 'tells';
  const floor = (ranked[0]?.score ?? 0) * 0.45;
  // "The Marketing budget is fine, approve it": what a budget is approved with, not what an invoice is.
  const thing = order && pool.some((entry) => orderedBy(entry, reading) && namesItsThing(index, entry, reading));
  return ranked
    .filter((each, at) => (at < 24 && each.score >= floor) || each.form > 0.65 || (told && each.entry.changes && each.contains >= 0.6) || (order && pointing && past.shown.length > 0 && orderedBy(each.entry, reading)) || valuesOf(index, each.entry, reading) > 1 || each.entry === wish.entry || each.entry === past.entry)
    .map((each): Weighed => {
      const filled = fill(index, each.entry, reading, each.example);
      // What became a value is no longer a word that the tool would have to know.
      const values = filled.used.filter((piece) => !filled.states.includes(piece));
      const [plainly = each] = rank(index, reading, [each.entry], values);
      const [apart = each] = namesItsThing(index, each.entry, reading) ? rank(index, reading, [each.entry], [...values, ...described(filled, reading)]) : [];
      const again = apart.score > plainly.score ? apart : plainly;
      let total = again.score;
      const spans = [...reading.amounts, ...reading.emails, ...reading.ids];
      for (const span of spans) if (!filled.used.some((used) => overlaps(used, span))) total -= 0.07;
      // A tool that has no place for a name is not about whom it names.
      for (const name of reading.names) if (name.sure && !filled.used.some((used) => overlaps(used, name))) total -= name.words.length > 1 ? 0.2 : 0.12;
      if (each.entry.slots.some(({ kind, key }) => kind === 'email' && key in filled.input)) total += 0.15;
      for (const when of reading.whens) if (!filled.used.some((used) => overlaps(used, when))) total -= 0.04;
      for (const [key, values] of index.known) {
        if (!(key in filled.input) && knownIn(values, reading).some(({ at }) => /^\p{Lu}/u.test(at.text) && !filled.used.some((used) => overlaps(used, at)))) total -= 0.06;
      }
      total += (filled.left.length === 0 && reading.words.every(({ token }) => filled.used.some((used) => overlaps(used, token))) && reading.words.some(({ token }) => values.some((used) => overlaps(used, token))) ? 0.09 : 0.02) * Math.min(2, filled.used.length);
      // "My department's budget" says which, though not by its name.
      for (const slot of filled.missing) if (!new RegExp(`\\b(?:my|our)(?: own)? ${slot.key}\\b`, 'i').test(reading.text)) total -= slot.kind === 'prose' ? 0.03 : 0.12;
      for (const mention of filled.mentions) {
        const here = isHere(mention, each.entry, past);
        if (here && (pointing || mention.names.length > 0 || order)) total += pointing && mention.names.length === 0 ? 0.3 : 0.2;
        else if (mention.slot.required && mention.names.length === 0 && mention.words.length === 0 && !aboutSelf(reading)) total -= 0.1;
      }
      // A fact that has a place for each of its parts is to be written down.
      const whole = each.entry.changes && filled.missing.length === 0 && filled.mentions.length === 0 && each.entry.slots.filter(({ required }) => required).length > 2 && (told || (orderedBy(each.entry, reading) && reading.names.filter(({ sure }) => sure).length > 1));
      if (whole) total += 0.25;
      if (everyone && seesOwnOnly(each.entry, person)) total -= 0.15;
      // "Reject Sarah's": what is not named was talked of. A tool for something else would have to be named.
      if (order && each.entry.changes && past.shown.length > 0 && filled.mentions.some(({ slot }) => slot.required) && !filled.mentions.some((mention) => isHere(mention, each.entry, past)) && !namesItsThing(index, each.entry, reading)) total -= 0.3;
      if (!order && isOne(index, each.entry, reading) && filled.mentions.length + Object.keys(filled.input).length > 0) total += 0.22;
      // What is asked about oneself is not found in a list of everyone.
      if (each.entry.tool.kind === 'list' && Object.keys(filled.input).length === 0 && aboutSelf(reading, each.entry, true) && !seesOwnOnly(each.entry, person) && !each.entry.slots.some((slot) => index.oneself.has(slot.key) || isPerson(slot))) total -= 0.12;
      // Who of all is off is not seen in one's own rows.
      if (/^(?:who|whose|anyone|anybody|is any|which of us|which colleagues)\b/i.test(bare(reading.text)) && /^my\b/i.test(each.entry.tool.title) && !aboutSelf(reading)) total -= 0.25;
      if (/^which ones\b/i.test(bare(reading.text)) && each.entry.tool.kind === 'list') total += 0.15;
      if (sayPlural(each.entry, reading)) total += 0.12;
      if (asksForRows(each.entry, reading)) total += 0.12;
      // "The people who work there": where was said before.
      if (past.reading && /\bthere\b/i.test(reading.text) && !each.entry.changes && each.entry.slots.some(({ key }) => past.reading && knownIn(index.known.get(key) ?? new Map<string, string>(), past.reading).length > 0)) total += 0.1;
      // Rows are asked for by what they are called.
      if (ROWS.test(reading.text) && each.entry.tool.kind === 'list' && reading.words.some(({ stem, token }) => stem === headNoun(each.entry) && !/[^s]$/.test(token.word))) total += 0.05;
      if (otherVerb(index, each.entry, reading)) total -= 0.4;
      // An order is met by no look.
      if (order && !each.entry.changes && orderedIn(reading).some(({ stem }) => (each.entry.stems.get(stem) ?? 0) < 0.5)) total -= 0.15;
      if (thing && !whole && each.entry.changes && !namesItsThing(index, each.entry, reading)) total -= 0.25;
      // "Above 20 million" is a limit; words to search for are none.
      for (const amount of reading.amounts) if (amount.bound !== undefined && !Object.values(filled.input).includes(amount.value) && !each.entry.changes) total -= 0.2;
      if (wantsNew(index, each.entry, reading)) total -= 0.2;
      if (!each.entry.changes && tellsIt(each.entry, reading)) total += 0.1;
      // "Which sales rep": what another part of the company is called.
      if (reading.words.some((word) => index.domains.has(word.stem) && speaksOf(each.entry, word) < 0.5)) total -= 0.08;
      if (each.entry === wish.entry) total += 0.5;
      return { ...again, filled, total };
    })
    .sort((a, b) => b.total - a.total || (a.entry.name < b.entry.name ? -1 : 1));
}

/** "Home address" is asked of a tool whose rows have a home_address. */
const tellsIt = ({ row }: Entry, { tokens, text }: Reading): boolean =>
  Object.keys(row.properties ?? {}).some((key) => (key === 'ytd' && /\byear to date\b/i.test(text)) || key.includes('_') && !key.endsWith('_id') && tokens.some((_, at) => key.split('_').every((part, offset) => tokens[at + offset]?.word === part)));

/** The words that tell which one is meant. */
function described({ mentions }: Filled, { words }: Reading): Piece[] {
  const said = new Set(mentions.flatMap((mention) => (mention.names.length > 0 ? [] : mention.words.map(fold))));
  return words.filter(({ token }) => said.has(token.word) || said.has(fold(token.raw))).map(({ token }) => ({ text: token.raw, start: token.start, end: token.end }));
}
/** "Book one for Thursday": one of what was talked of. */
const anotherOf = ({ tool }: Entry, reading: Reading, past: Past): boolean => tool.effect === 'adds' && past.entry?.tool.domain === tool.domain && reading.words.length <= 2 && /\b(?:one|some)\b/i.test(reading.text);
const isNear = ({ entry, filled }: Weighed, past: Past): boolean =>
  filled.mentions.some((mention) => isHere(mention, entry, past)) || (filled.mentions.length === 0 && entry.slots.some((slot) => slot.kind === 'id' && !(slot.key in filled.input) && isHere({ slot, names: [], words: [] }, entry, past)));
const isHere = (mention: Mention, needing: Entry, past: Past): boolean =>
  past.shown.some(({ entry, rows }) => rows.length > 0 && (idKeyFor(mention.slot, needing, entry) !== undefined || (rows[0] !== undefined && mention.slot.key in rows[0])));
/** Sure enough to act on. A change must be asked for more plainly than a look. */
function clear(index: Index, { entry, covers, contains, total, filled, score }: Weighed, reading: Reading): boolean {
  // Words that tell which one is meant are looked up, where it is said of what.
  const telling = filled.mentions.some(({ slot, words }) => slot.required || words.length > 0) && namesItsThing(index, entry, reading) ? new Set(filled.mentions.flatMap(({ words }) => words.map(fold))) : undefined;
  const lost = filled.left.filter(({ token }) => !reading.names.some((name) => overlaps(name, token)) && !telling?.has(token.word));
  // What was told before the order needs no tool.
  const from = entry.changes && orderedBy(entry, reading) ? Math.min(...orderedIn(reading).map(({ token }) => token.start)) : 0;
  const odd = lost.filter(({ token }) => token.start >= from).reduce((sum, word) => sum + weightOf(index, word), 0);
  const known = reading.words.length - lost.length;
  const all = reading.words.reduce((sum, word) => sum + weightOf(index, word), 0);
  // Somebody or something is named that the tool has no place for.
  if (!entry.changes && contains < 0.7 && reading.names.some((name) => name.sure && !filled.used.some((used) => overlaps(used, name)) && !filled.mentions.some(({ words }) => words.includes(name.text)))) return false;
  if (!entry.changes && contains < 0.8 && reading.names.some((name) => name.sure && name.words.length > 1 && !filled.used.some((used) => overlaps(used, name)) && !filled.mentions.some(({ words }) => words.includes(name.text)))) return false;
  // Who of all it is, no tool tells that has to be told who.
  if (entry.tool.kind === 'read' && /^who\b/i.test(bare(reading.text)) && !POINTING.test(reading.text) && !aboutSelf(reading, entry) && filled.mentions.some(({ slot, names, words }) => slot.required && names.length === 0 && words.length === 0)) return false;
  if (!entry.changes && filled.missing.some(({ key }) => new RegExp(`^(?:which|what) ${key.replaceAll('_', ' ')}s?\\b`, 'i').test(bare(reading.text)))) return false;
  // Nor is a limit that it cannot keep, where hardly anything else was said.
  if (!entry.changes && contains < 0.7 && reading.words.length <= 2 && reading.amounts.some((amount) => amount.bound !== undefined && !filled.used.some((used) => overlaps(used, amount)))) return false;
  // Most of what was said is about something else.
  if (!entry.changes && lost.length > 2 && odd > 0.55 * all && contains < 0.8) return false;
  // What no tool does must not become what a tool near by does: "assign the deal" deletes none.
  if (entry.changes && (isOrderFor(entry, reading) || otherVerb(index, entry, reading))) return false;
  // "Write me a poem": a verb that goes with anything makes nothing of it.
  if (entry.changes && (saysNothingOf(entry, reading) || otherField(entry, reading))) return false;
  // Where no word speaks of it, nothing is changed.
  if (entry.changes && filled.mentions.length === 0 && !reading.words.some((word) => speaksOf(entry, word) >= 0.5)) return false;
  // Nor does a question change anything.
  if (entry.changes && contains < 0.9 && actOf(reading) === 'asks' && !sameVerb(entry, reading)) return false;
  if (entry.changes) return total >= 0.3 && score >= 0.24 && (contains >= 0.5 || covers >= 0.5) && (odd <= 3.4 || contains >= 0.8);
  // An order is not met by a look, unless the tool itself is described with that word.
  if (isOrderFor(entry, reading)) return false;
  if (lost.length > 0 && contains < 0.6 && !saysWhat(entry, filled, reading)) return false;
  // Nothing but values, and a place for each of them.
  if (lost.length === 0 && filled.used.length >= 2 && filled.missing.length === 0 && total >= 0.3) return true;
  return total >= 0.26 && (contains >= 0.55 || covers >= 0.45) && (odd <= 4.2 || (contains >= 0.6 && (lost.length < 2 || saysWhat(entry, filled, reading))) || known >= 2 * lost.length);
}

/** A word for what the tool is about, not only for a state that its rows may be in. */
const saysWhat = (entry: Entry, filled: Filled, reading: Reading): boolean => reading.words.some((word) => speaksOf(entry, word) >= 0.75 && !filled.used.some((used) => overlaps(used, word.token)));

const isOrderFor = (entry: Entry, reading: Reading): boolean => {
  const [first] = reading.words;
  return actOf(reading) === 'orders' && first !== undefined && CHANGES.has(first.stem) && !(entry.changes && becoming(reading) && orderedBy(entry, reading)) && (entry.changes ? speaksOf(entry, first) : (entry.stems.get(first.stem) ?? 0)) < 0.5 && !reading.names.some((name) => overlaps(name, first.token));
};

function carryOut(thinking: Thinking, { entry, filled }: Weighed, reading: Reading, past: Past, wish: Wish, frame: (result: Result, input?: Readonly<Record<string, unknown>>, shown?: readonly Shown[]) => Frame): Frame {
  const input: Record<string, unknown> = { ...filled.input };
  let called = '';
  let about: Row | undefined;
  let others: readonly Row[] = [];
  let among: { entry: Entry; count: number } | undefined;
  inherit(thinking.index, entry, filled, reading, past, input);
  sameKind(thinking.index, entry, reading, past, input);
  Object.assign(input, wish.forced);
  own(thinking, entry, reading, filled, input);
  if (OF_MINE.test(bare(reading.text)) && entry.tool.kind === 'list') for (const slot of entry.slots) if (slot.kind === 'choice' && slot.key in input && slot.key in (entry.row.properties ?? {}) && !(slot.key in (wish.forced ?? {}))) delete input[slot.key];
  const ids = new Set(filled.mentions.map(({ slot }) => slot.key));
  const missing = entry.slots.find((slot) => slot.required && !(slot.key in input) && !ids.has(slot.key)) ?? tooShort(entry, input);
  if (missing) {
    const value = ownValue(thinking, missing, reading);
    if (value === undefined) return frame({ type: 'missing', slot: missing, entry }, input);
    input[missing.key] = value;
  }
  const mentions = [...filled.mentions];
  const pointed = entry.slots.find((slot) => slot.kind === 'id' && !slot.required && !(slot.key in input) && !ids.has(slot.key) && past.shown.length > 0 && mentions.length === 0 && (/\b(?:his|her|their|him|them|he|she|they|it|its|that one|this one)\b/i.test(reading.text) || (entry.changes && reading.words.length === 1)));
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
    } else if ('several' in found && called === '' && entry.tool.kind === 'read' && aboutSelf(reading) && newest(found.several, found.entry.row)) {
      about = newest(found.several, found.entry.row);
      input[mention.slot.key] = about?.[ownIdOf(found.entry.row) ?? ''];
      among = { entry: found.entry, count: found.several.length };
    } else if ('several' in found) return frame({ type: 'which', slot: mention.slot, rows: found.several, source: found.entry, entry, called, all: /\b(?:all|every|each|everything|any)\b/i.test(reading.text) }, input, [{ entry: found.entry, rows: found.several }]);
    else if (mention.slot.required) {
      if (called === '') return frame({ type: 'missing', slot: mention.slot, entry }, input);
      return frame({ type: 'unknown', called, entry, finder: found.entry, answer: found.answer, wrong: found.wrong ?? 0 }, input);
    } else if (mention.names.length > 0) return frame({ type: 'unknown', called, entry, finder: found.entry, answer: found.answer, wrong: 0 }, input);
  }
  for (const slot of entry.slots.filter((each) => isPerson(each) && typeof input[each.key] === 'string')) {
    const several = wholeName(thinking, slot, input);
    if (several) return frame({ type: 'which', slot, rows: several.rows, source: several.entry, entry, called: String(input[slot.key]), all: false }, input, [several]);
  }
  const { answer, used } = call(thinking, entry, input, reading);
  const rows = rowsIn(answer);
  const unplaced = entry.changes ? [] : [...reading.amounts, ...reading.whens, ...reading.names.filter(({ sure, words }) => sure && !called.includes(words[0] ?? ''))].filter((span) => !filled.used.some((piece) => overlaps(piece, span))).map(({ start, end }) => reading.text.slice(start, end)).filter((part) => !isDefault(part, entry, used));
  return frame({ type: 'answered', entry, input: used, answer, about, called, others, among, unplaced: [...unplaced, ...Object.entries(input).flatMap(([key, value]) => (key in used || Object.values(used).includes(value) ? [] : [String(value)]))] }, used, [{ entry, rows }, ...(about ? [{ entry: sourceOf(thinking, entry, filled.mentions) ?? entry, rows: [about] }] : [])]);
}
/** "Is my leave approved yet?" asks how it stands, not for those that are. */
const OF_MINE = /^(?:is|are|was|were|has|have|did|does) my\b/i;
/** Of several the one that what is to be written speaks of. */
function told(entry: Entry, input: Readonly<Record<string, unknown>>, rows: readonly Row[]): Row | undefined {
  const text = entry.changes ? entry.slots.filter(({ kind, key }) => kind === 'prose' && typeof input[key] === 'string').map(({ key }) => String(input[key])).join(' ') : '';
  return text === '' ? undefined : tellingOf(rows, text);
}
/** A text to be read, found by a search that puts the best first. */
const isBestFirst = (entry: Entry, finder: Entry): boolean => entry.tool.kind === 'read' && finder.slots.some(({ kind }) => kind === 'query') && !finder.slots.some(({ kind, key }) => kind === 'name' && key === 'name');
const sourceOf = (thinking: Thinking, entry: Entry, mentions: readonly Mention[]): Entry | undefined => mentions.flatMap(({ slot }) => findersFor(thinking, entry, slot))[0];

/** A refusal that names the slot may mean that the value belongs into another: "Seattle" is no state. */
function call(thinking: Thinking, entry: Entry, input: Readonly<Record<string, unknown>>, reading: Reading): { answer: Answer; used: Readonly<Record<string, unknown>> } {
  const answer = thinking.memory.ask(entry.name, input);
  if (answer.status !== 'error' || !answer.code.endsWith('_NOT_FOUND') || entry.changes) return { answer, used: input };
  const wrong = entry.slots.find((slot) => slot.kind === 'name' && slot.key in input && answer.code === `${slot.key.toUpperCase()}_NOT_FOUND`);
  const other = wrong && entry.slots.find((slot) => slot.kind === 'name' && !(slot.key in input) && !thinking.index.known.has(slot.key));
  if (!wrong) return { answer, used: input };
  const { [wrong.key]: value, ...rest } = input;
  // A word that was only taken for a name.
  const guessed = reading.names.every(({ sure, text }) => !sure || text !== value) && reading.tokens.some(({ word, capital }) => word === value && !capital);
  if (guessed) return { answer: thinking.memory.ask(entry.name, rest), used: rest };
  if (!other) return { answer, used: input };
  const again = { ...rest, [other.key]: value };
  const second = thinking.memory.ask(entry.name, again);
  return second.status === 'success' && rowsIn(second).length > 0 ? { answer: second, used: again } : { answer, used: input };
}

const tooShort = (entry: Entry, input: Readonly<Record<string, unknown>>): Slot | undefined =>
  entry.slots.find((slot) => slot.required && slot.kind === 'prose' && typeof input[slot.key] === 'string' && String(input[slot.key]).trim().length < (slot.schema.minLength ?? 0));

/** The row that an answer of a few words points at. */
export function rowNamed(rows: readonly Row[], reading: Reading): Row | undefined {
  const ordinal = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'].findIndex((word) => new RegExp(`\\b${word}\\b`, 'i').test(reading.text));
  const number = /^(?:number |no\.? ?|#)?(\d)$/i.exec(reading.text.trim())?.[1];
  const at = ordinal >= 0 ? ordinal : number !== undefined ? Number(number) - 1 : -1;
  if (at >= 0 && rows[at]) return rows[at];
  const words = reading.tokens.map(({ word }) => word).filter((word) => word.length > 2 && !/^(?:the|one|from|with|and|that|who|works?|its|him|her|mean|meant|please|department|office|of|in)$/.test(word));
  if (words.length === 0) return undefined;
  const texts = rows.map((row) => Object.values(row).filter((value) => typeof value === 'string' || typeof value === 'number').map((value) => fold(String(value))).join(' '));
  const fits = rows.filter((_, place) => words.every((word) => texts[place]?.includes(word)));
  return fits.length === 1 ? fits[0] : undefined;
}

/** "this month" where an example says it and needs no value for it: the tool means it by default. */
const isDefault = (part: string, { examples }: Entry, used: Readonly<Record<string, unknown>>): boolean =>
  examples.some(({ works, input, reading }) => {
    const says = reading.whens.some(({ start, end }) => reading.text.slice(start, end).toLowerCase() === part.toLowerCase());
    return works && says && isDeepStrictEqual(input, used);
  });
