/** Tokenises and stems text. Lists stop words and number words. */

export interface Token {
  readonly raw: string;
  /** In lower case, without accents and without the possessive 's. */
  readonly word: string;
  readonly stem: string;
  readonly singular: string;
  readonly start: number;
  readonly end: number;
  readonly capital: boolean;
  readonly possessive: boolean;
}

const MAX_CHARACTERS = 6000;

export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[’‘ʼ`´]/g, "'")
    .toLowerCase();

/** Normalises quotation marks, dashes and spaces, and removes invisible characters. */
export const normaliseText = (text: string): string =>
  text
    .slice(0, MAX_CHARACTERS)
    .normalize('NFC')
    .replace(/[’‘ʼ`´]/g, "'")
    .replace(/[“”„«»]/g, '"')
    .replace(/[\u2010-\u2015]/g, '-')
    .replace(/[\p{Cf}\p{Co}]/gu, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u00a0]/gu, ' ');

const WORD = /[\p{L}\p{N}][\p{L}\p{N}_]*(?:[-'.&][\p{L}\p{N}_]+)*/gu;

export const singular = (word: string): string => word.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');

export function tokenise(text: string): Token[] {
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

const IRREGULAR_STEMS: Readonly<Record<string, string>> = {
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
  const known = IRREGULAR_STEMS[word];
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

/** Words that do not indicate the intent. */
const STOP_WORDS =
  `a an the this that these those there here it its he she his her him them they their theirs of to in on at by for from with without
  within into onto over under between among as than then so if or and but not no nor
  is are was were be been being am do does did done doing have has had having will would shall should can could may might must let lets
  what which who whom whose when where why how
  i me my mine myself we us our ours ourselves you your yours one ones some any all each every both either such same other others another
  more most much many few less least very too just only even also still yet already ever never now once again
  please pls plz kindly thanks thank thx hi hello hey dear sorry ok okay well yes yeah sure maybe perhaps actually basically quickly quick
  really possible possibly need needs needed want wants wanted like would'd i'd i'm i've i'll we're we've we'd you're it's that's what's
  whats who's whos where's wheres how's hows when's whens there's theres let's they'll we'll you'll he'll she'll it'll that'll they've
  they're they'd he's she's weren't wouldn't shouldn't cheers morning afternoon evening guys folks side exactly precisely roughly
  approximately simply again anyway please-do gonna wanna gotta don't doesn't didn't isn't aren't wasn't can't cannot won't couldn't
  haven't hasn't
  show shows tell give gives gimme list lists see view display get gets fetch bring pull up out about regarding concerning know find look
  looks looking check go goes going do thing things stuff something anything everything nothing kind sort lot lots bit
  bother putting together many moment currently current present right away asap soon because ask asked asking question wonder wondering
  help able trying try today's per via eg ie etc vs versus`.split(/\s+/);
export const stopWords: ReadonlySet<string> = new Set(STOP_WORDS);

const NUMBER_WORDS: Readonly<Record<string, number>> = {
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
export const parseNumberWord = (word: string): number | undefined =>
  Object.hasOwn(NUMBER_WORDS, word) ? NUMBER_WORDS[word] : /^\d{1,6}$/.test(word) ? Number(word) : undefined;

export const HOW_TO =
  /^(?:how (?:do|can|could|should|would|to)(?: (?:i|we|you|one|people))?|how is it possible to|what do i (?:have|need) to do to|where (?:do|can) i)\s+(?=\S)/i;
