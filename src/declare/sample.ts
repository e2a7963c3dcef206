/** Sample rows of one table, generated lazily. A cell that is an object is stored as JSON. */
export type Cell = string | number | boolean | null | Readonly<Record<string, unknown>>;
export type SampleRow = readonly Cell[];

export interface SampleTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** The approximate number of rows, for a progress bar. */
  readonly estimate: number;
  rows(): Iterable<SampleRow>;
}
