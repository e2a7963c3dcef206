/** Ranks tools by the words that an utterance shares with their examples and descriptions, and classifies its speech act. */
import { overlaps, type TextSpan, type Utterance, type ContentWord } from './annotate.ts';
import { type IndexedTool, type Example, type ToolIndex, featuresOf, shapeOf } from './index-tools.ts';
import { CHANGE_VERBS, conceptsOfWord } from './thesaurus.ts';
import { stopWords, stem, type Token } from './tokenise.ts';

export interface RankedTool {
  readonly entry: IndexedTool;
  readonly score: number;
  /** The share of the utterance that the tool's words explain. */
  readonly coverage: number;
  /** The share of the best example that the utterance contains. */
  readonly exampleCoverage: number;
  readonly example: Example | undefined;
  /** Similarity of the sentence patterns, without the content words. */
  readonly shapeScore: number;
  /** The similarity of the best example. */
  readonly similarity: number;
  /** The score before the speech act is considered. */
  readonly base: number;
  /** The utterance has no content words. */
  readonly isShapeOnly: boolean;
  /** A tool that changes something, for a noun phrase without a verb of change. */
  readonly isVerbless: boolean;
}

export type SpeechAct = 'question' | 'command' | 'fragment' | 'statement';

const GREETING =
  /^(?:(?:hi|hello|hey|dear \w+|good (?:morning|afternoon|evening)|(?:ok|okay|good|fine|alright|all right|perfect|nice|cool)(?=[,.!])|so|well|and|also|then|please|pls|plz|kindly|now|great|thanks|thank you|yes|no wait|wait|actually|sorry|but)\b[\s,.!-]*)+/i;
const REQUEST_PREFIX =
  /^(?:(?:can|could|would|will|may|might) (?:you|we|i)(?: please| kindly| just)?|(?:i|we)(?:'d| would)? (?:like|want|need|wish|have)(?: you)? to|i'd like to|let'?s|let us|go ahead and|be so kind (?:as )?(?:to|and)|help me(?: to)?|you (?:can|should|must|may)|it would be (?:nice|great) to|is it possible to|would it be possible to|i'm looking to|i am looking to|i was hoping to)\s+(?:please\s+)?/i;
const QUESTION_START =
  /^(?:whats?|which|whos?|whom|whose|whens?|wheres?|why|hows?|is|are|was|were|do|does|did|has|have|had|am|any|anything|anyone|show|list|give me|tell me|display|find|search|look|get|see|view|check|fetch|pull|bring up|count|compare|summari[sz]e|describe|explain|read|know|hear|learn|understand|let me (?:see|know)|i(?:'d| would)? (?:like|want|need) (?:to (?:see|know)|all|the|a list)|draw|print)\b/i;

/** Statements of the person that a tool may store. */
const STATEMENT_START =
  /^(?:i'm|i am|i was|i've|i have|i feel|we won|we lost|we've|we are|we have)\b(?! (?:looking|wondering|trying|interested|putting|preparing))/i;

/** Removes greetings and polite phrases from the start. */
export function stripPoliteness(text: string): string {
  let rest = text.trim();
  for (let round = 0; round < 4; round += 1) {
    const next = rest.replace(GREETING, '').replace(REQUEST_PREFIX, '');
    if (next === rest || next === '') break;
    rest = next;
  }
  return rest;
}
/** A command in the last clause: "… , tick that task off". */
const FINAL_COMMAND =
  /[,;.!] (?:so |then |please |can you |could you |would you |will you |and |now )*(\p{L}+)(?: \p{L}+)* ?(?:it|that|this|them|these|a|an|the|my|our|his|her|their)\b[^,;]*$/iu;
const WISH =
  /^(?:(?:hi|hello|hey|please|ok|so|well)[\s,]+)*(?:i|we)(?:'d| would)? (?:like|want|need|wish|have)(?: you)? to\s+(?!(?:see|know|find|look|check|view|understand|have a look|get|hear|learn|ask)\b)/i;
/** A fact: "The payments-db is owned by …". */
const FACT =
  /^(?:the |our |my |this )?[\p{L}\p{N}'-]+(?: [\p{L}\p{N}'-]+){0,3} (?:is|are|was|were|has|have|depends on|relies on|belongs to|uses|needs)(?: (?:now|been))? \S/iu;
const NOT_YET = /\bnot yet \p{L}+(?:ed|en|id)\b/iu;
/** "It can be closed" counts as a command. */
const PERMISSION = /\b(?:can|could|should|may|must|needs? to|has to|have to|ought to) (?:now |please |just |also )?be (\p{L}+)\b/iu;
/** "Could I have Friday off?" is a command to book leave. */
const DAY_OFF = /\b(?:can|could|may) (?:i|we) (?:please )?(?:have|get)\b.*\boff\b/i;
/** "Open a ticket" is a command; "open tickets" is a noun phrase. */
const OPEN_COMMAND = /^open (?:up )?(?:(?:me|us) )?(?:an?|another|one|the)\b/i;
const CLAUSE = /\b(?:who|which|that|what|when|where|how|whose)\b/i;

export function speechActOf(utterance: Utterance): SpeechAct {
  const text = stripPoliteness(utterance.text);
  if (/^ok(?:ay)? (?:the|this|that|it)\b/i.test(text)) return 'command';
  const [first] = utterance.tokens.filter(({ start }) => start >= utterance.text.length - text.length);
  if (!first) return 'fragment';
  if (DAY_OFF.test(utterance.text)) return 'command';
  // "Tell me" starts a question; "tell support that …" is a command.
  if (QUESTION_START.test(text)) return 'question';
  if (OPEN_COMMAND.test(text) || permittedVerb(utterance) !== undefined) return 'command';
  // A noun phrase asks for rows: "invoices not yet approved".
  if (NOT_YET.test(text) && !(CHANGE_VERBS.has(first.stem) && !/(?:ed|s)$/.test(first.word))) return 'question';
  if (
    /[^s]s$/.test(first.word) &&
    !first.possessive &&
    !first.capital &&
    !/^(?:\S+)(?:[:,]| (?:the|a|an|my|our|it|that|this|me)\b)/.test(text) &&
    !utterance.text.includes(', ')
  )
    return 'question';
  // "Approved invoices" is a question, not a command to approve.
  const done = /(?:ed|ing)$|^(?:won|lost|paid|sent)$/.test(first.word);
  if (CHANGE_VERBS.has(first.stem) && done && !/\b(?:it|that|this|them)\b/i.test(text)) return 'question';
  if (CHANGE_VERBS.has(first.stem) && !first.possessive && !done) return 'command';
  const at = utterance.tokens.findIndex(
    ({ word }, place) => /^(?:it|that|this|them|those)$/.test(word) && CHANGE_VERBS.has(utterance.tokens[place - 1]?.stem ?? ''),
  );
  if (at > 0) return 'command';
  const last = stem((FINAL_COMMAND.exec(utterance.text)?.[1] ?? '').toLowerCase());
  if (last !== '' && (CHANGE_VERBS.has(last) || last === 'open')) return 'command';
  if (utterance.text.endsWith('?')) return 'fragment';
  if (WISH.test(utterance.text) || STATEMENT_START.test(text)) return 'statement';
  const subject = FACT.exec(text)?.[0];
  return subject !== undefined && !CLAUSE.test(subject) ? 'statement' : 'fragment';
}

function permittedVerb({ text, tokens }: Utterance): Token | undefined {
  const match = text.endsWith('?') || QUESTION_START.test(stripPoliteness(text)) ? null : PERMISSION.exec(text);
  const verb = match && tokens.find(({ start }) => start === match.index + match[0].length - (match[1]?.length ?? 0));
  return verb && CHANGE_VERBS.has(verb.stem) ? verb : undefined;
}
const SET_STATE = /^(?:mark|set|flag|put|change|move|switch|record|log)\b.+? (?:as|to|into) (?:being )?(\p{L}+)(?=$|[\s,.;!])/iu;
/** "Set it to paid": the target state is the verb. */
export function targetStateVerb({ text, tokens }: Utterance): Token | undefined {
  const rest = stripPoliteness(text);
  const match = SET_STATE.exec(rest);
  const at = match ? text.length - rest.length + match.index + match[0].length - (match[1]?.length ?? 0) : -1;
  const verb = tokens.find(({ start }) => start === at);
  return verb && CHANGE_VERBS.has(verb.stem) && (verb.word.endsWith('ed') || verb.word !== verb.stem) ? verb : undefined;
}
/** Verbs of change at the start of a clause: "…, please delete the record". */
export function commandVerbs(utterance: Utterance): ContentWord[] {
  const colon = utterance.text.indexOf(': ');
  const start = utterance.text.length - stripPoliteness(utterance.text).length;
  const allowed = permittedVerb(utterance) ?? targetStateVerb(utterance);
  return utterance.words.filter(({ stem: each, token }) => {
    if (token === allowed) return true;
    if (
      !CHANGE_VERBS.has(each) ||
      token.possessive ||
      /(?:ed|ing)$/.test(token.word) ||
      (colon > 0 && token.start > colon) ||
      utterance.quotes.some((quote) => overlaps(quote, token))
    )
      return false;
    return token.start === start || /(?:[,;.!]|\b(?:and|then|please|so|just|now))\s*$/i.test(utterance.text.slice(0, token.start));
  });
}
const verbs = new WeakMap<IndexedTool, Set<string>>();
/** The verbs of a tool: from its name, title and aliases, and from the commands of its examples. */
function verbsOf(entry: IndexedTool): Set<string> {
  const known = verbs.get(entry);
  if (known) return known;
  const { name, title, aliases, effect } = entry.tool;
  const own = new Set(
    [name, title.toLowerCase(), ...aliases]
      .flatMap((text) => text.split(/[_\W]+/))
      .map(stem)
      .filter((each) => CHANGE_VERBS.has(each)),
  );
  for (const { utterance } of entry.examples) for (const { stem: each } of commandVerbs(utterance)) own.add(each);
  if (effect === 'adds') for (const each of ['add', 'create', 'make']) own.add(stem(each));
  verbs.set(entry, own);
  return own;
}
const isVerbOf = (entry: IndexedTool, { stem: each, concepts }: ContentWord): boolean =>
  verbsOf(entry).has(each) || [...verbsOf(entry)].some((verb) => conceptsOfWord(verb).some((concept) => concepts.includes(concept)));
export function commandsOtherVerb(index: ToolIndex, entry: IndexedTool, utterance: Utterance): boolean {
  if (!entry.mutates) return false;
  // In "mark it as approved", the last word names the action.
  const state = targetStateVerb(utterance);
  const all = commandVerbs(utterance);
  const said = state ? all.filter(({ token }) => token === state) : all;
  return (
    said.length > 0 &&
    !said.some((word) => isVerbOf(entry, word)) &&
    index.entries.some((other) => other.mutates && said.some((word) => verbsOf(other).has(word.stem)))
  );
}
export const commandsToolVerb = (entry: IndexedTool, utterance: Utterance): boolean =>
  entry.mutates && commandVerbs(utterance).some((word) => isVerbOf(entry, word));
export const mentionsToolVerb = (entry: IndexedTool, utterance: Utterance): boolean =>
  entry.mutates && utterance.words.some((word) => isVerbOf(entry, word));

export function rankTools(
  index: ToolIndex,
  utterance: Utterance,
  pool: readonly IndexedTool[],
  { ignore = [] }: { ignore?: readonly TextSpan[] } = {},
): RankedTool[] {
  const act = speechActOf(utterance);
  const words = utterance.words.filter(({ token }) => !ignore.some((piece) => overlaps(piece, token)) && !isPartOfName(utterance, token));
  const kinds = featuresOf(utterance, ignore);
  const weightedWords = words.map((word) => ({ word, weight: weightOf(index, word) }));
  const shape = shapeOf(utterance, ignore);
  return pool
    .map((entry) => scoreTool(index, entry, { shape, weightedWords, kinds, act }))
    .sort((a, b) => b.score - a.score || (a.entry.name < b.entry.name ? -1 : 1));
}

/** Names do not indicate a tool. */
const isPartOfName = (utterance: Utterance, token: ContentWord['token']): boolean =>
  utterance.names.some(
    (name) =>
      name.isCertain &&
      overlaps(name, token) &&
      (token.capital || token.word.includes('-')) &&
      name.words.length > 0 &&
      !(token.raw === token.raw.toUpperCase()),
  );

export const weightOf = (index: ToolIndex, { stem, concepts, token }: ContentWord): number => {
  const own = index.stemWeight(stem);
  const { synonym, stopWord } = index.weights.similarity;
  // A synonym of a tool's word gets at most a medium weight.
  if (concepts.length > 0 && !index.lexicon.vocabulary.has(token.word)) return Math.min(own, synonym);
  return stopWords.has(token.word) ? Math.min(own, stopWord) : own;
};

export const relevanceOf = (entry: IndexedTool, { stem, concepts }: ContentWord): number =>
  Math.max(entry.stems.get(stem) ?? 0, ...concepts.map((concept) => entry.concepts.get(concept) ?? 0));

function scoreTool(
  index: ToolIndex,
  entry: IndexedTool,
  {
    shape,
    weightedWords,
    kinds,
    act,
  }: {
    shape: ReadonlySet<string>;
    weightedWords: readonly { word: ContentWord; weight: number }[];
    kinds: ReadonlySet<string>;
    act: SpeechAct;
  },
): RankedTool {
  const { ranking, similarity } = index.weights;
  let explained = 0;
  let all = 0;
  for (const { word, weight } of weightedWords) {
    all += weight;
    explained += weight * relevanceOf(entry, word);
  }
  const coverage = all === 0 ? 0 : explained / all;
  let best = 0;
  let exampleCoverage = 0;
  let example: Example | undefined;
  let alike = 0;
  for (const each of entry.examples) {
    const [near, held] = exampleSimilarity(index, each, { weightedWords, kinds });
    const form = shapeSimilarity(each.shape, shape);
    alike = Math.max(alike, form);
    const score =
      (weightedWords.length === 0 ? similarity.formAlone * form : similarity.near * near + similarity.form * form) *
      (each.succeeds ? 1 : similarity.refused);
    if (score > best)
      [best, exampleCoverage, example] = [score, weightedWords.length === 0 || each.stems.size === 0 ? Math.max(held, form) : held, each];
  }
  const isShapeOnly = weightedWords.length === 0;
  const base = isShapeOnly
    ? (ranking['example-shape'] ?? 0) * best
    : (ranking['coverage'] ?? 0) * coverage + (ranking['example'] ?? 0) * best;
  // "Liam's deals" commands no change.
  const isVerbless = act === 'fragment' && entry.mutates && !weightedWords.some(({ word }) => CHANGE_VERBS.has(word.stem));
  const mismatch = isVerbless ? 'change-for-fragment' : MISMATCHES[`${entry.mutates ? 'change' : 'read'}-${act}`];
  const score = base * (1 + (mismatch === undefined ? 0 : (ranking[mismatch] ?? 0)));
  return { entry, score, coverage, exampleCoverage, example, shapeScore: alike, similarity: best, base, isShapeOnly, isVerbless };
}
/** The feature for a tool whose kind does not suit the speech act. */
const MISMATCHES: Readonly<Record<string, string>> = {
  'change-question': 'change-for-question',
  'read-command': 'read-for-order',
  'read-statement': 'read-for-statement',
};

const shapeSimilarity = (theirs: ReadonlySet<string>, mine: ReadonlySet<string>): number => {
  let shared = 0;
  for (const each of mine) if (theirs.has(each)) shared += 1;
  return shared / Math.sqrt(Math.max(1, theirs.size) * Math.max(1, mine.size));
};

/** The cosine similarity of utterance and example, and the share of the example that the utterance contains. */
function exampleSimilarity(
  index: ToolIndex,
  example: Example,
  { weightedWords, kinds }: { weightedWords: readonly { word: ContentWord; weight: number }[]; kinds: ReadonlySet<string> },
): [number, number] {
  const { concept: shareOfConcept, kind: kindWeight, self } = index.weights.similarity;
  let shared = 0;
  let mine = 0;
  const hitStems = new Set<string>();
  const hitIdeas = new Set<number>();
  for (const { word, weight } of weightedWords) {
    mine += weight * weight;
    if (example.stems.has(word.stem)) {
      shared += weight * weight;
      hitStems.add(word.stem);
    } else {
      const concept = word.concepts.find((each) => example.concepts.has(each));
      if (concept !== undefined) {
        shared += shareOfConcept * weight * weight;
        for (const each of word.concepts) hitIdeas.add(each);
      }
    }
  }
  let theirs = 0;
  let held = 0;
  for (const word of example.utterance.words) {
    if (!example.stems.has(word.stem)) continue;
    const weight = weightOf(index, word);
    theirs += weight * weight;
    if (hitStems.has(word.stem)) held += weight * weight;
    else if (word.concepts.some((concept) => hitIdeas.has(concept))) held += shareOfConcept * weight * weight;
  }
  for (const kind of new Set([...kinds, ...example.features])) {
    const weight = kind === '#self' ? self : kindWeight;
    if (kinds.has(kind)) mine += weight;
    if (example.features.has(kind)) theirs += weight;
    if (kinds.has(kind) && example.features.has(kind)) shared += weight;
  }
  if (mine === 0 || theirs === 0) return [0, 0];
  return [Math.min(1, shared / Math.sqrt(mine * theirs)), held / Math.max(theirs, 0.01)];
}
