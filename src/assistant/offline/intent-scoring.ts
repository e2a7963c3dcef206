/** Scores every tool as the intent of a question. */
import { overlaps, type Piece, type Reading } from './annotate.ts';
import type { Thinking } from './context.ts';
import { POINTING } from './ellipsis.ts';
import type { Past, Wish } from './frame.ts';
import type { Entry } from './index-tools.ts';
import { knownIn } from './known-values.ts';
import { aboutSelf, idKeyFor } from './lookup.ts';
import { asksForRows, headNoun, isOne, namesItsThing, ROWS, sayPlural, seesOwnOnly, valuesOf, wantsNew } from './nouns.ts';
import { actOf, bare, orderedBy, orderedIn, otherVerb, rank, type Ranked, speaksOf } from './rank.ts';
import { isPerson } from './schema.ts';
import type { Filled, Mention } from './slot-filling-state.ts';
import { fill } from './slot-filling.ts';
import { fold } from './tokenise.ts';

export interface Weighed extends Ranked {
  readonly filled: Filled;
  readonly total: number;
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
    .filter(
      (each, at) =>
        (at < 24 && each.score >= floor) ||
        each.form > 0.65 ||
        (told && each.entry.changes && each.contains >= 0.6) ||
        (order && pointing && past.shown.length > 0 && orderedBy(each.entry, reading)) ||
        valuesOf(index, each.entry, reading) > 1 ||
        each.entry === wish.entry ||
        each.entry === past.entry,
    )
    .map((each): Weighed => {
      const filled = fill(index, each.entry, reading, each.example);
      // What became a value is no longer a word that the tool would have to know.
      const values = filled.used.filter((piece) => !filled.states.includes(piece));
      const [plainly = each] = rank(index, reading, [each.entry], values);
      const [apart = each] = namesItsThing(index, each.entry, reading)
        ? rank(index, reading, [each.entry], [...values, ...described(filled, reading)])
        : [];
      const again = apart.score > plainly.score ? apart : plainly;
      let total = again.score;
      const spans = [...reading.amounts, ...reading.emails, ...reading.ids];
      for (const span of spans) if (!filled.used.some((used) => overlaps(used, span))) total -= 0.07;
      // A tool that has no place for a name is not about whom it names.
      for (const name of reading.names)
        if (name.sure && !filled.used.some((used) => overlaps(used, name))) total -= name.words.length > 1 ? 0.2 : 0.12;
      if (each.entry.slots.some(({ kind, key }) => kind === 'email' && key in filled.input)) total += 0.15;
      for (const when of reading.whens) if (!filled.used.some((used) => overlaps(used, when))) total -= 0.04;
      for (const [key, values] of index.known) {
        if (
          !(key in filled.input) &&
          knownIn(values, reading).some(({ at }) => /^\p{Lu}/u.test(at.text) && !filled.used.some((used) => overlaps(used, at)))
        )
          total -= 0.06;
      }
      total +=
        (filled.left.length === 0 &&
        reading.words.every(({ token }) => filled.used.some((used) => overlaps(used, token))) &&
        reading.words.some(({ token }) => values.some((used) => overlaps(used, token)))
          ? 0.09
          : 0.02) * Math.min(2, filled.used.length);
      // "My department's budget" says which, though not by its name.
      for (const slot of filled.missing)
        if (!new RegExp(`\\b(?:my|our)(?: own)? ${slot.key}\\b`, 'i').test(reading.text)) total -= slot.kind === 'prose' ? 0.03 : 0.12;
      for (const mention of filled.mentions) {
        const here = isHere(mention, each.entry, past);
        if (here && (pointing || mention.names.length > 0 || order)) total += pointing && mention.names.length === 0 ? 0.3 : 0.2;
        else if (mention.slot.required && mention.names.length === 0 && mention.words.length === 0 && !aboutSelf(reading)) total -= 0.1;
      }
      // A fact that has a place for each of its parts is to be written down.
      const whole =
        each.entry.changes &&
        filled.missing.length === 0 &&
        filled.mentions.length === 0 &&
        each.entry.slots.filter(({ required }) => required).length > 2 &&
        (told || (orderedBy(each.entry, reading) && reading.names.filter(({ sure }) => sure).length > 1));
      if (whole) total += 0.25;
      if (everyone && seesOwnOnly(each.entry, person)) total -= 0.15;
      // "Reject Sarah's": what is not named was talked of. A tool for something else would have to be named.
      if (
        order &&
        each.entry.changes &&
        past.shown.length > 0 &&
        filled.mentions.some(({ slot }) => slot.required) &&
        !filled.mentions.some((mention) => isHere(mention, each.entry, past)) &&
        !namesItsThing(index, each.entry, reading)
      )
        total -= 0.3;
      if (!order && isOne(index, each.entry, reading) && filled.mentions.length + Object.keys(filled.input).length > 0) total += 0.22;
      // What is asked about oneself is not found in a list of everyone.
      if (
        each.entry.tool.kind === 'list' &&
        Object.keys(filled.input).length === 0 &&
        aboutSelf(reading, each.entry, true) &&
        !seesOwnOnly(each.entry, person) &&
        !each.entry.slots.some((slot) => index.oneself.has(slot.key) || isPerson(slot))
      )
        total -= 0.12;
      // Who of all is off is not seen in one's own rows.
      if (
        /^(?:who|whose|anyone|anybody|is any|which of us|which colleagues)\b/i.test(bare(reading.text)) &&
        /^my\b/i.test(each.entry.tool.title) &&
        !aboutSelf(reading)
      )
        total -= 0.25;
      if (/^which ones\b/i.test(bare(reading.text)) && each.entry.tool.kind === 'list') total += 0.15;
      if (sayPlural(each.entry, reading)) total += 0.12;
      if (asksForRows(each.entry, reading)) total += 0.12;
      // "The people who work there": where was said before.
      if (
        past.reading &&
        /\bthere\b/i.test(reading.text) &&
        !each.entry.changes &&
        each.entry.slots.some(
          ({ key }) => past.reading && knownIn(index.known.get(key) ?? new Map<string, string>(), past.reading).length > 0,
        )
      )
        total += 0.1;
      // Rows are asked for by what they are called.
      if (
        ROWS.test(reading.text) &&
        each.entry.tool.kind === 'list' &&
        reading.words.some(({ stem, token }) => stem === headNoun(each.entry) && !/[^s]$/.test(token.word))
      )
        total += 0.05;
      if (otherVerb(index, each.entry, reading)) total -= 0.4;
      // An order is met by no look.
      if (order && !each.entry.changes && orderedIn(reading).some(({ stem }) => (each.entry.stems.get(stem) ?? 0) < 0.5)) total -= 0.15;
      if (thing && !whole && each.entry.changes && !namesItsThing(index, each.entry, reading)) total -= 0.25;
      // "Above 20 million" is a limit; words to search for are none.
      for (const amount of reading.amounts)
        if (amount.bound !== undefined && !Object.values(filled.input).includes(amount.value) && !each.entry.changes) total -= 0.2;
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
  Object.keys(row.properties ?? {}).some(
    (key) =>
      (key === 'ytd' && /\byear to date\b/i.test(text)) ||
      (key.includes('_') &&
        !key.endsWith('_id') &&
        tokens.some((_, at) => key.split('_').every((part, offset) => tokens[at + offset]?.word === part))),
  );

/** The words that tell which one is meant. */
function described({ mentions }: Filled, { words }: Reading): Piece[] {
  const said = new Set(mentions.flatMap((mention) => (mention.names.length > 0 ? [] : mention.words.map(fold))));
  return words
    .filter(({ token }) => said.has(token.word) || said.has(fold(token.raw)))
    .map(({ token }) => ({ text: token.raw, start: token.start, end: token.end }));
}
/** "Book one for Thursday": one of what was talked of. */
export const anotherOf = ({ tool }: Entry, reading: Reading, past: Past): boolean =>
  tool.effect === 'adds' && past.entry?.tool.domain === tool.domain && reading.words.length <= 2 && /\b(?:one|some)\b/i.test(reading.text);
export const isNear = ({ entry, filled }: Weighed, past: Past): boolean =>
  filled.mentions.some((mention) => isHere(mention, entry, past)) ||
  (filled.mentions.length === 0 &&
    entry.slots.some((slot) => slot.kind === 'id' && !(slot.key in filled.input) && isHere({ slot, names: [], words: [] }, entry, past)));
const isHere = (mention: Mention, needing: Entry, past: Past): boolean =>
  past.shown.some(
    ({ entry, rows }) =>
      rows.length > 0 && (idKeyFor(mention.slot, needing, entry) !== undefined || (rows[0] !== undefined && mention.slot.key in rows[0])),
  );
