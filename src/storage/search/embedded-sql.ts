/** Translates filters and search words to SQL. Values are parameters; words are quoted stems of letters and digits. */
import { type FieldFilter, Filter, type Test } from '../../declare/filter.ts';
import type { Figures } from '../../declare/search.ts';
import type { Asked } from './handles.ts';
import type { PlainField, RowsQuery, Shape } from './shape.ts';
import { EXACT, NEAR, PAIR, type Sought } from './words.ts';

export type Bound = string | number | null;
export class Statement {
  text = '';
  readonly values: Bound[] = [];
  add(text: string, ...values: readonly unknown[]): this {
    this.text += text;
    for (const value of values) this.values.push(typeof value === 'boolean' ? Number(value) : (value as Bound));
    return this;
  }
}

/** The names are declared, and contain only letters, digits, underscores and dots. */
const path = (name: string) => `'$."${name}"'`;
export const columnOf = (shape: Shape, name: string): string => (name === shape.key ? 'd.id' : `json_extract(d.f, ${path(name)})`);

const SIGNS = { above: '>', atLeast: '>=', below: '<', atMost: '<=' } as const;

export function condition(into: Statement, shape: Shape, filter: Filter): void {
  into.add('(');
  filter.parts.forEach((part, i) => {
    if (i > 0) into.add(filter.how === 'all' ? ' AND ' : ' OR ');
    if (part instanceof Filter) condition(into, shape, part);
    else fieldCondition(into, shape, part);
  });
  if (filter.parts.length === 0) into.add(filter.how === 'all' ? '1' : '0');
  into.add(')');
}

function fieldCondition(into: Statement, shape: Shape, { field: name, tests }: FieldFilter): void {
  const field = shape.plain.get(name) as PlainField;
  tests.forEach((test, i) => {
    if (i > 0) into.add(' AND ');
    if (field.many) anyOf(into, name, test);
    else scalar(into, test, { column: columnOf(shape, name), lowered: `json_extract(d.l, ${path(name)})` });
  });
}

function scalar(into: Statement, test: Test, { column, lowered }: { readonly column: string; readonly lowered: string }): void {
  switch (test.op) {
    case 'is':
      return void (test.value === null ? into.add(`${column} IS NULL`) : into.add(`${column} = ?`, test.value));
    case 'not':
      return void into.add(`${column} IS NOT ?`, test.value);
    case 'there':
      return void into.add(`${column} IS NOT NULL`);
    case 'text':
      return void into.add(`${lowered} = ?`, test.value);
    case 'prefix':
      return void into.add(`instr(${lowered}, ?) = 1`, test.value);
    case 'part':
      return void into.add(`instr(${lowered}, ?) > 0`, test.value);
    case 'oneOf': {
      const values = test.value.filter((value) => value !== null);
      into.add(
        `(${column} IN (${values.map(() => '?').join(', ')})${values.length < test.value.length ? ` OR ${column} IS NULL` : ''})`,
        ...values,
      );
      return;
    }
    case 'above':
    case 'atLeast':
    case 'below':
    case 'atMost':
      return void into.add(`${column} ${SIGNS[test.op]} ?`, test.value);
  }
}

/** A list matches if one of its values matches. "Not x" means that no value is x; "is null" means that the list is empty. */
function anyOf(into: Statement, name: string, test: Test): void {
  const among = (column: string) => `EXISTS (SELECT 1 FROM json_each(${column}, ${path(name)}) e`;
  const none = (test.op === 'is' && test.value === null) || (test.op === 'not' && test.value !== null);
  if (none) into.add('NOT ');
  const positive: Test =
    test.op === 'not' || none ? (test.op === 'not' && test.value !== null ? { op: 'is', value: test.value } : { op: 'there' }) : test;
  const lowered = test.op === 'text' || test.op === 'prefix' || test.op === 'part';
  into.add(`${among(lowered ? 'd.l' : 'd.f')} WHERE `);
  scalar(into, positive, { column: 'e.value', lowered: 'e.value' });
  into.add(')');
}

/** A word of the query and the similar stems of this collection. */
export interface Variants {
  readonly sought: Sought;
  readonly near: readonly string[];
}

const quoted = (stem: string) => `"${stem}"`;

/** The points that a match of one word or pair in one text field gives. */
interface Clause {
  /** The index of the word, or -1 for a pair. A pair adds points, but alone it does not make a row match. */
  readonly word: number;
  readonly points: number;
  readonly match: string;
}
type Scoring = Pick<RowsQuery, 'shape' | 'texts'>;

function wordClauses({ shape, texts }: Scoring, { sought, near }: Variants, word: number): Clause[] {
  if (near.length === 0) return [];
  return texts.flatMap(({ name, weight }) => {
    const column = columnIn(shape, name);
    const points = weight * sought.weight;
    const exact = `${column} : (${quoted(sought.stem)})`;
    if (near.every((stem) => stem === sought.stem)) return [{ word, points: (NEAR + EXACT) * points, match: exact }];
    const any = { word, points: NEAR * points, match: `${column} : (${near.map(quoted).join(' OR ')})` };
    return near.includes(sought.stem) ? [any, { word, points: EXACT * points, match: exact }] : [any];
  });
}
const pairClauses = ({ shape, texts }: Scoring, [one, two]: readonly [string, string]): Clause[] =>
  texts.map(({ name, weight }) => ({ word: -1, points: PAIR * weight, match: `${columnIn(shape, name)} : ("${one} ${two}")` }));
const columnIn = (shape: Shape, name: string): string => `{c${shape.texts.findIndex((text) => text.name === name)}}`;

function clausesOf(into: Statement, table: string, clauses: readonly Clause[]): void {
  clauses.forEach(({ word, points, match }, i) => {
    const union = i === 0 ? '' : ' UNION ALL ';
    into.add(`${union}SELECT rowid AS doc, ${word} AS w, ${points} AS s FROM ${table}_words WHERE ${table}_words MATCH ?`, match);
  });
  if (clauses.length === 0) into.add('SELECT 0 AS doc, 0 AS w, 0 AS s WHERE 0');
}

/** Selects the score of each document that has enough of the words. */
function scored(
  into: Statement,
  table: string,
  { asked, variants }: { readonly asked: RowsQuery; readonly variants: readonly Variants[] },
): void {
  into.add('WITH found AS (');
  clausesOf(into, table, [
    ...variants.flatMap((each, word) => wordClauses(asked, each, word)),
    ...(asked.seek?.pairs ?? []).flatMap((pair) => pairClauses(asked, pair)),
  ]);
  // Only words count for the number of matches that is needed.
  into.add(
    '), hits AS MATERIALIZED (SELECT doc, sum(s) AS score FROM found GROUP BY doc HAVING count(DISTINCT CASE WHEN w >= 0 THEN w ' +
      `END) >= ${asked.seek?.needed ?? 1}) `,
  );
}

/** A statement that selects the points of one word or pair for each document. */
export interface ScoringPart {
  readonly isWord: boolean;
  readonly statement: Statement;
}
export function scoringParts(table: string, asked: RowsQuery, variants: readonly Variants[]): ScoringPart[] {
  const part = (isWord: boolean, clauses: readonly Clause[]): ScoringPart[] => {
    if (clauses.length === 0) return [];
    const statement = new Statement().add('SELECT doc, sum(s) FROM (');
    clausesOf(statement, table, clauses);
    return [{ isWord, statement: statement.add(') GROUP BY doc') }];
  };
  return [
    ...variants.flatMap((each, word) => part(true, wordClauses(asked, each, word))),
    ...(asked.seek?.pairs ?? []).flatMap((pair) => part(false, pairClauses(asked, pair))),
  ];
}

/** True if the filter matches every row. */
const isOpen = ({ how, parts }: Filter): boolean => how === 'all' && parts.every((part) => part instanceof Filter && isOpen(part));

const isBestFirst = ({ order, filter }: Asked): boolean => order.direction === 'desc' && order.keys[0] === '_score' && isOpen(filter);

/** Scores by row number (`doc`). */
export type Scores = ReadonlyMap<number, number>;

/** If only the score decides the order, drops the hits that cannot be on this page. */
export function reachable(asked: Asked, scores: Scores): Scores {
  if (!isBestFirst(asked)) return scores;
  const [before = Number.POSITIVE_INFINITY] = (asked.after ?? []) as readonly number[];
  const best = [...scores.values()].filter((score) => score < before).toSorted((a, b) => b - a);
  const least = best[asked.take - 1] ?? 0;
  return new Map([...scores].filter(([, score]) => score >= least));
}

/**
 * Keeps the best `take` hits, because only they can be on the page. Hits with the cursor's score may lie before the cursor, so they do not
 * count.
 */
function bestOnly(into: Statement, { take, after }: Asked): void {
  into.add(' AND h.score >= (SELECT coalesce(min(score), 0) FROM (SELECT score FROM hits');
  if (after) into.add(' WHERE score < ?', after[0]);
  into.add(' ORDER BY score DESC LIMIT ?))', take);
}

/** Adds the rows with enough of the words. `by` is either the words of the query or scores that are already computed. */
export function hitsOf(
  into: Statement,
  table: string,
  { asked, by }: { readonly asked: RowsQuery; readonly by: readonly Variants[] | Scores },
): void {
  if (by instanceof Map) {
    const pairs = JSON.stringify([...(by as Scores)]);
    into.add(
      `WITH hits AS MATERIALIZED (SELECT json_extract(value, '$[0]') AS doc, json_extract(value, '$[1]') AS score FROM json_each(?)) `,
      pairs,
    );
  } else if (asked.seek) scored(into, table, { asked, variants: by as readonly Variants[] });
}
export const sourceOf = (table: string, { seek }: RowsQuery): string =>
  seek ? `hits h CROSS JOIN ${table} d ON d.doc = h.doc` : `${table} d`;

export function finding(table: string, asked: Asked, by: readonly Variants[] | Scores): Statement {
  const { shape, filter, order, after, take, seek } = asked;
  const into = new Statement();
  hitsOf(into, table, { asked, by });
  into.add(`SELECT d.body, d.version, ${seek ? 'h.score' : '0'} FROM ${sourceOf(table, asked)} WHERE `);
  condition(into, shape, filter);
  if (seek && !(by instanceof Map) && isBestFirst(asked)) bestOnly(into, asked);
  // Without words all scores are equal. Then SQLite can use an index for the order.
  const keys = order.keys.map((key, i) => ({ key, value: after?.[i] })).filter(({ key }) => seek !== undefined || key !== '_score');
  const columns = keys.map(({ key }) => (key === '_score' ? 'h.score' : columnOf(shape, key)));
  const [first] = columns;
  if (after && first !== undefined) {
    const sign = order.direction === 'asc' ? '>' : '<';
    // SQLite uses the index for this bound on the first key, but not for the comparison of several keys.
    into.add(` AND ${first} ${sign}= ?`, keys[0]?.value);
    into.add(` AND (${columns.join(', ')}) ${sign} (${columns.map(() => '?').join(', ')})`, ...keys.map(({ value }) => value));
  }
  return into.add(` ORDER BY ${columns.map((column) => `${column} ${order.direction}`).join(', ')} LIMIT ?`, take);
}

const AGGREGATES = { sum: 'sum', average: 'avg', least: 'min', most: 'max' } as const;

export function grouping(table: string, shape: Shape, filter: Filter, { by = [], figures }: Figures): Statement {
  const into = new Statement().add('SELECT ');
  const columns = by.map((name) => columnOf(shape, name));
  columns.forEach((column, i) => into.add(`${i > 0 ? ', ' : ''}${column}`));
  Object.values(figures).forEach((figure, i) => {
    if (i + columns.length > 0) into.add(', ');
    const value = figure.of === 'count' ? '1' : columnOf(shape, figure.field);
    into.add(figure.of === 'count' ? 'count(' : `${AGGREGATES[figure.of]}(`);
    if (figure.where === undefined) into.add(`${value})`);
    else {
      into.add('CASE WHEN ');
      condition(into, shape, figure.where);
      into.add(` THEN ${value} END)`);
    }
  });
  into.add(` FROM ${table} d WHERE `);
  condition(into, shape, filter);
  if (columns.length > 0) into.add(` GROUP BY ${columns.join(', ')} ORDER BY ${columns.join(', ')}`);
  return into;
}
