/** What the offline model is told of the person who asks. */
import type { Person } from '../../core/people.ts';

export type Asker = Pick<Person, 'realm' | 'username' | 'name' | 'email' | 'employeeId' | 'roles'>;
