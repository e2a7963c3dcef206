/** A problem with a database that only an operator can fix. The message is one sentence without a password. */
export class DatabaseProblem extends Error {
  override readonly name = 'DatabaseProblem';
}
