/** Names as people type them: without their capitals, accents and signs. Stored beside a name, so that every store finds it alike. */
const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', ø: 'o', ł: 'l', đ: 'd', æ: 'ae', œ: 'oe', ı: 'i', þ: 'th', ð: 'd' };

/** "Jürgen O'Neill-Weiß" is spelled "jurgen oneill weiss". A name of nothing but signs is spelled ''. */
export const spelledPlainly = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[ßøłđæœıþð]/g, (letter) => LETTERS[letter] ?? letter)
    .replace(/[\p{M}'’`´]/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
