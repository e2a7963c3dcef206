/** ANSI colours, for terminals only. Node's hasColors handles NO_COLOR and dumb terminals. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const;

const paint =
  (on: boolean, [begin, end]: readonly [number, number]) =>
  (text: string) =>
    on && text !== '' ? `\u001b[${begin}m${text}\u001b[${end}m` : text;

export const styleOf = (on: boolean): Style => ({
  bold: paint(on, CODES.bold),
  dim: paint(on, CODES.dim),
  red: paint(on, CODES.red),
  green: paint(on, CODES.green),
  yellow: paint(on, CODES.yellow),
  cyan: paint(on, CODES.cyan),
});

export const plain: Style = styleOf(false);

export const showsColour = (stream: { readonly isTTY?: boolean; hasColors?: () => boolean }): boolean =>
  stream.isTTY === true && stream.hasColors?.() === true;
