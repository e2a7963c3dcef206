/** Reading a sentence: its words, and the stretches of it that are days, amounts, ids, quotations or names. */
import { type Amount, amounts, type Count, topCount } from './amounts.ts';
import type { Grain, Span } from './calendar.ts';
import { type When, whens } from './dates.ts';
import { respelled } from './spelling.ts';
import { CHANGES, ideasOf, knownWords } from './thesaurus.ts';
import { empty, fold, numberWord, plain, singular, type Token, tokens } from './tokenise.ts';

export interface Piece {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}
export interface Name extends Piece {
  readonly words: readonly string[];
  /** Written as a name, not only unknown as a word. */
  readonly sure: boolean;
  readonly possessive: boolean;
}
/** Nobody means more than so many things in one sentence. */
const MOST = 16;
/**
 * So many words are understood. What follows them can still be dictated: it stays in the text. The work for a question grows with its
 * words.
 */
export const MOST_TOKENS = 120;
/** A word that may say what is wanted. */
export interface Word {
  readonly stem: string;
  readonly ideas: readonly number[];
  readonly token: Token;
}
export interface Reading {
  readonly text: string;
  /** The part that is understood, in lower case and without accents. */
  readonly folded: string;
  readonly today: string;
  readonly tokens: readonly Token[];
  readonly words: readonly Word[];
  readonly whens: readonly When[];
  readonly amounts: readonly Amount[];
  readonly count: Count | undefined;
  readonly quotes: readonly Piece[];
  readonly ids: readonly Piece[];
  readonly emails: readonly Piece[];
  readonly names: readonly Name[];
}
/** What is known of words before anything is read: those that tools are described with, and names met before. */
export interface Lexicon {
  readonly vocabulary: ReadonlyMap<string, number>;
  readonly names: ReadonlySet<string>;
  /** What has a title of its own: an article, a ticket. */
  readonly titled?: ReadonlySet<string>;
  /** Names of several words, some of them words like others: new york. */
  readonly phrases?: readonly string[];
}

const EMAIL = /[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/g;
const ID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[A-Z]{2,}[-_]?\d[\w-]*\b|\b[et]-\d+\b|\b\d+[A-Z]{2,}\w*\b/gi;
const QUOTED = /(?<!\w)'([^'\n]{2,300}?)'(?!\w)|"([^"\n]{2,2000}?)"/g;
/** "Unpaid" is "not yet paid": the states have names for the one, not for the other. */
const UN = /\bun(paid|approved|reimbursed|resolved|submitted|acknowledged|completed|finished|closed|filed)\b/gi;
/** What two or three words order is ordered by one. */
const PHRASAL = [
  ['get rid of|do away with|throw out', 'delete'],
  ['green[- ]?light|wave through', 'approve'],
  ['knock back', 'reject'],
].map(([said = '', verb = '']) => ({
  phrase: new RegExp(`(^|[,;.!] |\\b(?:and|then|please|you|so|just|now|to) )(?:${said})(?= \\S)`, 'gi'),
  verb,
}));
const inOneVerb = (text: string): string => PHRASAL.reduce((said, { phrase, verb }) => said.replace(phrase, `$1${verb}`), text);
/** What is to be written down stays as it was said, word for word. */
const DICTATES =
  /:|^\W*(?:please |can you |could you |would you )*(?:add|create|make|remember|note|store|save|write|record|log|remind|comment|reply|respond|answer|post|submit|open|raise|file|rename|call|put|jot|keep|track|tell|say|send|draft|update|change|edit)\b/i;
const isDictated = (text: string): boolean => DICTATES.test(text) || text.search(QUOTED) >= 0;
const PERIOD_ID = /^(?:q\d|fy\d+|20\d\d)/i;

const pieces = (text: string, pattern: RegExp, take: (match: RegExpMatchArray) => string): Piece[] =>
  [...text.matchAll(pattern)].map((match) => {
    const inner = take(match);
    const start = match.index + match[0].indexOf(inner);
    return { text: inner, start, end: start + inner.length };
  });

export const overlaps = (a: { start: number; end: number }, b: { start: number; end: number }): boolean =>
  a.start < b.end && a.end > b.start;

export function read(given: string, today: string, lexicon: Lexicon, base?: Span & { grain: Grain }): Reading {
  const whole = plain(given).replace(/\s+/g, ' ').trim();
  const text = isDictated(whole)
    ? whole
    : inOneVerb(whole.replace(UN, 'not yet $1')).replace(/\b(\p{L}+)-(stage|priority|status|level)\b/giu, '$1 $2');
  const quoted = pieces(text, QUOTED, (match) => match[1] ?? match[2] ?? '');
  const quotes = quoted.length > 0 ? quoted : titleIn(text, lexicon);
  const first = tokens(text).slice(0, MOST_TOKENS);
  const head = first.length < MOST_TOKENS ? text : text.slice(0, first.at(-1)?.end);
  const emails = pieces(head, EMAIL, (match) => match[0].replace(/[.,]$/, ''));
  const dates = whens(head, today, base)
    .filter((when) => !quotes.some((quote) => overlaps(quote, when)))
    .slice(0, MOST);
  const ids = pieces(head, ID, (match) => match[0]).filter(
    (piece) => /\d/.test(piece.text) && !PERIOD_ID.test(piece.text) && !emails.some((email) => overlaps(email, piece)),
  );
  const taken = [...dates, ...ids, ...emails, ...quotes];
  const count = topCount(head);
  const all = owning(
    first.map((token) => correct(token, lexicon, quotes)),
    lexicon,
  );
  // A 401k and a 1099 are words.
  const figured = all.filter(({ word }) => /\d/.test(word) && knownWords.has(word));
  const figures = amounts(head, [...taken, ...(count ? [count] : []), ...figured]).slice(0, MOST);
  const names = [
    ...namesIn(text, all, [...dates, ...ids, ...emails, ...quotes], lexicon),
    ...quotes.map((quote): Name => ({ ...quote, words: tokens(quote.text).map(({ word }) => word), sure: true, possessive: false })),
  ]
    .sort((a, b) => a.start - b.start)
    .slice(0, MOST);
  const ideas = ideasOf(all.map(({ stem }) => stem));
  const words = all.flatMap((token, at): Word[] => {
    const inside = [...dates, ...ids, ...emails, ...figures, ...(count ? [count] : [])].some((span) => overlaps(span, token));
    const phrase = ideas[at] ?? [];
    return inside || numberWord(token.word) !== undefined || ((empty.has(token.word) || empty.has(token.stem)) && phrase.length === 0)
      ? []
      : [{ stem: token.stem, ideas: phrase, token }];
  });
  return { text, folded: fold(head), today, tokens: all, words, whens: dates, amounts: figures, count, quotes, ids, emails, names };
}

/** "The article Understanding your invoice": a title that nobody put in quotation marks. */
function titleIn(text: string, { titled }: Lexicon): Piece[] {
  const all = titled ? tokens(text) : [];
  const at = all.findIndex(
    (token, place) =>
      titled?.has(token.stem) &&
      all[place + 1]?.capital &&
      /^\p{Lu}\p{Ll}|^\p{Lu}{2,}$/u.test(all[place + 1]?.raw ?? '') &&
      text.slice(token.end, all[place + 1]?.start) === ' ',
  );
  const [first, second] = [all[at + 1], all[at + 2]];
  if (at < 0 || !first || !second || second.capital) return [];
  const stop = /[,;:?!.](?:\s|$)|\s[-–]\s|\s(?:because|as|since|please|and|with the|say|says|about)(?:\s|$)/.exec(text.slice(first.start));
  const end = first.start + (stop?.index ?? text.length - first.start);
  return end > second.start ? [{ text: text.slice(first.start, end), start: first.start, end }] : [];
}

/** Words that no tool is described with, but that mean the same as some that are. */
const GENERAL: ReadonlyMap<string, number> = new Map([...knownWords].filter((word) => word.length > 5).map((word) => [word, 1]));

/** A slip of the pen becomes the word that was meant. Names are left as they are. */
function correct(token: Token, { vocabulary, names }: Lexicon, quotes: readonly Piece[]): Token {
  if (
    token.capital ||
    knownWords.has(token.word) ||
    CHANGES.has(token.stem) ||
    empty.has(token.word) ||
    vocabulary.has(token.word) ||
    names.has(token.word) ||
    token.word.includes('-') ||
    quotes.some((quote) => overlaps(quote, token))
  )
    return token;
  const meant = respelled(token.word, vocabulary) ?? respelled(token.word, GENERAL);
  if (meant === undefined) return token;
  const [again] = tokens(meant);
  return again ? { ...token, word: again.word, stem: again.stem, singular: again.singular } : token;
}

/** "Sarahs email", "liam obriens job": whose it is, without the apostrophe. */
function owning(all: readonly Token[], { vocabulary, names }: Lexicon): Token[] {
  const unknown = ({ word }: Token) => !vocabulary.has(word) && !knownWords.has(word) && !empty.has(word);
  return all.map((token, at) => {
    const [base, before, next] = [token.word.slice(0, -1), all[at - 1], all[at + 1]];
    if (!/^\p{L}{3,}[^s]s$/u.test(token.word) || token.possessive || !unknown(token) || names.has(token.word)) return token;
    const named =
      names.has(base) || (before !== undefined && names.has(before.word) && unknown(before) && next !== undefined && !unknown(next));
    return named ? { ...token, word: base, stem: base, singular: singular(base), possessive: true } : token;
  });
}

const COMPOUND =
  /^(?:to|e|on|in|off|up|all|time|year|month|sign|follow|self|re|pre|co|non|one|two|three|well|long|short|part|full|day|week|half|mid|net|gross|pay|cross|first|last|top)-|-(?:off|up|on|end|in|to|date|time|day|term|wide|based|related|out|line)s?$/;
const BEFORE_NAMES = new Set([
  'for',
  'of',
  'from',
  'with',
  'to',
  'by',
  'about',
  'up',
  'is',
  'does',
  'did',
  'has',
  'was',
  'employee',
  'customer',
  'find',
  'at',
  'than',
  'and',
  'meant',
  'mean',
  'approve',
  'delete',
  'fire',
  'remove',
  'named',
  'called',
  'who',
  'show',
  'client',
  'vendor',
  'colleague',
  'contact',
  'person',
  'tell',
  'under',
  'below',
  'on',
  'in',
  'reject',
  'invite',
  'deal',
]);
const ARTICLES = new Set([
  'the',
  'a',
  'an',
  'our',
  'my',
  'this',
  'that',
  'any',
  'some',
  'all',
  'every',
  'your',
  'which',
  'what',
  'how',
  'these',
  'those',
  'no',
]);
const LINKS = new Set(['of', 'de', 'van', 'von', 'der', 'la', 'and', '&']);

function namesIn(
  text: string,
  all: readonly Token[],
  taken: readonly { start: number; end: number }[],
  { vocabulary, names, phrases = [] }: Lexicon,
): Name[] {
  const found: Name[] = [];
  const spoken = phrases.flatMap((phrase) => {
    const at = all.findIndex((_, place) =>
      phrase.split(' ').every((word, offset) => all[place + offset]?.word === word && !all[place + offset]?.capital),
    );
    const run = at < 0 ? [] : all.slice(at, at + phrase.split(' ').length);
    const [head, tail] = [run[0], run.at(-1)];
    return head && tail
      ? [
          {
            text: text.slice(head.start, tail.end),
            start: head.start,
            end: tail.end,
            words: run.map(({ word }) => word),
            sure: true,
            possessive: false,
          },
        ]
      : [];
  });
  const free = (token: Token) => !taken.some((span) => overlaps(span, token));
  const common = (token: Token) =>
    vocabulary.has(token.word) ||
    (!token.capital && (knownWords.has(token.word) || vocabulary.has(token.word.replace(/s$/, '')))) ||
    empty.has(token.word) ||
    CHANGES.has(token.stem);
  const first = (token: Token) => token.start === 0 || /[.!?:;"]\s*$/.test(text.slice(Math.max(0, token.start - 3), token.start));
  const surely = (token: Token): boolean => {
    if (!free(token) || /^\d/.test(token.word)) return false;
    if (/[a-z0-9]-[a-z0-9]/.test(token.raw) && !vocabulary.has(token.word) && !COMPOUND.test(token.word) && !knownWords.has(token.word))
      return true;
    if (!token.capital) return names.has(token.word) && !common(token) && !knownWords.has(token.word);
    // "NY and TX": two letters where a place would stand.
    if (
      /^[A-Z]{2}$/.test(token.raw) &&
      !knownWords.has(token.word) &&
      !empty.has(token.word) &&
      /\b(?:in|for|of|and|or|vs|from)\s*$/i.test(text.slice(0, token.start))
    )
      return true;
    if (/^[A-Z]{2,5}s?$/.test(token.raw) && (vocabulary.has(token.word) || vocabulary.has(token.stem))) return false;
    if (first(token) || token.raw === 'I' || token.raw.startsWith("I'")) return !common(token) && !knownWords.has(token.word);
    return true;
  };
  const perhaps = (token: Token, before: Token | undefined): boolean =>
    free(token) &&
    !token.capital &&
    !common(token) &&
    /^[\p{L}'-]{2,}$/u.test(token.raw) &&
    !(/(?:ed|ing|ly)$/.test(token.word) && !/^(?:in|for|of|from|about|on|with)$/.test(before?.word ?? '')) &&
    (token.possessive ||
      (before !== undefined && (BEFORE_NAMES.has(before.word) || CHANGES.has(before.stem)) && !ARTICLES.has(before.word)));

  for (let at = 0; at < all.length; at += 1) {
    const token = all[at];
    if (!token || spoken.some((name) => overlaps(name, token))) continue;
    const sure = surely(token);
    if (!sure && !perhaps(token, all[at - 1])) continue;
    // "give me daniel lee's email": the first name goes with the last.
    let start = at;
    for (let back = at - 1; !sure && back >= 0 && start - back === 1 && at - back <= 2; back -= 1) {
      const here = all[back];
      if (
        here &&
        !here.capital &&
        !common(here) &&
        free(here) &&
        !here.possessive &&
        /^[\p{L}'-]{2,}$/u.test(here.raw) &&
        text.slice(here.end, all[start]?.start) === ' '
      )
        start = back;
    }
    let last = at;
    for (let next = at + 1; next < all.length && !all[last]?.possessive; next += 1) {
      const [here, further] = [all[next], all[next + 1]];
      if (!here || !/^[ ]$/.test(text.slice(all[last]?.end ?? 0, here.start))) break;
      if (
        sure
          ? surely(here) || ((here.capital || (here.possessive && !common(here))) && free(here))
          : !here.capital && !common(here) && free(here)
      )
        last = next;
      else if (
        sure &&
        LINKS.has(here.word) &&
        here.word !== 'and' &&
        further?.capital &&
        surely(further) &&
        /^\p{L}/u.test(further.raw) &&
        here.word !== 'of'
      )
        last = next;
      else break;
    }
    const run = all.slice(start, last + 1);
    const [head, tail] = [run[0], run.at(-1)];
    if (!head || !tail) continue;
    const end =
      tail.possessive && /'s$/i.test(fold(tail.raw))
        ? tail.end - 2
        : tail.possessive && fold(tail.raw) === `${tail.word}s`
          ? tail.end - 1
          : tail.end;
    found.push({
      text: text.slice(head.start, end),
      start: head.start,
      end,
      words: run.map(({ word }) => word),
      sure,
      possessive: tail.possessive,
    });
    at = last;
  }
  return [...found, ...spoken];
}
