/** Finds the name and the id of a row, and selects a row by the words of an utterance. */
import type { Answer } from '../../declare/answer.ts';
import type { Utterance } from './annotate.ts';
import type { IndexedTool } from './index-tools.ts';
import { isId, type Schema, unwrapUnion } from './schema.ts';
import { areSynonyms } from './thesaurus.ts';
import { stopWords, fold, stem } from './tokenise.ts';

export type Row = Readonly<Record<string, unknown>>;
export interface ShownRows {
  readonly entry: IndexedTool;
  readonly rows: readonly Row[];
}

/** The first id field is the row's own id. */
export const idKeyOf = (row: Schema): string | undefined => Object.keys(row.properties ?? {}).find(isId);

export function rowsIn(answer: Answer | undefined): Row[] {
  if (answer?.status !== 'success') return [];
  const { data } = answer;
  const list = Array.isArray(data) ? data : data === null || typeof data !== 'object' ? [] : [data];
  return list.filter((row): row is Row => row !== null && typeof row === 'object');
}

export function nameOf(row: Row): string {
  const text = (key: string): string => (typeof row[key] === 'string' ? row[key] : '');
  if (text('first_name') !== '') return `${text('first_name')} ${text('last_name')}`.trim();
  // Prefer the row's own name to the name of a related person, such as the owner.
  const own = ['name', 'title', 'subject', 'topic'].map(text).find((each) => each !== '');
  return (
    own ??
    Object.keys(row)
      .filter((key) => key.endsWith('_name') && !/(?:_by|_to|manager|owner|contact)_name$/.test(key))
      .map(text)
      .find((each) => each !== '') ??
    text('department')
  );
}
export function unmatchedWords(entry: IndexedTool, row: Row | undefined, input: Row): string[] {
  const query = entry.tool.lastResort ? entry.slots.find(({ kind, key }) => kind === 'query' && typeof input[key] === 'string') : undefined;
  const have = new Set(
    Object.values(row ?? {})
      .flat()
      .filter((each) => typeof each === 'string')
      .flatMap((each) => fold(each).split(/[^a-z0-9]+/))
      .map(stem),
  );
  return (query ? fold(String(input[query.key])).split(/[^a-z0-9]+/) : []).filter(
    (word) => word.length > 2 && !stopWords.has(word) && !have.has(stem(word)),
  );
}
export const newestRow = (rows: readonly Row[], shape: Schema): Row | undefined => extremeRow(rows, shape, { by: 'date', sign: 1 });
/** The row whose name shares most words or synonyms with a text, if there is exactly one. */
export function bestMatch(rows: readonly Row[], text: string): Row | undefined {
  const words = fold(text)
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 2 && !stopWords.has(word));
  const scored = rows.map((row) => ({ row, hits: words.filter((word) => nameWords(row).some((have) => areSynonyms(have, word))).length }));
  const most = Math.max(0, ...scored.map(({ hits }) => hits));
  const [only, second] = scored.filter(({ hits }) => hits === most);
  return most > 0 && second === undefined ? only?.row : undefined;
}
const nameWords = (row: Row): string[] =>
  fold(nameOf(row))
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 2 && !stopWords.has(word));
export function extremeRow(rows: readonly Row[], shape: Schema, { by, sign }: { by: 'date' | 'amount'; sign: 1 | -1 }): Row | undefined {
  const fields = Object.entries(shape.properties ?? {}).map(([key, schema]): [string, Schema] => [key, unwrapUnion(schema)]);
  const key = fields.find(([, schema]) =>
    by === 'date' ? schema.format === 'date' || schema.format === 'date-time' : schema.unit !== undefined,
  )?.[0];
  if (key === undefined) return undefined;
  const value = (row: Row) => (by === 'date' ? Date.parse(String(row[key])) : Number(row[key])) || 0;
  return [...rows].sort((a, b) => sign * (value(b) - value(a)))[0];
}

/** The row that a short reply selects, by ordinal, number or words. */
export function selectRow(rows: readonly Row[], utterance: Utterance): Row | undefined {
  const ordinal = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'].findIndex((word) =>
    new RegExp(`\\b${word}\\b`, 'i').test(utterance.text),
  );
  const number = /^(?:number |no\.? ?|#)?(\d)$/i.exec(utterance.text.trim())?.[1];
  const at = ordinal >= 0 ? ordinal : number !== undefined ? Number(number) - 1 : -1;
  if (at >= 0 && rows[at]) return rows[at];
  const words = utterance.tokens
    .map(({ word }) => word)
    .filter(
      (word) =>
        word.length > 2 && !/^(?:the|one|from|with|and|that|who|works?|its|him|her|mean|meant|please|department|office|of|in)$/.test(word),
    );
  if (words.length === 0) return undefined;
  const texts = rows.map((row) =>
    Object.values(row)
      .filter((value) => typeof value === 'string' || typeof value === 'number')
      .map((value) => fold(String(value)))
      .join(' '),
  );
  const fits = rows.filter((_, place) => words.every((word) => texts[place]?.includes(word)));
  return fits.length === 1 ? fits[0] : undefined;
}
