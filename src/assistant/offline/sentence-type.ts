/** Classifies what a sentence does: only an order or an explicit wish may lead to a change. */
import { CHANGE_VERBS } from './thesaurus.ts';
import { stem } from './tokenise.ts';

export type SentenceType =
  | 'order'
  | 'wish'
  | 'statement'
  | 'question'
  | 'past'
  | 'condition'
  | 'negation'
  | 'doubt'
  | 'who-may'
  | 'how-to'
  | 'what-if';
export interface SentenceReading {
  readonly type: SentenceType;
  /** The text without clauses that only say what not to do. */
  readonly text: string;
}

/** A short text such as "invoices of Acme" is a statement: the words of its tool decide. */
const MAY_CHANGE: ReadonlySet<SentenceType> = new Set(['order', 'wish', 'statement']);
export const mayChange = ({ type }: SentenceReading): boolean => MAY_CHANGE.has(type);
/** Types that are answered from the declaration of a tool. */
export const isAboutRules = ({ type }: SentenceReading): boolean => type === 'who-may' || type === 'how-to' || type === 'what-if';

const I = '(?:i|we|you|one|someone|somebody|anyone|anybody|people|they|he|she)';

/** A pattern for the start of a text, from alternatives. */
const starts = (...alternatives: readonly string[]): RegExp => new RegExp(`^(?:${alternatives.join('|')})`, 'iu');

/** Politeness that looks like a condition or a question: it is cut off before the sentence is read. */
const POLITE: readonly RegExp[] = [
  /^(?:hi|hello|hey|dear \p{L}+|good (?:morning|afternoon|evening))(?: (?:there|all|team|everyone))?\b[\s,.!-]*/iu,
  /^(?:ok(?:ay)?|so|well|um+|uh+|erm+|hmm+|right|alright|all right|now|then|and|also|but|oh|actually|sorry|thanks|thank you|great|perfect|good|fine|nice|yes|yeah|yep|cool|listen|look|quick one|one more thing|(?:no )?wait)\b[\s,.!:-]+/i,
  /^(?:please|pls|plz|kindly|just|maybe|perhaps)\b[\s,]*/i,
  /^(?:if|when|whenever) (?:you (?:don't|do not|wouldn't|would not) mind|(?:at all |it's |it is |that's |that is )?(?:possible|ok(?:ay)?|fine|alright|convenient)(?: (?:with|for) you)?|you (?:can|could|have (?:a|the|some) (?:minute|moment|second|time|chance)|get (?:a|the) chance|would|please|are (?:free|able))|i (?:may|might|could)|it'?s? ?(?:is )?not too much (?:trouble|to ask))\b[\s,]*/i,
  /^(?:i was (?:just )?wondering|i wonder|do you think|would you say|any chance|is there (?:any|a) (?:chance|way)|i(?:'d| would) (?:be grateful|appreciate it)|it would be (?:great|nice|good|lovely|helpful)|may i ask|can i ask)(?: if| whether| that)? (?=you (?:can|could|would|might)\b)/i,
  /^sorry to (?:bother|trouble|disturb) you\b[^.!,]*[.!,]\s*/i,
];
function withoutPoliteness(given: string): string {
  let text = given.trim();
  for (let round = 0; round < 6; round += 1) {
    const next = POLITE.reduce((rest, pattern) => rest.replace(pattern, ''), text);
    if (next === text || next === '') break;
    text = next;
  }
  return text;
}

const REQUEST =
  /^(?:(?:can|could|would|will|might) you(?: please| kindly| just| maybe| possibly| also| now)*|would you (?:mind|be so kind|be able)|do you mind|you (?:can|should|must|may|need to|have to)|let'?s(?! (?:say|assume|suppose|imagine|pretend))|let us|go ahead and|make sure(?: to)?|be sure to|(?:don't|do not) (?:forget|let (?:me|us) forget) to|remember to|(?:is it|would it be) possible (?:for you )?to|be so kind (?:as )?(?:to|and)|help me(?: to)?)\b/i;
const WISH = starts(
  String.raw`(?:i|we)(?:'d| would)?(?: really| also| just| now)* (?:like|want|need|wish|have|hope|intend|would love)` +
    String.raw`(?: you| him| her| them)?(?: all)? to\b`,
  String.raw`(?:i|we)(?:'d| would)?(?: really| also| just)* (?:like|want|need|wish)\b`,
  String.raw`(?:can|could|may|might) (?:i|we)(?: please| also)? (?:have|get|take|book|request|ask for|invite|add|go)\b`,
  String.raw`(?:can|could|may|might) (?:i|we)(?: please| also)? (?:be|use|work|put|file|submit|apply)\b`,
  String.raw`can (?:\S+ )(?:get|have|take over|join|become)\b`,
  String.raw`(?:i|we)(?:'ll| will|'m going to| am going to| are going to) `,
);

interface Rule {
  readonly type: SentenceType;
  readonly why: string;
  readonly pattern: RegExp;
}
/** The first pattern that fits decides. Each is tried at the start of a clause. */
const RULES: readonly Rule[] = [
  {
    type: 'what-if',
    why: '"What happens if I delete …?", "If I approved it, how much would be left?"',
    pattern: starts(
      String.raw`(?:and |so |but )?what(?: exactly)? (?:will|would|could|might|does|happens|is going to` +
        String.raw`|are the consequences)\b.{0,60}\b(?:if|when|should|were to|once)\b`,
      String.raw`what if\b|what (?:happens|would happen|will happen|changes) (?:to|with|after)\b|suppose\b|supposing\b`,
      String.raw`assuming\b|assume\b|imagine\b|let's say\b|hypothetically\b|in case\b|were (?:i|we) to\b|had (?:i|we)\b`,
    ),
  },
  {
    type: 'how-to',
    why: '"How do I approve an invoice?"',
    pattern: starts(
      String.raw`how (?:do|does|can|could|should|would|might|must|am|is|are|to)\b(?! (?:many|much|we doing|i doing` +
        String.raw`|it going))(?: ${I}\b| (?:it|this|that)\b| (?:a|an|the) \p{L}+)?.*`,
      String.raw`what(?:'s| is| are| would be)? the (?:\p{L}+ )?(?:process|procedure|way|steps?|workflow|rules?` +
        String.raw`|policy) (?:for|to|of|when|behind|on|about)\b.*`,
      String.raw`(?:where|what) (?:do|can|should|must) (?:i|we|you) (?:have to |need to )?(?:do|go|click)\b.*`,
      String.raw`(?:explain|tell me|show me|teach me|describe|i'd like to know|i want to know|do you know|can you (?:tell` +
        String.raw`|explain|show)(?: me| to me)?|could you (?:tell|explain|show)(?: me| to me)?) how (?:to|i|we|one|people` +
        String.raw`|you)\b.*`,
      String.raw`(?:is there|are there) (?:a|any) (?:way|option|possibility) (?:to|for)\b.*`,
      String.raw`what (?:do|would|will) (?:i|we|you) need (?:in order )?to\b.*`,
    ),
  },
  {
    type: 'who-may',
    why: '"Who can change salaries?", "Am I allowed to …?", "Can managers approve …?"',
    pattern: starts(
      String.raw`who(?:'s| is| are|m)?(?: else| all)? (?:can|could|may|might|must|should|would|will|gets? to|has to|have to` +
        String.raw`|needs? to|is|are|has (?:the )?(?:right|rights|permission|access|authority|power)|allowed|entitled` +
        String.raw`|authori[sz]ed|responsible for|able|decides?|signs? off|normally|usually)\b.*\b(?:\p{L}+)`,
      String.raw`(?:am i|are we|are you|is \p{L}+|is (?:a|an|the|my) \p{L}+|are \p{L}+) (?:allowed|permitted|entitled` +
        String.raw`|authori[sz]ed|able|supposed) to\b.*`,
      String.raw`(?:do|does|would) (?:i|we|you|\p{L}+|(?:a|an|the|my) \p{L}+) (?:have|need)(?: \p{L}+)? (?:permission` +
        String.raw`|rights?|access|the right|an? role|approval|authori[sz]ation)\b.*`,
      String.raw`which (?:roles?|people|persons?|users?) (?:can|may|is|are|has|have|must)\b.*|what roles?\b.*`,
      String.raw`(?:can|could|may) (?!you\b|i\b|we\b)(?:(?:a|an|the|my|our|any|only|every|all) )?[\p{L}' -]+? (?:see|view` +
        String.raw`|change|approve|delete|edit|update|read|access|reject|pay|create|add|remove|close|submit|invite)\b.*`,
    ),
  },
  {
    type: 'doubt',
    why: '"Should I approve it?", "I might delete it", "Is it a good idea to …?"',
    pattern: starts(
      String.raw`(?:should|shall|ought|must|need|dare) ${I}\b|do (?:i|we) (?:need|have|want|get) to\b`,
      String.raw`(?:is|was|would) (?:it|that|this) (?:be )?(?:a |an |still |too |ever )?(?:ok|okay|good|bad|better|safe|wise` +
        String.raw`|right|fine|allowed|legal|worth|necessary|smart|too early|too late|possible that)\b`,
      String.raw`would (?:it|that|this|i|we|he|she|they|\p{Lu}\p{L}+)\b`,
      String.raw`(?:i|we)(?:'m| am| are|'re)?(?: just| still| only)? (?:might|may|could|wonder(?:ing)?|consider(?:ing)?` +
        String.raw`|think(?:ing)? (?:about|of)|debating|unsure|not sure|undecided|toying|curious)\b`,
      String.raw`could (?:it|this|that|he|she|they|\p{Lu}\p{L}+)\b`,
      String.raw`can (?:i|we) (?!(?:please )?(?:have|get|take|book|request|ask for|invite|add|go|be|use|work|put|file|submit` +
        String.raw`|apply)\b)`,
      String.raw`may (?:i|we) (?!(?:please )?(?:have|get|take|book|request|be)\b)|why (?:not|don't we|don't you|should)\b`,
    ),
  },
  {
    type: 'negation',
    why: '"Don\'t delete Frank Davis", "I do not want you to approve it"',
    pattern: starts(
      String.raw`(?:please |just |but |so |and )*(?:don'?t|do not|never|no need to|not) (?:you )?(?:ever |yet |actually ` +
        String.raw`|please |just |even |dare (?:to )?)*(?!forget|mind|worry|hesitate|let \p{L}+ forget|(?:yet )?(?:\p{L}+ed` +
        String.raw`|paid)\b)\p{L}+`,
      String.raw`(?:i|we) (?!(?:don'?t|do not) (?:need|want) [^,;]*\bany ?(?:more|longer)\b)(?:don'?t|do not|didn'?t|did not` +
        String.raw`|won't|will not|wouldn't|never|no longer) (?:\p{L}+ )?(?:want|wish|ask|asked|need|like|mean|meant|intend` +
        String.raw`|plan|say|said|tell|told)\b`,
      String.raw`(?:i'm|i am|we're|we are) not (?:asking|telling|saying|going|planning|trying|ordering|requesting)\b`,
      String.raw`(?:without|instead of|rather than) \p{L}+ing\b|(?:nobody|no one|none) (?:should|may|must|is to)\b`,
      String.raw`you (?:must|should|may|need|are) not\b|you (?:shouldn't|mustn't|needn't)\b`,
      String.raw`leave .{1,60} (?:alone|as (?:it|he|she|they) (?:is|are))\b|keep .{1,60} as (?:it|they) (?:is|are)\b`,
      String.raw`stop before\b|never ?mind \p{L}+|forget about\b`,
    ),
  },
  {
    type: 'condition',
    why: '"If the budget is fine, approve it": whether the condition holds is for the person to say',
    pattern: starts(
      String.raw`if\b|unless\b|provided(?: that)?\b|in the event\b|only if\b|as long as\b|as soon as\b|once\b|whenever\b`,
      String.raw`until\b`,
    ),
  },
  {
    type: 'past',
    why: '"Was Marcus deleted?", "Did anybody pay it?", "Is it true that Nina got a raise?"',
    pattern: starts(
      String.raw`(?:was|were|did|didn't|had|hadn't|wasn't|weren't|has|have|hasn't|haven't)\b`,
      String.raw`(?:is|isn't) it (?:true|correct|right|the case)\b`,
      String.raw`(?:who|what|when|where|why|which .{1,60}?|how)(?:'s| has| have| was| were| did)\b`,
      String.raw`(?:who|what|when|why|which) .{0,60}\b(?:was|were|did|has|have|had|been|got)\b`,
      String.raw`who (?:\p{L}+ed|paid|sent|made|put|took|gave|wrote|won|lost)\b`,
      String.raw`(?:any|anyone|anybody|anything|somebody|someone)\b.*\b(?:been|were|was)\b`,
      String.raw`(?:i|we|he|she|they) (?:heard|read|was told|were told|already|just (?:heard|saw|read))\b`,
    ),
  },
  {
    type: 'question',
    why: '"Is the invoice approved?", "Which deals …?"',
    pattern: starts(
      String.raw`is\b|are\b|am\b|isn't\b|aren't\b|do\b|does\b|don't\b|doesn't\b|what(?:'s|s)?\b|which\b|who(?:'s|se|m)?\b`,
      String.raw`when\b|where\b|why\b|how\b|anything\b|anyone\b|anybody\b|whats\b`,
    ),
  },
];

const QUESTION_SHOWS = /^(?:show|list|tell me|display|find|search|look|see|view|count|compare|summari[sz]e|describe|explain|read)\b/i;

const CLAUSE_END =
  /(?<=[.!?;])\s+|,\s+(?=(?:just|but|instead|rather|only|so|then|please|don't|do not|never)\b)|\s+(?=but (?:don't|do not|never|please|just)\b)/i;
const OBJECT = /^(?:please |now |so |then |just )*(\p{L}+) (?:it|this|that|them|these|him|her|his|their|the|my|our|an?)\b/iu;
/** "Open a new ticket" is an order; "open tickets" are rows. */
const OPENS = /^(?:please )?open (?:up )?(?:an?|another|new)\b/i;
const isVerb = (word: string): boolean => CHANGE_VERBS.has(stem(word)) && !/(?:ed|ing)$/.test(word);
const beginsOrder = (text: string): boolean => OPENS.test(text) || isVerb((OBJECT.exec(text)?.[1] ?? '').toLowerCase());

/** Clauses end at punctuation. Dictation after a colon belongs to the clause before it. */
export function clausesOf(text: string): string[] {
  const spoken = /: /.exec(text);
  const head = spoken ? text.slice(0, spoken.index) : text;
  const parts = head.split(CLAUSE_END).flatMap(splitBeforeOrder);
  if (spoken) parts[parts.length - 1] += text.slice(spoken.index);
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}
/** "We do not need it any more, delete it": a comma ends a clause if an order follows. */
function splitBeforeOrder(text: string): string[] {
  const [first = '', ...rest] = text.split(/,\s+/);
  return rest.reduce<string[]>(
    (parts, piece) => (beginsOrder(piece) ? [...parts, piece] : [...parts.slice(0, -1), `${parts.at(-1) ?? ''}, ${piece}`]),
    [first],
  );
}

const HAPPENED = new Set(['was', 'were', 'got', 'had', 'said', 'says', 'told', 'thinks', 'thought', 'claimed', 'received', 'heard']);
const WANTS = /^(?:wants?|wanted|wishes|wished|plans?|planned|intends?|tried|tries|would)$/;
const SUBJECT = /^(?:i|we|he|she|they|somebody|someone|my|our|the|this|that|\p{L}+'s)$/iu;
const PAST_FORM = /ed$|^(?:paid|sent|won|lost|gave|took|made|put|wrote|sold)$/;
/** "The invoice was paid", "Marcus deleted it", "my boss wants to delete it": somebody tells what happened, or what others want. */
function reports(text: string): boolean {
  const words = (text.split(/[,;:]/)[0] ?? '').toLowerCase().match(/[\p{L}\p{N}'’-]+/gu) ?? [];
  const [first = ''] = words;
  const isMine = /^(?:i|we)$/.test(first);
  if (isVerb(first) && !/^\p{Lu}\p{L}+ \p{Lu}/u.test(text)) return false;
  const named = SUBJECT.test(first) || /^\p{Lu}[\p{L}'’-]+/u.test(text);
  if (!named && !/\b(?:was|were|has been|have been|got)\b/.test(text.toLowerCase())) return false;
  const someone = /^(?:he|she|they|somebody|someone)$/.test(first);
  if (someone && (PAST_FORM.test(words[1] ?? '') || /^(?:set|cut|put|let)$/.test(words[1] ?? ''))) return true;
  for (const [at, word] of words.slice(1, 8).entries()) {
    const next = words[at + 2] ?? '';
    if (/^(?:to|for|of|from|because|that|which|who|and)$/.test(word)) return false;
    if (HAPPENED.has(word) || (/^(?:has|have)$/.test(word) && /^(?:been|already|just|never)$/.test(next))) return true;
    if (!isMine && WANTS.test(word) && next === 'to') return true;
    if (!isMine && PAST_FORM.test(word) && CHANGE_VERBS.has(stem(word)) && /^(?:the|a|an|his|her|their|my|our|it|this|that|me)$/.test(next))
      return true;
  }
  return false;
}

function typeOfClause(given: string): SentenceType {
  const text = withoutPoliteness(given);
  if (/^(?:would you|do you) mind\b/i.test(text)) return 'order';
  const request = REQUEST.exec(text);
  if (request) {
    const rest = text.slice(request[0].length).trim();
    const inner = RULES.find(({ type, pattern }) => (type === 'how-to' || type === 'negation') && pattern.test(rest));
    if (inner || RULES[1]?.pattern.test(text)) return inner?.type ?? 'how-to';
    return 'order';
  }
  for (const { type, pattern } of RULES) {
    if (type === 'past' && WISH.test(text)) return 'wish';
    if (pattern.test(text)) return type;
  }
  if (WISH.test(text)) return 'wish';
  if (QUESTION_SHOWS.test(text)) return 'question';
  if (reports(text)) return 'past';
  const asks = /\?\s*$/.test(text) && !/\b(?:please|pls|plz)\b/i.test(given);
  if (asks) return 'question';
  const [first = ''] = /^\p{L}+/u.exec(text) ?? [];
  return isVerb(first.toLowerCase()) || OPENS.test(text) ? 'order' : 'statement';
}

const ACTS: ReadonlySet<SentenceType> = new Set(['order', 'wish']);
/** An order or a wish in a clause of its own counts, unless another clause asks about rules or makes it conditional. */
export function readSentence(given: string): SentenceReading {
  const clauses = clausesOf(given).map((text) => ({ text, type: typeOfClause(text) }));
  const kept = clauses.filter(({ type }) => type !== 'negation');
  if (kept.length === 0) return { type: clauses.length > 0 ? 'negation' : 'statement', text: given };
  const text = kept.length === clauses.length ? given : restore(kept.map((each) => each.text).join(' '), clauses);
  const blocking = kept.find(({ type }) => type === 'condition' || type === 'what-if' || type === 'how-to' || type === 'who-may');
  if (blocking) return { type: blocking.type, text };
  const acting = kept.find(({ type }) => ACTS.has(type));
  if (acting) return { type: acting.type, text };
  const asked = kept.find(({ type }) => type !== 'statement');
  return { type: asked?.type ?? 'statement', text };
}

/** "Don't delete Frank Davis, just show me his record": the pronoun gets the name of the clause that is left out. */
function restore(text: string, clauses: readonly { readonly text: string; readonly type: SentenceType }[]): string {
  const out = clauses.find(({ type }) => type === 'negation')?.text ?? '';
  const name = /\p{Lu}[\p{L}.'-]+(?: \p{Lu}[\p{L}.'-]+)*/u.exec(out.replace(/^\p{L}+(?:'t)?\b/u, ''))?.[0].replace(/'s$/, '');
  if (name === undefined) return text;
  return text.replace(/\b(?:his|her|their|its)\b(?= \p{L})/iu, `${name}'s`).replace(/\b(?:him|them|it)\b/i, name);
}
