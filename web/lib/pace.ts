/** How much of a year is over, in per cent; nothing for a year that has not begun or is past. */
export function elapsedOf(year: unknown, now = new Date()): number | undefined {
  if (year !== now.getFullYear()) return undefined;
  const [from, to] = [Date.UTC(now.getFullYear(), 0, 1), Date.UTC(now.getFullYear() + 1, 0, 1)];
  return Math.round(((now.getTime() - from) / (to - from)) * 1000) / 10;
}
