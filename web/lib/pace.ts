/** The elapsed part of a year in per cent; undefined unless the year is the current one. */
export function elapsedOf(year: unknown, now = new Date()): number | undefined {
  if (year !== now.getFullYear()) return undefined;
  const [from, to] = [Date.UTC(now.getFullYear(), 0, 1), Date.UTC(now.getFullYear() + 1, 0, 1)];
  return Math.round(((now.getTime() - from) / (to - from)) * 1000) / 10;
}
