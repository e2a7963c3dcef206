/** The asker: what the offline model knows about the person who asks. */
import type { Person } from '../../declare/people.ts';

export type Asker = Pick<Person, 'realm' | 'username' | 'name' | 'email' | 'employeeId' | 'roles'>;
