/** Writes the totals, the costs and the stubs of a pay run. */
import { z } from 'zod';
import { storedId } from '../../src/declare/fields.ts';
import type { SqlWriter } from '../../src/declare/sql.ts';
import type { costsOf, PayDate, rowOf, totalsOf } from './run.ts';

interface NewRun {
  readonly date: PayDate;
  readonly totals: ReturnType<typeof totalsOf>;
  readonly costs: ReturnType<typeof costsOf>;
  readonly rows: readonly ReturnType<typeof rowOf>[];
}
const id = z.object({ pay_run_id: storedId });

export async function insertRun(sql: SqlWriter, pay_run_id: string, { date, totals, costs, rows }: NewRun): Promise<void> {
  await sql.change(
    id,
    sql`
      insert into payroll.run_totals (pay_run_id, gross, total_taxes, total_deductions, net, employer_taxes, employer_benefits)
      values (${pay_run_id}::uuid, ${totals.gross}::numeric, ${totals.total_taxes}::numeric, ${totals.total_deductions}::numeric,
        ${totals.net}::numeric, ${totals.employer_taxes}::numeric, ${totals.employer_benefits}::numeric) returning pay_run_id`,
  );
  await sql.changeMany(
    id,
    sql`
      insert into payroll.run_costs (pay_run_id, department, people, amount)
      select ${pay_run_id}::uuid, department, people, amount
      from json_to_recordset(${JSON.stringify(costs)}::json) as cost(department text, people int, amount numeric) returning pay_run_id`,
  );
  await sql.changeMany(
    id,
    sql`
      insert into payroll.pay_stubs (pay_run_id, employee_id, pay_date)
      select ${pay_run_id}::uuid, employee_id, ${date.pay_date}::date
      from json_to_recordset(${JSON.stringify(rows)}::json) as stub(employee_id uuid) returning pay_run_id`,
  );
  await sql.changeMany(
    z.object({ n: z.int() }),
    sql`
      insert into payroll.stub_pay (pay_stub_id, employee_id, earning_codes, earning_amounts, tax_codes, tax_amounts, deduction_codes,
        deduction_amounts, employer_taxes, employer_benefits)
      select s.pay_stub_id, p.employee_id, p.earning_codes, p.earning_amounts, p.tax_codes, p.tax_amounts, p.deduction_codes,
        p.deduction_amounts, p.employer_taxes, p.employer_benefits
      from json_to_recordset(${JSON.stringify(rows)}::json) as p(employee_id uuid, earning_codes text[], earning_amounts numeric[],
        tax_codes text[], tax_amounts numeric[], deduction_codes text[], deduction_amounts numeric[], employer_taxes numeric,
        employer_benefits numeric)
      join payroll.pay_stubs s on s.pay_run_id = ${pay_run_id}::uuid and s.pay_date = ${date.pay_date}::date and s.employee_id = p.employee_id
      returning 1 as n`,
  );
}
