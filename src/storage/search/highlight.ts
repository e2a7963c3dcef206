/** Marks the found words in excerpts of a text. It HTML-escapes the text, so a row cannot inject markup. */
import { isNear, type Seeking, type Token, tokens } from './words.ts';

const AROUND = 60;
const MOST_PIECES = 3;
/** Only this much of a text is searched: a page can have fifty long texts. */
const MOST_CHARACTERS = 20_000;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const encoded = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '');

export function highlight(text: string, { words }: Seeking): string[] {
  const read = text.slice(0, MOST_CHARACTERS);
  const known = new Map<string, boolean>();
  const isFound = ({ stem }: Token) => {
    let near = known.get(stem);
    if (near === undefined) known.set(stem, (near = words.some((word) => isNear(word, stem))));
    return near;
  };
  const all = tokens(read);
  const pieces: { from: number; to: number; marks: Token[] }[] = [];
  for (const mark of all.filter(isFound)) {
    const last = pieces.at(-1);
    if (last !== undefined && mark.from <= last.to + AROUND) {
      last.marks.push(mark);
      last.to = Math.max(last.to, mark.to + AROUND);
    } else if (pieces.length < MOST_PIECES) {
      pieces.push({ from: mark.from - AROUND, to: mark.to + AROUND, marks: [mark] });
    } else break;
  }
  return pieces.map(({ from, to, marks }) => {
    // An excerpt begins and ends at a token, so no word is cut.
    const begin = from <= 0 ? 0 : (all.find((token) => token.from >= from)?.from ?? 0);
    const end = to >= read.length ? read.length : (all.findLast((token) => token.to <= to)?.to ?? read.length);
    let html = '';
    let at = begin;
    for (const mark of marks) {
      html += `${encoded(read.slice(at, mark.from))}<em>${encoded(read.slice(mark.from, mark.to))}</em>`;
      at = mark.to;
    }
    return `${begin > 0 ? '… ' : ''}${html}${encoded(read.slice(at, Math.max(at, end)))}${end < text.length ? ' …' : ''}`;
  });
}
