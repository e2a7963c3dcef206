/** Sample support agents and authors of articles, from the employee directory. */
import { departmentNames } from '../../sample-company/departments.ts';
import { type Directory, directory, KNOWN_PEOPLE, type SamplePerson } from '../../sample-company/directory.ts';

export interface Agent {
  readonly id: string;
  readonly name: string;
}
export interface SupportTeam {
  readonly agents: readonly Agent[];
  readonly writers: readonly Agent[];
}

const AGENTS = 18;
const WRITERS = 4;
/** The least tenure of generated agents, in days: they were hired before the oldest ticket. */
const MIN_TENURE = 760;

const named = ({ id, first, last }: SamplePerson): Agent => ({ id, name: `${first} ${last}` });

export function supportTeam(employees: number): SupportTeam {
  const people = directory(employees);
  const agents: Agent[] = [];
  const writers: Agent[] = [];
  for (const person of supporters(people)) {
    if (agents.length === AGENTS && writers.length === WRITERS) break;
    const [list, most] = person.title === 'Technical Writer' ? [writers, WRITERS] : [agents, AGENTS];
    const answers = person.known || (/Support (Specialist|Engineer)$/.test(person.title) && person.tenure > MIN_TENURE);
    if (list.length < most && (list === writers || answers)) list.push(named(person));
  }
  return { agents, writers: writers.length > 0 ? writers : agents };
}

/** Yields the employees of Support. Departments are contiguous, so a binary search finds the first generated one. */
function* supporters(people: Directory): Iterable<SamplePerson> {
  for (let n = 0; n < KNOWN_PEOPLE; n++) {
    const person = people.person(n);
    if (person.department === 'Support' && person.title !== 'Director of Customer Support') yield person;
  }
  const support = departmentNames.indexOf('Support');
  let [low, high] = [KNOWN_PEOPLE, people.size];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (departmentNames.indexOf(people.person(middle).department) < support) low = middle + 1;
    else high = middle;
  }
  for (let n = low; n < people.size; n++) {
    const person = people.person(n);
    if (person.department !== 'Support') return;
    yield person;
  }
}
