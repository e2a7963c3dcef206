/** Validates documents before they are stored: only plain data and safe field names. */
import type { Document, Patch } from '../../declare/documents.ts';
import { fieldName } from '../../declare/filter.ts';
import type { Row } from '../../declare/rows.ts';

const OURS = new Set(['_id', 'row_version', 'removed', 'held']);
const ID = /^[\x21-\x7e]{1,128}$/;

function plainData(value: unknown): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map(plainData);
  if (typeof value === 'object' && [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null))
    return fieldsOf(value as Row);
  throw new Error(`cannot be stored: ${typeof value}`);
}

const fieldsOf = (record: Row): Row =>
  Object.fromEntries(
    Object.entries(record)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => {
        if (name.includes('.')) throw new Error('not a field name');
        return [fieldName(name), plainData(value)];
      }),
  );

export function plainPatch(patch: Patch): Row {
  for (const name of Object.keys(patch)) if (OURS.has(name)) throw new Error(`a tool must not set the field ${name}`);
  return fieldsOf(patch);
}

export function plainDocument({ _id, ...rest }: Document): Document {
  if (typeof _id !== 'string' || !ID.test(_id)) throw new Error('not an id');
  return { _id, ...plainPatch(rest), row_version: 1 };
}
