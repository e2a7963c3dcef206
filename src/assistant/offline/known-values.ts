/** Finds values that the schemas list as examples, such as departments. */
import { overlaps, type Piece, type Reading } from './annotate.ts';
import { othersFor } from './thesaurus.ts';

export function knownIn(values: ReadonlyMap<string, string>, reading: Reading): { value: string; at: Piece }[] {
  const found: { value: string; at: Piece }[] = [];
  for (const [folded, value] of values) {
    const spellings = [folded, ...(folded.length <= 3 ? othersFor(folded).filter((other) => other.includes(' ')) : [])];
    for (const spelling of spellings.filter((each) => reading.folded.includes(each))) {
      const match = new RegExp(`(?<![\\w-])${spelling.replace(/[^\w ]/g, '\\$&')}s?(?![\\w-])`).exec(reading.folded);
      if (!match) continue;
      const at = {
        text: reading.text.slice(match.index, match.index + match[0].length),
        start: match.index,
        end: match.index + match[0].length,
      };
      // "Apex Legal Partners" is not the legal department.
      if (
        !reading.names.some(
          (name) =>
            name.sure &&
            overlaps(name, at) &&
            name.end - name.start > at.end - at.start &&
            !/^\W/.test(name.text.replace(at.text, '')) &&
            name.words.length > spelling.split(' ').length,
        )
      )
        found.push({ value, at });
    }
  }
  // Written as a name before written small: "the Legal budget of sales".
  return found.sort((a, b) => Number(/^\p{Lu}/u.test(b.at.text)) - Number(/^\p{Lu}/u.test(a.at.text)) || a.at.start - b.at.start);
}
