/** Which tool a sentence speaks of: by the words it shares with each tool's examples and descriptions. */
import { overlaps, type Piece, type Reading, type Word } from './annotate.ts';
import { type Entry, type Example, type Index, kindsIn, shapeOf } from './index-tools.ts';
import { CHANGES, ideasOfWord } from './thesaurus.ts';
import { empty, stem, type Token } from './tokenise.ts';

export interface Ranked {
  readonly entry: Entry;
  readonly score: number;
  /** How much of what was said the tool's words account for. */
  readonly covers: number;
  /** How much of the best example was said. */
  readonly contains: number;
  readonly example: Example | undefined;
  /** How much it is put like one of the examples, whatever it is about. */
  readonly form: number;
}

/** What a sentence does: it asks, it orders, or neither is plain. */
export type Act = 'asks' | 'orders' | 'says' | 'tells';

const POLITE =
  /^(?:(?:hi|hello|hey|dear \w+|good (?:morning|afternoon|evening)|(?:ok|okay|good|fine|alright|all right|perfect|nice|cool)(?=[,.!])|so|well|and|also|then|please|pls|plz|kindly|now|great|thanks|thank you|yes|no wait|wait|actually|sorry|but)\b[\s,.!-]*)+/i;
const BIDDING =
  /^(?:(?:can|could|would|will|may|might) (?:you|we|i)(?: please| kindly| just)?|(?:i|we)(?:'d| would)? (?:like|want|need|wish|have)(?: you)? to|i'd like to|let'?s|let us|go ahead and|be so kind (?:as )?(?:to|and)|help me(?: to)?|you (?:can|should|must|may)|it would be (?:nice|great) to|is it possible to|would it be possible to|i'm looking to|i am looking to|i was hoping to)\s+(?:please\s+)?/i;
const ASKING =
  /^(?:whats?|which|whos?|whom|whose|whens?|wheres?|why|hows?|is|are|was|were|do|does|did|has|have|had|am|any|anything|anyone|show|list|give me|tell me|display|find|search|look|get|see|view|check|fetch|pull|bring up|count|compare|summari[sz]e|describe|explain|read|know|hear|learn|understand|let me (?:see|know)|i(?:'d| would)? (?:like|want|need) (?:to (?:see|know)|all|the|a list)|draw|print)\b/i;

/** A fact that the person states: something is to be made of it. */
const TELLING =
  /^(?:i'm|i am|i was|i've|i have|i feel|we won|we lost|we've|we are|we have)\b(?! (?:looking|wondering|trying|interested|putting|preparing))/i;

/** Without greetings and the ways of being polite. */
export function bare(text: string): string {
  let rest = text.trim();
  for (let round = 0; round < 4; round += 1) {
    const next = rest.replace(POLITE, '').replace(BIDDING, '');
    if (next === rest || next === '') break;
    rest = next;
  }
  return rest;
}
/** "… , tick that task off": what is to be done comes last. */
const LAST =
  /[,;.!] (?:so |then |please |can you |could you |would you |will you |and |now )*(\p{L}+)(?: \p{L}+)* ?(?:it|that|this|them|these|a|an|the|my|our|his|her|their)\b[^,;]*$/iu;
const WISH =
  /^(?:(?:hi|hello|hey|please|ok|so|well)[\s,]+)*(?:i|we)(?:'d| would)? (?:like|want|need|wish|have)(?: you)? to\s+(?!(?:see|know|find|look|check|view|understand|have a look|get|hear|learn|ask)\b)/i;
/** "The payments-db is owned by …": a fact, not a question. */
const FACT =
  /^(?:the |our |my |this )?[\p{L}\p{N}'-]+(?: [\p{L}\p{N}'-]+){0,3} (?:is|are|was|were|has|have|depends on|relies on|belongs to|uses|needs)(?: (?:now|been))? \S/iu;
const NOT_YET = /\bnot yet \p{L}+(?:ed|en|id)\b/iu;
/** "It can be closed": an order for whoever may do so. */
const MAY_BE = /\b(?:can|could|should|may|must|needs? to|has to|have to|ought to) (?:now |please |just |also )?be (\p{L}+)\b/iu;
/** "Could I have Friday off?" asks for the day, not for what is known of it. */
const DAY_OFF = /\b(?:can|could|may) (?:i|we) (?:please )?(?:have|get)\b.*\boff\b/i;
/** "Open a ticket" is an order, "open tickets" are tickets. */
const OPENS = /^open (?:up )?(?:(?:me|us) )?(?:an?|another|one|the)\b/i;
const CLAUSE = /\b(?:who|which|that|what|when|where|how|whose)\b/i;

export function actOf(reading: Reading): Act {
  const text = bare(reading.text);
  if (/^ok(?:ay)? (?:the|this|that|it)\b/i.test(text)) return 'orders';
  const [first] = reading.tokens.filter(({ start }) => start >= reading.text.length - text.length);
  if (!first) return 'says';
  // "Tell support that …" is an order, "tell me" is not; "open tickets" are tickets, "open a ticket" is an order.
  if (DAY_OFF.test(reading.text)) return 'orders';
  if (ASKING.test(text)) return 'asks';
  if (OPENS.test(text) || allowedIn(reading) !== undefined) return 'orders';
  // So are rows, by what they are called: "invoices not yet approved".
  if (NOT_YET.test(text) && !(CHANGES.has(first.stem) && !/(?:ed|s)$/.test(first.word))) return 'asks';
  if (
    /[^s]s$/.test(first.word) &&
    !first.possessive &&
    !first.capital &&
    !/^(?:\S+)(?:[:,]| (?:the|a|an|my|our|it|that|this|me)\b)/.test(text) &&
    !reading.text.includes(', ')
  )
    return 'asks';
  // "Approved invoices" are asked for, nothing is to be approved.
  const done = /(?:ed|ing)$|^(?:won|lost|paid|sent)$/.test(first.word);
  if (CHANGES.has(first.stem) && done && !/\b(?:it|that|this|them)\b/i.test(text)) return 'asks';
  if (CHANGES.has(first.stem) && !first.possessive && !done) return 'orders';
  const at = reading.tokens.findIndex(
    ({ word }, place) => /^(?:it|that|this|them|those)$/.test(word) && CHANGES.has(reading.tokens[place - 1]?.stem ?? ''),
  );
  if (at > 0) return 'orders';
  const last = stem((LAST.exec(reading.text)?.[1] ?? '').toLowerCase());
  if (last !== '' && (CHANGES.has(last) || last === 'open')) return 'orders';
  if (reading.text.endsWith('?')) return 'says';
  if (WISH.test(reading.text) || TELLING.test(text)) return 'tells';
  const subject = FACT.exec(text)?.[0];
  return subject !== undefined && !CLAUSE.test(subject) ? 'tells' : 'says';
}

/** The verb of what may or should be done, where nobody asks whether. */
function allowedIn({ text, tokens }: Reading): Token | undefined {
  const match = text.endsWith('?') || ASKING.test(bare(text)) ? null : MAY_BE.exec(text);
  const verb = match && tokens.find(({ start }) => start === match.index + match[0].length - (match[1]?.length ?? 0));
  return verb && CHANGES.has(verb.stem) ? verb : undefined;
}
const BECOMES = /^(?:mark|set|flag|put|change|move|switch|record|log)\b.+? (?:as|to|into) (?:being )?(\p{L}+)(?=$|[\s,.;!])/iu;
/** "Set it to paid": what is done to it is the state that it shall have. */
export function becoming({ text, tokens }: Reading): Token | undefined {
  const rest = bare(text);
  const match = BECOMES.exec(rest);
  const at = match ? text.length - rest.length + match.index + match[0].length - (match[1]?.length ?? 0) : -1;
  const verb = tokens.find(({ start }) => start === at);
  return verb && CHANGES.has(verb.stem) && (verb.word.endsWith('ed') || verb.word !== verb.stem) ? verb : undefined;
}
/** What is to be done, where a clause begins with it: "…, please delete the record". */
export function orderedIn(reading: Reading): Word[] {
  const colon = reading.text.indexOf(': ');
  const start = reading.text.length - bare(reading.text).length;
  const allowed = allowedIn(reading) ?? becoming(reading);
  return reading.words.filter(({ stem: each, token }) => {
    if (token === allowed) return true;
    if (
      !CHANGES.has(each) ||
      token.possessive ||
      /(?:ed|ing)$/.test(token.word) ||
      (colon > 0 && token.start > colon) ||
      reading.quotes.some((quote) => overlaps(quote, token))
    )
      return false;
    return token.start === start || /(?:[,;.!]|\b(?:and|then|please|so|just|now))\s*$/i.test(reading.text.slice(0, token.start));
  });
}
const verbs = new WeakMap<Entry, Set<string>>();
/** The verbs that a change is declared with: in its name and title, and where its examples order it. */
function verbsOf(entry: Entry): Set<string> {
  const known = verbs.get(entry);
  if (known) return known;
  const { name, title, aliases, effect } = entry.tool;
  const own = new Set(
    [name, title.toLowerCase(), ...aliases]
      .flatMap((text) => text.split(/[_\W]+/))
      .map(stem)
      .filter((each) => CHANGES.has(each)),
  );
  for (const { reading } of entry.examples) for (const { stem: each } of orderedIn(reading)) own.add(each);
  if (effect === 'adds') for (const each of ['add', 'create', 'make']) own.add(stem(each));
  verbs.set(entry, own);
  return own;
}
const isVerbOf = (entry: Entry, { stem: each, ideas }: Word): boolean =>
  verbsOf(entry).has(each) || [...verbsOf(entry)].some((verb) => ideasOfWord(verb).some((idea) => ideas.includes(idea)));
/** Something else is to be done than this tool does, and another tool does it. */
export function otherVerb(index: Index, entry: Entry, reading: Reading): boolean {
  if (!entry.changes) return false;
  // Of "mark it as approved" the last word tells what is to be done.
  const state = becoming(reading);
  const all = orderedIn(reading);
  const said = state ? all.filter(({ token }) => token === state) : all;
  return (
    said.length > 0 &&
    !said.some((word) => isVerbOf(entry, word)) &&
    index.entries.some((other) => other.changes && said.some((word) => verbsOf(other).has(word.stem)))
  );
}
/** The very thing that is to be done. */
export const orderedBy = (entry: Entry, reading: Reading): boolean =>
  entry.changes && orderedIn(reading).some((word) => isVerbOf(entry, word));
/** What it does is spoken of. */
export const sameVerb = (entry: Entry, reading: Reading): boolean => entry.changes && reading.words.some((word) => isVerbOf(entry, word));

const KIND_WEIGHT = 1.1;
const SELF_WEIGHT = 1.4;

export function rank(index: Index, reading: Reading, pool: readonly Entry[], ignore: readonly Piece[] = []): Ranked[] {
  const act = actOf(reading);
  const words = reading.words.filter(({ token }) => !ignore.some((piece) => overlaps(piece, token)) && !inName(reading, token));
  const kinds = kindsIn(reading, ignore);
  const weighed = words.map((word) => ({ word, weight: weightOf(index, word) }));
  const shape = shapeOf(reading, ignore);
  return pool
    .map((entry) => judge(index, entry, shape, weighed, kinds, act))
    .sort((a, b) => b.score - a.score || (a.entry.name < b.entry.name ? -1 : 1));
}

/** Part of a name, and no word of any tool. */
const inName = (reading: Reading, token: Word['token']): boolean =>
  reading.names.some(
    (name) =>
      name.sure &&
      overlaps(name, token) &&
      (token.capital || token.word.includes('-')) &&
      name.words.length > 0 &&
      !(token.raw === token.raw.toUpperCase()),
  );

export const weightOf = (index: Index, { stem, ideas, token }: Word): number => {
  const own = index.weight(stem);
  // A word that no tool knows, with a meaning that some do, weighs as much as a middling one.
  if (ideas.length > 0 && !index.lexicon.vocabulary.has(token.word)) return Math.min(own, 2.2);
  return empty.has(token.word) ? Math.min(own, 1) : own;
};

export const speaksOf = (entry: Entry, { stem, ideas }: Word): number =>
  Math.max(entry.stems.get(stem) ?? 0, ...ideas.map((idea) => entry.ideas.get(idea) ?? 0));

function judge(
  index: Index,
  entry: Entry,
  shape: ReadonlySet<string>,
  weighed: readonly { word: Word; weight: number }[],
  kinds: ReadonlySet<string>,
  act: Act,
): Ranked {
  let told = 0;
  let all = 0;
  for (const { word, weight } of weighed) {
    all += weight;
    told += weight * speaksOf(entry, word);
  }
  const covers = all === 0 ? 0 : told / all;
  let best = 0;
  let contains = 0;
  let example: Example | undefined;
  let alike = 0;
  for (const each of entry.examples) {
    const [near, held] = likeness(index, each, weighed, kinds);
    const form = formOf(each.shape, shape);
    alike = Math.max(alike, form);
    const score = (weighed.length === 0 ? 0.9 * form : 0.86 * near + 0.14 * form) * (each.works ? 1 : 0.97);
    if (score > best)
      [best, contains, example] = [score, weighed.length === 0 || each.stems.size === 0 ? Math.max(held, form) : held, each];
  }
  let score = weighed.length === 0 ? 0.8 * best : 0.42 * covers + 0.58 * best;
  if (act === 'asks' && entry.changes) score *= 0.62;
  if (act === 'orders' && !entry.changes) score *= 0.6;
  if (act === 'tells' && !entry.changes) score *= 0.75;
  // "Liam's deals" asks for nothing to be done with them.
  if (act === 'says' && entry.changes && !weighed.some(({ word }) => CHANGES.has(word.stem))) score *= 0.82;
  return { entry, score, covers, contains, example, form: alike };
}

const formOf = (theirs: ReadonlySet<string>, mine: ReadonlySet<string>): number => {
  let shared = 0;
  for (const each of mine) if (theirs.has(each)) shared += 1;
  return shared / Math.sqrt(Math.max(1, theirs.size) * Math.max(1, mine.size));
};

/** Cosine of the two sentences, and how much of the example is in the question. */
function likeness(
  index: Index,
  example: Example,
  weighed: readonly { word: Word; weight: number }[],
  kinds: ReadonlySet<string>,
): [number, number] {
  let shared = 0;
  let mine = 0;
  const hitStems = new Set<string>();
  const hitIdeas = new Set<number>();
  for (const { word, weight } of weighed) {
    mine += weight * weight;
    if (example.stems.has(word.stem)) {
      shared += weight * weight;
      hitStems.add(word.stem);
    } else {
      const idea = word.ideas.find((each) => example.ideas.has(each));
      if (idea !== undefined) {
        shared += 0.75 * weight * weight;
        for (const each of word.ideas) hitIdeas.add(each);
      }
    }
  }
  let theirs = 0;
  let held = 0;
  for (const word of example.reading.words) {
    if (!example.stems.has(word.stem)) continue;
    const weight = weightOf(index, word);
    theirs += weight * weight;
    if (hitStems.has(word.stem)) held += weight * weight;
    else if (word.ideas.some((idea) => hitIdeas.has(idea))) held += 0.75 * weight * weight;
  }
  for (const kind of new Set([...kinds, ...example.kinds])) {
    const weight = kind === '#self' ? SELF_WEIGHT : KIND_WEIGHT;
    if (kinds.has(kind)) mine += weight;
    if (example.kinds.has(kind)) theirs += weight;
    if (kinds.has(kind) && example.kinds.has(kind)) shared += weight;
  }
  if (mine === 0 || theirs === 0) return [0, 0];
  return [Math.min(1, shared / Math.sqrt(mine * theirs)), held / Math.max(theirs, 0.01)];
}
