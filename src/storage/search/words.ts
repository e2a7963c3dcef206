/**
 * Tokens, stems and scores of full-text search, the same for every search store. Scores use only the row and the query: statistics of the
 * collection would disclose hidden rows.
 */

/** UTF-8 cannot encode lone surrogates. */
export const wellFormed = (text: string): string => text.replace(/\p{Cs}/gu, '\ufffd');

export interface Token {
  readonly stem: string;
  readonly from: number;
  readonly to: number;
}

// In scripts without spaces between words, each character is a token.
const TOKEN =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}])[\p{L}\p{N}\p{M}])+(?:['’](?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}])[\p{L}\p{N}\p{M}])+)*/gu;
/** The same for ASCII texts, ten times as fast. */
const PLAIN_TOKEN = /[a-z0-9]+(?:'[a-z0-9]+)*/gi;
const PLAIN = /^[\x00-\x7f]*$/;
const LONGEST = 48;

/** Removes accents and apostrophes. The result of a single combining mark is empty. */
const plain = (word: string): string =>
  word
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .slice(0, LONGEST)
    .replace(/\p{Cs}/gu, '');

export function tokens(text: string): Token[] {
  const found: Token[] = [];
  const isPlain = PLAIN.test(text);
  for (const match of text.matchAll(isPlain ? PLAIN_TOKEN : TOKEN)) {
    const stem = stemFor(match[0], isPlain);
    if (stem !== '') found.push({ stem, from: match.index, to: match.index + match[0].length });
  }
  return found;
}

const known = new Map<string, string>();
const MOST_KNOWN = 20_000;
function stemFor(word: string, isPlain: boolean): string {
  let stem = known.get(word);
  if (stem === undefined) {
    stem = stemOf(isPlain ? word.toLowerCase().replaceAll("'", '').slice(0, LONGEST) : plain(word));
    if (known.size >= MOST_KNOWN) known.clear();
    if (word.length <= LONGEST) known.set(word, stem);
  }
  return stem;
}

/** The stems of a text with spaces between them. */
export const stems = (text: string): string =>
  tokens(text)
    .map(({ stem }) => stem)
    .join(' ');

const VOWEL = /[aeiouy]/;
/** Removes endings of English plurals and verbs. A stem need not be a word. */
export function stemOf(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  return soft(verb(plural(word)));
}
function plural(word: string): string {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh|z)es$/.test(word)) return word.slice(0, -2);
  return /[^sui]s$/.test(word) ? word.slice(0, -1) : word;
}
function verb(word: string): string {
  const ending = /(?:ing|ed)$/.exec(word)?.[0];
  if (ending === undefined || word.endsWith('eed')) return word;
  const rest = word.slice(0, -ending.length);
  if (rest.length < 3 || !VOWEL.test(rest)) return word;
  return /([bcdfgkmnprtv])\1$/.test(rest) ? rest.slice(0, -1) : rest;
}
/** "Update" and "updating" get the same stem, and so do "apply" and "applied". */
const soft = (word: string): string => (word.length < 4 ? word : word.replace(/e$/, '').replace(/(?<=[^aeiou])y$/, 'i'));

const STOP = new Set(
  (
    'a an the and or but of to in on at by for with from as is are was were be been am do does did i me my we our us you your it its ' +
    'this that these those there how what why when where which who can could will would should not no if then so than too ' +
    'very just have has had please'
  )
    .split(' ')
    .map(stemOf),
);

export interface Sought {
  readonly stem: string;
  readonly weight: number;
  /** The number of allowed typos. The first letter must match, and a word with a digit must match exactly. */
  readonly typos: 0 | 1 | 2;
  /** True if the stem also matches as the beginning of a longer word. */
  readonly begins: boolean;
}
export interface Seeking {
  readonly words: readonly Sought[];
  /** Neighbouring words of the query. They add points if they are neighbours in the row. */
  readonly pairs: readonly (readonly [string, string])[];
  /** The number of words that a row must contain. */
  readonly needed: number;
}

/** NEAR: points for a similar or exact word. EXACT: additional points for an exact word. PAIR: points for a pair. */
export const NEAR = 3;
export const EXACT = 7;
export const PAIR = 5;

const MOST_WORDS = 24;
const MOST_PAIRS = 12;
const MOST_CHARACTERS = 2_000;

const typosIn = (stem: string): 0 | 1 | 2 => {
  if (/\p{N}/u.test(stem) || stem.length < 3) return 0;
  return stem.length < 8 ? 1 : 2;
};
const weightOf = (stem: string) => (stem.length < 4 ? 2 : stem.length < 7 ? 3 : 4);

/** Returns undefined if the query has no words. */
export function seeking(question: string): Seeking | undefined {
  const all = tokens(question.slice(0, MOST_CHARACTERS)).map(({ stem }) => stem);
  const significant = all.filter((stem) => !STOP.has(stem));
  const distinct = [...new Set(significant.length > 0 ? significant : all)].slice(0, MOST_WORDS);
  if (distinct.length === 0) return undefined;
  const words = distinct.map((stem) => ({ stem, weight: weightOf(stem), typos: typosIn(stem), begins: stem.length > 3 }));
  const pairs = new Map<string, readonly [string, string]>();
  for (let i = 1; i < all.length && pairs.size < MOST_PAIRS; i++) {
    const [one, two] = [all[i - 1] ?? '', all[i] ?? ''];
    if (!STOP.has(one) || !STOP.has(two)) pairs.set(`${one} ${two}`, [one, two]);
  }
  return { words, pairs: [...pairs.values()], needed: words.length < 3 ? 1 : Math.ceil(words.length * 0.4) };
}

export const isNear = (sought: Sought, stem: string): boolean =>
  stem === sought.stem || (sought.begins && stem.startsWith(sought.stem)) || isTypo(sought, stem);

const MOST_NEAR = 200;
/** The stems that are similar to a word, exact matches first. The limit must not cut an exact match: rows of other people add stems too. */
export function nearest(sought: Sought, known: readonly string[]): string[] {
  const rank = (stem: string) => (stem === sought.stem ? 0 : stem.startsWith(sought.stem) ? 1 : 2);
  return known
    .filter((stem) => isNear(sought, stem))
    .toSorted((a, b) => rank(a) - rank(b) || a.length - b.length)
    .slice(0, MOST_NEAR);
}

export function isTypo({ stem: sought, typos }: Sought, stem: string): boolean {
  return (
    typos > 0 && stem.charAt(0) === sought.charAt(0) && Math.abs(stem.length - sought.length) <= typos && distance(sought, stem) <= typos
  );
}

/** Edit distance: the number of added, removed, changed and swapped letters. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, (before[j - 2] ?? 0) + 1);
      row.push(least);
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
