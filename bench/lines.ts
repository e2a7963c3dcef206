/** What the bench prints: ratios within one run, and what could not be measured here. */
export interface Line {
  readonly what: string;
  readonly ratio: number;
  /** At most this. */
  readonly goal?: number | undefined;
  /** At least this. */
  readonly atLeast?: number | undefined;
  /** Where it is no ratio. */
  readonly unit?: 's' | 'ms' | 'µs' | 'tokens' | undefined;
  readonly note: string;
}

/** Servers that could not be started: they are named, and the rest is measured. */
export const leftOut: string[] = [];

/** A server that cannot run here is no reason to measure nothing. */
export async function started<T>(what: string, start: () => Promise<T>): Promise<T | undefined> {
  try {
    return await start();
  } catch (error) {
    const why = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').trim();
    leftOut.push(`${what} (${why.slice(0, 160)})`);
    return undefined;
  }
}

function marked({ ratio, goal, atLeast }: Line): string {
  if (atLeast !== undefined) return ratio >= atLeast ? `≥ ${atLeast} ok` : `< ${atLeast} !`;
  return goal === undefined ? '' : ratio <= goal ? `≤ ${goal} ok` : `> ${goal} !`;
}

export function print(lines: readonly Line[]): void {
  const width = Math.max(...lines.map(({ what }) => what.length));
  console.log('');
  for (const line of lines) {
    const value = line.ratio.toFixed(line.ratio < 100 ? 2 : 0).padStart(6);
    console.log(`${line.what.padEnd(width)} ${value} ${(line.unit ?? '×').padEnd(6)} ${marked(line).padEnd(9)} ${line.note}`);
  }
  for (const each of leftOut) console.log(`Left out, since it could not be started: ${each}`);
}
