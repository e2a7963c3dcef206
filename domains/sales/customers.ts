/** The inputs of a customer, and the check that no two customers have the same name. */
import { z } from 'zod';
import { line, money } from '../../src/declare/fields.ts';
import type { Details } from '../../src/declare/errors.ts';
import { spelledPlainly } from '../../src/declare/spelling.ts';
import type { Reader } from './rules.ts';
import { customer, ownerName, tierInput } from './schemas.ts';

const revenue = money.max(1_000_000_000_000, 'That is more than 1,000,000,000,000 {currency}');
const place = (what: string) => line(100).min(1).describe(what);

/** All optional; `create_customer` requires some of them. */
export const customerInputs = {
  company: line(200).min(1).optional().describe('The registered name'),
  industry: line(100).min(1).optional().describe('Such as Healthcare or Logistics'),
  contact_name: line(200).min(1).optional().describe('The person to talk to'),
  email: z.email().max(254).optional().describe('E-mail address of the contact'),
  phone: line(50).min(1).optional().describe('Phone number of the contact'),
  tier: tierInput.optional().describe('The size of the contract'),
  annual_revenue: revenue.optional().describe("The customer's own yearly revenue, in {currency}"),
  address: z
    .strictObject({
      street: place('Street and number'),
      city: place('City'),
      state: place('State or region'),
      zip: place('Postal code'),
      country: place('Country'),
    })
    .optional()
    .describe('Postal address'),
  owner: ownerName.optional(),
};

const named = customer.pick({ _id: true, name: true });

/** Throws if another customer has this name; case, accents and punctuation do not matter. */
export async function ensureNewName(
  documents: Reader,
  name: string,
  { except, fail }: { readonly except?: string; readonly fail: (code: 'CUSTOMER_EXISTS', details?: Details) => never },
): Promise<void> {
  const plain = spelledPlainly(name);
  const same = await documents.many(named, 'customers', documents.where({ plain_name: plain }), { limit: 2 });
  const [other] = same.filter(({ _id }) => _id !== except);
  if (other !== undefined) throw fail('CUSTOMER_EXISTS', { customer_id: other._id, name: other.name });
}

/** The stored fields by which a customer is found. */
export const nameFields = (name: string, company: string) => ({
  plain_name: spelledPlainly(name),
  name_search: spelledPlainly(`${name} ${company}`),
});
