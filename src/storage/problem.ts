/** Something about a database that only an operator can put right; one whole sentence, no password in it. */
export class DatabaseProblem extends Error {
  override readonly name = 'DatabaseProblem';
}
