/** Finds in an utterance whether its nouns name one record of a tool, several records, or a new one. */
import { audienceFor } from '../../engine/access.ts';
import type { Utterance } from './annotate.ts';
import type { Asker } from './asker.ts';
import type { IndexedTool, ToolIndex } from './index-tools.ts';
import { findKnownValues } from './known-values.ts';
import { stripPoliteness, commandVerbs } from './rank.ts';
import { CHANGE_VERBS, conceptsOfWord } from './thesaurus.ts';
import { stem as stemOf } from './tokenise.ts';

/** "Open a new ticket" does not match a tool that needs an existing ticket. */
export const requestsNewRecord = (index: ToolIndex, entry: IndexedTool, utterance: Utterance): boolean =>
  entry.mutates &&
  entry.tool.effect !== 'removes' &&
  entry.slots.some(({ kind, required }) => (kind === 'id' || kind === 'number-id') && required) &&
  /\b(?:open|create|make|raise|file|submit|log|start|new|another)\b/i.test(utterance.text) &&
  utterance.tokens.some(
    ({ stem, word }, at) =>
      recordNouns(index, entry).has(stem) &&
      !word.endsWith('s') &&
      utterance.tokens.slice(Math.max(0, at - 3), at).some((before) => /^(?:a|an|another)$/.test(before.word)),
  );

/** Nouns of the tool's ids: "report" for report_id. */
const recordNouns = (index: ToolIndex, entry: IndexedTool): Set<string> =>
  new Set(
    entry.slots
      .filter(
        ({ kind, key, required }) => (kind === 'id' || kind === 'number-id') && (required || entry.mutates) && !index.selfKeys.has(key),
      )
      .flatMap(({ key }) => key.replace(/_?id$/, '').split('_'))
      .filter((word) => word.length > 2)
      .map(stemOf),
  );
export function namesRecordKind(index: ToolIndex, entry: IndexedTool, utterance: Utterance): boolean {
  const own = new Set([
    ...recordNouns(index, entry),
    ...finderNouns(index, entry),
    ...entry.tool.title
      .toLowerCase()
      .split(/\W+/)
      .filter((word) => word.length > 3)
      .map(stemOf),
  ]);
  const ordered = new Set(commandVerbs(utterance).map(({ token }) => token.start));
  return utterance.words.some(
    ({ stem, token, concepts }) =>
      !(CHANGE_VERBS.has(stem) && (token.start === utterance.words[0]?.token.start || ordered.has(token.start))) &&
      (own.has(stem) || concepts.some((concept) => [...own].some((word) => conceptsOfWord(word).includes(concept)))),
  );
}
/** For a slot called just `id`, the noun of the rows that its finder lists. */
const finderNouns = (index: ToolIndex, entry: IndexedTool): string[] =>
  entry.slots
    .filter(({ key }) => key === 'id')
    .flatMap(({ key }) => entry.finders.get(key) ?? [])
    .flatMap((name) => index.entries.filter(({ tool }) => tool.name === name && tool.domain === entry.tool.domain).map(headNoun));
const DETERMINERS = new Set(['the', 'my', 'our', 'this', 'that', 'his', 'her', 'their', 'a', 'an']);
/** "The article …", "my webhook ticket": the utterance names a single record. */
export function namesOneRecord(index: ToolIndex, entry: IndexedTool, utterance: Utterance): boolean {
  if (entry.tool.kind !== 'read') return false;
  const things = recordNouns(index, entry);
  return utterance.tokens.some((token, at) => {
    if (!things.has(token.stem) || token.word.endsWith('s') || token.possessive) return false;
    return (
      utterance.tokens.slice(Math.max(0, at - 5), at).some(({ word, possessive }) => DETERMINERS.has(word) || possessive) &&
      !/^(?:any|all|every|no)$/.test(utterance.tokens[at - 1]?.word ?? '')
    );
  });
}
/** Whether the utterance contains the tool's plural. */
export function namesPlural(entry: IndexedTool, utterance: Utterance): boolean {
  const words = (entry.tool.plural ?? '').toLowerCase().split(/\W+/).filter(Boolean).map(stemOf);
  return (
    words.length > 1 &&
    utterance.tokens.some(
      (_, at) =>
        words.every((word, offset) => utterance.tokens[at + offset]?.stem === word) &&
        (utterance.tokens[at + words.length - 1]?.word ?? '').endsWith('s'),
    )
  );
}

/** "Tickets at risk" starts with the noun of the list. */
export function startsWithRowNoun(entry: IndexedTool, utterance: Utterance): boolean {
  const first = /^(?:(?:which|what|any|all|list|show(?: me)?|give me|of|our|the|my|these|those|open|how many) )*([\p{L}-]+s)\b/iu.exec(
    stripPoliteness(utterance.text),
  )?.[1];
  return entry.tool.kind === 'list' && first !== undefined && stemOf(first.toLowerCase()) === headNoun(entry);
}

const GENERIC_VERBS = new Set(
  [
    'put',
    'write',
    'make',
    'add',
    'create',
    'set',
    'give',
    'take',
    'send',
    'draft',
    'compose',
    'generate',
    'build',
    'do',
    'run',
    'start',
  ].map(stemOf),
);
const FUNCTION_WORDS =
  /^(?:a|an|the|to|on|in|at|of|for|from|with|by|as|up|it|that|this|me|my|us|our|i|we|you|please|is|are|and|or|not|be|have|has|should|must|about|into|need|all|call|one|some|new)$/;
/** Whether the utterance commands only a generic verb, such as "make", without a noun of the tool. */
export function lacksToolNoun(entry: IndexedTool, utterance: Utterance): boolean {
  const said = commandVerbs(utterance);
  if (entry.tool.effect !== 'adds' || said.length === 0 || !said.every(({ stem }) => GENERIC_VERBS.has(stem))) return false;
  const ordered = new Set(said.map(({ token }) => token.start));
  return !utterance.tokens.some(
    ({ stem, word, start }) =>
      !ordered.has(start) &&
      !FUNCTION_WORDS.test(word) &&
      (entry.examples.some(({ shape }) => shape.has(stem)) || toolNouns(entry).has(stem)),
  );
}
const toolNouns = ({ tool }: IndexedTool): Set<string> =>
  new Set([...tool.name.split('_'), ...tool.title.toLowerCase().split(/\W+/), tool.domain.name].map(stemOf));

const CHANGED_FIELD =
  /^(?:change|set|update|edit|adjust|modify|alter|amend|revise|tweak|move|push|shift|delay|postpone|extend|bump|raise|increase|reduce|lower|correct|fix)\s+(?:(?:the|its|their|his|her)\s+(?:[\p{L}-]+ ){0,2}?([\p{L}-]+)\s+(?:of|for|on)\b|.{2,60}?'s? (?:[\p{L}-]+ )?([\p{L}-]+)\s+(?:to|back|forward|by)\b)/iu;
/** "Change the close date of the deal": true if the tool changes deals but lacks the field. */
export function namesUnknownField(entry: IndexedTool, utterance: Utterance): boolean {
  const match = entry.mutates ? CHANGED_FIELD.exec(stripPoliteness(utterance.text)) : null;
  const word = (match?.[1] ?? match?.[2])?.toLowerCase();
  return (
    word !== undefined &&
    Math.max(entry.stems.get(stemOf(word)) ?? 0, ...conceptsOfWord(word).map((concept) => entry.concepts.get(concept) ?? 0)) < 0.6
  );
}

/** The number of slots with a known value in the utterance. */
export const countKnownValues = (index: ToolIndex, entry: IndexedTool, utterance: Utterance): number =>
  entry.slots.filter(
    ({ key, kind }) => kind === 'name' && findKnownValues(index.knownValues.get(key) ?? new Map<string, string>(), utterance).length > 0,
  ).length;

export const LIST_REQUEST = /^(?:which|what|list|show|any|find|give me|display)\b/i;
export const headNoun = ({ tool }: IndexedTool): string => stemOf((tool.plural ?? '').split(' ').at(-1) ?? '');
/** True if the person has the narrowest audience of the tool, which sees only their own rows. */
export function seesOwnOnly({ tool }: IndexedTool, { roles }: Asker): boolean {
  const audience = audienceFor(tool, roles);
  const [narrowest] =
    Object.entries(tool.domain.audiences)
      .filter(([, { linked }]) => linked)
      .at(-1) ?? [];
  return audience !== undefined && audience === narrowest;
}
