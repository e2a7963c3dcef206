/** The built-in sample company: seventeen people who can sign in, and a directory of any size. */
import type { SampleCompany, SampleEmployee } from '../../src/declare/sample.ts';
import { dayOf, hiredOn } from './days.ts';
import { directory, KNOWN_PEOPLE, type SamplePerson } from './directory.ts';
import { personas } from './people.ts';
import { between, pick } from './random.ts';

function phoneOf({ n, office }: SamplePerson): string {
  return `+1-${pick(office.areas, n, 11)}-555-01${String(between(0, 99, n, 12)).padStart(2, '0')}`;
}
function addressOf({ n, office }: SamplePerson): string {
  const [house, street] = [between(1, 980, n, 13), pick(office.streets, n, 14)];
  const line = office.name === 'Berlin' ? `${street} ${house}` : `${house} ${street}`;
  return `${line}, ${office.place(between(1, 98, n, 15))}`;
}

/** Most tables do not need phone and address, so they are computed on demand. */
const employeeOf = (person: SamplePerson, newYear: string): SampleEmployee => ({
  ...person,
  location: person.office.name,
  hired: hiredOn(person, newYear),
  get phone() {
    return phoneOf(person);
  },
  get address() {
    return addressOf(person);
  },
});

export const sampleCompany: SampleCompany = {
  people: personas,
  featured: ['eve.thompson', 'alice.chen', 'nina.patel', 'marcus.johnson', 'jane.smith@acme.example'],
  directory({ size, today }) {
    const people = directory(size);
    const newYear = `${dayOf(today.getTime()).slice(0, 4)}-01-01`;
    return { ...people, known: KNOWN_PEOPLE, person: (n) => employeeOf(people.person(n), newYear) };
  },
};
