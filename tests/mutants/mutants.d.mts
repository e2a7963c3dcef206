export interface Mutant {
  readonly area: string;
  readonly name: string;
  readonly find: string;
  readonly replace: string;
  readonly tests: readonly string[];
}
export const MUTANTS: readonly Mutant[];
