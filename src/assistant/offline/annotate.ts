/** Annotates an utterance: its tokens, content words, dates, amounts, ids, e-mail addresses, quotations and names. */
import { type Amount, findAmounts, type Count, findTopCount } from './amounts.ts';
import type { Grain, DateRange } from './calendar.ts';
import { type DateMention, findDates } from './dates.ts';
import { correctSpelling } from './spelling.ts';
import { CHANGE_VERBS, conceptsOf, knownWords } from './thesaurus.ts';
import { stopWords, fold, parseNumberWord, normaliseText, singular, type Token, tokenise } from './tokenise.ts';

export interface TextSpan {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}
export interface NamedEntity extends TextSpan {
  readonly words: readonly string[];
  /** True if the text has the form of a name. False if it is an unknown word in the position of a name. */
  readonly isCertain: boolean;
  readonly possessive: boolean;
}
const MAX_SPANS = 16;
/** Only the first tokens are annotated, which limits the work. */
export const MAX_TOKENS = 120;
export interface ContentWord {
  readonly stem: string;
  readonly concepts: readonly number[];
  readonly token: Token;
}
export interface Utterance {
  readonly text: string;
  /** The annotated part of the text, in lower case and without accents. */
  readonly folded: string;
  readonly today: string;
  readonly tokens: readonly Token[];
  readonly words: readonly ContentWord[];
  readonly dates: readonly DateMention[];
  readonly amounts: readonly Amount[];
  readonly count: Count | undefined;
  readonly quotes: readonly TextSpan[];
  readonly ids: readonly TextSpan[];
  readonly emails: readonly TextSpan[];
  readonly names: readonly NamedEntity[];
}
/** Words of the tool declarations, and names from their examples. */
export interface Lexicon {
  readonly vocabulary: ReadonlyMap<string, number>;
  readonly names: ReadonlySet<string>;
  /** Nouns for records that have a title: article, ticket. */
  readonly titled?: ReadonlySet<string>;
  /** Names of several words that contain common words: new york. */
  readonly phrases?: readonly string[];
  /** The month in which the company's fiscal year begins; January by default. */
  readonly fiscalYearStart?: number;
}

const EMAIL = /[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/g;
const ID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[A-Z]{2,}[-_]?\d[\w-]*\b|\b[et]-\d+\b|\b\d+[A-Z]{2,}\w*\b/gi;
const QUOTED = /(?<!\w)'([^'\n]{2,300}?)'(?!\w)|"([^"\n]{2,2000}?)"/g;
/** "Unpaid" becomes "not yet paid", because records have a state PAID but no state UNPAID. */
const NEGATED_STATE = /\bun(paid|approved|reimbursed|resolved|submitted|acknowledged|completed|finished|closed|filed)\b/gi;
const PHRASAL_VERBS = [
  ['get rid of|do away with|throw out', 'delete'],
  ['green[- ]?light|wave through', 'approve'],
  ['knock back', 'reject'],
].map(([said = '', verb = '']) => ({
  phrase: new RegExp(`(^|[,;.!] |\\b(?:and|then|please|you|so|just|now|to) )(?:${said})(?= \\S)`, 'gi'),
  verb,
}));
const replacePhrasalVerbs = (text: string): string =>
  PHRASAL_VERBS.reduce((said, { phrase, verb }) => said.replace(phrase, `$1${verb}`), text);
/** Dictated text must reach the tool unchanged, so it is not rewritten. */
const DICTATION =
  /:|^\W*(?:please |can you |could you |would you )*(?:add|create|make|remember|note|store|save|write|record|log|remind|comment|reply|respond|answer|post|submit|open|raise|file|rename|call|put|jot|keep|track|tell|say|send|draft|update|change|edit)\b/i;
const isDictation = (text: string): boolean => DICTATION.test(text) || text.search(QUOTED) >= 0;
const PERIOD_ID = /^(?:q\d|fy\d+|20\d\d)/i;

const matchSpans = (text: string, pattern: RegExp, take: (match: RegExpMatchArray) => string): TextSpan[] =>
  [...text.matchAll(pattern)].map((match) => {
    const inner = take(match);
    const start = match.index + match[0].indexOf(inner);
    return { text: inner, start, end: start + inner.length };
  });

export const overlaps = (a: { start: number; end: number }, b: { start: number; end: number }): boolean =>
  a.start < b.end && a.end > b.start;

export function annotate(
  given: string,
  today: string,
  lexicon: Lexicon,
  { base }: { base?: (DateRange & { grain: Grain }) | undefined } = {},
): Utterance {
  const whole = normaliseText(given).replace(/\s+/g, ' ').trim();
  const text = isDictation(whole)
    ? whole
    : replacePhrasalVerbs(whole.replace(NEGATED_STATE, 'not yet $1')).replace(/\b(\p{L}+)-(stage|priority|status|level)\b/giu, '$1 $2');
  const quoted = matchSpans(text, QUOTED, (match) => match[1] ?? match[2] ?? '');
  const quotes = quoted.length > 0 ? quoted : findTitle(text, lexicon);
  const first = tokenise(text).slice(0, MAX_TOKENS);
  const head = first.length < MAX_TOKENS ? text : text.slice(0, first.at(-1)?.end);
  const emails = matchSpans(head, EMAIL, (match) => match[0].replace(/[.,]$/, ''));
  const dates = findDates(head, today, { base, fiscalYearStart: lexicon.fiscalYearStart })
    .filter((when) => !quotes.some((quote) => overlaps(quote, when)))
    .slice(0, MAX_SPANS);
  const ids = matchSpans(head, ID, (match) => match[0]).filter(
    (piece) => /\d/.test(piece.text) && !PERIOD_ID.test(piece.text) && !emails.some((email) => overlaps(email, piece)),
  );
  const taken = [...dates, ...ids, ...emails, ...quotes];
  const count = findTopCount(head);
  const all = markPossessives(
    first.map((token) => correctTypo(token, lexicon, quotes)),
    lexicon,
  );
  // Known words with digits, such as 401k and 1099, are not amounts.
  const figured = all.filter(({ word }) => /\d/.test(word) && knownWords.has(word));
  const figures = findAmounts(head, [...taken, ...(count ? [count] : []), ...figured]).slice(0, MAX_SPANS);
  const names = [
    ...findNames(text, all, [...dates, ...ids, ...emails, ...quotes], lexicon),
    ...quotes.map(
      (quote): NamedEntity => ({ ...quote, words: tokenise(quote.text).map(({ word }) => word), isCertain: true, possessive: false }),
    ),
  ]
    .sort((a, b) => a.start - b.start)
    .slice(0, MAX_SPANS);
  const concepts = conceptsOf(all.map(({ stem }) => stem));
  const words = all.flatMap((token, at): ContentWord[] => {
    const inside = [...dates, ...ids, ...emails, ...figures, ...(count ? [count] : [])].some((span) => overlaps(span, token));
    const phrase = concepts[at] ?? [];
    return inside ||
      parseNumberWord(token.word) !== undefined ||
      ((stopWords.has(token.word) || stopWords.has(token.stem)) && phrase.length === 0)
      ? []
      : [{ stem: token.stem, concepts: phrase, token }];
  });
  return { text, folded: fold(head), today, tokens: all, words, dates: dates, amounts: figures, count, quotes, ids, emails, names };
}

/** Finds a title without quotation marks: "the article Understanding your invoice". */
function findTitle(text: string, { titled }: Lexicon): TextSpan[] {
  const all = titled ? tokenise(text) : [];
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

/** Words of the thesaurus, as a second vocabulary for spelling correction. */
const SYNONYM_VOCABULARY: ReadonlyMap<string, number> = new Map([...knownWords].filter((word) => word.length > 5).map((word) => [word, 1]));

/** Corrects typing errors, but not in names. */
function correctTypo(token: Token, { vocabulary, names }: Lexicon, quotes: readonly TextSpan[]): Token {
  if (
    token.capital ||
    knownWords.has(token.word) ||
    CHANGE_VERBS.has(token.stem) ||
    stopWords.has(token.word) ||
    vocabulary.has(token.word) ||
    names.has(token.word) ||
    token.word.includes('-') ||
    quotes.some((quote) => overlaps(quote, token))
  )
    return token;
  const meant = correctSpelling(token.word, vocabulary) ?? correctSpelling(token.word, SYNONYM_VOCABULARY);
  if (meant === undefined) return token;
  const [again] = tokenise(meant);
  return again ? { ...token, word: again.word, stem: again.stem, singular: again.singular } : token;
}

/** Marks possessives without an apostrophe: "Sarahs email", "liam obriens job". */
function markPossessives(all: readonly Token[], { vocabulary, names }: Lexicon): Token[] {
  const unknown = ({ word }: Token) => !vocabulary.has(word) && !knownWords.has(word) && !stopWords.has(word);
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
const NAME_PARTICLES = new Set(['of', 'de', 'van', 'von', 'der', 'la', 'and', '&']);

function findNames(
  text: string,
  all: readonly Token[],
  taken: readonly { start: number; end: number }[],
  { vocabulary, names, phrases = [] }: Lexicon,
): NamedEntity[] {
  const found: NamedEntity[] = [];
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
            isCertain: true,
            possessive: false,
          },
        ]
      : [];
  });
  const free = (token: Token) => !taken.some((span) => overlaps(span, token));
  const common = (token: Token) =>
    vocabulary.has(token.word) ||
    (!token.capital && (knownWords.has(token.word) || vocabulary.has(token.word.replace(/s$/, '')))) ||
    stopWords.has(token.word) ||
    CHANGE_VERBS.has(token.stem);
  const first = (token: Token) => token.start === 0 || /[.!?:;"]\s*$/.test(text.slice(Math.max(0, token.start - 3), token.start));
  const surely = (token: Token): boolean => {
    if (!free(token) || /^\d/.test(token.word)) return false;
    if (/[a-z0-9]-[a-z0-9]/.test(token.raw) && !vocabulary.has(token.word) && !COMPOUND.test(token.word) && !knownWords.has(token.word))
      return true;
    if (!token.capital) return names.has(token.word) && !common(token) && !knownWords.has(token.word);
    // "NY and TX": two capital letters in the position of a place.
    if (
      /^[A-Z]{2}$/.test(token.raw) &&
      !knownWords.has(token.word) &&
      !stopWords.has(token.word) &&
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
      (before !== undefined && (BEFORE_NAMES.has(before.word) || CHANGE_VERBS.has(before.stem)) && !ARTICLES.has(before.word)));

  for (let at = 0; at < all.length; at += 1) {
    const token = all[at];
    if (!token || spoken.some((name) => overlaps(name, token))) continue;
    const isCertain = surely(token);
    if (!isCertain && !perhaps(token, all[at - 1])) continue;
    // "give me daniel lee's email": extend the name back to the first name.
    let start = at;
    for (let back = at - 1; !isCertain && back >= 0 && start - back === 1 && at - back <= 2; back -= 1) {
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
        isCertain
          ? surely(here) || ((here.capital || (here.possessive && !common(here))) && free(here))
          : !here.capital && !common(here) && free(here)
      )
        last = next;
      else if (
        isCertain &&
        NAME_PARTICLES.has(here.word) &&
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
      isCertain,
      possessive: tail.possessive,
    });
    at = last;
  }
  return [...found, ...spoken];
}
