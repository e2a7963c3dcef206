/** Finds the values of a field in a row by the path of its schema: `lines[].amount`, `by_month.*`. */

/** The steps of a path: a field name, `[]` for every item of a list, or `*` for every value of a record. */
export const stepsOf = (path: string): string[] =>
  path
    .replaceAll('[]', '.[]')
    .split('.')
    .filter((step) => step !== '');

export function valuesAt(data: unknown, [step, ...rest]: readonly string[]): unknown[] {
  if (step === undefined) return [data];
  if (typeof data !== 'object' || data === null) return [];
  if (step === '[]') return Array.isArray(data) ? data.flatMap((each) => valuesAt(each, rest)) : [];
  if (step === '*') return Object.values(data).flatMap((each) => valuesAt(each, rest));
  return Object.hasOwn(data, step) ? valuesAt((data as Record<string, unknown>)[step], rest) : [];
}
