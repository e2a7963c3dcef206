/** Fills search queries and finds the words that describe a record without a name. */
import { overlaps, type TextSpan, type Utterance } from './annotate.ts';
import type { IndexedTool, ToolIndex } from './index-tools.ts';
import type { Slot } from './schema.ts';
import type { FilledSlots } from './slot-filling-state.ts';
import { textAfterAbout, textAfterExampleWords, trimmedSpan } from './text.ts';
import { CHANGE_VERBS } from './thesaurus.ts';
import { stopWords, fold, HOW_TO, stem } from './tokenise.ts';

export function findQuery(
  index: ToolIndex,
  entry: IndexedTool,
  { slot, utterance, used }: { slot: Slot; utterance: Utterance; used: readonly TextSpan[] },
): (TextSpan & { found: boolean }) | undefined {
  const quote = utterance.quotes.find((each) => !used.some((span) => overlaps(span, each)));
  if (quote) return { ...quote, found: true };
  const how = HOW_TO.exec(utterance.text);
  if (how && entry.examples.some(({ features }) => features.has('#how')))
    return { ...trimmedSpan(utterance.text, how[0].length, utterance.text.replace(/[\s?!.]+$/, '').length), found: true };
  const wanted = (piece: TextSpan | undefined) => {
    if (!piece || used.some((span) => overlaps(span, { start: piece.start, end: piece.start + 2 }))) return undefined;
    const cut = used.filter((span) => span.start > piece.start && span.start < piece.end).sort((a, b) => a.start - b.start)[0];
    const text = (cut ? utterance.text.slice(piece.start, cut.start) : piece.text).trim().replace(/[\s,?.!]+$/, '');
    // "Tickets are nearly …" goes on with the sentence, not with the words to search for.
    if (/^(?:are|is|was|were|have|has|had|do|does|did|that|which|who|whose)\b/i.test(text)) return undefined;
    return text.split(/\s+/).every((word) => stopWords.has(fold(word))) ? undefined : { ...piece, text };
  };
  const found = wanted(textAfterExampleWords(entry, slot, utterance)) ?? wanted(textAfterAbout(utterance, used));
  const whose = found
    ? utterance.names
        .filter((name) => name.isCertain && !overlaps(name, found) && !used.some((span) => overlaps(span, name)))
        .map(({ text }) => text)
    : [];
  if (found) return { ...found, text: [...whose, found.text.replace(/^(?:the|a|an|our|my) /i, '')].join(' '), found: true };
  const rest = utterance.words.filter(
    (word) =>
      !used.some((span) => overlaps(span, word.token)) &&
      ((entry.stems.get(word.stem) ?? 0) < 0.5 || utterance.names.some((name) => name.isCertain && overlaps(name, word.token))) &&
      !stopWords.has(word.token.word) &&
      !SUPERLATIVE.test(word.token.word),
  );
  const told = rest.filter(
    (word) => !word.concepts.some((concept) => (entry.concepts.get(concept) ?? 0) >= 0.75) || index.lexicon.names.has(word.token.word),
  );
  const [first, last] = [told[0]?.token, told.at(-1)?.token];
  if (!first || !last) return undefined;
  return {
    text: told.map(({ token }) => token.raw.replace(/'s$/, '')).join(' '),
    start: first.start,
    end: last.end,
    found: told.every(({ token }) => utterance.names.some((name) => name.isCertain && overlaps(name, token))),
  };
}

/** "The 429 one": the word before "one". */
const wordBeforeOne = (utterance: Utterance, words: readonly string[]): string[] => {
  const said = /\b(?:the|that) ([\w.-]+) one\b/i.exec(utterance.text)?.[1];
  return said === undefined ||
    stopWords.has(said.toLowerCase()) ||
    words.includes(said) ||
    SUPERLATIVE.test(said) ||
    /^(?:next|last|first|second|third|other)$/i.test(said)
    ? []
    : [said];
};
const SUPERLATIVE =
  /^(?:biggest|largest|highest|lowest|smallest|newest|latest|oldest|earliest|best|worst|top|most|least|cheapest|last|recent)$/i;

/** "The remote work entry": the words between the article and the noun of the record. */
function wordsBeforeNoun(
  index: ToolIndex,
  entry: IndexedTool,
  { slot, utterance, filled }: { slot: Slot; utterance: Utterance; filled: FilledSlots },
): string[] {
  const nouns = new Set(
    index.entries
      .filter(({ tool }) => (entry.finders.get(slot.key) ?? []).includes(tool.name) && tool.domain === entry.tool.domain)
      .map(({ tool }) => stem((tool.plural ?? '').split(' ').at(-1) ?? '')),
  );
  const end = utterance.tokens.findIndex((token) => nouns.has(token.stem) && !/[^s]s$/.test(token.word));
  const start = utterance.tokens.slice(0, Math.max(0, end)).findLastIndex(({ word }) => /^(?:the|our|that|this)$/.test(word));
  const between = start < 0 ? [] : utterance.tokens.slice(start + 1, end);
  return between.length > 4 || between.some((token) => filled.used.some((span) => overlaps(span, token)))
    ? []
    : between.map(({ raw }) => raw);
}
/** Adds a reference for each id without a name. The unexplained words describe the record. */
export function addDescribedReferences(
  index: ToolIndex,
  entry: IndexedTool,
  { utterance, filled }: { utterance: Utterance; filled: FilledSlots },
): void {
  for (const slot of entry.slots.filter(({ kind, required }) => (kind === 'id' || kind === 'number-id') && required)) {
    if (slot.key in filled.input || filled.references.some((reference) => reference.slot === slot)) continue;
    const quote = utterance.quotes.find((each) => !filled.used.some((span) => overlaps(span, each)));
    const first = utterance.words[0]?.token.start;
    const fields = new Set(Object.keys(entry.rowSchema.properties ?? {}).map(stem));
    const words = quote
      ? quote.text.split(/\s+/)
      : utterance.words
          .filter(
            (word) =>
              !filled.used.some((span) => overlaps(span, word.token)) &&
              (entry.stems.get(word.stem) ?? 0) < 0.65 &&
              !fields.has(word.stem) &&
              !stopWords.has(word.token.word) &&
              !SUPERLATIVE.test(word.token.word) &&
              !(word.token.start === first && CHANGE_VERBS.has(word.stem)),
          )
          .map(({ token }) => token.raw.replace(/'s$/, ''));
    filled.references.push({ slot, names: [], words: [...words, ...wordBeforeOne(utterance, words)] });
  }
  for (const slot of entry.slots.filter(({ kind, required, key }) => kind === 'id' && !required && !(key in filled.input))) {
    const quote = utterance.quotes.find((each) => !filled.used.some((span) => overlaps(span, each)));
    if (quote && entry.mutates && !filled.references.some((reference) => reference.slot === slot))
      filled.references.push({ slot, names: [], words: quote.text.split(/\s+/) });
    const told =
      quote || filled.references.length > 0 || !entry.examples.some(({ input }) => slot.key in input)
        ? []
        : wordsBeforeNoun(index, entry, { slot, utterance, filled });
    if (told.length > 0) filled.references.push({ slot, names: [], words: told });
  }
}
