/** Rows of one table, made while they are read. A record is for a column of JSON. */
export type Cell = string | number | boolean | null | Readonly<Record<string, unknown>>;
export type SampleRow = readonly Cell[];

export interface SampleTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** About how many rows there are, for a progress bar. */
  readonly estimate: number;
  rows(): Iterable<SampleRow>;
}
