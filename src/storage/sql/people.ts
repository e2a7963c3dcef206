/** Reads a person's employment status from the hr database, for sign-in. */
import type { People } from '../../engine/ports.ts';
import type { SqlDatabase } from './database.ts';
import { toFailure } from './errors.ts';

/** Runs as the role of the directory, which sees the status of everybody and nothing else of former employees. */
const QUESTION =
  "with s as materialized (select set_config('app.principal', 'sign-in', true) as a) select q.* from s cross join lateral (select hr.employment($1::uuid) as state where s.a is not null offset 0) q";

export const createSqlPeople = (database: SqlDatabase): People => ({
  async employment(employeeId) {
    try {
      const [row] = await database.read('hr_directory', { text: QUESTION, values: [employeeId] });
      const state = row?.['state'];
      return state === 'active' || state === 'terminated' ? state : 'unknown';
    } catch (error) {
      throw toFailure(error);
    }
  },
});
