/** What a sentence calls things: one of those that a tool is about, several of them, or a new one. */
import { audienceFor } from '../../core/access.ts';
import type { Reading } from './annotate.ts';
import type { Asker } from './asker.ts';
import type { Entry, Index } from './index-tools.ts';
import { knownIn } from './known-values.ts';
import { bare, orderedIn } from './rank.ts';
import { CHANGES, ideasOfWord } from './thesaurus.ts';
import { stem as stemOf } from './tokenise.ts';

/** "Open a new ticket" is not for a tool that needs one that is there. */
export const wantsNew = (index: Index, entry: Entry, reading: Reading): boolean =>
  entry.changes &&
  entry.tool.effect !== 'removes' &&
  entry.slots.some(({ kind, required }) => (kind === 'id' || kind === 'number-id') && required) &&
  /\b(?:open|create|make|raise|file|submit|log|start|new|another)\b/i.test(reading.text) &&
  reading.tokens.some(
    ({ stem, word }, at) =>
      thingsOf(index, entry).has(stem) &&
      !word.endsWith('s') &&
      reading.tokens.slice(Math.max(0, at - 3), at).some((before) => /^(?:a|an|another)$/.test(before.word)),
  );

/** What its id is an id of: "report" of report_id, and the words of its title. */
const thingsOf = (index: Index, entry: Entry): Set<string> =>
  new Set(
    entry.slots
      .filter(
        ({ kind, key, required }) => (kind === 'id' || kind === 'number-id') && (required || entry.changes) && !index.oneself.has(key),
      )
      .flatMap(({ key }) => key.replace(/_?id$/, '').split('_'))
      .filter((word) => word.length > 2)
      .map(stemOf),
  );
export function namesItsThing(index: Index, entry: Entry, reading: Reading): boolean {
  const own = new Set([
    ...thingsOf(index, entry),
    ...foundNouns(index, entry),
    ...entry.tool.title
      .toLowerCase()
      .split(/\W+/)
      .filter((word) => word.length > 3)
      .map(stemOf),
  ]);
  const ordered = new Set(orderedIn(reading).map(({ token }) => token.start));
  return reading.words.some(
    ({ stem, token, ideas }) =>
      !(CHANGES.has(stem) && (token.start === reading.words[0]?.token.start || ordered.has(token.start))) &&
      (own.has(stem) || ideas.some((idea) => [...own].some((word) => ideasOfWord(word).includes(idea)))),
  );
}
/** Where an id is just an id, it is one of what its finder lists. */
const foundNouns = (index: Index, entry: Entry): string[] =>
  entry.slots
    .filter(({ key }) => key === 'id')
    .flatMap(({ key }) => entry.finders.get(key) ?? [])
    .flatMap((name) => index.entries.filter(({ tool }) => tool.name === name && tool.domain === entry.tool.domain).map(headNoun));
const ONE = new Set(['the', 'my', 'our', 'this', 'that', 'his', 'her', 'their', 'a', 'an']);
/** "The article …", "my webhook ticket": one of them, by what it is called or about. */
export function isOne(index: Index, entry: Entry, reading: Reading): boolean {
  if (entry.tool.kind !== 'read') return false;
  const things = thingsOf(index, entry);
  return reading.tokens.some((token, at) => {
    if (!things.has(token.stem) || token.word.endsWith('s') || token.possessive) return false;
    return (
      reading.tokens.slice(Math.max(0, at - 5), at).some(({ word, possessive }) => ONE.has(word) || possessive) &&
      !/^(?:any|all|every|no)$/.test(reading.tokens[at - 1]?.word ?? '')
    );
  });
}
/** The rows, called just as the tool calls them. */
export function sayPlural(entry: Entry, reading: Reading): boolean {
  const words = (entry.tool.plural ?? '').toLowerCase().split(/\W+/).filter(Boolean).map(stemOf);
  return (
    words.length > 1 &&
    reading.tokens.some(
      (_, at) =>
        words.every((word, offset) => reading.tokens[at + offset]?.stem === word) &&
        (reading.tokens[at + words.length - 1]?.word ?? '').endsWith('s'),
    )
  );
}

/** "Tickets at risk", "which of our filings": rows, by the word that the question begins with. */
export function asksForRows(entry: Entry, reading: Reading): boolean {
  const first = /^(?:(?:which|what|any|all|list|show(?: me)?|give me|of|our|the|my|these|those|open|how many) )*([\p{L}-]+s)\b/iu.exec(
    bare(reading.text),
  )?.[1];
  return entry.tool.kind === 'list' && first !== undefined && stemOf(first.toLowerCase()) === headNoun(entry);
}

const ANYTHING = new Set(
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
const SMALL =
  /^(?:a|an|the|to|on|in|at|of|for|from|with|by|as|up|it|that|this|me|my|us|our|i|we|you|please|is|are|and|or|not|be|have|has|should|must|about|into|need|all|call|one|some|new)$/;
/** Of what such a verb is ordered for, some word has to be said. */
export function saysNothingOf(entry: Entry, reading: Reading): boolean {
  const said = orderedIn(reading);
  if (entry.tool.effect !== 'adds' || said.length === 0 || !said.every(({ stem }) => ANYTHING.has(stem))) return false;
  const ordered = new Set(said.map(({ token }) => token.start));
  return !reading.tokens.some(
    ({ stem, word, start }) =>
      !ordered.has(start) && !SMALL.test(word) && (entry.examples.some(({ shape }) => shape.has(stem)) || nouns(entry).has(stem)),
  );
}
const nouns = ({ tool }: Entry): Set<string> =>
  new Set([...tool.name.split('_'), ...tool.title.toLowerCase().split(/\W+/), tool.domain.name].map(stemOf));

const FIELD =
  /^(?:change|set|update|edit|adjust|modify|alter|amend|revise|tweak|move|push|shift|delay|postpone|extend|bump|raise|increase|reduce|lower|correct|fix)\s+(?:(?:the|its|their|his|her)\s+(?:[\p{L}-]+ ){0,2}?([\p{L}-]+)\s+(?:of|for|on)\b|.{2,60}?'s? (?:[\p{L}-]+ )?([\p{L}-]+)\s+(?:to|back|forward|by)\b)/iu;
/** "Change the close date of the deal": a field that the tool says nothing of, whatever else it does with deals. */
export function otherField(entry: Entry, reading: Reading): boolean {
  const match = entry.changes ? FIELD.exec(bare(reading.text)) : null;
  const word = (match?.[1] ?? match?.[2])?.toLowerCase();
  return (
    word !== undefined && Math.max(entry.stems.get(stemOf(word)) ?? 0, ...ideasOfWord(word).map((idea) => entry.ideas.get(idea) ?? 0)) < 0.6
  );
}

/** How many of its slots have a value that is known beforehand, and said. */
export const valuesOf = (index: Index, entry: Entry, reading: Reading): number =>
  entry.slots.filter(({ key, kind }) => kind === 'name' && knownIn(index.known.get(key) ?? new Map<string, string>(), reading).length > 0)
    .length;

export const ROWS = /^(?:which|what|list|show|any|find|give me|display)\b/i;
export const headNoun = ({ tool }: Entry): string => stemOf((tool.plural ?? '').split(' ').at(-1) ?? '');
/** The narrowest of several views: one's own rows. */
export function seesOwnOnly({ tool }: Entry, { roles }: Asker): boolean {
  const audience = audienceFor(tool, roles);
  const [narrowest] =
    Object.entries(tool.domain.audiences)
      .filter(([, { linked }]) => linked)
      .at(-1) ?? [];
  return audience !== undefined && audience === narrowest;
}
