/** The features of a candidate: a tool with the slots that an utterance fills. Their weights are learned and shared by all tools. */
import { overlaps, type TextSpan, type Utterance } from './annotate.ts';
import type { Asker } from './asker.ts';
import { ANAPHORA } from './ellipsis.ts';
import type { IntentHints, PreviousTurn } from './frame.ts';
import type { IndexedTool, ToolIndex } from './index-tools.ts';
import { findKnownValues } from './known-values.ts';
import { idKeyFor, isAboutSelf } from './lookup.ts';
import {
  headNoun,
  LIST_REQUEST,
  namesOneRecord,
  namesPlural,
  namesRecordKind,
  requestsNewRecord,
  seesOwnOnly,
  startsWithRowNoun,
} from './nouns.ts';
import {
  commandsOtherVerb,
  commandsToolVerb,
  commandVerbs,
  type RankedTool,
  relevanceOf,
  type SpeechAct,
  stripPoliteness,
} from './rank.ts';
import { isPerson } from './schema.ts';
import type { Weights } from './weights.ts';
import type { FilledSlots, Reference } from './slot-filling-state.ts';

export interface Candidate {
  readonly index: ToolIndex;
  readonly person: Asker;
  readonly utterance: Utterance;
  readonly previous: PreviousTurn;
  readonly hints: IntentHints;
  readonly entry: IndexedTool;
  readonly ranked: RankedTool;
  readonly filled: FilledSlots;
  readonly act: SpeechAct;
  /** Whether an order names the kind of record of some tool: the others are unlikely. */
  readonly isKindNamed: boolean;
}
export interface Feature {
  readonly name: string;
  readonly why: string;
  of(candidate: Candidate): number;
}

const flag = (isSet: boolean): number => (isSet ? 1 : 0);
const isUnused = ({ filled }: Candidate, span: { start: number; end: number }): boolean =>
  !filled.used.some((used) => overlaps(used, span));
const countUnused = (candidate: Candidate, spans: readonly { start: number; end: number }[]): number =>
  spans.filter((span) => isUnused(candidate, span)).length;
const certainNames = ({ utterance }: Candidate) => utterance.names.filter(({ isCertain }) => isCertain);
const isPointing = ({ utterance }: Candidate): boolean => ANAPHORA.test(utterance.text);
const isOrder = ({ act }: Candidate): boolean => act === 'command';
const start = ({ utterance }: Candidate): string => stripPoliteness(utterance.text);

/** The spans of slot values, without those of states, which are words of the tool. */
export const valuesOf = ({ used, states }: FilledSlots): TextSpan[] => used.filter((piece) => !states.includes(piece));

/** Whether the values fill slots and no word is left over. */
function isWhollyExplained({ utterance, filled }: Candidate): boolean {
  const values = valuesOf(filled);
  return (
    filled.unexplained.length === 0 &&
    utterance.words.every(({ token }) => filled.used.some((used) => overlaps(used, token))) &&
    utterance.words.some(({ token }) => values.some((used) => overlaps(used, token)))
  );
}
const usedValues = (candidate: Candidate): number => Math.min(2, candidate.filled.used.length);
/** "My department's budget" identifies the department without its name. */
const missing = ({ filled, utterance }: Candidate) =>
  filled.missing.filter((slot) => !new RegExp(`\\b(?:my|our)(?: own)? ${slot.key}\\b`, 'i').test(utterance.text));

export const isInShownRows = (reference: Reference, needing: IndexedTool, previous: PreviousTurn): boolean =>
  previous.shown.some(
    ({ entry, rows }) =>
      rows.length > 0 &&
      (idKeyFor(reference.slot, needing, entry) !== undefined || (rows[0] !== undefined && reference.slot.key in rows[0])),
  );
function shownReferences(candidate: Candidate): Reference[] {
  const { filled, entry, previous } = candidate;
  return filled.references.filter(
    (reference) => isInShownRows(reference, entry, previous) && (isPointing(candidate) || reference.names.length > 0 || isOrder(candidate)),
  );
}
const isPointedAt = (candidate: Candidate, { names }: Reference): boolean => isPointing(candidate) && names.length === 0;

/** A statement that fills every required slot is a command to store it. */
export const isWholeRecord = ({ entry, filled, act, utterance }: Candidate): boolean =>
  entry.mutates &&
  filled.missing.length === 0 &&
  filled.references.length === 0 &&
  entry.slots.filter(({ required }) => required).length > 2 &&
  (act === 'statement' || (commandsToolVerb(entry, utterance) && utterance.names.filter(({ isCertain }) => isCertain).length > 1));

/** "Home address" indicates a tool whose rows have the field home_address. */
const hasNamedField = ({ rowSchema }: IndexedTool, { tokens, text }: Utterance): boolean =>
  Object.keys(rowSchema.properties ?? {}).some(
    (key) =>
      (key === 'ytd' && /\byear to date\b/i.test(text)) ||
      (key.includes('_') &&
        !key.endsWith('_id') &&
        tokens.some((_, at) => key.split('_').every((part, offset) => tokens[at + offset]?.word === part))),
  );
const wantsEveryone = ({ utterance }: Candidate): boolean =>
  /\b(?:all|every|everyone'?s?|everybody'?s?|each)\b/i.test(utterance.text) && !isAboutSelf(utterance);
const hasWords = ({ ranked }: Candidate): boolean => !ranked.isShapeOnly;

export const FEATURES: readonly Feature[] = [
  { name: 'coverage', why: "the tool's words explain the question", of: (c) => (hasWords(c) ? c.ranked.coverage : 0) },
  { name: 'example', why: 'an example of the tool is alike', of: (c) => (hasWords(c) ? c.ranked.similarity : 0) },
  {
    name: 'example-shape',
    why: 'without content words, only the pattern of an example is left',
    of: (c) => (hasWords(c) ? 0 : c.ranked.similarity),
  },
  {
    name: 'change-for-question',
    why: 'a question seldom asks for a change',
    of: (c) => (c.act === 'question' && c.entry.mutates ? c.ranked.base : 0),
  },
  { name: 'read-for-order', why: 'a read does not carry out an order', of: (c) => (isOrder(c) && !c.entry.mutates ? c.ranked.base : 0) },
  {
    name: 'read-for-statement',
    why: 'a statement is more often stored than looked up',
    of: (c) => (c.act === 'statement' && !c.entry.mutates ? c.ranked.base : 0),
  },
  { name: 'change-for-fragment', why: '"Liam\'s deals" orders no change', of: (c) => (c.ranked.isVerbless ? c.ranked.base : 0) },
  {
    name: 'unused-value',
    why: 'an amount, e-mail address or id has no slot',
    of: (c) => countUnused(c, [...c.utterance.amounts, ...c.utterance.emails, ...c.utterance.ids]),
  },
  {
    name: 'unused-full-name',
    why: 'a name of several words has no slot',
    of: (c) =>
      countUnused(
        c,
        certainNames(c).filter(({ words }) => words.length > 1),
      ),
  },
  {
    name: 'unused-name',
    why: 'a name has no slot',
    of: (c) =>
      countUnused(
        c,
        certainNames(c).filter(({ words }) => words.length <= 1),
      ),
  },
  { name: 'unused-date', why: 'a date has no slot', of: (c) => countUnused(c, c.utterance.dates) },
  {
    name: 'unused-known-value',
    why: 'the value of another kind of slot, such as a department, has no slot',
    of: (c) =>
      [...c.index.knownValues].filter(
        ([key, values]) =>
          !(key in c.filled.input) && findKnownValues(values, c.utterance).some(({ at }) => /^\p{Lu}/u.test(at.text) && isUnused(c, at)),
      ).length,
  },
  {
    name: 'fills-email',
    why: 'few tools take an e-mail address',
    of: (c) => flag(c.entry.slots.some(({ kind, key }) => kind === 'email' && key in c.filled.input)),
  },
  {
    name: 'all-values',
    why: 'the question consists of values, and each has a slot',
    of: (c) => (isWhollyExplained(c) ? usedValues(c) : 0),
  },
  { name: 'some-values', why: 'values of the question have slots', of: (c) => (isWhollyExplained(c) ? 0 : usedValues(c)) },
  { name: 'missing-text', why: 'a required text can be asked for', of: (c) => missing(c).filter(({ kind }) => kind === 'prose').length },
  { name: 'missing-value', why: 'a required value is missing', of: (c) => missing(c).filter(({ kind }) => kind !== 'prose').length },
  {
    name: 'shown-pointed',
    why: '"approve it": the record was shown before',
    of: (c) => shownReferences(c).filter((each) => isPointedAt(c, each)).length,
  },
  {
    name: 'shown-named',
    why: 'the named record was shown before',
    of: (c) => shownReferences(c).filter((each) => !isPointedAt(c, each)).length,
  },
  {
    name: 'dangling',
    why: 'a required record is neither named nor described',
    of: (c) =>
      c.filled.references.filter(
        (each) =>
          !shownReferences(c).includes(each) &&
          each.slot.required &&
          each.names.length + each.words.length === 0 &&
          !isAboutSelf(c.utterance),
      ).length,
  },
  { name: 'whole-record', why: 'a statement gives every required value', of: (c) => flag(isWholeRecord(c)) },
  {
    name: 'own-for-everyone',
    why: '"everyone\'s leave" is not the own leave',
    of: (c) => flag(wantsEveryone(c) && seesOwnOnly(c.entry, c.person)),
  },
  {
    name: 'order-for-unshown',
    why: '"reject Sarah\'s" refers to the rows shown before',
    of: (c) =>
      flag(
        isOrder(c) &&
          c.entry.mutates &&
          c.previous.shown.length > 0 &&
          c.filled.references.some(({ slot }) => slot.required) &&
          !c.filled.references.some((each) => isInShownRows(each, c.entry, c.previous)) &&
          !namesRecordKind(c.index, c.entry, c.utterance),
      ),
  },
  {
    name: 'one-record',
    why: '"the article …" names a single record',
    of: (c) =>
      flag(
        !isOrder(c) && namesOneRecord(c.index, c.entry, c.utterance) && c.filled.references.length + Object.keys(c.filled.input).length > 0,
      ),
  },
  {
    name: 'list-for-self',
    why: 'a question about oneself is not answered by a list of everyone',
    of: (c) =>
      flag(
        c.entry.tool.kind === 'list' &&
          Object.keys(c.filled.input).length === 0 &&
          isAboutSelf(c.utterance, c.entry, true) &&
          !seesOwnOnly(c.entry, c.person) &&
          !c.entry.slots.some((slot) => c.index.selfKeys.has(slot.key) || isPerson(slot)),
      ),
  },
  {
    name: 'own-for-who',
    why: '"Who is off?" is not answered by the own rows',
    of: (c) =>
      flag(
        /^(?:who|whose|anyone|anybody|is any|which of us|which colleagues)\b/i.test(start(c)) &&
          /^my\b/i.test(c.entry.tool.title) &&
          !isAboutSelf(c.utterance),
      ),
  },
  {
    name: 'which-ones',
    why: '"which ones" asks for rows',
    of: (c) => flag(/^which ones\b/i.test(start(c)) && c.entry.tool.kind === 'list'),
  },
  { name: 'plural', why: 'the question names the rows of the tool', of: (c) => flag(namesPlural(c.entry, c.utterance)) },
  { name: 'row-noun', why: '"tickets at risk" begins with the noun of the list', of: (c) => flag(startsWithRowNoun(c.entry, c.utterance)) },
  {
    name: 'there',
    why: '"there" is the department or place of the question before',
    of: ({ previous, utterance, entry, index }) => {
      const before = previous.utterance;
      const isKnown = ({ key }: { key: string }) =>
        before !== undefined && findKnownValues(index.knownValues.get(key) ?? new Map<string, string>(), before).length > 0;
      return flag(/\bthere\b/i.test(utterance.text) && !entry.mutates && entry.slots.some(isKnown));
    },
  },
  {
    name: 'list-noun',
    why: '"which invoices" asks for a list of invoices',
    of: ({ utterance, entry }) =>
      flag(
        LIST_REQUEST.test(utterance.text) &&
          entry.tool.kind === 'list' &&
          utterance.words.some(({ stem, token }) => stem === headNoun(entry) && !/[^s]$/.test(token.word)),
      ),
  },
  { name: 'other-verb', why: 'the order has the verb of another tool', of: (c) => flag(commandsOtherVerb(c.index, c.entry, c.utterance)) },
  {
    name: 'unknown-verb',
    why: 'no word of a reading tool is the verb of the order',
    of: (c) =>
      flag(isOrder(c) && !c.entry.mutates && commandVerbs(c.utterance).some(({ stem }) => (c.entry.stems.get(stem) ?? 0) < RELEVANT)),
  },
  {
    name: 'other-record-kind',
    why: '"the Marketing budget is fine, approve it" approves a budget',
    of: (c) => flag(c.isKindNamed && !isWholeRecord(c) && c.entry.mutates && !namesRecordKind(c.index, c.entry, c.utterance)),
  },
  {
    name: 'bound-not-taken',
    why: '"above 20 million" must become a limit',
    of: (c) =>
      c.entry.mutates
        ? 0
        : c.utterance.amounts.filter(({ bound, value }) => bound !== undefined && !Object.values(c.filled.input).includes(value)).length,
  },
  {
    name: 'new-record',
    why: '"a new ticket" is not a record that exists',
    of: (c) => flag(requestsNewRecord(c.index, c.entry, c.utterance)),
  },
  {
    name: 'named-field',
    why: 'the rows have the field that is named',
    of: (c) => flag(!c.entry.mutates && hasNamedField(c.entry, c.utterance)),
  },
  {
    name: 'other-domain',
    why: 'the question names another domain',
    of: (c) => flag(c.utterance.words.some((word) => c.index.domainStems.has(word.stem) && relevanceOf(c.entry, word) < RELEVANT)),
  },
  { name: 'continues', why: 'the dialogue has chosen this tool before', of: (c) => flag(c.entry === c.hints.entry) },
];
/** Words below it occur only in descriptions and in the fields of rows. */
const RELEVANT = 0.5;

export const vectorOf = (candidate: Candidate): number[] => FEATURES.map((feature) => feature.of(candidate));
export const scoreOf = (weights: Weights, vector: readonly number[]): number =>
  FEATURES.reduce((sum, { name }, at) => sum + (weights[name] ?? 0) * (vector[at] ?? 0), 0);
