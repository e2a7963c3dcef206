/** `defineSampleCompany`: creates a sample company from a list of its employees. */
import type { Persona, SampleCompany, SampleEmployee } from './sample.ts';

export interface SampleEmployeeSpec {
  /** Part of the email address, and the name by which `manager` refers to this person. */
  readonly username: string;
  readonly first: string;
  readonly last: string;
  readonly department: string;
  readonly title: string;
  readonly location: string;
  /** The username of an employee who comes earlier in the list; nobody for the head of the company. */
  readonly manager?: string;
  /** As in `2021-04-01`. */
  readonly hired: string;
  /** Yearly, in the currency of the company. */
  readonly salary: number;
  readonly phone?: string;
  readonly address?: string;
  /** Only a person with this list can sign in. Everybody also gets `employee`, and managers get `manager`. */
  readonly roles?: readonly string[];
}

export interface SampleCompanySpec {
  /** The domain of all email addresses. */
  readonly emailDomain: string;
  /** The head of the company comes first. */
  readonly employees: readonly SampleEmployeeSpec[];
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MS_PER_DAY = 86_400_000;
const idAt = (n: number) => `0e5a0000-0000-4000-8000-${String(n + 1).padStart(12, '0')}`;

export function defineSampleCompany({ emailDomain, employees }: SampleCompanySpec): SampleCompany {
  if (employees.length === 0) throw new Error('A sample company has at least one employee');
  const position = new Map<string, number>();
  const managers = employees.map(({ username, manager, hired }, n) => {
    if (position.has(username)) throw new Error(`The sample company has two employees with the username ${username}`);
    if (!DAY.test(hired) || Number.isNaN(Date.parse(hired))) throw new Error(`${username}: hired must be a day such as 2021-04-01`);
    const above = manager === undefined ? undefined : position.get(manager);
    if (manager !== undefined && above === undefined)
      throw new Error(`${username}: the manager ${manager} must come earlier in the list of employees`);
    position.set(username, n);
    return above;
  });
  const emailOf = (username: string) => `${username}@${emailDomain}`;

  const people = employees.flatMap(({ username, first, last, title, roles }, n): Persona[] => {
    if (roles === undefined) return [];
    const id = idAt(n);
    return [
      {
        username,
        name: `${first} ${last}`,
        email: emailOf(username),
        realm: 'staff',
        sub: id,
        employeeId: id,
        roles: [...new Set(['employee', ...(managers.includes(n) ? ['manager'] : []), ...roles])],
        title,
      },
    ];
  });

  return {
    people,
    directory({ today }) {
      const newYear = Date.UTC(today.getUTCFullYear(), 0, 1);
      const person = (n: number): SampleEmployee => {
        const spec = employees[n];
        if (spec === undefined) throw new RangeError(`The sample company has no employee ${n}.`);
        const { username, first, last, department, title, location, hired, salary } = spec;
        return {
          n,
          id: idAt(n),
          first,
          last,
          email: emailOf(username),
          department,
          title,
          location,
          manager: managers[n],
          salary,
          hired,
          tenure: Math.round((newYear - Date.parse(hired)) / MS_PER_DAY),
          phone: spec.phone ?? `555-01${String(n % 100).padStart(2, '0')}`,
          address: spec.address ?? location,
        };
      };
      return { size: employees.length, person, managerOf: (n) => managers[n], idOf: idAt };
    },
  };
}
