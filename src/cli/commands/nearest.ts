/** Spelling suggestions: the known name with the smallest edit distance. */
const MOST_EDITS = 3;

/** Damerau-Levenshtein distance. */
function distance(a: string, b: string): number {
  let before: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, (before[j - 2] ?? 0) + 1);
      row.push(least);
    }
    [before, last] = [last, row];
  }
  return last[b.length] ?? 0;
}

export function nearest(given: string, names: readonly string[]): string | undefined {
  const word = given.toLowerCase().replaceAll('-', '_').slice(0, 60);
  if (word.length < 2) return undefined;
  const mostEdits = Math.min(MOST_EDITS, Math.ceil(word.length / 3));
  const [best] = names.map((name) => ({ name, edits: distance(word, name) })).sort((a, b) => a.edits - b.edits);
  if (best !== undefined && best.edits <= mostEdits) return best.name;
  return word.length > 3 ? names.find((name) => name.includes(word)) : undefined;
}

export const didYouMean = (given: string, names: readonly string[]): string => {
  const meant = nearest(given, names);
  return meant === undefined || meant === given ? '' : ` Did you mean ${meant}?`;
};
