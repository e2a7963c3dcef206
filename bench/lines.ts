/** Prints the results: one line per ratio, and the parts that were not measured. */
export interface Line {
  readonly what: string;
  readonly ratio: number;
  /** The largest value that meets the goal. */
  readonly goal?: number | undefined;
  /** The smallest value that meets the goal. */
  readonly atLeast?: number | undefined;
  /** Set if the value is not a ratio. */
  readonly unit?: 's' | 'ms' | 'µs' | 'tokens' | undefined;
  readonly note: string;
}

/** Parts that were not measured, with the reason. */
export const leftOut: string[] = [];

/** Starts a server. If that fails, adds the reason to `leftOut` and returns undefined, so the other parts still run. */
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
  for (const each of leftOut) console.log(`Not measured: ${each}`);
}
