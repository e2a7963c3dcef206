/** Translates filters and search words to MongoDB queries. Values are operands, or escaped in a pattern. */
import type { KeyPart } from '../../engine/lists/cursor.ts';
import { type FieldFilter, Filter, type Test } from '../../declare/filter.ts';
import type { Order } from '../../declare/order.ts';
import type { Figure } from '../../declare/search.ts';
import type { Asked } from './handles.ts';
import type { RowsQuery, Stored } from './shape.ts';
import { EXACT, NEAR, PAIR, type Sought } from './words.ts';

export type Json = Readonly<Record<string, unknown>>;
const NOTHING: Json = { _id: { $in: [] } };

export function matching(filter: Filter): Json {
  const parts = filter.parts.map((part) => (part instanceof Filter ? matching(part) : fieldMatch(part)));
  if (parts.length === 0) return filter.how === 'all' ? {} : NOTHING;
  return filter.how === 'all' ? { $and: parts } : { $or: parts };
}

const RANGES = { above: '$gt', atLeast: '$gte', below: '$lt', atMost: '$lte' } as const;
/** A pattern must not contain NUL itself. */
const literally = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&').replaceAll('\0', '\\x00');

const fieldMatch = ({ field, tests }: FieldFilter): Json => ({ $and: tests.map((test) => testMatch(`f.${field}`, `l.${field}`, test)) });

function testMatch(value: string, lowered: string, test: Test): Json {
  switch (test.op) {
    case 'is':
      return test.value === null ? { [value]: { $exists: false } } : { [value]: { $eq: test.value } };
    case 'not':
      return test.value === null ? { [value]: { $exists: true } } : { [value]: { $ne: test.value } };
    case 'there':
      return { [value]: { $exists: true } };
    case 'text':
      return { [lowered]: { $eq: test.value } };
    case 'prefix':
      return { [lowered]: { $regex: `^${literally(test.value)}` } };
    case 'part':
      return { [lowered]: { $regex: literally(test.value) } };
    case 'oneOf': {
      const values = test.value.filter((each) => each !== null);
      return { $or: [{ [value]: { $in: values } }, ...(values.length < test.value.length ? [{ [value]: { $exists: false } }] : [])] };
    }
    case 'above':
    case 'atLeast':
    case 'below':
    case 'atMost':
      return { [value]: { [RANGES[test.op]]: test.value } };
  }
}

/** Turns the name `comments.author` into an object `comments` with a field `author`. */
function nested(entries: Readonly<Record<string, unknown>>): Json {
  const whole: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(entries)) {
    let at = whole;
    const parts = name.split('.');
    for (const part of parts.slice(0, -1)) at = (at[part] ??= {}) as Record<string, unknown>;
    at[parts.at(-1) ?? ''] = value;
  }
  return whole;
}

export const stemsOf = ({ w }: Stored): string[] =>
  [...new Set(Object.values(w).flatMap((text) => text.split(' ')))].filter((stem) => stem !== '');

/** Stores each text twice: as a list of stems to find words, and as one string of stems to find pairs. */
export function valuesOf(stored: Stored, texts: readonly { readonly name: string }[]): Json {
  const words: Record<string, unknown> = {};
  for (const [i, { name }] of texts.entries()) {
    const text = stored.w[name] ?? '';
    words[`w${i}`] = ` ${text} `;
    words[`s${i}`] = [...new Set(text.split(' '))].filter((stem) => stem !== '');
  }
  return { row: stored.row, f: nested(stored.f), l: nested(stored.l), s: stemsOf(stored), ...words };
}

export interface Variants {
  readonly sought: Sought;
  readonly near: readonly string[];
}

/** Computes the same scores as the other search stores. */
function scored({ shape, texts, seek }: RowsQuery, variants: readonly Variants[]): Json[] {
  const at = (name: string) => shape.texts.findIndex((text) => text.name === name);
  const some = (i: number, near: readonly string[]): Json => ({ $gt: [{ $size: { $setIntersection: [`$s${i}`, near] } }, 0] });
  const points: Json[] = [];
  const hits: Json[] = [];
  for (const { sought, near } of variants) {
    hits.push({ $cond: [{ $or: texts.map(({ name }) => some(at(name), near)) }, 1, 0] });
    for (const { name, weight } of texts) {
      points.push({ $cond: [some(at(name), near), NEAR * weight * sought.weight, 0] });
      points.push({ $cond: [{ $in: [sought.stem, `$s${at(name)}`] }, EXACT * weight * sought.weight, 0] });
    }
  }
  for (const { name, weight } of texts) {
    for (const pair of seek?.pairs ?? [])
      points.push({ $cond: [{ $gte: [{ $indexOfBytes: [`$w${at(name)}`, ` ${pair.join(' ')} `] }, 0] }, PAIR * weight, 0] });
  }
  return [
    { $match: { s: { $in: [...new Set(variants.flatMap(({ near }) => near))] } } },
    { $addFields: { score: { $add: points }, hits: { $add: hits } } },
    { $match: { hits: { $gte: seek?.needed ?? 1 } } },
  ];
}

const columnOf = (key: string) => (key === '_score' ? 'score' : `f.${key}`);

function past({ direction }: Order<string>, keys: readonly string[], values: readonly (KeyPart | undefined)[]): Json {
  const beyond = direction === 'asc' ? '$gt' : '$lt';
  return {
    $or: keys.map((key, i) => ({
      ...Object.fromEntries(keys.slice(0, i).map((same, j) => [columnOf(same), values[j]])),
      [columnOf(key)]: { [beyond]: values[i] },
    })),
  };
}

/** The stages that select the rows of a query. */
export const rowsStages = (asked: RowsQuery, variants: readonly Variants[]): Json[] => [
  { $match: matching(asked.filter) },
  ...(asked.seek ? scored(asked, variants) : []),
];

export function finding(asked: Asked, variants: readonly Variants[]): Json[] {
  const { seek, order, after, take } = asked;
  const kept = order.keys.map((key, i) => ({ key, value: after?.[i] })).filter(({ key }) => seek !== undefined || key !== '_score');
  const keys = kept.map(({ key }) => key);
  return [
    ...rowsStages(asked, variants),
    ...(after
      ? [
          {
            $match: past(
              order,
              keys,
              kept.map(({ value }) => value),
            ),
          },
        ]
      : []),
    { $sort: Object.fromEntries(keys.map((key) => [columnOf(key), order.direction === 'asc' ? 1 : -1])) },
    { $limit: take },
    { $project: { row: 1, row_version: 1, score: 1 } },
  ];
}

const TOTALS = { sum: '$sum', average: '$avg', least: '$min', most: '$max' } as const;

export const figurePipeline = (filter: Filter, by: readonly string[], figure: Figure): Json[] => [
  { $match: { $and: [matching(filter), ...(figure.where ? [matching(figure.where)] : [])] } },
  {
    $group: {
      _id: Object.fromEntries(by.map((name, i) => [`k${i}`, { $ifNull: [`$f.${name}`, null] }])),
      value: figure.of === 'count' ? { $sum: 1 } : { [TOTALS[figure.of]]: `$f.${figure.field}` },
    },
  },
];
