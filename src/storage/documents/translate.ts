/** Translates filters, orders and totals to MongoDB queries. Values are only ever operands. */
import type { Grouping, Total } from '../../declare/documents.ts';
import { FieldFilter, Filter, fieldName, type Test } from '../../declare/filter.ts';
import type { Order } from '../../declare/order.ts';
import type { Row } from '../../declare/rows.ts';
import type { Window } from '../../engine/store.ts';
import type { Query } from './database.ts';

const NOTHING: Query = { _id: { $in: [] } };

/** Matches the text literally and ignores case. */
function pattern(op: 'text' | 'prefix' | 'part', value: string): RegExp {
  const literal = value.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  // `$` would also match before a final line break.
  return new RegExp(`${op === 'part' ? '' : '^'}${literal}${op === 'text' ? '(?![\\s\\S])' : ''}`, 'iu');
}

function testOf(test: Test): Query | undefined {
  switch (test.op) {
    case 'is':
      return { $eq: test.value };
    case 'not':
      return { $ne: test.value };
    case 'above':
      return { $gt: test.value };
    case 'atLeast':
      return { $gte: test.value };
    case 'below':
      return { $lt: test.value };
    case 'atMost':
      return { $lte: test.value };
    case 'oneOf':
      return { $in: test.value };
    case 'there':
      return { $ne: null };
    case 'text':
    case 'prefix':
    case 'part':
      // No stored text contains NUL, and a pattern must not contain it.
      return test.value.includes('\0') ? undefined : { $regex: pattern(test.op, test.value) };
  }
}

const all = (parts: readonly Query[]): Query => (parts.length === 0 ? {} : parts.length === 1 && parts[0] ? parts[0] : { $and: parts });

/** A filter on a hidden field matches nothing: otherwise callers could guess its value. */
export function matching(filter: Filter | FieldFilter, hidden: readonly string[] = []): Query {
  if (filter instanceof FieldFilter) {
    if (isHidden(filter.field, hidden)) return NOTHING;
    const tests = filter.tests.map(testOf);
    return tests.includes(undefined) ? NOTHING : all(tests.map((test) => ({ [filter.field]: test })));
  }
  if (!(filter instanceof Filter)) throw new Error('not a filter');
  const parts = filter.parts.map((part) => matching(part, hidden));
  if (filter.how === 'all') return all(parts);
  return parts.length === 0 ? NOTHING : { $or: parts };
}

export const isHidden = (field: string, hidden: readonly string[]): boolean =>
  hidden.some((each) => field === each || field.startsWith(`${each}.`));

/** $and keeps both conditions if two queries have the same key. */
export const both = (...queries: readonly Query[]): Query => ({ $and: queries });

export const sorting = ({ keys, direction }: Order<string>): Record<string, 1 | -1> =>
  Object.fromEntries(keys.map((key) => [fieldName(key), direction === 'asc' ? 1 : -1]));

/** Keyset pagination: (a, b, id) > (x, y, z). The extra bound on the first key lets MongoDB use an index. */
export function past({ order: { keys, direction }, after }: Window): Query {
  if (after === undefined) return {};
  const [beyond, from] = direction === 'asc' ? ['$gt', '$gte'] : ['$lt', '$lte'];
  const values = keys.map((key, which) => {
    const value = after[which];
    if (typeof value !== 'string' && typeof value !== 'number') throw new Error(`no place in the order by ${key}`);
    return value;
  });
  const steps = keys.map((key, which) => ({
    ...Object.fromEntries(keys.slice(0, which).map((before, at) => [before, values[at]])),
    [key]: { [beyond]: values[which] },
  }));
  return { $and: [{ [keys[0] ?? '_id']: { [from]: values[0] } }, { $or: steps }] };
}

/** Sums use whole cents, because sums of fractions are inexact. */
const cents = (field: string): Query => ({ $round: [{ $multiply: [`$${field}`, 100] }, 0] });

function accumulating(total: Total): Query {
  switch (total.of) {
    case 'count':
      return { $sum: 1 };
    case 'sum':
      return { $sum: cents(total.field) };
    case 'weighted':
      return { $sum: { $multiply: [cents(total.field), `$${total.percent}`] } };
    case 'least':
      return { $min: `$${total.field}` };
    case 'most':
      return { $max: `$${total.field}` };
    case 'average':
      return { $avg: `$${total.field}` };
  }
}

function totalOf(total: Total, value: unknown): unknown {
  if (total.of === 'sum') return Number(value ?? 0) / 100;
  if (total.of === 'weighted') return Math.round(Number(value ?? 0) / 100) / 100;
  if (total.of === 'count') return Number(value ?? 0);
  return value ?? null;
}

const columnName = (name: string): string => {
  if (name === '_id' || name.includes('.')) throw new Error(`not a column of groups: ${name}`);
  return fieldName(name);
};

/** Returns the pipeline and a function that converts its results to rows. */
export function grouped(
  match: Query,
  { by = [], totals, order, limit }: Grouping,
): { stages: Query[]; rowsOf(found: readonly Row[]): Row[] } {
  const names = Object.entries(totals);
  const id = Object.fromEntries(by.map((field) => [columnName(field), { $ifNull: [`$${field}`, null] }]));
  const sums = Object.fromEntries(names.map(([name, total]) => [columnName(name), accumulating(total)]));
  const wanted = order ? sorting(order) : {};
  for (const field of by) wanted[field] ??= 1;
  const sort = Object.fromEntries(Object.entries(wanted).map(([column, way]) => [by.includes(column) ? `_id.${column}` : column, way]));
  const stages: Query[] = [{ $match: match }, { $group: { _id: by.length === 0 ? null : id, ...sums } }];
  if (by.length > 0) stages.push({ $sort: sort });
  if (limit !== undefined) stages.push({ $limit: limit });
  const rowOf = (found: Row): Row => ({
    ...(found['_id'] as Row | null),
    ...Object.fromEntries(names.map(([name, total]) => [name, totalOf(total, found[name])])),
  });
  return { stages, rowsOf: (found) => (by.length === 0 && found.length === 0 ? [rowOf({ _id: null })] : found.map(rowOf)) };
}
