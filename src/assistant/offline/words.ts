/** Words: how a sentence falls into them, which of them mean the same, which mean nothing by themselves. */

export interface Token {
  /** As it was written. */
  readonly raw: string;
  /** Lower case, without accents and without a possessive. */
  readonly word: string;
  readonly stem: string;
  readonly singular: string;
  readonly start: number;
  readonly end: number;
  readonly capital: boolean;
  readonly possessive: boolean;
}

/** What is read of a question; whoever writes more is understood by the beginning. */
export const LONGEST = 6000;

export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[’‘ʼ`´]/g, "'")
    .toLowerCase();

/** One form for what a keyboard or a page writes in several, and nothing that cannot be seen. */
export const plain = (text: string): string =>
  text
    .slice(0, LONGEST)
    .normalize('NFC')
    .replace(/[’‘ʼ`´]/g, "'")
    .replace(/[“”„«»]/g, '"')
    .replace(/[\u2010-\u2015]/g, '-')
    .replace(/[\p{Cf}\p{Co}]/gu, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u00a0]/gu, ' ');

const WORD = /[\p{L}\p{N}][\p{L}\p{N}_]*(?:[-'.&][\p{L}\p{N}_]+)*/gu;

export const singular = (word: string): string => word.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');

export function tokens(text: string): Token[] {
  const found: Token[] = [];
  for (const match of text.matchAll(WORD)) {
    const raw = match[0];
    const folded = fold(raw);
    const possessive = folded.endsWith("'s") || (folded.endsWith('s') && text.charAt(match.index + raw.length) === "'");
    const word = folded.replace(/'s$/, '');
    found.push({
      raw,
      word,
      stem: stem(word),
      singular: singular(word),
      start: match.index,
      end: match.index + raw.length,
      capital: /^\p{Lu}/u.test(raw),
      possessive,
    });
  }
  return found;
}

const IRREGULAR: Readonly<Record<string, string>> = {
  note: 'note',
  notes: 'note',
  noted: 'note',
  noting: 'note',
  paid: 'pay',
  sold: 'sell',
  won: 'win',
  lost: 'lose',
  spent: 'spend',
  bought: 'buy',
  went: 'go',
  gone: 'go',
  goes: 'go',
  made: 'make',
  got: 'get',
  gave: 'give',
  given: 'give',
  took: 'take',
  taken: 'take',
  blew: 'blow',
  blown: 'blow',
  sent: 'send',
  told: 'tell',
  wrote: 'write',
  written: 'write',
  held: 'hold',
  kept: 'keep',
  knew: 'know',
  known: 'know',
  grew: 'grow',
  grown: 'grow',
  lies: 'lie',
  dying: 'die',
  began: 'begin',
  begun: 'begin',
  found: 'find',
  people: 'person',
  taxes: 'tax',
  earned: 'earn',
  earning: 'earn',
  earnings: 'earn',
  owed: 'owe',
  owes: 'owe',
  owing: 'owe',
  status: 'status',
  access: 'access',
  address: 'address',
  addresses: 'address',
  business: 'business',
  less: 'less',
  bonus: 'bonus',
  bonuses: 'bonus',
  sales: 'sales',
  sale: 'sales',
  series: 'series',
  news: 'news',
  process: 'process',
  pass: 'pass',
  tickets: 'ticket',
  this: 'this',
  his: 'his',
  was: 'was',
  has: 'has',
  does: 'does',
  us: 'us',
  'e-mail': 'email',
  'e-mails': 'email',
  emails: 'email',
  mails: 'mail',
  'to-do': 'todo',
  'to-dos': 'todo',
  todos: 'todo',
  entries: 'entry',
  quarterly: 'quarter',
  yearly: 'year',
  monthly: 'month',
  annual: 'annual',
  annually: 'annual',
  payslips: 'payslip',
  'pay-slip': 'payslip',
  organisation: 'organization',
  organisations: 'organization',
  organizations: 'organization',
  taxi: 'taxi',
  data: 'data',
  expenses: 'expense',
};
export function stem(word: string): string {
  const known = IRREGULAR[word];
  if (known !== undefined) return known;
  if (word.length < 4 || /\d/.test(word)) return word;
  let base = word;
  if (base.endsWith('ies') && base.length > 4) base = `${base.slice(0, -3)}y`;
  else if (/(?:ss|sh|ch|x|z)es$/.test(base)) base = base.slice(0, -2);
  else if (base.endsWith('s') && !/(?:ss|us|is)$/.test(base)) base = base.slice(0, -1);
  if (base.endsWith('ing') && base.length > 5) base = undouble(base.slice(0, -3));
  else if (base.endsWith('ied')) base = `${base.slice(0, -3)}y`;
  else if (base.endsWith('ed') && base.length > 4) base = undouble(base.slice(0, -2));
  if (base.endsWith('ize') || base.endsWith('ise')) base = `${base.slice(0, -3)}is`;
  return base.length > 3 && base.endsWith('e') ? base.slice(0, -1) : base;
}
const undouble = (base: string): string => (/([bdgmnprt])\1$/.test(base) ? base.slice(0, -1) : base);

/** Words that say nothing of what is asked for. */
const EMPTY =
  `a an the this that these those there here it its he she his her him them they their theirs of to in on at by for from with without within into onto over under between among as than then so if or and but not no nor
  is are was were be been being am do does did done doing have has had having will would shall should can could may might must let lets what which who whom whose when where why how
  i me my mine myself we us our ours ourselves you your yours one ones some any all each every both either such same other others another more most much many few less least very too just only even also still yet already ever never now once again
  please pls plz kindly thanks thank thx hi hello hey dear sorry ok okay well yes yeah sure maybe perhaps actually basically quickly quick really possible possibly need needs needed want wants wanted like would'd i'd i'm i've i'll we're we've we'd you're it's that's what's whats who's whos where's wheres how's hows when's whens there's theres let's they'll we'll you'll he'll she'll it'll that'll they've they're they'd he's she's weren't wouldn't shouldn't cheers morning afternoon evening guys folks side exactly precisely roughly approximately simply again anyway please-do gonna wanna gotta don't doesn't didn't isn't aren't wasn't can't cannot won't couldn't haven't hasn't
  show shows tell give gives gimme list lists see view display get gets fetch bring pull up out about regarding concerning know find look looks looking check go goes going do thing things stuff something anything everything nothing kind sort lot lots bit
  bother putting together many moment currently current present right away asap soon because ask asked asking question wonder wondering help able trying try today's per via eg ie etc vs versus`.split(
    /\s+/,
  );
export const empty: ReadonlySet<string> = new Set(EMPTY);

const NUMBERS: Readonly<Record<string, number>> = {
  zero: 0,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  ninety: 90,
  hundred: 100,
  dozen: 12,
};
export const numberWord = (word: string): number | undefined =>
  Object.hasOwn(NUMBERS, word) ? NUMBERS[word] : /^\d{1,6}$/.test(word) ? Number(word) : undefined;

type WordCount = readonly [word: string, count: number];
const byFirstLetter = new WeakMap<ReadonlyMap<string, number>, Map<string, WordCount[]>>();
/** The words of a vocabulary by their first letter, in its order. Nothing of a question is kept: the vocabulary is the key. */
function wordsBeginning(vocabulary: ReadonlyMap<string, number>, letter: string): readonly WordCount[] {
  let words = byFirstLetter.get(vocabulary);
  if (!words) {
    byFirstLetter.set(vocabulary, (words = new Map<string, WordCount[]>()));
    for (const entry of vocabulary) words.set(entry[0].charAt(0), [...(words.get(entry[0].charAt(0)) ?? []), entry]);
  }
  return words.get(letter) ?? [];
}

/** The nearest word of a vocabulary where one is clearly meant: one slip in four letters, two in nine. */
export function respelled(word: string, vocabulary: ReadonlyMap<string, number>): string | undefined {
  if (word.length < 4 || word.length > 24 || /\d/.test(word)) return undefined;
  const allowed = word.length >= 9 ? 2 : 1;
  let best: string | undefined;
  let fewest = allowed + 1;
  let often = 0;
  for (const [known, count] of wordsBeginning(vocabulary, word.charAt(0))) {
    if (known.length < 4 || Math.abs(known.length - word.length) > allowed) continue;
    const slips = distance(word, known, allowed);
    // A letter more at the end makes another word: a pager is no page.
    if (slips === 1 && (known.length === word.length ? !isSlip(word, known) : word.startsWith(known))) continue;
    if (slips < fewest || (slips === fewest && count > often)) [best, fewest, often] = [known, slips, count];
  }
  return fewest <= allowed ? best : undefined;
}

const ROWS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];
const keyAt = (letter: string): [number, number] => {
  const row = ROWS.findIndex((keys) => keys.includes(letter));
  return [row, (ROWS[row]?.indexOf(letter) ?? 0) + row / 2];
};
/** One letter for another: two that were swapped, keys side by side, or one vowel for another. "Remote" is not a mistyped "remove". */
function isSlip(word: string, known: string): boolean {
  const at = [...word].findIndex((letter, place) => letter !== known[place]);
  const [wrong = '', right = ''] = [word[at], known[at]];
  if (word[at + 1] === right && known[at + 1] === wrong) return true;
  const [[rowA, a], [rowB, b]] = [keyAt(wrong), keyAt(right)];
  return (word.length > 4 && 'aeiouy'.includes(wrong) && 'aeiouy'.includes(right)) || (Math.abs(rowA - rowB) <= 1 && Math.abs(a - b) <= 1);
}

/** Edits, a swap of neighbours counting once; anything above `limit` is just too many. */
export function distance(a: string, b: string, limit: number): number {
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

/** A question for instructions. */
export const HOW_TO =
  /^(?:how (?:do|can|could|should|would|to)(?: (?:i|we|you|one|people))?|how is it possible to|what do i (?:have|need) to do to|where (?:do|can) i)\s+(?=\S)/i;
