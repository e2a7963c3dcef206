/** A picture of an answer, declared with its tool: names of fields and nothing computed, so that whoever can draw draws the same. */
interface Picture {
  readonly title: string;
}
interface Bars extends Picture {
  /** Where the rows stand in `data`; left out where `data` is the list itself. */
  readonly rows?: string;
  /** The field that names a row. */
  readonly label: string;
}
export interface ChartField {
  readonly field: string;
  readonly label: string;
}
export type Chart =
  /** A part of a whole in each row. `each`: every whole is as long as the next; `all`: as long as it is large. */
  | (Bars & { readonly kind: 'parts'; readonly part: ChartField; readonly whole: ChartField; readonly scale: 'each' | 'all' })
  /** Several parts that make up each row. */
  | (Bars & { readonly kind: 'stack'; readonly parts: readonly (ChartField & { readonly look: 'good' | 'warn' | 'bad' })[] })
  /** From a beginning to an end by what was added and taken away: fields of `metadata.summary`. */
  | (Picture & { readonly kind: 'waterfall'; readonly start: ChartField; readonly steps: readonly (ChartField & { readonly adds: boolean })[]; readonly end: ChartField });
