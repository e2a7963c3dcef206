/** Groups with their measures as one SQL statement of the embedded search store. */
import type { Group, GroupKey, GroupMeasure } from '../../engine/store.ts';
import { columnOf, condition, hitsOf, type Scores, sourceOf, Statement, type Variants } from './embedded-sql.ts';
import { type GroupsAsked, innerEdges, type KeyValue, type MeasureValue } from './groups.ts';

type ColumnOf = (field: string) => string;

/** A binary search among the edges: the number of edges that are not above the value. */
function edgesUpTo(
  into: Statement,
  column: string,
  { edges, first = 0 }: { readonly edges: readonly string[]; readonly first?: number | undefined },
): void {
  if (edges.length === 0) return void into.add(String(first));
  const middle = edges.length >> 1;
  into.add(`CASE WHEN ${column} < ? THEN `, edges[middle]);
  edgesUpTo(into, column, { edges: edges.slice(0, middle), first });
  into.add(' ELSE ');
  edgesUpTo(into, column, { edges: edges.slice(middle + 1), first: first + middle + 1 });
  into.add(' END');
}

function addKey(into: Statement, key: GroupKey, of: ColumnOf): void {
  const column = of(key.field);
  if (key.edges === undefined) return void into.add(column);
  into.add(`CASE WHEN ${column} IS NULL THEN NULL ELSE `);
  edgesUpTo(into, column, { edges: innerEdges(key) });
  into.add(' END');
}

/** Sums add whole numbers, because sums of fractions are inexact. */
function addMeasure(into: Statement, measure: GroupMeasure, of: ColumnOf): void {
  if (measure.of === 'sum') into.add(`sum(CAST(round(${of(measure.field)} * ?) AS INTEGER))`, 10 ** measure.decimals);
  else into.add(`${measure.of}(${measure.field === undefined ? '*' : of(measure.field)})`);
}

export function groupsStatement(table: string, asked: GroupsAsked, by: readonly Variants[] | Scores): Statement {
  const { shape, filter, by: keys, measures, most } = asked;
  const fields = [...new Set([...keys, ...measures].flatMap(({ field }) => field ?? []))];
  const of: ColumnOf = (field) => `c${fields.indexOf(field)}`;
  const into = new Statement().add('SELECT ');
  for (const [i, key] of keys.entries()) addKey(into.add(i > 0 ? ', ' : ''), key, of);
  for (const [i, measure] of measures.entries()) addMeasure(into.add(i + keys.length > 0 ? ', ' : ''), measure, of);
  into.add(' FROM (');
  hitsOf(into, table, { asked, by });
  into.add(
    `SELECT ${fields.map((field) => `${columnOf(shape, field)} AS ${of(field)}`).join(', ') || '1'} FROM ${sourceOf(table, asked)} WHERE `,
  );
  condition(into, shape, filter);
  // With a limit, SQLite does not merge both queries, so that it reads each value of the JSON only once.
  into.add(' LIMIT -1)');
  if (keys.length > 0) into.add(` GROUP BY ${keys.map((_, i) => String(i + 1)).join(', ')} LIMIT ?`, most + 1);
  return into;
}

/** SQLite stores truth values as numbers. */
function keyOf(value: unknown, { field, edges }: GroupKey, { shape }: GroupsAsked): KeyValue {
  if (value === null || edges !== undefined || shape.plain.get(field)?.is !== 'flag') return value as KeyValue;
  return value === 1;
}

export const groupOf =
  (asked: GroupsAsked) =>
  (row: readonly unknown[]): Group => ({
    keys: asked.by.map((key, i) => keyOf(row[i], key, asked)),
    values: asked.measures.map((measure, i) => {
      const value = row[asked.by.length + i] as MeasureValue;
      return measure.of === 'sum' && value !== null ? Number(value) / 10 ** measure.decimals : value;
    }),
  });
