/** Sample customers of support: the first active customers of sales, with contacts. Three of them use the portal. */
import { asciiName, nameOf } from '../../sample-company/names.ts';
import type { Persona } from '../../../src/declare/sample.ts';
import { organizations, personas } from '../../sample-company/people.ts';
import { customers } from '../../sales/sample/customers.ts';
import { numbered, salesTeam } from '../../sales/sample/team.ts';

export interface SupportCustomer {
  readonly id: string;
  readonly name: string;
  readonly tier: string;
  readonly people: readonly SupportContact[];
  /** Whether its contacts can sign in. */
  readonly portal: boolean;
}
export interface SupportContact {
  /** The account id, if the contact can sign in. */
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly invited?: true;
}

const CUSTOMERS = 40;
const PEOPLE = 4;

/** Colleagues of the personas: one who uses the portal, and one with an open invitation. */
const colleagues: Readonly<Record<keyof typeof organizations, readonly [string, string]>> = {
  acme: ['Ingrid Solheim', 'Kofi Mensah'],
  globex: ['Petra Lindqvist', 'Ravi Anand'],
  initech: ['Milton Waddams', 'Joanna Reed'],
};
const addressAt = (name: string, host: string) => `${name.split(' ').map(asciiName).join('.')}@${host}.example`;

const organizationOf = ({ organizationId }: Persona) => organizationId;
const leads = (id: string) => personas.find((each) => organizationOf(each) === id && each.roles.includes('lead-customer'));

function portalPeople(id: string): SupportContact[] {
  const [key = 'acme'] = (Object.keys(organizations) as (keyof typeof organizations)[]).filter((each) => organizations[each].id === id);
  const own = personas.filter((each) => organizationOf(each) === id).map(({ sub, name, email }) => ({ id: sub, name, email }));
  const [user, invited] = colleagues[key];
  const block = Object.keys(organizations).indexOf(key) * 2 + 1;
  return [
    ...own,
    { id: numbered('0c100000', block), name: user, email: addressAt(user, key) },
    { id: numbered('0c100000', block + 1), name: invited, email: addressAt(invited, key), invited: true },
  ];
}

export function supportCustomers(options: { readonly employees: number; readonly today: Date }): readonly SupportCustomer[] {
  const portals: readonly string[] = Object.values(organizations).map(({ id }) => id);
  const found: SupportCustomer[] = [];
  for (const row of customers(salesTeam(options))) {
    if (found.length === CUSTOMERS) break;
    if (row['status'] !== 'ACTIVE') continue;
    const id = String(row['_id']);
    const host = String(row['email']).split('@')[1]?.replace('.example', '') ?? 'customer';
    const others = Array.from({ length: PEOPLE }, (_, which): SupportContact => {
      const { first, last } = nameOf(9000 + found.length * PEOPLE + which);
      return {
        id: numbered('0c200000', found.length * PEOPLE + which + 1),
        name: `${first} ${last}`,
        email: addressAt(`${first} ${last}`, host),
      };
    });
    const portal = portals.includes(id);
    found.push({ id, name: String(row['name']), tier: String(row['tier']), portal, people: portal ? portalPeople(id) : others });
  }
  return found;
}

/** An organisation of the portal: its contacts and its lead. */
export function organizationRow({ id, name, tier, people }: SupportCustomer, today: Date): Readonly<Record<string, unknown>> {
  const since = (days: number) => new Date(today.getTime() - days * 86_400_000).toISOString();
  return {
    organization_id: id,
    name,
    tier,
    lead_contact_id: leads(id)?.sub ?? null,
    contacts: people.map(({ id: contact_id, name: contact, email, invited }, which) => ({
      contact_id,
      name: contact,
      email,
      status: invited ? 'invited' : 'active',
      invited_at: since(invited ? 3 : 400 - 90 * which),
      invited_by: which === 0 ? null : (leads(id)?.name ?? null),
    })),
    created_at: since(420),
    updated_at: since(3),
  };
}
