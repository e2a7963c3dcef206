/** A database problem that only an operator can solve. The message is one sentence and contains no password. */
export class DatabaseProblem extends Error {
  override readonly name = 'DatabaseProblem';
}
