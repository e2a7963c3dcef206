/** Matches the declared orders of a list with the superlatives of a question: "top 3 customers by revenue". */
import type { Utterance } from './annotate.ts';
import type { Slot } from './schema.ts';
import { areSynonyms } from './thesaurus.ts';
import { stem } from './tokenise.ts';

const DIRECTIONS: readonly (readonly [said: RegExp, named: RegExp])[] = [
  [/\b(?:top|biggest|largest|highest|greatest|most|best|longest)\b/i, /^(?:largest|highest|most|best|longest|top)$/],
  [/\b(?:newest|latest|most recent|recently|last added)\b/i, /^newest$/],
  [/\b(?:oldest|earliest)\b/i, /^(?:oldest|earliest)$/],
];
const BY = /\b(?:sorted|ordered|ranked|order|sort) by\b/i;

/** Undefined if the question names no order, or if several orders fit equally well. */
export function matchOrder({ values, schema }: Slot, utterance: Utterance): string | undefined {
  const said = DIRECTIONS.filter(([words]) => words.test(utterance.text));
  if (said.length === 0 && !BY.test(utterance.text)) return undefined;
  const isAlike = (part: string): boolean => utterance.tokens.some(({ word }) => stem(word) === stem(part) || areSynonyms(word, part));
  const scored = values.flatMap((value) => {
    const parts = value.split('_');
    const directions = parts.filter((part) => DIRECTIONS.some(([, named]) => named.test(part)));
    const nouns = parts.filter((part) => !directions.includes(part));
    const fits = directions.filter((part) => said.some(([, named]) => named.test(part))).length;
    if (fits < directions.length || !nouns.every(isAlike)) return [];
    return [{ value, score: 2 * nouns.length + fits }];
  });
  const [best, second] = scored.sort((a, b) => b.score - a.score);
  return best && best.score > (second?.score ?? 0) && best.value !== schema.default ? best.value : undefined;
}
