/** What each sample pay run cost each department: gross pay, and the taxes and benefits that the employer pays in addition. */
import { dayOf } from '../../sample-company/days.ts';
import { runsOf, type SampleRun } from './calendar.ts';
import { peopleOnPayroll, stubsOf, sum } from './pay.ts';

export interface DepartmentCost {
  readonly run: SampleRun;
  readonly department: string;
  readonly people: number;
  readonly cents: number;
}

/** In the order of the runs. */
export function departmentCosts({ employees, today: now }: { readonly employees: number; readonly today: Date }): DepartmentCost[] {
  const today = dayOf(now.getTime());
  const runs = runsOf(today);
  const costs = new Map<string, { run: SampleRun; department: string; people: number; cents: number }>();
  for (const one of peopleOnPayroll(employees, Number(today.slice(0, 4)))) {
    const { department } = one.person;
    for (const { run, earnings, employerTaxes, employerBenefits } of stubsOf(one, runs)) {
      const key = `${run.index} ${department}`;
      const found = costs.get(key) ?? { run, department, people: 0, cents: 0 };
      found.people++;
      found.cents += sum(earnings) + employerTaxes + employerBenefits;
      costs.set(key, found);
    }
  }
  return [...costs.values()].toSorted((a, b) => a.run.index - b.run.index || (a.department < b.department ? -1 : 1));
}
