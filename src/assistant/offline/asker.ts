/** The asker: the person who asks, as the offline model knows them. */
import type { Person } from '../../declare/people.ts';

export type Asker = Pick<Person, 'realm' | 'username' | 'name' | 'email' | 'employeeId' | 'roles'>;
