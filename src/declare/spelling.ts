/** Folds names for search: lower case, no accents, no punctuation. Each store saves the folded name too, so that all find the same rows. */
const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', ø: 'o', ł: 'l', đ: 'd', æ: 'ae', œ: 'oe', ı: 'i', þ: 'th', ð: 'd' };

/** "Jürgen O'Neill-Weiß" becomes "jurgen oneill weiss". A name without letters and digits becomes ''. */
export const spelledPlainly = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[ßøłđæœıþð]/g, (letter) => LETTERS[letter] ?? letter)
    .replace(/[\p{M}'’`´]/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
