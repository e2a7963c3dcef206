/** Fills slots with names and with the words beside names. */
import { type NamedEntity, overlaps, type Utterance } from './annotate.ts';
import { neighboursOf, type IndexedTool, type ToolIndex } from './index-tools.ts';
import { relevanceOf } from './rank.ts';
import { isPerson, type Slot } from './schema.ts';
import type { SlotFilling } from './slot-filling-state.ts';
import { CHANGE_VERBS, synonymsOf } from './thesaurus.ts';
import { stopWords, fold, stem } from './tokenise.ts';

/** Assigns each name to the slot with the highest score. Examples with the same neighbouring words raise the score. */
export function fillNames({ index, entry, utterance, filled, set, free }: SlotFilling): void {
  const slots = entry.slots.filter(
    (slot) =>
      !(slot.key in filled.input) &&
      (slot.kind === 'name' || slot.kind === 'id' || slot.kind === 'number-id' || slot.kind === 'query' || slot.kind === 'names'),
  );
  const taken = new Set<Slot>();
  const names = utterance.names.filter((name) => free(name) && !utterance.ids.some((id) => overlaps(id, name)));
  for (const name of [...names.filter(({ isCertain }) => isCertain), ...names.filter(({ isCertain }) => !isCertain)]) {
    const scored = slots
      .filter((slot) => !taken.has(slot))
      .map((slot) => ({ slot, score: scoreName(index, entry, { slot, utterance, name }) }))
      .sort((a, b) => b.score - a.score);
    const [best] = scored;
    if (!best || best.score < (name.isCertain ? 0.3 : 0.9)) continue;
    taken.add(best.slot);
    if (best.slot.kind === 'id' || best.slot.kind === 'number-id') {
      filled.references.push({ slot: best.slot, names: [name], words: [] });
      filled.used.push(name);
    } else if (best.slot.kind !== 'query') set(best.slot, best.slot.kind === 'names' ? [name.text] : name.text, name);
  }
}
/** "In the health industry": the value precedes the name of its slot. */
export function fillFromWordBefore({ index, entry, utterance, filled, set, free }: SlotFilling): void {
  for (const slot of entry.slots.filter(
    ({ kind, key }) => kind === 'name' && !(key in filled.input) && !index.knownValues.has(key) && !key.includes('_') && key !== 'name',
  )) {
    const at = utterance.tokens.findIndex(
      ({ stem: each }) => each === stem(slot.key) || synonymsOf(slot.key).some((other) => !other.includes(' ') && stem(other) === each),
    );
    const [before, key] = [utterance.tokens[at - 1], utterance.tokens[at]];
    if (
      !before ||
      !key ||
      stopWords.has(before.word) ||
      CHANGE_VERBS.has(before.stem) ||
      before.capital ||
      !free({ ...before, text: '' }) ||
      (entry.stems.get(before.stem) ?? 0) >= 0.7
    )
      continue;
    if (!/^(?:in|of|from|for)$/.test(utterance.tokens[at - 2]?.word ?? '') && !/^(?:the|an?)$/.test(utterance.tokens[at - 2]?.word ?? ''))
      continue;
    set(slot, before.raw, { text: before.raw, start: before.start, end: before.end });
  }
}
/**
 * Fills a slot with one or two unexplained plural words: "the recruiters" is a job title. An example must fill the slot with a plain word.
 */
export function fillFromUnknownWord({ index, entry, utterance, filled, set, free }: SlotFilling): void {
  const slot = entry.slots.find(
    ({ kind, key }) =>
      kind === 'name' &&
      !(key in filled.input) &&
      entry.examples.some(({ input }) => typeof input[key] === 'string' && /^[a-z]+$/.test(input[key])),
  );
  const rest = utterance.words.filter(
    (word) =>
      free({ ...word.token, text: '' }) &&
      (relevanceOf(entry, word) < 0.35 || !index.lexicon.vocabulary.has(word.token.word)) &&
      !word.token.capital &&
      word.concepts.length === 0 &&
      !CHANGE_VERBS.has(word.stem),
  );
  const [first, second] = rest;
  const last = second ?? first;
  if (
    !slot ||
    !first ||
    !last ||
    rest.length > 2 ||
    (second && second.token.start > first.token.end + 1) ||
    !/[^s]s$/.test(last.token.word)
  )
    return;
  const text = utterance.text.slice(first.token.start, last.token.end).replace(/([^s])s$/, '$1');
  set(slot, text, { text, start: first.token.start, end: last.token.end });
}

/** Fills a relation as in an example ("depends on" is depends_on), or else with the words between two names. */
export function fillRelation({ entry, utterance, filled, set, free }: SlotFilling): void {
  for (const slot of entry.slots.filter(({ kind, key }) => kind === 'name' && !(key in filled.input))) {
    for (const { input } of entry.examples) {
      const value = input[slot.key];
      if (typeof value !== 'string' || !value.includes('_')) continue;
      const words = value
        .split('_')
        .filter((word) => !stopWords.has(word))
        .map(stem);
      const said = utterance.tokens.find((token) => words.includes(token.stem) && free({ ...token, text: '' }));
      if (said && words.every((word) => utterance.tokens.some((token) => token.stem === word))) {
        set(slot, value, { text: said.raw, start: said.start, end: said.end });
        break;
      }
    }
    if (slot.key in filled.input || !slot.required) continue;
    const [left, right] = filled.used
      .filter((span) => utterance.names.some((name) => name.start === span.start))
      .sort((a, b) => a.start - b.start);
    const between =
      left && right
        ? utterance.tokens.filter(
            (token) => token.start >= left.end && token.end <= right.start && !/^(?:is|are|was|the|a|an|now|be|been)$/.test(token.word),
          )
        : [];
    const [first, last] = [between[0], between.at(-1)];
    if (first && last && between.length <= 4)
      set(slot, between.map(({ word }) => word).join('_'), { text: '', start: first.start, end: last.end });
  }
}

/** "… that checkout is owned by the Payments team": the words before and after a relation fill its two ends. */
export function fillRelationEnds({ entry, utterance, filled, set }: SlotFilling): void {
  const names = entry.slots.filter(({ kind, required }) => kind === 'name' && required);
  const at = names.findIndex(({ key }) => typeof filled.input[key] === 'string' && String(filled.input[key]).includes('_'));
  const [before, middle, after] = [names[at - 1], names[at], names[at + 1]];
  if (!before || !middle || !after) return;
  const words = String(filled.input[middle.key]).split('_');
  const first = utterance.tokens.findIndex((_, place) =>
    words.every((word, offset) => utterance.tokens[place + offset]?.stem === stem(word)),
  );
  const [start, end] = [utterance.tokens[first], utterance.tokens[first + words.length - 1]];
  if (!start || !end) return;
  const left = utterance.text
    .slice(0, start.start)
    .replace(/\s+(?:is|are|was|were|be|been|now|will be|does|do)(?: now)?\s*$/i, '')
    .trimEnd();
  const subject =
    left
      .split(/\bthat\b|[:,;]/i)
      .at(-1)
      ?.trim()
      .replace(/^(?:please )?(?:note|record|remember|write down)\b/i, '')
      .trim()
      .replace(/^(?:the|our|a) /i, '') ?? '';
  const object = /^\s+(?:the |our |a )?([^:,;.?!]+)/i.exec(utterance.text.slice(end.end))?.[1]?.trim() ?? '';
  if (!(before.key in filled.input) && subject !== '' && subject.split(' ').length <= 4)
    set(before, subject, { text: subject, start: left.length - subject.length, end: left.length });
  const known = filled.input[after.key];
  if (object !== '' && object.split(' ').length <= 4 && (known === undefined || (typeof known === 'string' && object.startsWith(known))))
    set(after, object, { text: object, start: end.end, end: end.end + utterance.text.slice(end.end).indexOf(object) + object.length });
}

function scoreName(
  index: ToolIndex,
  entry: IndexedTool,
  { slot, utterance, name }: { slot: Slot; utterance: Utterance; name: NamedEntity },
): number {
  const here = neighboursOf(utterance, name);
  const aligned = entry.examples.flatMap((example) => example.aligned).filter(({ key }) => key === slot.key);
  const known = index.knownValues.get(slot.key);
  let best = aligned.length > 0 ? 0.6 : slot.kind === 'name' || slot.required ? 0.3 : 0;
  // "Liam's deals": Liam is the owner of the deals, not the name of a deal.
  if (isPerson(slot) && name.possessive) best += 1.2;
  for (const each of aligned) {
    let score = 0.6;
    const left = here.left.at(-1);
    if (left !== undefined && left === each.left.at(-1)) score += stopWords.has(left) ? 0.9 : 1.5;
    if (here.left.at(-2) !== undefined && here.left.at(-2) === each.left.at(-2)) score += 0.4;
    if (here.right !== undefined && here.right === each.right) score += 1;
    if (name.possessive && each.possessive) score += 1;
    best = Math.max(best, score);
  }
  // "The deals that Liam should land": a name before a verb such as "should" or "plan" is a person.
  if (isPerson(slot) && name.words.length <= 2 && /^(?:should|will|must|might|want|need|plan|hope|expect)$/.test(here.right ?? ''))
    best += 1.2;
  // A name of two capital letters, such as "CA", fits a slot whose description shows one: "such as CA or California".
  if (/^[A-Z]{2}$/.test(name.text) && /\b[A-Z]{2} or \p{Lu}\p{Ll}/u.test(slot.description)) best += 1.5;
  else if (/^[A-Z]{2}$/.test(name.text) && here.left.at(-1) === 'in') best -= 1.5;
  // "How many deals has Liam got?": a name after an auxiliary verb is a person.
  if (isPerson(slot) && /^(?:has|doe|did|have|had|is)$/.test(here.left.at(-1) ?? '') && utterance.words.length <= 5) best += 1.2;
  if (known) best -= known.has(fold(name.text)) ? -3 : name.words.length > 1 ? 1.6 : 0.8;
  // A known value of another slot, such as a department, is probably not the name for this slot.
  else if ([...index.knownValues.values()].some((values) => values.has(fold(name.text)))) best -= 1.2;
  return best + (slot.required ? 0.8 : 0) + (aligned.length > 0 ? 0.1 : 0);
}
