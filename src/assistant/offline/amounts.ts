/** Finds amounts of money, numbers and row counts in a text. */
import { fold, parseNumberWord } from './tokenise.ts';

export interface Amount {
  readonly start: number;
  readonly end: number;
  readonly value: number;
  /** "over" is a minimum, "at most" a maximum. */
  readonly bound: 'min' | 'max' | undefined;
  readonly money: boolean;
  readonly percent: boolean;
}
export interface Count {
  readonly start: number;
  readonly end: number;
  readonly number: number;
}

const FIGURE =
  /([$€£]|usd |us\$)? ?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?: ?(k|m|mn|mio|bn|b|thousand|million|billion|grand)\b|\b)( ?%| percent| per cent| dollars?| usd| bucks| euros?)?/g;
const SCALE: Readonly<Record<string, number>> = {
  k: 1e3,
  thousand: 1e3,
  grand: 1e3,
  m: 1e6,
  mn: 1e6,
  mio: 1e6,
  million: 1e6,
  b: 1e9,
  bn: 1e9,
  billion: 1e9,
};
const MIN =
  /(?:\b(?:over|above|more than|greater than|bigger than|larger than|higher than|at least|minimum(?: of)?|min|exceed(?:s|ing)?|from|upwards of|north of|no less than|starting at|better than|beyond|past)|>=?) ?(?:the )?(?:amount of |a value of |score of )?[$€£]?$/;
const MAX =
  /(?:\b(?:under|below|less than|smaller than|lower than|at most|maximum(?: of)?|max|up to|no more than|not more than|cheaper than|within|fewer than)|<=?) ?[$€£]?$/;

/** `taken` lists spans that are not amounts, such as dates. */
export function findAmounts(text: string, taken: readonly { start: number; end: number }[]): Amount[] {
  const folded = sameLength(text);
  const found: Amount[] = [];
  for (const match of folded.matchAll(FIGURE)) {
    const [whole, sign, digits = '', scale, unit] = match;
    const start = match.index + (whole.length - whole.trimStart().length);
    const end = match.index + whole.trimEnd().length;
    const before = folded.charAt(start - 1);
    if (/[\w-]/.test(before) || /^-?[a-z\d]/.test(folded.slice(end, end + 2)) || taken.some((span) => start < span.end && end > span.start))
      continue;
    const value = Number(digits.replaceAll(',', '')) * (scale ? (SCALE[scale] ?? 1) : 1);
    const left = folded.slice(Math.max(0, start - 30), start).trimEnd();
    const between = /\bbetween(?: [$€£]?[\d.,]+ ?[a-z]{0,8} (and))?$/.exec(left);
    const after = /^ ?(or (?:more|above|higher)|and (?:above|up)|plus\b|\+)|^ ?(or (?:less|below|fewer|lower))/.exec(folded.slice(end));
    const bound = between
      ? between[1]
        ? 'max'
        : 'min'
      : MIN.test(left) || after?.[1]
        ? 'min'
        : MAX.test(left) || after?.[2]
          ? 'max'
          : undefined;
    found.push({
      start,
      end,
      value: Math.round(value * 100) / 100,
      bound,
      money: Boolean(sign) || /dollar|usd|buck|euro/.test(unit ?? ''),
      percent: /%|per ?cent/.test(unit ?? ''),
    });
  }
  return found;
}

const TOP_COUNT =
  /\b(?:top|first|last|latest|newest|biggest|largest|highest|lowest|smallest|recent|oldest|best|worst|next|previous|past) (\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|fifty|dozen)\b(?! (?:day|week|month|quarter|year)s?\b)|\b(\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|fifteen|twenty) (?:top|latest|newest|most|biggest|largest|highest|lowest|smallest|recent|oldest|best)\b/;
export function findTopCount(text: string): Count | undefined {
  const match = TOP_COUNT.exec(sameLength(text));
  const number = parseNumberWord(match?.[1] ?? match?.[2] ?? '');
  return match && number ? { start: match.index, end: match.index + match[0].length, number } : undefined;
}

const BY = /\b(?:by|another|an extra|an additional|extra)(?: about| around)? ?[$€£]?$/i;
const OF_CHANGE = /\b(?:raise|increase|bump|hike|rise|uplift|cut|reduction|decrease)(?: in \p{L}+)? of(?: about)? ?[$€£]?$/iu;
const CHANGE_AFTER =
  /^(?: a (?:year|month))?(?: (?:pay|salary|annual|budget))? ?(?:raise|increase|bump|hike|rise|uplift|more|extra|higher|cut|less|lower|reduction|decrease)\b/i;
const TARGET = /\b(?:to|at) ?[$€£]?$/i;
/** Whether the amount is a difference to the present value. */
export function isRelative(text: string, { start, end, percent }: Amount): boolean {
  const [before, after] = [text.slice(0, start), text.slice(end)];
  if (TARGET.test(before)) return false;
  return percent || BY.test(before) || OF_CHANGE.test(before) || CHANGE_AFTER.test(after);
}

/** Lower-cases the text, and removes accents only if the length stays the same, so that positions stay valid. */
const sameLength = (text: string): string => {
  const folded = fold(text);
  return folded.length === text.length ? folded : text.toLowerCase();
};
