/** What payroll provides to other domains: a feed of the costs of pay runs. */
import { z } from 'zod';
import { storedDay, storedId } from '../../src/declare/fields.ts';
import { payroll } from './domain.ts';
import { payRunCosts } from './exports.ts';
import { runType } from './schemas.ts';

const PAGE = 100;
const log = z.object({
  last: z.number().nullable(),
  n: z.number().nullable(),
  pay_run_id: storedId.nullable(),
  run_type: runType.nullable(),
  pay_date: storedDay.nullable(),
  departments: z.array(z.object({ department: z.string(), people: z.int(), amount: z.number() })).nullable(),
});

export const payRunCostsProvision = payroll.provide(payRunCosts, {
  systemAudience: 'books',
  calls: {
    async after({ after }, { sql }) {
      // One statement reads runs and numbers at the same moment. The first row always exists and has the newest number.
      const rows = await sql.many(
        log,
        sql`
          select m.last, l.n, l.pay_run_id, r.run_type, r.pay_date, c.departments
          from (select max(n) as last from payroll.run_log) m
          left join (select n, pay_run_id from payroll.run_log where n > ${after}::bigint order by n limit ${PAGE}::int) l on true
          left join payroll.pay_runs r on r.pay_run_id = l.pay_run_id
          left join lateral (
            select json_agg(json_build_object('department', department, 'people', people, 'amount', amount) order by department) as departments
            from payroll.run_costs where pay_run_id = l.pay_run_id) c on true
          order by l.n`,
      );
      const changes = rows.flatMap(({ n, pay_run_id, run_type, pay_date, departments }) =>
        n === null || pay_run_id === null || run_type === null || pay_date === null
          ? []
          : [{ n, payRunId: pay_run_id, runType: run_type, payDate: pay_date, departments: departments ?? [] }],
      );
      return { last: rows[0]?.last ?? 0, changes };
    },
  },
});
