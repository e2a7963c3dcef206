/** Spelling correction against a vocabulary. */

type WordCount = readonly [word: string, count: number];
const byFirstLetter = new WeakMap<ReadonlyMap<string, number>, Map<string, WordCount[]>>();
/** The cache is keyed by vocabulary and contains no words of questions. */
function wordsStartingWith(vocabulary: ReadonlyMap<string, number>, letter: string): readonly WordCount[] {
  let words = byFirstLetter.get(vocabulary);
  if (!words) {
    byFirstLetter.set(vocabulary, (words = new Map<string, WordCount[]>()));
    for (const entry of vocabulary) words.set(entry[0].charAt(0), [...(words.get(entry[0].charAt(0)) ?? []), entry]);
  }
  return words.get(letter) ?? [];
}

/** The nearest word of the vocabulary: within one edit for four to eight letters, within two edits for longer words. */
export function correctSpelling(word: string, vocabulary: ReadonlyMap<string, number>): string | undefined {
  if (word.length < 4 || word.length > 24 || /\d/.test(word)) return undefined;
  const allowed = word.length >= 9 ? 2 : 1;
  let best: string | undefined;
  let fewest = allowed + 1;
  let often = 0;
  for (const [known, count] of wordsStartingWith(vocabulary, word.charAt(0))) {
    if (known.length < 4 || Math.abs(known.length - word.length) > allowed) continue;
    const slips = editDistance(word, known, allowed);
    // An extra letter at the end makes another word: a pager is not a page.
    if (slips === 1 && (known.length === word.length ? !isTypo(word, known) : word.startsWith(known))) continue;
    if (slips < fewest || (slips === fewest && count > often)) [best, fewest, often] = [known, slips, count];
  }
  return fewest <= allowed ? best : undefined;
}

const KEYBOARD_ROWS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];
const keyAt = (letter: string): [number, number] => {
  const row = KEYBOARD_ROWS.findIndex((keys) => keys.includes(letter));
  return [row, (KEYBOARD_ROWS[row]?.indexOf(letter) ?? 0) + row / 2];
};
/** A substitution is a typo if letters are swapped, keys are adjacent, or both letters are vowels. "Remote" is not "remove". */
function isTypo(word: string, known: string): boolean {
  const at = [...word].findIndex((letter, place) => letter !== known[place]);
  const [wrong = '', right = ''] = [word[at], known[at]];
  if (word[at + 1] === right && known[at + 1] === wrong) return true;
  const [[rowA, a], [rowB, b]] = [keyAt(wrong), keyAt(right)];
  return (word.length > 4 && 'aeiouy'.includes(wrong) && 'aeiouy'.includes(right)) || (Math.abs(rowA - rowB) <= 1 && Math.abs(a - b) <= 1);
}

/** Damerau-Levenshtein distance, or `limit` + 1 if it is larger than `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row.push(cost);
      least = Math.min(least, cost);
    }
    if (least > limit) return limit + 1;
    before = last;
    last = row;
  }
  return last[b.length] ?? limit + 1;
}
