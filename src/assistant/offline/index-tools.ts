/** Indexes the tool declarations: the words of each tool, its example utterances, and the tools that find its ids. */
import { overlaps, type TextSpan, annotate, type Utterance } from './annotate.ts';
import type { Declarations, ExampleDeclaration, ToolDeclaration } from './declarations.ts';
import { isId, type Schema, type Slot, slotsOf, unwrapUnion, typeOf } from './schema.ts';
import type { OfflineWeights } from './weights.ts';
import { CHANGE_VERBS, conceptsOf } from './thesaurus.ts';
import { stopWords, fold, HOW_TO, stem, type Token, tokenise } from './tokenise.ts';

export interface AlignedValue extends TextSpan {
  readonly key: string;
  readonly left: readonly string[];
  readonly right: string | undefined;
  readonly possessive: boolean;
}
export interface Example {
  readonly question: string;
  readonly utterance: Utterance;
  readonly input: Readonly<Record<string, unknown>>;
  readonly aligned: readonly AlignedValue[];
  /** Stems of its content words, without values. */
  readonly stems: ReadonlySet<string>;
  readonly concepts: ReadonlySet<number>;
  readonly features: ReadonlySet<string>;
  /** Stems of all words except values, including stop words. */
  readonly shape: ReadonlySet<string>;
  readonly succeeds: boolean;
}
export interface IndexedTool {
  readonly tool: ToolDeclaration;
  readonly name: string;
  readonly slots: readonly Slot[];
  readonly examples: readonly Example[];
  /** Stem → how strongly it indicates this tool, from 0 to 1. */
  readonly stems: ReadonlyMap<string, number>;
  readonly concepts: ReadonlyMap<number, number>;
  /** The states in which a row may be changed, from the tool's error hints. */
  readonly legalStates: readonly string[];
  readonly mutates: boolean;
  readonly rowSchema: Schema;
  /** Slot key → tools that find its ids, from descriptions and error hints. */
  readonly finders: ReadonlyMap<string, readonly string[]>;
}
export interface ToolIndex {
  readonly roles: Declarations['roles'];
  readonly entries: readonly IndexedTool[];
  readonly byName: ReadonlyMap<string, IndexedTool>;
  readonly lexicon: {
    readonly vocabulary: ReadonlyMap<string, number>;
    readonly names: ReadonlySet<string>;
    readonly titled: ReadonlySet<string>;
    readonly phrases: readonly string[];
    readonly fiscalYearStart: number;
  };
  /** Slot key → its known values; each maps the folded value to the value as written. */
  readonly knownValues: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** State transitions, from descriptions such as "PENDING becomes APPROVED". */
  readonly transitions: readonly { readonly from: readonly string[]; readonly to: string; readonly about: ReadonlySet<string> }[];
  readonly domainStems: ReadonlySet<string>;
  /** Keys of ids that can be the asker's own. */
  readonly selfKeys: ReadonlySet<string>;
  readonly weights: OfflineWeights;
  readonly analyses: Declarations['analyses'];
  stemWeight(stem: string): number;
}

const WORDS = /[A-Za-z]+/g;
const lowerCaseWords = (text: string): string[] => (text.match(WORDS) ?? []).filter((word) => word === word.toLowerCase());
const fieldsOf = (schema: Schema): string[] =>
  Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => [key, ...fieldsOf(rowOf(unwrapUnion(inner)))]);
export const rowOf = (schema: Schema): Schema => (typeOf(schema) === 'array' ? unwrapUnion(schema.items) : schema);

type SlotsByTool = ReadonlyMap<ToolDeclaration, readonly Slot[]>;
function createLexicon({ tools, fiscalYearStart }: Declarations, slots: SlotsByTool): ToolIndex['lexicon'] {
  const vocabulary = new Map<string, number>();
  const add = (word: string) => vocabulary.set(word, (vocabulary.get(word) ?? 0) + 1);
  const names = new Set<string>();
  const starts: string[] = [];
  for (const tool of tools) {
    for (const word of [
      ...tool.name.split('_'),
      ...lowerCaseWords(tool.description),
      ...(tool.plural?.split(/\W+/) ?? []),
      ...lowerCaseWords(tool.title),
      ...tool.title
        .split(/\W+/)
        .slice(0, 1)
        .map((first) => first.toLowerCase()),
    ])
      add(word);
    for (const slot of slots.get(tool) ?? [])
      for (const word of [
        ...slot.key.split('_'),
        ...slot.values.flatMap((value) => value.toLowerCase().split(/[_\s-]/)),
        ...lowerCaseWords(slot.description),
      ])
        add(word);
    for (const key of fieldsOf(rowOf(tool.output))) for (const word of key.split('_')) add(word);
    for (const { question, input } of phrasings(tool)) {
      const values = valueWords(input, slots.get(tool) ?? []);
      for (const token of tokenise(question)) {
        const beginning = token.start === 0 || /[.!?:"]\s*$/.test(question.slice(0, token.start));
        if (values.has(token.word) && token.capital && /^\p{L}/u.test(token.word)) names.add(token.word);
        if (values.has(token.word) && (!token.capital || beginning)) continue;
        if (!token.capital && !/[\d-]/.test(token.word)) add(token.word);
        else if (token.capital && beginning) starts.push(token.word);
        else if (token.capital) names.add(token.word);
      }
    }
  }
  for (const shout of tools.flatMap((tool) => `${tool.title} ${tool.description}`.match(/\b[A-Z]{2,5}s?\b/g) ?? []))
    add(shout.toLowerCase());
  for (const word of starts) if (!names.has(word) || stopWords.has(word) || CHANGE_VERBS.has(stem(word))) add(word);
  for (const word of vocabulary.keys()) names.delete(word);
  vocabulary.delete('');
  const titled = new Set(
    tools.flatMap((tool) => {
      const { properties = {} } = rowOf(tool.output);
      const [id] = Object.keys(properties).filter(isId);
      return id !== undefined && id !== 'id' && ['title', 'subject', 'topic'].some((key) => key in properties)
        ? [stem(id.replace(/_id$/, ''))]
        : [];
    }),
  );
  const phrases = [
    ...new Set(
      tools.flatMap((tool) =>
        (slots.get(tool) ?? []).flatMap(({ schema }) =>
          (schema.examples ?? [])
            .filter((value) => typeof value === 'string' && /^\p{Lu}\S* \p{Lu}/u.test(value))
            .map((value) => fold(String(value))),
        ),
      ),
    ),
  ];
  return { vocabulary, names, titled, phrases, fiscalYearStart };
}

/** Words of names and queries, which do not indicate an intent. */
const valueWords = (input: Readonly<Record<string, unknown>>, slots: readonly Slot[]): Set<string> =>
  new Set(
    slots
      .filter(({ kind }) => kind === 'name' || kind === 'query' || kind === 'names')
      .flatMap(({ key }) =>
        tokenise(
          [input[key]]
            .flat()
            .filter((value) => typeof value === 'string')
            .join(' '),
        ).map(({ word }) => word),
      ),
  );

function locateValue(ask: string, value: string, taken: readonly TextSpan[] = []): TextSpan | undefined {
  const clean = fold(value.replaceAll('_', ' ')).replace(/[.!]$/, '');
  const folded = fold(ask);
  let at = clean.length < 2 ? -1 : folded.indexOf(clean);
  while (at >= 0 && taken.some((piece) => overlaps(piece, { start: at, end: at + clean.length }))) at = folded.indexOf(clean, at + 1);
  return at < 0 ? undefined : { text: ask.slice(at, at + clean.length), start: at, end: at + clean.length };
}
export function neighboursOf(utterance: Utterance, piece: TextSpan): Pick<AlignedValue, 'left' | 'right' | 'possessive'> {
  const before = utterance.tokens.filter(({ end }) => end <= piece.start);
  const after = utterance.tokens.find(({ start }) => start >= piece.end);
  const sign = /[:,]\s*["']?$/.exec(utterance.text.slice(0, piece.start))?.[0].trim().charAt(0);
  return {
    left: [...before.slice(-3).map((token) => token.stem), ...(sign ? [sign] : [])],
    right: after?.stem,
    possessive: /^'s?\b/.test(utterance.text.slice(piece.end)),
  };
}

const phrasings = (tool: ToolDeclaration): Pick<ExampleDeclaration, 'question' | 'input' | 'expects'>[] =>
  tool.examples.flatMap((example) => [example.question, ...example.phrases].map((question) => ({ ...example, question })));

function createExample(
  given: Pick<ExampleDeclaration, 'question' | 'input' | 'expects'>,
  slots: readonly Slot[],
  { lexicon, exampleDay }: IndexingContext,
): Example {
  const { input } = given;
  const utterance = annotate(given.question, exampleDay, lexicon);
  const aligned: AlignedValue[] = [];
  const place = (key: string, piece: TextSpan) => aligned.push({ key, ...piece, ...neighboursOf(utterance, piece) });
  const length = (value: unknown): number => (typeof value === 'string' ? value.length : 0);
  // Longest value first: a long text may contain a shorter value.
  for (const [key, value] of Object.entries(input).sort(([, a], [, b]) => length(b) - length(a))) {
    const slot = slots.find((each) => each.key === key);
    if (!slot || slot.kind === 'choice' || slot.kind === 'sort') continue;
    for (const each of Array.isArray(value) ? value : [value]) {
      const piece =
        typeof each === 'string'
          ? locateValue(utterance.text, each, aligned)
          : typeof each === 'number' && isId(key)
            ? locateValue(utterance.text, String(each))
            : undefined;
      if (piece && !aligned.some((other) => overlaps(other, piece))) place(key, piece);
    }
  }
  const ids = Object.keys(input).filter((key) => isId(key) && !aligned.some((each) => each.key === key));
  for (const name of utterance.names.filter(({ isCertain }) => isCertain)) {
    const [key] = ids;
    if (key !== undefined && !aligned.some((each) => overlaps(each, name))) place(ids.length > 1 ? (ids.shift() ?? key) : key, name);
  }
  const words = utterance.words.filter(({ token }) => !aligned.some((each) => overlaps(each, token)));
  return {
    question: given.question,
    utterance,
    input,
    aligned,
    succeeds: given.expects === undefined || given.expects === 'success',
    stems: new Set(words.map((word) => word.stem)),
    concepts: new Set(words.flatMap((word) => word.concepts)),
    features: featuresOf(utterance, aligned),
    shape: shapeOf(utterance, aligned),
  };
}

export const shapeOf = (utterance: Utterance, but: readonly TextSpan[]): Set<string> =>
  new Set(
    utterance.tokens
      .filter(
        (token) =>
          ![...but, ...utterance.names.filter(({ isCertain }) => isCertain), ...utterance.dates, ...utterance.amounts].some((piece) =>
            overlaps(piece, token),
          ),
      )
      .map(({ stem: each }) => each),
  );

const ALL = new Set(['all', 'every', 'everyone', 'everybody', 'each']);
const SELF = new Set(['my', 'i', 'me', 'mine', 'myself', "i'm", "i've", "i'd"]);
export function featuresOf(utterance: Utterance, inside: readonly TextSpan[]): Set<string> {
  const kinds = new Set<string>();
  const free = (token: Token) => !inside.some((piece) => overlaps(piece, token) && piece.end - piece.start > 25);
  if (HOW_TO.test(utterance.text)) kinds.add('#how');
  if (utterance.dates.length > 0) kinds.add('#when');
  if (utterance.amounts.length > 0) kinds.add('#amount');
  if (utterance.emails.length > 0) kinds.add('#email');
  if (utterance.ids.length > 0) kinds.add('#id');
  if (utterance.names.some(({ isCertain }) => isCertain)) kinds.add('#name');
  if (utterance.tokens.some((token) => SELF.has(token.word) && free(token))) kinds.add('#self');
  if (utterance.tokens.some((token) => ALL.has(token.word) && free(token))) kinds.add('#all');
  return kinds;
}

function findLegalStates(tool: ToolDeclaration): string[] {
  return Object.values(tool.errors).flatMap((text) => {
    const hint = typeof text === 'string' ? text : text.hint;
    const only = /\bOnly\b([^.;]*?)\bcan\b/.exec(hint)?.[1] ?? '';
    return (only.match(/[A-Za-z_]+/g) ?? []).map((word) => word.toLowerCase());
  });
}
const TOOL_NAME = /\b[a-z]+(?:_[a-z]+)*\b/g;

interface IndexingContext extends Declarations {
  readonly lexicon: ToolIndex['lexicon'];
  /** Whether only one tool has the word in its output fields. */
  isRare(word: string): boolean;
}
function createEntry(tool: ToolDeclaration, slots: readonly Slot[], learning: IndexingContext): IndexedTool {
  const { tools, isRare } = learning;
  // A tool name of one word counts as a name only within its domain; elsewhere it is an ordinary word.
  const names = new Set(
    tools.filter((each) => each !== tool && (each.name.includes('_') || each.domain === tool.domain)).map(({ name }) => name),
  );
  const examples = phrasings(tool).map((given) => createExample(given, slots, learning));
  const stems = new Map<string, number>();
  const concepts = new Map<number, number>();
  const put = <K>(map: Map<K, number>, key: K, weight: number) => void ((map.get(key) ?? 0) < weight && map.set(key, weight));
  const say = (text: string, weight: number) => {
    const parts = text
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .filter((word) => word.length > 1)
      .map(stem);
    for (const part of parts) if (!stopWords.has(part)) put(stems, part, weight);
    for (const concept of conceptsOf(parts).flat()) put(concepts, concept, weight * 0.8);
  };
  say(tool.name.replaceAll('_', ' '), 1);
  say(tool.title, 1);
  say(tool.plural ?? '', 1);
  // People say "add" for every tool that creates something.
  if (tool.effect === 'adds') say('add', 0.55);
  for (const alias of tool.aliases) say(alias.replaceAll('_', ' '), 0.9);
  for (const slot of slots) {
    if (slot.kind === 'limit' || slot.kind === 'cursor') continue;
    say(slot.key.replaceAll('_', ' '), 0.7);
    for (const value of slot.values) say(value.replaceAll('_', ' '), 0.6);
    say(slot.description, 0.35);
  }
  say(tool.description, 0.5);
  say(tool.domain.title, 0.5);
  for (const field of fieldsOf(rowOf(tool.output))) if (initials(field) !== undefined) say(initials(field) ?? '', 0.8);
  for (const field of fieldsOf(rowOf(tool.output))) for (const part of field.split('_')) say(part, isRare(stem(part)) ? 0.8 : 0.45);
  for (const example of examples) {
    // If the example describes a record instead of naming it, some of its words belong to the description.
    const describes = Object.keys(example.input).some((key) => isId(key) && !example.aligned.some((each) => each.key === key));
    // Words of an order ("nearest deadline") say how the rows are sorted, not which tool is meant.
    const sorts = 'sort' in example.input;
    for (const each of example.stems) put(stems, each, describes || sorts ? 0.6 : example.succeeds ? 1 : 0.8);
    for (const each of example.concepts) put(concepts, each, 0.8);
  }
  const finders = new Map<string, string[]>();
  const hints = Object.entries(tool.errors)
    .filter(([code]) => code.endsWith('_NOT_FOUND'))
    .map(([, text]) => (typeof text === 'string' ? text : text.hint))
    .join(' ');
  for (const slot of slots.filter(({ kind }) => kind === 'id' || kind === 'number-id')) {
    const named = (text: string) => (text.match(TOOL_NAME) ?? []).filter((word) => names.has(word));
    const own = named(slot.description);
    finders.set(slot.key, [...new Set(own.length > 0 ? own : named(hints))]);
  }
  return {
    tool,
    name: tool.qualifiedName,
    slots: slots.map((slot) => refineSlotKind(slot, tool, examples)),
    examples,
    stems,
    concepts,
    legalStates: findLegalStates(tool),
    mutates: tool.kind === 'write' || tool.kind === 'act',
    rowSchema: rowOf(tool.output),
    finders,
  };
}

/** The acronym of a field: "NRR" for net_revenue_retention. */
const initials = (field: string): string | undefined => {
  const parts = field.split('_').filter((part) => !stopWords.has(part));
  return parts.length === 3 ? parts.map((part) => part.charAt(0)).join('') : undefined;
};

/** A short text slot holds a name, or prose if an example of a writing tool fills it with a phrase. */
function refineSlotKind(slot: Slot, tool: ToolDeclaration, examples: readonly Example[]): Slot {
  if (slot.kind !== 'name' || (tool.kind !== 'write' && tool.kind !== 'act')) return slot;
  const said = examples.map(({ input }) => input[slot.key]).filter((value) => typeof value === 'string');
  return said.some((value) => value.split(' ').filter((word) => /^\p{Ll}/u.test(word)).length >= 2) ? { ...slot, kind: 'prose' } : slot;
}

export function indexTools(declarations: Declarations): ToolIndex {
  const { tools } = declarations;
  const slots = new Map(tools.map((tool) => [tool, slotsOf(tool)]));
  const lexicon = createLexicon(declarations, slots);
  const fields = new Map<string, number>();
  for (const tool of tools)
    for (const part of new Set(fieldsOf(rowOf(tool.output)).flatMap((field) => field.split('_').map(stem))))
      fields.set(part, (fields.get(part) ?? 0) + 1);
  const learning: IndexingContext = { ...declarations, lexicon, isRare: (word) => fields.get(word) === 1 };
  const entries = tools.map((tool) => createEntry(tool, slots.get(tool) ?? [], learning));
  const used = new Map<string, number>();
  for (const entry of entries) {
    for (const [each, weight] of entry.stems) if (weight >= 0.7) used.set(each, (used.get(each) ?? 0) + 1);
  }
  const weights = new Map([...used].map(([each, often]) => [each, Math.log(1 + entries.length / often)]));
  const unknown = Math.min(3.2, Math.log(1 + entries.length));
  return {
    roles: declarations.roles,
    entries,
    byName: new Map(entries.map((entry) => [entry.name, entry])),
    lexicon,
    knownValues: findKnownValueSets(entries),
    transitions: findTransitions(tools),
    domainStems: new Set(tools.map(({ domain }) => stem(domain.name))),
    selfKeys: findSelfKeys(entries),
    weights: declarations.weights,
    analyses: declarations.analyses,
    stemWeight: (each) => weights.get(each) ?? unknown,
  };
}

const findTransitions = (tools: readonly ToolDeclaration[]): ToolIndex['transitions'] =>
  tools.flatMap((tool) =>
    [...tool.description.matchAll(/\b([A-Z_]{4,}(?: or [A-Z_]{4,})*) becomes ([A-Z_]{4,})\b/g)].map((match) => ({
      from: (match[1] ?? '').split(' or '),
      to: match[2] ?? '',
      about: new Set(tool.name.split('_').slice(1).map(stem)),
    })),
  );

/** Keys of ids that default to the asker's own: their description contains "your own". */
const findSelfKeys = (entries: readonly IndexedTool[]): Set<string> =>
  new Set(
    entries.flatMap(({ slots }) =>
      slots.filter(({ kind, description }) => kind === 'id' && /\byour own\b/i.test(description)).map(({ key }) => key),
    ),
  );

function findKnownValueSets(entries: readonly IndexedTool[]): Map<string, Map<string, string>> {
  const known = new Map<string, Map<string, string>>();
  for (const { slots } of entries) {
    for (const slot of slots) {
      for (const value of slot.schema.examples ?? []) {
        if (typeof value !== 'string' || slot.kind !== 'name') continue;
        const values = known.get(slot.key) ?? new Map<string, string>();
        known.set(slot.key, values.set(fold(value), value));
      }
    }
  }
  return known;
}
