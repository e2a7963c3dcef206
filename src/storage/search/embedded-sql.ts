/** From our own filters and words to SQL over JSON and FTS5. Values are parameters; words reach FTS5 as quoted stems of letters and digits. */
import { type FieldFilter, Filter, type Test } from '../../core/filter.ts';
import type { Figures } from '../../core/search.ts';
import type { Asked } from './handles.ts';
import type { PlainField, Shape } from './shape.ts';
import { EXACT, NEAR, PAIR, type Sought } from './words.ts';

export type Bound = string | number | null;
/** Text whose values are pushed as it is written, in the order of its question marks. */
export class Statement {
  text = '';
  readonly values: Bound[] = [];
  add(text: string, ...values: readonly unknown[]): this {
    this.text += text;
    for (const value of values) this.values.push(typeof value === 'boolean' ? Number(value) : (value as Bound));
    return this;
  }
}

/** Declared names hold letters, digits, underscores and dots only: core refuses any other. */
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
    else scalar(into, test, columnOf(shape, name), `json_extract(d.l, ${path(name)})`);
  });
}

function scalar(into: Statement, test: Test, column: string, lowered: string): void {
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

/** A list: what is asked holds for any of its values; "not" and "null" for none. */
function anyOf(into: Statement, name: string, test: Test): void {
  const among = (column: string) => `EXISTS (SELECT 1 FROM json_each(${column}, ${path(name)}) e`;
  const none = (test.op === 'is' && test.value === null) || (test.op === 'not' && test.value !== null);
  if (none) into.add('NOT ');
  const positive: Test =
    test.op === 'not' || none ? (test.op === 'not' && test.value !== null ? { op: 'is', value: test.value } : { op: 'there' }) : test;
  const lowered = test.op === 'text' || test.op === 'prefix' || test.op === 'part';
  into.add(`${among(lowered ? 'd.l' : 'd.f')} WHERE `);
  scalar(into, positive, 'e.value', 'e.value');
  into.add(')');
}

/** Each word of the question with the stems of this collection that are near it. */
export interface Variants {
  readonly sought: Sought;
  readonly near: readonly string[];
}

const quoted = (stem: string) => `"${stem}"`;

/** Adds up, per row, what each word and pair counts in each field. */
function scored(into: Statement, table: string, { shape, texts, seek }: Asked, variants: readonly Variants[]): void {
  const indexOf = (name: string) => shape.texts.findIndex((text) => text.name === name);
  let first = true;
  const clause = (word: number, points: number, column: number, match: string) => {
    into.add(
      `${first ? '' : ' UNION ALL '}SELECT rowid AS doc, ${word} AS w, ${points} AS s FROM ${table}_words WHERE ${table}_words MATCH ?`,
      `{c${column}} : (${match})`,
    );
    first = false;
  };
  into.add('WITH found AS (');
  for (const { name, weight } of texts) {
    const column = indexOf(name);
    variants.forEach(({ sought, near }, word) => {
      const each = weight * sought.weight;
      const others = near.filter((stem) => stem !== sought.stem);
      if (near.length === 0) return;
      if (others.length === 0) clause(word, (NEAR + EXACT) * each, column, quoted(sought.stem));
      else {
        clause(word, NEAR * each, column, near.map(quoted).join(' OR '));
        if (near.includes(sought.stem)) clause(word, EXACT * each, column, quoted(sought.stem));
      }
    });
    for (const [one, two] of seek?.pairs ?? []) clause(-1, PAIR * weight, column, `"${one} ${two}"`);
  }
  if (first) into.add('SELECT 0 AS doc, 0 AS w, 0 AS s WHERE 0');
  // A pair alone is no answer: it counts for a row that has enough of the words.
  into.add(
    `), hits AS MATERIALIZED (SELECT doc, sum(s) AS score FROM found GROUP BY doc HAVING count(DISTINCT CASE WHEN w >= 0 THEN w END) >= ${seek?.needed ?? 1}) `,
  );
}

/** Every row passes. */
const isOpen = ({ how, parts }: Filter): boolean => how === 'all' && parts.every((part) => part instanceof Filter && isOpen(part));

/**
 * Where no filter takes any of them away, the best so many hits hold the page, and whoever scores less need not be looked at: most of
 * the time would go into reading their rows. After a place, hits of the very score of that place may lie before it, so they do not count.
 */
function bestOnly(into: Statement, { take, after }: Asked): void {
  into.add(' AND h.score >= (SELECT coalesce(min(score), 0) FROM (SELECT score FROM hits');
  if (after) into.add(' WHERE score < ?', after[0]);
  into.add(' ORDER BY score DESC LIMIT ?))', take);
}

export function finding(table: string, asked: Asked, variants: readonly Variants[]): Statement {
  const { shape, filter, order, after, take, seek } = asked;
  const into = new Statement();
  if (seek) scored(into, table, asked, variants);
  into.add(
    `SELECT d.body, d.version, ${seek ? 'h.score' : '0'} FROM ${seek ? `hits h CROSS JOIN ${table} d ON d.doc = h.doc` : `${table} d`} WHERE `,
  );
  condition(into, shape, filter);
  if (seek && order.direction === 'desc' && order.keys[0] === '_score' && isOpen(filter)) bestOnly(into, asked);
  // Without words every score is the same, and an index can serve the rest of the order.
  const keys = order.keys.map((key, i) => ({ key, value: after?.[i] })).filter(({ key }) => seek !== undefined || key !== '_score');
  const columns = keys.map(({ key }) => (key === '_score' ? 'h.score' : columnOf(shape, key)));
  const [first] = columns;
  if (after && first !== undefined) {
    const sign = order.direction === 'asc' ? '>' : '<';
    // The first key once more by itself: an index on expressions serves that, and not the comparison of rows.
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
