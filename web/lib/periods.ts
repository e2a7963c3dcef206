/** The periods between two of the same kind, so that a chart over time has no gaps. */

export type Unit = 'day' | 'week' | 'month' | 'quarter' | 'year';

const DAY_MS = 86_400_000;
const MOST = 400;
const textOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The Monday of an ISO week; 4 January is always in week 1. */
function mondayOf(year: number, week: number): number {
  const fourth = Date.UTC(year, 0, 4);
  const weekday = (new Date(fourth).getUTCDay() + 6) % 7;
  return fourth - weekday * DAY_MS + (week - 1) * 7 * DAY_MS;
}
function weekLabel(monday: number): string {
  const year = new Date(monday + 3 * DAY_MS).getUTCFullYear();
  const week = Math.round((monday - mondayOf(year, 1)) / (7 * DAY_MS)) + 1;
  return `${year}-W${String(week).padStart(2, '0')}`;
}

function next(label: string, unit: Unit): string {
  const [year = 0, part = 0] = label.split('-').map((each) => Number(each.replace(/^[QW]/, '')));
  if (unit === 'day') return textOf(Date.parse(`${label}T00:00:00Z`) + DAY_MS);
  if (unit === 'week') return weekLabel(mondayOf(year, part) + 7 * DAY_MS);
  if (unit === 'year') return String(year + 1);
  const most = unit === 'quarter' ? 4 : 12;
  const [nextYear, nextPart] = part === most ? [year + 1, 1] : [year, part + 1];
  return unit === 'quarter' ? `${nextYear}-Q${nextPart}` : `${nextYear}-${String(nextPart).padStart(2, '0')}`;
}

/** All labels from the first to the last; undefined if there are too many. */
export function labelsBetween(first: string, last: string, unit: Unit): string[] | undefined {
  const labels = [first];
  for (let label = first; label < last; ) {
    label = next(label, unit);
    labels.push(label);
    if (labels.length > MOST) return undefined;
  }
  return labels;
}
