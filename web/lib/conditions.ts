/** Describes the conditions of a list's input: one value, several values, or a range. */
import { day, joined, labelForCode, number } from './format.ts';
import { isRecord } from './schema.ts';

/** Words that a person typed stay as they are. */
const CODE = /^[A-Z0-9]+(_[A-Z0-9]+)+$|^[A-Z]{4,}$|^[a-z0-9]+(_[a-z0-9]+)+$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

function valueText(value: unknown): string {
  if (value === null) return 'none';
  if (typeof value === 'number') return number(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'string') return JSON.stringify(value);
  return DAY.test(value) ? day(value) : CODE.test(value) ? labelForCode(value) : value;
}

/** "Engineering or Sales", "from 1 Jan to 31 Mar", "5 or more". */
export function conditionText(value: unknown): string {
  if (Array.isArray(value)) return joined(value.map(valueText), 'or');
  if (!isRecord(value)) return valueText(value);
  const { from, to } = value;
  const isNumber = typeof (from ?? to) === 'number';
  if (from !== undefined && to !== undefined) return from === to ? valueText(from) : `${valueText(from)} to ${valueText(to)}`;
  if (from !== undefined) return isNumber ? `${valueText(from)} or more` : `from ${valueText(from)}`;
  if (to !== undefined) return isNumber ? `${valueText(to)} or less` : `to ${valueText(to)}`;
  return JSON.stringify(value);
}
