/** Writes CSV. An apostrophe in front of a cell prevents a spreadsheet from running it as a formula. */

/** Spreadsheets ignore spaces before a formula, and some accept full-width signs. */
const FORMULA = /^[\s\0]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
const NUMBER = /^-?\d+(\.\d+)?$/;

export function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
  const isNumber = typeof value === 'number' || NUMBER.test(text);
  const safe = FORMULA.test(text) && !isNumber ? `'${text}` : text;
  // Some spreadsheets also separate at semicolons and tabs.
  return /[",;\t\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const csv = (columns: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  [columns, ...rows].map((row) => row.map(cell).join(',')).join('\r\n');
