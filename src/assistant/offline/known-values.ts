/** Finds values that the schemas list as examples, such as departments. */
import { overlaps, type TextSpan, type Utterance } from './annotate.ts';
import { synonymsOf } from './thesaurus.ts';

export function findKnownValues(values: ReadonlyMap<string, string>, utterance: Utterance): { value: string; at: TextSpan }[] {
  const found: { value: string; at: TextSpan }[] = [];
  for (const [folded, value] of values) {
    const spellings = [folded, ...(folded.length <= 3 ? synonymsOf(folded).filter((other) => other.includes(' ')) : [])];
    for (const spelling of spellings.filter((each) => utterance.folded.includes(each))) {
      const match = new RegExp(`(?<![\\w-])${spelling.replace(/[^\w ]/g, '\\$&')}s?(?![\\w-])`).exec(utterance.folded);
      if (!match) continue;
      const at = {
        text: utterance.text.slice(match.index, match.index + match[0].length),
        start: match.index,
        end: match.index + match[0].length,
      };
      // "Apex Legal Partners" does not mention the legal department.
      if (
        !utterance.names.some(
          (name) =>
            name.isCertain &&
            overlaps(name, at) &&
            name.end - name.start > at.end - at.start &&
            !/^\W/.test(name.text.replace(at.text, '')) &&
            name.words.length > spelling.split(' ').length,
        )
      )
        found.push({ value, at });
    }
  }
  // Capitalised mentions come first: "the Legal budget of sales".
  return found.sort((a, b) => Number(/^\p{Lu}/u.test(b.at.text)) - Number(/^\p{Lu}/u.test(a.at.text)) || a.at.start - b.at.start);
}
