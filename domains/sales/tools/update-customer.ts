import { z } from 'zod';
import { changed } from '../../../src/declare/define.ts';
import { line } from '../../../src/declare/fields.ts';
import { customerInputs, ensureNewName, nameFields } from '../customers.ts';
import { changedFields } from '../deals.ts';
import { sales } from '../domain.ts';
import { accountOwnerFields, sellerCalled } from '../owners.ts';
import { customerById } from '../rules.ts';
import {
  because,
  customer,
  customerExists,
  customerFilter,
  customerId,
  customerNotFound,
  nothingToChange,
  ownerErrors,
} from '../schemas.ts';

export const updateCustomer = sales.write({
  name: 'update_customer',
  title: 'Change a customer',
  description: "Change a customer's contact, industry, tier, status, account owner or name. Deals keep the name they were made with.",
  roles: ['sales-write', 'executive'],
  effect: 'changes',
  input: z.object({
    customer_id: customerId,
    name: line(200).min(1).optional().describe('The new name'),
    status: customerFilter.optional().describe('PROSPECT has bought nothing yet, CHURNED is no longer a customer'),
    ...customerInputs,
    reason: because,
  }),
  output: customer,
  errors: { CUSTOMER_NOT_FOUND: customerNotFound, CUSTOMER_EXISTS: customerExists, NOTHING_TO_CHANGE: nothingToChange, ...ownerErrors },
  examples: [
    {
      question: 'Set the phone number of Globex to +1-555-0199',
      as: 'carol.johnson',
      input: { customer_id: '0a000000-0000-4000-8000-000000000002', phone: '+1-555-0199' },
    },
    {
      question: 'Mark Soylent Foods as churned',
      as: 'carol.johnson',
      input: { customer_id: '0a000000-0000-4000-8000-000000000009', status: 'CHURNED' },
    },
    {
      question: "Give the account Initech to Liam O'Brien, and make it enterprise tier",
      as: 'eve.thompson',
      input: { customer_id: '0a000000-0000-4000-8000-000000000003', owner: "Liam O'Brien", tier: 'enterprise' },
    },
    {
      question: 'Change the contact of the customer with this id to Ann Lee',
      as: 'carol.johnson',
      input: { customer_id: '0a000000-0000-4000-8000-999999999999', contact_name: 'Ann Lee' },
      expects: 'CUSTOMER_NOT_FOUND',
    },
  ],
  summary: ({ name }) => `Changed the customer ${name}`,

  async prepare({ customer_id, owner, address, reason, ...given }, { documents, fail }) {
    const found = (await customerById(documents, customer_id)) ?? fail('CUSTOMER_NOT_FOUND', { customer_id });
    const seller = owner === undefined ? undefined : await sellerCalled(documents, owner, fail);
    const fields = { ...given, email: given.email?.toLowerCase(), ...(seller && accountOwnerFields(seller)) };
    const patch = changedFields<Readonly<Record<string, unknown>>>(found, fields);
    const joined = (parts: object | null) => (parts === null ? null : Object.values(parts).join(', '));
    const hasNewAddress = address !== undefined && joined(address) !== joined(found.address);
    if (Object.keys(patch).length === 0 && !hasNewAddress) throw fail('NOTHING_TO_CHANGE', { customer_id });
    const name = given.name ?? found.name;
    if (given.name !== undefined) await ensureNewName(documents, name, { except: customer_id, fail });
    const { account_owner: _owner, account_owner_id: _id, ...shown } = patch;
    return {
      summary: `Change the customer ${found.name}`,
      subject: { label: `${found.name}: ${found.industry}, ${found.tier}, account of ${found.account_owner_name}`, id: customer_id },
      changes: [
        ...Object.entries(shown).flatMap(([field, to]) => changed(found, { [field]: to }, field === 'annual_revenue' ? 'money' : 'text')),
        ...(hasNewAddress ? [{ field: 'address', from: joined(found.address), to: joined(address) }] : []),
      ],
      reason,
      patch: {
        ...patch,
        ...(hasNewAddress && { address }),
        ...nameFields(name, given.company ?? found.company),
      },
    };
  },

  execute: ({ customer_id }, { documents, plan, now, output }) =>
    documents.change(output, 'customers', documents.where({ _id: customer_id }), { ...plan.patch, updated_at: now.toISOString() }),
});
