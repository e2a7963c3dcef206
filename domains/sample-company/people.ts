/** The sample people who can sign in: employees, and contacts of customers. */
import type { BaseRole } from '../../src/declare/people.ts';
import type { NamesOf } from '../../src/declare/roles.ts';
import type { Persona } from '../../src/declare/sample.ts';
import type { financeRoles } from '../finance/exports.ts';
import type { hrRoles } from '../hr/exports.ts';
import type { payrollRoles } from '../payroll/exports.ts';
import type { salesRoles } from '../sales/exports.ts';
import type { supportRoles } from '../support/exports.ts';
import type { taxRoles } from '../tax/exports.ts';

type Roles = typeof hrRoles | typeof financeRoles | typeof salesRoles | typeof supportRoles | typeof payrollRoles | typeof taxRoles;
type CustomerRole = Extract<NamesOf<Roles>, `${string}-customer`>;
type StaffRole = BaseRole | Exclude<NamesOf<Roles>, CustomerRole>;

export const WORK_EMAIL_DOMAIN = 'tamshai.example';

/** Customers whose people can sign in; the sales and support samples use the same ids. */
export const organizations = {
  acme: { id: '0a000000-0000-4000-8000-000000000001', name: 'Acme Corporation' },
  globex: { id: '0a000000-0000-4000-8000-000000000002', name: 'Globex Industries' },
  initech: { id: '0a000000-0000-4000-8000-000000000003', name: 'Initech' },
} as const;

const id = (block: string, n: number) => `${block}-0000-4000-8000-${String(n).padStart(12, '0')}`;

function staff(n: number, name: string, title: string, ...roles: StaffRole[]): Persona {
  const username = name.toLowerCase().replace(' ', '.');
  const sub = id('0e000000', n);
  return {
    username,
    name,
    email: `${username}@${WORK_EMAIL_DOMAIN}`,
    realm: 'staff',
    sub,
    employeeId: sub,
    roles: ['employee', ...roles],
    title,
  };
}

function customer(n: number, name: string, company: keyof typeof organizations, role: CustomerRole): Persona {
  const email = `${name.toLowerCase().replace(' ', '.')}@${company}.example`;
  const { id: organizationId, name: organization } = organizations[company];
  const title = role === 'lead-customer' ? `Customer lead at ${organization}` : `Customer at ${organization}`;
  return { username: email, name, email, realm: 'customer', sub: id('0c000000', n), organizationId, roles: [role], title };
}

export const personas: readonly Persona[] = [
  staff(1, 'Eve Thompson', 'Chief Executive Officer', 'executive', 'manager'),
  staff(2, 'Alice Chen', 'VP of Human Resources', 'hr-read', 'hr-write', 'manager'),
  staff(3, 'Bob Martinez', 'Chief Financial Officer', 'finance-read', 'finance-write', 'manager'),
  staff(4, 'Carol Johnson', 'VP of Sales', 'sales-read', 'sales-write', 'manager'),
  staff(5, 'Dan Williams', 'Director of Customer Support', 'support-read', 'support-write', 'manager'),
  staff(6, 'Nina Patel', 'Engineering Manager', 'manager'),
  staff(7, 'Marcus Johnson', 'Software Engineer'),
  staff(8, 'Sarah Kim', 'Software Engineer'),
  staff(9, 'Frank Davis', 'Engineering Intern'),
  staff(10, 'Paula Reyes', 'Payroll Lead', 'payroll-read', 'payroll-write'),
  staff(11, 'Tom Becker', 'Tax Lead', 'tax-read', 'tax-write'),
  customer(1, 'Jane Smith', 'acme', 'lead-customer'),
  customer(2, 'Bob Developer', 'acme', 'basic-customer'),
  customer(3, 'Mike Manager', 'globex', 'lead-customer'),
  customer(4, 'Sara Support', 'globex', 'basic-customer'),
  customer(5, 'Peter Principal', 'initech', 'lead-customer'),
  customer(6, 'Tim Tech', 'initech', 'basic-customer'),
];

const byUsername = new Map(personas.map((persona) => [persona.username, persona]));

export function persona(username: string): Persona {
  const found = byUsername.get(username);
  if (!found) throw new RangeError(`There is no sample person called ${username}.`);
  return found;
}
