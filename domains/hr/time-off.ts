/** Time-off balances of new employees. */
import { z } from 'zod';
import { storedId } from '../../src/declare/fields.ts';
import type { SqlReader, SqlWriter } from '../../src/declare/sql.ts';

/** The open fiscal years from this one on, as text. */
export async function openYears(sql: SqlReader, from: number): Promise<number[]> {
  const rows = await sql.many(
    z.object({ fiscal_year: z.int() }),
    sql`select fiscal_year, row_version from hr.time_off_years where fiscal_year >= ${from}::int order by fiscal_year`,
  );
  return rows.map(({ fiscal_year }) => fiscal_year);
}

/** Gives an employee the balances of the policy for the open years from this one on. */
export async function giveBalances(sql: SqlWriter, employee_id: string, from: number): Promise<void> {
  await sql.changeMany(
    z.object({ employee_id: storedId }),
    sql`
      insert into hr.time_off_balances (employee_id, fiscal_year, type_code, entitlement)
      select ${employee_id}::uuid, y.fiscal_year, t.type_code, t.days_per_year
      from hr.time_off_years y cross join hr.time_off_types t where y.fiscal_year >= ${from}::int
      returning employee_id`,
  );
}
