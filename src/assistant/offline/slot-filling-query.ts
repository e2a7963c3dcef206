/** Fills search queries, and describes records that have no name. */
import { overlaps, type Piece, type Reading } from './annotate.ts';
import type { Entry, Index } from './index-tools.ts';
import type { Slot } from './schema.ts';
import type { Filled } from './slot-filling-state.ts';
import { about, afterWords, piece } from './text.ts';
import { CHANGES } from './thesaurus.ts';
import { empty, fold, HOW_TO, stem } from './tokenise.ts';

export function queryIn(
  index: Index,
  entry: Entry,
  slot: Slot,
  reading: Reading,
  used: readonly Piece[],
): (Piece & { found: boolean }) | undefined {
  const quote = reading.quotes.find((each) => !used.some((span) => overlaps(span, each)));
  if (quote) return { ...quote, found: true };
  const how = HOW_TO.exec(reading.text);
  if (how && entry.examples.some(({ kinds }) => kinds.has('#how')))
    return { ...piece(reading.text, how[0].length, reading.text.replace(/[\s?!.]+$/, '').length), found: true };
  const wanted = (piece: Piece | undefined) => {
    if (!piece || used.some((span) => overlaps(span, { start: piece.start, end: piece.start + 2 }))) return undefined;
    const cut = used.filter((span) => span.start > piece.start && span.start < piece.end).sort((a, b) => a.start - b.start)[0];
    const text = (cut ? reading.text.slice(piece.start, cut.start) : piece.text).trim().replace(/[\s,?.!]+$/, '');
    return text.split(/\s+/).every((word) => empty.has(fold(word))) ? undefined : { ...piece, text };
  };
  const found = wanted(afterWords(entry, slot, reading)) ?? wanted(about(reading, used));
  // Whose they are is looked for as well, where there is no other place for it.
  const whose = found
    ? reading.names
        .filter((name) => name.sure && !overlaps(name, found) && !used.some((span) => overlaps(span, name)))
        .map(({ text }) => text)
    : [];
  if (found) return { ...found, text: [...whose, found.text.replace(/^(?:the|a|an|our|my) /i, '')].join(' '), found: true };
  const rest = reading.words.filter(
    (word) =>
      !used.some((span) => overlaps(span, word.token)) &&
      ((entry.stems.get(word.stem) ?? 0) < 0.5 || reading.names.some((name) => name.sure && overlaps(name, word.token))) &&
      !empty.has(word.token.word) &&
      !SUPERLATIVE.test(word.token.word),
  );
  const told = rest.filter(
    (word) => !word.ideas.some((idea) => (entry.ideas.get(idea) ?? 0) >= 0.75) || index.lexicon.names.has(word.token.word),
  );
  const [first, last] = [told[0]?.token, told.at(-1)?.token];
  if (!first || !last) return undefined;
  return {
    text: told.map(({ token }) => token.raw.replace(/'s$/, '')).join(' '),
    start: first.start,
    end: last.end,
    found: told.every(({ token }) => reading.names.some((name) => name.sure && overlaps(name, token))),
  };
}

/** "The 429 one". */
const pointedAt = (reading: Reading, words: readonly string[]): string[] => {
  const said = /\b(?:the|that) ([\w.-]+) one\b/i.exec(reading.text)?.[1];
  return said === undefined ||
    empty.has(said.toLowerCase()) ||
    words.includes(said) ||
    SUPERLATIVE.test(said) ||
    /^(?:next|last|first|second|third|other)$/i.test(said)
    ? []
    : [said];
};
const SUPERLATIVE =
  /^(?:biggest|largest|highest|lowest|smallest|newest|latest|oldest|earliest|best|worst|top|most|least|cheapest|last|recent)$/i;

/** An id that has no name: the words that are left describe it. */
/** "The remote work entry": the words between the article and what its finder lists. */
function entryNamed(index: Index, entry: Entry, slot: Slot, reading: Reading, filled: Filled): string[] {
  const nouns = new Set(
    index.entries
      .filter(({ tool }) => (entry.finders.get(slot.key) ?? []).includes(tool.name) && tool.domain === entry.tool.domain)
      .map(({ tool }) => stem((tool.plural ?? '').split(' ').at(-1) ?? '')),
  );
  const end = reading.tokens.findIndex((token) => nouns.has(token.stem) && !/[^s]s$/.test(token.word));
  const start = reading.tokens.slice(0, Math.max(0, end)).findLastIndex(({ word }) => /^(?:the|our|that|this)$/.test(word));
  const between = start < 0 ? [] : reading.tokens.slice(start + 1, end);
  return between.length > 4 || between.some((token) => filled.used.some((span) => overlaps(span, token)))
    ? []
    : between.map(({ raw }) => raw);
}
export function describeIds(index: Index, entry: Entry, reading: Reading, filled: Filled): void {
  for (const slot of entry.slots.filter(({ kind, required }) => (kind === 'id' || kind === 'number-id') && required)) {
    if (slot.key in filled.input || filled.mentions.some((mention) => mention.slot === slot)) continue;
    const quote = reading.quotes.find((each) => !filled.used.some((span) => overlaps(span, each)));
    const first = reading.words[0]?.token.start;
    const fields = new Set(Object.keys(entry.row.properties ?? {}).map(stem));
    const words = quote
      ? quote.text.split(/\s+/)
      : reading.words
          .filter(
            (word) =>
              !filled.used.some((span) => overlaps(span, word.token)) &&
              (entry.stems.get(word.stem) ?? 0) < 0.65 &&
              !fields.has(word.stem) &&
              !empty.has(word.token.word) &&
              !SUPERLATIVE.test(word.token.word) &&
              !(word.token.start === first && CHANGES.has(word.stem)),
          )
          .map(({ token }) => token.raw.replace(/'s$/, ''));
    filled.mentions.push({ slot, names: [], words: [...words, ...pointedAt(reading, words)] });
  }
  for (const slot of entry.slots.filter(({ kind, required, key }) => kind === 'id' && !required && !(key in filled.input))) {
    const quote = reading.quotes.find((each) => !filled.used.some((span) => overlaps(span, each)));
    if (quote && entry.changes && !filled.mentions.some((mention) => mention.slot === slot))
      filled.mentions.push({ slot, names: [], words: quote.text.split(/\s+/) });
    const told =
      quote || filled.mentions.length > 0 || !entry.examples.some(({ input }) => slot.key in input)
        ? []
        : entryNamed(index, entry, slot, reading, filled);
    if (told.length > 0) filled.mentions.push({ slot, names: [], words: told });
  }
}
