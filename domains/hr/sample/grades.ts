/** Sample grades with their salary bands, and the heads of departments. */
import type { SampleEmployee, SampleRow } from '../../../src/declare/sample.ts';
import { departmentNames } from '../../sample-company/departments.ts';

/** Grade, title, and the lowest and highest yearly salary. Neighbouring bands overlap. */
export const grades: readonly (readonly [grade: string, title: string, from: number, to: number])[] = [
  ['G1', 'Associate', 30_000, 75_000],
  ['G2', 'Professional', 45_000, 125_000],
  ['G3', 'Senior professional', 70_000, 190_000],
  ['G4', 'Lead', 95_000, 260_000],
  ['G5', 'Director', 150_000, 400_000],
  ['G6', 'Executive', 220_000, 600_000],
];

/** A band has room for raises above the salary. */
const ROOM = 1.35;
/** The lowest grade with room above this salary; null if no band contains the salary. */
export function gradeOf(salary: number): string | null {
  const [grade] =
    grades.find(([, , from, to]) => from <= salary && salary * ROOM <= to) ??
    grades.find(([, , from, to]) => from <= salary && salary <= to) ??
    [];
  return grade ?? null;
}

/** A department and its head: the first member who reports to the head of the company, or the first member. */
export function* headsOf(people: Iterable<SampleEmployee>): Iterable<SampleRow> {
  const heads = new Map<string, SampleEmployee>();
  for (const person of people) {
    const head = heads.get(person.department);
    if (head === undefined || (head.manager !== 0 && person.manager === 0)) heads.set(person.department, person);
    // The first people have all heads, so a large company need not be generated as a whole.
    if (heads.size === departmentNames.length && [...heads.values()].every(({ manager }) => manager === 0)) break;
  }
  for (const [department, { id }] of heads) yield [department, id];
}
